"""Argument text that is read, and argument text that is refused, with the message."""

from __future__ import annotations

import enum
import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, ToolCall

from .reading import ALL_REPAIRS, RefusedError, read_arguments

MAX_DEPTH = 100


def refusal(raw: Any) -> str:
    """Return why arguments are refused."""
    with pytest.raises(RefusedError) as caught:
        read_arguments(raw)
    return str(caught.value)


@pytest.mark.parametrize(
    ("raw", "repairs"),
    [
        (None, ()),
        ("", ("the arguments were empty: taken as no arguments",)),
        ("{}", ()),
        (" {} ", ()),
        ({}, ()),
        ("null", ("the arguments were null: taken as no arguments",)),
        (" \n\t", ("the arguments were empty: taken as no arguments",)),
        (" null\n", ("the arguments were null: taken as no arguments",)),
        ('""', ("the arguments were an empty string: taken as no arguments",)),
        ('" "', ("the arguments were an empty string: taken as no arguments",)),
        ("[]", ("the arguments were an empty array: taken as no arguments",)),
        (" [\n]", ("the arguments were an empty array: taken as no arguments",)),
        ('{}""', ("the arguments were an empty object and an empty string: taken as no arguments",)),
        ('{ }\n"" ', ("the arguments were an empty object and an empty string: taken as no arguments",)),
        (
            "```\nNone\n```",
            (
                "the arguments had True, False or None: taken as true, false or null",
                "the arguments had a code fence: left out",
                "the arguments were null: taken as no arguments",
            ),
        ),
    ],
)
def test_empty_text_null_and_an_empty_object_mean_no_arguments(raw: str | None, repairs: tuple[str, ...]) -> None:
    assert read_arguments(raw) == ({}, repairs)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("null", "null"),
        (" null ", "null"),
        ("```\nnull```", "null"),
        ("[]", "an empty array"),
        ('""', "an empty string"),
    ],
)
def test_empty_arguments_are_refused_where_that_repair_is_switched_off(text: str, said: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read_arguments(text, allowed=ALL_REPAIRS - {"empty-arguments"})

    assert str(caught.value) == f"the arguments are {said}: send a JSON object, {{}} if there are none"


@pytest.mark.parametrize("text", ['{}""', '{}"a"', '{"a": 1}""', '""{}', "{}{}", "[1]", "[[]]", '"x"'])
def test_other_texts_are_not_taken_as_no_arguments(text: str) -> None:
    allowed = ALL_REPAIRS - {"empty-arguments"} if text == '{}""' else ALL_REPAIRS
    with pytest.raises(RefusedError):
        read_arguments(text, allowed=allowed)


@pytest.mark.parametrize("text", [r'{"a": "C:\Users"}', r'{"a": "\d+"}', r'{"a": "\u12"}', r"{'a': '\d'}"])
def test_the_error_for_a_wrong_backslash_says_how_to_write_one(text: str) -> None:
    assert refusal(text).startswith("the arguments must be valid JSON: Invalid ")
    assert refusal(text).endswith(r"; in a JSON string, write \\ for a backslash")
    assert "backslash" not in refusal('{"a": b}')


def test_no_arguments_and_an_empty_object_are_no_repair() -> None:
    assert read_arguments(None, allowed=()) == read_arguments("{}", allowed=()) == ({}, ())


WRAPPED = "the arguments were JSON text in a string: taken as the object that it holds"


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ('"{\\"a\\": [1]}"', (WRAPPED,)),
        (' "\\n{\\"a\\": [1]} " ', (WRAPPED,)),
        (
            "\"{'a': [1]}\"",
            ("the text of the arguments had single quotes that JSON does not know: taken as JSON writes them", WRAPPED),
        ),
        (
            """'{"a": [1]}'""",
            ("the arguments had single quotes that JSON does not know: taken as JSON writes them", WRAPPED),
        ),
    ],
)
def test_an_object_in_a_string_is_taken_as_the_arguments(text: str, repairs: tuple[str, ...]) -> None:
    assert read_arguments(text) == ({"a": [1]}, tuple(sorted(repairs)))
    with pytest.raises(RefusedError, match=r"^the arguments must be a JSON object, got a string$"):
        read_arguments(text, allowed=ALL_REPAIRS - {"wrapped-json"})


def test_numbers_keep_their_digits_through_slips_and_strings() -> None:
    def pay(a: Decimal) -> str:
        """Pay."""
        return str(a)

    executor = Executor(pay)
    for text in ("{a: 0.10}", '"{\\"a\\": 0.10}"', "'{a: 0.10}'"):
        assert executor.run(ToolCall("pay", text)).value == "0.10"


@pytest.mark.parametrize("text", ['"[1]"', '"{"', '"{a: b}"', '"null"', '"\\"{}\\""', '"{\\"a\\": 1, \\"a\\": 2}"'])
def test_a_string_that_does_not_contain_an_object_is_refused(text: str) -> None:
    assert refusal(text) == "the arguments must be a JSON object, got a string"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": [1.5, true, null, "x"], "c": {"d": {}}}',
        '{"a": "with: colons, {braces} and [brackets]"}',
        '{"a": {"x": 1}, "b": {"x": 1}}',
        '{"a:b": 1, "a": {"b": 2}}',
        '{"\\u0061b": 1}',
        '{"a": 1e308, "b": -0.0, "c": 12345678901234567890}',
        '\n{"a"\t:\r1}\n',
        '{"": 1}',
    ],
)
def test_json_is_read_as_it_is(text: str) -> None:
    assert read_arguments(text) == (json.loads(text), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "the arguments must be a JSON object, got an array"),
        ('"x"', "the arguments must be a JSON object, got a string"),
        ("5", "the arguments must be a JSON object, got a number"),
        ("5.5", "the arguments must be a JSON object, got a number"),
        ("true", "the arguments must be a JSON object, got a boolean"),
        (
            "{not-json",
            (
                "the arguments must be valid JSON: Expecting property name enclosed in double quotes at character 2, "
                'near "{not-json"'
            ),
        ),
        (
            '{"a": 1} and more',
            'the arguments must be valid JSON: Extra data at character 10, near "{\\"a\\": 1} and more"',
        ),
        ('{"a": 1, "a": 2}', 'the arguments must be valid JSON: the name "a" occurs twice in one object'),
        ('{"a": 1, "\\u0061": 2}', 'the arguments must be valid JSON: the name "a" occurs twice in one object'),
        ('{"x": {"a": 1, "a": 2}}', 'the arguments must be valid JSON: the name "a" occurs twice in one object'),
        ('{"x": [[{"a": 1, "a": 1}]]}', 'the arguments must be valid JSON: the name "a" occurs twice in one object'),
        ('{"": 1, "": 2}', 'the arguments must be valid JSON: the name "" occurs twice in one object'),
        ('{"a": NaN}', "the arguments must be valid JSON: NaN is not a JSON number"),
        ('{"a": [Infinity]}', "the arguments must be valid JSON: Infinity is not a JSON number"),
        ('{"a": -Infinity}', "the arguments must be valid JSON: -Infinity is not a JSON number"),
        (
            '{"a": 1e400}',
            "the arguments must be valid JSON: a number is too large for JSON to carry (it is not finite)",
        ),
        ('{"a": {"b": -1e999}}', "the arguments must be valid JSON: a number is too large for JSON to carry "),
        ('{"a": ' + "1" * 10_000 + "}", "the arguments contain a whole number that has too many digits to be read"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "the arguments are nested too deeply: at most 100 levels"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "the arguments are nested too deeply: at most 100 levels"),
        ("[" * 100_000, "the arguments "),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_text_that_is_not_a_json_object_is_refused(text: str, message: str) -> None:
    said = refusal(text)

    assert said.startswith(message)
    assert len(said) < 400
    assert "set_int_max_str_digits" not in said


WHOLE = r'{"path": {"p": [1, -2.5e+7, "two\n"]}, "dry_run": true, "off": false, "no": null, "text": "a\u00e9"}'


@pytest.mark.parametrize("length", range(1, len(WHOLE)))
def test_text_that_is_cut_off_anywhere_is_refused_as_cut_off(length: int) -> None:
    said = refusal(WHOLE[:length])

    assert said == (
        f"the arguments are cut off: the JSON ends at character {length} before it is complete. "
        "Nothing was run; send the whole call again, shorter if need be"
    )


def nested(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels - 1):
        value = [value]
    return value


@pytest.mark.parametrize("levels", [MAX_DEPTH - 1, MAX_DEPTH])
def test_nesting_up_to_the_limit_is_read_from_text_and_from_objects_alike(levels: int) -> None:
    arguments = {"a": nested(levels)}

    assert read_arguments(json.dumps(arguments))[0] == arguments
    assert read_arguments(arguments)[0] == arguments


@pytest.mark.parametrize("levels", [MAX_DEPTH + 1, MAX_DEPTH + 2, 500])
def test_nesting_past_the_limit_is_refused_from_text_and_from_objects_alike(levels: int) -> None:
    arguments = {"a": nested(levels)}

    assert (
        refusal(json.dumps(arguments))
        == refusal(arguments)
        == "the arguments are nested too deeply: at most 100 levels"
    )


def test_an_object_that_contains_itself_is_refused() -> None:
    arguments: dict[str, Any] = {}
    arguments["self"] = arguments

    assert refusal(arguments) == "the arguments are nested too deeply: at most 100 levels"


def test_many_brackets_in_one_level_are_not_deep() -> None:
    arguments = {"a": [[] for _ in range(500)], "b": "[" * 500}

    assert read_arguments(json.dumps(arguments))[0] == arguments


def test_a_repeated_name_among_many_is_found_quickly() -> None:
    """Comparing each name with all before it would take longer than a test may take."""
    text = "{" + ",".join(f'"{name}": 0' for name in [*range(200_000), 199_999]) + "}"

    assert refusal(text) == 'the arguments must be valid JSON: the name "199999" occurs twice in one object'


def test_half_a_surrogate_pair_is_read() -> None:
    assert read_arguments('{"a": "\\ud800", "\\udfff": 1}')[0] == {"a": "\ud800", "\udfff": 1}


def test_the_arguments_share_no_object_with_the_given_mapping() -> None:
    given_arguments = {"a": [1, {"b": 2}], "c": {"d": []}}
    read = read_arguments(given_arguments)[0]
    read["a"][1]["b"] = 3
    read["c"]["d"].append(4)
    read["e"] = 5

    assert given_arguments == {"a": [1, {"b": 2}], "c": {"d": []}}


class Colour(str, enum.Enum):  # noqa: UP042  # whose str() is its name, not its value
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        (MappingProxyType({"a": (1, 2)}), {"a": [1, 2]}),
        (OrderedDict(a=OrderedDict(b=1)), {"a": {"b": 1}}),
        ({"a": Colour.RED, Colour.RED: 1, "b": Level.LOW, "c": Text("x")}, {"a": "red", "red": 1, "b": 1, "c": "x"}),
        (Text('{"a": 1}'), {"a": 1}),
    ],
)
def test_mappings_and_subclasses_are_read_as_plain_json(raw: Any, arguments: dict[str, Any]) -> None:
    read = read_arguments(raw)[0]

    assert read == arguments
    assert all(type(name) is str for name in read)
    assert all(type(value) in (str, int, list, dict) for value in read.values())


class Hostile(Mapping[str, Any]):
    def __getitem__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("secret")

    def __len__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([1], "the arguments must be a JSON object, not a Python list"),
        (42, "the arguments must be a JSON object, not a Python int"),
        (b"{}", "the arguments must be a JSON object, not a Python bytes"),
        ({1: 2}, "the arguments must be valid JSON: $ has the name 1, which is not a string"),
        ({"a": {None: 2}}, "the arguments must be valid JSON: $.a has the name None, which is not a string"),
        ({"a": [float("nan")]}, "the arguments must be valid JSON: $.a[0] is nan, which is not a JSON number"),
        ({"a": float("inf")}, "the arguments must be valid JSON: $.a is inf, which is not a JSON number"),
        ({"a": {"b": object()}}, "the arguments must be valid JSON: $.a.b is a Python object"),
        ({"a": {1, 2}}, "the arguments must be valid JSON: $.a is a Python set"),
        ({"a": b"x"}, "the arguments must be valid JSON: $.a is a Python bytes"),
        (Hostile(), "the arguments cannot be read: RuntimeError"),
        ({"a": Hostile()}, "the arguments cannot be read: RuntimeError"),
    ],
)
def test_a_python_object_that_is_not_a_json_value_is_refused_with_its_path(raw: Any, message: str) -> None:
    assert refusal(raw) == message


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_any_json_object_is_read_from_its_text_and_from_itself(arguments: dict[str, Any]) -> None:
    assert read_arguments(json.dumps(arguments))[0] == arguments
    assert read_arguments(json.dumps(arguments, ensure_ascii=False))[0] == arguments
    assert read_arguments(arguments) == (arguments, ())


@given(st.dictionaries(st.text(), json_values, min_size=1, max_size=4), st.data())
def test_a_repeated_name_is_found_at_any_depth(arguments: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(arguments)))
    twice = json.dumps(arguments)[:-1] + f", {json.dumps(name)}: 0}}"
    for text in (twice, f'{{"outer": {twice}}}', f'{{"outer": [0, {twice}]}}'):
        assert refusal(text).startswith("the arguments must be valid JSON: the name ")


@given(st.text() | st.text(alphabet='{}[]",:0123456789.eE+-ntruefalsx \\', max_size=40))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    read: object = {}
    refused = ""
    try:
        read, _ = read_arguments(text)
    except RefusedError as error:
        refused = str(error)

    assert isinstance(read, dict)
    assert len(refused) < 500

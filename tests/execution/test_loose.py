"""Mistakes that are repaired in the text of arguments, and texts that are refused although their meaning may seem clear."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from .reading import ALL_REPAIRS, RefusedError, read_arguments

LONGEST = 1_000_000

COMMENTS = "the arguments had comments: left out"
FENCE = "the arguments had a code fence: left out"
LITERALS = "the arguments had True, False or None: taken as true, false or null"
CONTROL = "the arguments had line ends, tabs or other control characters in strings: taken as escaped"
SINGLE = "the arguments had single quotes that JSON does not know: taken as JSON writes them"
COMMAS = "the arguments had trailing commas: left out"
NAMES = "the arguments had names without quotes: taken as quoted"

SLIPS: list[tuple[str, str, dict[str, Any], str]] = [
    ("fences", '```json\n{"a": 1}\n```', {"a": 1}, FENCE),
    ("fences", '```\r\n{"a": 1}\r\n```\r\n', {"a": 1}, FENCE),
    ("fences", ' \n```{"a": 1}``` \n', {"a": 1}, FENCE),
    ("fences", '````json5\n{"a": "```"}\n````', {"a": "```"}, FENCE),
    ("fences", '```json\n{"a": 1}\n', {"a": 1}, FENCE),  # a model that stops at the closing fence
    ("fences", '{"a": 1}\n```', {"a": 1}, FENCE),  # one whose answer was begun for it
    ("comments", '{"a": 1 // the first\n}', {"a": 1}, COMMENTS),
    ("comments", '{"a": 1 # the first\r\n, "b": "# //"}', {"a": 1, "b": "# //"}, COMMENTS),
    ("comments", '/* one */{/**/"a"/* } */:/* \n* / */1/***/}// end', {"a": 1}, COMMENTS),
    ("comments", "# nothing to say\n{}", {}, COMMENTS),
    ("trailing-commas", '{"a": [1, {"b": 2,},],}', {"a": [1, {"b": 2}]}, COMMAS),
    ("trailing-commas", '{"a": "x" , \n}', {"a": "x"}, COMMAS),
    ("single-quotes", "{'a': 'x', \"b\": ''}", {"a": "x", "b": ""}, SINGLE),
    ("single-quotes", r"""{'say "hi"': 'it\'s \"so\" \\'}""", {'say "hi"': 'it\'s "so" \\'}, SINGLE),
    ("single-quotes", r"{'a': 'C:\\new\u00e9\n'}", {"a": "C:\\newé\n"}, SINGLE),
    ("single-quotes", r"""{"a": "it\'s"}""", {"a": "it's"}, SINGLE),
    ("unquoted-names", "{a: 1, b_2: {$c: 2}, größe: 3}", {"a": 1, "b_2": {"$c": 2}, "größe": 3}, NAMES),
    ("unquoted-names", "{user-id : 1, null: 2, true: 3}", {"user-id": 1, "null": 2, "true": 3}, NAMES),
    ("raw-control-characters", '{"a": "one\ntwo\r\n\tthree"}', {"a": "one\ntwo\r\n\tthree"}, CONTROL),
    ("raw-control-characters", '{"a\n": "\\\\\n\\n\x00\x1f"}', {"a\n": "\\\n\n\x00\x1f"}, CONTROL),
    ("python-literals", '{"a": True, "b": [False, None]}', {"a": True, "b": [False, None]}, LITERALS),
]


@pytest.mark.parametrize(("slip", "text", "value", "said"), SLIPS, ids=[repr(each[1]) for each in SLIPS])
def test_a_slip_with_one_possible_meaning_is_repaired_and_recorded(
    slip: str, text: str, value: dict[str, Any], said: str
) -> None:
    assert read_arguments(text) == (value, (said,))
    assert read_arguments(text, allowed={slip}) == (value, (said,))


@pytest.mark.parametrize(("slip", "text"), [each[:2] for each in SLIPS], ids=[repr(each[1]) for each in SLIPS])
def test_a_slip_that_is_switched_off_is_refused(slip: str, text: str) -> None:
    for allowed in (ALL_REPAIRS - {slip}, frozenset[str]()):
        with pytest.raises(RefusedError):
            read_arguments(text, allowed=allowed)


def test_all_slips_of_one_text_are_recorded_in_order() -> None:
    text = "```json\n{a: 'x\ty', // why\n\"b\": True,}\n```"

    assert read_arguments(text) == (
        {"a": "x\ty", "b": True},
        (LITERALS, FENCE, COMMENTS, CONTROL, NAMES, SINGLE, COMMAS),
    )


@pytest.mark.parametrize(
    "text",
    [
        # a value without quotes is a guess
        '{"a": b}',
        "{a: b}",
        '{"a": b c}',
        '{"a": http://x}',
        '{"a": undefined}',
        '{"a": TRUE}',
        '{"a": x"y"}',
        "{'a': r'x'}",
        '{"a": 2024-01-02}',
        '{"a": 1_000}',
        # a number that JSON does not know
        '{"a": 0x10}',
        '{"a": +1}',
        '{"a": .5}',
        '{"a": 5.}',
        '{"a": 010}',
        '{a: NaN, "b": 1}',
        '{a: -Infinity, "b": 1}',
        # something is missing
        "{'a': 1 'b': 2}",
        "{'a' 1}",
        "{'a'}",
        "{a}",
        "{a: }",
        '{"a": [1 2,]}',
        "{'a': 1, 'b': [1, 2}",
        # a comma that trails nothing
        "{,}",
        "{,'a': 1}",
        '{"a": [,]}',
        '{"a": [1,,]}',
        '{"a":,}',
        '{"a": 1},',
        # quotes that do not pair
        "{'a': 'don't', 'b': 'x'}",
        "{'a': 'x\", \"b\": 1}",
        "{'a': 'x' 'y'}",
        '{"a": """x"""}',
        "{“a”: 1}",
        '{"a": “x”}',
        # an escape that JSON does not know; a line that goes on
        r"{'a': '\x41'}",
        r"{'a': '\d'}",
        "{'a': 'x\\\ny'}",
        '{"a": "x\\\ny"}',
        # a name that could be another
        "{True: 1}",
        "{None: 1}",
        "{1: 1}",
        "{a.b: 1}",
        "{a b: 1}",
        "{-a: 1}",
        "{a-: 1}",
        "{a--b: 1}",
        '{"a": b: 1}',
        "['a': 1]",
        # more than the arguments
        '{"a": 1,} {"b": 2}',
        '{"a": 1,}}',
        'Here you are: {"a": 1}',
        '{"a": 1,} I hope this helps',
        'Here you are:\n```json\n{"a": 1}\n```',
        '```json\n{"a": 1}\n```\nThat is all.',
        '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
        '`{"a": 1}`',
        '{```json\n"a": 1\n```}',
        '{```\n"a": 1\n```}',
        '{"a": ```1}',
        '{"a": 1```}',
        "callback({})",
        # a comment whose end is unclear; what looks like one
        '{"a": 1 // x\u2028}\n}',
        '{"a": 1 -- x\n}',
        '{"a": 1 <!-- x --> }',
        '{"a": 1 /* x /* y */ */ }',
        # not JSON at all
        "{'a', 'b'}",
        "{'a': ('x', 'y')}",
        "a=1, b='x'",
        "- a: 1",
        "a: 1",
        "\ufeff{}",
        '{"a":\u00a01}',
    ],
)
def test_text_with_several_possible_meanings_or_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match=r"^the arguments (must be valid JSON|are cut off): "):
        read_arguments(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{'a': 1, 'a': 2}", 'the arguments must be valid JSON: the name "a" occurs twice in one object'),
        ("{a: 1, 'b': [{'c': 1, c: 2}]}", 'the arguments must be valid JSON: the name "c" occurs twice in one object'),
        ("{a: NaN}", "the arguments must be valid JSON: NaN is not a JSON number"),
        ("{a: 1e999}", "the arguments must be valid JSON: a number is too large for JSON to carry (it is not finite)"),
        (
            "{a: " + "1" * 5_000 + "}",
            "the arguments contain a whole number that has too many digits to be read",
        ),
        ("{a:" * 10_000 + "1" + "}" * 10_000, "the arguments are nested too deeply: at most 100 levels"),
        ("{a: " + "[" * 101 + "]" * 101 + "}", "the arguments are nested too deeply: at most 100 levels"),
        ("['a',]", "the arguments must be a JSON object, got an array"),
        ("'a'", "the arguments must be a JSON object, got a string"),
        ("```\n5\n```", "the arguments must be a JSON object, got a number"),
    ],
    ids=lambda text: text[:30],
)
def test_text_that_cannot_be_repaired_is_refused_with_the_error_of_strict_reading(text: str, said: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read_arguments(text)

    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("{'a': 1 'b': 2}", "Expecting ',' delimiter", 9),
        ("/* no */ {'a': 'x\ty', b: c}", "Expecting value", 26),
        ("```json\n{a: 1} and more", "Extra data", 16),
        ("{'say \"hi\"': 'it\\'s', 5: 1}", "Expecting property name enclosed in double quotes", 23),
        (r"{'a': '\x41'}", r"Invalid \escape", 8),
        ("{'a': True 'b'}", "Expecting ',' delimiter", 12),
    ],
)
def test_the_place_of_a_mistake_is_the_one_in_the_text_as_it_was_written(text: str, reason: str, place: int) -> None:
    with pytest.raises(RefusedError) as caught:
        read_arguments(text)

    said = re.sub(r"( at)? at (character \d+), near .*", r" at \2", str(caught.value))
    assert said == f"the arguments must be valid JSON: {reason} at character {place}"
    assert f"near {json.dumps(text[max(0, place - 21) : place + 19], ensure_ascii=False)}" in str(caught.value)


# --- text that is cut off -------------------------------------------------------------------------

OBJECT = """{'path': {p: [1, -2.5e+7, 'two "\t',], /* no */ }, # yes
"on": True, "off": False, "no": None, "text": "it\\'s }", // {
}"""
VALUE = {"path": {"p": [1, -2.5e7, 'two "\t']}, "on": True, "off": False, "no": None, "text": "it's }"}
BEGUN_NAMES = {OBJECT[: OBJECT.index("p:") + 1]}
"""Where the text ends in a name without quotes; then that name is what is wrong."""


def test_the_text_that_is_cut_off_in_other_tests_is_valid_as_a_whole() -> None:
    assert read_arguments(OBJECT)[0] == VALUE


@pytest.mark.parametrize("length", range(1, len(OBJECT)))
def test_text_with_slips_that_is_cut_off_anywhere_is_refused_as_cut_off(length: int) -> None:
    text = OBJECT[:length]
    with pytest.raises(RefusedError) as caught:
        read_arguments(text)

    if text not in BEGUN_NAMES:
        assert str(caught.value) == (
            f"the arguments are cut off: the JSON ends at character {length} before it is complete. "
            "Nothing was run; send the whole call again, shorter if need be"
        )


@pytest.mark.parametrize("fence", ["```json\n{}", "```\n{}\n```", "// }\n{}\n"])
def test_text_around_an_object_does_not_complete_it(fence: str) -> None:
    whole = fence.replace("{}", OBJECT)
    complete = whole.index(OBJECT) + len(OBJECT)
    for length in range(1, complete):
        with pytest.raises(RefusedError):
            read_arguments(whole[:length])
    for text in (whole[:complete], whole[: complete + 1], whole):
        assert read_arguments(text)[0] == VALUE


@pytest.mark.parametrize(
    "end", ["'", "/* ", "/*/", "/", "'x\\", "'x\\'", "'x\\\\\\'", "T", "Fals", "No", "True", "[None,", "//}"]
)
def test_an_end_within_a_slip_is_an_end(end: str) -> None:
    with pytest.raises(RefusedError, match=r"^the arguments are cut off: "):
        read_arguments(f'{{"a": {end}')


def test_a_string_that_is_cut_off_contains_no_arguments() -> None:
    with pytest.raises(RefusedError, match=r"^the arguments are cut off: "):
        read_arguments("""'{"a": 1} """)


# --- size -----------------------------------------------------------------------------------------


def test_text_longer_than_a_model_writes_is_only_read_strictly() -> None:
    text = '{"a": "' + "x" * (LONGEST - 10) + '",}'

    assert len(text) == LONGEST
    assert read_arguments(text)[1] == (COMMAS,)
    with pytest.raises(RefusedError, match=r"^the arguments must be valid JSON: "):
        read_arguments(text + " ")


@pytest.mark.parametrize(
    "text", ["'", "'\"", "/**/", "#\n", "//", "[1,],", "a:", "```", "\\'", "None,", "\x00", "-a", "{a:"]
)
@pytest.mark.parametrize("start", ["{a: ", "{'a': '"])
def test_long_texts_of_any_kind_are_read_in_linear_time(start: str, text: str) -> None:
    """With work that grows as the square it would take longer than a test may take."""
    with pytest.raises(RefusedError):
        read_arguments(start + text * (LONGEST // len(text) - 1))


def test_huge_strings_are_read_or_refused() -> None:
    text = '{"a": "' + "x" * 50_000_000

    assert len(read_arguments(text + '"}')[0]["a"]) == 50_000_000
    with pytest.raises(RefusedError, match="cut off"):
        read_arguments(text)
    with pytest.raises(RefusedError, match="must be valid JSON"):
        read_arguments(text + '",}')


# --- for all --------------------------------------------------------------------------------------

texts = st.text(max_size=8) | st.text(alphabet="'\"\\/*#\n\t`{}[]:, a", max_size=8)
names = st.sampled_from(["a", "b", "path", "$x", "user-id", "größe", "x1", "_"]) | texts
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
objects = st.dictionaries(names, values, max_size=3)
NAME = re.compile(r"(?!(?:True|False|None)\Z)(?:[^\W\d]|\$)[\w$]*(?:-[\w$]+)*")
AROUND = ["", "", " ", "\n", "\t", "/* , ' } */", "// no\n", "# 'no\n"]


class Careless:
    """Writes JSON as careless models do.

    Args:
        data: Decides where a slip is made.
    """

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def whole(self, value: dict[str, Any]) -> str:
        before, after = self._data.draw(st.sampled_from([("", ""), ("```json\n", "\n```"), ("```", ""), ("", "```\n")]))
        return before + self.value(value) + self._between() + ("\n" if after else "") + after

    def value(self, value: Any) -> str:
        between = self._between
        if isinstance(value, str):
            return self._string(value)
        if isinstance(value, dict):
            inner = [f"{self._name(name)}{between()}:{between()}{self.value(item)}" for name, item in value.items()]
            return "{" + self._joined(inner) + "}"
        if isinstance(value, list):
            return "[" + self._joined([self.value(item) for item in value]) + "]"
        if value is None or isinstance(value, bool):
            return self._data.draw(st.sampled_from([repr(value), json.dumps(value)]))
        return json.dumps(value)

    def _between(self) -> str:
        return self._data.draw(st.sampled_from(AROUND))

    def _joined(self, items: list[str]) -> str:
        between = self._between
        comma = self._data.draw(st.sampled_from(["", ","])) if items else ""
        return between() + ",".join(f"{between()}{item}{between()}" for item in items) + comma + between()

    def _name(self, name: str) -> str:
        if NAME.fullmatch(name) and self._data.draw(st.booleans()):
            return name
        return self._string(name)

    def _string(self, text: str) -> str:
        written = json.dumps(text, ensure_ascii=self._data.draw(st.booleans()))
        if self._data.draw(st.booleans()):
            written = re.sub(r"\\.", lambda found: {r"\n": "\n", r"\t": "\t"}.get(found[0], found[0]), written)
        if self._data.draw(st.booleans()):
            bare = re.sub(r'\\"', lambda found: self._data.draw(st.sampled_from(['"', '\\"'])), self._escaped(written))
            return f"'{bare}'"
        return written

    @staticmethod
    def _escaped(written: str) -> str:
        return written[1:-1].replace("'", "\\'")


@settings(deadline=None)
@given(objects, st.data())
def test_arguments_are_read_the_same_however_carelessly_they_are_written(
    value: dict[str, Any], data: st.DataObject
) -> None:
    text = Careless(data).whole(value)
    read, repairs = read_arguments(text)

    assert read == value
    assert json.dumps(read) == json.dumps(value)
    assert list(repairs) == sorted(repairs)


@settings(deadline=None)
@given(objects, st.data())
def test_the_beginning_of_a_text_is_never_completed(value: dict[str, Any], data: st.DataObject) -> None:
    text = Careless(data).whole(value)
    length = data.draw(st.integers(1, len(text)))
    try:
        read, _ = read_arguments(text[:length])
    except RefusedError:
        return
    if not text[:length].isspace():
        assert read == value


printable = st.text(alphabet=st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=8)


@given(
    st.dictionaries(
        printable,
        st.recursive(
            st.none() | st.booleans() | st.integers() | printable,
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(printable, inner, max_size=3),
            max_leaves=6,
        ),
        max_size=3,
    )
)
def test_the_repr_of_a_json_object_is_read_as_that_object(value: dict[str, Any]) -> None:
    assert read_arguments(repr(value))[0] == value


# Without `\\/`, which is a slash in JSON and two characters in Python.
python_parts = st.sampled_from(
    [*"{}[]:,'\"\\ \n\t#*`-.0ax", "'a'", '"b"', "'c': ", '"d": ', "True", "None", "1, ", "{}"]
)


@given(st.lists(python_parts, max_size=12).map("".join))
@example("'a': [1, True, None,], \"b\": '\\'', # x\n")
@example("'a' 'b': 1")
@example("'a': ('b')")
@example("'a': 1_0")
def test_text_that_python_can_evaluate_is_read_as_the_same_value(inner: str) -> None:
    text = f"{{{inner}}}"
    try:
        with warnings.catch_warnings(action="ignore"):  # escapes that Python is about to refuse
            value = ast.literal_eval(text)
        read, _ = read_arguments(text)
    except (ValueError, SyntaxError, TypeError):
        return
    assert json.dumps(read) == json.dumps(value)


@given(objects, st.sampled_from([None, 0, 1, 4]), st.booleans())
def test_valid_json_is_read_without_a_repair(value: dict[str, Any], indent: int | None, ascii: bool) -> None:
    assert read_arguments(json.dumps(value, indent=indent, ensure_ascii=ascii)) == (value, ())


parts = st.sampled_from(
    [
        *"{}[]:,'\"\\ \n\t/#*`-.0a$",
        "```json\n",
        "//",
        "/*",
        "*/",
        "True",
        "None",
        "NaN",
        '"a"',
        "'b'",
        "a:",
        "1e9",
        "\ud800",
        "\x00",
    ]
)


@given(
    st.text()
    | st.lists(parts, max_size=20).map("".join)
    | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)
@example('{"a": "\udcff"}')
@example("{a: '\udcff'}")
@example("\udcff")
def test_any_text_is_read_or_refused_with_a_message_that_can_be_encoded(text: str) -> None:
    try:
        read, repairs = read_arguments(text)
    except RefusedError as error:
        said = str(error)
        assert len(said) < 500
        assert said.encode()
        return
    assert json.loads(json.dumps(read, allow_nan=False)) == read
    assert repairs or read == json.loads(text)

"""Answers of models: which are read, and which are refused."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fcregistry import Problem
from fcregistry.prompts import OutputError, OutputFormat


class Color(Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Step:
    name: str
    arguments: dict[str, Any]


ANYTHING: OutputFormat[Any] = OutputFormat(dict[str, Any])
POINT = OutputFormat(Point)
POINTS = OutputFormat(list[Point])
AS_YAML: OutputFormat[Any] = OutputFormat(dict[str, Any], syntax="yaml")


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1, "y": 2}',
        '\n  {"x": 1,\n  "y": 2}\n',
        '```json\n{"x": 1, "y": 2}\n```',
        '```\n{"x": 1, "y": 2}\n```',
        '```JSON\n{"x": 1, "y": 2}\n```',
        '````json\n{"x": 1, "y": 2}\n````',
        '```json{"x": 1, "y": 2}```',
        'Sure!\n\n```json\n{"x": 1, "y": 2}\n```\nIs there {anything} else?',
        'So {"x": 0} becomes:\n```JSON\n{"x": 1, "y": 2}\n```',
        'The point is {"x": 1, "y": 2}, as you (and [I]) know.',
        '```json\n{"x": 1, "y": 2}',
        '{"x": 1, "y": 2}\n```}',
        '```json\n{"x": 1, "y": 2}\n```}',
        'From [1] and [2, 3]: {"x": 1, "y": 2}',
        'With {"x": 0} in mind:\n```json\n{"x": 1, "y": 2}\n```',
        '{"x": 1, "y": 2}\nAgain:\n{"y": 2, "x": 1}',
        'It lies in [0, 1) and "so on.\n```json\n{"x": 1, "y": 2}\n```',
        '```python\nprint({"x": 3})\n```\n{"x": 1, "y": 2}',
        '```python\n{"x": 3}\n```\n```json\n{"x": 1, "y": 2}\n```',
        '<think>\n{"x": 3}\n</think>\n{"x": 1, "y": 2}',
        'Is it {"x": 3}? No.\n</think>\n\n{"x": 1, "y": 2}',
    ],
)
def test_the_value_is_found_anywhere_in_the_answer(text: str) -> None:
    assert POINT.parse(text) == Point(1, 2)
    assert POINT.read(text).repairs == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{'x': 1, 'y': 2}", "the JSON had single quotes that JSON does not know: taken as JSON writes them"),
        ('{"x": 1, "y": 2,}', "the JSON had trailing commas: left out"),
        ('Well: {x: 1, "y": 2}', "the JSON had names without quotes: taken as quoted"),
        ('```json\n{"x": 1, // it\'s "one"\n "y": 2}\n```', "the JSON had comments: left out"),
    ],
)
def test_slips_with_one_reading_are_repaired_and_reported(text: str, said: str) -> None:
    reading = POINT.read(text)
    assert (reading.value, reading.repairs) == (Point(1, 2), (said,))


@pytest.mark.parametrize(
    ("inside", "meant"),
    [
        ("a } and { b", "a } and { b"),
        ('an escaped \\" and }', 'an escaped " and }'),
        ("```bash\\nls }\\n```", "```bash\nls }\n```"),
        ("```bash\nls ]}\n```", "```bash\nls ]}\n```"),
        ("Li\\'s pet", "Li's pet"),
        ("</think>", "</think>"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "So be it:\n```json\n{}\n```\nDone.", "[1] {} [2]"])
def test_brackets_fences_and_quotes_in_strings_are_text(inside: str, meant: str, around: str) -> None:
    text = around.replace("{}", f'{{"v": "{inside}"}}')
    if inside == "</think>" and text.startswith(("So", "[1]")):
        text = text.removeprefix("So be it:\n").removeprefix("[1] ")
    assert ANYTHING.parse(text) == {"v": meant}


def test_a_value_ends_where_its_bracket_closes() -> None:
    assert ANYTHING.parse('{"a": "}"} trailing x') == {"a": "}"}


def test_two_actions_in_a_fenced_array_keep_their_quotes() -> None:
    text = """```json\n[{"action": "search(query='something')"}, {"action": "finish(answer=\\"it's\\")"}]\n```"""
    output = OutputFormat(list[dict[str, str]])
    assert output.parse(text) == [{"action": "search(query='something')"}, {"action": 'finish(answer="it\'s")'}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It is sunny.", '$: has no JSON, only "It is sunny."; write the answer as JSON'),
        (
            "It is sunny. " * 20,
            f'$: has no JSON, only "{"It is sunny. " * 4}It is s… (261 characters); write the answer as JSON',
        ),
        ("", "$: has no JSON; write the answer as JSON"),
        (
            '```notjson\n{"x": 1}\n```',
            '$: has no JSON, only "```notjson\\n{\\"x\\": 1}\\n```"; write the answer as JSON',
        ),
        ('<think>Perhaps {"x": 1}? I had better', "$: has no JSON; write the answer as JSON"),
        ('{"x": 1, "y":', "$: is cut off before it is complete; write all of it again, shorter if need be"),
        ('{"x": {"x": 1}', "$: is cut off before it is complete; write all of it again, shorter if need be"),
        ('{"x": 1}\n{"x": 2, "y', "$: is cut off before it is complete; write all of it again, shorter if need be"),
        ('```json\n{"x": 1, "y": 2', "$: is cut off before it is complete; write all of it again, shorter if need be"),
        ('{"x": 1 /* it is', "$: is cut off before it is complete; write all of it again, shorter if need be"),
        ('{x: {"x": 1, "y": 2}', "$: is cut off before it is complete; write all of it again, shorter if need be"),
        (
            '{"x": 1 "y": 2}',
            '$: is not valid JSON: Expecting \',\' delimiter at character 9, near "{\\"x\\": 1 \\"y\\": 2}"',
        ),
        ('{"x": [1}, "y": 2}', '$: has brackets that do not match: a } comes too early, near "{\\"x\\": [1}"'),
        ('{"x": 1, "x": 2}', '$: must be valid JSON: the name "x" occurs twice in one object'),
        ('{"x": NaN}', "$: must be valid JSON: NaN is not a JSON number"),
        ('{"x": 1e999}', "$: must be valid JSON: a number is too large for JSON to carry (it is not finite)"),
        ("[" * 150 + "]" * 150, "$: is nested too deeply: at most 100 levels"),
        ('{"x": 1} or {"x": 2}', "$: has 2 values, and each could be the answer; write one"),
        ('{"x": 1}' * 101, "$: has more than 100 JSON values; write one"),
        (
            '```json\n{"x": 1}\n```\n' + "[1\n```json\n```\n" * 4,
            "$: has more than 3 JSON values that do not end; write one",
        ),
        ('{"x": "1"}', '$.x: must be an integer, not "1"'),
        ('[{"x": 1}]', '$: must be an object, not [{"x": 1}]'),
        ('{"a": 1} {"x": 1, "z": 2}', '$.z: is not a known name; the known ones are "x", "y"'),
        (
            '```json\n{"x": 1}\n```\n```json\n{"x" 2}\n```',
            '$: is not valid JSON: Expecting \':\' delimiter at character 6, near "{\\"x\\" 2}"',
        ),
    ],
)
def test_the_reasons_of_a_refused_answer_are_worded_for_the_model(text: str, said: str) -> None:
    reading = POINT.read(text)
    assert [str(problem) for problem in reading.problems] == [said]
    assert not reading.ok
    assert reading.value is None


@pytest.mark.parametrize("fence", ["```json\n[", "```json\n```\n["])
def test_brackets_without_an_end_before_code_blocks_are_not_searched_again_and_again(fence: str) -> None:
    def count_lines(blocks: int) -> int:
        """Return how many lines of code run while an answer with some blocks is read."""
        count = 0

        def add(frame: object, event: str, argument: object) -> Any:
            nonlocal count
            count += event == "line"
            return add

        before = sys.gettrace()
        sys.settrace(add)
        try:
            POINT.read((fence + '"",' * 20 + "\n") * blocks)
        finally:
            sys.settrace(before)
        return count

    assert count_lines(80) < 5 * count_lines(20)


def test_the_error_can_be_sent_back_as_it_is() -> None:
    with pytest.raises(OutputError) as caught:
        POINT.parse('{"x": "1", "z": 2}')
    assert str(caught.value) == (
        "Your answer is not of the form that was asked for:\n"
        '- $.x: must be an integer, not "1"\n'
        '- $.z: is not a known name; the known ones are "x", "y"\n'
        "Write all of it again."
    )
    assert caught.value.problems == POINT.read('{"x": "1", "z": 2}').problems
    assert str(POINT.read('{"x": "1", "z": 2}').error) == str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert POINT.read('{"x": 1}').error is None


def test_a_rule_that_no_schema_expresses_is_a_problem_too() -> None:
    @dataclass
    class Span:
        start: date
        end: date

        def __post_init__(self) -> None:
            if self.end < self.start:
                raise ValueError("the end comes before the start")

    output = OutputFormat(list[Span])
    reading = output.read('[{"start": "2026-02-01", "end": "2026-01-01"}]')
    assert reading.problems == (Problem("$[0]", "Span refuses it: ValueError: the end comes before the start"),)


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ('[{"x": 1}]', [Point(1)], ()),
        ("[]", [], ()),
        ('{"x": 1}', [Point(1)], ("the answer was one item where an array is due: taken as an array of it",)),
        (
            '```json\n{"x": 1}\n```\nand\n```json\n{"x": 2}\n```',
            [Point(1), Point(2)],
            ("the answer was several items where an array is due: taken as an array of them",),
        ),
        (
            '{"x": 1}\n{"x": 2,}\n',
            [Point(1), Point(2)],
            (
                "the JSON had trailing commas: left out",
                "the answer was several items where an array is due: taken as an array of them",
            ),
        ),
    ],
)
def test_items_are_a_list_where_a_list_is_asked_for(text: str, value: list[Point], repairs: tuple[str, ...]) -> None:
    reading = POINTS.read(text)
    assert (reading.value, reading.repairs, reading.problems) == (value, repairs, ())


def test_items_are_not_a_list_if_another_value_is_valid_or_an_item_is_missing() -> None:
    either: OutputFormat[Any] = OutputFormat(list[Point] | int)
    assert not either.read('{"x": 1}').ok
    assert not POINTS.read('{"x": 1} {"x": ').ok
    assert not POINTS.read('[{"x": 1}] or [{"x": 2}]').ok
    assert [str(each) for each in POINTS.read('{"x": 1} {"y": 2}').problems] == ["$[1].x: is required"]


def test_numbers_keep_their_digits_for_decimals() -> None:
    output = OutputFormat(dict[str, Decimal])
    assert output.parse('So: {"a": 0.10000000000000000000001}') == {"a": Decimal("0.10000000000000000000001")}
    assert OutputFormat(dict[str, Decimal], syntax="yaml").parse("a: 0.10") == {"a": Decimal("0.10")}


# --- YAML -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ("x: 1\ny: [a, b]\n", ()),
        ("---\nx: 1\ny: [a, b]\n", ()),
        ("```yaml\nx: 1\ny: [a, b]\n```", ()),
        ("```yml\nx: 1\ny:\n- a\n- b\n```", ()),
        ("```\nx: 1\ny: [a, b]\n```", ()),
        ('```json\n{"x": 1, "y": ["a", "b"]}\n```', ()),
        ('{"x": 1, "y": ["a", "b"]}', ()),
        ("Here you are:\n```yaml\nx: 1\ny: [a, b]\n```\nAnything else?", ()),
        ("```bash\nls: x\n```\n```yaml\nx: 1\ny: [a, b]\n```", ()),
        ("1. Here:\n   ```yaml\n   x: 1\n   y: [a, b]\n   ```\n2. Done.", ()),
        ("```yaml\nx: 1\ny: [a, b]", ("the code block was not closed: taken up to the end",)),
        ("<think>x: 2</think>\nx: 1\ny: [a, b]", ()),
    ],
)
def test_yaml_is_the_same_mapping_however_it_is_fenced(text: str, repairs: tuple[str, ...]) -> None:
    reading = AS_YAML.read(text)
    assert (reading.value, reading.repairs) == ({"x": 1, "y": ["a", "b"]}, repairs)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("v: no", "no"),
        ("v: 12:30", "12:30"),
        ("v: 2026-01-31", "2026-01-31"),
        ("v: 1_000", "1_000"),
        ("v: '12'", "12"),
        ("v: +12", 12),
        ("v: 1.5e3", 1500.0),
        ("v: .5", 0.5),
        ("v: true", True),
        ("v: ~", None),
        ("v:", None),
        ("v: |\n  ```bash\n  ls\n  ```\n", "```bash\nls\n```\n"),
        ("v: {1: a}", {"1": "a"}),
    ],
)
def test_a_scalar_of_yaml_has_one_reading(text: str, value: object) -> None:
    assert AS_YAML.parse(text) == {"v": value}
    assert AS_YAML.parse(f"```yaml\n{text}\n```") == {"v": value}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &x 1\nb: *x", "has an alias at line 2; write the value itself"),
        ("a: 1\na: 2", 'has the name "a" twice in one mapping at line 2'),
        ("a: !secret x", 'has the tag "!secret" at line 1; write the value without a tag'),
        ("b:\n  a: !!str 5", 'has the tag "tag:yaml.org,2002:str" at line 2; write the value without a tag'),
        ("a: ! 5", 'has the tag "!" at line 1; write the value without a tag'),
        ("!!set {a}", 'has the tag "tag:yaml.org,2002:set" at line 1; write the value without a tag'),
        ("? [a]\n: 1", "has a name that is not text at line 1"),
        ("a: 1e999", "has a number that is not finite at line 1"),
        ("a: 1\n b: 2", "is not valid YAML: mapping values are not allowed here at line 2, column 3"),
        ("a: \x00", "is not valid YAML: special characters are not allowed"),
        ("[" * 102 + "]" * 102, "is nested too deeply: at most 100 levels"),
        ("[" * 500, "is nested too deeply: at most 100 levels"),
        ("a" * 200_001, "is too long: at most 200000 characters of YAML are read"),
        ("a: 1\n---\na: 2", "is not valid YAML: but found another document at line 2, column 1"),
        ("Sure, I will.", 'must be an object, not "Sure, I will."'),
    ],
)
def test_yaml_of_more_than_one_reading_is_refused(text: str, said: str) -> None:
    [problem] = AS_YAML.read(text).problems
    assert problem == Problem("$", said)


# --- for all --------------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
shapes = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
noise = st.text("{}[]\"'`\\:,/*#- \nxj1", max_size=40)


@settings(max_examples=50)
@given(
    value=st.dictionaries(texts, shapes, max_size=3),
    prose=st.sampled_from(["", "Sure.\n", "So it is: "]),
    indent=st.sampled_from([None, 2]),
)
def test_json_is_read_back_bare_and_fenced(value: dict[str, Any], prose: str, indent: int | None) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
        if "</think>" in text:
            continue
        assert ANYTHING.parse(f"{prose}{text}") == value
        assert ANYTHING.parse(f"{prose}\n```json\n{text}\n```\nDone.") == value


@settings(max_examples=50)
@given(value=st.dictionaries(texts, shapes, max_size=3))
@example(value={"a": "1e3", "b": "no", "c": "~", "d": "true", "e": "1.5", "f": "12", "g": "", "h": " x "})
@example(value={"a": "x\x85y", "b": "\u2028", "c": "\ufeff", "d": "two\nlines ", "e": "a" * 300 + " " + "b" * 300})
@example(value={"1e3": {"no": 1e100, "-": -0.5}})
@example(value={"a": "...", "b": ["wait..."]})
def test_examples_are_read_as_they_are_shown(value: dict[str, Any]) -> None:
    for output in (
        OutputFormat(dict[str, Any], examples=[value], template="$schema\n$examples"),
        OutputFormat(dict[str, Any], examples=[value], template="$schema\n$examples", syntax="yaml"),
    ):
        shown = output.instructions()
        assert output.parse(shown[shown.rindex("\n```", 0, shown.rindex("\n```")) :]) == value


@settings(max_examples=50)
@given(text=noise)
@example(text="[" * 200 + '"')
@example(text="```\n```\n```{")
def test_no_text_raises(text: str) -> None:
    for output in (ANYTHING, POINTS, AS_YAML):
        assert output.read(text) == output.read(text)


@settings(max_examples=50)
@given(value=st.dictionaries(texts, shapes, min_size=1, max_size=3), data=st.data())
def test_json_that_is_cut_off_is_never_read(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert not ANYTHING.read(cut).ok
    assert not ANYTHING.read(f"```json\n{cut}").ok


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        (Literal["red", "dark red"], "dark red", "dark red"),
        (Color, " red\n", Color.RED),
        (date, "<think>It was</think>\n2024-02-29", date(2024, 2, 29)),
        (str | None, "Oslo, I think", "Oslo, I think"),
        (str | None, "null", None),
        (int | str, "42", 42),
    ],
)
def test_text_without_quotes_is_the_text_that_it_is_where_nothing_else_can_be_meant(
    type: Any, text: str, value: object
) -> None:
    reading = OutputFormat(type).read(text)
    assert (reading.value, reading.problems) == (value, ())
    said = "the answer was text without quotes: taken as the text that it is"
    assert reading.repairs == ((said,) if isinstance(value, (str, date, Color)) else ())


@pytest.mark.parametrize(
    ("type", "text"),
    [
        (Literal["red"], "It is red."),
        (Literal["red"], "Red"),
        (date, "2024-02-30"),
        (str | None, ""),
        (str | list[str], "red"),
        (object, "I do not know"),
        (int, "two"),
    ],
)
def test_other_text_without_quotes_is_not_an_answer(type: Any, text: str) -> None:
    quoted = f', only "{text}"' if text else ""
    assert str(OutputFormat(type).read(text).problems[0]) == f"$: has no JSON{quoted}; write the answer as JSON"


# --- repairs that are switched off -------------------------------------------------------------------------------

MISTAKES: dict[str, tuple[Any, str]] = {
    "comments": (list[int], "[1, /* two */ 2]"),
    "trailing-commas": (list[int], "[1,]"),
    "single-quotes": (list[str], "['a']"),
    "unquoted-names": (dict[str, int], "{a: 1}"),
    "raw-control-characters": (list[str], '["a\tb"]'),
    "python-literals": (list[bool], "[True]"),
    "missing-quotes": (date, "2024-02-29"),
    "items-as-array": (list[dict[str, int]], '{"a": 1}'),
    "missing-commas": (list[int], "[1 2]"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_each_repair_can_be_switched_on_and_off(name: str) -> None:
    of_type, text = MISTAKES[name]
    assert OutputFormat(of_type, repairs={name}).read(text).repairs
    assert OutputFormat(of_type).read(text).ok is (name != "missing-commas")
    for repairs in (False, MISTAKES.keys() - {name}):
        assert not OutputFormat(of_type, repairs=repairs).read(text).ok


def test_a_yaml_block_that_is_not_closed_can_be_refused() -> None:
    text = "```yaml\na: 1"
    assert OutputFormat(dict[str, int], syntax="yaml").parse(text) == {"a": 1}
    (problem,) = OutputFormat(dict[str, int], syntax="yaml", repairs=False).read(text).problems
    assert str(problem) == "$: has a code block that is not closed; write all of it again"


def test_a_repair_of_an_answer_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(
        ValueError, match=r"there is no repair 'fences'; the repairs are comments, items-as-array, .*missing-commas$"
    ):
        OutputFormat(int, repairs=["fences"])

"""Instructions for an answer of a type, and definitions that are refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NotRequired

import attrs
import msgspec
import pydantic
import pytest
from typing_extensions import TypeAliasType, TypedDict

import fcregistry
from fcregistry._base.install import install_command
from fcregistry.errors import DefinitionError
from fcregistry.prompts import OutputFormat

Nested = TypeAliasType("Nested", "list[Nested] | int")


@dataclass
class Answer:
    """An answer.

    Attributes:
        text: What to say.
        certainty: How sure you are.
        thought: Why.
    """

    text: str
    certainty: Literal["low", "high"] = "low"
    thought: str = ""


@dataclass
class Tree:
    name: str
    below: list[Tree] = field(default_factory=list)
    note: str = ""


@dataclass
class Report:
    title: str
    answers: list[Answer]
    first: Answer | None = None


class Typed(TypedDict):
    text: str
    thought: NotRequired[str]


@attrs.define
class Defined:
    text: str
    thought: str = ""


class Struct(msgspec.Struct):
    text: str
    thought: str = ""


class Model(pydantic.BaseModel):
    text: str
    thought: str = ""


SCHEMA = (
    '{"type": "object", "properties": {"text": {"type": "string", "description": "What to say."}, '
    '"certainty": {"type": "string", "enum": ["low", "high"], "description": "How sure you are.", "default": "low"}}, '
    '"required": ["text"], "additionalProperties": false}'
)


def test_the_instructions_show_the_schema_and_the_examples_without_the_fields_that_are_left_out() -> None:
    output = OutputFormat(
        Answer, exclude=("thought",), examples=[Answer("Yes, it costs $5.", "high", "a secret thought")]
    )
    assert output.instructions() == (
        "Answer with JSON that is valid against this JSON Schema:\n\n"
        f"```json\n{SCHEMA}\n```\n\n"
        "Write the JSON itself, not its schema, in a code block that begins with ```json, and nothing else.\n\n"
        "For example:\n\n"
        '```json\n{"text": "Yes, it costs $5.", "certainty": "high"}\n```'
    )


def test_a_list_is_asked_for_also_of_one() -> None:
    assert "Always write an array, also for one item." in OutputFormat(list[Answer]).instructions()
    assert "Always write an array" not in OutputFormat(Answer).instructions()


def test_yaml_is_asked_for_and_shown_as_yaml() -> None:
    output = OutputFormat(Answer, syntax="yaml", exclude=("thought", "certainty"), examples=[Answer("no")])
    assert output.instructions() == (
        "Answer with YAML that is valid against this JSON Schema:\n\n"
        "```yaml\ntype: object\nproperties:\n  text:\n    type: string\n    description: What to say.\n"
        "required:\n- text\nadditionalProperties: false\n```\n\n"
        "Write the YAML itself, not its schema, in a code block that begins with ```yaml, and nothing else. "
        "Put a text in quotes where it could be read as a number, as true or false, or as null.\n\n"
        "For example:\n\n```yaml\ntext: 'no'\n```"
    )


@pytest.mark.parametrize("record", [Answer, Typed, Defined, Struct, Model])
def test_every_kind_of_record_can_be_asked_for(record: Any) -> None:
    output = OutputFormat(record, exclude=["thought"], examples=[record(text="Hi")])
    assert next(iter(output.schema["properties"])) == "text"
    assert "thought" not in output.instructions()
    value = output.parse('{"text": "Hello"}')
    assert value == record(text="Hello")
    assert not output.read('{"text": "Hello", "thought": "hm"}').ok


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (int, "```json\n42\n```", 42),
        (str, '"yes"', "yes"),
        (list[date], '["2026-01-31"]', [date(2026, 1, 31)]),
        (dict[str, int], '{"a": 1}', {"a": 1}),
        (Answer | int, "7", 7),
        (Literal["a", "b"], '"b"', "b"),
        (Decimal, "0.1000000000000000000001", Decimal("0.1000000000000000000001")),
        (None, "null", None),
    ],
)
def test_any_type_with_a_json_form_can_be_asked_for(annotation: Any, text: str, value: object) -> None:
    output: OutputFormat[Any] = OutputFormat(annotation, examples=[value])
    assert output.parse(text) == value
    assert output.read(text).ok


def test_fields_are_left_out_inside_of_lists_unions_and_other_records() -> None:
    listed = OutputFormat(list[Answer], exclude=("thought",))
    assert list(listed.schema["items"]["properties"]) == ["text", "certainty"]
    nested = OutputFormat(Report, exclude="answers.thought", examples=[Report("t", [Answer("a", "low", "hm")])])
    assert '"thought"' not in nested.instructions()
    either: OutputFormat[Any] = OutputFormat(Answer | Defined | int, exclude=("thought",))
    assert "thought" not in either.instructions()
    pair = OutputFormat(tuple[Answer, Tree], exclude=("thought", "note"), examples=[(Answer("a"), Tree("b"))])
    assert '[{"text": "a", "certainty": "low"}, {"name": "b", "below": []}]' in pair.instructions()


def test_a_field_of_a_record_that_recurs_is_left_out_at_every_depth() -> None:
    tree = OutputFormat(Tree, exclude=("note",), examples=[Tree("a", [Tree("b", note="x")], note="y")])
    assert "note" not in tree.instructions()
    assert '{"name": "a", "below": [{"name": "b", "below": []}]}' in tree.instructions()


def test_further_fields_of_a_record_are_kept() -> None:
    class Open(pydantic.BaseModel, extra="allow"):
        x: int
        y: int = 0

    opened = OutputFormat(Open, exclude=("y",), examples=[Open.model_validate({"x": 1, "y": 2, "z": 3})])
    assert '{"x": 1, "z": 3}' in opened.instructions()


def test_a_type_that_recurs_without_records_has_no_fields_to_leave_out() -> None:
    with pytest.raises(DefinitionError, match="there is no field 'a'; there are no fields"):
        OutputFormat(Nested, exclude=("a",))


def test_the_schema_is_a_copy() -> None:
    output = OutputFormat(Answer)
    output.schema["properties"].clear()
    assert output.read('{"text": 1}').problems[0].path == "$.text"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"exclude": ["text"]}, "exclude: the field 'text' has no default, so that no value can be made without it"),
        ({"exclude": ["tone"]}, "exclude: there is no field 'tone'; the fields there are certainty, text, thought"),
        ({"exclude": ["text.tone"]}, "exclude: there is no field 'text.tone'; there are no fields"),
        ({"examples": ["Yes"]}, "examples[0] is of the Python type str, or holds what does not fit"),
        (
            {"examples": [Answer("a"), Answer("b", "medium")]},  # type: ignore[arg-type]
            'examples[1]: $.certainty: must be one of "low", "high", not "medium"',
        ),
        (
            {"template": "$schema costs $5\n$tools"},
            "line 1: a $ that does not begin a placeholder; write $$ for a dollar sign",
        ),
        ({"template": "$schema\n$tools"}, "$tools is not known; here there are $schema"),
        ({"template": "Say it."}, "$schema is missing: its text would not be shown"),
        (
            {"template": "$schema", "examples": [Answer("a")]},
            "$examples is missing: its text would not be shown",
        ),
    ],
)
def test_wrong_arguments_raise_at_definition(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        OutputFormat(Answer, **arguments)
    assert said in caught.value.problems


def test_a_type_without_a_json_form_is_refused() -> None:
    with pytest.raises(
        DefinitionError, match="complex cannot be an output format:\n  - complex: JSON has no complex numbers"
    ):
        OutputFormat(complex)
    with pytest.raises(DefinitionError, match="the syntax of an answer is 'json' or 'yaml', not 'xml'"):
        OutputFormat(int, syntax="xml")  # type: ignore[call-overload]
    with pytest.raises(DefinitionError, match="a template is a text with placeholders such as \\$name, not 3"):
        OutputFormat(int, template=3)  # type: ignore[call-overload]


def test_an_instance_or_a_schema_is_not_a_type() -> None:
    @dataclass
    class Order:
        number: int

    for given, problem in (
        (Order(1), "it is an instance; pass the class, Order"),
        (
            {"type": "object"},
            "it is a mapping; pass a Python type, such as a TypedDict or a dataclass, and not a JSON Schema",
        ),
    ):
        with pytest.raises(DefinitionError) as caught:
            OutputFormat(given)
        assert caught.value.problems == (problem,)


def test_an_example_that_cannot_be_written_is_refused() -> None:
    class Broken:
        @property
        def text(self) -> str:
            raise OSError("the disk is gone")

    broken: Any = Broken.__new__(type("BrokenAnswer", (Broken, Answer), {}))
    with pytest.raises(DefinitionError, match=r"examples\[0\] has no JSON form: the disk is gone"):
        OutputFormat(Answer, examples=[broken])


def test_a_replaced_template_is_the_whole_text() -> None:
    output = OutputFormat(Answer, exclude=["thought"], template="For $$0, as ${schema}.")
    assert output.instructions() == f"For $0, as {SCHEMA}."
    assert output.template == "For $$0, as ${schema}."


def test_the_own_template_is_a_place_to_begin_with() -> None:
    output = OutputFormat(Answer, examples=[Answer("a")])
    again = OutputFormat(Answer, examples=[Answer("a")], template=output.template)
    assert again.instructions() == output.instructions()


def test_text_in_a_description_or_an_example_is_not_a_placeholder() -> None:
    @dataclass
    class Price:
        """A price.

        Attributes:
            amount: In $currency or ${schema}, $$ or $5.
        """

        amount: str

    text = OutputFormat(Price, examples=[Price("$schema $examples $$")]).instructions()
    assert json.dumps("In $currency or ${schema}, $$ or $5.") in text
    assert '{"amount": "$schema $examples $$"}' in text


def test_the_repr_names_the_type() -> None:
    assert repr(OutputFormat(list[int])) == "<OutputFormat list[int]>"


def test_yaml_without_its_package_says_what_to_install() -> None:
    program = """
import sys
sys.modules["yaml"] = None  # so that Python does not find it
from fcregistry.prompts import OutputFormat, ToolPrompt
assert OutputFormat(int).parse("1") == 1
try:
    OutputFormat(int, syntax="yaml")
except ImportError as error:
    print(type(error).__name__, error)
"""
    folder = str(Path(fcregistry.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"MissingDependencyError YAML needs PyYAML: {install_command('fcregistry[yaml]')}\n"

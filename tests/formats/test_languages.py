"""Tools declared in Python and in TypeScript, for prompts."""

from __future__ import annotations

import inspect
import re
import sys
import types
import typing
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Literal

import annotated_types as at
import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from fcregistry import Tool, formats

from ..properties.samples import Sample, samples  # noqa: TID252  # the tests are no package
from .shapes import parameters, values

UNTIMED = settings(
    deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@dataclass
class Stop:
    name: Annotated[str, "What it is called."]
    minutes: Annotated[int, at.Ge(0)] = 5


@dataclass
class Node:
    value: int
    below: list[Node] = field(default_factory=list)


@dataclass
class Other:
    name: str
    nodes: list[Other]


Other.__name__ = Other.__qualname__ = "Node"


def plan(
    goal: Annotated[str, "Where to."],
    stops: list[Stop],
    mode: Literal["bus", "tram"] = "bus",
    days: Annotated[int, at.Gt(0), "For\nhow long."] = 1,
    day: date | None = None,
    *labels: str,
    **limits: float,
) -> Stop:
    """Plan a journey.

    Over several stops.
    """
    return stops[0]


def grow(tree: Node, path: tuple[int, str] = (0, "")) -> Node:
    """Grow a tree."""
    return tree


def nothing() -> None: ...


def take(**given: Any) -> None: ...


ODD = Tool.from_function(
    take,
    name="class",
    description='Say """hello""" \\ and "bye"',
    parameters={
        "properties": {
            "content-type": {"type": "string", "description": "A kind. // */\u2028'''"},
            "import": {"type": "integer", "default": 3},
            "b": {"anyOf": [{"enum": ['q"', "\u2028", 1.5, None]}, {"type": "array", "items": {"enum": ["a", "b"]}}]},
            "others": {"type": "object"},
        },
        "required": ["import", "others"],
        "additionalProperties": {"type": "number"},
    },
)


def said(function: Any, format_name: str) -> str:
    return str(Tool.from_function(function).definition(format_name))


def test_the_comment_on_a_default_begins_a_sentence_after_a_sentence() -> None:
    fields = {
        "place": {"type": "string", "description": "Where it is.", "default": "on_shelf"},
        "size": {"type": "integer", "description": "How big", "default": 3},
        "day": {"type": "integer", "default": 1},
    }
    book = {"type": "object", "properties": fields, "required": [], "additionalProperties": False}
    tool = Tool.from_function(take, parameters={"properties": {"book": book}, "additionalProperties": False})
    comments = re.findall("# .*", str(tool.definition("python")))
    assert comments == ['# Where it is. Default: "on_shelf"', "# How big, default: 3", "# default: 1"]


def test_python() -> None:
    assert said(plan, "python") == (
        "class Stops(TypedDict):\n"
        "    name: str  # What it is called.\n"
        "    minutes: NotRequired[int]  # (minimum: 0), default: 5\n"
        "\n\n"
        "def plan(\n"
        "    goal: str,\n"
        "    stops: list[Stops],\n"
        '    mode: Literal["bus", "tram"] = "bus",\n'
        "    days: int = 1,\n"
        "    day: str | None = None,\n"
        "    labels: list[str] = ...,\n"
        "    **others: float,\n"
        ") -> Stops:\n"
        '    """Plan a journey.\n'
        "\n"
        "    Over several stops.\n"
        "\n"
        "    Args:\n"
        "        goal: Where to.\n"
        "        days: For how long. (exclusiveMinimum: 0)\n"
        '    """'
    )
    assert said(nothing, "python") == "def nothing() -> None:\n    ..."


def test_python_names_what_refers_to_itself() -> None:
    assert said(grow, "python") == (
        "class Node(TypedDict):\n"
        "    value: int\n"
        "    below: NotRequired[list[Node]]\n"
        "\n\n"
        'def grow(tree: Node, path: tuple[int, str] = [0, ""]) -> Node:\n'
        '    """Grow a tree."""'
    )


def test_python_takes_names_that_are_not_identifiers() -> None:
    assert ODD.definition("python") == (
        'Others = TypedDict("Others", {"content-type": "NotRequired[str]", "import": "int"})\n'
        "\n\n"
        "def _x63_lass(\n"
        "    *,\n"
        '    b: Literal["q\\"", "\u2028", 1.5] | None | list[Literal["a", "b"]] = ...,\n'
        "    others: dict[str, Any],\n"
        "    **others_: Unpack[Others],\n"
        "):\n"
        '    """Say \\"\\"\\"hello\\"\\"\\" \\\\ and "bye"\n'
        "\n"
        "    Args:\n"
        "        content-type: A kind. // */ '''\n"
        '    """'
    )


def test_python_keeps_names_that_a_class_would_mangle() -> None:
    schema = {"properties": {"a": {"properties": {"__x": {"type": "string"}}}}, "additionalProperties": False}
    text = Tool.from_function(take, parameters=schema).definition("python")

    assert text.startswith('A = TypedDict("A", {"__x": "NotRequired[str]"})')


def swap(node: Node) -> Other:
    """Take one kind of node, and give another."""
    return Other("", [])


@pytest.mark.parametrize(
    ("format_name", "names"), [("python", ("Node", "Node2")), ("typescript", ("swap$Node", "swap$result$Node"))]
)
def test_two_types_of_one_name_stay_two(format_name: str, names: tuple[str, str]) -> None:
    text = said(swap, format_name)

    assert [bool(re.search(rf"{re.escape(name)}\W", text)) for name in names] == [True, True]
    assert tuple(word for word in ("value", "nodes") if text.count(word) == 1) == ("value", "nodes")


def test_typescript() -> None:
    assert said(plan, "typescript") == (
        "// Plan a journey.\n"
        "//\n"
        "// Over several stops.\n"
        "type plan = (_: {\n"
        "// Where to.\n"
        "goal: string,\n"
        "stops: {\n"
        "// What it is called.\n"
        "name: string,\n"
        "minutes?: number, // default: 5, integer, minimum: 0\n"
        "}[],\n"
        'mode?: "bus" | "tram", // default: "bus"\n'
        "// For\n"
        "// how long.\n"
        "days?: number, // default: 1, integer, exclusiveMinimum: 0\n"
        "day?: string | null, // default: null\n"
        "labels?: string[],\n"
        "} & {[name: string]: number}) => {\n"
        "// What it is called.\n"
        "name: string,\n"
        "minutes?: number, // default: 5, integer, minimum: 0\n"
        "};"
    )
    assert said(nothing, "typescript") == "type nothing = () => null;"
    assert Tool.from_function(take, name="take", parameters={"additionalProperties": False}).definition(
        "typescript"
    ) == ("type take = () => any;")


def test_typescript_names_what_refers_to_itself_by_its_tool() -> None:
    assert said(grow, "typescript") == (
        "type grow$Node = {\n"
        "value: number, // integer\n"
        "below?: grow$Node[],\n"
        "};\n"
        "\n"
        "// Grow a tree.\n"
        "type grow = (_: {\n"
        "tree: grow$Node,\n"
        'path?: [number, string], // default: [0, ""]\n'
        "}) => grow$Node;"
    )


def test_typescript_quotes_names_that_are_not_identifiers() -> None:
    assert ODD.definition("typescript") == (
        '// Say """hello""" \\ and "bye"\n'
        "type _x63_lass = (_: {\n"
        "// A kind. // */\n"
        "// '''\n"
        '"content-type"?: string,\n'
        "import: number, // default: 3, integer\n"
        'b?: "q\\"" | "\\u2028" | 1.5 | null | ("a" | "b")[],\n'
        "others: {[name: string]: any},\n"
        "} & {[name: string]: number}) => any;"
    )


def test_several_functions_of_typescript_are_one_namespace() -> None:
    tools = [Tool.from_function(each) for each in (nothing, take)]

    assert formats.get("typescript").describe(tools) == (
        "namespace functions {\n\n"
        "type nothing = () => null;\n\n"
        "type take = (_: {[name: string]: any}) => null;\n\n"
        "} // namespace functions"
    )


@pytest.mark.parametrize(
    ("format_name", "unsaid"),
    [
        ("python", [("$.properties.day.anyOf[0]", "format")]),
        ("typescript", [("$.properties.day.anyOf[0]", "format")]),
        (
            "text",
            [("$.properties.stops.items.properties.minutes", "minimum"), ("$.properties.days", "exclusiveMinimum")],
        ),
    ],
)
def test_what_a_text_does_not_show_is_reported(format_name: str, unsaid: list[tuple[str, str]]) -> None:
    dropped = Tool.from_function(plan).definition(format_name).dropped
    assert [(each.path, each.keyword) for each in dropped] == unsaid


def test_integers_that_no_comment_is_beside_are_reported_as_left_out() -> None:
    def add(numbers: list[int], many: int | str) -> None: ...

    dropped = Tool.from_function(add).definition("typescript").dropped
    assert [(each.path, each.keyword, each.value) for each in dropped] == [
        ("$.properties.numbers.items", "type", "integer"),
        ("$.properties.many.anyOf[0]", "type", "integer"),
    ]


def typed_tool(sample: Sample) -> Tool:
    def take_one(value):  # type: ignore[no-untyped-def]
        """Take one."""

    take_one.__annotations__ = {"value": sample.annotation}
    return Tool.from_function(take_one)


def executed(tool: Tool) -> Any:
    """Return the function that a tool's Python declaration declares; aliases are statements since Python 3.12."""
    assume(sys.version_info >= (3, 12) or not re.search("^type ", tool.definition("python"), re.MULTILINE))
    module = sys.modules["declared"] = types.ModuleType("declared")
    exec(f"from __future__ import annotations\nfrom typing import *\n{tool.definition('python')}", module.__dict__)
    function = getattr(module, formats.get("python").alphabet.wire_name(tool.name))  # type: ignore[union-attr]
    typing.get_type_hints(function)
    return function


@given(samples)
@settings(UNTIMED, max_examples=100)
def test_every_declaration_in_python_runs_and_names_the_same_parameters(sample: Sample) -> None:
    tool = typed_tool(sample)
    note(tool.definition("python"))
    assert list(inspect.signature(executed(tool)).parameters) == ["value"]


@given(st.data())
@settings(UNTIMED, max_examples=100)
def test_what_a_schema_takes_the_python_of_it_takes_too(data: st.DataObject) -> None:
    schema = data.draw(parameters)
    arguments = data.draw(values(schema))
    tool = Tool.from_function(take, parameters=schema)
    note(tool.definition("python"))
    read_back = Tool.from_function(executed(tool))
    assert read_back.parameters.get("required", []) == schema.get("required", [])
    assert read_back.validator().problems(arguments) == ()


@given(st.one_of(samples.map(typed_tool), parameters.map(lambda schema: Tool.from_function(take, parameters=schema))))
@settings(UNTIMED, max_examples=60)
def test_typescript_names_every_property_and_closes_what_it_opens(tool: Tool) -> None:
    text = re.sub(r'"(\\.|[^"\\])*"|//.*', "", str(tool.definition("typescript")))
    note(text)
    for opening, closing in ("()", "[]", "{}"):
        assert text.count(opening) == text.count(closing)
    for name in tool.parameters["properties"]:
        assert re.search(rf"^{name}\??: ", text, re.MULTILINE)


def test_a_schema_of_an_older_draft_is_read_as_one_of_the_newest() -> None:
    def take(**given: Any) -> None: ...

    properties = {
        "a": {"id": "y", "type": ["integer"], "minimum": 3, "exclusiveMinimum": False},
        "b": {"items": [{"type": "string"}], "additionalItems": {"type": "integer"}},
        "id": {"type": "string"},
    }
    older = {"$schema": "http://json-schema.org/draft-04/schema#", "id": "x", "properties": properties}
    written = Tool.from_function(take, parameters=older).definition("gemini")["parametersJsonSchema"]
    assert written == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 3},
            "b": {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}},
            "id": {"type": "string"},
        },
    }

"""What lint finds. For each rule a tool that breaks it, and a neighbour that does not."""

from __future__ import annotations

import enum
import functools
import importlib.util
import math
import re
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import annotated_types as at
import pytest

from fcregistry import Registry, Tool
from fcregistry.errors import (
    AmbiguousToolError,
    ConfigurationError,
    DefinitionWarning,
    FormatNotFoundError,
    MissingDependencyError,
    ToolNotFoundError,
)
from fcregistry.execution import Content, ToolOutput
from fcregistry.inspection import LINT_RULES, SEVERITIES, LintFinding, lint, tools_beside, tools_to_lint

Function = Callable[..., Any]


def findings(rule: str, *subjects: Function | Tool, **settings: Any) -> list[LintFinding]:
    """Return what one rule finds in functions and tools; all the other rules are run too, and must not raise."""
    tools = [each if isinstance(each, Tool) else Tool.from_function(each) for each in subjects]
    assert rule in LINT_RULES
    return [finding for finding in lint(tools, **settings) if finding.rule == rule]


def said(rule: str, *subjects: Function | Tool, **settings: Any) -> list[tuple[str, str]]:
    """Return path and message of what one rule finds."""
    return [(finding.path, finding.message) for finding in findings(rule, *subjects, **settings)]


def schema_of(**properties: Any) -> dict[str, Any]:
    """Return a closed schema of these properties, none of them required."""
    return {"type": "object", "properties": properties, "additionalProperties": False}


def takes_anything(**arguments: Any) -> None:
    """Take anything."""


def foreign(**schema: Any) -> Tool:
    """Return a tool with a schema of its author's own."""
    return Tool.from_function(takes_anything, parameters=schema)


# --- can it be had? -----------------------------------------------------------------------------------------------


def test_a_tool_that_cannot_be_defined_is_an_error_and_nothing_else_is_said_of_its_schema() -> None:
    def broken(a: complex, b: type, c: str) -> None: ...

    assert said("undefinable", broken) == [
        ("$.properties.a", "it cannot be defined: parameter 'a': complex: JSON has no complex numbers; take two floats, or a dataclass of two"),
        ("$.properties.b", "it cannot be defined: parameter 'b': type: a model cannot write a class; take a name (Literal[…]) and look the class up"),
    ]  # fmt: skip
    assert {finding.rule for finding in lint([Tool.from_function(broken)])} == {"undefinable"}
    assert said("undefinable", takes_anything) == []


def test_two_tools_of_one_owner_group_and_name_are_an_error() -> None:
    def one() -> None: ...

    first, second = Tool.from_function(one, name="same"), Tool.from_function(takes_anything, name="same")
    found = findings("duplicate-tool", first, second)
    assert [finding.tool for finding in found] == ["same", "same"]
    assert "test_lint.takes_anything" in "".join(finding.message for finding in found)
    assert said("duplicate-tool", first, Tool.from_function(takes_anything)) == []


def test_an_alias_that_leads_elsewhere_or_nowhere_is_useless() -> None:
    def one() -> None: ...
    def two() -> None: ...

    first = Tool.from_function(one, aliases=("two", "both", "mine"))
    second = Tool.from_function(two, aliases=("both",))
    assert said("useless-alias", first, beside=[second]) == [
        ("$", "the alias 'both' is one of two too: looking it up raises"),
        ("$", "the alias 'two' is the name of two, which is found first"),
    ]
    assert said("useless-alias", Tool.from_function(one, aliases=("mine", "both"))) == []


def test_a_deprecated_tool_says_what_to_use_instead() -> None:
    def old() -> None:
        """Do it the old way."""

    rule = "deprecated-without-replacement"
    assert said(rule, Tool.from_function(old, deprecated=True)) == [
        ("$", "it is deprecated, and does not say what to use instead")
    ]
    assert said(rule, Tool.from_function(old, deprecated="use new"), old) == []


# --- names --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"), [("get_user", "getUser"), ("get_user", "get-user"), ("getuser", "GET_USER")]
)
def test_names_that_differ_only_in_case_and_strokes_are_confusable(first: str, second: str) -> None:
    tools = [Tool.from_function(takes_anything, name=name) for name in (first, second)]
    assert said("confusable-name", *tools) == [
        ("$", f"its name differs from that of {second if each == first else first} only in case, '-' and '_'")
        for each in sorted([first, second])
    ]


def test_names_are_compared_in_one_group_and_with_others() -> None:
    source = Registry()
    for name, group in (("get_user", "people"), ("getUser", "people"), ("GetUser", "animals"), ("get_users", "people")):
        source.register(takes_anything, name, group=group)
    (user,) = tools_to_lint("get_user", source=source)
    assert said("confusable-name", user, beside=source.everything()) == [
        ("$", "its name differs from that of people.getUser only in case, '-' and '_'")
    ]
    assert said("confusable-name", user) == []


def test_parameters_whose_names_look_alike_are_confusable() -> None:
    def confusing(user_id: int, userId: int, ids: list[int]) -> None: ...  # noqa: N803

    assert said("confusable-parameter", confusing) == [
        ("$.properties.userId", "the names of the parameters 'user_id' and 'userId' differ only in case, '-' and '_'")
    ]


def test_a_name_that_a_format_rewrites_is_worth_a_note() -> None:
    rule = "rewritten-name"
    tools = [Tool.from_function(takes_anything, name=name) for name in ("nine_lives", "9lives")]
    ((path, message),) = said(rule, *tools, format_names=["openai", "gemini", "mcp"])
    assert (path, message) == ("$", "its name is '_x39_lives' in gemini, which does not allow its own")
    assert said(rule, *tools, format_names=["openai", "anthropic"]) == []


# --- descriptions -------------------------------------------------------------------------------------------------


def test_a_tool_without_a_description() -> None:
    def silent(a: int) -> None: ...

    def only_parameters(a: int) -> None:
        """
        Args:
            a: A number.
        """

    rule = "missing-description"
    assert said(rule, silent) == [("$", "it has no description")]
    assert said(rule, only_parameters) == [("$", "it has no description")]
    assert said(rule, takes_anything, Tool.from_function(silent, description="Do it.")) == []


def test_a_description_that_a_provider_refuses_for_its_length() -> None:
    rule = "overlong-description"
    longest, too_long = "x" * 1024, "x" * 1025
    assert said(rule, Tool.from_function(takes_anything, description=longest)) == []
    assert said(rule, Tool.from_function(takes_anything, description=too_long)) == [
        ("$", "its description has 1025 characters, more than 1024")
    ]
    deprecated = Tool.from_function(takes_anything, description=longest, deprecated=True)
    assert len(said(rule, deprecated)) == 1  # what a model is told counts


def test_a_parameter_description_that_is_too_long() -> None:
    rule = "overlong-parameter-description"

    def long(a: Annotated[int, "x" * 1025], b: Annotated[list[Annotated[int, "x" * 1025]], "x" * 1024]) -> None: ...

    assert said(rule, long) == [
        ("$.properties.a", "the description at $.properties.a has 1025 characters, more than 1024"),
        ("$.properties.b.items", "the description at $.properties.b.items has 1025 characters, more than 1024"),
    ]


def test_a_parameter_without_a_description() -> None:
    def half(a: int, b: Annotated[int, "A number."], c: int, *args: int, **kwargs: int) -> None:
        """Do it.

        Args:
            a: A number.
            c:
            **kwargs: More numbers by name.
        """

    def rest(**kwargs: int) -> None:
        """Do it."""

    rule = "undocumented-parameter"
    assert said(rule, half) == [
        ("$.properties.args", "the parameter 'args' has no description"),
        ("$.properties.c", "the parameter 'c' has no description"),
    ]
    assert said(rule, rest) == [
        (
            "$.additionalProperties",
            "the parameter '**kwargs' has no description: nothing says which names it accepts",
        )
    ]


def test_what_a_reference_leads_to_describes_a_parameter() -> None:
    place = {"type": "string", "description": "A city."}
    tool = foreign(
        **schema_of(to={"$ref": "#/$defs/Place"}, at={"$ref": "#/$defs/Nowhere"}),
        **{"$defs": {"Place": place, "Nowhere": {}}},
    )
    assert said("undocumented-parameter", tool) == [("$.properties.at", "the parameter 'at' has no description")]


@dataclass
class Item:
    """Something to order."""

    name: Annotated[str, "What it is called."]
    count: int = 1


def test_a_field_without_a_description_is_worth_a_note() -> None:
    def order(item: Item, items: list[Item]) -> None: ...

    assert said("undocumented-field", order) == [
        (
            "$['$defs'].Item.properties.count",
            "the field 'count' at $['$defs'].Item.properties.count has no description",
        )
    ]


@pytest.mark.parametrize("tag", [{"const": "card"}, {"type": "string", "enum": ["card"]}])
def test_a_field_of_one_value_needs_no_words(tag: dict[str, Any]) -> None:
    """It tells its record from others, and says so itself."""
    pay = {"type": "object", "properties": {"kind": tag, "number": {"type": "string"}}}
    tool = foreign(**schema_of(pay=pay))
    assert [path for path, _ in said("undocumented-field", tool)] == ["$.properties.pay.properties.number"]


def test_a_property_that_is_called_properties_is_not_a_field() -> None:
    tool = foreign(**schema_of(properties={"type": "array", "items": {"type": "string"}}))
    assert said("undocumented-field", tool) == []


def test_a_documented_parameter_that_is_not_there() -> None:
    def renamed(new: int, *rest: int, **more: int) -> None:
        """Do it.

        Args:
            old: A number.
            new: A number.
            *rest: Numbers.
            **more: Numbers by name.
        """

    assert said("unknown-parameter", renamed) == [("$", "its docstring describes 'old', which is not a parameter")]
    given = Tool.from_function(functools.partial(renamed, 1), name="given")
    assert [message for _, message in said("unknown-parameter", given)] == [
        "its docstring describes 'old', which is not a parameter"
    ]


def test_a_docstring_may_describe_the_properties_of_a_schema() -> None:
    def search(**query: Any) -> None:
        """Search.

        Args:
            city: Where.
            day: When.
        """

    tool = Tool.from_function(search, parameters=schema_of(city={"type": "string"}))
    assert said("unknown-parameter", tool) == [("$", "its docstring describes 'day', which is not a parameter")]


def test_a_line_of_a_docstring_that_cannot_be_read() -> None:
    def malformed(a: int) -> None:
        """Do it.

        Args:
            a: A number.
            this line says nothing
        """

    assert said("unread-docstring", malformed) == [
        ("$", "the line 'this line says nothing' of its docstring cannot be read, and is left out")
    ]


class Point(NamedTuple):
    """A point."""

    x: int


def test_a_type_in_the_docstring_that_the_annotation_contradicts() -> None:
    """In every style; types that share some JSON, such as a list and a list of numbers, do not contradict each other."""

    def google(count: int) -> list[int]:
        """Count.

        Args:
            count (str): How many.

        Returns:
            dict: The numbers.
        """
        return []

    def numpy(count: int) -> int:
        """Count.

        Parameters
        ----------
        count : float, optional
            How many.

        Returns
        -------
        str
            The number.
        """
        return 0

    rule = "contradicting-docstring"
    assert said(rule, google) == [
        ("$.properties.count", "its docstring gives 'count' the type 'str', and the annotation is int"),
        ("returns", "its docstring says that it returns 'dict', and the annotation is list[int]"),
    ]
    assert said(rule, numpy) == [("returns", "its docstring says that it returns 'str', and the annotation is int")]


def test_what_a_docstring_may_say_beside_an_annotation() -> None:
    def rest(count: int | None) -> None:
        """Count.

        :param int count: How many.
        :rtype: bool
        """

    def fine(count: int, rest: str = "", *more: int) -> Point:
        """Count.

        Args:
            count (object): How many.
            rest (a text): The rest.
            more (list): More.

        Returns:
            tuple: The point.
        """
        return Point(1)

    def yields() -> Iterator[int]:
        """Count.

        Yields:
            int: A number.
        """
        yield 1

    rule = "contradicting-docstring"
    assert said(rule, rest) == [("returns", "its docstring says that it returns 'bool', and the annotation is None")]
    assert said(rule, fine, yields) == []


# --- values -------------------------------------------------------------------------------------------------------


def test_a_parameter_that_takes_anything_says_why() -> None:
    def loose(a, b, c: Any, d: object, e: int, f: list[Any]) -> None:  # type: ignore[no-untyped-def]
        """Do it.

        Args:
            b (Thing): A thing.
        """

    rule = "untyped-parameter"
    assert said(rule, loose) == [
        ("$.properties.a", "the parameter 'a' accepts any JSON value: it has no annotation"),
        ("$.properties.b", "the parameter 'b' accepts any JSON value: its docstring's type 'Thing' is not known"),
        ("$.properties.c", "the parameter 'c' accepts any JSON value: its annotation says so"),
        ("$.properties.d", "the parameter 'd' accepts any JSON value: its annotation says so"),
    ]
    tool = foreign(**schema_of(a={"description": "Anything."}, b=True, c={"enum": [1]}, d={"$ref": "#/properties/c"}))
    assert [path for path, _ in said(rule, tool)] == ["$.properties.a", "$.properties.b"]


def test_a_context_without_an_annotation_is_recognized_by_its_name() -> None:
    def act(ctx) -> None: ...  # type: ignore[no-untyped-def]

    (first,) = (each.advice for each in findings("untyped-parameter", act))
    assert (
        first == "annotate it with the type that the function needs (as ctx: Context, if it is the context of the call)"
    )
    with pytest.warns(DefinitionWarning, match=r"no annotation; annotate it \(as ctx: Context, if it is the context"):
        assert Tool.from_function(act).parameters


def test_star_parameters_without_a_type_name_the_missing_wraps_of_a_likely_wrapper() -> None:
    def wrap(inner: Any) -> Any:
        def wrapper(*args, **kwargs):  # type: ignore[no-untyped-def]
            return inner(*args, **kwargs)

        return wrapper

    def plain(*args, **kwargs: Any) -> None: ...  # type: ignore[no-untyped-def]

    both = [
        ("$.additionalProperties", "the parameter '**kwargs' accepts any values: it has no annotation"),
        ("$.properties.args", "the parameter '*args' accepts any values: it has no annotation"),
    ]
    rule = "untyped-parameter"
    assert (said(rule, wrap(plain)), said(rule, plain)) == (both, both[1:])
    advice = "if wrapper wraps inner, decorate it with @functools.wraps(inner)"
    assert [each.advice for each in findings(rule, wrap(plain))] == [advice, advice]
    (found,) = findings(rule, plain)
    assert found.advice.startswith("annotate it")


class Loose(TypedDict):
    whatever: Any


def test_a_value_inside_another_that_may_be_anything_is_worth_a_note() -> None:
    def loose(a: list, b: dict, c: list[Any], d: dict[str, Any], e: Loose, **f: Any) -> None: ...  # type: ignore[type-arg]

    def firm(a: list[int], b: dict[str, int], c: tuple[int, str], d: Item, e: set[int], **f: int) -> None: ...

    found = said("untyped-value", loose)
    assert {path.split(".")[2] for path, _ in found if path.startswith("$.properties.")} == set("abcde")
    assert ("$.additionalProperties", "other names than the known ones may hold anything") in found
    assert len(found) == 6
    assert said("untyped-value", firm) == []


NOTHING: Any = object()


def test_a_default_that_its_type_does_not_take() -> None:
    def wrong(a: int = None, b: str = 3, c: Annotated[int, at.Ge(1)] = 0, d: Item = NOTHING) -> None: ...  # type: ignore[assignment]  # noqa: RUF013
    def right(a: int | None = None, b: str = "3", c: Annotated[int, at.Ge(1)] = 1, *args: int, **more: int) -> None: ...

    rule = "invalid-default"
    assert said(rule, wrong) == [
        ("$.properties.a", "the default None of 'a' is not a value of its type, so models do not see it"),
        ("$.properties.b", "the default 3 of 'b' is not a value of its type, so models do not see it"),
        ("$.properties.c", "the default 0 of 'c' is not a value of its type, so models do not see it"),
        ("$.properties.d", "the default a object of 'd' is not a value of its type, so models do not see it"),
    ]  # fmt: skip
    assert said(rule, right) == []


@dataclass
class Tagged:
    tags: list[str] = None  # type: ignore[assignment]
    size: int = 1
    pair: tuple[int, ...] = ()


class Fitting(TypedDict):
    tagged: Tagged


def test_a_default_of_a_field_that_its_type_does_not_take() -> None:
    def shelve(tagged: list[Fitting], item: Item) -> None: ...

    text = "the default None of the field Tagged.tags is not a value of its type, so models do not see it"
    assert said("invalid-default", shelve) == [("$.properties.tagged", text)]


def test_a_default_that_its_schema_refuses() -> None:
    tool = foreign(
        **schema_of(a={"type": "integer", "default": "1"}, b={"type": "integer", "default": 1}, c={"default": None})
    )
    assert said("invalid-default", tool) == [
        ("$.properties.a", "the default of 'a' is not valid: $.a: must be an integer, not \"1\"")
    ]


def test_a_default_that_is_another_at_each_import() -> None:
    def wrong(
        day: date = date.today(),  # noqa: B008, DTZ011
        hour: str = datetime.now().isoformat(),  # noqa: DTZ005
        *,
        key: str = uuid.uuid4().hex,
        place: str = str(Path.cwd()),
    ) -> None: ...

    def right(
        day: date = date(2026, 11, 28),
        hour: time = time(9, 30),
        size: int = max(1, 2),
        key: object = lambda: uuid.uuid4(),  # noqa: PLW0108
    ) -> None: ...

    text = "when the module is imported, so its definition is not always the same"
    assert said("changing-default", wrong) == [
        ("$.properties.day", f"the default of 'day' is made by date.today() {text}"),
        ("$.properties.hour", f"the default of 'hour' is made by datetime.now() {text}"),
        ("$.properties.key", f"the default of 'key' is made by uuid.uuid4() {text}"),
        ("$.properties.place", f"the default of 'place' is made by Path.cwd() {text}"),
    ]
    assert said("changing-default", right) == []


class Unequal:
    """What cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = object.__hash__


def test_a_default_that_models_do_not_see() -> None:
    def silent(a: Any = NOTHING, b: Literal["x"] = Unequal(), c: int = 1) -> None: ...  # type: ignore[assignment]
    def open_note(path: str, mode: str = "read", size: int = 3) -> None: ...

    rule = "unsaid-default"
    assert said(rule, silent)[0] == (
        "$.properties.a",
        "the default of 'a' has no JSON form, so models do not see it",
    )
    assert {path for path, _ in said(rule, silent)} <= {"$.properties.a", "$.properties.b"}
    schema = schema_of(path={"type": "string"}, mode={"type": "string"}, size={"type": "integer", "default": 3})
    assert said(rule, Tool.from_function(open_note, parameters=schema)) == [
        ("$.properties.mode", "the function has the default \"read\" for 'mode', and the schema does not say so")
    ]


class Kind(enum.Enum):
    PAPER = enum.auto()
    AUDIO = enum.auto()


def test_an_enumeration_of_which_a_model_sees_numbers_only() -> None:
    def wrong(kind: Kind, kinds: list[Kind] | None = None) -> None: ...

    def right(kind: Kind, colour: Colour, day: Literal[1, 2]) -> None:
        """Find a book.

        Args:
            kind: 1 is paper, 2 is audio.
        """

    text = "a model sees the numbers of Kind, and not its names PAPER, AUDIO"
    assert said("numbered-choice", wrong) == [
        ("$.properties.kind", f"the parameter 'kind': {text}"),
        ("$.properties.kinds", f"the parameter 'kinds': {text}"),
    ]
    assert said("numbered-choice", right) == []


class Colour(enum.Enum):
    RED = "red"


def test_an_example_that_is_not_a_valid_call() -> None:
    def paint(colour: Colour, size: Annotated[int, at.Predicate(bool)] = 1, day: datetime | None = None) -> None:
        """Paint."""

    def tool(*examples: dict[str, Any]) -> Tool:
        return Tool.from_function(paint, examples=examples)

    rule = "invalid-example"
    assert said(rule, tool({"colour": "red"}, {"colour": "red", "size": 2, "day": "2026-01-31T10:00:00Z"})) == []
    assert [message for _, message in said(rule, tool({"colour": "red"}, {"colour": "blue", "sise": 1}))] == [
        'example 2 is not a valid call: $.colour: must be "red", not "blue"',
        'example 2 is not a valid call: $.sise: is not a known name; did you mean "size"?',
    ]
    assert [message for _, message in said(rule, tool({"colour": "red", "size": 0}))] == [
        "example 1 is not a valid call: $.size: must satisfy bool"
    ]
    (python,) = said(rule, tool({"colour": Colour.RED}))
    assert python[1].startswith("example 1 is not a valid call: it is not JSON (")
    assert len(said(rule, tool({"colour": float("nan")}))) == 1


@dataclass
class Explosive:
    """A record whose values do something when they are made."""

    size: int

    def __post_init__(self) -> None:
        if self.size > 1:
            raise RuntimeError("boom")


def test_an_example_whose_values_cannot_be_made() -> None:
    def light(fuse: Explosive) -> None: ...

    tool = Tool.from_function(light, examples=[{"fuse": {"size": 1}}, {"fuse": {"size": 2}}])
    ((_, message),) = said("invalid-example", tool)
    assert message.startswith("example 2 is not a valid call: $.fuse: ")
    assert "boom" in message


def test_an_example_of_a_property_that_it_refuses() -> None:
    tool = foreign(**schema_of(a={"type": "integer", "examples": [1, "two"]}, b={"type": "string"}), required=["b"])
    assert said("invalid-example", tool) == [
        ("$.properties.a", "an example of 'a' is not valid: $.a: must be an integer, not \"two\"")
    ]


# --- sizes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", ["x", "é", "天"])
def test_a_tool_that_takes_too_much_of_each_request(letter: str) -> None:
    """A token is four bytes of the JSON without spaces."""

    def sized(fill: int) -> Tool:
        letters, rest = divmod(fill, len(letter.encode()))
        text = letter * letters + "x" * rest
        return Tool.from_function(
            takes_anything, name="t", description="d", parameters=schema_of(a={"description": text})
        )

    schema = '{"type":"object","properties":{"a":{"description":""}},"additionalProperties":false}'
    fitting = 2_000 * 4 - len(f'{{"name":"t","description":"d","parameters":{schema}}}')
    assert said("huge-schema", sized(fitting)) == []
    assert said("huge-schema", sized(fitting + 1)) == [
        ("$", "describing it takes about 2001 tokens of each request, more than 2000")
    ]


def test_an_enum_of_too_many_values() -> None:
    def tool(many: int) -> Tool:
        return foreign(**schema_of(a={"type": "array", "items": {"enum": list(range(many))}}))

    assert said("large-enum", tool(250)) == []
    assert said("large-enum", tool(251)) == [
        ("$.properties.a.items", "the enum at $.properties.a.items has 251 values, more than 250")
    ]


def test_an_empty_text_among_choices() -> None:
    def order(size: Literal["", "large"], milk: Literal[""] = "", sugar: Literal["none", "some"] = "none") -> None: ...

    paths = ["$.properties.milk", "$.properties.size"]
    assert said("empty-choice", order) == [
        (path, f"an empty text is a choice at {path}; Gemini refuses it, so it is only in the description there")
        for path in paths
    ]
    assert said("lost-constraint", order, format_names=["gemini"]) == []


@dataclass
class Node:
    """A record that holds itself."""

    value: int
    below: list[Node]


def test_values_that_lie_too_deep() -> None:
    def deep(a: list[list[list[list[list[list[int]]]]]]) -> None: ...
    def flat(a: list[list[list[list[list[int]]]]]) -> None: ...
    def recursive(a: Node) -> None: ...

    rule = "deep-nesting"
    where = "$.properties.a.items.items.items.items.items.items"
    assert said(rule, deep) == [(where, f"values are nested more than 6 levels deep, as at {where}")]
    assert said(rule, flat) == []
    assert said(rule, recursive) == []


def test_depth_is_counted_through_references_and_not_through_unions() -> None:
    wide: dict[str, Any] = {"type": "integer"}
    for _ in range(20):
        wide = {"anyOf": [wide, {"type": "null"}]}
    defs = {
        f"d{level}": schema_of(a={"$ref": f"#/$defs/d{level + 1}"}, b={"$ref": f"#/$defs/d{level + 1}"})
        for level in range(40)
    }
    tool = foreign(**schema_of(a=wide), **{"$defs": defs})
    assert said("deep-nesting", tool) == []
    tool = foreign(**schema_of(a={"$ref": "#/$defs/d0"}), **{"$defs": {**defs, "d40": {}}})
    assert len(said("deep-nesting", tool)) == 1


# --- providers ----------------------------------------------------------------------------------------------------


def test_a_format_that_cannot_describe_a_tool_is_an_error_at_the_parameter_to_blame() -> None:
    def odd(fine: int, größe: int) -> None: ...  # noqa: PLC2401

    rule = "refused-by-format"
    found = said(rule, odd, format_names=["openai", "anthropic"])
    assert [path for path, _ in found] == ["$.properties['größe']"]
    assert found[0][1].startswith(
        "it cannot be described in anthropic: $.properties['größe']: Anthropic takes names of "
    )
    assert said(rule, odd, format_names=["openai"]) == []


def test_a_type_that_refers_to_itself_is_an_error_where_a_provider_does_not_take_that() -> None:
    def recursive(root: Node) -> None: ...

    ((path, message),) = said("refused-by-format", recursive, format_names=["gemini", "json-schema"])
    assert path == "$.properties.root"
    assert "Node refers to itself" in message


def test_strict_modes_are_judged_where_that_is_asked_for() -> None:
    def loose(options: dict[str, int]) -> None: ...

    rule = "refused-in-strict-mode"
    assert said(rule, loose) == []
    assert said("refused-by-format", loose) == []
    found = said(rule, loose, format_names=["openai", "mcp"], strict=True)
    assert [path for path, _ in found] == ["$.properties.options"]
    assert found[0][1].startswith("it cannot be described in openai (strict): ")
    assert said("refused-by-format", loose, strict=True) == []


def test_what_of_a_schema_a_format_leaves_out_is_worth_a_note() -> None:
    def bounded(
        a: Annotated[int, at.MultipleOf(3)] = 3, *, b: Annotated[list[Annotated[str, at.MinLen(1)]], at.MinLen(1)]
    ) -> None: ...

    rule = "lost-constraint"
    assert said(rule, bounded, format_names=["openai", "gemini", "mcp"]) == [
        ("$.properties.a", "multipleOf 3 at $.properties.a is left out in gemini"),
        ("$.properties.b.items", "minLength 1 at $.properties.b.items is left out in gemini"),
    ]
    assert said(rule, bounded, format_names=["openai", "anthropic"], strict=True) == [
        ("$.properties.a", "multipleOf 3 at $.properties.a is left out in anthropic (strict)"),
        (
            "$.properties.b.items",
            "minLength 1 at $.properties.b.items is left out in openai (strict), anthropic (strict)",
        ),
    ]  # the default is no constraint


def test_a_format_whose_package_is_not_installed_is_passed_over_unless_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingDependencyError):
        Tool.from_function(takes_anything).definition("yaml")
    assert said("refused-by-format", takes_anything) == []
    with pytest.raises(MissingDependencyError):
        lint([Tool.from_function(takes_anything)], format_names=["yaml"])


# --- what no schema says ------------------------------------------------------------------------------------------


def test_what_a_type_checks_beyond_its_schema_is_worth_a_note() -> None:
    def picky(
        a: Annotated[int, at.Predicate(math.isfinite)], b: list[Annotated[str, at.Predicate(str.isupper)]], c: int
    ) -> None: ...

    found = said("unsaid", picky)
    assert [path for path, _ in found] == ["$.properties.a", "$.properties.b"]
    assert all(message.startswith(f"the parameter {name!r}: ") for name, (_, message) in zip("ab", found, strict=True))
    assert "isfinite" in found[0][1]


def test_a_result_that_is_promised_on_json_only_is_worth_a_note() -> None:
    def when() -> datetime | str: ...

    ((path, message),) = said("unsaid", when)
    assert path == "returns"
    assert message.startswith("the result: ")


def test_what_of_a_foreign_schema_is_not_enforced_is_worth_a_note() -> None:
    tool = foreign(
        **schema_of(a={"type": "string", "format": "colour-of-the-moon"}, b={"type": "string", "format": "date"})
    )
    ((path, message),) = said("not-enforced", tool)
    assert path == "$.properties.a.format"
    assert message.startswith('of its schema, $.properties.a.format: "colour-of-the-moon" is not enforced: ')


def test_a_foreign_schema_that_allows_names_that_the_function_does_not_take() -> None:
    def open_note(path: str) -> None: ...

    def tool(**more: Any) -> Tool:
        return Tool.from_function(open_note, parameters={"properties": {"path": {"type": "string"}}, **more})

    rule = "open-schema"
    assert [path for path, _ in said(rule, tool())] == ["$.additionalProperties"]
    assert len(said(rule, tool(additionalProperties={"type": "string"}))) == 1
    assert said(rule, tool(additionalProperties=False), tool(unevaluatedProperties=False), open_note) == []
    assert said(rule, Tool.from_function(takes_anything, parameters={"properties": {}})) == []


def test_a_result_that_is_annotated_with_a_type_without_json() -> None:
    def odd() -> type: ...
    def bare(): ...  # type: ignore[no-untyped-def]
    def fine() -> Iterator[int]: ...

    assert [path for path, _ in said("result-without-schema", odd, bare, fine)] == ["returns"]


def test_a_result_that_is_content_is_for_models_and_needs_no_schema() -> None:
    def picture() -> Content: ...
    def pictures() -> list["Content"]: ...  # noqa: UP037  # what a module without the future import writes
    def either() -> str | list[str | Content]: ...
    def both() -> ToolOutput: ...
    def lost() -> "list[NotDefinedAnywhere]": ...  # type: ignore[name-defined]  # noqa: F821, UP037

    assert said("result-without-schema", picture, pictures, either, both) == []
    assert len(said("result-without-schema", lost)) == 1


# --- findings, as a whole -----------------------------------------------------------------------------------------


MODULE = '''
import functools
from fcregistry import fc_register


@fc_register(
    "tool",
    aliases=("other",),
    deprecated=True,
    examples=[{"first": 1}],
)
def decorated(
    first: str,
    second=3,
    **third,
):
    """Do it.

    Args:
        first: A text.
        gone: Nothing.
        this line says nothing
    """


@fc_register
async def other(first: str):
    pass


def wrap(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@fc_register
@wrap
def wrapped(
    alone: str,
):
    """Do it."""


class Caller:
    def __call__(self, alone):
        """Do it.

        Args:
            alone: What to do it to.
        """


short = lambda alone: alone
'''


@pytest.fixture
def module(tmp_path: Path) -> Iterator[ModuleType]:
    """A module of tools, in a file."""
    path = tmp_path / "linted_tools.py"
    path.write_text(MODULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("linted_tools", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["linted_tools"] = made
    spec.loader.exec_module(made)
    yield made
    del sys.modules["linted_tools"]


def line_of(text: str) -> int:
    """Return the line of the module that holds a text."""
    return next(number for number, line in enumerate(MODULE.splitlines(), start=1) if text in line)


def test_a_finding_names_the_line_of_what_it_is_about(module: ModuleType) -> None:
    """The parameter, the option, the line of the docstring; otherwise the `def`, not the decorator above it."""
    source = Registry()
    source.adopt(module)
    found = lint(source.everything())
    assert {finding.file for finding in found} == {module.__file__}
    lines = {(finding.rule, finding.tool, finding.path): finding.line for finding in found}
    assert lines["useless-alias", "decorated", "$"] == line_of("aliases=")
    assert lines["deprecated-without-replacement", "decorated", "$"] == line_of("deprecated=")
    assert lines["invalid-example", "decorated", "$"] == line_of("examples=")
    assert lines["undocumented-parameter", "decorated", "$.properties.second"] == line_of("second=3")
    assert lines["undocumented-parameter", "decorated", "$.additionalProperties"] == line_of("**third")
    assert lines["unknown-parameter", "decorated", "$"] == line_of("gone: Nothing")
    assert lines["unread-docstring", "decorated", "$"] == line_of("this line says nothing")
    assert lines["missing-description", "other", "$"] == line_of("async def other")
    assert lines["undocumented-parameter", "wrapped", "$.properties.alone"] == line_of("alone: str,")


def test_callable_objects_and_lambdas_have_lines_too(module: ModuleType) -> None:
    for function, text in ((module.Caller(), "def __call__"), (module.short, "short = lambda")):
        (found,) = findings("untyped-parameter", Tool.from_function(function, name="it"))
        assert found.line == line_of(text)


def test_a_function_whose_source_is_gone_has_the_line_that_python_knows(module: ModuleType) -> None:
    path = Path(module.__file__ or "")
    for change in (path.unlink, lambda: path.write_text("def (:", encoding="utf-8")):
        change()
        (found,) = findings("missing-description", module.other)
        assert (found.file, found.line) == (str(path), line_of("async def other") - 1)


def test_a_function_without_a_source_has_no_line() -> None:
    (found,) = findings("untyped-parameter", math.sqrt)
    assert (found.file, found.line) == (None, None)


def test_a_finding_says_what_its_rule_is_and_what_to_do() -> None:
    def silent() -> None: ...

    code = silent.__code__
    assert lint([Tool.from_function(silent)]) == (
        LintFinding(
            rule="missing-description",
            severity="warning",
            tool="silent",
            path="$",
            file=code.co_filename,
            line=code.co_firstlineno,
            message="it has no description",
            advice="say in the docstring's first paragraph, or with description=…, what the tool does and when to use it",
        ),
    )


def test_findings_come_in_a_fixed_order(module: ModuleType) -> None:
    """By file, line, tool and rule, whatever the order of the tools."""
    source = Registry()
    source.adopt(module)
    tools = source.everything()
    found = lint(tools)
    assert lint(tools[::-1]) == found
    assert len(set(found)) == len(found)
    keys = [(finding.file, finding.line, finding.tool, finding.rule) for finding in found]
    assert keys == sorted(keys)  # type: ignore[type-var]


def test_a_schema_of_ones_own_has_advice_of_its_own() -> None:
    """Its author has no annotation to change."""
    (loose,) = findings("untyped-parameter", foreign(**schema_of(a={})))
    (silent,) = findings("undocumented-parameter", foreign(**schema_of(a={})))
    assert loose.advice == 'say its "type", "enum" or "anyOf" in the schema'
    assert silent.advice == 'give it a "description" in the schema'


@pytest.mark.parametrize("name", LINT_RULES)
def test_every_rule_has_a_test_here_and_can_be_read(name: str) -> None:
    tests, rule = Path(__file__).read_text(encoding="utf-8"), LINT_RULES[name]
    assert rule.id == name
    assert f'"{rule.id}"' in tests
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)
    assert rule.severity in SEVERITIES
    assert rule.advice
    assert rule.advice[-1] not in ".!?"


def test_rules_can_be_left_out() -> None:
    def silent(a: int) -> None: ...

    tool = Tool.from_function(silent)
    assert {finding.rule for finding in lint([tool], ignore=["missing-description"])} == {"undocumented-parameter"}
    with pytest.raises(
        ConfigurationError, match="there is no lint rule 'missing-descripton'; did you mean 'missing-description'"
    ):
        lint([tool], ignore=["missing-descripton"])
    with pytest.raises(ConfigurationError, match="there is no lint rule 'x'; the rules are changing-default, "):
        lint([tool], ignore=["x"])


def test_a_format_that_there_is_not_raises() -> None:
    with pytest.raises(FormatNotFoundError, match="there is no format 'xml'"):
        lint([], format_names=["xml"])


def test_definitions_do_not_warn_while_they_are_looked_at() -> None:
    """What would be a warning is a finding; warnings are errors here."""

    def loose(a) -> None:  # type: ignore[no-untyped-def]
        """Do it."""

    assert [finding.rule for finding in lint([Tool.from_function(loose)])] == [
        "undocumented-parameter",
        "untyped-parameter",
    ]
    with pytest.warns(DefinitionWarning):
        assert Tool.from_function(loose).parameters


def test_no_tool_is_called() -> None:
    def destroy(path: str = "/") -> None:
        """Delete everything."""
        raise AssertionError("it was called")

    assert lint([Tool.from_function(destroy, examples=[{"path": "/home"}])])


# --- which tools --------------------------------------------------------------------------------------------------


def broken(a: object()) -> None: ...  # type: ignore[valid-type]


@pytest.fixture
def source() -> Registry:
    """A registry with tools of all sorts."""
    made = Registry()
    made.register(takes_anything, "fine")
    made.register(takes_anything, "hidden", requires_env="FCREGISTRY_TEST_NEVER_SET")
    made.register(broken)
    made.register(takes_anything, "lookup", group="search.web", tags=("read",))
    made.register(takes_anything, "lookup", group="search.files")
    return made


@pytest.mark.parametrize(
    ("selectors", "ids"),
    [
        ((), ["broken", "fine", "hidden", "search.files.lookup", "search.web.lookup"]),
        (("*",), ["broken", "fine", "hidden", "search.files.lookup", "search.web.lookup"]),
        (("hidden",), ["hidden"]),
        (("b*", "fine"), ["broken", "fine"]),
        (("search.*", "!tag=read"), ["search.files.lookup"]),
        (("!search.*",), ["broken", "fine", "hidden"]),
    ],
)
def test_selectors_choose_tools_that_are_broken_or_hidden_too(
    source: Registry, selectors: tuple[str, ...], ids: list[str]
) -> None:
    assert sorted(tool.id for tool in tools_to_lint(*selectors, source=source)) == ids


def test_a_selector_that_names_nothing_raises(source: Registry) -> None:
    with pytest.raises(ToolNotFoundError, match=r"the selector 'brokn\*' matches no tool; did you mean 'broken'"):
        tools_to_lint("brokn*", source=source)
    with pytest.raises(ToolNotFoundError, match="there is no tool 'brokn'"):
        tools_to_lint("brokn", source=source)
    with pytest.raises(AmbiguousToolError):
        tools_to_lint("lookup", source=source)


def test_what_was_replaced_is_not_looked_at_and_what_clashes_is(source: Registry) -> None:
    def declare(module: str, **options: Any) -> None:
        namespace = {"__name__": module, "source": source, "options": options}
        exec("def same(): ...\nsource.register(same, 'same', **options)", namespace)

    declare("linted_a")
    declare("linted_b")
    assert [tool.origin.module for tool in tools_to_lint("same", source=source)] == ["linted_a", "linted_b"]
    assert len(findings("duplicate-tool", *tools_to_lint("sam*", source=source))) == 2
    declare("linted_c", replace=True)
    assert [tool.origin.module for tool in tools_to_lint("same", source=source)] == ["linted_c"]


def test_names_are_compared_with_all_tools_of_the_same_owner(source: Registry) -> None:
    tools = tools_to_lint("fine", source=source)
    assert {tool.id for tool in tools_beside(tools, source)} == {tool.id for tool in source.everything()}
    assert tools_beside((), source) == ()

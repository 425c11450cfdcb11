"""Tools and sets of tools."""

from __future__ import annotations

import copy
import enum
import functools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal

import pytest

from fcregistry import Executor, Registry, Tool, ToolCall
from fcregistry.errors import DefinitionError, DuplicateToolError
from fcregistry.execution import Toolset


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Box:
    """A box."""

    width: int
    size: Size = Size.SMALL


def pack(box: Box, day: date, note: Literal["a", "b"] = "a") -> Box:
    """Pack a box.

    More of it.

    Args:
        box: What to pack.
        day: When.
        note: A note.
    """
    return box


def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def subtract(a: int, b: int = 1) -> int:
    """Take one number from another."""
    return a - b


ADD_PARAMETERS = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}},
    "required": ["a"],
    "additionalProperties": False,
}


# --- one tool -------------------------------------------------------------------------------------


def test_a_tool_of_a_function_has_its_name_description_and_schemas() -> None:
    tool = Tool.from_function(add, title="Addition")

    assert (tool.name, tool.group, tool.id, tool.title) == ("add", "tool", "add", "Addition")
    assert (tool.description, tool.summary) == ("Add two numbers.", "Add two numbers.")
    assert tool.function is add
    assert tool.parameters == ADD_PARAMETERS
    assert tool.returns == {"type": "integer"}
    assert tool(2, b=3) == 5
    assert repr(tool) == "<Tool add>"
    assert (tool.definition_error, tool.missing_env) == (None, ())


def test_the_option_description_takes_precedence_over_the_docstring() -> None:
    assert Tool.from_function(add, description="Sum.").description == "Sum."
    assert Tool.from_function(add, description="").description == ""


def test_a_function_without_parameters_and_annotations_has_an_empty_object_and_no_return_schema() -> None:
    def nothing():  # type: ignore[no-untyped-def]
        pass

    tool = Tool.from_function(nothing)
    assert tool.parameters == {"type": "object", "properties": {}, "additionalProperties": False}
    assert (tool.returns, tool.description, tool.summary) == (None, "", "")


def test_the_summary_is_the_first_paragraph_on_one_line() -> None:
    assert Tool.from_function(add, description="One\ntwo.\n\nThree.").summary == "One two."


def test_the_origin_says_where_a_tool_came_from() -> None:
    origin = Tool.from_function(add).origin

    assert (origin.distribution, origin.version, origin.entry_point) == (None, None, None)
    assert (origin.module, origin.qualname, origin.file) == (__name__, "add", __file__)
    assert origin.line == add.__code__.co_firstlineno
    assert str(origin) == f"the application, {__name__}.add ({__file__}:{origin.line})"


def test_the_id_has_the_group_unless_it_is_the_default_one() -> None:
    isolated = Registry()
    isolated.register(add, group="math.basic")
    isolated.register(add)

    assert [tool.id for tool in isolated.everything()] == ["add", "math.basic.add"]


@pytest.mark.parametrize("attribute", ["name", "description", "parameters", "options", "function", "new", "_name"])
def test_a_tool_is_immutable(attribute: str) -> None:
    tool = Tool.from_function(add)

    with pytest.raises(AttributeError, match=f"a Tool is immutable: {attribute} cannot be set; register it again"):
        setattr(tool, attribute, "other")
    with pytest.raises(AttributeError, match="cannot be deleted"):
        delattr(tool, attribute)
    assert (tool.name, tool.function) == ("add", add)


def test_callers_get_copies_of_schemas() -> None:
    tool = Tool.from_function(pack)
    expected, returned = tool.parameters, tool.returns
    tool.parameters["properties"].clear()
    tool.parameters["properties"]["box"] = 1
    (tool.returns or {}).clear()
    tool.definition("openai")["function"]["parameters"].clear()

    assert (tool.parameters, tool.returns) == (expected, returned)
    assert "box" in tool.definition("openai")["function"]["parameters"]["properties"]


@pytest.mark.parametrize("name", ["a b", "", "x" * 65, "é", "a.b"])
def test_an_illegal_name_is_refused(name: str) -> None:
    with pytest.raises(DefinitionError, match="name"):
        Tool.from_function(add, name=name)
    with pytest.raises(DefinitionError, match="add cannot be renamed: "):
        Tool.from_function(add).renamed(name)


@pytest.mark.parametrize("thing", [Box, 1, None, "add", object()])
def test_an_object_that_is_not_callable_is_refused(thing: Any) -> None:
    with pytest.raises(DefinitionError, match="cannot be a tool: it is a"):
        Tool.from_function(thing)


def test_the_error_for_an_unknown_format_lists_the_formats() -> None:
    with pytest.raises(KeyError, match="there is no format 'openapi'; the formats are anthropic, bedrock, gemini, "):
        Tool.from_function(add).definition("openapi")


def test_all_problems_of_a_definition_are_raised_together_at_each_use() -> None:
    def broken(cb: Callable[[], int], kind: type, fine: int) -> None: ...

    tool = Tool.from_function(broken)
    for _ in range(2):
        with pytest.raises(DefinitionError) as caught:
            _ = tool.parameters
        assert [problem.split(":")[0] for problem in caught.value.problems] == ["parameter 'cb'", "parameter 'kind'"]
    assert tool.definition_error is not None
    assert tool.name == "broken"


# --- the call a model would have written ----------------------------------------------------------


def test_make_call_writes_the_json_of_python_values() -> None:
    call = Tool.from_function(pack).make_call(Box(3, Size.LARGE), day=date(2024, 5, 1))

    assert call == ToolCall("pack", {"box": {"width": 3, "size": "large"}, "day": "2024-05-01"})
    assert Executor([pack]).run(call).value == Box(3, Size.LARGE)


def spread(first: int, /, second: int = 2, *rest: int, key: str = "k", **more: bool) -> list[Any]:
    return [first, second, rest, key, more]


@pytest.mark.parametrize(
    ("args", "kwargs", "arguments"),
    [
        ((1,), {}, {"first": 1}),
        ((1, 2, 3, 4), {}, {"first": 1, "second": 2, "rest": [3, 4]}),
        ((1,), {"second": 5, "key": "x", "flag": True}, {"first": 1, "second": 5, "key": "x", "flag": True}),
    ],
)
def test_make_call_works_for_every_kind_of_parameter(
    args: tuple[int, ...], kwargs: dict[str, Any], arguments: dict[str, Any]
) -> None:
    call = Tool.from_function(spread).make_call(*args, **kwargs)

    assert call.arguments == arguments
    assert Executor([spread]).run(call).value == spread(*args, **kwargs)


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((), {}, "needs a value for 'a'"),
        ((1, 2, 3), {}, "takes 2 positional arguments, not 3"),
        ((1,), {"c": 1}, "takes no keyword argument 'c'"),
        ((1,), {"a": 1}, "got 'a' twice"),
        (("1",), {}, "cannot take '1' as the value of 'a'"),
        ((True,), {}, "cannot take True as the value of 'a'"),
    ],
)
def test_make_call_refuses_arguments_that_the_function_does_not_take(
    args: tuple[Any, ...], kwargs: dict[str, Any], said: str
) -> None:
    with pytest.raises(TypeError, match=f"^add {said}"):
        Tool.from_function(add).make_call(*args, **kwargs)


# --- partials, methods, objects -------------------------------------------------------------------


def get_weather(country: str, city: str = "Berlin", unit: str = "Celsius") -> str:
    """Say the weather."""
    return f"The temperature in {city}, {country} is 75° {unit}"


@pytest.mark.parametrize(
    ("function", "properties", "required"),
    [
        (functools.partial(get_weather, "Germany"), ["city", "unit"], []),
        (functools.partial(get_weather, country="Germany"), ["country", "city", "unit"], []),
        (functools.partial(functools.partial(get_weather, "Germany"), "Bonn"), ["unit"], []),
    ],
)
def test_a_partial_has_the_name_of_its_function_and_the_remaining_parameters(
    function: Callable[..., str], properties: list[str], required: list[str]
) -> None:
    tool = Tool.from_function(function)

    assert tool.name == "get_weather"
    assert tool.description == "Say the weather."
    assert list(tool.parameters["properties"]) == properties
    assert tool.parameters.get("required", []) == required


def test_a_partial_is_called_with_its_own_arguments() -> None:
    executor = Executor([functools.partial(get_weather, "Germany", unit="Fahrenheit")])

    result = executor.run({"name": "get_weather", "arguments": {"city": "Berlin"}})
    assert result.content == "The temperature in Berlin, Germany is 75° Fahrenheit"


async def _async() -> int:
    return 1


def _generator() -> Iterator[int]:
    yield 1


async def _async_generator() -> AsyncIterator[int]:
    yield 1


class _AsyncObject:
    async def __call__(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (add, "sync"),
        (_async, "async"),
        (_generator, "generator"),
        (_async_generator, "async generator"),
        (functools.partial(_async), "async"),
        (_AsyncObject(), "async"),
        (_AsyncObject().__call__, "async"),
    ],
)
def test_the_kind_of_a_function_is_found_behind_partials_methods_and_objects(
    function: Callable[..., Any], kind: str
) -> None:
    assert Tool.from_function(function).signature.kind == kind


# --- views and sets -------------------------------------------------------------------------------


@pytest.fixture
def tools() -> Toolset:
    return Toolset([Tool.from_function(subtract), Tool.from_function(add)])


def test_a_toolset_is_a_mapping_sorted_by_name(tools: Toolset) -> None:
    assert list(tools) == ["add", "subtract"]
    assert len(tools) == 2
    assert "add" in tools
    assert tools.get("nothing") is None
    assert tools["add"].function is add
    assert repr(tools) == "Toolset(add, subtract)"


def test_a_toolset_cannot_be_changed(tools: Toolset) -> None:
    with pytest.raises(TypeError):
        tools["add"] = tools["subtract"]  # type: ignore[index]
    with pytest.raises(TypeError):
        del tools["add"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("view", "names"),
    [
        (lambda tools: tools.renamed({"add": "plus"}), ["plus", "subtract"]),
        (lambda tools: tools.renamed({"add": "subtract", "subtract": "add"}), ["add", "subtract"]),
        (lambda tools: tools.prefixed("acme_"), ["acme_add", "acme_subtract"]),
        (lambda tools: tools.filtered(lambda tool: tool.name == "add"), ["add"]),
        (lambda tools: tools.filtered(lambda tool: False), []),
    ],
)
def test_views_leave_the_toolset_itself_as_it_is(
    tools: Toolset, view: Callable[[Toolset], Toolset], names: list[str]
) -> None:
    assert list(view(tools)) == names
    assert list(tools) == ["add", "subtract"]


def test_a_renamed_tool_is_described_and_called_by_its_new_name(tools: Toolset) -> None:
    view = tools.renamed({"add": "plus"})
    executor = Executor(view)

    assert view["plus"].definition("openai") == {
        "type": "function",
        "function": {"name": "plus", "description": "Add two numbers.", "parameters": ADD_PARAMETERS},
    }
    assert executor.run({"name": "plus", "arguments": {"a": 2}}).value == 3
    assert executor.run({"name": "add", "arguments": {"a": 2}}).error.code == "unknown_tool"  # type: ignore[union-attr]
    assert view["plus"].make_call(2) == ToolCall("plus", {"a": 2})
    assert (view["plus"].id, repr(view["plus"])) == ("add", "<Tool add as plus>")


def test_swapped_names_call_the_right_functions(tools: Toolset) -> None:
    executor = Executor(tools.renamed({"add": "subtract", "subtract": "add"}))

    assert [executor.call(name, a=5, b=3).value for name in ("add", "subtract")] == [2, 8]


def test_an_unknown_tool_cannot_be_renamed(tools: Toolset) -> None:
    with pytest.raises(KeyError, match="no tool multiply to rename; there are add, subtract"):
        tools.renamed({"multiply": "times"})


def test_a_prefix_that_makes_an_illegal_name_is_refused(tools: Toolset) -> None:
    with pytest.raises(DefinitionError, match="add cannot be renamed"):
        tools.prefixed("acme.")
    with pytest.raises(DefinitionError, match="subtract cannot be renamed"):
        tools.prefixed("x" * 60)


def test_two_tools_of_one_name_are_refused_with_both_origins_and_the_fix(tools: Toolset) -> None:
    clash = Tool.from_function(subtract, name="add")
    lines = [function.__code__.co_firstlineno for function in (add, subtract)]

    with pytest.raises(DuplicateToolError) as caught:
        Toolset([*tools.values(), clash])
    assert str(caught.value) == (
        f"two tools have one name: 'add' is add (the application, {__name__}.add ({__file__}:{lines[0]})) "
        f"and add (the application, {__name__}.subtract ({__file__}:{lines[1]})). "
        "Leave one out, or use .renamed({…}) or .prefixed(…) on a toolset"
    )
    with pytest.raises(DuplicateToolError):
        tools.renamed({"add": "subtract"})


def test_a_tool_given_twice_is_one_tool_of_the_toolset() -> None:
    tool = Tool.from_function(add)

    assert list(Toolset([tool, tool])) == ["add"]


# --- definitions that raise something odd ---------------------------------------------------------


@dataclass
class Price:
    amount: Decimal


def test_an_exception_while_a_tool_is_defined_affects_only_that_tool() -> None:
    class Odd:
        @property
        def __signature__(self) -> object:
            raise RuntimeError("no signature today")

        def __call__(self, x: int) -> None: ...

    def fine(x: int) -> None: ...

    registry = Registry()
    registry.register(Odd(), "odd")
    registry.register(fine)
    assert list(registry.select("*")) == ["fine"]
    with pytest.raises(DefinitionError, match="no signature today"):
        registry.get("odd").parameters  # noqa: B018


def test_a_default_that_its_type_cannot_encode_is_not_published() -> None:
    def pay(p: Price = Price(object())) -> None: ...  # type: ignore[arg-type]  # noqa: B008

    assert "default" not in Tool.from_function(pay).parameters["properties"]["p"]
    result = Executor([pay]).call("pay", p=Price(object()))  # type: ignore[arg-type]
    assert result.error is not None
    assert result.error.code == "invalid_arguments"


def test_a_copy_of_a_tool_is_the_tool() -> None:
    tool = Tool.from_function(lambda: None, name="f")
    assert copy.copy(tool) is tool
    assert copy.deepcopy([tool])[0] is tool


def test_a_callable_whose_comparison_raises_can_be_a_tool() -> None:
    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("compare me not")

        __hash__ = object.__hash__

        def __call__(self, x: int) -> int:
            return x

    registry = Registry()
    registry.register(Odd(), "odd")

    def other(x: int) -> int:
        return x

    assert list(Executor([other], registry=registry).tools) == ["other"]


def test_an_external_schema_cannot_pass_arguments_that_the_function_does_not_take() -> None:
    def nothing() -> int:
        return 1

    result = Executor([Tool.from_function(nothing, parameters={"type": "object"})]).run(
        {"name": "nothing", "arguments": {"x": 1}}
    )
    assert result.error is not None
    assert result.error.code == "invalid_arguments"


def test_an_object_that_is_not_callable_is_refused_whatever_its_name() -> None:
    registry = Registry()
    for given in (5, Box):
        with pytest.raises(DefinitionError, match="cannot be a tool"):
            registry.register(given, "named")  # type: ignore[type-var]
    for name in (7, b"x"):
        with pytest.raises(DefinitionError, match="a name is a string"):
            registry.register(lambda: None, name)  # type: ignore[arg-type]


class Waiter:
    async def __call__(self, a: int) -> int:
        """Wait."""
        return a


async def wait(a: int) -> int:
    return a


async def count(a: int) -> AsyncIterator[int]:
    yield a


def words(a: int) -> Iterator[int]:
    yield a


@pytest.mark.parametrize(
    ("function", "is_async"),
    [
        (add, False),
        (words, False),
        (wait, True),
        (count, True),
        (functools.partial(wait, 1), True),
        (Waiter(), True),
    ],
)
def test_a_tool_says_whether_it_is_async(function: Callable[..., Any], is_async: bool) -> None:
    tool = Tool.from_function(function, name="it")
    assert (tool.is_async, tool.renamed("other").is_async) == (is_async, is_async)

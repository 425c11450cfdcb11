"""Which objects can be tools: functions and described callables, but not the tools, toolsets, servers and models of other libraries.

The libraries are too large for these tests: stand-ins take the names of their classes. `tests/foreign` does the same with the libraries.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from unittest.mock import Mock
from xmlrpc.client import ServerProxy

import pydantic
import pytest

from fcregistry import Executor, FunctionCall, Registry, Tool, fc_register, formats
from fcregistry.agents import OnDemand
from fcregistry.errors import DefinitionError
from fcregistry.expressions import parse_call
from fcregistry.prompts import ToolPrompt
from fcregistry.testing import check_tool
from tests.foreign.cases import BEFORE, CASES, Case, plus


def model(messages: Any, tools: Any) -> str:
    """Stand in for a model that is never asked."""
    raise AssertionError("no model is asked")


TAKERS: dict[str, Callable[[Any], object]] = {
    "executor": Executor,
    "executor's list": lambda tool: Executor([tool]),
    "executor's nested list": lambda tool: Executor(["x" for _ in ()] + [[(tool,)]]),
    "agent": lambda tool: FunctionCall(model, tool),
    "agent's list": lambda tool: FunctionCall(model, [plus, tool]),
    "on demand": lambda tool: OnDemand([tool]),
    "prompt": lambda tool: ToolPrompt([tool]),
    "register": lambda tool: Registry().register(tool),
    "register a list": lambda tool: Registry().register([plus, tool]),
    "register under a name": lambda tool: Registry().register(tool, "other", description="Add.", parameters={"type": "object"}),
    "decorator": fc_register("external"),
    "decorator with a list": lambda tool: fc_register("external")([tool]),
    "from_function": Tool.from_function,
    "from_function, partial": lambda tool: Tool.from_function(functools.partial(tool)) if callable(tool) else Executor(tool),
    "expression": lambda tool: parse_call("plus(1, 2)", tools=tool),
    "expression's list": lambda tool: parse_call("plus(1, 2)", tools=[tool]),
    "conformance kit": check_tool,
    "format": lambda tool: formats.get("openai").describe([tool]),
}  # fmt: skip


def stand_in(case: Case) -> Any:
    """Return an object whose class has the names of another library's; every attribute that is not plain raises."""

    def fail(self: object, *args: object, **kwargs: object) -> Iterator[object]:
        raise AssertionError("code of the other library runs")

    bases: tuple[type, ...] = ()
    for place in reversed(case.classes):
        module, _, name = place.rpartition(".")
        body = {"__module__": module, "__iter__": fail, "__eq__": fail, "__repr__": fail, "__hash__": object.__hash__}
        body["name"] = body["func"] = body["fn"] = property(fail)
        if "FunctionTool" not in place:
            del body["func"], body["fn"]
        if case.calls:
            body["__call__"] = fail
        bases = (type(name, bases, body),)
    if case.users is not None:
        bases = (type(case.users, bases, {"__module__": "__main__"}),)
    if case.as_class:
        return bases[0]
    made = object.__new__(bases[0])
    made.__dict__.update(case.holds)
    return made


@pytest.mark.parametrize("case", [*CASES, *BEFORE], ids=lambda case: case.id)
def test_an_object_of_another_library_is_refused_by_name_with_what_to_write(case: Case) -> None:
    theirs = stand_in(case)
    for taker, take in TAKERS.items():
        with pytest.raises(TypeError) as caught:
            take(theirs)
        assert str(caught.value) == case.message, taker


# --- Objects that no table knows ---


class Adder:
    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, a: int) -> int:
        return a + self.number


class AddsOther(Adder):
    """Adds a number.

    Args:
        other: What the docstring of the class describes.
    """

    def __call__(self, other):
        return self.number + other


class Unannotated:
    def __call__(self, a):
        return a


class HalfAnnotated:
    def __call__(self, a: int, b):
        return a


class Described:
    def __call__(self, a):
        """Double a number.

        Args:
            a (int): The number.
        """
        return 2 * a


class Anything:
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args, kwargs


class AnythingDescribed:
    def __call__(self, *args, **kwargs):
        """Call it.

        Args:
            args: Anything.
            kwargs: Anything.
        """


class Clock:
    def __call__(self) -> str:
        return "12:00"


class Decorator:
    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)  # type: ignore[attr-defined]


class Holder:
    @staticmethod
    def static(a: int) -> int:
        return a

    @classmethod
    def of_class(cls, a: int) -> int:
        return a

    def method(self, a: int) -> int:
        return a


class PydanticAdder(pydantic.BaseModel):
    number: int = 1

    def __call__(self, a: int) -> int:
        return a + self.number


GOOD: dict[str, Any] = {
    "function": plus,
    "builtin": math.gcd,
    "builtin method": "abc".count,
    "bound method": Holder().method,
    "method of a class": Holder.of_class,
    "static method": Holder.static,
    "staticmethod object": staticmethod(plus),
    "partial": functools.partial(plus, 1),
    "partial of a partial": functools.partial(functools.partial(plus, 1)),
    "partial of an object": functools.partial(Adder(1)),
    "cached function": functools.lru_cache(plus),
    "wrapped by an object": Decorator(plus),
    "annotated object": Adder(1),
    "model with an annotated __call__": PydanticAdder(),
    "object whose class describes it": AddsOther(1),
    "object with a described __call__": Described(),
    "object without parameters": Clock(),
}

BAD: dict[str, Any] = {
    "unannotated object": Unannotated(),
    "half annotated object": HalfAnnotated(),
    "object that takes anything": Anything(),
    "object that takes anything, described": AnythingDescribed(),
    "mock": Mock(),
    "method of a proxy": ServerProxy("http://127.0.0.1:1").add,
    "object written in C": operator.itemgetter(1),
    "tool": Tool.from_function(plus),
}


@pytest.mark.parametrize("kind", GOOD)
def test_an_object_whose_call_method_is_described_is_a_tool(kind: str) -> None:
    assert Tool.from_function(GOOD[kind], name="good").name == "good"
    registry = Registry()
    registry.register(GOOD[kind], "good")
    assert registry.get("good").name == "good"


@pytest.mark.parametrize("kind", BAD)
def test_an_object_whose_call_method_is_not_described_is_refused_without_a_schema(kind: str) -> None:
    given = BAD[kind]
    expected = (
        rf"cannot be a tool: it is an? {type(given).__name__}, whose __call__ does not say by annotations what it takes; "
        r"give a function that calls it, or Tool\.from_function\(…, name=…, description=…, parameters=…\)$"
    )
    takers = [Tool.from_function] if isinstance(given, Tool) else [Tool.from_function, Executor, Registry().register]
    for taker in takers:
        with pytest.raises(DefinitionError, match=expected):
            taker(given)
    with pytest.raises(DefinitionError, match=expected):
        Tool.from_function(given, name="add", description="Add.")
    parameters = {"type": "object", "properties": {"a": {"type": "integer"}}}
    described = Tool.from_function(given, name="add", description="Add.", parameters=parameters)
    assert described.name == "add"
    Registry().register(given, "add", description="Add.", parameters=parameters)


def test_an_object_with_a_description_of_its_own_is_called_with_keywords() -> None:
    parameters = {"type": "object", "properties": {"a": {"type": "integer"}}}
    tool = Tool.from_function(Anything(), name="add", description="Add.", parameters=parameters)
    assert Executor([tool]).call("add", a=1).value == ((), {"a": 1})


# --- What is not a list of tools ---


class Toolbelt(pydantic.BaseModel):
    get_current_weather: str = "get_n_day_weather_forecast"


class Pair(NamedTuple):
    first: Any = plus
    second: str = "get_n_day_weather_forecast"


@pytest.fixture
def weather() -> Registry:
    """Return a registry with the tools that the fields of the models name."""
    made = Registry()
    for name in ("get_current_weather", "get_n_day_weather_forecast"):
        made.register(plus, name)
    return made


@pytest.mark.parametrize("model", [Toolbelt(), Pair()], ids=["pydantic", "named tuple"])
def test_a_pydantic_model_is_not_taken_as_a_list_of_its_fields(model: Any, weather: Registry) -> None:
    for given in (model, [model]):
        with pytest.raises(DefinitionError, match=r"is not a tool: .*; a model is not a list of what its fields hold$"):
            Executor(given, registry=weather)
        with pytest.raises(DefinitionError, match=r"not a function; a model is not a list of what its fields hold$"):
            weather.register(given)
    with pytest.raises(TypeError):
        parse_call("plus(1, 2)", tools=model)


@pytest.mark.parametrize("given", [{"minus": plus}, {"minus": Tool.from_function(plus)}, {}])
def test_a_mapping_is_refused_where_tools_are_registered_as_where_they_are_run(given: dict[str, Any]) -> None:
    made = Registry()
    for each in (given, [given]):
        for taker in (made.register, fc_register("mapping"), Executor):
            with pytest.raises(
                DefinitionError, match=r"give a list of its values: Tool.from_function\(…, name=…\) names a tool$"
            ):
                taker(each)  # type: ignore[operator]
    assert made.everything() == ()


def test_toolsets_and_groups_can_be_registered() -> None:
    theirs, mine = Registry(), Registry()
    theirs.register(plus, group="math")
    mine.register(theirs.select())
    mine.register(theirs["math"], group="other")
    assert [tool.id for tool in mine.everything()] == ["math.plus", "other.plus"]

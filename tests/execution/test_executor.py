"""The order of the checks of a call, the shapes of calls, and the arguments that the function gets."""

from __future__ import annotations

import asyncio
import copy
import enum
import json
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry import Executor, Problem, Registry, Tool, ToolCall, ToolResult, fc_register
from fcregistry.errors import DefinitionError, DuplicateToolError, ToolCallError, ToolChangedError, ToolNotFoundError

Find = Callable[..., dict[str, Any]]


def find(query: str, limit: int = 10, mode: Literal["semantic", "keyword"] = "semantic") -> dict[str, Any]:
    """Find something."""
    return {"query": query, "limit": limit, "mode": mode}


def nothing() -> None:
    """Do nothing."""


def flexible(query: str, **options: Any) -> dict[str, Any]:
    """Take anything."""
    return {"query": query, **options}


def anything(value: Any = None) -> Any:
    """Return what is given."""
    return value


EXECUTOR = Executor([find, nothing, flexible, anything])


def run(call: object) -> ToolResult:
    """Run a call by each of the four methods, check that the results are equal, and return the first."""
    results = [
        EXECUTOR.run(call),
        asyncio.run(EXECUTOR.arun(call)),
        EXECUTOR.run_all([call])[0],
        asyncio.run(EXECUTOR.arun_all([call, call]))[1],
    ]
    assert len({(each.content, each.ok, each.error and each.error.code) for each in results}) == 1
    return results[0]


def code(result: ToolResult) -> str:
    """Return the code of a failed result."""
    assert result.error is not None
    assert not result.ok
    assert result.value is None
    assert result.content == result.error.text
    return result.error.code


# --- what is a call -------------------------------------------------------------------------------


class Raising:
    @property
    def function(self) -> object:
        raise RuntimeError("no function here")

    @property
    def name(self) -> object:
        raise RuntimeError("no name here")


@pytest.mark.parametrize(
    "call",
    [
        ToolCall("find", {"query": "q"}, "7"),
        ToolCall("find", '{"query": "q"}', "7"),
        {"name": "find", "arguments": {"query": "q"}, "id": "7"},
        {"name": "find", "arguments": '{"query": "q"}', "id": "7"},
        {"id": "7", "type": "function", "function": {"name": "find", "arguments": '{"query": "q"}'}},
        {"type": "tool_use", "id": "7", "name": "find", "input": {"query": "q"}},
        {"type": "function_call", "id": "fc_1", "call_id": "7", "name": "find", "arguments": '{"query": "q"}'},
        SimpleNamespace(id="7", type="function", function=SimpleNamespace(name="find", arguments='{"query": "q"}')),
        SimpleNamespace(id="7", type="tool_use", name="find", input={"query": "q"}),
    ],
)
def test_a_call_is_read_in_every_providers_shape(call: object) -> None:
    result = run(call)

    assert result.value == {"query": "q", "limit": 10, "mode": "semantic"}
    assert result.call is not None
    assert (result.call.name, result.call.id) == ("find", "7")


@pytest.mark.parametrize(
    "call",
    [
        None,
        {},
        [],
        "find",
        b"find",
        0,
        1.5,
        True,
        float("nan"),
        object(),
        Raising(),
        find,
        {"function": None},
        {"function": []},
        {"function": {}},
        {"function": "find"},
        {"arguments": {"query": "q"}},
        {"name": None, "arguments": "{}"},
        {"name": 123, "arguments": "{}"},
        {"name": 10**5000, "arguments": "{}"},
        {"name": True},
        {"name": [], "arguments": "{}"},
        {"name": {}, "arguments": "{}"},
        {"name": "", "arguments": "{}"},
        {"name": "   ", "arguments": "{}"},
        {"name": " " * 1_000_000},
        {"name": b"find"},
        {"function": {"name": None, "arguments": "{}"}},
        SimpleNamespace(function=SimpleNamespace(name=None, arguments=None)),
        ToolCall(None),  # type: ignore[arg-type]
        ToolCall([]),  # type: ignore[arg-type]
        ToolCall("  "),
    ],
    ids=lambda value: (str(list(value)) if isinstance(value, dict) else repr(value).partition(" at 0x")[0])[:40],
)
def test_a_value_that_is_not_a_call_gives_a_failed_result(call: object) -> None:
    result = run(call)

    assert code(result) == "malformed_call"
    assert result.tool is None
    assert len(result.content) < 400


def test_a_malformed_call_keeps_its_id_so_that_it_can_be_answered() -> None:
    result = run({"id": "7", "function": {"name": None}})

    assert result.call is not None
    assert result.call.id == "7"


@pytest.mark.parametrize("given", [{"parameters": {"value": 1}}, {"value": 1}])
def test_a_call_with_arguments_in_the_wrong_place_does_not_run(given: dict[str, Any]) -> None:
    """Without them, the tool would do something that the model did not mean."""
    ran: list[int] = []
    executor = Executor([Tool.from_function(lambda value=0: ran.append(value), name="watched", parameters={})])
    for call in ({"name": "watched", **given}, {"id": "1", "function": {"name": "watched", **given}}):
        result = executor.run(call)
        assert code(result) == "malformed_call"
        assert 'has no "arguments", and ' in result.content
    assert ran == []
    assert executor.run({"name": "watched", "id": "1", "type": "function", "index": 0, "status": "done"}).ok
    assert ran == [0]


# --- in which order it is judged ------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{"query": "q"}, "{not-json", None, "[]", [1], 42, {"wrong": 1}])
def test_an_unknown_tool_is_reported_before_its_arguments_are_looked_at(arguments: object) -> None:
    result = run({"name": "fnid", "arguments": arguments})

    assert code(result) == "unknown_tool"
    assert result.call is not None
    assert result.call.name == "fnid"


@pytest.mark.parametrize("arguments", [42, ["q"], True, 1.5])
def test_arguments_that_are_not_an_object_are_malformed_and_the_result_has_the_tool(arguments: object) -> None:
    for call in ({"name": "find", "arguments": arguments}, ToolCall("find", arguments)):  # type: ignore[arg-type]
        result = run(call)

        assert code(result) == "malformed_call"
        assert "must be a JSON object" in result.content
        assert result.tool is EXECUTOR.tools["find"]


@pytest.mark.parametrize(
    "call", [{"name": "find"}, {"name": "find", "arguments": ""}, {"name": "find", "arguments": None}]
)
def test_missing_arguments_are_none_and_then_validated(call: dict[str, Any]) -> None:
    result = run(call)

    assert code(result) == "invalid_arguments"
    assert result.error is not None
    assert result.error.problems == (Problem("$.query", "is required"),)


@pytest.mark.parametrize("arguments", ["", None, "null", "{}", {}, " ", "absent"])
def test_a_tool_without_parameters_runs_however_a_model_writes_no_arguments(arguments: object) -> None:
    call = {"name": "nothing"} if arguments == "absent" else {"name": "nothing", "arguments": arguments}

    result = run(call)
    assert result.ok
    assert result.value is None
    assert result.content == "null"
    assert result.arguments == {}


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        (
            {"limit": "many"},
            (Problem("$.limit", 'must be an integer, not "many"'), Problem("$.query", "is required")),
        ),
        (
            {"query": "q", "mode": "hybrid"},
            (Problem("$.mode", 'must be one of "semantic", "keyword", not "hybrid"'),),
        ),
        ({"query": "q", "qurey": 1}, (Problem("$.qurey", 'is not a known name; did you mean "query"?'),)),
        ({"query": "q", "limit": "5"}, (Problem("$.limit", 'must be an integer, not "5"'),)),
        ({"query": "q", "limit": True}, (Problem("$.limit", "must be an integer, not true"),)),
        ({"query": "q", "limit": 2.5}, (Problem("$.limit", "must be an integer, not 2.5"),)),
        ({"query": 5}, (Problem("$.query", "must be a string, not 5"),)),
    ],
)
def test_every_problem_of_the_arguments_is_reported_with_its_path(
    arguments: dict[str, Any], problems: tuple[Problem, ...]
) -> None:
    for given_arguments in (arguments, json.dumps(arguments)):
        result = run({"name": "find", "arguments": given_arguments})

        assert code(result) == "invalid_arguments"
        assert result.error is not None
        assert result.error.problems == problems
        assert result.arguments is None


@pytest.mark.parametrize("text", ['{"path": {"p": 1}, "dry_run": true', '{"query": "q"', '{"query": "q', "{"])
def test_arguments_that_are_cut_off_are_refused_and_the_tool_is_not_run(text: str) -> None:
    ran = []

    def watched(**all_of_it: Any) -> None:
        ran.append(1)

    result = Executor([watched]).run({"name": "watched", "arguments": text})

    assert code(result) == "malformed_call"
    assert result.content.startswith("the arguments are cut off")
    assert ran == []


@pytest.mark.parametrize("deep", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_arguments_nested_too_deeply_are_refused_also_if_any_value_is_valid(deep: str) -> None:
    assert code(run({"name": "anything", "arguments": f'{{"value": {deep}}}'})) == "malformed_call"


def test_a_value_of_the_deepest_nesting_makes_the_round_trip() -> None:
    deep: list[Any] = []
    for _ in range(98):
        deep = [deep]

    result = run({"name": "anything", "arguments": {"value": deep}})
    assert result.value == deep
    assert json.loads(result.content) == deep


def test_halves_of_surrogate_pairs_do_no_harm() -> None:
    assert run({"name": "anything", "arguments": '{"value": ["\\ud800"]}'}).content == '["\\ud800"]'
    assert code(run({"name": "anything", "arguments": '{"\\ud800": 1}'})) == "invalid_arguments"
    assert code(run({"name": "find", "arguments": {"query": "q", "mode": "\udfff"}})) == "invalid_arguments"
    assert code(run({"name": "\ud800"})) == "unknown_tool"


def test_an_unset_variable_is_reported_before_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FCR_TEST_KEY", raising=False)
    executor = Executor([Tool.from_function(find, requires_env="FCR_TEST_KEY")])
    assert executor.describe() == []
    call = {"name": "find", "arguments": "{not-json"}

    assert code(executor.run(call)) == "unavailable"
    monkeypatch.setenv("FCR_TEST_KEY", "x")
    assert code(executor.run(call)) == "malformed_call"


def test_both_validators_report_the_same_problems() -> None:
    record = Executor([find], validator="jsonschema")

    for arguments in ({"limit": "many", "x": 1}, {"query": 1, "mode": "hybrid"}, {"query": "q", "limit": True}):
        call = {"name": "find", "arguments": arguments}
        assert record.run(call).content == EXECUTOR.run(call).content


# --- what was given stays as it was ---------------------------------------------------------------


def greedy(items: list[int], table: dict[str, int]) -> int:
    """Change what it is given."""
    items.append(99)
    table.clear()
    return len(items)


def test_the_callers_own_objects_are_never_changed() -> None:
    call = {"name": "greedy", "arguments": {"items": [1, 2], "table": {"a": 1}}}
    before = copy.deepcopy(call)
    executor = Executor([greedy])

    assert [executor.run(call).value for _ in range(3)] == [3, 3, 3]
    assert call == before


def test_the_result_has_the_call_the_tool_and_the_arguments() -> None:
    result = EXECUTOR.run({"name": "find", "arguments": {"query": "q", "limit": 3}})

    assert result.tool is EXECUTOR.tools["find"]
    assert result.call == ToolCall("find", {"query": "q", "limit": 3})
    assert result.arguments == {"query": "q", "limit": 3}
    assert result.duration >= 0
    assert result.repairs == ()


# --- typed values ---------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Filters(TypedDict, total=False):
    limit: int


class Pair(NamedTuple):
    left: int
    right: int = 0


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Route:
    start: Point
    stops: list[Point] = field(default_factory=list)
    named: dict[str, Point] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("annotation", "encoded", "value"),
    [
        (Point, {"x": 1, "y": 2}, Point(1, 2)),
        (Point, {"x": 1}, Point(1)),
        (Colour, "red", Colour.RED),
        (Level, 1, Level.LOW),
        (datetime, "2024-05-01T12:00:00Z", datetime(2024, 5, 1, 12, tzinfo=UTC)),
        (date, "2024-05-01", date(2024, 5, 1)),
        (UUID, "12345678-1234-5678-1234-567812345678", UUID("12345678-1234-5678-1234-567812345678")),
        (Decimal, "0.10", Decimal("0.10")),
        (set[int], [1, 2], {1, 2}),
        (frozenset[str], ["a"], frozenset({"a"})),
        (tuple[int, str], [1, "a"], (1, "a")),
        (Pair, {"left": 1}, Pair(1)),
        (Filters, {"limit": 3}, {"limit": 3}),
        (list[Point], [{"x": 1}], [Point(1)]),
        (Point | None, None, None),
        (
            Route,
            {"start": {"x": 1, "y": 0}, "stops": [{"x": 2, "y": 3}], "named": {"home": {"x": 4, "y": 5}}},
            Route(Point(1), [Point(2, 3)], {"home": Point(4, 5)}),
        ),
    ],
    ids=str,
)
def test_the_function_gets_values_of_its_annotated_types(annotation: Any, encoded: Any, value: Any) -> None:
    seen: list[Any] = []

    def takes(it):  # type: ignore[no-untyped-def]
        seen.append(it)

    takes.__annotations__ = {"it": annotation}
    result = Executor([takes]).run({"name": "takes", "arguments": {"it": encoded}})

    assert result.ok, result.content
    assert seen == [value]
    assert type(seen[0]) is type(value)
    assert result.arguments == {"it": value}


def test_a_graph_of_dataclasses_is_rebuilt_exactly() -> None:
    encoded = {"start": {"x": 1, "y": 0}, "stops": [{"x": 2, "y": 3}], "named": {"home": {"x": 4, "y": 5}}}

    def through(route: Route) -> Route:
        return route

    result = Executor([through]).run({"name": "through", "arguments": {"route": encoded}})
    assert asdict(result.value) == encoded == json.loads(result.content)


@dataclass
class Even:
    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ValueError(f"{self.number} is odd")


def halve(evens: list[Even]) -> int:
    return len(evens)


def test_a_value_that_its_class_refuses_is_a_problem_of_the_arguments() -> None:
    result = Executor([halve]).run({"name": "halve", "arguments": {"evens": [{"number": 2}, {"number": 3}]}})
    assert code(result) == "invalid_arguments"
    assert result.error is not None
    assert result.error.problems[0].path == "$.evens[1]"
    assert "3 is odd" in result.content


def all_kinds(first: int, /, second: int = 2, *rest: int, key: str = "k", **more: int) -> list[Any]:
    """Show what arrived where."""
    return [first, second, list(rest), key, more]


@pytest.mark.parametrize(
    ("arguments", "arrived"),
    [
        ({"first": 1}, [1, 2, [], "k", {}]),
        ({"first": 1, "second": 5}, [1, 5, [], "k", {}]),
        ({"first": 1, "rest": [7, 8]}, [1, 2, [7, 8], "k", {}]),
        ({"first": 1, "rest": [], "other": 3}, [1, 2, [], "k", {"other": 3}]),
        ({"rest": [7], "key": "x", "first": 1}, [1, 2, [7], "x", {}]),
    ],
)
def test_every_kind_of_parameter_gets_its_own_value(arguments: dict[str, Any], arrived: list[Any]) -> None:
    executor = Executor([all_kinds])

    assert executor.run({"name": "all_kinds", "arguments": arguments}).value == arrived
    assert executor.call("all_kinds", **arguments).value == arrived


def test_unknown_arguments_reach_a_function_that_takes_them() -> None:
    assert run({"name": "flexible", "arguments": {"query": "q", "provider": "git"}}).value == {
        "query": "q",
        "provider": "git",
    }


# --- from Python ----------------------------------------------------------------------------------


def test_a_call_from_python_takes_typed_values_and_gives_the_value_or_the_error() -> None:
    def shift(point: Point, colour: Colour = Colour.RED, day: date | None = None) -> Point:
        return Point(point.x + 1, point.y)

    executor = Executor([shift])
    assert executor.call("shift", point=Point(1), colour=Colour.RED, day=date(2024, 5, 1)).unwrap() == Point(2)
    with pytest.raises(ToolCallError, match=r"\$\.point: is required"):
        executor.call("shift").unwrap()
    with pytest.raises(ToolCallError, match=r"\$\.point: must be an object, not 1"):
        executor.call("shift", point=1).unwrap()
    with pytest.raises(ToolCallError, match=r"there is no tool 'shfit'; did you mean 'shift'"):
        executor.call("shfit", point=1).unwrap()


def test_a_python_value_without_a_json_form_is_a_problem_of_the_arguments() -> None:
    result = EXECUTOR.call("anything", value=object())

    assert code(result) == "invalid_arguments"
    assert result.error is not None
    assert result.error.problems == (Problem("$.value", "a value of type builtins.object has no JSON form"),)


def test_a_tool_may_have_a_parameter_called_name_or_self() -> None:
    def greet(name: str, self: int = 1) -> str:
        return f"{name} {self}"

    executor = Executor([greet])
    assert executor.call("greet", name="Ada").unwrap() == "Ada 1"


def test_a_failure_that_is_unwrapped_has_the_tools_exception_as_its_cause() -> None:
    def fails() -> None:
        raise PermissionError("no")

    with pytest.raises(ToolCallError) as caught:
        Executor([fails]).call("fails").unwrap()
    assert isinstance(caught.value.__cause__, PermissionError)


# --- making an executor ---------------------------------------------------------------------------


def other() -> int:
    """Do something else."""
    return 1


def broken(cb: Callable[[], int]) -> None:
    """Cannot be defined."""


def test_an_executor_takes_names_selectors_functions_tools_toolsets_and_lists_of_these() -> None:
    isolated = Registry()
    isolated.register(find)
    isolated.register(nothing, group="group")
    isolated.register(other, tags=("tag",))

    for tools in ("find", ["find"], find, [find], isolated.get("find"), isolated.select("find"), [[["find"]], find]):
        assert list(Executor(tools, registry=isolated).tools) == ["find"]
    assert list(Executor(["*", "!find"], registry=isolated).tools) == ["nothing", "other"]
    assert list(Executor(["group.*", "tag=tag", flexible], registry=isolated).tools) == ["flexible", "nothing", "other"]
    assert list(Executor().tools) == []


def test_a_declared_function_means_the_tool_that_it_was_declared_as() -> None:
    isolated = Registry()
    isolated.register(find, name="search_all", description="Declared.")

    executor = Executor([find], registry=isolated)
    assert executor.tools["search_all"] is isolated.get("search_all")


@pytest.mark.parametrize("thing", [123, None, object(), Point, [123], [[None]], b"find", {"find": find}, [{"a": 1}]])
def test_an_object_that_is_not_a_tool_is_refused_when_the_executor_is_made(thing: Any) -> None:
    element = thing
    while isinstance(element, list):
        element = element[0]

    element = element[0] if isinstance(element, bytes) else element
    advice = "; register an instance's methods with register_object" if isinstance(element, type) else ""
    if isinstance(element, dict):
        advice = "; give a list of its values: Tool.from_function(…, name=…) names a tool"

    with pytest.raises(DefinitionError) as caught:
        Executor(thing)
    assert " at 0x" not in str(caught.value)  # an address says nothing, and is another one in each run
    assert str(caught.value) == (
        f"{re.sub(' at 0x[0-9a-f]+', '', repr(element))} is not a tool: "
        f"give a name, a selector, a function, a Tool or a toolset{advice}"
    )


def test_a_group_of_a_registry_means_its_own_tools_whatever_others_are_called() -> None:
    isolated = Registry()
    isolated.register(find, group="files")
    isolated.register(nothing, "find", group="web")

    assert Executor(isolated["web"]).tools["find"].id == "web.find"
    assert Executor([isolated["files"]], registry=isolated).tools["find"].id == "files.find"


class Marked:
    @fc_register
    def method(self) -> int:
        """Do something to it."""
        return 1


def test_an_object_with_marked_methods_is_refused_with_how_they_are_registered() -> None:
    with pytest.raises(DefinitionError, match=r"; register an instance's methods with register_object$"):
        Executor([Marked()])  # type: ignore[list-item]


def test_mistakes_of_the_programmer_raise_when_the_executor_is_made() -> None:
    isolated = Registry()
    with pytest.raises(ToolNotFoundError, match="there is no tool 'no_such'"):
        Executor(["no_such"], registry=isolated)
    with pytest.raises(DuplicateToolError, match="two tools have one name: 'find'"):
        Executor([find, Tool.from_function(other, name="find")])
    with pytest.raises(DefinitionError, match="parameter 'cb'"):
        Executor([broken])
    with pytest.raises(ValueError, match="max_concurrency must be a whole number of at least 1, not 0"):
        Executor(max_concurrency=0)
    with pytest.raises(TypeError, match="approve must be a function of the tool and the call, not 5"):
        Executor(approve=5)  # type: ignore[arg-type]


def test_tools_are_bound_when_the_executor_is_made() -> None:
    isolated = Registry()
    isolated.register(find)
    executor = Executor(["*"], registry=isolated)
    isolated.register(other)
    isolated.remove("find")

    assert list(executor.tools) == ["find"]
    assert executor.call("find", query="q").ok
    assert executor.call("other").error is not None


def test_an_executor_shows_its_tools() -> None:
    assert repr(EXECUTOR) == "<Executor of anything, find, flexible, nothing>"
    assert repr(Executor()) == "<Executor of no tools>"
    assert [each["function"]["name"] for each in EXECUTOR.describe()] == ["anything", "find", "flexible", "nothing"]
    assert [each["name"] for each in EXECUTOR.describe("anthropic")] == ["anything", "find", "flexible", "nothing"]


def test_many_threads_share_one_executor() -> None:
    executor, together = Executor([find]), threading.Barrier(16)
    values: list[Any] = []

    def work(number: int) -> None:
        together.wait(30)
        values.append(executor.run({"name": "find", "arguments": {"query": str(number)}}).value["query"])

    workers = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    assert sorted(values, key=int) == [str(number) for number in range(16)]


# --- for all --------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
call_parts = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["find", "anything", "nothing"]) | json_values,
        "arguments": st.text(max_size=20) | json_values,
        "input": json_values,
        "id": json_values,
        "type": json_values,
        "function": json_values | st.fixed_dictionaries({"name": st.just("find"), "arguments": json_values}),
    },
)


@given(json_values | call_parts)
def test_any_json_value_as_a_call_gives_a_result(call: object) -> None:
    result = EXECUTOR.run(call)

    assert isinstance(result, ToolResult)
    assert result.ok or result.error is not None


@given(st.text() | json_values.map(json.dumps), st.sampled_from(["find", "anything", "nothing", "flexible"]))
def test_any_text_as_arguments_gives_a_result(text: str, name: str) -> None:
    result = EXECUTOR.run({"name": name, "arguments": text})

    assert isinstance(result, ToolResult)
    assert isinstance(result.content, str)
    json.dumps(result.to_json())


@given(st.dictionaries(st.text(max_size=5) | st.sampled_from(["query", "limit", "mode"]), json_values, max_size=4))
def test_any_object_as_arguments_gives_a_result_and_stays_as_it_is(arguments: Mapping[str, Any]) -> None:
    before = repr(arguments)
    for name in ("find", "anything", "flexible"):
        assert isinstance(EXECUTOR.run(ToolCall(name, arguments)), ToolResult)
    assert repr(arguments) == before


def test_a_tool_that_finds_out_that_it_has_changed_is_unavailable() -> None:
    def read() -> str:
        """Read."""
        raise ToolChangedError("read has changed (schema_changed)")

    error = Executor([read]).call("read").error
    assert error is not None
    assert (error.code, error.message) == (
        "unavailable",
        "the tool is not available: read has changed (schema_changed)",
    )

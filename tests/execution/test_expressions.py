"""Calls written as Python: typed, at the same time where possible, and only if all of them may run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Context, Executor, Tool, ToolCall, ToolResult, hookimpl
from fcregistry.errors import DefinitionError, ToolError
from fcregistry.execution import Approve, CancellationToken, Deny, Policy
from fcregistry.expressions import parse_call, parse_calls


@dataclass
class Point:
    x: int
    y: int


ran: list[str] = []


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    ran.clear()


def problem_paths(result: ToolResult) -> list[str]:
    """Return the places of what is wrong with a call's arguments."""
    assert result.error is not None
    return [problem.path for problem in result.error.problems]


def add(a: int, b: int) -> int:
    """Add."""
    ran.append("add")
    return a + b


def multiply(a: int, b: int) -> int:
    """Multiply."""
    ran.append("multiply")
    return a * b


def divide(a: int, b: int) -> float:
    """Divide."""
    ran.append("divide")
    return a / b


def middle(p1: Point, p2: Point) -> Point:
    """Return the point between two."""
    return Point((p1.x + p2.x) // 2, (p1.y + p2.y) // 2)


def total(numbers: list[float]) -> float:
    """Add all."""
    return sum(numbers)


def opaque() -> object:
    """Return what has no JSON form."""
    return object()


async def later(value: int) -> int:
    """Return it, later."""
    await asyncio.sleep(0)
    return value


def delete(name: str) -> str:
    """Delete something."""
    ran.append("delete")
    return f"{name} is gone"


def pick() -> str:
    """Pick a name."""
    ran.append("pick")
    return "old.txt"


DELETE = Tool.from_function(delete, requires_approval=True)
TOOLS: list[Any] = [add, multiply, divide, middle, total, later, pick, DELETE]
Run = Callable[..., ToolResult]


@pytest.fixture(params=["run_expression", "arun_expression"])
def run(request: pytest.FixtureRequest) -> Run:
    """Return a function that runs an expression, sync or async."""

    def carried_out(executor: Executor, text: Any, **given: Any) -> ToolResult:
        if request.param == "run_expression":
            return executor.run_expression(text, **given)
        return asyncio.run(executor.arun_expression(text, **given))

    return carried_out


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("add(3, 4)", 7),
        ("add(x, b=y)", 15),
        ("multiply(a=2024 - 2017, b=12)", 84),
        ("add(multiply(2, 3), 4)", 10),
        ("add(a=20, b=multiply(a=2, b=4))", 28),
        ("middle(Point(x=1, y=2), Point(3, 4))", Point(2, 3)),
        ("middle(middle(Point(0, 0), Point(4, 4)), origin)", Point(1, 1)),
        ("middle(Point(add(1, 1), 0), {'x': 4, 'y': multiply(2, 2)})", Point(3, 2)),
        ("total([add(1, 2), 0.5, later(4)])", 7.5),
        ("later(later(later(5)))", 5),
        ("total(list_of(3))", 6),
    ],
)
def test_the_value_of_an_expression_is_that_of_its_outermost_call(run: Run, text: str, value: Any) -> None:
    context = {"x": 10, "y": 5, "origin": Point(0, 0), "Point": Point}
    result = run(Executor(TOOLS), text, context=context, allow={"list_of": lambda n: list(range(1, n + 1))})
    assert result.unwrap() == value
    assert result.arguments is not None


def test_a_parsed_call_runs_too(run: Run) -> None:
    executor = Executor(TOOLS)
    for text in ("add(1, 2)", "add(multiply(1, 1), 2)"):
        assert run(executor, parse_call(text, tools=executor.tools)).value == 3


@pytest.mark.parametrize(
    ("text", "code", "end"),
    [
        (
            "lambda: 1",
            "malformed_call",
            "the expression is not a valid call; nothing was run:\n- $: a function (`lambda`) is not allowed (line 1, column 1)",
        ),
        (
            "ad(1, 2)",
            "unknown_tool",
            "the expression is not a valid call; nothing was run:\n- $: there is no tool 'ad'; did you mean 'add'? (line 1, column 1)",
        ),
        (
            "middle(Point(x=1j, y=2), 3)",
            "invalid_arguments",
            (
                "the expression is not a valid call; nothing was run:\n"
                "- $.p1.x: a value of type builtins.complex has no JSON form (line 1, column 8)"
            ),
        ),
        (
            "add(1, 'x')",
            "invalid_arguments",
            '- $.b: must be an integer, not "x"',
        ),
        (
            "add(divide(1, 0), 2)",
            "tool_failed",
            "add was not run, because it needs the result of divide, which failed: ZeroDivisionError: division by zero",
        ),
        (
            "add(divide(1, 2), 2)",
            "invalid_arguments",
            "- $.a: must be an integer, not 0.5",
        ),
        (
            "add(middle(Point(0, 0), Point(0, 0)), 2)",
            "invalid_arguments",
            '- $.a: must be an integer, not {"x": 0, "y": 0}',
        ),
    ],
)
def test_an_expression_that_is_not_valid_gives_a_failed_result_for_the_model(
    run: Run, text: str, code: str, end: str
) -> None:
    result = run(Executor(TOOLS), text)
    assert result.error is not None
    assert result.error.code == code
    assert result.content.endswith(end)


def test_nothing_runs_if_one_call_of_the_expression_is_not_valid(run: Run) -> None:
    """All arguments except the results of inner calls are checked before these run."""
    result = run(Executor(TOOLS), "add(multiply(1, 2), add(multiply(3, 'x'), 4))")
    assert ran == []
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert problem_paths(run(Executor(TOOLS), "add(multiply(1, 2), 'x')")) == ["$.b"]
    assert run(Executor(TOOLS), "add(a=multiply(1, 2), c=3)").error is not None
    assert ran == []


def test_the_error_names_all_calls_that_are_not_valid(run: Run) -> None:
    head, multiplied, x, added, y = run(Executor(TOOLS), "add(multiply(1, 'x'), add(3, 'y'))").content.splitlines()
    assert head == "add was not run, because these calls in the same expression were refused:"
    assert multiplied.startswith("- multiply: ")
    assert added.startswith("- add: ")
    assert (x, y) == ('- $.b: must be an integer, not "x"', '- $.b: must be an integer, not "y"')


def test_a_result_without_a_json_form_cannot_be_an_argument(run: Run) -> None:
    class Unwritable(dict[str, Any]):
        pass

    def loose() -> Any:
        """Return something."""
        return {"k": object()}

    result = run(Executor([loose, total]), "total([loose()])")
    assert result.error is not None
    assert result.error.code == "unencodable_result"


def test_bytes_of_an_inner_call_are_refused_where_the_type_does_not_say_bytes() -> None:
    """The outer function would get their base64 text in place of the bytes."""

    def read() -> bytes:
        """Read."""
        return b"abc"

    def show(value: Any) -> str:
        """Show."""
        return str(value)

    def size(data: bytes) -> int:
        """Count."""
        return len(data)

    executor = Executor([read, show, size])
    assert executor.run_expression("size(read())").value == 3
    refused = executor.run_expression("show(read())")
    assert refused.error is not None
    assert refused.error.code == "invalid_arguments"
    assert "only for a parameter of the type bytes" in refused.content


def test_a_problem_that_no_result_can_fix_is_refused_before_any_call_runs(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def join(a: int, ab: int) -> int:
        """Join."""
        return a + ab

    monkeypatch.delenv("ACME_KEY", raising=False)
    closed = Tool.from_function(add, name="closed", requires_env=["ACME_KEY"])
    executor = Executor([*TOOLS, join, closed])
    for text, code in (
        ("join(multiply(1, 2), 'x')", "invalid_arguments"),
        ("closed(multiply(1, 2), 3)", "unavailable"),
    ):
        result = run(executor, text)
        assert result.error is not None
        assert result.error.code == code
    assert ran == []


def test_missing_deps_raise_before_any_call_runs(run: Run) -> None:
    def weigh(ctx: Context[Point], value: int) -> int:
        """Weigh it."""
        return value + ctx.deps.x

    executor = Executor([weigh, multiply], deps=[Point])
    with pytest.raises(DefinitionError, match="weigh asks for Point"):
        run(executor, "weigh(multiply(2, 3))")
    assert ran == []
    assert run(executor, "weigh(multiply(2, 3))", deps=[Point(1, 2)]).value == 7


def test_no_more_than_max_concurrency_calls_of_an_expression_run_at_the_same_time(run: Run) -> None:
    running: list[str] = []
    most: list[int] = []

    async def work(name: str) -> str:
        """Work."""
        running.append(name)
        for _ in range(5):
            await asyncio.sleep(0)
            most.append(len(running))
        running.remove(name)
        return name

    executor = Executor([work, pair], max_concurrency=2)
    text = "pair(pair(work('a'), work('b')), pair(work('c'), work(work('d'))))"
    assert run(executor, text).value == "abcd"
    assert max(most) == 2


def test_repairs_of_a_call_are_kept_until_it_has_its_results(run: Run) -> None:
    def put(numbers: list[int], more: int) -> int:
        """Put."""
        return sum(numbers) + more

    result = run(Executor([put, multiply]), "put('[1, 2]', multiply(2, 3))")
    assert result.value == 9
    assert len(result.repairs) == 1


def test_an_error_of_an_inner_call_is_passed_on_whole(run: Run) -> None:
    def busy() -> int:
        """Be busy."""
        raise ToolError("try again", retryable=True)

    result = run(Executor([busy, add]), "add(busy(), 1)")
    assert result.error is not None
    assert (result.error.code, result.error.retryable) == ("tool_failed", True)
    assert isinstance(result.error.exception, ToolError)


def test_calls_that_need_nothing_of_each_other_run_at_the_same_time(run: Run) -> None:
    """Each call waits for the others, so one after the other they would wait for ever."""
    barrier = threading.Barrier(3, timeout=20)

    def meet(name: str) -> str:
        """Meet the others."""
        barrier.wait()
        return name

    def joined(names: list[str]) -> str:
        """Join them."""
        return "".join(names)

    assert run(Executor([meet, joined]), "joined([meet('a'), meet('b'), joined([meet('c')])])").value == "abc"


def test_calls_that_conflict_do_not_run_at_the_same_time(run: Run) -> None:
    """Also if the conflict is known only once they have their results. Two calls that met at the barrier would have run together."""
    barrier = threading.Barrier(2)
    met: list[str] = []

    def write(text: str) -> str:
        """Write."""
        try:
            barrier.wait(0.1)
        except threading.BrokenBarrierError:
            barrier.reset()
        else:
            met.append(text)
        return text

    def same(text: str) -> str:
        """Return it."""
        return text

    executor = Executor([Tool.from_function(write, writes="file"), same, pair])
    assert run(executor, "pair(write('a'), write('b'))").value == "ab"
    assert run(executor, "pair(write(same('c')), write(same('d')))").value == "cd"
    assert met == []


def test_a_tool_with_blocking_caller_runs_on_the_thread_of_the_caller() -> None:
    here = threading.get_ident()

    def where(after: int = 0) -> bool:
        """Tell whether it runs here."""
        return threading.get_ident() == here

    tool = Tool.from_function(where, blocking="caller")

    def both(a: bool, b: bool, c: int) -> bool:
        """Tell whether both."""
        return a and b

    executor = Executor([tool, both, multiply])
    assert executor.run_expression("both(where(), where(multiply(1, 2)), multiply(2, 3))").unwrap() is True


# --- approval -------------------------------------------------------------------------------------


def test_the_approver_sees_placeholders_for_results_before_anything_runs(run: Run) -> None:
    asked: list[Any] = []

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.append((tool.name, call.arguments, list(ran)))
        return True

    result = run(Executor(TOOLS, approve=approve), "delete(pick())")
    assert asked == [("delete", {"name": {"$result": "call-1"}}, [])]
    assert result.value == "old.txt is gone"
    assert result.approval is not None
    assert result.approval.approved
    assert ran == ["pick", "delete"]


def test_nothing_of_an_expression_runs_if_one_call_is_not_approved(run: Run) -> None:
    denied = run(Executor(TOOLS, approve=lambda tool, call: Deny("it is still needed")), "delete(pick())")
    assert denied.error is not None
    assert denied.error.code == "denied"
    assert "it is still needed" in denied.content
    nobody = run(Executor([*TOOLS, pair]), "pair(delete(pick()), delete('a'))")
    assert nobody.content.startswith("pair was not run, because delete in the same expression was refused: ")
    assert ran == []


def test_a_call_beside_one_that_is_refused_does_not_run_either(run: Run) -> None:
    result = run(Executor([*TOOLS, pair]), "pair(pick(), delete('a'))")
    assert ran == []
    assert result.error is not None
    assert result.error.code == "approval_required"


def pair(a: str, b: str) -> str:
    """Join two."""
    return a + b


def test_a_policy_that_denies_an_inner_call_refuses_the_whole_expression(run: Run) -> None:
    result = run(Executor(TOOLS, policy=Policy(deny=["multiply"])), "add(multiply(1, 2), divide(4, 2))")
    assert ran == []
    assert result.error is not None
    assert result.error.code == "denied"


def test_approval_that_depends_on_arguments_is_needed_if_they_are_not_known_yet(run: Run) -> None:
    asked: list[Any] = []
    tool = Tool.from_function(delete, requires_approval=lambda arguments: arguments["name"] == "plan.txt")

    def approve(tool: Tool, call: ToolCall) -> bool:
        asked.append(call.arguments)
        return True

    executor = Executor([tool, pick], approve=approve)
    assert run(executor, "delete('old.txt')").ok
    assert asked == []
    assert run(executor, "delete(pick())").ok
    assert asked == [{"name": {"$result": "call-1"}}]


def test_a_policy_that_denies_applies_also_if_approval_depends_on_results(run: Run) -> None:
    tool = Tool.from_function(delete, requires_approval=lambda arguments: False)
    executor = Executor([tool, pick], policy=Policy(deny=["delete"]), approve=lambda tool, call: True)
    denied = run(executor, "delete(pick())")
    assert denied.error is not None
    assert denied.error.code == "denied"
    assert ran == []


def test_arguments_of_an_approver_may_keep_the_placeholders(run: Run) -> None:
    def approve(tool: Tool, call: ToolCall) -> Approve:
        assert isinstance(call.arguments, dict)
        return Approve({**call.arguments, "b": 100})

    guarded = Tool.from_function(add, name="guarded", requires_approval=True)
    executor = Executor([guarded, multiply], approve=approve)
    assert run(executor, "guarded(multiply(2, 3), 4)").value == 106
    replaced = Executor([guarded, multiply], approve=lambda tool, call: Approve({"a": 1, "b": 2}))
    assert run(replaced, "guarded(multiply(2, 3), 4)").value == 3
    wrong = Executor([guarded, multiply], approve=lambda tool, call: Approve({"a": 1, "b": "x"}))
    assert not run(wrong, "guarded(multiply(2, 3), 4)").ok
    kept = Executor([guarded, multiply], approve=lambda tool, call: Approve({"a": call.arguments["a"], "b": "x"}))  # type: ignore[index]
    for executor in (wrong, kept):
        assert problem_paths(run(executor, "guarded(multiply(2, 3), 4)")) == ["$.b"]
    assert ran == ["multiply", "add", "multiply", "add"]


def test_hooks_see_each_call_with_its_results_in_place(run: Run) -> None:
    seen: list[Any] = []

    class Hooks:
        @hookimpl
        def fc_before_call(self, tool: Tool, call: ToolCall) -> None:
            seen.append((tool.name, call.arguments))

    assert run(Executor(TOOLS, hooks=[Hooks()]), "add(multiply(2, 3), 4)").value == 10
    assert seen == [("multiply", {"a": 2, "b": 3}), ("add", {"a": 6, "b": 4})]


def test_an_expression_that_is_cancelled_runs_nothing(run: Run) -> None:
    token = CancellationToken()
    token.cancel("enough")
    result = run(Executor(TOOLS), "add(multiply(2, 3), 4)", cancellation=token)
    assert result.error is not None
    assert result.error.code == "cancelled"
    assert ran == []


def test_an_interrupt_in_a_tool_is_raised() -> None:
    def interrupted(a: int = 0) -> int:
        """Be interrupted."""
        raise KeyboardInterrupt

    executor = Executor([interrupted, add])
    for text in ("add(interrupted(), 1)", "add(interrupted(), interrupted(1))", "add(add(1, 2), interrupted())"):
        with pytest.raises(KeyboardInterrupt):
            executor.run_expression(text)


def test_an_interrupt_ends_the_calls_that_run_elsewhere() -> None:
    begun, ended = threading.Event(), threading.Event()

    async def endless() -> int:
        """Never end."""
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return 0

    def interrupted() -> int:
        """Be interrupted."""
        begun.wait(20)
        raise KeyboardInterrupt

    executor = Executor([endless, Tool.from_function(interrupted, blocking="caller"), add])
    with pytest.raises(KeyboardInterrupt):
        executor.run_expression("add(endless(), interrupted())")
    assert ended.wait(20)


# --- several --------------------------------------------------------------------------------------


@pytest.fixture(params=["run_expressions", "arun_expressions"])
def run_all(request: pytest.FixtureRequest) -> Callable[..., list[ToolResult]]:
    """Return a function that runs expressions, sync or async."""

    def carried_out(executor: Executor, text: Any, **given: Any) -> list[ToolResult]:
        if request.param == "run_expressions":
            return executor.run_expressions(text, **given)
        return asyncio.run(executor.arun_expressions(text, **given))

    return carried_out


def test_each_expression_of_a_list_has_a_result(run_all: Callable[..., list[ToolResult]]) -> None:
    executor = Executor(TOOLS)
    results = run_all(
        executor, "[add(1, 2), add(multiply(2, 3), x), divide(1, 0), add(divide(1, 0), 1)]", context={"x": 4}
    )
    assert [each.value for each in results] == [3, 10, None, None]
    assert [each.ok for each in results] == [True, True, False, False]
    assert [each.value for each in run_all(executor, "[add(1, 2), multiply(3, 4)]")] == [3, 12]
    assert [
        each.value for each in run_all(executor, parse_calls("[add(1, 2), add(add(1, 2), 3)]", tools=executor.tools))
    ] == [3, 6]
    assert run_all(executor, "[]") == []


def test_an_expression_that_is_refused_does_not_affect_the_others(run_all: Callable[..., list[ToolResult]]) -> None:
    results = run_all(Executor(TOOLS), "[delete(pick()), add(multiply(2, 3), 4)]")
    assert [each.ok for each in results] == [False, True]
    assert "pick" not in ran


def test_a_list_that_cannot_be_read_is_one_error_and_runs_nothing(run_all: Callable[..., list[ToolResult]]) -> None:
    (result,) = run_all(Executor(TOOLS), "[add(1, 2), add(x.y, 3)]")
    assert result.error is not None
    assert result.error.code == "malformed_call"
    assert ran == []


def test_a_value_that_is_not_an_expression_raises() -> None:
    with pytest.raises(TypeError, match="an expression is a text, or what parse_call returned, not 3"):
        Executor(TOOLS).run_expression(3)  # type: ignore[arg-type]
    for given in (None, parse_call("add(1, 2)", tools=add), parse_call("add(add(1, 2), 3)", tools=add)):
        with pytest.raises(
            TypeError, match=r"give a text or a list of what parse_call returned, not .*use run_expression"
        ):
            Executor(TOOLS).run_expressions(given)  # type: ignore[arg-type]


# --- installed tools ------------------------------------------------------------------------------


def test_a_plugin_is_imported_for_the_expression_that_names_its_tool(site: Any) -> None:
    tools = """
        from fcregistry import fc_register
        @fc_register()
        def double(value: int) -> int:
            "Double it."
            return 2 * value
    """
    site.install("acme", {"tools": "acme_tools"}, {"acme_tools.py": tools})
    named = (
        tools.replace("fc_register()", "fc_register(name='triple-it')")
        + """
        import threading
        IMPORTED_BY = threading.get_ident()
    """
    )
    site.install("named", {"tools": "named_tools"}, {"named_tools.py": named})
    site.install("broken", {"tools": "broken_tools"}, {"broken_tools.py": tools.replace("double", "halve")})
    code = """
        import asyncio, pathlib, threading
        from fcregistry import Executor
        from fcregistry.expressions import parse_call
        executor = Executor(["double", "halve", "triple-it"])
        answer = ["acme_tools" in sys.modules, executor.run_expression("double(double(4))").value]
        answer += ["acme_tools" in sys.modules, "broken_tools" in sys.modules]
        for folder in map(pathlib.Path, sys.path):
            if (folder / "broken_tools.py").exists():
                (folder / "broken_tools.py").write_text("raise OSError('gone')")
        results = [executor.run_expression("halve(halve(4))"), asyncio.run(executor.arun_expression("halve(1)"))]
        def halve(value: int) -> int:
            "Halve it."
        results += [executor.run_expression(parse_call("halve(halve(4))", tools=halve))]
        asyncio.run(executor.arun_expression("triple_it(1)"))  # nobody else on the loop waits for the import
        answer += [sys.modules["named_tools"].IMPORTED_BY == threading.get_ident()]
        answer += [each.error.code for each in results]
    """
    site.ask(
        "import fcregistry; answer = len(fcregistry.registry.select('double', 'halve', 'triple-it'))"
    )  # the index is made
    assert site.ask(code) == [False, 16, True, False, False, "unavailable", "unavailable", "unavailable"]

"""Calls on a pool: values, exceptions, and failures of the pool and of workers."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from functools import partial
from threading import Event
from traceback import format_exception
from typing import TYPE_CHECKING, Any

import pytest

import fcregistry
from fcregistry import Tool
from fcregistry.errors import DefinitionError
from fcregistry.execution._call_errors import (  # the runner alone, with pools and answers that misbehave
    REASONS,
    WorkerError,
    worker_error,
)
from fcregistry.execution._remote import PoolRunner  # the runner alone, with pools and answers that misbehave
from fcregistry.execution._wire import (  # the runner alone, with pools and answers that misbehave
    PROTOCOL,
    Request,
    read_answer,
)
from fcregistry.execution._worker import run_here  # the runner alone, with pools and answers that misbehave

from .workers import ask, install

if TYPE_CHECKING:
    from tests.conftest import Site


def add(a: int, b: int) -> int:
    return a + b


ADD = Tool.from_function(add)


@pytest.fixture(scope="module")
def site(make_site: Callable[..., Site]) -> Site:
    """A folder with the plugin whose tools are run."""
    return install(make_site())


# --- what tools give and raise ------------------------------------------------------------------------

CALLS = """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    import os
    from fcregistry import Executor, ToolCall

    def run(pool, what, arguments):
        one = tool(what) if isinstance(what, str) else what
        return Executor(one, pool=pool).run(ToolCall(one.name, arguments))

    def calls():
        yield "add", "add", {"a": 1, "b": 2}
        yield "async", "maths.slow.add_async", {"a": 1, "b": 2}
        yield "renamed", tool("add").renamed("plus"), {"a": 1, "b": 2}
        yield "items", "items", {"count": 2}
        yield "async items", "async_items", {"count": 2}
        yield "point", "mirror", {"point": {"x": 1, "y": "2.50"}}
        yield "exact", "exact", '{"numbers": [1.10, "2.20", 3, 0.1000000000000000000001]}'
        yield "wrong", "wrong", {}
        yield "pid", "pid", {}
        yield "measured", "measured", {"point": {"x": 1, "y": "2"}}
        yield "handle", "handle", {}
        yield "keyed", "keyed", {}
        yield "only", "only", {"path": str(os.getpid())}
        for kind in ("none", "false", "empty", "text", "bytes", "path", "nested", "content", "contents", "output", "hidden",
                     "nan"):
            yield f"give {kind}", "give", {"kind": kind}
        for kind in ("value", "told", "exit", "interrupt", "unspeakable", "time", "group", "unpicklable"):
            yield f"fail {kind}", "fail", {"kind": kind}

    if __name__ == "__main__":
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            answer = {name: show(run(pool, what, arguments)) for name, what, arguments in calls()}
            answer["parts"] = [str(part) for part in run(pool, "give", {"kind": "output"}).parts]
            answer["nulls"] = run(pool, "measured", {"point": {"x": 1, "y": "2"}}).content
            answer["size"] = len(run(pool, "give", {"kind": "big"}).value)
            answer["notes"] = run(pool, "fail", {"kind": "value"}).error.exception.__notes__
            answer["seconds"] = run(pool, "add", {"a": 1, "b": 2}).duration
            answer["here"] = os.getpid()
"""


@pytest.fixture(scope="module")
def came(site: Site) -> dict[str, Any]:
    """The outcome of each call, run by real worker processes."""
    told: dict[str, Any] = ask(site, CALLS, env={"ACME_KEY": "hunter2"})
    return told


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("add", "3"),
        ("async", "3"),
        ("renamed", "3"),
        ("items", "['item_0', 'item_1']"),
        ("async items", "['item_0', 'item_1']"),
        ("point", "Point(x=1, y=Decimal('2.50'))"),
        ("exact", "['1.10', '2.20', '3', '0.1000000000000000000001']"),
        ("wrong", "'not a date'"),
        ("measured", "Measured(point=Point(x=1, y=Decimal('2')), value=inf)"),
        ("give none", "None"),
        ("give false", "False"),
        ("give empty", "''"),
        ("give text", r"'naïve \ud800'"),
        ("give bytes", "'YWI='"),
        ("give path", "'a/b'"),
        ("give nested", "[{'a': [1.5, None]}]"),
        ("give content", "<Content [text: 'told']>"),
        ("give contents", "['seen', <Content [file: a.bin, application/octet-stream, 2 bytes]>, {'a': 1}]"),
        ("give output", "[1]"),
    ],
)
def test_a_value_comes_back_as_its_return_type_or_as_json(came: dict[str, Any], call: str, shown: str) -> None:
    assert came[call]["repr"] == shown


def test_content_for_the_model_comes_back_beside_the_value(came: dict[str, Any]) -> None:
    assert came["parts"] == ["told", "[link: page, acme:page]"]


def test_a_call_runs_in_another_process_and_says_how_long_it_took(came: dict[str, Any]) -> None:
    assert came["pid"]["value"] != came["here"]
    assert 0 < came["seconds"] < 5
    assert came["size"] == 3_000_000


@pytest.mark.parametrize(
    ("kind", "type_name", "says"),
    [
        ("value", "ValueError", "no such city at 0x…"),
        ("exit", "SystemExit", "3"),
        ("interrupt", "KeyboardInterrupt", ""),
        ("unspeakable", "Unspeakable", ""),
        ("time", "TimeoutError", "upstream timed out"),
        ("group", "ExceptionGroup", "failed (1 sub-exception): RequestError: no (HTTP 503)"),
        ("unpicklable", "Local", "cannot be pickled"),
    ],
)
def test_an_exception_comes_back_as_data(came: dict[str, Any], kind: str, type_name: str, says: str) -> None:
    raised = came[f"fail {kind}"]
    assert (raised["raised"], raised["type_name"], raised["says"]) == ("RemoteError", type_name, says)
    assert not raised["is_tool_error"]
    assert raised["retryable"] is False


def test_a_tool_error_comes_back_with_retryable_and_retry_after(came: dict[str, Any]) -> None:
    told = came["fail told"]
    assert told["says"] == "The room is taken."
    assert told["is_tool_error"]
    assert (told["retryable"], told["retry_after"]) == (True, 2.5)


def test_the_traceback_of_the_worker_is_there_for_logs(came: dict[str, Any]) -> None:
    (note,) = came["notes"]
    assert note.startswith("in the worker:\nTraceback")
    first = note.split("\n")[2]
    assert "acme_remote.py" in first, "it begins in the code of the tool"
    assert note.endswith("ValueError: no such city at 0x7f0000001234\n")


def test_a_secret_of_the_worker_does_not_leave_it_in_a_message(came: dict[str, Any]) -> None:
    assert came["keyed"]["says"] == "the key … is refused"


def test_a_result_without_a_json_form_is_a_failure(came: dict[str, Any]) -> None:
    assert came["handle"]["code"] == "unencodable_result"
    reason = "ran, but its result cannot be shown: a value of type builtins.object has no JSON form"
    assert came["handle"]["text"] == f"handle {reason}"
    assert came["give hidden"]["text"] == f"give {reason}"  # what is for the program has to travel too


def test_numbers_that_are_not_finite_are_refused_or_become_null(came: dict[str, Any]) -> None:
    assert came["give nan"]["code"] == "unencodable_result"
    assert came["give nan"]["text"].endswith('with on_nan="null" for the tool or the executor, it is written as null')
    assert came["nulls"] == '{"point": {"x": 1, "y": "2"}, "value": null}'


def test_a_worker_validates_again(came: dict[str, Any]) -> None:
    assert came["only"]["code"] == "invalid_arguments"
    assert came["only"]["text"].startswith(
        "the arguments of only are not valid where it runs; it was not run:\n- $.path: "
    )


# --- workers that are not as the executor thinks ------------------------------------------------------

OTHERS = """
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    from fcregistry import Executor, ToolCall

    def with_workers(change, *calls):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=exec, initargs=(change,)) as pool:
            return [show(Executor(one, pool=pool).run(ToolCall(one.name, arguments))) for one, arguments in calls]

    if __name__ == "__main__":
        call = (tool("add"), {"a": 1, "b": 2})
        keyed = (tool("keyed"), {})
        here = sys.path.index(HERE)
        answer = {
            "without": with_workers(f"import sys, os; sys.path.remove({HERE!r})", call),
            "other": with_workers(f"import sys, os; sys.path[{here}] = {OTHER!r}; del os.environ['ACME_KEY']", call, keyed),
            "dying": with_workers("", call, (tool("die"), {"code": 3}), call),
        }
"""


@pytest.fixture(scope="module")
def others(site: Site, make_site: Callable[..., Site]) -> dict[str, Any]:
    """The outcomes of calls that were sent to other workers."""
    newer = install(make_site(), "2.0", (site.folder / "acme_remote.py").read_text().replace("b: int", "b: int = 0"))
    code = f"import sys\nHERE, OTHER = {str(site.folder)!r}, {str(newer.folder)!r}\n"
    told: dict[str, Any] = ask(site, f"    {code.replace(chr(10), chr(10) + '    ')}{OTHERS}", env={"ACME_KEY": "x"})
    return told


def test_a_worker_without_the_plugin_says_so(others: dict[str, Any]) -> None:
    (without,) = others["without"]
    assert without["code"] == "unavailable"
    assert without["text"] == "add is not available: the worker does not have this tool"
    assert "there is no tool 'acme-remote:add'" in without["says"]


def test_a_worker_with_another_schema_says_so_and_does_not_run(others: dict[str, Any]) -> None:
    changed, _ = others["other"]
    assert changed["code"] == "unavailable"
    assert changed["text"] == ("add is not available: the worker has this tool with other parameters (schema_changed)")
    assert changed["says"].endswith(": acme-remote 2.0 is installed there; install one version everywhere")


def test_a_worker_without_a_required_variable_says_so(others: dict[str, Any]) -> None:
    _, keyed = others["other"]
    assert keyed["text"] == "keyed is not available: the worker lacks what it requires, such as an environment variable"
    assert keyed["says"].endswith(": ACME_KEY is not set there")


def test_a_worker_that_dies_does_not_affect_other_calls(others: dict[str, Any]) -> None:
    before, died, after = others["dying"]
    assert before["value"] == 3
    assert died["code"] == "tool_failed"
    assert died["text"] == "die was not finished: the worker that ran it died; it may have done part of its work"
    assert (after["code"], after["raised"]) == ("unavailable", "WorkerError")  # such a pool does not heal
    assert after["text"] == "add is not available: the call could not be sent to a worker; it was not run"


VERSIONS = """
        import logging
        from fcregistry import Executor
        logged = []
        handler = logging.Handler()
        handler.emit = lambda record: logged.append(record.getMessage())
        logging.getLogger("fcregistry").addHandler(handler)
        logging.getLogger("fcregistry").propagate = False

        here = sys.path.index(HERE)
        answer = []
        for versions in ("same", "any"):
            older = f"import sys; sys.path[{here}] = {OTHER!r}"
            with ProcessPoolExecutor(1, get_context("spawn"), initializer=exec, initargs=(older,)) as pool:
                executor = Executor(["add", "fail"], pool=pool, worker_versions=versions)
                result = executor.call("add", a=1, b=2)
                failed = executor.call("fail", kind="told")
                again = executor.call("add", a=2, b=2)
                said = str(result.error.exception) if result.error else result.value
                answer.append([said, failed.error.code, again.value])
        answer.append([each for each in logged if "workers" in each])
"""


def test_a_worker_with_another_version_is_refused_unless_any_may_run(
    site: Site, make_site: Callable[..., Site]
) -> None:
    """Its schema is the same, so only the version shows the difference."""
    newer = install(make_site(), "2.0")
    head = (
        "import sys\nfrom concurrent.futures import ProcessPoolExecutor\nfrom multiprocessing import get_context\n"
        f"HERE, OTHER = {str(site.folder)!r}, {str(newer.folder)!r}\nif __name__ == '__main__':\n"
    )
    refused, ran, logged = ask(site, head + VERSIONS)
    assert refused == [
        (
            "add is not available: the worker has another version of this tool (version_changed): "
            "acme-remote 2.0 is installed there, and 1.0 here; install one version everywhere, "
            'or make the executor with worker_versions="any"'
        ),
        "unavailable",
        None,
    ]
    assert ran == [3, "tool_failed", 4]
    assert logged == ["tools of acme-remote 1.0 run on workers that have version 2.0"]


def test_another_value_of_worker_versions_is_refused() -> None:
    with pytest.raises(ValueError, match='worker_versions must be "same" or "any", not None'):
        fcregistry.Executor([], worker_versions=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("raised", [RuntimeError("lost its way"), BrokenExecutor("broke"), SystemExit(3)])
def test_an_exception_of_a_pool_is_the_cause_of_the_error(raised: BaseException) -> None:
    pool = Deaf()
    future = PoolRunner(pool).submit(ADD, {"a": 1, "b": 2})
    pool.future.set_exception(raised)
    assert future.result(0).exception.__cause__ is raised  # type: ignore[union-attr]
    assert raised.__traceback__ is not None
    assert "outcome_of" not in "".join(format_exception(raised))  # whose frame would keep the pool's future


def test_an_exception_while_a_call_is_submitted_is_the_cause_too() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    error = PoolRunner(pool).submit(ADD, {"a": 1, "b": 2}).result(0).exception
    assert error is not None
    assert str(error.__cause__) == "cannot schedule new futures after shutdown"


# --- on threads ---------------------------------------------------------------------------------------

THREADS = """
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path
    from fcregistry import Executor, ToolCall

    with ThreadPoolExecutor(8) as pool:
        results = Executor("note", pool=pool).run_all([ToolCall("note", {"path": "notes"})] * 100)
        answer = {
            "notes": [result.value for result in results].count("noted"),
            "lines": Path("notes").read_text().count("run"),
            "sleep": show(Executor("sleep", pool=pool, timeout=0.05).call("sleep")),
            "cancelled": sys.modules["acme_remote"].CANCELLED.wait(60),
        }
"""


def test_equal_calls_are_separate_calls_and_a_worker_keeps_the_time(site: Site) -> None:
    came = ask(site, THREADS)
    assert (came["notes"], came["lines"]) == (100, 100)
    assert (came["sleep"]["code"], came["cancelled"]) == ("timeout", True)
    assert "0.05 seconds" in came["sleep"]["text"]


OTHER_VERSION = (
    f"executor and worker have different versions of fcregistry (protocols {PROTOCOL} and 0): "
    "install the same one everywhere"
)


class Deaf(Executor):
    """A pool that never runs its work; a test settles the futures."""

    def __init__(self) -> None:
        self.future: Future[Any] = Future()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self.future


def test_cancelling_a_call_cancels_it_in_the_pool() -> None:
    pool = Deaf()
    future = PoolRunner(pool).submit(ADD, {"a": 1, "b": 2})
    assert future.cancel()
    assert pool.future.cancelled()
    with pytest.raises(CancelledError):
        future.result(0)


def test_an_answer_that_comes_after_the_call_was_cancelled_is_dropped() -> None:
    pool = Deaf()
    pool.future.set_running_or_notify_cancel()
    future = PoolRunner(pool).submit(ADD, {"a": 1, "b": 2})
    future.cancel()
    pool.future.set_result("too late")
    assert future.cancelled()


@pytest.mark.parametrize(
    ("end", "code", "says"),
    [
        (lambda future: future.cancel(), "cancelled", "add was cancelled before it was done"),
        (
            lambda future: future.set_exception(RuntimeError("gone")),
            "tool_failed",
            "add returned no result: its worker failed; it may have done its work: RuntimeError: gone",
        ),
        (
            lambda future: future.set_result(json.dumps({"protocol": 0, "returned": {}})),
            "tool_failed",
            f"add returned no result: its worker failed; it may have done its work: ValueError: {OTHER_VERSION}",
        ),
    ],
)
def test_however_the_work_of_a_pool_ends_the_call_has_an_outcome(
    end: Callable[[Any], Any], code: str, says: str
) -> None:
    pool = Deaf()
    future = PoolRunner(pool).submit(ADD, {"a": 1, "b": 2})
    end(pool.future)
    error = future.result(0).exception
    assert isinstance(error, WorkerError)
    assert (error.error.code, str(error)) == (code, says)
    assert error.error.exception is error


def test_a_pool_that_is_shut_down_gives_an_outcome() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    error = PoolRunner(pool).submit(ADD, {"a": 1, "b": 2}).result(0).exception
    assert isinstance(error, WorkerError)
    assert error.error.code == "unavailable"
    assert str(error).endswith("it was not run: RuntimeError: cannot schedule new futures after shutdown")


def test_a_call_on_a_pool_does_not_block_the_thread_of_the_caller() -> None:
    """The answer is processed on the thread on which it arrives; the caller's thread is free."""
    begun, go_on = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(begun.set)
        pool.submit(go_on.wait, 30)
        assert begun.wait(30)
        future = PoolRunner(pool).submit(ADD, {"a": 1, "b": 2})
        assert not future.done()
        go_on.set()
        assert isinstance(future.result(30).exception, WorkerError)  # the application's own tool, which no worker has


def test_a_pool_without_the_interface_of_an_executor_is_refused() -> None:
    class Client:
        def get_executor(self) -> None: ...

        def __repr__(self) -> str:
            return "<Client>"

    with pytest.raises(TypeError, match=r"such as a ProcessPoolExecutor, not 5$"):
        fcregistry.Executor(add, pool=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"not <Client>; give client\.get_executor\(\)$"):
        fcregistry.Executor(add, pool=Client())  # type: ignore[arg-type]


# --- what travels -------------------------------------------------------------------------------------


def test_a_request_contains_an_id_and_json() -> None:
    sent: list[str] = []

    class Watched(Deaf):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            assert fn is run_here
            sent.extend(args)
            return Future()

    remote = PoolRunner(Watched())
    for _ in range(2):
        remote.submit(ADD, {"a": 1, "b": 2}, 5.0)
    first, second = map(json.loads, sent)
    assert first.pop("call") != second.pop("call")
    assert first == second
    assert first == {
        "protocol": PROTOCOL,
        "tool": "add",
        "schema": ADD.schema_digest,
        "arguments": '{"a": 1, "b": 2}',
        "version": None,
        "any_version": False,
        "seconds": 5.0,
        "files": {},
        "file_parameters": [],
    }


def test_a_request_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="install the same one everywhere"):
        Request.read(json.dumps({"tool": "acme:add"}))
    with pytest.raises(ValueError, match=r"protocols 3 and None"):
        read_answer("{}")


def test_every_reason_has_a_code_and_a_message() -> None:
    assert {name: str(worker_error(ADD, name, "why")) for name in REASONS} == {
        "no_tool": "add is not available: the worker does not have this tool: why",
        "schema_changed": "add is not available: the worker has this tool with other parameters (schema_changed): why",
        "version_changed": "add is not available: the worker has another version of this tool (version_changed): why",
        "missing_env": "add is not available: the worker lacks what it requires, such as an environment variable: why",
        "busy": "add is not available: too many earlier calls are still running on the worker: why",
        "no_worker": "add is not available: the call could not be sent to a worker; it was not run: why",
        "died": "add was not finished: the worker that ran it died; it may have done part of its work: why",
        "lost": "add returned no result: its worker failed; it may have done its work: why",
        "not_written": "add ran, but the files that it made could not be written here: why",
        "cancelled": "add was cancelled before it was done: why",
        "closed": "add was cancelled before it was done: its worker was closed: why",
    }
    assert all(worker_error(ADD, name, "why").error.message == str(worker_error(ADD, name)) for name in REASONS)


# --- which tools travel -------------------------------------------------------------------------------


def test_one_error_names_all_tools_that_workers_cannot_run() -> None:
    mine = Tool.from_function(partial(add, 1), name="mine")
    with ThreadPoolExecutor(1) as pool, pytest.raises(DefinitionError) as refusal:
        fcregistry.Executor([ADD, mine], pool=pool)
    where = f"{__name__}.add belongs to the application, so a worker cannot find it; ship it in a distribution with an fcregistry entry point"
    assert str(refusal.value) == (
        "pool=… runs tools in other processes, which find them by name in installed plugins; these cannot:\n"
        f"  - add: {where}\n"
        f"  - mine: {where}"
    )


def test_a_tool_of_a_plugin_can_run_on_workers_unless_it_needs_its_caller(site: Site) -> None:
    said = ask(
        site,
        """
        from concurrent.futures import ThreadPoolExecutor
        from fcregistry import Executor
        from fcregistry.errors import DefinitionError

        with ThreadPoolExecutor(1) as pool:
            Executor([tool("add"), tool("add").renamed("plus")], pool=pool)
            try:
                Executor(tool("stays"), pool=pool)
            except DefinitionError as error:
                answer = str(error).splitlines()[1]
        """,
    )
    assert (
        said
        == '  - stays: it is declared with blocking="caller", which runs it on the caller\'s thread; remove one of the two'
    )

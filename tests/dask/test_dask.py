"""Tool calls on Dask: on a real cluster of worker processes, each of which finds the plugins itself."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from tests.execution.workers import ask, install

if TYPE_CHECKING:
    from tests.conftest import Site

CLUSTER = """
    import os
    from pathlib import Path
    from distributed import Client, LocalCluster
    from fcregistry import Executor

    def calls(name, *arguments):
        return [{"name": name, "arguments": given} for given in arguments]

    if __name__ == "__main__":
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            executor = Executor(["acme-remote:*", "!stays", "!guarded", "!own_pid", "!upper"], pool=client.get_executor())
            added = [{"a": number, "b": 1} for number in range(5)]
            answer = {"add": [result.value for result in executor.run_all(calls("add", *added[:3]))]}
            equal = executor.run_all(calls("note", *[{"path": os.path.abspath("notes")}] * 100))
            answer["equal"] = [result.value for result in equal].count("noted")
            answer["lines"] = Path("notes").read_text().count("run")
            answer["pids"] = sorted({result.value for result in executor.run_all(calls("pid", *[{}] * 20))})
            answer["here"] = os.getpid()
            answer["async"] = show(executor.call("add_async", a=1, b=2))
            answer["point"] = show(executor.run(*calls("mirror", {"point": {"x": 1, "y": "2.50"}})))
            answer["fail"] = show(executor.call("fail", kind="told"))
            answer["exit"] = show(executor.call("fail", kind="exit"))

            deadly = calls("die", {"code": 3, "path": os.path.abspath("deaths")})
            answer["died"], *others = map(show, executor.run_all(deadly + calls("add", *added)))
            answer["others"] = [other.get("value") for other in others]
            answer["deaths"] = Path("deaths").read_text().count("run")
            Path("data").mkdir()
            Path("data/a.txt").write_text("alpha")
            with_files = Executor(["acme-remote:upper"], pool=client.get_executor(), file_root="data")
            answer["upper"] = show(with_files.call("upper", path="a.txt", out="b.txt"))
            answer["written"] = Path("data/b.txt").read_text()
            answer["after"] = show(executor.call("add", a=5, b=1))

        with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            client.run(exec, f"import sys; sys.path[:] = [each for each in sys.path if each != {HERE!r}]")
            answer["without"] = show(Executor(tool("add"), pool=client.get_executor()).call("add", a=1, b=1))
"""


@pytest.fixture(scope="module")
def came(make_site: Callable[..., Site]) -> dict[str, Any]:
    """What came of calls on a cluster."""
    site = install(make_site())
    elsewhere = f"HERE = {str(site.folder)!r}\n"
    told: dict[str, Any] = ask(site, elsewhere + dedent(CLUSTER))
    return told


def test_calls_run_in_the_workers_processes(came: dict[str, Any]) -> None:
    assert came["add"] == [1, 2, 3]
    assert came["here"] not in came["pids"]
    assert len(came["pids"]) == 2


def test_equal_calls_are_separate_calls(came: dict[str, Any]) -> None:
    """Dask takes equal work for the same work, and would do it once."""
    assert (came["equal"], came["lines"]) == (100, 100)


def test_values_and_exceptions_come_back_as_from_any_pool(came: dict[str, Any]) -> None:
    assert came["async"]["value"] == 3
    assert came["point"]["repr"] == "Point(x=1, y=Decimal('2.50'))"
    assert (came["fail"]["says"], came["fail"]["retry_after"]) == ("The room is taken.", 2.5)
    assert (came["upper"]["value"], came["written"]) == ("wrote b.txt", "ALPHA")
    assert came["exit"]["type_name"] == "SystemExit"


def test_a_worker_that_dies_takes_its_own_call_and_the_batch_goes_on(came: dict[str, Any]) -> None:
    assert came["died"]["code"] == "tool_failed"
    assert (
        came["died"]["text"] == "die was not finished: the worker that ran it died; it may have done part of its work"
    )
    assert came["others"] == [1, 2, 3, 4, 5]
    assert came["after"]["value"] == 6


def test_a_call_is_run_once_though_dask_would_run_it_again(came: dict[str, Any]) -> None:
    assert came["deaths"] == 1
    assert came["died"]["says"].endswith(": the Dask worker that had begun it died")


def test_a_worker_without_the_plugin_says_so(came: dict[str, Any]) -> None:
    assert came["without"]["code"] == "unavailable"
    assert "there is no tool 'acme-remote:add'" in came["without"]["says"]

"""Do tool calls run on Dask: on a real cluster of worker processes, each of which finds the plugins itself?"""

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
    from concurrent.futures import wait
    from pathlib import Path
    from distributed import Client, LocalCluster
    from fcregistry.execution._remote import PoolRunner

    def add(number):
        return {"a": number, "b": 1}

    if __name__ == "__main__":
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            pool = client.get_executor()
            remote = PoolRunner(pool)
            answer = {"add": [remote.submit(tool("add"), add(number)).result(60).value for number in range(3)]}
            equal = [remote.submit(tool("note"), {"path": os.path.abspath("notes")}) for _ in range(100)]
            assert not wait(equal, 120).not_done
            answer["equal"] = [future.result().value for future in equal].count("noted")
            answer["lines"] = Path("notes").read_text().count("run")
            pids = [remote.submit(tool("pid"), {}) for _ in range(20)]
            answer["pids"] = sorted({future.result(60).value for future in pids})
            answer["here"] = os.getpid()
            answer["async"] = show(remote.submit(tool("maths.slow.add_async"), {"a": 1, "b": 2}).result(60))
            answer["point"] = show(remote.submit(tool("mirror"), {"point": {"x": 1, "y": "2.50"}}).result(60))
            answer["fail"] = show(remote.submit(tool("fail"), {"kind": "told"}).result(60))
            answer["exit"] = show(remote.submit(tool("fail"), {"kind": "exit"}).result(60))

            batch = [remote.submit(tool("die"), {"code": 3, "path": os.path.abspath("deaths")})]
            batch += [remote.submit(tool("add"), add(number)) for number in range(5)]
            assert not wait(batch, 120).not_done
            answer["died"], *others = [show(future.result()) for future in batch]
            answer["others"] = [other.get("value") for other in others]
            answer["deaths"] = Path("deaths").read_text().count("run")
            answer["after"] = show(remote.submit(tool("add"), add(5)).result(120))

        with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            client.run(exec, f"import sys; sys.path[:] = [each for each in sys.path if each != {HERE!r}]")
            answer["without"] = show(PoolRunner(client.get_executor()).submit(tool("add"), add(1)).result(60))
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
    assert came["died"]["says"].endswith(": it was begun on a worker of Dask that is gone")


def test_a_worker_without_the_plugin_says_so(came: dict[str, Any]) -> None:
    assert came["without"]["code"] == "unavailable"
    assert "there is no tool 'acme-remote:add'" in came["without"]["says"]

"""Tools in worker processes: they are killed, replaced, kept idle, and ended with the program."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Tool
from fcregistry.execution._remote import ProcessWorkers  # the error before an executor words it
from tests.conftest import TIMEOUT

from .workers import ask, install

if TYPE_CHECKING:
    from tests.conftest import Site

GONE = """
    import os, time
    from pathlib import Path
    from fcregistry.execution._remote import ProcessWorkers, workers

    def gone(pid):
        "Wait until a process is not there any more; a zombie is none."
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return True
            time.sleep(0.01)
        return False

    def begun(path):
        "Wait until a tool that hangs has said which process it is in, and return that."
        end = time.monotonic() + 30
        while not Path(path).exists() and time.monotonic() < end:
            time.sleep(0.01)
        return int(Path(path).read_text())

    def shown(name, arguments={}, timeout=None):
        return show(workers.submit(tool(name), arguments, timeout).result(60))
"""


@pytest.fixture(scope="module")
def site(make_site: Callable[..., Site]) -> Site:
    """A folder with the plugin whose tools are run."""
    return install(make_site())


LIFE = (
    GONE
    + """
    workers.__init__(1)
    workers.expect([tool(name) for name in ("add", "pid", "die", "hang", "fail", "note")])
    answer = {"here": os.getpid()}
    answer["add"] = shown("add", {"a": 1, "b": 2})
    answer["pids"] = [shown("pid")["value"], shown("fail", {"kind": "exit"}), shown("pid")["value"]]
    answer["died"] = [shown("die", {"code": code}) for code in (3, 0, -9)]
    answer["pid after"] = shown("pid")["value"]

    (idle,) = workers._idle
    os.kill(answer["pid after"], 9)
    while idle.active:
        time.sleep(0.01)
    answer["pid after idle death"] = shown("pid")

    answer["hung"] = shown("hang", {"path": "first"}, 0.3)
    answer["hung is gone"] = gone(begun("first"))
    answer["after hung"] = shown("add", {"a": 2, "b": 2})

    running = workers.submit(tool("hang"), {"path": "second"})
    pid = begun("second")
    never = workers.submit(tool("note"), {"path": "never"})
    waits = workers.submit(tool("add"), {"a": 3, "b": 3})
    answer["cancel"] = [never.cancel(), running.cancel(), gone(pid)]
    answer["waited"] = show(waits.result(60))
    answer["never"] = Path("never").exists()

    running = workers.submit(tool("hang"), {"path": "third"})
    pid = begun("third")
    waits = workers.submit(tool("note"), {"path": "never"})
    workers.close()
    answer["closed"] = [show(running.result(60)), show(waits.result(60)), shown("pid")]
    answer["closed is gone"] = gone(pid)
    answer["never again"] = Path("never").exists()
"""
)


@pytest.fixture(scope="module")
def life(site: Site) -> dict[str, Any]:
    """The life of one worker and its successors."""
    told: dict[str, Any] = ask(site, LIFE)
    return told


def test_a_worker_is_another_process_and_is_kept(life: dict[str, Any]) -> None:
    first, exited, second = life["pids"]
    assert life["add"]["value"] == 3
    assert first == second != life["here"]
    assert exited["type_name"] == "SystemExit"  # an answer like any other exception


_UNSEEN = "BrokenProcessPool: All workers expired"
"""What pebble says of a worker that ends before pebble has heard that it took the call: then it does not know how."""


def test_a_tool_that_ends_its_process_is_a_failure_and_the_next_call_gets_another(life: dict[str, Any]) -> None:
    text = "die was not finished: the worker that ran it died; it may have done part of its work"
    assert [(died["code"], died["text"]) for died in life["died"]] == [("tool_failed", text)] * 3
    # 70 is that of `os._exit(0)`, which is no success either
    ended = [died["says"].removeprefix(f"{text}: ") for died in life["died"]]
    for said, how in zip(ended, ["exit code 3", "exit code 70", "signal 9 (Killed)"], strict=True):
        assert said in (how, _UNSEEN)
    assert set(ended) != {_UNSEEN}
    assert life["pid after"] not in (life["here"], life["pids"][0])


def test_a_worker_that_dies_while_idle_fails_no_call(life: dict[str, Any]) -> None:
    assert life["pid after idle death"]["value"] not in (None, life["pid after"])


def test_a_tool_whose_time_is_up_is_killed_even_deep_in_c(life: dict[str, Any]) -> None:
    hung = life["hung"]
    assert (hung["raised"], hung["why"], hung["seconds"], hung["stopped"]) == ("GivenUp", "timeout", 0.3, True)
    assert life["hung is gone"]
    assert life["after hung"]["value"] == 4


def test_cancelling_kills_a_running_call_and_a_waiting_call_never_begins(life: dict[str, Any]) -> None:
    assert life["cancel"] == [True, True, True]
    assert life["waited"]["value"] == 6
    assert not life["never"]


def test_closing_kills_and_answers_every_call(life: dict[str, Any]) -> None:
    names = ("hang", "note", "pid")
    assert [(closed["code"], closed["text"]) for closed in life["closed"]] == [
        ("cancelled", f"{name} was cancelled before it was done: its worker was closed") for name in names
    ]
    assert life["closed is gone"]
    assert not life["never again"]


def test_calls_get_as_many_workers_as_they_need_up_to_the_limit(site: Site) -> None:
    came = ask(
        site,
        GONE
        + """
    workers.__init__(2)
    hangs = [workers.submit(tool("hang"), {"path": f"side{number}"}) for number in range(2)]
    answer = {"side by side": len({begun("side0"), begun("side1")})}
    third = workers.submit(tool("pid"), {})
    answer["third waits"] = not third.done()
    hangs[0].cancel()
    answer["third"] = third.result(60).value not in (begun("side0"), begun("side1"), os.getpid())
    """,
    )
    assert came == {"side by side": 2, "third waits": True, "third": True}


def test_a_program_ends_at_once_and_its_workers_with_it(site: Site) -> None:
    code = """
    workers.submit(tool("hang"), {"path": "at_exit"})
    answer = begun("at_exit")
    """
    pid = ask(site, GONE + code)  # the tool hangs for ever, and nothing waits for it
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_program_ends_at_once_while_a_killed_worker_is_replaced(site: Site) -> None:
    hung = ask(site, GONE + '\n    answer = shown("hang", {"path": "replaced"}, 0.2)')
    assert hung["why"] == "timeout"


@pytest.mark.skipif(os.name == "nt", reason="there, no process is killed by a signal")
def test_a_worker_does_not_outlive_a_program_that_is_killed(make_site: Callable[..., Site]) -> None:
    """Nothing waits for its call, which would run at the same time as that of the restarted program."""
    site = make_site()
    tools = """
        import os, signal, time
        from fcregistry import fc_register

        @fc_register(isolation="process")
        def kill_the_program() -> None:
            "Kill the program that waits for this."
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(2 * %d)
    """
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": tools % TIMEOUT})
    done = site.run("-c", "from fcregistry import Executor; Executor('kill_the_program').call('kill_the_program')")
    assert done.returncode == -signal.SIGKILL  # and the worker does not hold what it has inherited: this returns


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_process_has_workers_of_its_own(site: Site) -> None:
    came = ask(
        site,
        GONE
        + """
    import warnings
    mine = shown("pid")["value"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pythons warn of forks beside threads: that is what is tried
        child = os.fork()
    if child == 0:
        theirs = shown("pid")["value"]
        workers.close()
        os._exit(theirs != mine)
    answer = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown("pid")["value"] == mine]
    """,
    )
    assert came == [1, True]


def test_the_error_for_a_program_without_a_main_guard_says_what_to_do(site: Site) -> None:
    """Each worker imports the program's main module, which must not make its calls again there."""
    site.write(
        {
            "unguarded.py": """
                from fcregistry import Executor
                print("called")
                print(Executor("acme-remote:guarded").call("guarded").error.code)
            """
        }
    )
    done = site.run(str(site.folder / "unguarded.py"))
    assert done.stdout.splitlines()[0] == "called"
    assert done.stdout.splitlines()[-1] == "tool_failed"
    assert (
        "RuntimeError: a worker process imports the program's main module, which calls a tool while it is imported; "
        'put what the program does under: if __name__ == "__main__":'
    ) in done.stderr


# --- when the executor is made ------------------------------------------------------------------------


def test_without_pebble_the_error_says_what_to_install(
    tmp_path: Path, dependencies: Path, make_site: Callable[..., Site]
) -> None:
    for each in dependencies.iterdir():
        if not each.name.lower().startswith("pebble"):
            (tmp_path / each.name).symlink_to(each.resolve())
    message = ask(
        install(make_site(tmp_path)),
        """
        from fcregistry.errors import MissingDependencyError
        from fcregistry import Executor
        Executor(tool("add"))
        try:
            Executor(tool("guarded"))
        except MissingDependencyError as error:
            answer = str(error)
        """,
    )
    assert message == (
        'the tool guarded is declared with isolation="process", which needs pebble: pip install "fcregistry[isolation]"'
    )


def test_a_call_that_cannot_be_sent_has_an_outcome() -> None:
    def add(a: int, b: int) -> int:
        return a + b

    enormous = 10 ** (sys.get_int_max_str_digits() + 1)
    error: Any = ProcessWorkers().submit(Tool.from_function(add), {"a": enormous, "b": 1}).result(0).exception
    assert error.error.code == "unavailable"
    assert "ValueError" in str(error)

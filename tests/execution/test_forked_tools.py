"""A tool that forks: its child ends where the tool returns, wherever tools run, and the parent's call has the parent's result."""

from __future__ import annotations

import json
import os
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")

TOOLS = """
    import asyncio, os, sys, time, warnings
    from fcregistry import fc_register

    warnings.filterwarnings("ignore", category=DeprecationWarning)  # Pythons warn of forks beside threads


    def fork(path):
        "Fork, and write down the child."
        child = os.fork()
        if child:
            with open(path, "a") as file:
                file.write(f"{child}\\n")
        return child


    def plain(path: str, how: str) -> str:
        "Fork."
        if fork(path) == 0:
            if how == "raise":
                raise ValueError("the child's")
            if how == "exit":
                sys.exit(3)
            return "child"
        return "parent"


    def items(path: str, how: str):
        "Fork between two items."
        yield "first"
        yield "child" if fork(path) == 0 else "parent"


    async def on_loop(path: str, how: str) -> str:
        "Fork in a coroutine, and await something."
        child = fork(path)
        await asyncio.sleep(0)
        if child == 0 and how == "raise":
            raise ValueError("the child's")
        return "child" if child == 0 else "parent"


    async def async_items(path: str, how: str):
        "Fork between two items on a loop."
        yield "first"
        child = fork(path)
        await asyncio.sleep(0)
        yield "child" if child == 0 else "parent"


    class Late:
        def __init__(self, path):
            self.path = path

        def __await__(self):
            child = fork(self.path)
            yield from asyncio.sleep(0).__await__()
            return "child" if child == 0 else "parent"


    def returns_awaitable(path: str, how: str):
        "Return what forks when it is awaited."
        return Late(path)


    class Items(dict):
        def items(self):
            fork(self["path"])
            return super().items()


    class Worded(Exception):
        def __str__(self):
            fork(self.args[0])
            return "worded"


    def forks_when_encoded(path: str, how: str):
        "Return what forks when it is encoded."
        return Items(path=path) if how == "itself" else {"inner": Items(path=path)}


    async def forks_when_encoded_on_a_loop(path: str, how: str):
        "Return what forks when it is encoded."
        return Items(path=path) if how == "itself" else {"inner": Items(path=path)}


    def forks_when_worded(path: str, how: str):
        "Raise what forks when it is shown."
        raise Worded(path)


    def pid() -> int:
        "Return the process."
        return os.getpid()


    late = (forks_when_encoded, forks_when_encoded_on_a_loop, forks_when_worded)
    for function in (plain, items, on_loop, async_items, returns_awaitable, *late, pid):
        fc_register("inline")(function)
        fc_register("apart", isolation="process")(function)
        fc_register("timed", timeout=50)(function)
"""

CALLS = """
    import asyncio, os, sys, time, warnings
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context
    from pathlib import Path
    from fcregistry import Executor, registry

    warnings.filterwarnings("ignore", category=DeprecationWarning)


    def results(executor, how="return"):
        "Return what calls of all tools that fork gave, sync and async."
        values = []
        for name in ("plain", "items", "on_loop", "async_items", "returns_awaitable"):
            call = {"name": name, "arguments": {"path": PATH, "how": how}}
            result = executor.run(call)
            values.append(result.text if result.error else result.value)
            result = asyncio.run(executor.arun(call))
            values.append(result.text if result.error else result.value)
        return values


    def is_alive(pid):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        return b"Z" not in Path(f"/proc/{pid}/stat").read_bytes().split() if os.path.isdir("/proc/self") else True


    def left():
        "Return the children that have not ended, which get some time for that."
        deadline = time.monotonic() + 20
        pids = [int(line) for line in Path(PATH).read_text().split()]
        while any(map(is_alive, pids)) and time.monotonic() < deadline:
            time.sleep(0.01)
        return [len(pids), sum(map(is_alive, pids))]
"""

LISTS = ["first", "parent"]
RIGHT: list[Any] = ["parent", "parent", LISTS, LISTS, "parent", "parent", LISTS, LISTS, "parent", "parent"]


def ask(site: Site, code: str) -> Any:
    """Run code that sets `answer` as the main module of a process that has the tools, and return that."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOLS})
    head = f"import json\nPATH = {str(site.folder / 'children')!r}\n"
    guarded = 'if __name__ == "__main__":\n' + dedent(code).replace("\n", "\n    ")
    site.write({"main.py": f"{head}{dedent(CALLS)}\n{guarded}\n    print(json.dumps(answer))\n"})
    done = site.run(str(site.folder / "main.py"))
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = done.stdout.splitlines()  # of one process alone
    return json.loads(line)


@pytest.mark.parametrize("group", ["inline", "timed", "apart"])
@pytest.mark.parametrize("how", ["return", "exit"])
def test_the_child_ends_and_the_parent_has_its_own_result(site: Site, group: str, how: str) -> None:
    """On the caller's thread, on a thread of fcregistry, on event loops, and in a worker process, which goes on to take other calls."""
    answer = ask(
        site,
        f"""
        executor = Executor(["{group}.*"])
        answer = [results(executor, "{how}"), executor.call("pid").ok, left()]
        """,
    )
    assert answer == [RIGHT, True, [len(RIGHT), 0]]


@pytest.mark.parametrize("group", ["inline", "timed", "apart"])
@pytest.mark.parametrize("how", ["itself", "inside"])
def test_the_child_of_a_value_or_an_exception_ends_too(site: Site, group: str, how: str) -> None:
    """Their code runs after the tool has returned: when the value is encoded, or the message of the exception is made."""
    answer = ask(
        site,
        f"""
        executor, answer = Executor(["{group}.*"]), []
        for name in ("forks_when_encoded", "forks_when_encoded_on_a_loop", "forks_when_worded"):
            call = {{"name": name, "arguments": {{"path": PATH, "how": "{how}"}}}}
            answer += [executor.run(call).ok, asyncio.run(executor.arun(call)).ok]
        answer.append(left()[1])
        """,
    )
    assert answer == [True, True, True, True, False, False, 0]


def test_a_worker_that_forked_takes_the_next_calls_alone(site: Site) -> None:
    """Otherwise its child would read calls from the same pipe, and mix its answers with those of the worker."""
    answer = ask(
        site,
        """
        executor = Executor(["apart.*"])
        worker = executor.call("pid").value
        forked = [executor.call("plain", path=PATH, how="return").value for _ in range(5)]
        calls = [{"name": "pid", "arguments": {}}] * 20
        answer = [forked, {executor.run(call).value for call in calls} == {worker}, left()]
        """,
    )
    assert answer == [["parent"] * 5, True, [5, 0]]


def test_on_a_pool(site: Site) -> None:
    answer = ask(
        site,
        """
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            executor = Executor(["inline.*"], pool=pool)
            answer = [results(executor), executor.call("pid").ok, left()]
        """,
    )
    assert answer == [RIGHT, True, [len(RIGHT), 0]]


def test_the_status_of_the_child_says_how_the_tool_ended_there(site: Site) -> None:
    """As that of a program: its parent may wait for it. What the child raised is on stderr."""
    site.write(
        {
            "main.py": f"""
                import os, sys
                sys.path.insert(0, {str(site.folder)!r})
                from fcregistry import Executor, fc_register

                @fc_register
                def fork(how: int) -> int:
                    "Fork."
                    child = os.fork()
                    if child == 0:
                        if how < 0:
                            raise ValueError("the child's own")
                        sys.exit(how) if how else None
                    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if child else 0

                print([Executor([fork]).call("fork", how=how).value for how in (0, 3, -1)])
            """
        }
    )
    done = site.run(str(site.folder / "main.py"))
    assert done.stdout == "[0, 3, 1]\n"
    assert done.stderr.count("ValueError: the child's own") == 1


def test_a_child_runs_no_exit_handlers_of_its_parent(site: Site) -> None:
    answer = ask(
        site,
        """
        import atexit

        def note() -> None:
            with open(PATH + ".exits", "a") as file:
                file.write("exit ")

        atexit.register(note)
        executor = Executor(["inline.*"])
        answer = [executor.call("plain", path=PATH, how=how).value for how in ("return", "exit")]
        """,
    )
    assert answer == ["parent", "parent"]
    assert (site.folder / "children.exits").read_text() == "exit "


FORKS_ON_IMPORT = """
    import os
    from fcregistry import fc_register

    if os.fork() == 0:
        pass  # and goes on, as a careless author's would


    @fc_register
    def after() -> str:
        "Return a text."
        return "after"
"""


def test_the_child_of_a_plugin_that_forks_at_import_ends(site: Site) -> None:
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": FORKS_ON_IMPORT})
    answer = site.ask(
        """
        from fcregistry import Executor, load_plugins
        report = load_plugins()
        answer = [len(report.loaded), Executor(["after"]).call("after").value]
        """
    )
    assert answer == [1, "after"]
    listed = site.cli("list", "--json", env={"FCREGISTRY_CACHE_DIR": str(site.folder / "cache")})
    assert [tool["name"] for tool in json.loads(listed.stdout)] == ["after"]


def test_a_child_that_exits_leaves_its_parents_workers_alone(site: Site) -> None:
    """To multiprocessing, a child of the program has the program's children; it would end them when it exits."""
    answer = ask(
        site,
        """
        executor = Executor(["apart.*"])
        worker = executor.call("pid").value
        child = os.fork()
        if child == 0:
            assert executor.call("pid").value not in (worker, None)  # it has its own
            sys.exit(0)
        answer = [os.waitpid(child, 0)[1], executor.call("pid").value == worker]
        """,
    )
    assert answer == [0, True]

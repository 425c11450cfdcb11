"""A process that is forked while threads of it search and call: the child can do the same."""

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
    from fcregistry import fc_register


    @fc_register
    def add(a: int, b: int) -> int:
        "Add two whole numbers."
        return a + b


    @fc_register
    async def later(text: str) -> str:
        "Return a text, on an event loop."
        return text
"""

FORKED = """
import asyncio, os, random, signal, sys, threading, time, warnings
from fcregistry import Executor, fc_register, registry

warnings.filterwarnings("ignore", category=DeprecationWarning)  # Pythons warn of forks beside threads: that is what is tried


def ended(child):
    "Return the exit code of a child, or None for one that does not end by itself."
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


busy = threading.Event()  # set: the threads of the parent work


def forked(work):
    "Return the exit code of a child that does some work and exits as a program does, or None if it hangs."
    busy.set()
    time.sleep(random.random() / 100)
    child = os.fork()
    if child == 0:
        try:
            work()
        except Exception:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        sys.exit(42)
    busy.clear()
    return ended(child)
"""


def ask(site: Site, code: str, **settings: Any) -> Any:
    """Run code that sets `answer` in a process that can fork, and return that."""
    done = site.run("-c", f"import json\n{FORKED}\n{code}\nprint(json.dumps(answer))", **settings)
    assert (done.returncode, done.stderr) == (0, "")  # what children raise is there too
    return json.loads(done.stdout)


CHILDREN_OF_A_BUSY_PARENT = """
@fc_register
def own(city: str) -> str:
    "Return a city of the application."
    return city


executor = Executor(["add", "later", "own"])
assert registry.search("whole numbers")
assert executor.call("later", text="a").value == "a"
over, turns = threading.Event(), [0, 0, 0]
tools = registry.select()


def search():
    while busy.wait(60) and not over.is_set():
        assert registry.search("add whole numbers", limit=3)
        assert registry.search("city", "own")
        turns[0] += 1


def declare():
    while busy.wait(60) and not over.is_set():
        registry.register(own, f"own_{turns[1] % 20}", replace=True)
        registry.find()
        turns[1] += 1


def call():
    while busy.wait(60) and not over.is_set():
        assert executor.call("later", text="a").value == "a"
        assert asyncio.run(executor.arun({"name": "add", "arguments": {"a": 1, "b": 2}})).value == 3
        turns[2] += 1


def work():
    assert [tool.name for tool in registry.search("add whole numbers")][:1] == ["add"]
    assert registry.search("city", "own")
    assert {"add", "later", "own"} <= {tool.name for tool in registry}
    assert executor.call("add", a=1, b=2).value == 3
    assert executor.call("later", text="b").value == "b"
    assert asyncio.run(executor.arun({"name": "later", "arguments": {"text": "c"}})).value == "c"
    assert [each.value for each in executor.run_all([{"name": "add", "arguments": {"a": 1, "b": 1}}] * 3)] == [2, 2, 2]
    if not codes:  # and so can its own child
        assert forked(lambda: registry.search("city")) == 42


threads = [threading.Thread(target=each, daemon=True) for each in (search, declare, call)]
for thread in threads:
    thread.start()
busy.set()
while not all(turns):
    time.sleep(0.01)
codes = []
for _ in range(30):
    codes.append(forked(work))
over.set()
busy.set()
for thread in threads:
    thread.join(30)
answer = [codes, [thread.is_alive() for thread in threads]]
"""


def test_children_search_list_and_call_while_threads_of_their_parent_do(site: Site) -> None:
    """One thread searches, one declares and lists, one calls; none of their locks, loops and connections stops a child."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOLS})
    answer = ask(
        site,
        CHILDREN_OF_A_BUSY_PARENT,
    )
    assert answer == [[42] * 30, [False] * 3]


def test_a_fork_waits_until_sqlite_is_at_rest(site: Site) -> None:
    """SQLite's own locks are shared by all connections of a process, so that renewing ours would not be enough."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOLS})
    answer = ask(
        site,
        """
import sqlite3
from fcregistry._tools.search import ToolSearch

found = ToolSearch(registry.select().values())
found.best("add", 1)
over = threading.Event()


def search():
    while busy.wait(60) and not over.is_set():
        found.best("add whole numbers text", 10)


def work():
    connection = sqlite3.connect(":memory:")  # nobody else's code uses ours
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
    connection.close()


threads = [threading.Thread(target=search, daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
answer = [forked(work) for _ in range(40)]
over.set()
busy.set()
for thread in threads:
    thread.join(30)
""",
    )
    assert answer == [42] * 40


def test_a_child_reads_the_index_anew(site: Site) -> None:
    """It does not use its parent's connection, and what it knows of tools is read from the file that is there now."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOLS})
    site.ask("from fcregistry import registry\nanswer = len(registry)")  # describes the tools for the next process
    answer = ask(
        site,
        """
from fcregistry.discovery import current
tool = registry.get("add")  # described, and not imported
connection = current().index._connection


def work():
    assert tool.parameters["required"] == ["a", "b"]
    assert "acme_tools" not in sys.modules
    assert current().index._connection not in (None, connection)


answer = forked(work)
""",
    )
    assert answer == 42


def test_a_plugin_that_another_thread_was_importing_says_so(site: Site) -> None:
    """Python's own lock of that module is nobody's in the child, which would wait for it for ever."""
    site.install(
        "acme",
        {"x": "acme_tools"},
        {"acme_tools.py": "import __main__\n__main__.importing.set()\n__main__.over.wait(60)\n" + dedent(TOOLS)},
    )
    site.install("other", {"x": "other_tools"}, {"other_tools.py": TOOLS.replace("add", "sum_up")})
    answer = ask(
        site,
        """
importing, over = threading.Event(), threading.Event()
from fcregistry import load_plugins
from fcregistry.discovery import current
thread = threading.Thread(target=load_plugins, daemon=True)
thread.start()
assert importing.wait(30)


def work():
    assert Executor(["sum_up"]).call("sum_up", a=1, b=2).value == 3
    failed = load_plugins().failed
    assert [each.plugin.label for each in failed] == ["acme[x]"], [(each.plugin.label, each.reason) for each in failed]
    assert failed[0].reason == "another thread was importing acme_tools when this process was forked", failed[0].reason
    print("printed")  # and not on stderr, where the thread had sent what plugins print
    assert sys.stdout is not sys.stderr


code = forked(work)
over.set()
thread.join(30)
answer = [code, registry.get("add").id]
""".replace('print("printed")', "pass"),
    )
    assert answer == [42, "acme:add"]


def test_a_conversation_and_a_stream_of_the_parent_do_not_block_a_child(site: Site) -> None:
    answer = ask(
        site,
        """
from fcregistry.agents import Conversation
begun, over = threading.Event(), threading.Event()
parent = os.getpid()


def model(messages, **more):
    if os.getpid() == parent:
        begun.set()
        over.wait(60)
    return "done"


@fc_register
def count():
    "Yield numbers."
    yield 1
    if os.getpid() == parent:
        over.wait(60)
    yield 2


conversation = Conversation(model)
thread = threading.Thread(target=conversation.say, args=("hello",), daemon=True)
thread.start()
assert begun.wait(30)
events = Executor([count]).stream({"name": "count", "arguments": {}})
assert next(events).value == 1


def work():
    assert conversation.say("hello").answer == "done"
    try:
        next(events)
    except RuntimeError as error:
        assert str(error) == "the call runs in the process that this one was forked from; make it again here"
    else:
        raise AssertionError


code = forked(work)
over.set()
thread.join(30)
answer = [code, next(events).value]
""",
    )
    assert answer == [42, 2]


def test_nothing_is_registered_before_it_is_needed(site: Site) -> None:
    answer = site.ask(
        """
        import os
        registered = []
        def register(**functions):
            if any(each.__module__.startswith("fcregistry") for each in functions.values()):
                registered.append(sorted(functions))
        os.register_at_fork = register
        import fcregistry.agents, fcregistry.cli, fcregistry.discovery, fcregistry.execution, fcregistry.models
        import importlib, pkgutil
        for each in pkgutil.walk_packages(fcregistry.execution.__path__, "fcregistry.execution."):
            importlib.import_module(each.name)
        from fcregistry import Executor, fc_register
        before = list(registered)
        @fc_register
        def add(a: int, b: int) -> int:
            "Add."
            return a + b
        Executor(["add"]).call("add", a=1, b=2)
        answer = [before, registered]
        """
    )
    assert answer == [[], [["after_in_child", "after_in_parent", "before"]]]

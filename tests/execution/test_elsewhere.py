"""Which tools run in other processes, and what runs them?"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from fcregistry import Tool
from fcregistry.errors import DefinitionError
from fcregistry.execution._process import remote_runners

from .workers import ask, install

if TYPE_CHECKING:
    from tests.conftest import Site


def add(a: int, b: int) -> int:
    return a + b


def test_tools_run_here_unless_they_or_the_executor_say_otherwise(make_site: Callable[..., Site]) -> None:
    came = ask(
        install(make_site()),
        """
        from concurrent.futures import ThreadPoolExecutor
        from fcregistry.execution._process import places
        from fcregistry.execution._process import workers

        def shown(found):
            return {name: [place.submit.__self__ is workers, place.keeps_time] for name, place in found.items()}

        tools = [tool("add"), tool("guarded").renamed("apart")]
        with ThreadPoolExecutor(1) as pool:
            answer = [shown(places(tools)), shown(places(tools, pool))]
            answer.append(show(places(tools, pool)["add"].submit(tools[0], {"a": 1, "b": 2}, None).result(60)))
            answer.append(show(places(tools, pool)["apart"].submit(tools[1], {}, 30).result(60)))
        """,
    )
    isolated = {"apart": [True, True]}
    assert came[:2] == [isolated, {**isolated, "add": [False, False]}]
    assert (came[2]["value"], came[3]["value"]) == (3, "apart")


def test_what_cannot_be_is_said_when_the_executor_is_made() -> None:
    with pytest.raises(DefinitionError, match=r'^isolation="process" runs tools in other processes'):
        remote_runners([Tool.from_function(add, isolation="process")])
    with pytest.raises(TypeError, match="pool is a concurrent"):
        remote_runners([], 5)


def test_tools_of_this_process_import_nothing_for_others() -> None:
    code = """
import sys
from fcregistry import Tool
from fcregistry.execution._process import places
def f(): ...
assert places([Tool.from_function(f, description="Do nothing.")]) == {}
heavy = {f"fcregistry.execution._elsewhere.{name}" for name in ("_isolation", "_remote")} | {"multiprocessing", "pebble"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")

"""Which tools run in other processes, and what runs them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from fcregistry import Executor, Tool
from fcregistry.errors import DefinitionError

from .workers import ask, install

if TYPE_CHECKING:
    from tests.conftest import Site


def add(a: int, b: int) -> int:
    return a + b


def test_tools_run_in_this_process_unless_an_option_says_otherwise(make_site: Callable[..., Site]) -> None:
    came = ask(
        install(make_site()),
        """
        import os
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context
        from fcregistry import Executor

        tools = [tool("pid"), tool("own_pid").renamed("apart")]

        if __name__ == "__main__":
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                answer = {
                    "here": os.getpid(),
                    "pool": pool.submit(os.getpid).result(60),
                    "without": [each.value for each in Executor(tools).run_all([{"name": name} for name in ("pid", "apart")])],
                    "with": [Executor(tools, pool=pool).call(name).value for name in ("pid", "apart")],
                }
        """,
    )
    here, pool, (alone, apart), (lent, still_apart) = came["here"], came["pool"], came["without"], came["with"]
    assert (alone, lent) == (here, pool)
    assert apart == still_apart
    assert apart not in (here, pool)


def test_invalid_options_of_remote_calls_are_refused_when_the_executor_is_made() -> None:
    with pytest.raises(
        DefinitionError,
        match=r'^isolation="process" runs tools in other processes.*\n  - add: tests.execution.test_elsewhere.add belongs to the',
    ):
        Executor(Tool.from_function(add, isolation="process"))
    with pytest.raises(TypeError, match="pool must be a concurrent"):
        Executor(add, pool=5)  # type: ignore[arg-type]


def test_tools_of_this_process_do_not_import_what_remote_calls_need() -> None:
    code = """
import sys
from fcregistry import Executor
def f(): ...
assert Executor(f).call("f").ok
print(sorted({"multiprocessing", "pebble", "concurrent.futures.process"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")

"""Shared by tests of other processes: a plugin whose tools run there, and code that shows the outcomes."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.conftest import Site

TOOLS = """
    import os, threading
    from collections import deque
    from collections.abc import AsyncIterator, Iterator
    from dataclasses import dataclass
    from datetime import date
    from decimal import Decimal
    from itertools import repeat
    from pathlib import Path
    from typing import Annotated, Any

    from annotated_types import Predicate
    from fcregistry import fc_register
    from fcregistry.errors import ToolError
    from fcregistry.execution import Content, ToolOutput

    CANCELLED = threading.Event()


    @dataclass
    class Point:
        x: int
        y: Decimal


    @dataclass
    class Measured:
        point: Point
        value: float


    class Unspeakable(Exception):
        def __str__(self):
            raise ValueError


    @fc_register
    def add(a: int, b: int) -> int:
        "Add."
        return a + b


    @fc_register("maths.slow", name="add_async")
    async def later(a: int, b: int) -> int:
        "Add on an event loop."
        return a + b


    @fc_register
    def items(count: int) -> Iterator[str]:
        "Yield texts."
        for number in range(count):
            yield f"item_{number}"


    @fc_register
    async def async_items(count: int) -> AsyncIterator[str]:
        "Yield texts."
        for number in range(count):
            yield f"item_{number}"


    @fc_register
    def mirror(point: Point) -> Point:
        "Give back a point: its class is of this process."
        assert type(point) is Point
        assert type(point.y) is Decimal
        return point


    @fc_register
    def exact(numbers: list[Decimal]) -> list[str]:
        "Say which digits have come."
        return [str(number) for number in numbers]


    @fc_register
    def wrong() -> date:
        "Return something else than promised."
        return "not a date"


    @fc_register
    def give(kind: str) -> Any:
        "Give a value of some kind."
        return {
            "none": None, "false": False, "empty": "", "text": "naïve \\ud800", "bytes": b"ab",
            "path": Path("a/b"), "nested": [{"a": [1.5, None]}], "big": "x" * 3_000_000,
            "content": Content.text("told"), "contents": ("seen", Content.file(b"ab", name="a.bin"), {"a": 1}),
            "output": ToolOutput(value=[1], content=["told", Content.link("acme:page")]),
            "nan": [1.0, float("nan")],
            "hidden": ToolOutput(value=object(), content="told"),
        }[kind]


    @fc_register(on_nan="null")
    def measured(point: Point) -> Measured:
        "Give what was measured."
        return Measured(point, float("inf"))


    @fc_register
    def handle() -> Any:
        "Return what has no JSON form."
        return object()


    @fc_register
    def fail(kind: str) -> str:
        "Raise something."
        raise {
            "value": ValueError("no such city at 0x7f0000001234"),
            "told": ToolError("The room is taken.", retryable=True, retry_after=2.5),
            "exit": SystemExit(3),
            "interrupt": KeyboardInterrupt(),
            "unspeakable": Unspeakable(),
            "time": TimeoutError("upstream timed out"),
            "group": ExceptionGroup("failed", [type("RequestError", (Exception,), {"status": 503})("no")]),
            "unpicklable": type("Local", (Exception,), {"__reduce__": None})("cannot be pickled"),
        }[kind]


    @fc_register(requires_env="ACME_KEY")
    def keyed() -> str:
        "Tell the key."
        raise ValueError(f"the key {os.environ['ACME_KEY']} is refused")


    @fc_register
    def only(path: Annotated[str, Predicate(lambda text: os.getpid() == int(text))]) -> str:
        "Take only the id of the process that runs it."
        return "taken"


    @fc_register
    def pid() -> int:
        "Say which process this is."
        return os.getpid()


    @fc_register
    def note(path: str) -> str:
        "Write a line to a file."
        with open(path, "a") as file:
            file.write("run\\n")
        return "noted"


    @fc_register(input_files=["path"], output_files=["out"])
    def upper(path: str, out: str) -> str:
        "Write a text in upper case."
        with open(path) as text, open(out, "w") as file:
            file.write(text.read().upper())
        return f"wrote {out}"


    @fc_register
    def die(code: int, path: str = os.devnull) -> str:
        "Write a line to a file and end the process: with an exit code, or by a signal where it is negative."
        note(path)
        if code < 0:
            os.kill(os.getpid(), -code)
        os._exit(code)


    @fc_register
    def hang(path: str) -> str:
        "Say which process this is, and hold it in C, where no signal is looked at, for ever."
        Path(path + ".new").write_text(str(os.getpid()))
        os.rename(path + ".new", path)
        deque(repeat(0), maxlen=0)
        return "hung"


    @fc_register
    async def sleep() -> str:
        "Sleep until cancelled, and say so."
        import asyncio
        try:
            await asyncio.sleep(600)
        finally:
            CANCELLED.set()
        return "slept"


    @fc_register(isolation="process")
    def guarded() -> str:
        "Run apart from everything else."
        return "apart"


    @fc_register(isolation="process")
    def own_pid() -> int:
        "Run apart from everything else, and say which process this is."
        return os.getpid()


    @fc_register(blocking="caller")
    def stays() -> str:
        "Stay on its caller's thread."
        return "stayed"
"""

SHOW = """
    def show(outcome):
        "Return what is to be known of a result, or of what came of a call in a worker."
        told = getattr(outcome, "error", None)
        error = told.exception if told else getattr(outcome, "exception", None)
        if error is None:
            value = outcome.value
            return {"value": value if isinstance(value, (int, str)) else None, "repr": repr(value)[:200]}
        told = told or getattr(error, "error", None)
        return {
            "raised": type(error).__name__, "says": str(error), "code": told and told.code, "text": told and told.text,
            **{name: getattr(error, name) for name in
               ("type_name", "is_tool_error", "retryable", "retry_after", "why", "seconds", "stopped") if hasattr(error, name)},
        }

    def tool(name):
        return registry.get(f"acme-remote:{name}")
"""


def install(site: Site, version: str = "1.0", tools: str = TOOLS) -> Site:
    """Install the plugin, and return the site."""
    site.install("acme-remote", {"tools": "acme_remote"}, {"acme_remote.py": tools}, version=version)
    return site


def ask(site: Site, code: str, **settings: Any) -> Any:
    """Run code that sets `answer` in a process that has the plugin, and return that."""
    return site.ask(f"from fcregistry import registry\n{dedent(SHOW)}\n{dedent(code)}", **settings)

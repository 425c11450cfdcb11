"""Writes the regular expressions of the rooms that read models' texts, and how each is used, as JSON.

It is a program of its own, since it records what the rooms compile while they are imported, and while they read some texts.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import pkgutil
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOMS = ("_base", "dialects", "expressions", "prompts")
USES = frozenset({"search", "match", "fullmatch", "finditer", "findall", "sub", "subn", "split"})

found: dict[tuple[str, int, str], set[str]] = {}
compiled: Callable[..., re.Pattern[str]] = re._compile  # type: ignore[attr-defined]  # what all functions of `re` call


class Recorded:
    """A pattern that records which of its methods are used."""

    def __init__(self, pattern: re.Pattern[str], uses: set[str]) -> None:
        self._pattern, self._uses = pattern, uses

    def __getattr__(self, name: str) -> Any:
        if name in USES:
            self._uses.add(name)
        return getattr(self._pattern, name)


def record(pattern: Any, flags: Any) -> Any:
    """Compile a pattern, and record it if one of the rooms asks for it."""
    if isinstance(pattern, Recorded):
        return pattern
    made = compiled(pattern, flags)
    frame = sys._getframe(1)
    while frame.f_code.co_filename == re.__file__ and frame.f_back:
        frame = frame.f_back
    file = Path(frame.f_code.co_filename)
    room = file.parent
    if not isinstance(pattern, str) or room.parent.name != "fcregistry" or room.name not in ROOMS:
        return made
    return Recorded(made, found.setdefault((pattern, made.flags, f"{room.name}/{file.name}"), set()))


def read_texts() -> None:
    """Have the rooms read something, since many patterns are compiled at first use."""
    from fcregistry import Tool, ToolCall, dialects, expressions
    from fcregistry.prompts import OutputFormat

    sys.path.append(str(Path(__file__).parent))
    for place, (name, cases) in enumerate(importlib.import_module("goldens").goldens().items()):
        dialects.get(name).render_calls([ToolCall("f", {"a": "b"})])
        for dialect in map(dialects.get, (name, "auto") if place % 8 == 0 else (name,)):
            for case in cases[:2]:
                dialect.parse(f"```json\n[{case.text[:-5]}", case.tools)
                stream = dialect.stream(case.tools)
                for piece in case.text.splitlines(keepends=True):
                    stream.feed(piece)
                stream.close()
    for syntax in ("json", "yaml"):
        for text in ("a\n```json\n{a: 'b'}\n```\n", "```python\nx\n```\n[1, 2", "a: 1\nb: [2.5, no]\n", "[1"):
            OutputFormat(dict[str, int], syntax=syntax).read(text)  # type: ignore[arg-type]  # it is one of two
    dialects.get("auto").parse('{"name": ["')
    for name, call in {
        "hermes": "<tool_call>{}",
        "pythonic": "[f(a={})]",
        "gemma4": "<|tool_call>call:f{{a:{}}}",
        "functiongemma": "<start_function_call>call:f{{a:{}}}",
    }.items():
        for depth in (100, 101):  # as deep as values may be, with and without a bracket of the call
            dialects.get(name).parse(call.format("[" * depth + " 1"))
    tool = Tool.from_function(documented)
    assert tool.parameters
    for text in ("```python\nf(a=1, b='\\n')\n```", "f(x, '''a''')[0]", "f(a =", "f(for=1)"):
        with contextlib.suppress(ValueError):
            expressions.parse_call(text, tools=[tool])
        expressions.last_fenced_block(text)


def documented(a: int) -> int:
    """Do something.

    Args:
        a (int, optional): A number.
    """
    return a


def main() -> None:
    """Write what was found."""
    re._compile = record  # type: ignore[attr-defined]
    for room in ROOMS:
        package = importlib.import_module(f"fcregistry.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    read_texts()
    json.dump([[*pattern, sorted(uses)] for pattern, uses in found.items()], sys.stdout)


if __name__ == "__main__":
    main()

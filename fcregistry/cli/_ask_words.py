"""How is what a model or a tool says put on a line? Cut, and with whatever a terminal would obey escaped: strangers wrote it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry.cli._output import _CONTROL

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry.execution import WaitingCall

_MOST: Final = 600
"""Characters of a result, or of arguments, that are shown while a run goes on."""

_LINES: Final = 12


def escaped(text: str) -> str:
    r"""Return a text with control characters and direction marks written out, as `\x1b`; line ends and tabs stay."""
    return text if text.isprintable() else re.sub(_CONTROL, _written, text.replace("\r\n", "\n"))


def call_words(call: ToolCall) -> str:
    """Return a call in one line: the tool's name, and its arguments as JSON."""
    arguments = call.arguments if isinstance(call.arguments, str) else json_text(call.arguments or {})
    return one_line(f"{call.name} {arguments}")


def result_words(result: ToolResult) -> str:
    """Return what came of a call: the tool's name, the time it took, and what the model reads."""
    name = one_line(result.call.name) if result.call is not None and result.call.name else "a call"
    state = f"{result.duration:.2f} s" if result.error is None else result.error.code
    return indented(f"{name} ({state}):", result.content)


def waiting(call: WaitingCall) -> str:
    """Return a call that waits for a decision: with all of its arguments, for they are what is decided about."""
    reason = escaped(call.reason)
    return f"{escaped(call.tool)} {escaped(json_text(call.arguments))}\n  {reason}"


def indented(before: str, text: str) -> str:
    """Return a text after some words: on their line, if it is one line, and below them otherwise."""
    lines = cut(text.strip()).splitlines() or ["(nothing)"]
    if len(lines) == 1:
        return f"{before} {lines[0]}"
    return "\n".join([before, *(f"  {line}" for line in lines)])


def one_line(text: str) -> str:
    """Return the beginning of a text in one line, escaped."""
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    """Return the beginning of a text, escaped; what is cut says how long it was."""
    lines = text[:_MOST].splitlines(keepends=True)[:_LINES]
    kept = "".join(lines).rstrip("\n")
    return escaped(kept) if len(kept) >= len(text.rstrip("\n")) else f"{escaped(kept)} … ({len(text)} characters)"


def json_text(value: Any) -> str:
    """Return a value as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _written(character: re.Match[str]) -> str:
    return character[0].encode("unicode_escape").decode()

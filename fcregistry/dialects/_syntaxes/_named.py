"""How are calls written as a name, and the arguments as a JSON object behind it?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._json_text import FAILED, Refused, json_value
from fcregistry.dialects._prompt import json_text
from fcregistry.dialects._source import Marks, behind_space
from fcregistry.dialects._syntaxes._objects import arguments_of, name_of
from fcregistry.dialects._waking import matching

if TYPE_CHECKING:
    from fcregistry.dialects._sections import CallReader, CallWriter
    from fcregistry.dialects._source import Reading, Source

NAME: Final = re.compile(r"[\w.\-]*")
"""The characters of names, where nothing marks the end of one."""
_PAST_NAME: Final = matching(r"[^\w.\-]")


def read_named(ends_name: str, *closes: str) -> CallReader:
    """Return a reader of a call whose name a mark ends: `name MARK {…}`.

    Args:
        ends_name: The mark.
        *closes: What closes the call. Where it is missing, a call that is complete is one all the same.
    """
    marks = Marks(ends_name)

    def read(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
        name, end = yield from source.until(marks)
        return (yield from read_arguments(source, name.strip() if end else "", *closes))

    return read


def read_arguments(source: Source, name: str, *closes: str, id: str | None = None) -> Reading[list[ToolCall] | None]:
    """Take the arguments of a call, a JSON object, and what closes it; return the call, or None where it is none.

    Args:
        source: The text.
        name: The tool's name; an empty one makes no call.
        *closes: What may close the call.
        id: The call's id.
    """
    value: Any = (yield from json_value(source, "{")) if name else FAILED
    if value is FAILED:
        return None
    if closes and not source.at_once(behind_space(*closes)):
        yield from source.space()
        yield from source.close(*closes)
    return [ToolCall(name, value.text if isinstance(value, Refused) else value, id)]


def read_line_named(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call whose name is a line of its own, with its arguments on the next ones: GLM-4."""
    name = yield from source.run(NAME, _PAST_NAME)
    if not name or not (yield from source.take("\n", "\r\n")):
        return None
    return (yield from read_arguments(source, name))


_ON_A_LINE: Final = re.compile(r"[^\s<✿](?:[^\n<✿]*[^\s<✿])?")


def write_named(
    before: str, between: str, after: str, *, joint: str = "", names: re.Pattern[str] = _ON_A_LINE
) -> CallWriter:
    """Return a writer of calls as name and JSON object.

    Args:
        before: What stands before the name.
        between: What stands between name and arguments.
        after: What stands behind the arguments.
        joint: What stands between two calls.
        names: Which names can be written; others raise `ValueError`.
    """

    def write(calls: Sequence[ToolCall]) -> str:
        return joint.join(
            f"{before}{name_of(call, names)}{between}{json_text(arguments_of(call))}{after}" for call in calls
        )

    return write


def wrapped(before: str, write: CallWriter, after: str) -> CallWriter:
    """Return a writer that puts something before and after all calls together."""
    return lambda calls: f"{before}{write(calls)}{after}" if calls else ""


# --- DeepSeek -------------------------------------------------------------------------------------

_SEPARATOR: Final = "<｜tool▁sep｜>"
_TO_SEPARATOR: Final = Marks(_SEPARATOR)
_LINE: Final = Marks("\n")
_FENCED: Final = re.compile(rf"[^<\n]*+{_SEPARATOR}([^\s<{{`][^\n]*+)\n(```json)")
"""What most calls of V3 begin with: a kind, the name on the rest of the line, and a fence."""
DEEPSEEK_END: Final = "<｜tool▁call▁end｜>"


def read_deepseek(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of DeepSeek V3, a kind, the name and a fenced object, or of V3.1, the name and an object."""
    found = source.at_once(_FENCED)
    if found:
        name, fence = found.groups()
    else:
        first, end = yield from source.until(_TO_SEPARATOR)
        if not end:
            return None
        yield from source.space()
        if (yield from source.is_next("{")):
            return (yield from read_arguments(source, first.strip(), DEEPSEEK_END))
        name, _ = yield from source.until(_LINE)
        fence = yield from source.take("```json", "```")
    calls = yield from read_arguments(source, name.strip(), *(("```",) if fence else (DEEPSEEK_END,)))
    if calls and fence and not source.at_once(behind_space(DEEPSEEK_END)):
        yield from source.space()
        yield from source.close(DEEPSEEK_END)
    return calls


# --- Mistral --------------------------------------------------------------------------------------

_IDENTITY: Final = re.compile(r"[\w\-]*")


def read_mistral(objects: CallReader) -> CallReader:
    """Return a reader of what stands behind `[TOOL_CALLS]`: an array of calls, or a name, an id and the arguments, each behind its mark.

    Args:
        objects: Reads the array.
    """

    def read(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
        yield from source.space()
        if (yield from source.is_next("[{", "[ ", "[\n", "{")):
            return (yield from objects(source, mark))
        name = yield from source.run(NAME, _PAST_NAME)
        identity = None
        if (yield from source.take("[CALL_ID]")):
            identity = (yield from source.run(_IDENTITY, _PAST_NAME)) or None
        yield from source.take("[ARGS]")
        return (yield from read_arguments(source, name, id=identity))

    return read


# --- Kimi K2 --------------------------------------------------------------------------------------

_TO_ARGUMENTS: Final = Marks("<|tool_call_argument_begin|>")
_KIMI_ID: Final = re.compile(r"(?:functions\.)?(?P<name>.+?)(?::\d+)?", re.DOTALL)


def read_kimi(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of Kimi K2: an id, `functions.NAME:INDEX`, and the arguments."""
    identity, end = yield from source.until(_TO_ARGUMENTS)
    identity = identity.strip()
    found = _KIMI_ID.fullmatch(identity)
    if not end or found is None:
        return None
    return (yield from read_arguments(source, found["name"], "<|tool_call_end|>", id=identity))


def write_kimi(calls: Sequence[ToolCall]) -> str:
    """Write calls as Kimi K2 does, with ids made of name and place."""
    written = [
        f"<|tool_call_begin|>{_kimi_id(call, place)}<|tool_call_argument_begin|>{json_text(arguments_of(call))}<|tool_call_end|>"
        for place, call in enumerate(calls)
    ]
    return f"<|tool_calls_section_begin|>{''.join(written)}<|tool_calls_section_end|>"


def _kimi_id(call: ToolCall, place: int) -> str:
    found = _KIMI_ID.fullmatch(call.id or "")
    name = name_of(call, _ON_A_LINE)
    return call.id if call.id and found and found["name"] == name else f"functions.{name}:{place}"


# --- Qwen's flowers -------------------------------------------------------------------------------

_TO_FLOWER_ARGUMENTS: Final = Marks("✿ARGS✿")


def read_flower(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of Qwen 2: the name on one line, and the arguments behind `✿ARGS✿:` on the next."""
    yield from source.take(":")
    name, end = yield from source.until(_TO_FLOWER_ARGUMENTS)
    yield from source.take(":")
    return (yield from read_arguments(source, name.strip() if end else ""))


# --- Apertus --------------------------------------------------------------------------------------


def read_apertus(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls of Apertus: an array of objects, each with the name as its one member."""
    value = yield from json_value(source, "[")
    calls: list[ToolCall] = []
    for each in value if isinstance(value, list) else [FAILED]:
        call = _by_member(each)
        if call is None:
            return None
        calls.append(call)
    yield from source.space()
    yield from source.close("<|tools_suffix|>")
    return calls


def _by_member(value: Any) -> ToolCall | None:
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, arguments),) = value.items()
    if not name.strip() or not isinstance(arguments, (dict, str)):
        return None
    return ToolCall(name.strip(), arguments)


def write_apertus(calls: Sequence[ToolCall]) -> str:
    """Write calls as Apertus does."""
    return f"<|tools_prefix|>{json_text([{name_of(call): arguments_of(call)} for call in calls])}<|tools_suffix|>"

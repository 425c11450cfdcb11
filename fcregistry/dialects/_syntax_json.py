"""How are calls written as a name, and the arguments as a JSON object behind it?

MERGED: How are calls written as JSON objects? `{"name": …, "arguments": {…}}`, one, several, or in an array.
MERGED: Which syntaxes of calls are there? A file each; families of models differ in the marks around them, and in the names they use.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._dialect import json_text
from fcregistry.dialects._json_text import FAILED, RefusedText, json_value
from fcregistry.dialects._source import TextMarks, behind_space, matching
from fcregistry.formats import is_like_arguments

if TYPE_CHECKING:
    from fcregistry.dialects._parsed import CallReader, CallWriter
    from fcregistry.dialects._source import Reading, TextSource

# --- dialects._syntaxes._named ---

NAME: Final = re.compile(r"[\w.\-]*")
"""The characters of names, where nothing marks the end of one."""
_PAST_NAME: Final = matching(r"[^\w.\-]")


def read_named(ends_name: str, *closes: str) -> CallReader:
    """Return a reader of a call whose name a mark ends: `name MARK {…}`.

    Args:
        ends_name: The mark.
        *closes: What closes the call. Where it is missing, a call that is complete is one all the same.
    """
    marks = TextMarks(ends_name)

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        name, end = yield from source.until(marks)
        return (yield from read_arguments(source, name.strip() if end else "", *closes))

    return read


def read_arguments(
    source: TextSource, name: str, *closes: str, id: str | None = None
) -> Reading[list[ToolCall] | None]:
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
    return [ToolCall(name, value.text if isinstance(value, RefusedText) else value, id)]


def read_line_named(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
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
_TO_SEPARATOR: Final = TextMarks(_SEPARATOR)
_LINE: Final = TextMarks("\n")
_FENCED: Final = re.compile(rf"[^<\n]*+{_SEPARATOR}([^\s<{{`][^\n]*+)\n(```json)")
"""What most calls of V3 begin with: a kind, the name on the rest of the line, and a fence."""
DEEPSEEK_END: Final = "<｜tool▁call▁end｜>"


def read_deepseek(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
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

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
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

_TO_ARGUMENTS: Final = TextMarks("<|tool_call_argument_begin|>")
_KIMI_ID: Final = re.compile(r"(?:functions\.)?(?P<name>.+?)(?::\d+)?", re.DOTALL)


def read_kimi(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
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

_TO_FLOWER_ARGUMENTS: Final = TextMarks("✿ARGS✿")


def read_flower(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of Qwen 2: the name on one line, and the arguments behind `✿ARGS✿:` on the next."""
    yield from source.take(":")
    name, end = yield from source.until(_TO_FLOWER_ARGUMENTS)
    yield from source.take(":")
    return (yield from read_arguments(source, name.strip() if end else ""))


# --- Apertus --------------------------------------------------------------------------------------


def read_apertus(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
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


# --- dialects._syntaxes._objects ---

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallKeys:
    """What the members of a call are called.

    Attributes:
        name: What the tool's name may be called; the first is written.
        arguments: What the arguments may be called; the first is written.
        id: What the call's id may be called.
        beside: What else may stand in a call without arguments.
    """

    name: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments", "parameters")
    id: tuple[str, ...] = ("id",)
    beside: tuple[str, ...] = ("type",)


KEYS: Final = CallKeys()


def read_objects(*closes: str, keys: CallKeys = KEYS, opening: str = "{[", separator: str = "") -> CallReader:
    """Return a reader of calls that are JSON objects, or arrays of these, one after the other.

    Args:
        *closes: What closes the section. Where it is missing, calls that are complete are calls all the same. Without any, nothing but the
            syntax itself says that an object is a call: then it must have arguments.
        keys: What the members of a call are called.
        opening: What a value may begin with: `{`, `[` or both.
        separator: What says, where nothing closes the section, that another value follows.
    """

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        if mark in _OPENING:
            source.place -= 1
        calls: list[ToolCall] = []
        while True:
            value = yield from json_value(source, opening)
            found = calls_of(value, keys, bare=not closes)
            if found is None:
                source.left = source.since() if calls else ""
                return calls or None
            calls += found
            source.begin(source.place)
            if not closes:
                if separator and (yield from source.take(separator)):
                    continue
                return calls
            if source.at_once(behind_space(*closes)):
                return calls
            yield from source.space()
            if (yield from source.close(*closes)):
                return calls
            yield from source.take(",", ";")
            yield from source.space()
            if not (yield from source.is_next(*opening)):
                yield from source.close(*closes)
                return calls

    return read


_OPENING: Final = ("{", "[")
"""What opens a section, and is the beginning of its first value."""


def write_objects(before: str, after: str, *, keys: CallKeys = KEYS, between: str = "\n") -> CallWriter:
    """Return a writer of calls as JSON objects, each between marks.

    Args:
        before: What stands before each call.
        after: What stands after each call.
        keys: What the members of a call are called.
        between: What stands between two calls.
    """

    def write(calls: Sequence[ToolCall]) -> str:
        return between.join(f"{before}{json_text(written(call, keys))}{after}" for call in calls)

    return write


def write_array(before: str, after: str, *, keys: CallKeys = KEYS) -> CallWriter:
    """Return a writer of calls as one JSON array between marks."""

    def write(calls: Sequence[ToolCall]) -> str:
        return f"{before}{json_text([written(call, keys) for call in calls])}{after}"

    return write


def written(call: ToolCall, keys: CallKeys = KEYS) -> dict[str, Any]:
    """Return a call as a JSON object.

    Raises:
        ValueError: Its name is none, or has space around it, or its arguments are text that is no JSON object.
    """
    return {keys.name[0]: name_of(call), keys.arguments[0]: arguments_of(call)}


_UNSPACED: Final = re.compile(r"(?!\s).*\S", re.DOTALL)


def name_of(call: ToolCall, names: re.Pattern[str] = _UNSPACED) -> str:
    """Return the name of a call that is to be written.

    Args:
        call: The call.
        names: Which names are read again as they are written; by default, all that have no space around them.

    Raises:
        ValueError: It is none of these.
    """
    if not call.name or not names.fullmatch(call.name):
        raise ValueError(f"the name {call.name!r} would not be read again as it is")
    return call.name


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call that is to be written.

    Raises:
        ValueError: They are text that is no JSON object.
    """
    from fcregistry._base.json import SLIPS, read_lenient_json  # only calls of models have text for arguments

    if not isinstance(call.arguments, str):
        return dict(call.arguments or {})
    value, _ = read_lenient_json(call.arguments or "{}", False, SLIPS, "the arguments")
    if not isinstance(value, dict):
        raise ValueError(f"the arguments of {call.name!r} are text that is no JSON object")  # noqa: TRY004  # what is wrong is the text
    return value


def calls_of(value: object, keys: CallKeys = KEYS, *, bare: bool = False) -> list[ToolCall] | None:
    """Return the calls that a JSON value is: an object, or an array of these; None where it, or anything in it, is none.

    Args:
        value: The value.
        keys: What the members of a call are called.
        bare: Whether nothing else says that it is a call: then it must have arguments, and an empty array is none.
    """
    if isinstance(value, RefusedText):
        return value.calls(keys.name, keys.arguments)
    if isinstance(value, list):
        calls = [call_of(each, keys, bare=bare) for each in value]
        return None if None in calls or (bare and not calls) else [call for call in calls if call is not None]
    call = call_of(value, keys, bare=bare)
    return None if call is None else [call]


def call_of(value: object, keys: CallKeys = KEYS, *, bare: bool = False) -> ToolCall | None:
    """Return the call that a JSON object is, or None; see `calls_of`."""
    if not isinstance(value, dict):
        return None
    inner, around = value.get("function"), value
    if isinstance(inner, dict):  # as OpenAI's chat wraps it
        value = {**inner, **{key: value[key] for key in keys.id if key in value}}
    name = _first(value, keys.name)
    if not isinstance(name, str) or not name.strip():
        return None
    place = next((key for key in keys.arguments if key in value), None)
    arguments = _ABSENT if place is None else value[place]
    others = _others(value, place, arguments) if len(value) > 2 else []
    if isinstance(inner, dict):
        others += _others(around, None, arguments)
    if place is None and not others and (bare or not set(value) <= {*keys.name, *keys.id, *keys.beside}):
        return None  # its arguments may stand where they are not looked for
    identity = _first(value, keys.id)
    held = (
        [given(arguments), *others] if others else arguments
    )  # several are text that is no object: the executor refuses it
    return ToolCall(name.strip(), given(held), identity if isinstance(identity, str) and identity else None)


def _others(value: Mapping[str, Any], place: str | None, arguments: object) -> list[Any]:
    """Return what else in a call holds arguments, and others than those that are read: without them, another call would run."""
    names = [name for name in value if name != place and is_like_arguments(name)]
    return [held for name in names if (held := value[name]) and held != arguments]


def given(arguments: object) -> dict[str, Any] | str | None:
    """Return arguments as a call holds them: an object, or text, which the executor reads, and refuses where it is none."""
    if arguments is _ABSENT or arguments is None:
        return {}
    return arguments if isinstance(arguments, (dict, str)) else json_text(arguments)


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    for name in names:
        if name in value:
            return value[name]
    return _ABSENT

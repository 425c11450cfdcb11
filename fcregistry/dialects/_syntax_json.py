"""The syntaxes of calls with arguments as a JSON object: whole calls as JSON, `{"name": …, "arguments": {…}}`, or a name before the object."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._dialect import json_text
from fcregistry.dialects._json_text import FAILED, RefusedText, json_value, other_after_mark
from fcregistry.dialects._parsed import syntax_after
from fcregistry.dialects._source import TextMarks
from fcregistry.formats import is_like_arguments

if TYPE_CHECKING:
    from fcregistry.dialects._parsed import CallReader, CallWriter, Syntax
    from fcregistry.dialects._source import Reading, TextSource

# --- Whole calls as JSON ---

_ABSENT: Final = object()

NO_CALL: Final = other_after_mark("name")
"""The pattern of the text after a mark that no call as JSON follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallKeys:
    """The keys of a call's members.

    Attributes:
        name: The possible keys of the tool's name; the first is written.
        arguments: The possible keys of the arguments; the first is written.
        id: The possible keys of the call's id.
        beside: Other keys that a call without arguments may have.
    """

    name: tuple[str, ...] = ("name",)
    arguments: tuple[str, ...] = ("arguments", "parameters")
    id: tuple[str, ...] = ("id",)
    beside: tuple[str, ...] = ("type",)


USUAL_KEYS: Final = CallKeys()


@cache  # so that readers of several dialects are one
def read_objects(*closes: str, keys: CallKeys = USUAL_KEYS, opening: str = "{[", separator: str = "") -> CallReader:
    """Return a reader of calls that are JSON objects, or arrays of these, one after the other.

    Args:
        *closes: The marks that close the section. If the text ends without one, the reader still reads the complete calls. If a syntax
            has no closing marks, an object is a call only if it has arguments.
        keys: The keys of a call's members.
        opening: The characters that a value may begin with: `{`, `[` or both.
        separator: Without `closes`, the text after which another value follows.
    """

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        """Read calls that are JSON objects, from the end of `mark`; return None if there are none.

        An array without calls may give an empty list. If a value after the calls is not a call, its text is put into `source.left`.
        """
        if mark in _BRACKETS:
            source.place -= 1
        calls: list[ToolCall] = []
        while True:
            value = yield from json_value(source, opening)
            found = calls_of(value, keys, bare=not closes, repairs=source.repairs)
            if found is None:
                source.left = source.since() if calls else ""
                return calls or None
            calls += found
            source.begin(source.place)
            if not closes:
                if separator:
                    yield from source.space()
                    if (yield from source.take(separator)):
                        continue
                    source.left = source.since()
                return calls
            yield from source.space()
            if (yield from source.close(*closes)):
                return calls
            yield from source.take(",", ";")
            yield from source.space()
            if (yield from source.is_next(*opening, mark)) not in _BRACKETS:
                yield from source.close(*closes)
                return calls

    return read


_BRACKETS: Final = ("{", "[")
"""Marks that open a section and are part of its first value."""


def objects_or(read_other: CallReader, closes: str) -> CallReader:
    """Return a reader of calls as JSON, if a bracket follows the mark, or else in another syntax.

    Args:
        read_other: The reader of the other syntax.
        closes: The mark that closes the section of JSON.
    """
    read_json = read_objects(closes)

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        """Read calls as JSON if a bracket follows `mark`, or else in the other syntax; None without calls."""
        yield from source.space()
        is_json = yield from source.is_next(*_BRACKETS)
        return (yield from (read_json if is_json else read_other)(source, mark))

    return read


def write_objects(before: str, after: str, *, keys: CallKeys = USUAL_KEYS, between: str = "\n") -> CallWriter:
    """Return a writer of calls as JSON objects, each between marks.

    Args:
        before: The text before each call.
        after: The text after each call.
        keys: The keys of a call's members.
        between: The text between two calls.
    """

    def write(calls: Sequence[ToolCall]) -> str:
        """Return `calls` as JSON objects, each between the marks; raise `ValueError` as `call_object` does."""
        return between.join(f"{before}{json_text(call_object(call, keys))}{after}" for call in calls)

    return write


def write_array(before: str, after: str, *, keys: CallKeys = USUAL_KEYS) -> CallWriter:
    """Return a writer of calls as one JSON array between the marks `before` and `after`."""

    def write(calls: Sequence[ToolCall]) -> str:
        """Return `calls` as one JSON array between the marks; raise `ValueError` as `call_object` does."""
        return f"{before}{json_text([call_object(call, keys) for call in calls])}{after}"

    return write


def objects(before: str, after: str, *, between: str = "\n") -> Syntax:
    """Return the syntax of calls as JSON objects, each between marks.

    Args:
        before: The mark before a call, with the white space that is written around it.
        after: The mark after a call, likewise.
        between: The text between two calls.
    """
    return syntax_after(
        before.strip(), read_objects(after.strip()), write_objects(before, after, between=between), words=NO_CALL
    )


def array(before: str, after: str) -> Syntax:
    """Return the syntax of calls as one JSON array between the marks `before` and `after`."""
    return syntax_after(before, read_objects(after), write_array(before, after), words=NO_CALL)


def call_object(call: ToolCall, keys: CallKeys = USUAL_KEYS) -> dict[str, Any]:
    """Return `call` as an object with two members, name and arguments, under the first of `keys` for each.

    Raises:
        ValueError: The name is empty, or has space around it, or the arguments are text that is not a JSON object.
    """
    return {keys.name[0]: name_of(call), keys.arguments[0]: arguments_of(call)}


_UNSPACED: Final = re.compile(r"(?!\s).*\S", re.DOTALL)


def name_of(call: ToolCall, names: re.Pattern[str] = _UNSPACED) -> str:
    """Return the name of `call`, after checking that the reader will read the same name.

    Args:
        call: The call.
        names: Matches the names that are read as they were written; by default, all without space around them.

    Raises:
        ValueError: `names` does not match the name, or the name is empty.
    """
    if not call.name or not names.fullmatch(call.name):
        raise ValueError(f"the name {call.name!r} would not be read again as it is")
    return call.name


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of `call`, which is to be written, as a dict.

    Raises:
        ValueError: The arguments are text that is not a JSON object.
    """
    from fcregistry._base.json import SLIPS, read_lenient_json  # only calls of models have text as arguments

    if not isinstance(call.arguments, str):
        return dict(call.arguments or {})
    value, _ = read_lenient_json(call.arguments or "{}", False, SLIPS, "the arguments")
    if not isinstance(value, dict):
        raise ValueError(f"the arguments of {call.name!r} are text that is not a JSON object")  # noqa: TRY004  # the text is wrong, not its type
    return value


ITEM_LEFT_OUT: Final = "an item in the list of calls is not a call: it was left out"


def calls_of(value: object, keys: CallKeys, *, bare: bool, repairs: list[str]) -> list[ToolCall] | None:
    """Return the calls in the JSON value `value`, or None if it is neither a call nor calls.

    It is an object, or an array of objects.

    Args:
        value: The value.
        keys: The keys of a call's members.
        bare: Whether nothing else shows that it is a call: then it must have arguments, and each item of an array must be a call.
            Otherwise items that are not calls are left out, and an empty array has no calls.
        repairs: Gets a sentence if an item was left out.
    """
    if isinstance(value, RefusedText):
        return value.calls(keys.name, keys.arguments)
    if isinstance(value, list):
        calls = [call for each in value if (call := call_of(each, keys, bare=bare))]
        if len(calls) < len(value) and (bare or not calls):
            return None
        if len(calls) < len(value):
            repairs.append(ITEM_LEFT_OUT)
        return calls or (None if bare else [])
    call = call_of(value, keys, bare=bare)
    return None if call is None else [call]


def call_of(value: object, keys: CallKeys = USUAL_KEYS, *, bare: bool = False) -> ToolCall | None:
    """Return the call that the JSON object `value` represents, or None; see `calls_of`."""
    if not isinstance(value, dict):
        return None
    inner, around = value.get("function"), value
    if isinstance(inner, dict):  # as OpenAI's chat wraps it
        value = {**inner, **{key: value[key] for key in keys.id if key in value}}
    name = _first_of(value, keys.name)
    if not isinstance(name, str) or not name.strip():
        return None
    place = next((key for key in keys.arguments if key in value), None)
    arguments = _ABSENT if place is None else value[place]
    others = _other_arguments(value, place, arguments) if len(value) > 2 else []
    if isinstance(inner, dict):
        others += _other_arguments(around, None, arguments)
    if place is None and not others and (bare or not set(value) <= {*keys.name, *keys.id, *keys.beside}):
        return None  # its arguments may be under a key that is not read
    identity = _first_of(value, keys.id)
    # Several arguments become text that is not an object: the executor refuses it.
    held = [call_arguments(arguments), *others] if others else arguments
    return ToolCall(name.strip(), call_arguments(held), identity if isinstance(identity, str) and identity else None)


def _other_arguments(value: Mapping[str, Any], place: str | None, arguments: object) -> list[Any]:
    """Return the values of further members of the call `value` whose keys are like those of arguments.

    `place` is the key under which `arguments` were found; this member, empty values, and values equal to `arguments` are left out. If the returned
    values were ignored, a different call would run.
    """
    names = [name for name in value if name != place and is_like_arguments(name)]
    return [held for name in names if (held := value[name]) and held != arguments]


def call_arguments(arguments: object) -> dict[str, Any] | str | None:
    """Return `arguments` as a `ToolCall` has them: an object, or text for the executor to check.

    Without arguments, return an empty object.
    """
    if arguments is _ABSENT or arguments is None:
        return {}
    return arguments if isinstance(arguments, (dict, str)) else json_text(arguments)


def _first_of(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the member of `value` under the first of `names` that it has, or `_ABSENT` if it has none."""
    for name in names:
        if name in value:
            return value[name]
    return _ABSENT


# --- A name before the object ---

NAME: Final = re.compile(r"[\w.\-]*")
"""The characters of names, where no mark ends a name."""
NO_NAME: Final = r"(?![\w.\-]|\Z)"
"""The pattern of a place where no name follows."""


def read_named(ends_name: str, *closes: str) -> CallReader:
    """Return a reader of a call in which a mark is between name and arguments: `name MARK {…}`.

    Args:
        ends_name: The mark after the name.
        *closes: The marks that may close the call. If none does, a complete call is a call nevertheless.
    """
    marks = TextMarks(ends_name, *(each for each in closes if ends_name not in each))

    def read(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
        """Read a call whose name is before the mark, and its arguments after it; return a list with the call.

        Without arguments, the mark may be missing, too. Return None if anything else is missing, malformed or cut off.
        """
        name, end = yield from source.until(marks)
        if end in closes:
            return call_without_arguments(name)
        return (yield from read_arguments(source, name.strip() if end else "", *closes))

    return read


def read_arguments(
    source: TextSource, name: str, *closes: str, id: str | None = None
) -> Reading[list[ToolCall] | None]:
    """Take the arguments of a call, a JSON object, and whichever of the marks `closes` follows.

    Return a list of the one call, or None if there is no object or no name. If a mark of `closes` follows in place of an object, the call has no
    arguments.

    Args:
        source: The text.
        name: The tool's name; an empty one makes no call.
        *closes: The marks that may close the call.
        id: The call's id.
    """
    if closes and name and not source.text.startswith("{", source.place):  # else the usual case
        yield from source.space()
        if (yield from source.take(*closes)):
            return call_without_arguments(name, id)
    value: Any = (yield from json_value(source, "{")) if name else FAILED
    if value is FAILED:
        return None
    if closes:
        yield from source.space()
        yield from source.close(*closes)
    return [ToolCall(name, value.text if isinstance(value, RefusedText) else value, id)]


def call_without_arguments(name: str, id: str | None = None) -> list[ToolCall] | None:
    """Return a list with the call of `name` that ends without arguments, or None for a `name` with other characters."""
    name = name.strip()
    return [ToolCall(name, {}, id)] if name and NAME.fullmatch(name) else None


def read_line_named(source: TextSource, mark: str, to_user: str = "") -> Reading[list[ToolCall] | None]:
    """Read a call of GLM-4, with the name on one line, and the arguments on the next lines.

    Args:
        source: The text.
        mark: The mark before the name.
        to_user: The name of the user: after its line, content follows, and the list of calls is empty.
    """
    name = yield from source.run(NAME)
    if not name or not (yield from source.take("\n", "\r\n")):
        return None
    return [] if name == to_user else (yield from read_arguments(source, name))


def read_recipient(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of Functionary, or take the recipient `all`, after which content follows."""
    return (yield from read_line_named(source, mark, "all"))


_ON_A_LINE: Final = re.compile(r"[^\s<✿](?:[^\n<✿]*[^\s<✿])?")


def write_named(
    before: str, between: str, after: str, *, joint: str = "", names: re.Pattern[str] = _ON_A_LINE
) -> CallWriter:
    """Return a writer of calls as a name and a JSON object.

    Args:
        before: The text before the name.
        between: The text between name and arguments.
        after: The text after the arguments.
        joint: The text between two calls.
        names: The names that can be written; others raise `ValueError`.
    """

    def write(calls: Sequence[ToolCall]) -> str:
        """Return `calls`, each as a name and a JSON object.

        Raises:
            ValueError: A name cannot be written, or arguments are text that is not a JSON object.
        """
        return joint.join(
            f"{before}{name_of(call, names)}{between}{json_text(arguments_of(call))}{after}" for call in calls
        )

    return write


def write_between(before: str, write: CallWriter, after: str) -> CallWriter:
    """Return a writer that adds text before and after all calls that `write` writes.

    Without calls, it writes no text.
    """
    return lambda calls: f"{before}{write(calls)}{after}" if calls else ""


# --- DeepSeek ---

_SEPARATOR: Final = "<｜tool▁sep｜>"
DEEPSEEK_END: Final = "<｜tool▁call▁end｜>"
_AFTER_FIRST: Final = TextMarks(_SEPARATOR, DEEPSEEK_END)
_AFTER_NAME: Final = TextMarks("\n", DEEPSEEK_END)


def read_deepseek(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of DeepSeek V3 or V3.1.

    V3 writes a kind, the name and a fenced object; V3.1 writes the name and an object.
    """
    first, end = yield from source.until(_AFTER_FIRST)
    if end != _SEPARATOR:
        return call_without_arguments(first) if end else None
    yield from source.space()
    if (yield from source.is_next("{", DEEPSEEK_END)):
        return (yield from read_arguments(source, first.strip(), DEEPSEEK_END))
    name, end = yield from source.until(_AFTER_NAME)
    if end == DEEPSEEK_END:
        return call_without_arguments(name)
    fence = yield from source.take("```json", "```")
    calls = yield from read_arguments(source, name.strip(), *(("```",) if fence else (DEEPSEEK_END,)))
    if calls and fence:
        yield from source.space()
        yield from source.close(DEEPSEEK_END)
    return calls


# --- Mistral ---

_IDENTITY: Final = re.compile(r"[\w\-]*")


_MISTRAL_ARRAY: Final = read_objects("</s>")


def read_mistral(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read the calls that follow `[TOOL_CALLS]`.

    They are an array, or a name, an id and the arguments, each after its mark.
    """
    yield from source.space()
    if (yield from source.is_next(mark)):
        return []  # the mark is written twice
    if (yield from source.is_next("[{", "[ ", "[\n", "{")):
        return (yield from _MISTRAL_ARRAY(source, mark))
    name = yield from source.run(NAME)
    identity = None
    if (yield from source.take("[CALL_ID]")):
        identity = (yield from source.run(_IDENTITY)) or None
    yield from source.take("[ARGS]")
    return (yield from read_arguments(source, name, id=identity))


# --- Kimi K2 ---

_KIMI_END: Final = "<|tool_call_end|>"
_TO_ARGUMENTS: Final = TextMarks("<|tool_call_argument_begin|>", _KIMI_END)
_KIMI_ID: Final = re.compile(r"(?:functions\.)?(?P<name>.+?)(?::\d+)?", re.DOTALL)
_KIMI_VARIANT: Final = re.compile(r"functions[._](?P<name>.+?)(?P<place>[:_]\d+)?", re.DOTALL)
"""An id with underscores in place of the dot and the colon, as providers change ids in the conversation that the model reads."""


def read_kimi(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of Kimi K2: an id, `functions.NAME:INDEX`, and the arguments.

    If no tool has the name in the id, `functions_NAME_INDEX` is read as such an id, too.
    """
    identity, end = yield from source.until(_TO_ARGUMENTS)
    identity = identity.strip()
    found = _KIMI_ID.fullmatch(identity)
    if not end or found is None:
        return None
    name = found["name"]
    if name not in source.shapes and (variant := _KIMI_VARIANT.fullmatch(identity)):
        others = (variant["name"], variant["name"] + (variant["place"] or ""))
        name = source.shapes.resolve(name, others, source.repairs)
    if end == _KIMI_END:
        return call_without_arguments(name, identity)
    return (yield from read_arguments(source, name, _KIMI_END, id=identity))


def write_kimi(calls: Sequence[ToolCall]) -> str:
    """Write calls as Kimi K2 does, with ids made of the name and the position."""
    written = [
        f"<|tool_call_begin|>{_kimi_id(call, place)}<|tool_call_argument_begin|>{json_text(arguments_of(call))}<|tool_call_end|>"
        for place, call in enumerate(calls)
    ]
    return f"<|tool_calls_section_begin|>{''.join(written)}<|tool_calls_section_end|>"


def _kimi_id(call: ToolCall, place: int) -> str:
    """Return the id of `call` if it is as Kimi writes it, else `functions.NAME:PLACE`.

    Kimi's id is the call's name, which may follow `functions.`, and may precede a colon and a number.

    Raises:
        ValueError: The name is empty, has space around it, or a line break, `<` or `✿` in it.
    """
    found = _KIMI_ID.fullmatch(call.id or "")
    name = name_of(call, _ON_A_LINE)
    return call.id if call.id and found and found["name"] == name else f"functions.{name}:{place}"


# --- Harmony ---

MESSAGE: Final = "<|message|>"
MESSAGE_ENDS: Final = ("<|call|>", "<|end|>", "<|return|>")
CHANNEL: Final = "<|channel|>"
_NEXT: Final = (MESSAGE, "<|start|>", *MESSAGE_ENDS)
_HEADER_ENDS: Final = TextMarks(*_NEXT)
_CHANNEL_ENDS: Final = TextMarks(*_NEXT, CHANNEL)
_RECIPIENT: Final = re.compile(r"\s*([\w.\-]+)").match
_RECIPIENT_ALONE: Final = re.compile(r"\s*+([\w.\-]++)\s*+(?:(?:<\|constrain\|>)?json\s*+)?").fullmatch
_CHANNEL_NAME: Final = re.compile(r"\s*+(?:analysis|commentary|final|)\s*+").fullmatch
_TO_USER: Final = re.compile(r"\s*(?:commentary|final)\b").match
_NAMESPACE: Final = "functions."


def message_marks(channel: str) -> tuple[str, ...]:
    """Return the headers of messages in `channel`, with variants that models write by mistake.

    They have a space before the mark of the message, or that mark twice.
    """
    return tuple(f"{CHANNEL}{channel}{space}{marks}" for space in ("", " ", "\n") for marks in (MESSAGE, MESSAGE * 2))


def read_message(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of Harmony from after `to=`.

    Such a message is `<|channel|>commentary to=functions.f <|constrain|>json<|message|>{…}<|call|>`. Without an object, it is a call only if the
    recipient begins with `functions.`, or is a known tool: `user`, for example, is not a tool.
    """
    header, end = yield from source.until(_HEADER_ENDS)
    recipient = _RECIPIENT(header) if end == MESSAGE else _RECIPIENT_ALONE(header)
    if end not in (MESSAGE, MESSAGE_ENDS[0]) or not recipient:
        return None
    name = recipient[1].removeprefix(_NAMESPACE)
    is_tool = name != recipient[1] or mark.endswith(_NAMESPACE) or name in source.shapes
    if end != MESSAGE:
        return call_without_arguments(name) if is_tool else None
    yield from source.take(MESSAGE)
    yield from source.space()
    if not is_tool and not (yield from source.is_next("{")):
        return None
    return (yield from read_arguments(source, name, *MESSAGE_ENDS))


def read_header(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take the header of a message to the user, or the name of a channel that no message follows.

    Return an empty list of calls, or None if the text is neither.
    """
    header, end = yield from source.until(_CHANNEL_ENDS)
    if end == MESSAGE:
        yield from source.take(MESSAGE)
        return [] if _TO_USER(header) else None
    source.place -= len(end)
    return [] if _CHANNEL_NAME(header) else None


def read_start(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take the role of a message; if a recipient follows the role, read the call to it.

    Return the calls, of which there may be none, or None if the text is neither a role nor the start of another message.
    """
    role = yield from source.take("assistant to=", "assistant")
    if role == "assistant to=":
        return (yield from read_message(source, mark))
    if role:
        yield from source.take(MESSAGE)
        return []
    yield from source.pass_repeated(mark)
    return [] if (yield from source.is_next(mark, CHANNEL)) or source.place == len(source.text) else None


def write_messages(calls: Sequence[ToolCall]) -> str:
    """Write calls as messages, the first without `<|start|>assistant`, with which the prompt ends.

    Raises:
        ValueError: A name cannot be a recipient.
    """
    return "<|start|>assistant".join(map(_message_text, calls))


def _message_text(call: ToolCall) -> str:
    """Return `call` as a message to the tool.

    Raises:
        ValueError: Its name cannot be a recipient, or its arguments are text that is not a JSON object.
    """
    name = name_of(call, NAME)
    if name.startswith(_NAMESPACE):
        raise ValueError(f"the name {name!r} cannot be written as a recipient")
    arguments = json_text(arguments_of(call))
    return f"<|channel|>commentary to={_NAMESPACE}{name} <|constrain|>json{MESSAGE}{arguments}<|call|>"


# --- Qwen's flowers ---

_FLOWERS: Final = ("✿FUNCTION✿", "✿RESULT✿", "✿RETURN✿")
_AFTER_FLOWER_NAME: Final = TextMarks("✿ARGS✿", *_FLOWERS)


def read_flower(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of Qwen 2: the name on one line, and the arguments behind `✿ARGS✿:` on the next.

    The arguments may be missing if another of the marks follows.
    """
    yield from source.take(":")
    name, end = yield from source.until(_AFTER_FLOWER_NAME)
    name = name.strip()
    if end in _FLOWERS:
        source.place -= len(end)
        return [ToolCall(name, {})] if name else None
    yield from source.take(":")
    yield from source.space()
    if end and name and (yield from source.is_next(*_FLOWERS)):
        return [ToolCall(name, {})]
    return (yield from read_arguments(source, name if end else ""))


# --- Apertus ---


def read_apertus(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls of Apertus: an array of objects, each with the name as its only member."""
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
    """Return the call that an object `{NAME: ARGUMENTS}` represents, or None for any other value.

    The name must not be blank, and loses outer space; the arguments must be an object or text.
    """
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((name, arguments),) = value.items()
    if not name.strip() or not isinstance(arguments, (dict, str)):
        return None
    return ToolCall(name.strip(), arguments)


def write_apertus(calls: Sequence[ToolCall]) -> str:
    """Write calls as Apertus does: an array of objects, each with the name as its only member."""
    return f"<|tools_prefix|>{json_text([{name_of(call): arguments_of(call)} for call in calls])}<|tools_suffix|>"

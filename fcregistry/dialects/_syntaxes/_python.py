"""How are calls written as Python writes them? `f(a=1, b="x")`: several in a list, or one after the other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._source import MOST_FAILURES
from fcregistry.dialects._syntaxes._literals import Literals, NotLiteralError, written
from fcregistry.dialects._syntaxes._objects import arguments_of, read_objects
from fcregistry.dialects._syntaxes._python_at_once import arguments_at_once
from fcregistry.dialects._syntaxes._tokens import take_tokens
from fcregistry.dialects._waking import Wake, one_of

if TYPE_CHECKING:
    from fcregistry.dialects._sections import CallReader, CallWriter
    from fcregistry.dialects._shapes import Shapes
    from fcregistry.dialects._source import Reading, Source
    from fcregistry.dialects._syntaxes._tokens import Token

_CALLED: Final = re.compile(r"([\w.\-]++)\(").match
_PAST_NAME: Final = re.compile(r"[^\w.\-]").search
_TO_PAST_NAME: Final = Wake(search=_PAST_NAME)
_TO_BRACKET: Final = one_of(")")
_NAME: Final = re.compile(r"[\w.\-]+").fullmatch
_KEYWORD: Final = re.compile(r"[^\W\d]\w*").fullmatch
_BEHIND_CALL: Final = re.compile(r"\s*+([,\]])")
_FENCES: Final = ("```python", "```py", "```")
_IN_ARRAY: Final = read_objects("]", opening="{")


def read_python(*closes: str) -> CallReader:
    """Return a reader of calls between marks: a list of them, or one after the other, also in a code fence; or an array of JSON objects.

    Args:
        *closes: What closes the section. Where it is missing, calls that are complete are calls all the same.
    """

    def read(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
        yield from source.space()
        fence = yield from source.take(*_FENCES)
        yield from source.space()
        calls = yield from (read_list if (yield from source.take("[")) else _row)(source, mark)
        if calls is None:
            return None
        yield from source.space()
        if fence and (yield from source.close("```")):
            yield from source.space()
        yield from source.close(*closes)
        return calls

    return read


def read_list(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a list of calls from behind the bracket that opens it; one that is cut off, or holds anything else, makes none."""
    yield from source.space()
    if mark != "[" and (yield from source.is_next("{")):
        return (yield from _IN_ARRAY(source, mark))
    calls: list[ToolCall | None] = []
    while found := (yield from _call(source)):
        calls += found
        if behind := source.at_once(_BEHIND_CALL):
            separator = behind[1]
        else:
            yield from source.space()
            separator = yield from source.take(",", "]")
        if separator == ",":
            yield from source.space()
            separator = yield from source.take("]")
        elif not separator:
            return None
        if separator == "]":
            return None if None in calls else [call for call in calls if call]
    return None


def _row(source: Source, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls one after the other; the first that is none ends them."""
    calls: list[ToolCall] = []
    while True:
        found = yield from _call(source)
        call = found[0] if found else None
        if call is None:
            return calls or None
        calls.append(call)
        yield from source.space()
        yield from source.take(",", ";")
        yield from source.space()


def _call(source: Source) -> Reading[list[ToolCall | None]]:
    """Take a call; return it, or None for one that holds more than literals, in a list; nothing where no call begins, or it is cut off."""
    name = yield from _called(source)
    if not name:
        return []
    if source.failures <= MOST_FAILURES and not source.ended and source.text.find(")", source.place) < 0:
        yield _TO_BRACKET
    arguments = arguments_at_once(source)
    if arguments is not None:
        return [ToolCall(name, arguments)]
    tokens = yield from take_tokens(source)
    return [] if tokens is None else [_bound(name, tokens, source.shapes)]


def _called(source: Source) -> Reading[str]:
    """Take a name and the bracket behind it, and return the name; take nothing where they do not come next."""
    while True:
        found = _CALLED(source.text, source.place)
        if found:
            source.place = found.end()
            return found[1]
        if source.ended or _PAST_NAME(source.text, source.place):
            return ""
        yield _TO_PAST_NAME


def _bound(name: str, tokens: list[Token], shapes: Shapes) -> ToolCall | None:
    try:
        by_place, by_name = _given(Literals(tokens))
    except NotLiteralError:
        return None
    names = _parameters(shapes.of(name))[: len(by_place)] if by_place else []
    if len(names) < len(by_place) or not by_name.keys().isdisjoint(names):
        return None
    return ToolCall(name, {**dict(zip(names, by_place, strict=True)), **by_name})


def _parameters(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of parameters in their order."""
    properties = schema.get("properties")
    return list(properties) if isinstance(properties, Mapping) else []


def _given(literals: Literals) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments by place, and those by name.

    Raises:
        NotLiteralError: One is no literal, has the name of another, or stands where none may.
    """
    by_place: list[Any] = []
    by_name: dict[str, Any] = {}
    while not literals.take(""):
        if literals.take("**"):
            _add(by_name, literals.value())
        else:
            word = literals.take_word()
            if word and literals.take("="):
                _add(by_name, {word: literals.value()})
            elif by_name:
                raise NotLiteralError
            else:
                by_place.append(literals.constant(word) if word else literals.value())
        if not literals.take(",") and not literals.take(""):
            raise NotLiteralError
    return by_place, by_name


def _add(by_name: dict[str, Any], more: Any) -> None:
    if not isinstance(more, dict) or not by_name.keys().isdisjoint(more):
        raise NotLiteralError
    by_name.update(more)


def write_list(before: str = "", after: str = "") -> CallWriter:
    """Return a writer of calls as one list, between marks."""
    return lambda calls: f"{before}[{', '.join(map(_written, calls))}]{after}" if calls else ""


def write_rows(before: str, after: str) -> CallWriter:
    """Return a writer of calls as a line each, between marks."""
    return lambda calls: before + "\n".join(map(_written, calls)) + after if calls else ""


def _written(call: ToolCall) -> str:
    """Return a call as Python writes it.

    Raises:
        ValueError: Its name, or a value, cannot be written so.
    """
    if not _NAME(call.name):
        raise ValueError(f"the name {call.name!r} cannot be written as that of a function")
    arguments = arguments_of(call)
    named = [f"{name}={written(value)}" for name, value in arguments.items() if _KEYWORD(name)]
    others = {name: value for name, value in arguments.items() if not _KEYWORD(name)}
    return f"{call.name}({', '.join([*named, *([f'**{written(others)}'] if others else [])])})"

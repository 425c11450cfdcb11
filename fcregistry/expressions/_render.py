"""How is a call written as an expression? As a model should write it: what `parse_call` reads."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from enum import Enum
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from fcregistry._tools.parameters import POSITIONAL, POSITIONAL_ONLY, STAR, STAR_STAR
from fcregistry._tools.tool import Tool
from fcregistry.expressions._encoding import encoded, field_value
from fcregistry.expressions._spelling import identifier
from fcregistry.expressions._types import made_by, seen_as
from fcregistry.types._containers import DictCodec, ListCodec, TupleCodec
from fcregistry.types._records import MISSING, RecordCodec
from fcregistry.types._scalars import ANY
from fcregistry.types._strings import DecimalCodec, TextCodec

if TYPE_CHECKING:
    from fcregistry.types import Codec

_TIMES: Final = (datetime, date, time, timedelta)


def render(function: Tool | Callable[..., Any], /, *args: Any, **kwargs: Any) -> str:
    """Return the expression of a call: `add_points(p1=Point(x=1, y=2), p2=Point(x=3, y=4))`.

    `parse_call` of it gives what `Tool.make_call` gives for the same arguments. Records stand as calls of their type, members of Enums by
    their name, other values as literals; arguments by keyword, where the function takes them so.

    Args:
        function: A Tool, or a function.
        *args: The arguments by position, Python values.
        **kwargs: Those by keyword.

    Raises:
        TypeError: The function does not take them, or one is not of its parameter's type.
    """
    tool = function if isinstance(function, Tool) else Tool.from_function(function)
    tool.make_call(*args, **kwargs)  # which says what is wrong
    every = tool.signature.parameters
    positional = [each for each in every if each.kind in (POSITIONAL_ONLY, POSITIONAL)]
    star = next((each.codec for each in every if each.kind is STAR), ANY)
    others = next((each.codec for each in every if each.kind is STAR_STAR), ANY)
    codecs = {each.name: each.codec for each in every if each.kind not in (STAR, STAR_STAR)}
    rest = args[len(positional) :]
    written: list[str] = []
    for each, value in zip(positional, args, strict=False):
        by_position = bool(rest) or each.kind is POSITIONAL_ONLY
        written.append(_expression(value, each.codec) if by_position else _keyword(each.name, value, each.codec))
    written += [_expression(value, _item(star)) for value in rest]
    written += [_keyword(name, value, codecs.get(name, others)) for name, value in kwargs.items()]
    return f"{identifier(tool.name)}({', '.join(written)})"


def _keyword(name: str, value: Any, codec: Codec) -> str:
    if name.isidentifier() and not keyword.iskeyword(name):
        return f"{name}={_expression(value, codec)}"
    return f"**{{{name!r}: {_expression(value, codec)}}}"


def _expression(value: Any, codec: Codec) -> str:
    """Return what a value is written as, where a codec stands."""
    if value is None or type(value) in (bool, int, str, bytes):
        return repr(value)
    if isinstance(value, Enum):
        return _member(value, codec)
    record = _record_of(value, codec)
    if record is not None:
        return _record(value, record)
    if type(value) in _TIMES:
        return _time(value)
    if isinstance(value, Mapping):
        return _mapping(value, codec)
    if isinstance(value, (list, tuple)):
        return _sequence(value, codec)
    if isinstance(value, (set, frozenset)):
        items = sorted(_expression(each, _item(codec)) for each in value)
        return f"{{{', '.join(items)}}}" if items else "[]"
    return _other(value, codec)


def _other(value: Any, codec: Codec) -> str:
    """Return a value of another type as what it is in JSON; with the name of its type around it where that is known."""
    json = encoded(value, codec)
    for kind in (TextCodec, DecimalCodec):
        for each in seen_as(codec, kind):
            name = "Decimal" if kind is DecimalCodec else each.cls.__name__
            if each.handles(value) and name.isidentifier() and made_by(each, name) and isinstance(json, str):
                return f"{name}({json!r})"
    return _literal(json)


def _literal(json: Any) -> str:
    """Return a JSON value as a literal of Python."""
    if isinstance(json, dict):
        return f"{{{', '.join(f'{name!r}: {_literal(value)}' for name, value in json.items())}}}"
    if isinstance(json, list):
        return f"[{', '.join(map(_literal, json))}]"
    if isinstance(json, float) and not isfinite(json):
        raise TypeError(f"{json!r} cannot be written: JSON has no such number")
    return repr(json)


def _member(value: Enum, codec: Codec) -> str:
    cls = type(value)
    known = any(made_by(each, cls.__name__) for each in seen_as(codec, object))
    if known and cls.__members__.get(value.name) is value:
        return f"{cls.__name__}.{value.name}"
    return _literal(encoded(value, codec))


def _record_of(value: Any, codec: Codec) -> RecordCodec | None:
    """Return the codec of the record that a value is, if its place may have one; of several, that of its own class."""
    of = [each for each in seen_as(codec, RecordCodec) if not issubclass(each.cls, dict) and each.handles(value)]
    of.sort(key=lambda each: each.cls is not type(value))
    return of[0] if of and type(of[0]).encode is RecordCodec.encode else None


def _record(value: Any, record: RecordCodec) -> str:
    name = record.cls.__name__
    if not name.isidentifier():
        return _literal(record.encode(value))
    written = []
    for field in record.fields:
        item = field_value(record, field, value)
        if field.write_only or field.hidden or field.constant is not MISSING or item is MISSING:
            continue
        if not field.name.isidentifier() or keyword.iskeyword(field.name):
            return _literal(record.encode(value))
        written.append(f"{field.name}={_expression(item, field.codec)}")
    if record.others_of(value):
        return _literal(record.encode(value))
    return f"{name}({', '.join(written)})"


def _time(value: Any) -> str:
    if isinstance(value, timedelta) or (getattr(value, "tzinfo", None) is None and not getattr(value, "fold", 0)):
        return repr(value).removeprefix("datetime.")
    return f"{type(value).__name__}.fromisoformat({value.isoformat()!r})"


def _mapping(value: Mapping[Any, Any], codec: Codec) -> str:
    mapping: DictCodec | None = next(seen_as(codec, DictCodec), None)
    fields = {each.key: each.codec for record in seen_as(codec, RecordCodec) for each in record.fields}
    inner = ANY if mapping is None else mapping.item
    items = [(_key(key, mapping), _expression(item, fields.get(key, inner))) for key, item in value.items()]
    return f"{{{', '.join(f'{key}: {item}' for key, item in items)}}}"


def _key(key: Any, mapping: DictCodec | None) -> str:
    if mapping is not None and type(key) not in (str, int) and mapping.key.handles(key):
        return repr(mapping.key.encode(key))
    return _literal(encoded(key, ANY))


def _sequence(value: Any, codec: Codec) -> str:
    rows: TupleCodec | None = next((each for each in seen_as(codec, TupleCodec) if each.handles(value)), None)
    codecs = [_item(codec)] * len(value) if rows is None else list(rows.children())
    items = [_expression(item, each) for item, each in zip(value, codecs, strict=True)]
    if isinstance(value, tuple):
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    return f"[{', '.join(items)}]"


def _item(codec: Codec) -> Codec:
    sequence: ListCodec | None = next(seen_as(codec, ListCodec), None)
    return ANY if sequence is None else sequence.item

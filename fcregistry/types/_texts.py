"""How do dates, times, durations, UUIDs, paths, addresses and bytes look in JSON? As strings of a named format."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from fcregistry.types._core import Codec
from fcregistry.types._formats import (
    IP_FORMATS,
    PARSERS,
    parse_bytes,
    parse_date,
    parse_datetime,
    parse_duration,
    parse_fraction,
    parse_regex,
    parse_time,
    parse_uuid,
    parse_zone,
    show_bytes,
    show_duration,
    takes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.types._core import Reader
    from fcregistry.types._writer import SchemaWriter


class TextCodec(Codec):
    """A type that travels as a string.

    Args:
        cls: The Python type.
        parse: Text to value; raises ValueError or ArithmeticError for text that is none.
        show: Value to text.
        format: The format that the schema names.
        encoding: The content encoding that the schema names.
        excepts: Values of the class that are none of this type.
    """

    kinds = frozenset({"string"})

    def __init__(
        self,
        cls: type,
        parse: Callable[[str], Any],
        show: Callable[[Any], str] = str,
        *,
        format: str | None = None,
        encoding: str | None = None,
        excepts: Callable[[Any], bool] = lambda value: False,
        hashable: bool = True,
    ) -> None:
        self.cls = cls
        self.format = format
        self._encoding = encoding
        self._parse = parse
        self._show = show
        self._excepts = excepts
        self.hashable = hashable

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schema = {"type": "string"}
        if self.format:
            schema["format"] = self.format
        if self._encoding:
            schema["contentEncoding"] = self._encoding
        return schema

    def accepts(self, value: object) -> bool:
        return type(value) is str and takes(self._parse, value)

    def decode(self, value: Any) -> Any:
        return self._parse(value)

    def handles(self, value: object) -> bool:
        return isinstance(value, self.cls) and not self._excepts(value)

    def encode(self, value: Any) -> Any:
        return self._show(value)


def _bytes(cls: type, hashable: bool) -> TextCodec:
    return TextCodec(
        cls,
        lambda text: cls(parse_bytes(text)),
        show_bytes,
        format="byte",
        encoding="base64",
        hashable=hashable,
    )


_PATTERN = TextCodec(
    re.Pattern,
    parse_regex,
    lambda pattern: pattern.pattern,
    format="regex",
    excepts=lambda pattern: isinstance(pattern.pattern, bytes) or pattern.flags != re.compile("").flags,
)

_TEXTS: Final[dict[Any, TextCodec]] = {
    datetime: TextCodec(datetime, parse_datetime, datetime.isoformat, format="date-time"),
    date: TextCodec(
        date,
        parse_date,
        date.isoformat,
        format="date",
        excepts=lambda value: isinstance(value, datetime),
    ),
    time: TextCodec(time, parse_time, time.isoformat, format="time"),
    timedelta: TextCodec(timedelta, parse_duration, show_duration, format="duration"),
    UUID: TextCodec(UUID, parse_uuid, format="uuid"),
    bytes: _bytes(bytes, True),
    bytearray: _bytes(bytearray, False),
    re.Pattern: _PATTERN,
    re.Pattern[str]: _PATTERN,
    **{cls: TextCodec(cls, cls) for cls in (Path, PurePath, PurePosixPath, PureWindowsPath, type(Path()))},
}


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a type that travels as text."""
    try:
        codec = _TEXTS.get(annotation)
    except TypeError:  # unhashable
        return None
    if codec is not None or not isinstance(annotation, type):
        return codec
    return _seldom(annotation)


def _seldom(cls: type) -> Codec | None:
    """Return the codec of a class whose module is not imported before somebody has such a class."""
    match cls.__module__, cls.__qualname__:
        case "ipaddress", name if name in IP_FORMATS:
            return TextCodec(cls, PARSERS[IP_FORMATS[name]], format=IP_FORMATS[name])
        case "fractions", "Fraction":
            return TextCodec(cls, parse_fraction, format="fraction")
        case (("zoneinfo" | "zoneinfo._zoneinfo" | "_zoneinfo"), "ZoneInfo"):
            return TextCodec(cls, parse_zone, format="timezone", excepts=lambda zone: zone.key is None)
    return None

"""How do dates, times, durations, UUIDs, paths, decimals and bytes look in JSON? As strings of a named format.

The format functions here are the only ones: both validators are given them, and the codecs decode by them.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any
from uuid import UUID

from fcregistry.types._core import Codec

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.types._core import TypeReader
    from fcregistry.types._writer import SchemaWriter

_DATE = r"\d{4}-\d{2}-\d{2}"
_TIME = r"([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,6})?)?"
_OFFSET = r"(Z|z|[+-]([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,6})?)?)?"
_PATTERNS = {
    "date": re.compile(_DATE, re.ASCII),
    "time": re.compile(_TIME + _OFFSET, re.ASCII),
    "date-time": re.compile(f"{_DATE}[Tt ]{_TIME}{_OFFSET}", re.ASCII),
    "uuid": re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", re.ASCII),
    "decimal": re.compile(r"-?(0|[1-9]\d{0,999})(\.\d{1,1000})?([eE][+-]?\d{1,17})?", re.ASCII),
}
_DURATION = re.compile(
    r"(?P<sign>-)?P(?=\d|T\d)(?:(?P<weeks>\d{1,9})W)?(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,12})(?:\.(?P<fraction>\d{1,6}))?S)?)?",
    re.ASCII,
)


def _matched(name: str, text: str) -> str:
    if _PATTERNS[name].fullmatch(text) is None:
        raise ValueError(f"not a {name}")
    return text


def _parse_datetime(text: str) -> datetime:
    return datetime.fromisoformat(_matched("date-time", text).upper())


def _parse_date(text: str) -> date:
    return date.fromisoformat(_matched("date", text))


def _parse_time(text: str) -> time:
    return time.fromisoformat(_matched("time", text).upper())


def _parse_duration(text: str) -> timedelta:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError("not a duration")
    parts = {name: int(match[name] or 0) for name in ("weeks", "days", "hours", "minutes", "seconds")}
    microseconds = int((match["fraction"] or "").ljust(6, "0"))
    duration = timedelta(**parts, microseconds=microseconds)
    return -duration if match["sign"] else duration


def _show_duration(duration: timedelta) -> str:
    if duration < timedelta(0):
        return f"-{_show_duration(-duration)}"
    days = f"{duration.days}D" if duration.days else ""
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{duration.microseconds:06d}".rstrip("0") if duration.microseconds else ""
    shown = "".join(f"{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M")) if count)
    if seconds or fraction:
        shown += f"{seconds}{fraction}S"
    if not shown and not days:
        return "PT0S"
    return f"P{days}" + (f"T{shown}" if shown else "")


def _parse_uuid(text: str) -> UUID:
    return UUID(_matched("uuid", text))


def _parse_decimal(text: str) -> Decimal:
    return Decimal(_matched("decimal", text))


def _show_decimal(value: Decimal) -> str:
    if not value.is_finite():
        raise ValueError("a Decimal that is not finite (NaN or infinity) has no JSON form")
    return str(value)


def _parse_bytes(text: str) -> bytes:
    return b64decode(text.encode("ascii"), validate=True)


def _show_bytes(value: bytes) -> str:
    return b64encode(value).decode("ascii")


class TextCodec(Codec):
    """A type that travels as a string.

    Args:
        cls: The Python type.
        parse: Text to value; raises ValueError or ArithmeticError for text that is none.
        show: Value to text.
        format: The format that the schema names.
        encoding: The content encoding that the schema names.
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
    ) -> None:
        self.cls = cls
        self.format = format
        self._encoding = encoding
        self._parse = parse
        self._show = show

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        schema = {"type": "string"}
        if self.format:
            schema["format"] = self.format
        if self._encoding:
            schema["contentEncoding"] = self._encoding
        return schema

    def takes(self, text: str) -> bool:
        """Tell whether a text is of this format."""
        try:
            self._parse(text)
        except (ValueError, ArithmeticError):
            return False
        return True

    def accepts(self, value: object) -> bool:
        return type(value) is str and self.takes(value)

    def decode(self, value: Any) -> Any:
        return self._parse(value)

    def handles(self, value: object) -> bool:
        return isinstance(value, self.cls) and not (self.cls is date and isinstance(value, datetime))

    def encode(self, value: Any) -> Any:
        return self._show(value)


_TEXTS: dict[Any, TextCodec] = {
    datetime: TextCodec(datetime, _parse_datetime, datetime.isoformat, format="date-time"),
    date: TextCodec(date, _parse_date, date.isoformat, format="date"),
    time: TextCodec(time, _parse_time, time.isoformat, format="time"),
    timedelta: TextCodec(timedelta, _parse_duration, _show_duration, format="duration"),
    UUID: TextCodec(UUID, _parse_uuid, format="uuid"),
    Decimal: TextCodec(Decimal, _parse_decimal, _show_decimal, format="decimal"),
    bytes: TextCodec(bytes, _parse_bytes, _show_bytes, format="byte", encoding="base64"),
    **{cls: TextCodec(cls, cls) for cls in (Path, PurePath, PurePosixPath, PureWindowsPath)},
}

FORMATS: dict[str, Callable[[str], bool]] = {codec.format: codec.takes for codec in _TEXTS.values() if codec.format}
"""JSON Schema format -> whether a string is of it. RFC 3339 and ISO 8601; an offset may be missing, as in Python's own types."""


def read(annotation: Any, reader: TypeReader) -> Codec | None:
    """Return the codec of a type that travels as text."""
    try:
        return _TEXTS.get(annotation)
    except TypeError:  # unhashable
        return None

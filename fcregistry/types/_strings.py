"""Codecs of types that are strings in JSON, such as dates, UUIDs, paths and bytes, and of Decimal.

Each format has one function that parses its texts, which both validators and the codecs use. It returns the value of a text, and raises
ValueError or ArithmeticError for a text that is not of the format.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from fcregistry._base.json import ExactFloat
from fcregistry.types._codec import Codec
from fcregistry.types._scalars import NotFiniteError, are_written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

    from fcregistry.types._codec import Reader, SchemaWriter


def read_texts(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a type that is a string in JSON; None for any other annotation."""
    try:
        codec = _TEXTS.get(annotation)
    except TypeError:  # unhashable
        return None
    if codec is not None or not isinstance(annotation, type):
        return codec
    return _read_rare_class(annotation)


def _read_rare_class(cls: type) -> Codec | None:
    """Return the codec of a class of `ipaddress`, of Fraction or of ZoneInfo; None for other classes.

    Their modules are imported only if an annotation needs them.
    """
    match cls.__module__, cls.__qualname__:
        case "ipaddress", name if name in IP_FORMATS:
            return TextCodec(cls, format=IP_FORMATS[name])
        case "fractions", "Fraction":
            return TextCodec(cls, format="fraction")
        case (("zoneinfo" | "zoneinfo._zoneinfo" | "_zoneinfo"), "ZoneInfo"):
            return TextCodec(cls, format="timezone", excepts=lambda zone: zone.key is None)
    return None


class TextCodec(Codec):
    """A type that is a string in JSON.

    Args:
        cls: The Python type.
        show: Returns the text of a value.
        parse: Returns the value of a text; raises ValueError or ArithmeticError for an invalid text. By default, that of the format.
        format: The format that the schema names.
        keywords: Further keywords of the schema.
        excepts: Returns whether a value of the class is not of this type.
        hashable: Whether the values are hashable.
    """

    kinds: frozenset[str] = frozenset({"string"})

    def __init__(
        self,
        cls: type,
        show: Callable[[Any], str] = str,
        *,
        parse: Callable[[str], Any] | None = None,
        format: str = "",
        keywords: Mapping[str, Any] = MappingProxyType({}),
        excepts: Callable[[Any], bool] = lambda value: False,
        hashable: bool = True,
    ) -> None:
        self.cls = cls
        self.format = format
        self._keywords = keywords
        self._parse = parse or PARSERS[format]
        self._show = show
        self._excepts = excepts
        self.hashable = hashable

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "string", **({"format": self.format} if self.format else {}), **self._keywords}

    def accepts(self, value: object) -> bool:
        return type(value) is str and _can_parse(self._parse, value)

    def decode(self, value: Any) -> Any:
        return self._parse(value)

    def handles(self, value: object) -> bool:
        return isinstance(value, self.cls) and not self._excepts(value)

    def encode(self, value: Any) -> Any:
        return self._show(value)


def read_decimals(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of Decimal; None for any other annotation."""
    return _DECIMAL if annotation is Decimal else None


class DecimalCodec(Codec):
    """Decimal: a string or a number. A number keeps all its digits; a Decimal is written as a string."""

    kinds: frozenset[str] = frozenset({"string", "number"})
    exact = True

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": ["number", "string"], "format": "decimal"}

    def accepts(self, value: object) -> bool:
        if type(value) is str:
            return _can_parse(_parse_decimal, value)
        return type(value) is int or (isinstance(value, float) and value - value == 0)

    def decode(self, value: Any) -> Any:
        if isinstance(value, str):
            return _parse_decimal(value)
        if isinstance(value, float):
            return Decimal(value.text if isinstance(value, ExactFloat) else repr(value))
        return Decimal(value)

    def handles(self, value: object) -> bool:
        return isinstance(value, Decimal)

    def encode(self, value: Any) -> Any:
        if are_written() and not value.is_finite():
            return float("nan") if value.is_nan() else float(value)
        return show_decimal(value)


# --- The texts of each format ---

_DATE = r"\d{4}-\d{2}-\d{2}"
_TIME = r"([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,6})?)?"
_OFFSET = r"(Z|z|[+-]([01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,6})?)?)?"
_PATTERNS = {
    "date": re.compile(_DATE, re.ASCII),
    "time": re.compile(_TIME + _OFFSET, re.ASCII),
    "date-time": re.compile(f"{_DATE}[Tt ]{_TIME}{_OFFSET}", re.ASCII),
    "uuid": re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", re.ASCII),
    "decimal": re.compile(r"-?(0|[1-9]\d{0,999})(\.\d{1,1000})?([eE][+-]?\d{1,17})?", re.ASCII),
    "fraction": re.compile(r"-?\d{1,1000}(/0*[1-9]\d{0,999})?", re.ASCII),
    "timezone": re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*", re.ASCII),
}
_DURATION = re.compile(
    r"(?P<sign>-)?P(?=\d|T\d)(?:(?P<weeks>\d{1,9})W)?(?:(?P<days>\d{1,9})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,9})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,12})(?:\.(?P<fraction>\d{1,6}))?S)?)?",
    re.ASCII,
)


def _require_match(name: str, text: str) -> str:
    """Return `text` if all of it matches the pattern of the format `name`.

    Raises:
        ValueError: It does not match.
    """
    if _PATTERNS[name].fullmatch(text) is None:
        raise ValueError(f"not a {name}")
    return text


def _of_pattern(name: str, make: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a function that returns `make(text)` for a text that has the pattern of the format `name`.

    For a text that does not match it raises ValueError, and for one that is not valid what `make` raises.
    """

    def parse(text: str) -> Any:
        """Return the value of `text`.

        Raises:
            ValueError: It does not match the pattern, or is not valid.
        """
        return make(_require_match(name, text))

    return parse


def parse_duration(text: str) -> timedelta:
    """Return the duration that a text names (ISO 8601), in weeks, days, hours, minutes and seconds.

    Other units have no fixed length.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError("not a duration")
    parts = {name: int(match[name] or 0) for name in ("weeks", "days", "hours", "minutes", "seconds")}
    microseconds = int((match["fraction"] or "").ljust(6, "0"))
    duration = timedelta(**parts, microseconds=microseconds)
    return -duration if match["sign"] else duration


def show_duration(duration: timedelta) -> str:
    """Return the text of a duration."""
    if duration < timedelta(0):
        return f"-{show_duration(-duration)}"
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


def show_decimal(value: Decimal) -> str:
    """Return the text of a decimal number.

    Raises:
        NotFiniteError: It is not finite. This is a ValueError.
    """
    if not value.is_finite():
        raise NotFiniteError("a Decimal that is not finite (NaN or infinity) has no JSON form")
    return str(value)


def parse_bytes(text: str) -> bytes:
    """Return the bytes of a text in base64 (RFC 4648)."""
    return b64decode(text.encode("ascii"), validate=True)


def show_bytes(value: bytes) -> str:
    """Return the base64 text of bytes."""
    return b64encode(value).decode("ascii")


def _make_fraction(text: str) -> Fraction:
    """Return the Fraction that `text` writes, such as `2/3` or a whole number."""
    from fractions import Fraction  # rarely needed

    return Fraction(text)


def parse_regex(text: str) -> re.Pattern[str]:
    """Return `text`, a regular expression in Python's syntax, compiled.

    Raises:
        ValueError: It is not valid, or too long.
    """
    if len(text) > _MAX_REGEX_LENGTH:
        raise ValueError("too long for a regular expression")
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError, Warning) as error:  # a warning, if warnings are errors
        raise ValueError("not a regular expression") from error


_MAX_REGEX_LENGTH: Final = 1000  # characters: compiling takes time, and the text is untrusted


def parse_zone(text: str) -> Any:
    """Return the time zone that `text` names, from the IANA time zone database of this machine.

    Raises:
        ValueError: It names none.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # rarely needed

    try:
        return ZoneInfo(_require_match("timezone", text))
    except (ZoneInfoNotFoundError, OSError) as error:  # an OSError if the name is that of a folder
        raise ValueError("not a time zone") from error


def parser_of_ip(name: str) -> Callable[[str], Any]:
    """Return the function that parses the texts of the class `name` of the module `ipaddress`."""

    def parse(text: str) -> Any:
        """Return the address, network or interface that `text` names.

        Raises:
            ValueError: It names none, or has a zone.
        """
        import ipaddress  # rarely needed

        if "%" in text:  # a zone names an interface of one machine
            raise ValueError("not an address")
        return getattr(ipaddress, name)(text)

    return parse


IP_FORMATS: Final = {
    f"IPv{version}{kind}": f"ipv{version}{kind.lower().removesuffix('address')}"
    for kind in ("Address", "Network", "Interface")
    for version in (4, 6)
}
"""Class of the module `ipaddress` -> its format. RFC 2673 and 4291; networks and interfaces have pydantic's names."""

PARSERS: Final[dict[str, Callable[[str], Any]]] = {
    # RFC 3339; the offset may be missing, as in Python
    "date-time": _of_pattern("date-time", lambda text: datetime.fromisoformat(text.upper())),
    "date": _of_pattern("date", date.fromisoformat),
    "time": _of_pattern("time", lambda text: time.fromisoformat(text.upper())),
    "duration": parse_duration,
    "uuid": _of_pattern("uuid", UUID),  # RFC 9562
    "decimal": _of_pattern("decimal", Decimal),  # written as in JSON
    "fraction": _of_pattern("fraction", _make_fraction),  # `2/3`, or a whole number
    "byte": parse_bytes,
    "regex": parse_regex,
    "timezone": parse_zone,
    **{name: parser_of_ip(cls) for cls, name in IP_FORMATS.items()},
}
"""Format -> the function that parses its texts."""


def _can_parse(parse: Callable[[str], Any], text: str) -> bool:
    """Return whether `parse` accepts `text`: False if it raises ValueError or ArithmeticError."""
    try:
        parse(text)
    except (ValueError, ArithmeticError):
        return False
    return True


_parse_decimal = PARSERS["decimal"]

STRING_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    name: partial(_can_parse, parse) for name, parse in PARSERS.items()
}
"""JSON Schema format -> whether a string is of it."""

# --- The codec of each type ---


_PATTERN = TextCodec(
    re.Pattern,
    lambda pattern: pattern.pattern,
    format="regex",
    excepts=lambda pattern: isinstance(pattern.pattern, bytes) or pattern.flags != re.compile("").flags,
)

_IN_BASE64: Final = {"contentEncoding": "base64"}

_TEXTS: Final[dict[Any, TextCodec]] = {
    datetime: TextCodec(datetime, datetime.isoformat, format="date-time"),
    date: TextCodec(date, date.isoformat, format="date", excepts=lambda value: isinstance(value, datetime)),
    time: TextCodec(time, time.isoformat, format="time"),
    timedelta: TextCodec(timedelta, show_duration, format="duration"),
    UUID: TextCodec(UUID, format="uuid"),
    bytes: TextCodec(bytes, show_bytes, format="byte", keywords=_IN_BASE64),
    bytearray: TextCodec(
        bytearray,
        show_bytes,
        parse=lambda text: bytearray(parse_bytes(text)),
        format="byte",
        keywords=_IN_BASE64,
        hashable=False,
    ),
    re.Pattern: _PATTERN,
    re.Pattern[str]: _PATTERN,
    **{cls: TextCodec(cls, parse=cls) for cls in (Path, PurePath, PurePosixPath, PureWindowsPath, type(Path()))},
}

_DECIMAL = DecimalCodec()

DECIMAL_TEXT = TextCodec(Decimal, show_decimal, format="decimal")
"""A Decimal that must be a text, such as the key of an object."""

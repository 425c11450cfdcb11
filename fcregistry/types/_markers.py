"""What do the markers of annotated-types and msgspec say?

Written for annotated-types 0.7, msgspec 0.18 and later.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from fcregistry.types._core import UnsupportedType
from fcregistry.types._formats import parse_zone

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.types._marks import Marks

_BOUNDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
"""What annotated-types, pydantic and msgspec all call a bound -> its keyword."""


def read_annotated_types(name: str, marker: Any, marks: Marks) -> bool:
    """Read a marker of annotated-types, of the class of that name or of one that derives from it."""
    if name in ("Ge", "Gt", "Le", "Lt", "MultipleOf"):
        attribute = "multiple_of" if name == "MultipleOf" else name.lower()
        marks.bound(_BOUNDS[attribute], getattr(marker, attribute))
    elif name in ("MinLen", "MaxLen"):
        marks.length(name, marker.min_length if name == "MinLen" else marker.max_length)
    elif name == "DocInfo":
        marks.say("description", marker.documentation)
    elif name == "Timezone":
        _timezone(marker.tz, marks)
    elif hasattr(marker, "func"):  # Predicate, and others' classes that derive from it
        marks.check(_name_of(marker.func), marker.func)
    else:
        return name == "Unit"  # it tells people what a number measures
    return True


def _name_of(predicate: Any) -> str:
    """Return what a predicate is called, for a model to read."""
    if type(predicate).__name__ == "Not" and hasattr(predicate, "func"):
        return f"not {_name_of(predicate.func)}"
    name = getattr(predicate, "__qualname__", None) or type(predicate).__qualname__
    return str(name).rpartition("<locals>.")[2]


def _timezone(wanted: Any, marks: Marks) -> None:
    """Read what annotated-types says of time zones: None for none, … for any, a name, or a zone.

    JSON carries offsets, and no zones: a time is in a zone if it has the offset that the zone has then.
    """
    if wanted is None:
        marks.check_format(("date-time", "time"), "having no UTC offset", lambda value: value.utcoffset() is None)
    elif wanted is ...:
        marks.check_format(("date-time", "time"), "having a UTC offset", lambda value: value.utcoffset() is not None)
    else:
        marks.check_format(("date-time",), f"being in the time zone {wanted}", _in_zone(wanted))


def _in_zone(wanted: Any) -> Callable[[Any], bool]:
    try:
        zone = wanted if not isinstance(wanted, str) else UTC if wanted == "UTC" else parse_zone(wanted)
    except ValueError:
        raise UnsupportedType(f"Timezone({wanted!r}) names no time zone that is known here") from None
    return lambda value: value.utcoffset() is not None and value.utcoffset() == value.astimezone(zone).utcoffset()


def read_msgspec(name: str, marker: Any, marks: Marks) -> bool:
    """Read `msgspec.Meta`."""
    if name != "Meta":
        return False
    for attribute, keyword in _BOUNDS.items():
        if (limit := getattr(marker, attribute)) is not None:
            marks.bound(keyword, limit)
    if marker.min_length is not None:
        marks.length("MinLen", marker.min_length)
    if marker.max_length is not None:
        marks.length("MaxLen", marker.max_length)
    if marker.pattern is not None:
        marks.pattern(marker.pattern)
    if marker.tz is not None:
        _timezone(... if marker.tz else None, marks)
    marks.say_texts(marker, marker.extra_json_schema)
    return True

"""What do the markers of annotated-types and msgspec say?

Written for annotated-types 0.7, msgspec 0.18 and later.

MERGED: What does each marker of an `Annotated[…]` say? Texts, and the markers of annotated-types, pydantic and msgspec.

Nothing of these libraries is imported before a marker comes from it. A marker that nobody knows says nothing (PEP 593), and the author
is told so where that matters: by lint.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

from fcregistry.types._codec import UnsupportedType, origin_of
from fcregistry.types._constraints import AnnotationMarks, show_marker
from fcregistry.types._pydantic_markers import read_pydantic_marker
from fcregistry.types._strings import parse_zone

if TYPE_CHECKING:
    from fcregistry.types._codec import Codec, Reader

# --- types._markers ---

_BOUNDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
"""What annotated-types, pydantic and msgspec all call a bound -> its keyword."""


def _read_annotated_types_marker(name: str, marker: Any, marks: AnnotationMarks) -> bool:
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


def _timezone(wanted: Any, marks: AnnotationMarks) -> None:
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


def _read_msgspec_marker(name: str, marker: Any, marks: AnnotationMarks) -> bool:
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


# --- types._annotated ---


def read_annotated(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of an `Annotated[…]`."""
    if origin_of(annotation) is not Annotated:
        return None
    inner, *markers = get_args(annotation)
    marks = AnnotationMarks(reader.read(inner), inner, _apply_marker, reader.validated)
    for marker in markers:
        _apply_marker(marker, marks)
    return marks.applied()


def _apply_marker(marker: Any, marks: AnnotationMarks) -> None:
    """Add what a marker says to what others said."""
    if isinstance(marker, str):
        marks.say("description", marker)
        return
    kind = marker if isinstance(marker, type) and hasattr(marker, "__get_pydantic_core_schema__") else type(marker)
    for cls in kind.__mro__:  # a class of the author's own may derive from one that is known
        reader = _LIBRARIES.get(cls.__module__.partition(".")[0])
        if reader is not None and reader(cls.__name__, marker, marks):
            return
    if getattr(marker, "__is_annotated_types_grouped_metadata__", False):
        for each in marker:  # several in one: Interval, Len, and others' own
            _apply_marker(each, marks)
    elif (marked := marks.inner.marked(marker)) is not None:
        marks.inner = marked
    elif marker is not None:
        marks.note(f"the marker {show_marker(marker)} of {marks.shown} is not known, and says nothing")


def _read_doc_marker(name: str, marker: Any, marks: AnnotationMarks) -> bool:
    """Read `Doc` (PEP 727)."""
    if name != "Doc":
        return False
    marks.say("description", marker.documentation)
    return True


_LIBRARIES: Final[dict[str, Callable[[str, Any, AnnotationMarks], bool]]] = {
    "typing_extensions": _read_doc_marker,
    "typing": _read_doc_marker,
    "annotated_types": _read_annotated_types_marker,
    "pydantic": read_pydantic_marker,
    "msgspec": _read_msgspec_marker,
}
"""Top-level module of a marker's class, or of one above it -> what reads it by the name of that class, and tells whether it knows it."""

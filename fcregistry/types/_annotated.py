"""The markers of an `Annotated[…]`: texts, and those of annotated-types, pydantic and msgspec.

Written for annotated-types 0.7, and for msgspec 0.18 and later. No library is imported before a marker comes from it. An unknown marker has no
effect (PEP 593); lint tells the author about it.
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


def read_annotated(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of an `Annotated[…]`; None for any other annotation."""
    if origin_of(annotation) is not Annotated:
        return None
    inner, *markers = get_args(annotation)
    marks = AnnotationMarks(reader.read(inner), inner, _apply_marker, reader.validated)
    for marker in markers:
        _apply_marker(marker, marks)
    return marks.applied()


def _apply_marker(marker: Any, marks: AnnotationMarks) -> None:
    """Add the constraints and texts of `marker` to `marks`; if it is not known, note that for the author.

    A string is a description; each part of a grouped marker is applied; a marker that only the type's own codec knows replaces that codec; None
    has no effect.

    Raises:
        UnsupportedType: The marker does not fit the type.
    """
    if isinstance(marker, str):
        marks.set_text("description", marker)
        return
    kind = marker if isinstance(marker, type) and hasattr(marker, "__get_pydantic_core_schema__") else type(marker)
    for cls in kind.__mro__:  # the author's class may derive from a known one
        reader = _LIBRARIES.get(cls.__module__.partition(".")[0])
        if reader is not None and reader(cls.__name__, marker, marks):
            return
    if getattr(marker, "__is_annotated_types_grouped_metadata__", False):
        for each in marker:  # several in one: Interval, Len, and classes of other authors
            _apply_marker(each, marks)
    elif (marked := marks.inner.marked(marker)) is not None:
        marks.inner = marked
    elif marker is not None:
        marks.note(f"the marker {show_marker(marker)} of {marks.shown} is not known, and has no effect")


# --- The markers of each library ---


def _read_doc_marker(name: str, marker: Any, marks: AnnotationMarks) -> bool:
    """Add the text of `Doc` (PEP 727) to `marks`; return whether `name`, the marker's class, is `Doc`."""
    if name != "Doc":
        return False
    marks.set_text("description", marker.documentation)
    return True


def _read_annotated_types_marker(name: str, marker: Any, marks: AnnotationMarks) -> bool:
    """Add a marker of annotated-types to `marks`; return whether it is known.

    `name` is its class or a base class. A marker with an attribute `func` is a predicate, and becomes a check; `Unit` is known and adds nothing.
    """
    if name in ("Ge", "Gt", "Le", "Lt", "MultipleOf", "MinLen", "MaxLen"):
        marks.read_limits(marker)
    elif name == "DocInfo":
        marks.set_text("description", marker.documentation)
    elif name == "Timezone":
        _add_timezone(marker.tz, marks)
    elif hasattr(marker, "func"):  # Predicate, and classes that derive from it
        marks.check(_predicate_name(marker.func), marker.func)
    else:
        return name == "Unit"  # it names the unit of a number, for people
    return True


def _predicate_name(predicate: Any) -> str:
    """Return the qualified name of `predicate` or of its class, such as `str.islower`.

    It is `not …` for a `Not`; what comes before the last `<locals>.` is left out.
    """
    if type(predicate).__name__ == "Not" and hasattr(predicate, "func"):
        return f"not {_predicate_name(predicate.func)}"
    name = getattr(predicate, "__qualname__", None) or type(predicate).__qualname__
    return str(name).rpartition("<locals>.")[2]


def _add_timezone(wanted: Any, marks: AnnotationMarks) -> None:
    """Add a check of time zones to `marks`.

    JSON has offsets and no zones: a time is in a zone if it has the offset that the zone has at that time.

    Args:
        wanted: None for times without an offset, `...` for any offset, or a zone or its name (then only for dates with times).
        marks: The marks of the annotation.

    Raises:
        UnsupportedType: The zone is not known here, or the annotated type is not a time.
    """
    if wanted is None:
        marks.check_format(("date-time", "time"), "having no UTC offset", lambda value: value.utcoffset() is None)
    elif wanted is ...:
        marks.check_format(("date-time", "time"), "having a UTC offset", lambda value: value.utcoffset() is not None)
    else:
        marks.check_format(("date-time",), f"being in the time zone {wanted}", _zone_check(wanted))


def _zone_check(wanted: Any) -> Callable[[Any], bool]:
    """Return a function that returns whether a datetime has the offset of the zone `wanted`.

    It returns False for a datetime without offset.

    Args:
        wanted: A zone, or its name.

    Raises:
        UnsupportedType: No zone of that name is known here.
    """
    try:
        zone = wanted if not isinstance(wanted, str) else UTC if wanted == "UTC" else parse_zone(wanted)
    except ValueError:
        raise UnsupportedType(f"Timezone({wanted!r}) names no time zone that is known here") from None
    return lambda value: value.utcoffset() is not None and value.utcoffset() == value.astimezone(zone).utcoffset()


def _read_msgspec_marker(name: str, marker: Any, marks: AnnotationMarks) -> bool:
    """Add the limits and texts of `msgspec.Meta` to `marks`; return whether `name`, the class, is `Meta`.

    Its `tz` becomes a check: with an offset if True, without one if False.
    """
    if name != "Meta":
        return False
    marks.read_limits(marker)
    if marker.tz is not None:
        _add_timezone(... if marker.tz else None, marks)
    marks.set_texts(marker, marker.extra_json_schema)
    return True


_LIBRARIES: Final[dict[str, Callable[[str, Any, AnnotationMarks], bool]]] = {
    "typing_extensions": _read_doc_marker,
    "typing": _read_doc_marker,
    "annotated_types": _read_annotated_types_marker,
    "pydantic": read_pydantic_marker,
    "msgspec": _read_msgspec_marker,
}
"""Top-level module of a marker's class or base class -> the function that reads it by the name of that class, and returns whether it knows it."""

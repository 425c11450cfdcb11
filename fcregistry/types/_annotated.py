"""What does each marker of an `Annotated[…]` say? Texts, and the markers of annotated-types, pydantic and msgspec.

Nothing of these libraries is imported before a marker comes from it. A marker that nobody knows says nothing (PEP 593), and the author
is told so where that matters: by lint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

from fcregistry.types._core import origin_of
from fcregistry.types._markers import read_annotated_types, read_msgspec
from fcregistry.types._marks import Marks, show_marker
from fcregistry.types._pydantic_markers import read_pydantic

if TYPE_CHECKING:
    from fcregistry.types._core import Codec, Reader


def read(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of an `Annotated[…]`."""
    if origin_of(annotation) is not Annotated:
        return None
    inner, *markers = get_args(annotation)
    marks = Marks(reader.read(inner), inner, take, reader.validated)
    for marker in markers:
        take(marker, marks)
    return marks.applied()


def take(marker: Any, marks: Marks) -> None:
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
            take(each, marks)
    elif (marked := marks.inner.marked(marker)) is not None:
        marks.inner = marked
    elif marker is not None:
        marks.note(f"the marker {show_marker(marker)} of {marks.shown} is not known, and says nothing")


def _typing(name: str, marker: Any, marks: Marks) -> bool:
    """Read `Doc` (PEP 727)."""
    if name != "Doc":
        return False
    marks.say("description", marker.documentation)
    return True


_LIBRARIES: Final[dict[str, Callable[[str, Any, Marks], bool]]] = {
    "typing_extensions": _typing,
    "typing": _typing,
    "annotated_types": read_annotated_types,
    "pydantic": read_pydantic,
    "msgspec": read_msgspec,
}
"""Top-level module of a marker's class, or of one above it -> what reads it by the name of that class, and tells whether it knows it."""

"""What reads the types of an extension, or says why nothing does? Families, which fail with the extension's name, and fail alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.discovery._outcomes import FailedExtension
from fcregistry.types import Codec, UnsupportedType
from fcregistry.types._codec import show_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.discovery._found import FoundExtension
    from fcregistry.types._reader import Family, TypeReader


class TypeFamilies:
    """Collects what an extension reads annotations with."""

    def __init__(self) -> None:
        self._families: list[Family] = []

    def add(self, family: Family) -> None:
        """Have a family of types asked for annotations that no built-in one reads.

        Args:
            family: A function of the annotation and the `TypeReader`, which reads annotations inside it. Returns the `Codec` of an
                annotation that it knows, else None. May raise `UnsupportedType` with what to write instead.

        Raises:
            TypeError: It is no function.
        """
        _check_family(family)
        self._families.append(family)

    def __iter__(self) -> Iterator[Family]:
        """Yield the families in the order in which they were added, which is that in which they are asked."""
        return iter(self._families)


def _check_family(family: object) -> None:
    if isinstance(family, type):
        raise TypeError(
            f"types.add takes a function (annotation, reader) -> Codec | None, not the class {family.__qualname__}"
        )
    if not callable(family):
        raise TypeError(
            f"types.add takes a function (annotation, reader) -> Codec | None, not a {type(family).__name__}"
        )


def refusing(which: str, why: str) -> Family:
    """Return a family that reads nothing, and says which extension would, and why it does not."""

    def refuse(annotation: Any, reader: TypeReader) -> Codec | None:
        raise UnsupportedType(f"{show_type(annotation)} is read by {which}, {why}")

    return refuse


def guarded(family: Family, extension: FoundExtension) -> Family:
    """Return a family whose mistakes are told as problems of the annotation, with the name of the extension."""

    def read(annotation: Any, reader: TypeReader) -> Codec | None:
        try:
            return _checked(family(annotation, reader))
        except UnsupportedType:
            raise
        except Exception as error:  # foreign code: a mistake in an extension costs the tools that need it, and no other
            failed = FailedExtension(extension=extension, error=error, traceback="")
            raise UnsupportedType(
                f"{show_type(annotation)}: the extension {extension.label} fails to read it: {failed.reason}; {failed.advice}"
            ) from error

    return read


def _checked(codec: object) -> Codec | None:
    if codec is None or isinstance(codec, Codec):
        return codec
    raise TypeError(f"a family returns a Codec or None, not a {type(codec).__name__}")

"""The table of type families, and the reader that asks them for the codec of an annotation.

A new type is one row of `FAMILIES`, one small file beside this one, one test, and one row of the page "Types".
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final, ForwardRef, get_origin

from fcregistry._base import slots
from fcregistry.types._annotated import read_annotated
from fcregistry.types._choices import read_choices
from fcregistry.types._codec import Codec, UnsupportedType, codec_schema, show_type
from fcregistry.types._containers import read_containers
from fcregistry.types._names import read_names
from fcregistry.types._pydantic import read_pydantic_class
from fcregistry.types._record_families import read_records
from fcregistry.types._scalars import SCALARS, read_scalars
from fcregistry.types._strings import read_decimals, read_texts
from fcregistry.types._unions import read_unions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Family = Callable[[Any, "TypeReader"], Codec | None]


def codec_of(annotation: Any) -> Codec:
    """Return the codec of an annotation.

    Args:
        annotation: A type, as in a tool's signature.

    Raises:
        UnsupportedType: The type has no JSON form; the message says why, and what to write instead.
    """
    return TypeReader().read(annotation)


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of an annotation.

    Args:
        annotation: A type, as in a tool's signature.

    Raises:
        UnsupportedType: The type has no JSON form.
    """
    schema = codec_schema(codec_of(annotation))
    return deepcopy(schema)  # the caller may change it, and other schemas share parts of it


def codec_of_class(cls: type) -> Codec | None:
    """Return the codec of a class, or of its nearest base class that has a codec; None if none has.

    It encodes values whose annotation is not known.
    """
    for base in cls.__mro__[:-1]:
        if issubclass(base, enum.Flag):
            return None
        try:
            return TypeReader().read(base)
        except UnsupportedType:
            continue
    return None


def _read_by_extension(annotation: Any, reader: TypeReader) -> Codec | None:
    """Return the codec of a type, by the first installed extension for the type's library that reads it.

    None if there is no such extension, or the annotation belongs to no module.
    """
    module = getattr(get_origin(annotation) or annotation, "__module__", None)
    if not isinstance(module, str):
        return None
    families: tuple[Family, ...] = slots.families_of_extensions(module.partition(".")[0])
    for family in families:
        codec = family(annotation, reader)
        if codec is not None:
            return codec
    return None


def _refuse(annotation: Any, reader: TypeReader) -> Codec | None:
    """Always raise UnsupportedType: why no family reads the annotation, and what to write instead."""
    name = show_type(annotation)
    for matches, reason in _REASONS:
        if matches(annotation):
            raise UnsupportedType(reason.format(name=name))
    raise UnsupportedType(
        f"{name} has no JSON form; use a dataclass, TypedDict, NamedTuple or Enum in its place, "
        "or give the tool a JSON Schema with parameters=…"
    )


_REASONS: tuple[tuple[Callable[[Any], bool], str], ...] = (
    (
        lambda annotation: Callable in (annotation, get_origin(annotation)),
        "{name}: a model cannot write a function; take a name (Literal[…]) and look the function up",
    ),
    (
        lambda annotation: annotation is type or get_origin(annotation) is type,
        "{name}: a model cannot write a class; take a name (Literal[…]) and look the class up",
    ),
    (
        lambda annotation: annotation is complex,
        "{name}: JSON has no complex numbers; take two floats, or a dataclass of two",
    ),
    (
        lambda annotation: getattr(annotation, "__module__", "") == "fcregistry._base.call",
        "{name}: no model can give one; take a Context as a parameter, whose `cancellation` is the call's",
    ),
    (
        lambda annotation: isinstance(annotation, (str, ForwardRef)),
        "{name} cannot be resolved; define or import that name in the module of the function",
    ),
)

FAMILIES: tuple[Family, ...] = (
    read_scalars,
    read_unions,
    read_containers,
    read_annotated,
    read_choices,
    read_decimals,
    read_texts,
    read_names,
    read_pydantic_class,  # before other records: some dataclasses are pydantic's
    read_records,
    _read_by_extension,
    _refuse,
)


# --- The reader ---

_SCALAR_CODECS: Final = {each: codec for each, codec in SCALARS.items() if isinstance(each, type)}
_CODECS: Final[dict[Any, Codec]] = dict(_SCALAR_CODECS)
"""The codecs of classes and other named types that were read before: a process reads each once, however many tools use it."""

_MAX_CODECS: Final = 4096
"""Most codecs that are cached. Then the cache is cleared, so that a program that makes classes by the thousand does not fill it."""

_MAX_SCHEMA_DEPTH: Final = 150
"""Most levels of a schema that jsonschema, the validator that needs the most Python frames, can walk."""

_SUSPICIOUS_DEPTH: Final = 70
"""Nested types that may give a schema of more levels: each type adds at most two."""


class TypeReader:
    """Reads annotations into codecs. Each function has a reader of its own.

    Args:
        scope: Names for annotations that are strings, in addition to the names of the module that wrote them.
        owner: The class that `Self` means, or None.
        families: The families that read annotations, in order: functions that return a codec, or None if they do not know the annotation.

    Attributes:
        scope: The names for annotations that are strings.
        owner: The class that `Self` means; while the fields of a class are read, that class.
        validated: Whether that class is pydantic's, which runs validators itself when it makes an instance.
    """

    def __init__(
        self,
        scope: Mapping[str, Any] | None = None,
        owner: Any = None,
        families: Iterable[Family] = FAMILIES,
    ) -> None:
        self._families = tuple(families)
        self._depth = 0
        self._deep = False  # whether the schema may be nested too deeply
        self._checks: list[Callable[[], None]] = []
        self._fresh: dict[Any, Codec] = {}
        self.scope: dict[str, Any] = dict(scope or {})
        self.owner = owner
        self.validated = False

    def read(self, annotation: Any) -> Codec:
        """Return the codec of an annotation.

        Args:
            annotation: A type, as in a tool's signature.

        Raises:
            UnsupportedType: No family reads it; the message says why, and what to write instead.
        """
        if isinstance(annotation, type) and (known := self.known(annotation)) is not None:
            return known
        return self._read_uncached(annotation) if self._depth else self._read_outermost(annotation)

    def _read_outermost(self, annotation: Any) -> Codec:
        """Return the codec of an annotation that is inside no other, after the checks that need all of it.

        The codecs of the types in it are cached; see `_finish`.

        Raises:
            UnsupportedType: A type has no JSON form, a check fails, or the types or their schema are nested too deeply.
        """
        complete = False
        try:
            codec = self._read_uncached(annotation)
            while self._checks:
                self._checks.pop(0)()
            if self._deep:
                _check_depth(codec)
            complete = True
        except RecursionError:
            raise UnsupportedType("it is nested too deeply, or refers to ever new types") from None
        finally:
            if self._fresh or self._checks or self._deep:
                self._finish(complete)
        return codec

    def _read_uncached(self, annotation: Any) -> Codec:
        """Return the codec of the first family that reads an annotation.

        The codec of a class is then cached in this reader.

        Raises:
            UnsupportedType: No family reads it.
        """
        self._depth += 1
        try:
            for family in self._families:
                codec = family(annotation, self)
                if codec is not None:
                    break
            else:  # if the given families do not end with one that refuses
                raise UnsupportedType(f"{show_type(annotation)} has no JSON form")
        finally:
            self._depth -= 1
        if self._depth >= _SUSPICIOUS_DEPTH:
            self._deep = True
        if isinstance(annotation, type):
            self._fresh.setdefault(annotation, codec)
        return codec

    def read_in(self, annotation: Any, outer: Any) -> Codec:
        """Return the codec of an annotation inside another; an error names the outer one.

        Args:
            annotation: The inner type.
            outer: The type whose author wrote it, such as `list[annotation]`.

        Raises:
            UnsupportedType: No family reads the inner one.
        """
        try:
            return self.read(annotation)
        except UnsupportedType as unsupported:
            raise unsupported.inside(f"in {show_type(outer)}") from None

    def check_later(self, check: Callable[[], None]) -> None:
        """Store a check, which runs when the outermost annotation is read.

        Until then, records that refer to each other lack fields.

        Args:
            check: Raises `UnsupportedType` if something is wrong.
        """
        self._checks.append(check)

    def known(self, annotation: Any) -> Codec | None:
        """Return the codec of a type that was read before, or is being read: it may refer to itself.

        Args:
            annotation: A class or another named type.
        """
        try:
            return _CODECS.get(annotation) or self._fresh.get(annotation)
        except TypeError:  # the class or its arguments cannot be hashed
            return None

    def learn(self, annotation: Any, codec: Codec) -> None:
        """Store the codec of a named type before its parts are read, since they may refer to it.

        Args:
            annotation: The type.
            codec: Its codec, which is filled later.
        """
        try:
            self._fresh[annotation] = codec
        except TypeError:  # its arguments cannot be hashed, and no lookup can find it
            return

    def forget(self, annotation: Any) -> None:
        """Remove a codec that `learn` stored, if nothing refers to it.

        Args:
            annotation: The type.
        """
        if self.known(annotation) is not None:
            self._fresh.pop(annotation, None)

    def _finish(self, complete: bool) -> None:
        """End the outermost reading, and cache its codecs for the process.

        They are not cached if the reader has a scope of its own.

        Args:
            complete: Whether reading succeeded. If not, the codecs are forgotten.
        """
        self._checks.clear()
        self._deep = False
        if not complete:
            self._fresh.clear()
        elif not self.scope:
            if len(_CODECS) > _MAX_CODECS:
                forget_codecs()
            _CODECS.update(self._fresh)
            self._fresh.clear()


def _check_depth(codec: Codec) -> None:
    """Check that validators can walk the schema of `codec`.

    Raises:
        UnsupportedType: The schema is nested too deeply.
    """
    depth = 0
    level: list[Any] = [codec_schema(codec)]
    while level:
        depth += 1
        inner = [part for each in level for part in (each.values() if isinstance(each, dict) else each)]
        level = [part for part in inner if isinstance(part, (dict, list))]
    if depth > _MAX_SCHEMA_DEPTH:
        raise UnsupportedType(
            f"its schema is nested {depth} levels deep, and at most {_MAX_SCHEMA_DEPTH} can be checked"
        )


def forget_codecs() -> None:
    """Clear the cache of codecs, so that this process reads every type again."""
    _CODECS.clear()
    _CODECS.update(_SCALAR_CODECS)

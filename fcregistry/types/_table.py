"""Which families of types are there, and in which order are they asked?

A new type is one row here, one small file beside this one, one test, and one row of docs/reference/types.md.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from copy import deepcopy
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Final, ForwardRef, Literal, Union, get_origin

import typing_extensions

from fcregistry._base import slots
from fcregistry.types._annotated import read_annotated
from fcregistry.types._choices import read_choices
from fcregistry.types._codec import Codec, UnsupportedType, codec_schema, origin_of, show_type
from fcregistry.types._containers import MAPPINGS, SEQUENCES, SETS, read_containers, read_sets
from fcregistry.types._names import read_names
from fcregistry.types._pydantic import read_pydantic_class as read_pydantic
from fcregistry.types._reader import TypeReader
from fcregistry.types._scalars import SCALARS, read_scalars
from fcregistry.types._stdlib_records import (
    read_attrs,
    read_dataclasses,
    read_msgspec,
    read_named_tuples,
    read_typed_dicts,
)
from fcregistry.types._strings import read_decimals, read_texts
from fcregistry.types._unions import read_unions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry.types._reader import Family


def _read_by_extension(annotation: Any, reader: TypeReader) -> Codec | None:
    """Ask the extension that is installed for the library that a type comes from."""
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
    """Say why no family before this one read an annotation, and what to write instead."""
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
    read_annotated,
    read_choices,
    read_unions,
    read_containers,
    read_sets,
    read_decimals,
    read_texts,
    read_names,
    read_pydantic,  # before dataclasses: some are pydantic's
    read_dataclasses,
    read_typed_dicts,
    read_named_tuples,
    read_attrs,
    read_msgspec,
    _read_by_extension,
    _refuse,
)


_DIRECT: Final[dict[Any, tuple[Family, ...]]] = {
    name: (family, _refuse)
    for family, names in (
        (read_scalars, [each for each in SCALARS if isinstance(each, type)]),
        (read_annotated, (Annotated,)),
        (read_choices, (Literal, typing_extensions.Literal)),
        (read_unions, (Union, types.UnionType)),
        (read_containers, (*SEQUENCES, *MAPPINGS, tuple)),
        (read_sets, SETS),
        (read_decimals, (Decimal,)),
    )
    for name in names
}
"""A class, or what stands before the brackets -> the first family of the table that reads it, where that is known beforehand."""

_CLASS_FAMILIES: Final = tuple(
    family
    for family in FAMILIES
    if family not in (read_scalars, read_containers, read_sets, read_decimals, read_annotated, read_unions, read_names)
)
"""The families that read classes by what these are like; the others name theirs, or read none."""


def families_for(annotation: Any) -> tuple[Family, ...]:
    """Return the families that may read an annotation, in the order of the table: asking all of them takes longer than reading it."""
    is_class = isinstance(annotation, type)
    try:
        direct = _DIRECT.get(annotation if is_class else origin_of(annotation))
    except TypeError:  # unhashable
        return FAMILIES
    return direct or (_CLASS_FAMILIES if is_class else FAMILIES)


def make_reader(scope: Mapping[str, Any] | None = None, owner: Any = None) -> TypeReader:
    """Return a reader of annotations; `scope` holds names for those that are strings, `owner` is the class that `Self` stands for."""
    return TypeReader(families_for, scope, owner)


def codec_of(annotation: Any) -> Codec:
    """Return the codec of an annotation.

    Args:
        annotation: A type, as it may stand in a tool's signature.

    Raises:
        UnsupportedType: It has no JSON form; says why, and what to write instead.
    """
    return make_reader().read(annotation)


def codec_of_class(cls: type) -> Codec | None:
    """Return the codec that encodes values of a class, or of the nearest class above it."""
    for base in cls.__mro__[:-1]:
        if issubclass(base, enum.Flag):
            return None
        try:
            return make_reader().read(base)
        except UnsupportedType:
            continue
    return None


def schema_of(annotation: Any) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of an annotation.

    Args:
        annotation: A type, as it may stand in a tool's signature.

    Raises:
        UnsupportedType: It has no JSON form.
    """
    schema = codec_schema(codec_of(annotation))
    return deepcopy(schema)  # whoever asks may change it, and parts of it stand in other schemas

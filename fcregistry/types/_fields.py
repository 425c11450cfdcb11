"""The fields of a class: their resolved types, and their texts from its docstring."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import InitVar
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias, get_args, get_type_hints

from fcregistry._base.annotations import annotations_of
from fcregistry._base.docstrings import DocumentedParameter, read_docstring
from fcregistry.types._codec import UnsupportedType, origin_of, show_type
from fcregistry.types._names import (
    NOT_REQUIRED,
    READ_ONLY,
    REQUIRED,
    arguments_of,
    holds_text,
    resolve_texts,
    substitute,
    type_parameters,
)
from fcregistry.types._records import MISSING, Field, RecordCodec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fcregistry.types._codec import Codec, Reader


class RawField(NamedTuple):
    """A field as its class declares it, before its type is read.

    Attributes:
        name: Its name in the class.
        required: Whether it must be given.
        default: Its value if it is not given, or `MISSING`.
        annotation: Its type, if the class does not store it in its annotations.
        key: Its name in JSON, if that differs.
        keyword: Its keyword argument when an instance is made, if that differs.
        write_only: Whether it is given and not stored.
        hidden: Whether it is excluded from what is written.
    """

    name: str
    required: bool
    default: Any = MISSING
    annotation: Any = MISSING
    key: str | None = None
    keyword: str | None = None
    write_only: bool = False
    hidden: bool = False


RecordBuilder: TypeAlias = Callable[[Any, Any], tuple[RecordCodec, list[RawField]]]
"""Returns the codec of a record as written and of its class, without fields, and the fields that the class declares."""


def read_record(annotation: Any, cls: type, reader: Reader, build: RecordBuilder) -> Codec:
    """Return the codec of a record, from the reader's cache if it was read before.

    Args:
        annotation: The record as written: the class, or the class with arguments for its type variables.
        cls: The class.
        reader: The reader, which reads the types of the fields.
        build: Makes the codec.

    Raises:
        UnsupportedType: Some fields have no JSON form; the error names all of them.
    """
    known = reader.known(annotation)
    if known is not None:
        return known
    if abstract := getattr(cls, "__abstractmethods__", ()):
        raise UnsupportedType(
            f"{show_type(annotation)} is abstract ({', '.join(sorted(abstract))}); take a class that derives from it"
        )
    record, raw = build(annotation, cls)
    reader.learn(annotation, record)  # before its fields are read, since they may refer to it
    outer = reader.owner, reader.validated
    reader.owner, reader.validated = annotation, record.validates
    try:
        if record.rest is not MISSING:
            record.others = reader.read_in(_resolve(record.rest, cls, reader), annotation)
        record.fill(_fields(annotation, cls, raw, reader))
        record.hashable = record.hashable and all(field.codec.hashable for field in record.fields)
    finally:
        reader.owner, reader.validated = outer
    return record


def _fields(annotation: Any, cls: type, raw: Sequence[RawField], reader: Reader) -> tuple[Field, ...]:
    hints = _annotations(cls, reader) if any(each.annotation is MISSING for each in raw) else {}
    arguments = arguments_of(annotation, cls)
    documented = _field_documentation(cls, raw)
    read: list[Field] = []
    problems: list[str] = []
    for each in raw:
        hint = hints.get(each.name, Any) if each.annotation is MISSING else each.annotation
        if isinstance(hint, InitVar):
            hint = _resolve(hint.type, cls, reader)
        if hint is Final and each.default is not MISSING:
            hint = type(each.default)
        try:
            codec = reader.read(substitute(hint, arguments) if arguments else hint)
        except UnsupportedType as unsupported:
            problems += unsupported.inside(f"field {each.name!r} of {cls.__qualname__}").problems
            continue
        entry = documented.get(each.name) or documented.get(each.key or "")
        read.append(
            Field(
                each.key or each.name,
                each.keyword or each.name,
                each.name,
                codec,
                each.required,
                each.default,
                entry.description if entry else "",
                each.write_only,
                each.hidden,
            )
        )
    if problems:
        raise UnsupportedType(*problems)
    return tuple(read)


def _field_documentation(cls: Any, raw: Sequence[RawField]) -> dict[str, DocumentedParameter]:
    """Return the documentation of fields in the docstrings of a class and of its base classes."""
    documented: dict[str, DocumentedParameter] = {}
    for base in cls.__mro__[-2::-1]:  # without `object`
        text = base.__dict__.get("__doc__")
        if text and "\n" in text and (base is cls or any(each.name in _own_annotations(base) for each in raw)):
            documented |= read_docstring(text).attributes
    return documented


def _annotations(cls: Any, reader: Reader) -> Mapping[str, Any]:
    """Return the annotations of a class and its base classes, with types in place of texts."""
    hints = raw_annotations(cls)
    if not any(map(holds_text, hints.values())):
        return hints
    try:
        hints = {}
        for base in reversed(cls.__mro__):  # each has a module and type parameters of its own
            alone = type(base.__name__, (), {"__annotations__": _own_annotations(base), "__module__": base.__module__})
            hints |= get_type_hints(alone, localns=_names_visible_to(base, reader), include_extras=True)
    except Exception as error:  # evaluating an author's annotations may raise anything
        raise unresolved_annotations(cls, error) from error
    return hints


def _resolve(annotation: Any, cls: Any, reader: Reader) -> Any:
    """Return an annotation that a class stores outside its annotations, with types in place of texts."""
    if not holds_text(annotation):
        return annotation
    try:
        return resolve_texts(annotation, vars(sys.modules[cls.__module__]), _names_visible_to(cls, reader))
    except Exception as error:  # as above
        raise unresolved_annotations(cls, error) from error


def _names_visible_to(cls: Any, reader: Reader) -> dict[str, Any]:
    """Return the names that the annotations of a class can use in addition to those of its module."""
    module = sys.modules.get(cls.__module__)
    own = {} if getattr(module, cls.__name__, None) is cls else {cls.__name__: cls}
    return {**reader.scope, **own, **type_parameters(cls)}


def unresolved_annotations(cls: Any, error: Exception) -> UnsupportedType:
    """Return the error for annotations that cannot be evaluated.

    Raises:
        RecursionError: Evaluating them raised it, which is not a mistake of this class alone.
    """
    if isinstance(error, RecursionError):
        raise error
    return UnsupportedType(f"the annotations of {cls.__qualname__} cannot be resolved: {type(error).__name__}: {error}")


def raw_annotations(cls: Any) -> dict[str, Any]:
    """Return the annotations of a class and its base classes as written."""
    hints: dict[str, Any] = {}
    for base in cls.__mro__[-2::-1]:  # without `object`
        hints |= _own_annotations(base)
    return hints


def _own_annotations(cls: Any) -> dict[str, Any]:
    """Return the annotations of a class without its base classes, as written.

    Raises:
        UnsupportedType: They cannot be evaluated.
    """
    try:
        return annotations_of(cls)
    except Exception as error:  # evaluating an author's annotations may raise anything
        raise unresolved_annotations(cls, error) from error


def explicit_requirement(hint: Any) -> bool | None:
    """Return True for `Required`, False for `NotRequired`, and None for other annotations.

    The annotation may be a text.
    """
    text = getattr(hint, "__forward_arg__", hint if isinstance(hint, str) else "")
    if text:  # with annotations as texts, `__required_keys__` is computed from the class's own `total` alone
        return False if "NotRequired[" in text else True if "Required[" in text else None
    while origin_of(hint) in (Annotated, *READ_ONLY):
        hint = get_args(hint)[0]
    origin = origin_of(hint)
    return True if origin in REQUIRED else False if origin in NOT_REQUIRED else None

"""The kinds of records: dataclasses, TypedDicts, NamedTuples, attrs classes and msgspec Structs.

Each is an object in JSON, also a NamedTuple and a Struct with `array_like=True`, because names tell a model more than positions. Written for
attrs 22.2 and later, whose fields know their alias, and for msgspec 0.18 and later. Neither is imported here: a class that comes from one of them
has imported it. The converters and validators of an attrs class run when an instance is made, on values of the declared types. JSON names,
tags and `UNSET` are as in msgspec.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Union, get_args

import typing_extensions
from typing_extensions import is_typeddict

from fcregistry.types._choices import ChoiceCodec
from fcregistry.types._codec import UnsupportedType, origin_of, show_type
from fcregistry.types._names import holds_text
from fcregistry.types._records import (
    MISSING,
    Field,
    RecordBuilder,
    RecordCodec,
    explicit_requirement,
    raw_annotations,
    read_record,
    unresolved_annotations,
)

if TYPE_CHECKING:
    from fcregistry.types._codec import Codec, Reader


# --- Dataclasses ---

_FIELD = dataclasses._FIELD  # type: ignore[attr-defined]  # `dataclasses.fields` leaves out `InitVar`s, and no public name identifies them
_INIT_VAR = dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]


def _build_dataclass(annotation: Any, cls: Any) -> tuple[RecordCodec, list[Field]]:
    """Return the codec of a dataclass, without fields, and its fields that are arguments of the class."""
    codec = RecordCodec(cls, show_type(annotation), hashable=cls.__hash__ is not None)
    fields = [_dataclass_field(each) for each in cls.__dataclass_fields__.values()]
    return codec, [each for each in fields if each is not None]


def _dataclass_field(field: Any) -> Field | None:
    """Return the record's field for a dataclass's field, or for an `InitVar`, which is write-only.

    None if it is not an argument of the class: `init` is False, or it is a ClassVar. A default that a factory makes is `MISSING`.
    """
    init_only = field._field_type is _INIT_VAR
    if not field.init or not (init_only or field._field_type is _FIELD):
        return None
    required = field.default is MISSING and field.default_factory is MISSING
    return Field(field.name, required, field.default, write_only=init_only)


# --- TypedDict ---


def _build_typed_dict(annotation: Any, cls: Any) -> tuple[RecordCodec, list[Field]]:
    """Return the codec of a TypedDict, without fields, and its fields.

    Instances are dicts. The codec's `extra_type` is the type of the values of other keys, or `MISSING` if the TypedDict takes none.
    """
    codec = RecordCodec(
        cls,
        show_type(annotation),
        make=dict,
        get=lambda value, name: value.get(name, MISSING),
        is_instance=lambda value: _is_typed_dict(codec, value),
    )
    codec.extra_type = getattr(cls, "__extra_items__", typing_extensions.Never)
    if codec.extra_type in _CLOSED:
        codec.extra_type = MISSING
    codec.extra_items = lambda value: {
        key: item for key, item in value.items() if all(key != each.key for each in codec.fields)
    }
    return codec, [Field(name, _is_required(cls, name, hint)) for name, hint in raw_annotations(cls).items()]


_CLOSED: Final = (getattr(typing_extensions, "NoExtraItems", None), typing_extensions.Never)
"""The `__extra_items__` of a TypedDict that takes only its own keys (PEP 728); before typing-extensions 4.13, None."""


def _is_required(cls: Any, name: str, hint: Any) -> bool:
    """Return whether a TypedDict requires the key `name`, whose annotation is `hint`.

    `Required` and `NotRequired` in the annotation come before the class's `__required_keys__`.
    """
    explicit = explicit_requirement(hint) if holds_text(hint) or name in cls.__required_keys__ else None
    return name in cls.__required_keys__ if explicit is None else explicit


def _is_typed_dict(codec: RecordCodec, value: object) -> bool:
    """Return whether `value` is a dict with all required fields of a TypedDict, each value of its type.

    Other keys are allowed if the TypedDict takes them and their values are of its extra type. Instances of a TypedDict do not know their class.
    """
    if not isinstance(value, dict):
        return False
    extra = codec.extra_items(value)
    if extra and (codec.extra_codec is None or not all(map(codec.extra_codec.handles, extra.values()))):
        return False
    return all(
        field.codec.handles(value[field.key]) if field.key in value else not field.required for field in codec.fields
    )


# --- NamedTuple ---


def _build_named_tuple(annotation: Any, cls: Any) -> tuple[RecordCodec, list[Field]]:
    """Return the codec of a NamedTuple, without fields, and its fields.

    Raises:
        UnsupportedType: It has fields, and no annotations.
    """
    if cls._fields and not raw_annotations(cls):
        raise UnsupportedType(
            f"{cls.__qualname__} is a namedtuple without types; declare it as a class of typing.NamedTuple"
        )
    defaults = cls._field_defaults
    fields = [Field(name, name not in defaults, defaults.get(name, MISSING)) for name in cls._fields]
    return RecordCodec(cls, show_type(annotation), hashable=True), fields


# --- attrs ---


def _build_attrs_class(annotation: Any, cls: Any) -> tuple[RecordCodec, list[Field]]:
    """Return the codec of an attrs class, without fields, and its fields except those with `init=False`."""
    hints = raw_annotations(cls)
    fields = [_attrs_field(each, each.name in hints) for each in cls.__attrs_attrs__ if each.init]
    return RecordCodec(cls, show_type(annotation), hashable=cls.__hash__ is not None), fields


def _attrs_field(field: Any, annotated: bool) -> Field:
    """Return the record's field for a field of an attrs class.

    Its alias is its name in JSON and its keyword argument; a default that a factory makes is `MISSING`.

    Args:
        field: The field, an attribute of attrs.
        annotated: Whether the class annotates it; else its type is stored in the field, and Any if that has none.
    """
    from attrs import NOTHING, Factory  # already imported: the class comes from it

    required = field.default is NOTHING
    default = MISSING if required or isinstance(field.default, Factory) else field.default  # type: ignore[arg-type]  # a class, other than in attrs' stub
    written = Any if field.type is None else field.type  # the type of `attr.ib(type=int)`
    annotation = MISSING if annotated else written
    return Field(field.name, required, default, annotation, key=field.alias, name=field.alias)


# --- msgspec ---


def _is_struct(cls: type) -> bool:
    """Return whether a class is a Struct of msgspec; False if msgspec is not imported yet."""
    msgspec = sys.modules.get("msgspec")
    return msgspec is not None and issubclass(cls, msgspec.Struct)


def _build_struct(annotation: Any, cls: Any) -> tuple[RecordCodec, list[Field]]:
    """Return the codec of a msgspec Struct, without fields, and its fields; first its tag, if it has one.

    The tag is a required field with a constant. The fields' types are without `UnsetType`.

    Raises:
        UnsupportedType: The annotations cannot be evaluated.
    """
    from msgspec import NODEFAULT, UNSET  # already imported: the class comes from it

    config = cls.__struct_config__
    codec = RecordCodec(
        cls,
        show_type(annotation),
        get=lambda value, name: MISSING if (item := getattr(value, name, UNSET)) is UNSET else item,
        hashable=cls.__hash__ is not None and (config.frozen or not config.eq),  # the hash of others raises
    )
    raw = []
    if config.tag is not None:  # it is in the JSON of an instance, and not an attribute
        tag = ChoiceCodec([(config.tag, config.tag)])
        raw.append(Field(config.tag_field, True, key=config.tag_field, codec=tag, constant=config.tag))
    for each in _struct_fields(cls):
        default = MISSING if each.default in (NODEFAULT, UNSET) else each.default
        raw.append(Field(each.name, each.required, default, _type_without_unset(each.type), key=each.encode_name))
    return codec, raw


def _struct_fields(cls: Any) -> Any:
    """Return msgspec's information about the fields of a Struct: a tuple of `FieldInfo`.

    Raises:
        UnsupportedType: Their annotations cannot be evaluated.
        RecursionError: Evaluating them raised this.
    """
    from msgspec.structs import fields  # already imported too

    try:
        return fields(cls)
    except Exception as error:  # evaluating an author's annotations may raise anything
        raise unresolved_annotations(cls, error) from error


def _type_without_unset(annotation: Any) -> Any:
    """Return a union without its member `UnsetType`, which is a missing field in JSON.

    Any other type is returned unchanged.
    """
    from msgspec import UnsetType

    members = get_args(annotation)
    if UnsetType not in members:
        return annotation
    return Union[tuple(each for each in members if each is not UnsetType)]  # noqa: UP007  # of any number of types


# --- All of them ---


_KINDS: Final[tuple[tuple[Callable[[type], bool], RecordBuilder], ...]] = (
    (lambda cls: hasattr(cls, "__dataclass_fields__"), _build_dataclass),
    (is_typeddict, _build_typed_dict),
    (lambda cls: issubclass(cls, tuple) and hasattr(cls, "_fields"), _build_named_tuple),
    (lambda cls: hasattr(cls, "__attrs_attrs__"), _build_attrs_class),
    (_is_struct, _build_struct),
)
"""Whether a class is a record of one kind -> the function that returns its codec and fields."""


def read_records(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a class with named fields, or of a generic one with its arguments, or None.

    Raises:
        UnsupportedType: The class is a `collections.namedtuple`, which has no types, or fields have no JSON form.
    """
    cls = origin_of(annotation) or annotation
    if isinstance(cls, type):
        for is_of_kind, build in _KINDS:
            if is_of_kind(cls):
                return read_record(annotation, cls, reader, build)
    return None

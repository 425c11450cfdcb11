"""How do dataclasses, TypedDicts and NamedTuples look in JSON? As objects with exactly their fields."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from inspect import signature
from typing import TYPE_CHECKING, Any, NotRequired, Required, get_args, get_origin

import typing_extensions
from typing_extensions import get_type_hints, is_typeddict

from fcregistry.errors import said_by
from fcregistry.types._core import Codec, Record, Refusal, TypeReader, UnsupportedType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fcregistry.types._writer import SchemaWriter

MISSING: Any = dataclasses.MISSING


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a record."""

    name: str
    codec: Codec
    required: bool
    default: Any = MISSING


class RecordCodec(Record):
    """A class with named fields: an object that has the required ones and no others.

    Args:
        cls: The class.
        make: Makes an instance of the decoded fields, by keyword.
        get: Returns the value of a field that an instance has, or `MISSING`.
        is_instance: Tells whether a Python value is of the class.
    """

    def __init__(
        self,
        cls: type,
        *,
        make: Callable[..., Any],
        get: Callable[[Any, str], Any],
        is_instance: Callable[[object], bool],
    ) -> None:
        self.cls = cls
        self.fields: tuple[Field, ...] = ()  # filled by `read`, once this record can be referred to
        self._make = make
        self._get = get
        self._is_instance = is_instance

    def children(self) -> Iterable[Codec]:
        return [field.codec for field in self.fields]

    def signature(self) -> object:
        return tuple(sorted((field.name, field.required, _told_apart_by(field.codec)) for field in self.fields))

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        properties = {}
        for field in self.fields:
            properties[field.name] = writer.write(field.codec)
            if field.default is not MISSING:
                add_default(properties[field.name], field.codec, field.default)
        required = [field.name for field in self.fields if field.required]
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        return {**schema, "additionalProperties": False}

    def accepts(self, value: object) -> bool:
        if type(value) is not dict:
            return False
        present = 0
        for field in self.fields:
            if field.name in value:
                present += 1
                if not field.codec.accepts(value[field.name]):
                    return False
            elif field.required:
                return False
        return present == len(value)

    def decode(self, value: Any) -> Any:
        decoded = {}
        for field in self.fields:
            if field.name in value:
                try:
                    decoded[field.name] = field.codec.decode(value[field.name])
                except Refusal as refusal:
                    raise refusal.at(field.name) from None
        try:
            return self._make(**decoded)
        except Exception as error:  # the author's own checks, such as __post_init__: foreign code may raise anything
            raise Refusal(f"{self.cls.__name__} refuses it: {type(error).__name__}: {said_by(error)}") from error

    def handles(self, value: object) -> bool:
        return self._is_instance(value)

    def encode(self, value: Any) -> Any:
        encoded = {}
        for field in self.fields:
            item = self._get(value, field.name)
            if item is not MISSING:
                encoded[field.name] = field.codec.encode(item)
        return encoded


def _told_apart_by(codec: Codec) -> str:
    from fcregistry.types._writer import SchemaWriter

    if isinstance(codec, Record):  # by name only: a record may hold itself
        return f"{codec.cls.__module__}.{codec.cls.__qualname__}"
    return str(codec.schema(SchemaWriter(codec.children(), texts=False)))


def add_default(schema: dict[str, Any], codec: Codec, default: Any) -> None:
    """Publish a default in a schema, if it has a JSON form that the schema accepts."""
    try:
        if codec.handles(default):
            encoded = codec.encode(default)
            if codec.accepts(encoded):
                schema["default"] = encoded
    except Exception:  # noqa: BLE001  # foreign code, without a JSON form: the parameter stays optional, and says no default
        return


def read(annotation: Any, reader: TypeReader) -> Codec | None:
    """Return the codec of a dataclass, TypedDict or NamedTuple."""
    if not isinstance(annotation, type) or get_origin(annotation) is not None:
        return None
    for matches, build in _KINDS:
        if matches(annotation):
            if annotation not in reader.records:
                record, fields = build(annotation)
                reader.records[annotation] = record  # before its fields are read: they may refer to it
                record.fields = _read_fields(annotation, fields, reader)
                record.hashable = _is_hashable(annotation, record.fields)
            return reader.records[annotation]
    return None


def _is_hashable(cls: Any, fields: tuple[Field, ...]) -> bool:
    return issubclass(cls, Hashable) and all(field.codec.hashable for field in fields)


def _read_fields(cls: type, fields: list[tuple[str, bool, Any]], reader: TypeReader) -> tuple[Field, ...]:
    hints = _hints(cls, reader)
    read: list[Field] = []
    problems: list[str] = []
    for name, required, default in fields:
        annotation = hints[name]
        while get_origin(annotation) in (Required, NotRequired, typing_extensions.ReadOnly):
            annotation = get_args(annotation)[0]
        try:
            codec = reader.read(annotation)
        except UnsupportedType as unsupported:
            problems += unsupported.inside(f"field {name!r} of {cls.__qualname__}").problems
        else:
            read.append(Field(name=name, codec=codec, required=required, default=default))
    if problems:
        raise UnsupportedType(*problems)
    return tuple(read)


def _hints(cls: type, reader: TypeReader) -> dict[str, Any]:
    try:
        return get_type_hints(cls, localns={**reader.scope, cls.__name__: cls}, include_extras=True)
    except Exception as error:  # foreign annotations: whatever evaluating them raises, the author is told
        raise UnsupportedType(
            f"the annotations of {cls.__qualname__} cannot be resolved: {type(error).__name__}: {error}"
        ) from error


Built = tuple[RecordCodec, list[tuple[str, bool, Any]]]


def _dataclass(cls: Any) -> Built:
    taken = {field.name for field in dataclasses.fields(cls)}
    if len(taken) != len(cls.__dataclass_fields__) and (inits := sorted(set(signature(cls).parameters) - taken)):
        raise UnsupportedType(
            f"{cls.__qualname__} takes InitVar {', '.join(inits)}, which its instances do not keep; make it a field"
        )
    fields = [
        (field.name, field.default is MISSING and field.default_factory is MISSING, field.default)
        for field in dataclasses.fields(cls)
        if field.init
    ]
    return RecordCodec(cls, make=cls, get=_attribute, is_instance=lambda value: isinstance(value, cls)), fields


def _attribute(value: Any, name: str) -> Any:
    return getattr(value, name, MISSING)


def _typed_dict(cls: Any) -> Built:
    fields = [(name, _is_required(cls, name, hint), MISSING) for name, hint in _raw_hints(cls).items()]
    codec = RecordCodec(
        cls, make=dict, get=lambda value, name: value.get(name, MISSING), is_instance=lambda value: _fits(codec, value)
    )
    return codec, fields


def _raw_hints(cls: Any) -> dict[str, Any]:
    try:
        return get_type_hints(cls, include_extras=True)
    except Exception:  # names of an enclosing function: `_hints` resolves them, or says what is wrong  # noqa: BLE001
        return dict(cls.__annotations__)


def _is_required(cls: Any, name: str, hint: Any) -> bool:
    # Where annotations are strings, `__required_keys__` knows only the class's own `total`.
    text = getattr(hint, "__forward_arg__", "")
    for marker, required in ((Required, True), (NotRequired, False)):
        if get_origin(hint) is marker or text.startswith((f"{marker.__name__}[", f"typing.{marker.__name__}[")):  # type: ignore[attr-defined]
            return required
    return name in cls.__required_keys__


def _fits(codec: RecordCodec, value: object) -> bool:
    """Tell whether a dict has the fields of a TypedDict, since its instances do not know their class."""
    if not isinstance(value, dict) or not set(value) <= {field.name for field in codec.fields}:
        return False
    return all(
        field.codec.handles(value[field.name]) if field.name in value else not field.required for field in codec.fields
    )


def _named_tuple(cls: Any) -> Built:
    defaults = cls._field_defaults
    fields = [(name, name not in defaults, defaults.get(name, MISSING)) for name in cls._fields]
    if cls._fields and not getattr(cls, "__annotations__", None):
        raise UnsupportedType(
            f"{cls.__qualname__} is a namedtuple without types; declare it as a class of typing.NamedTuple"
        )
    return RecordCodec(cls, make=cls, get=_attribute, is_instance=lambda value: isinstance(value, cls)), fields


_KINDS: tuple[tuple[Callable[[type], bool], Callable[[Any], Built]], ...] = (
    (dataclasses.is_dataclass, _dataclass),
    (is_typeddict, _typed_dict),
    (lambda cls: issubclass(cls, tuple) and hasattr(cls, "_fields"), _named_tuple),
)

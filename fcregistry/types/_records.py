"""Codecs of classes with named fields, which are objects with exactly these fields in JSON.

The function that reads a kind of record (`_record_families.py`, `_pydantic.py`) knows which fields a class has; this file knows their JSON.
"""

from __future__ import annotations

import dataclasses
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry.types._codec import Codec, Named, Record, Refusal, SchemaWriter, refusal_of
from fcregistry.types._scalars import EncodingError, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


MISSING: Final[Any] = dataclasses.MISSING


def get_attribute(value: Any, name: str) -> Any:
    """Return an attribute of an instance, or `MISSING`."""
    return getattr(value, name, MISSING)


class Field(NamedTuple):
    """One field of a record.

    Attributes:
        key: Its name in JSON.
        name: Its keyword argument when an instance is made.
        attribute: Its attribute in an instance.
        codec: The codec of its type.
        required: Whether it must be given.
        default: Its value if it is not given, or `MISSING` if there is none to publish.
        description: Its text in the docstring of its class.
        write_only: Whether it is given and not stored, as an `InitVar` is.
        hidden: Whether its author excludes it from what is written, such as a secret.
        constant: Its value in JSON, if it only tells one record from another; instances do not have it.
    """

    key: str
    name: str
    attribute: str
    codec: Codec
    required: bool
    default: Any = MISSING
    description: str = ""
    write_only: bool = False
    hidden: bool = False
    constant: Any = MISSING


class RecordCodec(Record):
    """A type with named fields: an object with the required ones, and unknown ones only if open.

    Args:
        cls: The class.
        shown: The type as its author writes it.
        make: Makes an instance of the decoded fields, given by keyword; by default the class itself.
        get: Returns the value of an instance's attribute, or `MISSING`.
        is_instance: Returns whether a Python value is of the class; by default, `isinstance`.
        hashable: Whether instances are hashable if the values of all fields are.
    """

    def __init__(
        self,
        cls: type,
        shown: str,
        *,
        make: Callable[..., Any] | None = None,
        get: Callable[[Any, str], Any] = get_attribute,
        is_instance: Callable[[object], bool] | None = None,
        hashable: bool = False,
    ) -> None:
        self.cls = cls
        self.shown = shown
        self.fields: tuple[Field, ...] = ()  # set by `fill`, since fields may refer to this record
        self.rest: Any = MISSING  # the type of values without a field, if the class takes them
        self.others: Codec | None = None  # its codec, set when it is read
        self.others_of: Callable[[Any], dict[str, Any]] = lambda value: {}
        self.notes: tuple[str, ...] = ()  # further sentences for the author of a tool
        self.validates = False  # whether making an instance runs pydantic's validators
        self.hashable = hashable
        self._make = make or cls
        self._get = get
        self._is_instance = is_instance or (lambda value: isinstance(value, cls))
        self._steps: list[tuple[str, str, Callable[[Any], Any] | None]] = []
        self._needs_no_decoding = False  # whether an instance is made of the JSON values themselves

    @property
    def title(self) -> str:
        return self.shown.rpartition(".")[2] if "[" not in self.shown else self.shown

    @property
    def full_name(self) -> str:
        return f"{self.cls.__module__}.{self.shown}"

    def fill(self, fields: tuple[Field, ...]) -> None:
        """Set the fields. They are read after the record exists, since they may refer to it."""
        self.fields = fields
        self._steps = [
            (each.key, each.name, None if each.codec.plain else each.codec.decode)
            for each in fields
            if each.constant is MISSING
        ]
        plain = all(key == name and decode is None for key, name, decode in self._steps)
        self._needs_no_decoding = plain and len(self._steps) == len(fields) and self.others is None

    def children(self) -> Iterable[Codec]:
        inner = [field.codec for field in self.fields]
        return inner if self.others is None else [*inner, self.others]

    def signature(self) -> object:
        fields = sorted((field.key, field.required, _distinguishing_schema(field.codec)) for field in self.fields)
        return (tuple(fields), self.others is not None)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        shown = [field for field in self.fields if not (writer.results and (field.write_only or field.hidden))]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {each.key: _property_schema(each, writer) for each in shown},
        }
        if required := [field.key for field in shown if field.required]:
            schema["required"] = required
        schema["additionalProperties"] = False if self.others is None else (writer.write(self.others) or True)
        return schema

    def accepts(self, value: object) -> bool:
        if type(value) is not dict:
            return False
        present = 0
        for field in self.fields:
            if field.key in value:
                present += 1
                if not field.codec.accepts(value[field.key]):
                    return False
            elif field.required:
                return False
        if present == len(value):
            return True
        others = self.others
        return others is not None and all(others.accepts(value[key]) for key in self._unnamed(value))

    def _unnamed(self, value: dict[str, Any]) -> list[str]:
        named = {field.key for field in self.fields}
        return [key for key in value if key not in named]

    def decode(self, value: Any) -> Any:
        if self._needs_no_decoding:
            return self._make_instance(value)
        decoded = {}
        for key, name, decode in self._steps:
            if key in value:
                if decode is None:
                    decoded[name] = value[key]
                    continue
                try:
                    decoded[name] = decode(value[key])
                except Refusal as refusal:
                    raise refusal.at(key) from None
        if self.others is not None:
            self._decode_others(value, decoded)
        return self._make_instance(decoded)

    def _make_instance(self, decoded: dict[str, Any]) -> Any:
        try:
            return self._make(**decoded)
        except Refusal:
            raise
        except Exception as error:  # the author's own checks, such as __post_init__, may raise anything
            raise refusal_of(error, self.title) from error

    def _decode_others(self, value: dict[str, Any], decoded: dict[str, Any]) -> None:
        assert self.others is not None
        for key in self._unnamed(value):
            if key in decoded:
                raise Refusal("is the name of a field that is given by another name", (key,))
            try:
                decoded[key] = self.others.decode(value[key])
            except Refusal as refusal:
                raise refusal.at(key) from None

    def handles(self, value: object) -> bool:
        return self._is_instance(value)

    def encode(self, value: Any) -> Any:
        encoded: dict[str, Any] = {}
        for field in self.fields:
            if field.write_only or field.hidden:
                continue
            if field.constant is not MISSING:
                encoded[field.key] = field.constant
                continue
            item = self._get(value, field.attribute)
            if item is not MISSING:
                encoded[field.key] = _encode_field(field.codec, item)
        if self.others is not None:
            encoded |= {key: self.others.encode(item) for key, item in self.others_of(value).items()}
        return encoded

    @property
    def withholds(self) -> bool:  # type: ignore[override]  # computed: the fields are set later
        return any(field.write_only or field.hidden for field in self.fields)

    @property
    def unsaid(self) -> tuple[str, ...]:  # type: ignore[override]  # computed: the fields are set later
        kept_out = [field.key for field in self.fields if field.write_only or field.hidden]
        if not kept_out:
            return self.notes
        return (f"{self.shown}: {', '.join(kept_out)} can be given, and is not in what is written of it", *self.notes)


def _encode_field(codec: Codec, item: Any) -> Any:
    """Return the JSON value of a field.

    A value that is not of the declared type, which Python does not check, is encoded by its class.
    """
    try:
        return codec.encode(item)
    except EncodingError:
        raise
    except (TypeError, ValueError, AttributeError):
        return to_json(item)


def _property_schema(field: Field, writer: SchemaWriter) -> dict[str, Any]:
    schema = writer.write(field.codec)
    if field.description and writer.texts and "description" not in schema:  # a text in `Annotated` comes first
        schema = {**schema, "description": field.description}
    if field.default is not MISSING:
        add_default(schema, field.codec, field.default)
    if field.write_only:
        schema["writeOnly"] = True
    return schema


def add_default(schema: dict[str, Any], codec: Codec, default: Any) -> None:
    """Add a default to a schema, if it has a JSON form that the schema accepts.

    A default of another array type counts too, such as `frozenset()` for a set, or `()` for a list.
    """
    try:
        others = (make(default) for make in (_ARRAYS if isinstance(default, _ARRAYS) else ()))
        encoded = codec.encode(next(each for each in chain((default,), others) if codec.handles(each)))
        if codec.accepts(encoded):
            schema["default"] = encoded
    except Exception:  # noqa: BLE001  # the author's class may raise anything: the parameter is optional, without a published default
        return


_ARRAYS: Final = (list, tuple, frozenset, set)


def _distinguishing_schema(codec: Codec) -> str:
    if isinstance(codec, Named):  # by name: a record may contain itself
        return codec.full_name
    return str(codec.schema(SchemaWriter([*codec.children()], texts=False)))

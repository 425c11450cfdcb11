"""Codecs of pydantic's models, dataclasses, root models, and own types such as URLs and secrets.

Written for pydantic 2.7 and later. This module imports pydantic only if an annotation contains one of its types.

fcregistry's own codecs read the types of a model's fields, so that schema and decoder agree. Pydantic then makes the instance and runs its
validators; if they refuse a value, the call is refused. For its own types, such as URLs, pydantic decides which strings are valid. Its date
types accept the same strings as `date` and `datetime` in fcregistry; pydantic checks the decoded value.

Names in JSON are those that pydantic accepts: `validation_alias`, `alias`, or the field's own name, in this order. Unknown names are refused
unless the model class has `extra="allow"`, even if pydantic would ignore them. So a language model learns that it misspelt an argument.
"""

from __future__ import annotations

import inspect
import sys
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, get_args

from fcregistry.errors import exception_message
from fcregistry.types._codec import Codec, Refusal, UnsupportedType, origin_of, refusal_of, show_type
from fcregistry.types._constraints import AnnotationMarks
from fcregistry.types._names import AliasCodec, holds_text, resolve_texts
from fcregistry.types._pydantic_markers import REFUSED, PydanticTextCodec, read_pydantic_marker
from fcregistry.types._records import MISSING, Field, RecordCodec, get_attribute, read_record

if TYPE_CHECKING:
    from fcregistry.types._codec import Reader, SchemaWriter


def read_pydantic_class(annotation: Any, reader: Reader) -> Codec | None:
    """Return the codec of a pydantic model or dataclass, or of a pydantic type that is a string in JSON.

    None if the annotation is not pydantic's.
    """
    pydantic = sys.modules.get("pydantic")
    cls: Any = origin_of(annotation) or annotation
    if pydantic is None or not isinstance(cls, type):
        return None
    if "pydantic.v1" in sys.modules and issubclass(cls, sys.modules["pydantic.v1"].BaseModel):
        raise UnsupportedType(
            f"{show_type(annotation)} is a model of pydantic 1 (pydantic.v1); derive it from pydantic.BaseModel"
        )
    if issubclass(cls, pydantic.BaseModel):
        if issubclass(cls, pydantic.RootModel):
            return _read_root_model(annotation, cls, reader)
        return read_record(annotation, cls, reader, _build_record)
    if _is_pydantic_dataclass(cls):
        return read_record(annotation, cls, reader, _build_record)
    if hasattr(cls, "__get_pydantic_core_schema__") or cls.__module__.partition(".")[0] == "pydantic_core":
        return read_pydantic_builtin(annotation, cls, reader)
    return None


# --- Models and dataclasses ---


def _is_pydantic_dataclass(cls: Any) -> bool:
    """Return whether the nearest dataclass among the class `cls` and its bases is pydantic's.

    False if none of them is a dataclass.

    Raises:
        AttributeError: `cls` is not a class, and has no `__mro__`.
    """
    nearest = next((base for base in cls.__mro__ if "__dataclass_fields__" in base.__dict__), None)
    return nearest is not None and "__pydantic_fields__" in nearest.__dict__


def _pydantic_fields(cls: Any) -> dict[str, Any]:
    """Return name -> pydantic's information about the field, for the fields of a model or dataclass.

    A class that pydantic could not complete before is rebuilt first.

    Raises:
        UnsupportedType: The annotations cannot be resolved.
    """
    try:
        if not cls.__dict__.get("__pydantic_complete__", True):
            cls.model_rebuild()  # its annotations used names that were not defined yet
    except Exception as error:  # pydantic's errors, and evaluating annotations may raise anything
        message = exception_message(error).partition("\n")[0]
        raise UnsupportedType(f"{show_type(cls)} cannot be built: {type(error).__name__}: {message}") from error
    fields: dict[str, Any] = cls.__pydantic_fields__ if _is_pydantic_dataclass(cls) else cls.model_fields
    return fields


def _build_record(annotation: Any, cls: Any) -> tuple[RecordCodec, list[Field]]:
    """Return the codec of a model or dataclass, without fields, and its fields.

    Fields with `init=False` are left out. The codec is a `SerializedCodec` if the class has a `model_serializer`.

    Raises:
        UnsupportedType: The annotations cannot be resolved, or an alias is not a name.
    """
    config = getattr(cls, "model_config", None) or getattr(cls, "__pydantic_config__", None) or {}
    fields = _pydantic_fields(cls)
    written = cls.__pydantic_decorators__
    codec = (SerializedCodec if written.model_serializers else RecordCodec)(
        cls,
        show_type(annotation),
        make=lambda **given: _validate(lambda decoded: cls(**decoded), given, cls.__name__),
        get=get_attribute if _is_pydantic_dataclass(cls) else _model_attribute,
        hashable=cls.__hash__ is not None,
    )
    codec.validates = True
    if unused := sorted({*written.computed_fields, *written.field_serializers}):
        codec.notes = (f"{codec.shown}: {', '.join(unused)} has no effect here: a model is written field by field",)
    if config.get("extra") == "allow":
        codec.extra_type = _type_of_extra(cls)
        codec.extra_items = lambda value: getattr(value, "__pydantic_extra__", None) or {}
    by_alias = config.get("validate_by_alias") is not False
    return codec, [_raw_field(name, info, by_alias) for name, info in fields.items() if info.init is not False]


def _type_of_extra(cls: Any) -> Any:
    """Return the type of values without a field: `int` for `__pydantic_extra__: dict[str, int]`.

    The nearest class that declares it counts. Any if that is not a dict of two types, or no class outside pydantic declares it.
    """
    for base in cls.__mro__:
        declared = inspect.get_annotations(base).get("__pydantic_extra__")
        if declared is not None and base.__module__.partition(".")[0] != "pydantic":
            names = {**vars(sys.modules[base.__module__]), base.__name__: base}
            arguments = get_args(resolve_texts(declared, names, {}) if holds_text(declared) else declared)
            return arguments[1] if len(arguments) == 2 else Any
    return Any


def _model_attribute(value: Any, name: str) -> Any:
    """Return the value of the field `name` of `value`, a model, or `MISSING`.

    It is read from `__dict__`, because reading a deprecated attribute raises a warning.
    """
    return value.__dict__.get(name, MISSING)


def _raw_field(name: str, info: Any, by_alias: bool) -> Field:
    """Return the field called `name` in the class, as pydantic's `info` declares it.

    Its default is `MISSING` if it is required or a factory makes the default.

    Args:
        name: The field's name in the class.
        info: Pydantic's information about it.
        by_alias: Whether pydantic reads the field by its alias.

    Raises:
        UnsupportedType: The alias is not a name.
    """
    key = _field_alias(name, info) if by_alias else name
    default = MISSING if info.is_required() or info.default_factory is not None else info.default
    return Field(
        name,
        info.is_required(),
        default,
        annotation=Annotated[info.annotation, info],  # the field itself constrains and describes its type
        key=key,
        name=key,
        write_only=bool(info.init_var),
        hidden=bool(info.exclude),
    )


def _field_alias(name: str, info: Any) -> str:
    """Return the name by which pydantic accepts the field `name`: its alias, or else `name`.

    The `validation_alias` comes before the `alias`; of an `AliasChoices`, the first string counts.

    Raises:
        UnsupportedType: The alias has no string, as an `AliasPath`.
    """
    alias = info.validation_alias if info.validation_alias is not None else info.alias
    if alias is None or isinstance(alias, str):
        return alias or name
    for choice in getattr(alias, "choices", ()):
        if isinstance(choice, str):
            return choice
    raise UnsupportedType(f"field {name!r} has the alias {alias!r}, which is not a name; use a string as its alias")


class SerializedCodec(RecordCodec):
    """A model with a `model_serializer`, which may return values that the model itself does not accept."""

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {} if writer.results else super().schema(writer)

    @property
    def withholds(self) -> bool:  # type: ignore[override]  # computed, as in every record
        return True

    def encode(self, value: Any) -> Any:
        return self.cls.__pydantic_serializer__.to_python(value, mode="json", by_alias=True)  # type: ignore[attr-defined]  # a model has it

    @property
    def unsaid(self) -> tuple[str, ...]:  # type: ignore[override]  # computed, as in every record
        return (
            f"{self.shown}: no schema describes what its model_serializer returns; the model may not accept these values",
        )


# --- Root models ---


def _read_root_model(annotation: Any, cls: Any, reader: Reader) -> Codec:
    """Return the codec of a RootModel, from the reader's cache if it was read before or is being read.

    Raises:
        UnsupportedType: Its annotations cannot be resolved, or its root type has no JSON form.
    """
    known = reader.known(annotation)
    if known is not None:
        return known
    codec = RootCodec(cls, show_type(annotation))
    reader.learn(annotation, codec)  # before its root is read, since that may refer to it
    outer = reader.owner, reader.validated
    reader.owner, reader.validated = annotation, True
    try:
        root = _pydantic_fields(cls)["root"]
        root_type = root.annotation
        if holds_text(root_type):  # pydantic 2.11 leaves the model's own name as text
            names = {**vars(sys.modules[cls.__module__]), cls.__name__: cls}
            root_type = resolve_texts(root_type, names, reader.scope)
        codec.fill(reader.read_in(Annotated[root_type, root], annotation))
    finally:
        reader.owner, reader.validated = outer
    reader.check_later(codec.check)
    return codec


class RootCodec(AliasCodec):
    """A RootModel.

    Its JSON is the JSON of its root value: `[1, 2]` for `class Numbers(RootModel[list[int]])`.

    Args:
        cls: The model.
        shown: The model's name in messages, as its author writes it.
    """

    def __init__(self, cls: Any, shown: str) -> None:
        super().__init__(shown, cls.__module__)
        self.cls = cls

    def fill(self, inner: Codec) -> None:
        super().fill(inner)
        self.hashable = inner.hashable and self.cls.__hash__ is not None

    def decode(self, value: Any) -> Any:
        return _validate(self.cls, self.inner.decode(value), self.cls.__name__)

    def handles(self, value: object) -> bool:
        return isinstance(value, self.cls)

    def encode(self, value: Any) -> Any:
        return self.inner.encode(value.root)


def _validate(validator: Any, value: Any, shown: str) -> Any:
    """Return the result of `validator`, called with `value`.

    Raises:
        Refusal: The validator raises any exception; `shown` is the name of the type in the reason.
    """
    try:
        return validator(value)
    except Exception as error:  # pydantic's error, or one of the author's validator
        raise refusal_of(error, shown) from error


# --- Types of pydantic that are strings in JSON ---

_MASK: Final = "**********"
_DATES: Final[dict[str, type]] = {"date": date, "date-time": datetime}
_SECRETS: Final = ("SecretStr", "SecretBytes")


def read_pydantic_builtin(annotation: Any, cls: type, reader: Reader) -> Codec | None:
    """Return the codec of one of pydantic's own types, or of a class that defines how pydantic reads it.

    None if such a class, which is not pydantic's own, is not a string in JSON.

    Raises:
        UnsupportedType: A type of pydantic's own is not a string in JSON, or pydantic cannot read the type.
    """
    name, own = cls.__name__, cls.__module__.partition(".")[0] in ("pydantic", "pydantic_core")
    if own and name in REFUSED:
        raise UnsupportedType(f"{show_type(annotation)}: {REFUSED[name]}")
    adapter, schema = _adapter_and_schema(annotation)
    if own and name in _SECRETS:
        return SecretCodec(annotation, adapter)
    if (known := _DATES.get(schema.get("format", ""))) is not None and own:
        marks = AnnotationMarks(reader.read(known), known, lambda marker, marks: None)
        read_pydantic_marker(name, cls, marks)
        return marks.applied()
    if schema.get("type") == "string":
        return PydanticTextCodec(annotation, adapter)
    if own:
        raise UnsupportedType(
            f"{show_type(annotation)} is a type of pydantic's that is not a string in JSON; use the plain type, with Field(…) for its bounds"
        )
    return None


def _adapter_and_schema(annotation: Any) -> tuple[Any, dict[str, Any]]:
    """Return pydantic's TypeAdapter of a type, and the schema that it writes.

    Raises:
        UnsupportedType: Pydantic cannot read the type.
    """
    from pydantic import TypeAdapter  # already imported: the type comes from it

    try:
        adapter: Any = TypeAdapter(annotation)
        return adapter, adapter.json_schema()
    except Exception as error:  # pydantic raises many kinds of errors for types that it cannot build
        raise UnsupportedType(
            f"{show_type(annotation)} cannot be read: {exception_message(error).splitlines()[0]}"
        ) from error


class SecretCodec(PydanticTextCodec):
    """A `SecretStr` or `SecretBytes`.

    In results, the secret is replaced by ten asterisks; a call that passes these asterisks is refused.
    """

    withholds = True

    def __init__(self, annotation: Any, adapter: Any) -> None:
        super().__init__(annotation, adapter)
        self.unsaid = (f"{self._shown}: a call can pass the secret, but results contain only asterisks",)

    def decode(self, value: Any) -> Any:
        if value == _MASK:
            raise Refusal("must be the secret itself, not the asterisks that replace it")
        return super().decode(value)

    def handles(self, value: object) -> bool:
        return False  # a default would be encoded as asterisks, so no schema contains it

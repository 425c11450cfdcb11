"""Codecs of classes with named fields, which are objects with exactly these fields in JSON.

The function that reads a kind of record (`_record_families.py`, `_pydantic.py`) knows which fields a class has; this file knows their types,
their texts in the docstring of the class, and their JSON.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import InitVar
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias, get_args, get_type_hints

from typing_extensions import is_typeddict

from fcregistry._base.docstrings import DocumentedParameter, read_docstring
from fcregistry._base.source import annotations_of
from fcregistry.types._codec import (
    Codec,
    Named,
    Record,
    Refusal,
    SchemaWriter,
    UnsupportedType,
    origin_of,
    refusal_of,
    show_type,
)
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
from fcregistry.types._scalars import ANY_CODEC, EncodingError, repeated_name_error, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fcregistry.types._codec import Codec, Reader


MISSING: Final[Any] = dataclasses.MISSING


def get_attribute(value: Any, name: str) -> Any:
    """Return the attribute `name` of `value`, or `MISSING`."""
    return getattr(value, name, MISSING)


class Field(NamedTuple):
    """One field of a record: as its class declares it, and as it is read.

    Attributes:
        attribute: Its name in the class, and its attribute in an instance.
        required: Whether it must be given.
        default: Its value if it is not given, or `MISSING` if there is none to publish.
        annotation: Its type, if the class does not store it in its annotations.
        key: Its name in JSON; empty until it is read, if that is the name in the class.
        name: Its keyword argument when an instance is made; empty until it is read, if that is the name in the class.
        codec: The codec of its type, once it is read.
        description: Its text in the docstring of its class, once it is read.
        write_only: Whether it is given and not stored, as an `InitVar` is.
        hidden: Whether its author excludes it from what is written, such as a secret.
        constant: Its value in JSON, if it only tells one record from another; instances do not have it.
    """

    attribute: str
    required: bool
    default: Any = MISSING
    annotation: Any = MISSING
    key: str = ""
    name: str = ""
    codec: Codec = ANY_CODEC
    description: str = ""
    write_only: bool = False
    hidden: bool = False
    constant: Any = MISSING


class RecordCodec(Record):
    """A type with named fields: a JSON object that has the required names, and others only if allowed.

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
        self.extra_type: Any = MISSING  # the type of values without a field, if the class takes them
        self.extra_codec: Codec | None = None  # its codec, set when it is read
        self.extra_items: Callable[[Any], dict[str, Any]] = lambda value: {}
        self.notes: tuple[str, ...] = ()  # further sentences for the author of a tool
        self.validates = False  # whether making an instance runs pydantic's validators
        self.hashable = hashable
        self._make = make or cls
        self.get = get
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
        self._needs_no_decoding = plain and len(self._steps) == len(fields) and self.extra_codec is None

    def children(self) -> Iterable[Codec]:
        inner = [field.codec for field in self.fields]
        return inner if self.extra_codec is None else [*inner, self.extra_codec]

    def signature(self) -> object:
        fields = sorted((field.key, field.required, _distinguishing_schema(field.codec)) for field in self.fields)
        return (tuple(fields), self.extra_codec is not None)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        shown = [field for field in self.fields if not (writer.results and (field.write_only or field.hidden))]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {each.key: _property_schema(each, writer) for each in shown},
        }
        if required := [field.key for field in shown if field.required]:
            schema["required"] = required
        schema["additionalProperties"] = False if self.extra_codec is None else (writer.write(self.extra_codec) or True)
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
        extra = self.extra_codec
        return extra is not None and all(extra.accepts(value[key]) for key in self._extra_names(value))

    def _extra_names(self, value: dict[str, Any]) -> list[str]:
        """Return the names in a JSON object that are not of a field."""
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
        if self.extra_codec is not None:
            self._decode_extra(value, decoded)
        return self._make_instance(decoded)

    def _make_instance(self, decoded: dict[str, Any]) -> Any:
        """Return an instance of the decoded fields, which `decoded` has by keyword argument.

        Raises:
            Refusal: The class raises any exception, as in `__post_init__`.
        """
        try:
            return self._make(**decoded)
        except Refusal:
            raise
        except Exception as error:  # the author's own checks, such as __post_init__, may raise anything
            raise refusal_of(error, self.title) from error

    def _decode_extra(self, value: dict[str, Any], decoded: dict[str, Any]) -> None:
        """Add the values of `value` that are not of a field to `decoded`, each decoded and under its own name.

        Raises:
            Refusal: A name is the keyword argument of a field that is given too, or a value is refused.
        """
        assert self.extra_codec is not None
        for key in self._extra_names(value):
            if key in decoded:
                raise Refusal("is the name of a field that is given by another name", (key,))
            try:
                decoded[key] = self.extra_codec.decode(value[key])
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
            item = self.get(value, field.attribute)
            if item is not MISSING:
                encoded[field.key] = _encode_field(field.codec, item)
        if self.extra_codec is not None:
            for key, item in self.extra_items(value).items():
                if key in encoded:  # the alias of a field that was given by its name
                    raise repeated_name_error(key)
                encoded[key] = self.extra_codec.encode(item)
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
    """Return the JSON value of `item`, the value of a field.

    A value that is not of the declared type, which Python does not check, is encoded by its class.

    Raises:
        EncodingError: It has no JSON form.
    """
    try:
        return codec.encode(item)
    except EncodingError:
        raise
    except (TypeError, ValueError, AttributeError):
        return to_json(item)


def _property_schema(field: Field, writer: SchemaWriter) -> dict[str, Any]:
    """Return the schema of `field`, with its description and default; write-only fields have `writeOnly`.

    The description is left out if the writer writes no texts, or if the type has one; the default if it has no JSON form of the type.
    """
    schema = writer.write(field.codec)
    if field.description and writer.texts and "description" not in schema:  # a text in `Annotated` comes first
        schema = {**schema, "description": field.description}
    if field.default is not MISSING:
        add_default(schema, field.codec, field.default)
    if field.write_only:
        schema["writeOnly"] = True
    return schema


def add_default(schema: dict[str, Any], codec: Codec, default: Any) -> None:
    """Add `default` to `schema`, if it has a JSON form that the schema accepts.

    A default of another array type counts too, such as `frozenset()` for a set, or `()` for a list.
    """
    try:
        if isinstance(default, _ARRAYS) and not codec.handles(default):
            default = next(made for make in _ARRAYS if codec.handles(made := make(default)))
        if codec.handles(default) and codec.accepts(encoded := codec.encode(default)):
            schema["default"] = encoded
    except Exception:  # noqa: BLE001  # the author's class may raise anything: the parameter is optional, without a published default
        return


_ARRAYS: Final = (list, tuple, frozenset, set)


def _distinguishing_schema(codec: Codec) -> str:
    """Return a text that differs for codecs of different JSON.

    It is the full name of a `Named` codec, and the text of the schema of any other one.
    """
    if isinstance(codec, Named):  # by name: a record may contain itself
        return codec.full_name
    return str(codec.schema(SchemaWriter([*codec.children()], texts=False)))


# --- The fields of a class: their resolved types, and their texts from its docstring ---


RecordBuilder: TypeAlias = Callable[[Any, Any], tuple[RecordCodec, list[Field]]]
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
        if record.extra_type is not MISSING:
            record.extra_codec = reader.read_in(_resolve(record.extra_type, cls, reader), annotation)
        record.fill(_fields(annotation, cls, raw, reader))
        record.hashable = record.hashable and all(field.codec.hashable for field in record.fields)
    finally:
        reader.owner, reader.validated = outer
    return record


def _fields(annotation: Any, cls: type, raw: Sequence[Field], reader: Reader) -> tuple[Field, ...]:
    """Return the fields of a class with their types read, and described as in its docstring.

    Constants, such as the tag of a Struct, stay as they are.

    Args:
        annotation: The record as written.
        cls: The class.
        raw: Its fields, as the class declares them.
        reader: Reads the types.

    Raises:
        UnsupportedType: Some fields have no JSON form; the error names all of them. Or the annotations cannot be resolved.
    """
    hints = _annotations(cls, reader) if any(each.annotation is MISSING for each in raw) else {}
    arguments = arguments_of(annotation, cls)
    documented = _field_documentation(cls, raw)
    read: list[Field] = []
    problems: list[str] = []
    for each in raw:
        if each.constant is not MISSING:
            read.append(each)
            continue
        hint = hints.get(each.attribute, Any) if each.annotation is MISSING else each.annotation
        if isinstance(hint, InitVar):
            hint = _resolve(hint.type, cls, reader)
        if hint is Final and each.default is not MISSING:
            hint = type(each.default)
        try:
            codec = reader.read(substitute(hint, arguments) if arguments else hint)
        except UnsupportedType as unsupported:
            problems += unsupported.inside(f"field {each.attribute!r} of {cls.__qualname__}").problems
            continue
        entry = documented.get(each.attribute) or documented.get(each.key)
        read.append(
            each._replace(
                key=each.key or each.attribute,
                name=each.name or each.attribute,
                codec=codec,
                description=entry.description if entry else "",
            )
        )
    if problems:
        raise UnsupportedType(*problems)
    return tuple(read)


def _field_documentation(cls: Any, raw: Sequence[Field]) -> dict[str, DocumentedParameter]:
    """Return name -> documentation of the field, from the docstrings of a class and its base classes.

    Sections about parameters (`Args:`, `:param x:`) count as `Attributes:` does, which comes first in one docstring. The docstring of a base class
    counts only if that class declares one of the fields `raw`; the names are not limited to these. An entry in the docstring of a class replaces
    one of its bases. One-line docstrings are not read.
    """
    documented: dict[str, DocumentedParameter] = {}
    for base in reversed(_documented_classes(cls)):
        text = base.__dict__.get("__doc__")
        if text and "\n" in text and (base is cls or _declares_any(base, raw)):
            documentation = read_docstring(text)
            documented |= documentation.parameters | documentation.attributes
    return documented


def _documented_classes(cls: Any) -> list[Any]:
    """Return a class and its base classes, without `object`, in the order in which Python looks names up.

    A TypedDict derives from `dict` alone. Its bases are those that it was written with; typing.TypedDict stores them from Python 3.12 on.
    """
    if not is_typeddict(cls):
        return list(cls.__mro__[:-1])
    found = {cls: None}  # a dict keeps the order
    for base in getattr(cls, "__orig_bases__", ()):
        found |= dict.fromkeys(_documented_classes(written) if is_typeddict(written := origin_of(base) or base) else ())
    return list(found)


def _declares_any(cls: Any, raw: Sequence[Field]) -> bool:
    """Return whether a class annotates one of the fields `raw`, or is an attrs class, which need not annotate them."""
    return "__attrs_attrs__" in cls.__dict__ or any(each.attribute in _own_annotations(cls) for each in raw)


def _annotations(cls: Any, reader: Reader) -> Mapping[str, Any]:
    """Return name -> annotation of a class and its base classes, with types in place of texts.

    Of one name, the class's own annotation comes before those of its bases.

    Raises:
        UnsupportedType: They cannot be resolved.
        RecursionError: Evaluating them raised this.
    """
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
    """Return `annotation`, which `cls` stores outside its annotations, with types in place of texts.

    Raises:
        UnsupportedType: It cannot be resolved.
        RecursionError: Evaluating it raised this.
    """
    if not holds_text(annotation):
        return annotation
    try:
        return resolve_texts(annotation, vars(sys.modules[cls.__module__]), _names_visible_to(cls, reader))
    except Exception as error:  # as above
        raise unresolved_annotations(cls, error) from error


def _names_visible_to(cls: Any, reader: Reader) -> dict[str, Any]:
    """Return the names that the annotations of a class can use in addition to those of its module.

    These are the reader's scope, the class itself if its module does not have it under its name, and its type parameters.
    """
    module = sys.modules.get(cls.__module__)
    own = {} if getattr(module, cls.__name__, None) is cls else {cls.__name__: cls}
    return {**reader.scope, **own, **type_parameters(cls)}


def unresolved_annotations(cls: Any, error: Exception) -> UnsupportedType:
    """Return the error for annotations of `cls` that cannot be evaluated, for `error`.

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
    """Return the annotations of a class, as written, without those of its base classes.

    Raises:
        UnsupportedType: They cannot be evaluated.
        RecursionError: Evaluating them raised this.
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

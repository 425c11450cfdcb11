"""Reads the markers of pydantic in an `Annotated[…]`, and refuses those that fcregistry does not support.

Works with pydantic 2.7 and later. The module imports pydantic only when it reads a marker of pydantic.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from fcregistry._base.source import signature_of
from fcregistry.errors import exception_message
from fcregistry.types._codec import Codec, Refusal, UnsupportedType, Wrapper, refusal_of, show_type
from fcregistry.types._constraints import AnnotationMarks, show_marker
from fcregistry.types._records import MISSING
from fcregistry.types._scalars import ANY_CODEC

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.types._codec import SchemaWriter


REFUSED: Final = {
    "ImportString": "it imports any object that a model names; use a name (Literal[…]) and look the object up",
    "Json": "a model would write JSON inside JSON; use the type of the value in it",
    "Secret": "the JSON of a secret is only asterisks; use SecretStr",
}
"""Name of a type or marker of pydantic that is refused -> why."""

_IGNORED_MARKERS: Final = frozenset(
    {
        *("Strict", "AllowInfNan", "FailFast", "Tag", "SkipValidation"),
        *("AliasGenerator", "SerializeAsAny"),
    }
)
"""Markers without effect here: validation is always strict, and the members of a union are distinguished by their fields."""


def read_pydantic_marker(name: str, marker: Any, marks: AnnotationMarks) -> bool:
    """Apply `Field`, `StringConstraints` or another marker of pydantic; return whether its class is known.

    Validators run after decoding.

    Args:
        name: The name of the marker's class or base class.
        marker: The marker.
        marks: Collects the constraints and texts of the annotation.

    Raises:
        UnsupportedType: The marker is refused, or does not fit its type.
    """
    if name in REFUSED:
        raise UnsupportedType(f"{name} of {marks.shown}: {REFUSED[name]}")
    if name == "FieldInfo":
        _read_field(marker, marks)
    elif name == "_PydanticGeneralMetadata":  # constraints of Field and StringConstraints that annotated-types lacks
        _read_general_metadata(marker, marks)
    elif name == "StringConstraints":
        _read_string_constraints(marker, marks)
    elif name == "_AllowAnyJson":  # the last marker of `JsonValue`; its members would give a longer schema
        marks.inner = ANY_CODEC
    elif name in ("EncodedBytes", "EncodedStr"):
        marks.inner = EncodedCodec(marks.annotation, marker, decodes=not marks.validated)
    elif name == "Discriminator":
        _read_discriminator(marker.discriminator, marks)
    elif name in ("PlainSerializer", "WrapSerializer"):
        marks.note(f"{name} has no effect here: {marks.shown} is written as always")
    elif name not in _IGNORED_MARKERS:
        if not (hasattr(marker, "__get_pydantic_core_schema__") or name == "UrlConstraints"):
            return False
        _add_validator(marker, show_marker(marker), marks)
    return True


def _add_validator(marker: Any, shown: str, marks: AnnotationMarks) -> None:
    """Add `marker` as a validator that runs after decoding, and note `shown`, its text, for the author.

    In a pydantic model it is only noted, since the model runs its validators when it makes an instance.

    Raises:
        UnsupportedType: Pydantic cannot apply it to the type.
    """
    marks.note(f"the schema cannot express what {shown} does to {marks.shown}: it runs after decoding")
    if not marks.validated:
        marks.inner = ValidatedCodec(marks.inner, marks.annotation, marker, shown)


def _read_field(info: Any, marks: AnnotationMarks) -> None:
    """Apply the constraints and texts of a `Field(…)`; note its options that have no effect."""
    for each in info.metadata:
        marks.apply(each)
    if not marks.validated:
        unread = [name for name in ("validation_alias", "default", "default_factory") if _is_set(info, name)]
        if unread:
            options = ", ".join(unread).removeprefix("validation_")  # `alias` also sets the alias for validation
            marks.note(f"{options} of Field has no effect on a parameter; write it in the signature itself")
    _read_discriminator(getattr(info.discriminator, "discriminator", info.discriminator), marks)
    marks.set_texts(info, info.json_schema_extra)
    if info.deprecated:
        marks.set_text("deprecated", True)


class FieldDefault(NamedTuple):
    """What pydantic's `Field(…)` means as the default of a parameter.

    Attributes:
        marker: The same `Field` without its default, for use in `Annotated`.
        value: The default, or `MISSING` if there is none, or a factory makes it.
        make: Returns the default for one call; None if the argument is required.
    """

    marker: Any
    value: Any
    make: Callable[[], Any] | None


def read_field_default(default: object) -> FieldDefault | None:
    """Return the meaning of a default that is pydantic's `Field(…)`; None for any other default.

    Raises:
        UnsupportedType: The `Field` cannot be a default here.
    """
    homes = [cls.__module__ for cls in type(default).__mro__ if cls.__name__ == "FieldInfo"]
    if "pydantic.v1.fields" in homes:
        raise UnsupportedType("its default is a Field of pydantic 1; import Field from pydantic, not from pydantic.v1")
    if "pydantic.fields" not in homes:
        return None
    info: Any = default
    if _takes_arguments(info.default_factory):
        raise UnsupportedType("its default_factory takes the other values; use a function without arguments")
    marker = copy(info)
    marker.default = marker.default_factory = None  # `_read_field` notes that a marker's default has no effect
    if info.is_required():
        return FieldDefault(marker, MISSING, None)
    if info.default_factory is not None:
        return FieldDefault(marker, MISSING, info.default_factory)
    return FieldDefault(marker, info.default, info.get_default)


def _takes_arguments(factory: Callable[..., Any] | None) -> bool:
    """Return whether `factory`, a default factory, has a parameter that it must get by position.

    In pydantic 2.10 and later it gets the values of other fields there. False without a factory, or if it has no signature.
    """
    try:
        parameters = () if factory is None else signature_of(factory).parameters.values()
    except ValueError:  # a type written in C, such as `dict`
        return False
    return any(each.default is each.empty and each.kind < each.VAR_POSITIONAL for each in parameters)


def _is_set(info: Any, name: str) -> bool:
    """Return whether the attribute `name` of pydantic's field information is set.

    It is not if it is None, `...` or pydantic's undefined.
    """
    value = getattr(info, name)
    return value is not None and type(value).__name__ not in ("PydanticUndefinedType", "ellipsis")


def _read_discriminator(discriminator: Any, marks: AnnotationMarks) -> None:
    """Note in `marks` that a function that discriminates a union is not called; ignore a name, or None."""
    if discriminator is not None and not isinstance(discriminator, str):
        marks.note(
            f"the function that selects among the members of {marks.shown} is not called: the first member that accepts a value is used"
        )


def _read_string_constraints(constraints: Any, marks: AnnotationMarks) -> None:
    """Add the limits of `StringConstraints` to `marks`.

    If it has options that change the string, add all of it as a validator, too.
    """
    marks.read_limits(constraints)
    if any(value for name, value in vars(constraints).items() if name not in _READ_OPTIONS):
        # They change the string, and the bounds apply to the changed one, too.
        _add_validator(constraints, show_marker(constraints), marks)


_READ_OPTIONS: Final = frozenset({"min_length", "max_length", "pattern", "strict"})


def _read_general_metadata(marker: Any, marks: AnnotationMarks) -> None:
    """Add the limits of `Field` that annotated-types lacks to `marks`.

    Its other options become a validator if any is set; those that only configure coercions are ignored.
    """
    marks.read_limits(marker)
    rest = {name: value for name, value in vars(marker).items() if value is not None and name not in _IGNORED_OPTIONS}
    if rest:
        from pydantic import Field  # already imported: the marker comes from it

        shown = f"Field({', '.join(f'{name}={value!r}' for name, value in rest.items())})"
        _add_validator(Field(**rest), shown, marks)


_IGNORED_OPTIONS: Final = frozenset(
    {"pattern", "strict", "coerce_numbers_to_str", "union_mode", "allow_inf_nan", "fail_fast"}
)
"""Options of Field that are read elsewhere, or configure coercions; fcregistry does not coerce values."""


class ValidatedCodec(Wrapper):
    """A type with a pydantic validator, which may refuse or change the decoded values.

    Args:
        inner: The codec of the type.
        annotation: The type.
        marker: The validator, as written in `Annotated`.
        shown: The validator as its author writes it.

    Raises:
        UnsupportedType: Pydantic cannot apply the validator to the type.
    """

    def __init__(self, inner: Codec, annotation: Any, marker: Any, shown: str) -> None:
        self.inner = inner
        self._shown = shown
        self._adapter = _adapter(annotation, marker)
        self.kinds = inner.kinds
        self.hashable = inner.hashable

    def decode(self, value: Any) -> Any:
        try:
            return self._adapter.validate_python(self.inner.decode(value))
        except Refusal:
            raise
        except Exception as error:  # pydantic's error, or one of the author's validator
            raise refusal_of(error, self._shown) from error


class PydanticTextCodec(Codec):
    """A type whose JSON is a string; pydantic decides which strings are valid.

    Args:
        annotation: The type.
        adapter: Pydantic's `TypeAdapter` of it.
    """

    kinds = frozenset({"string"})

    def __init__(self, annotation: Any, adapter: Any) -> None:
        self._shown = show_type(annotation)
        self._adapter = adapter
        self.unsaid: tuple[str, ...] = (
            f"the schema cannot express which strings {self._shown} accepts: pydantic checks them after decoding",
        )

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return {"type": "string"}

    def accepts(self, value: object) -> bool:
        return type(value) is str

    def decode(self, value: Any) -> Any:
        try:
            return self._adapter.validate_python(value)
        except Exception as error:  # pydantic's error, or one of the author's class
            raise refusal_of(error, self._shown) from error

    def handles(self, value: object) -> bool:
        if value is None or isinstance(value, (int, float, list, dict)):
            return False  # pydantic would take the address 0.0.0.0 for False
        try:
            self._adapter.validate_python(value)
        except Exception:  # noqa: BLE001  # as above: the value is not of this type
            return False
        return True

    def encode(self, value: Any) -> Any:
        return self._adapter.dump_python(self._adapter.validate_python(value), mode="json")  # a default may be a string


class EncodedCodec(PydanticTextCodec):
    """A `str` or `bytes` that pydantic encodes as a JSON string, such as `Base64Str`.

    Args:
        annotation: The type.
        marker: The marker that names the encoder.
        decodes: Whether `decode` decodes the value. False in a pydantic model, which decodes its fields when it makes an instance.
    """

    def __init__(self, annotation: Any, marker: Any, decodes: bool) -> None:
        super().__init__(annotation, _adapter(annotation, marker))
        self._cls = annotation
        self._decodes = decodes
        self.unsaid = (f"the schema cannot express which strings {show_marker(marker)} can decode: others are refused",)

    def decode(self, value: Any) -> Any:
        return super().decode(value) if self._decodes else value

    def handles(self, value: object) -> bool:
        return isinstance(value, self._cls)

    def encode(self, value: Any) -> Any:
        return self._adapter.dump_python(value, mode="json")


_FUNCTIONS: Final = frozenset({"AfterValidator", "BeforeValidator", "WrapValidator", "PlainValidator"})
"""Validators that are functions: they run on the decoded value of any type."""


def _adapter(annotation: Any, marker: Any) -> Any:
    """Return pydantic's TypeAdapter of `annotation` with `marker`.

    If the marker is a validator function, such as `AfterValidator`, it is the TypeAdapter of Any with the marker.

    Raises:
        UnsupportedType: Pydantic cannot apply the marker to the type.
    """
    from pydantic import TypeAdapter  # already imported: the marker comes from it

    validated: Any = Any if type(marker).__name__ in _FUNCTIONS else annotation
    try:
        return TypeAdapter(Annotated[validated, marker])
    except Exception as error:  # pydantic raises many kinds of errors for types that it cannot build
        raise UnsupportedType(
            f"{show_marker(marker)} cannot be applied to {show_type(annotation)}: {exception_message(error).splitlines()[0]}"
        ) from error

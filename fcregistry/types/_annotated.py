"""How do the markers of `Annotated[…]` change a codec? Texts describe it; annotated-types constrain it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import annotated_types as at
from typing_extensions import Doc

from fcregistry.types._core import Codec, Refusal, UnsupportedType, kind_of, show_type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry.types._core import TypeReader
    from fcregistry.types._writer import SchemaWriter

Check = Callable[[Any], bool]


class ConstrainedCodec(Codec):
    """A type with a text, with bounds that its schema states, or with both.

    Args:
        inner: The codec of the type without them.
        bounds: JSON Schema keyword -> its value; each holds for the JSON kinds that it speaks of.
        checks: What no schema can say, with its name: tested on the decoded value.
        text: The description.
    """

    def __init__(
        self, inner: Codec, bounds: dict[str, Any], checks: list[tuple[str, Check]], text: str | None = None
    ) -> None:
        self._inner = inner
        self._bounds = bounds
        self._checks = checks
        self._text = text
        self.kinds = inner.kinds
        self.plain = inner.plain and not checks
        self.hashable = inner.hashable

    @property
    def core(self) -> Codec:
        return self._inner.core

    def children(self) -> Iterable[Codec]:
        return (self._inner,)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        text = {} if self._text is None or not writer.texts else {"description": self._text}
        schema = writer.write(self._inner)
        if schema.keys() & self._bounds.keys():  # the type has such a bound of its own: both hold
            return {"allOf": [schema, self._bounds], **text}
        return {**schema, **self._bounds, **text}

    def accepts(self, value: object) -> bool:
        kind = kind_of(value)
        return self._inner.accepts(value) and all(
            holds(value, limit)
            for keyword, limit in self._bounds.items()
            for about, holds in (_KEYWORDS[keyword],)
            if about == kind
        )

    def decode(self, value: Any) -> Any:
        decoded = self._inner.decode(value)
        for name, check in self._checks:
            if not _passes(check, decoded):
                raise Refusal(f"must satisfy {name}")
        return decoded

    def handles(self, value: object) -> bool:
        if not (self._inner.handles(value) and all(_passes(check, value) for _, check in self._checks)):
            return False
        try:
            return self.accepts(self._inner.encode(value))
        except (TypeError, ValueError):
            return False

    def encode(self, value: Any) -> Any:
        return self._inner.encode(value)


def _passes(check: Check, value: Any) -> bool:
    try:
        return bool(check(value))
    except Exception:  # the author's predicate: foreign code, and whatever it raises, it did not say yes  # noqa: BLE001
        return False


def is_multiple(value: float, step: float) -> bool:
    """Tell whether a number is a multiple of another, exactly: by their decimal digits, not their binary ones."""
    return (_exact(value) / _exact(step)).denominator == 1


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


# Keyword -> the JSON kind it speaks of, and whether it holds (JSON Schema validation, 6.2 to 6.5).
_KEYWORDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("number", lambda value, limit: value >= limit),
    "maximum": ("number", lambda value, limit: value <= limit),
    "exclusiveMinimum": ("number", lambda value, limit: value > limit),
    "exclusiveMaximum": ("number", lambda value, limit: value < limit),
    "multipleOf": ("number", is_multiple),
    "minLength": ("string", lambda value, limit: len(value) >= limit),
    "maxLength": ("string", lambda value, limit: len(value) <= limit),
    "minItems": ("array", lambda value, limit: len(value) >= limit),
    "maxItems": ("array", lambda value, limit: len(value) <= limit),
    "minProperties": ("object", lambda value, limit: len(value) >= limit),
    "maxProperties": ("object", lambda value, limit: len(value) <= limit),
}

_BOUNDS: dict[type, tuple[str, str, Callable[[Any, Any], bool]]] = {
    at.Ge: ("ge", "minimum", lambda value, limit: value >= limit),
    at.Gt: ("gt", "exclusiveMinimum", lambda value, limit: value > limit),
    at.Le: ("le", "maximum", lambda value, limit: value <= limit),
    at.Lt: ("lt", "exclusiveMaximum", lambda value, limit: value < limit),
    at.MultipleOf: ("multiple_of", "multipleOf", lambda value, step: value % step == 0),
}
_LENGTHS: dict[type, tuple[str, dict[str, str]]] = {
    at.MinLen: ("min_length", {"string": "minLength", "array": "minItems", "object": "minProperties"}),
    at.MaxLen: ("max_length", {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}),
}


def read(annotation: Any, reader: TypeReader) -> Codec | None:
    """Return the codec of an `Annotated` type."""
    if get_origin(annotation) is not Annotated:
        return None
    inner_type, *markers = get_args(annotation)
    inner = reader.read(inner_type)
    bounds: dict[str, Any] = {}
    checks: list[tuple[str, Check]] = []
    for marker in _flat(markers):
        _add(marker, inner, show_type(inner_type), bounds, checks)
    text = _description(markers)
    return ConstrainedCodec(inner, bounds, checks, text) if bounds or checks or text else inner


def _flat(markers: Iterable[Any]) -> Iterable[Any]:
    for marker in markers:
        if isinstance(marker, at.GroupedMetadata):  # Interval, Len: several in one
            yield from _flat(marker)
        else:
            yield marker


def _add(marker: Any, inner: Codec, of: str, bounds: dict[str, Any], checks: list[tuple[str, Check]]) -> None:
    if type(marker) in _BOUNDS:
        attribute, keyword, compare = _BOUNDS[type(marker)]
        limit = getattr(marker, attribute)
        if kind_of(limit) == "number" and "number" in inner.kinds and limit - limit == 0:
            _tighten(bounds, keyword, limit)
        elif kind_of(limit) == "number" and getattr(inner.core, "cls", None) is not Decimal:
            raise UnsupportedType(f"{type(marker).__name__}({limit!r}) bounds a number, and {of} is none")
        else:
            checks.append((f"{type(marker).__name__}({limit!r})", lambda value: compare(value, limit)))
    elif type(marker) in _LENGTHS:
        attribute, keywords = _LENGTHS[type(marker)]
        fitting = [keyword for kind, keyword in keywords.items() if kind in inner.kinds]
        if not fitting:
            raise UnsupportedType(f"{type(marker).__name__} bounds a length, and {of} has none")
        for keyword in fitting:
            _tighten(bounds, keyword, getattr(marker, attribute))
    elif isinstance(marker, at.Predicate):
        checks.append((_predicate_name(marker.func), marker.func))
    elif isinstance(marker, at.Timezone):
        raise UnsupportedType(f"Timezone({marker.tz!r}) is not checked here; take a Predicate of your own")


def _tighten(bounds: dict[str, Any], keyword: str, limit: Any) -> None:
    tighter = max if keyword.lower().startswith(("min", "exclusivemin")) else min
    if keyword == "multipleOf":
        if limit <= 0:
            raise UnsupportedType(f"MultipleOf({limit!r}): a step must be above 0")
        if bounds.get(keyword, limit) != limit:
            raise UnsupportedType(
                f"two steps, MultipleOf({bounds[keyword]!r}) and MultipleOf({limit!r}); give their common one"
            )
        tighter = max
    bounds[keyword] = tighter(bounds.get(keyword, limit), limit)


def _predicate_name(predicate: Callable[..., Any]) -> str:
    return getattr(predicate, "__qualname__", None) or type(predicate).__name__


def _description(markers: Iterable[Any]) -> str | None:
    """Return the last plain string or `Doc` (PEP 727) among the markers."""
    text = None
    for marker in markers:
        if isinstance(marker, str):
            text = marker
        elif isinstance(marker, Doc):
            text = marker.documentation
    return text

"""What do the markers of one `Annotated[…]` say together: bounds, checks, texts?

MERGED: Does a value keep to a bound? Numbers are compared by their decimal digits, not their binary ones: 0.1 is a tenth.
MERGED: How do bounds and texts change a codec? Bounds stand in its schema; what no schema can say is checked after decoding.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base import slots
from fcregistry._base.json import kind_of
from fcregistry.types._codec import Codec, Refusal, UnsupportedType, show_type, walk_codecs
from fcregistry.types._scalars import EncodingError
from fcregistry.types._strings import TextCodec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fcregistry.types._codec import SchemaWriter

# --- types._marks ---

_NAMES: Final = {
    "minimum": "Ge",
    "exclusiveMinimum": "Gt",
    "maximum": "Le",
    "exclusiveMaximum": "Lt",
    "multipleOf": "MultipleOf",
}
"""Keyword -> what authors call it."""

_LENGTHS: Final = {
    "MinLen": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "MaxLen": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
}


class AnnotationMarks:
    """What markers say of a type, gathered one by one.

    Args:
        inner: The codec of the type.
        annotation: The type itself.
        take: Adds what a marker says; for markers that hold others.
        validated: Whether a value goes through a model of pydantic, which runs its validators when it makes an instance.
    """

    def __init__(
        self, inner: Codec, annotation: Any, take: Callable[[Any, AnnotationMarks], None], validated: bool = False
    ) -> None:
        self._take = take
        self.validated = validated
        self.annotation = annotation
        self.shown = show_type(annotation)
        self.inner = inner
        self._bounds: dict[str, Any] = {}
        self._checks: list[_Check] = []
        self._texts: dict[str, Any] = {}
        self._unsaid: list[str] = []

    def take(self, marker: Any) -> None:
        """Add what a marker inside another says."""
        self._take(marker, self)

    def say(self, keyword: str, value: Any) -> None:
        """Add a text; of two, the later stands."""
        self._texts[keyword] = value

    def say_texts(self, marker: Any, extra: Any) -> None:
        """Add the texts that pydantic's `Field` and msgspec's `Meta` both have.

        Args:
            marker: The one or the other.
            extra: What else its author wants in the schema: of that only what says nothing of the values can stand here.
        """
        said = dict(extra) if isinstance(extra, Mapping) else {}
        examples = list(said.pop("examples", None) or marker.examples or ())
        texts = {keyword: said.pop(keyword, None) for keyword in ("title", "description", "deprecated")}
        for keyword in ("title", "description"):
            texts[keyword] = getattr(marker, keyword) or texts[keyword]
        self._texts |= {keyword: text for keyword, text in texts.items() if text}
        if examples:
            self.exemplify(examples)
        if said or callable(extra):
            self.note(
                f"{', '.join(sorted(said)) or 'what a function writes'} is in no schema of {self.shown}, as its author wished"
            )

    def exemplify(self, examples: Iterable[Any]) -> None:
        """Add examples, those that are of the type."""
        encoded = [each for example in examples for each in self._example(example)]
        if encoded:
            self.say("examples", encoded)

    def _example(self, example: Any) -> list[Any]:
        try:
            if self.inner.handles(example):
                return [self.inner.encode(example)]
        except (TypeError, ValueError, EncodingError):
            return []
        return [example] if self.inner.accepts(example) else []

    def note(self, sentence: str) -> None:
        """Add what its author should know."""
        self._unsaid.append(sentence)

    def check(self, name: str, holds: Callable[[Any], bool]) -> None:
        """Add what no schema can say."""
        self._checks.append(_Check(name, holds))

    def check_format(self, formats: tuple[str, ...], name: str, holds: Callable[[Any], bool]) -> None:
        """Add what no schema can say of values that are text of a format.

        Raises:
            UnsupportedType: The type has none of these formats.
        """
        texts = [each for each in self._alternatives() if isinstance(each, TextCodec) and each.format in formats]
        if not texts:
            raise UnsupportedType(f"{name} is asked of a point in time, and {self.shown} is none")
        self._check_of(texts, name, holds)

    def _check_of(self, codecs: Sequence[Codec], name: str, holds: Callable[[Any], bool]) -> None:
        """Add a check that speaks of the values of these types only: null is none of them."""
        self.check(name, lambda value: not any(each.handles(value) for each in codecs) or holds(value))

    def bound(self, keyword: str, limit: Any) -> None:
        """Add a bound of a number, or of what else has an order, such as a date.

        Raises:
            UnsupportedType: The type has no such bound.
        """
        bounded = [each for each in self._alternatives() if _is_bounded_by(each, limit)]
        if not bounded:
            what = "a number" if _is_number(limit) else f"a {type(limit).__name__}"
            raise UnsupportedType(f"{_NAMES[keyword]}({limit!r}) bounds {what}, and {self.shown} is none")
        stated = _as_json_number(limit)
        exact = any(each.exact for each in bounded)  # validators see its floats: what is near a limit, they cannot tell
        if stated is not None and any("number" in each.kinds for each in bounded):
            if not exact:
                self._tighten(keyword, stated)
                bounded = [each for each in bounded if "number" not in each.kinds]
            elif keyword != "multipleOf":
                self._tighten(keyword.replace("exclusiveM", "m"), stated)
        if bounded:
            holds, shown = _COMPARISONS[keyword], limit if _is_number(limit) else bounded[0].encode(limit)
            self._check_of(bounded, f"{_NAMES[keyword]}({shown})", lambda value: holds(value, limit))

    def length(self, name: str, limit: int) -> None:
        """Add a bound of a length, `MinLen` or `MaxLen`.

        Raises:
            UnsupportedType: The type has none.
        """
        texts = [each for each in self._alternatives() if isinstance(each, TextCodec)]
        encoded = [each for each in texts if hasattr(each.cls, "__len__")]  # its text has another length than its value
        kinds = frozenset().union(*(each.kinds for each in self._alternatives() if each not in texts))
        fitting = {kind: keyword for kind, keyword in _LENGTHS[name].items() if kind in kinds}
        if not (fitting or encoded):
            raise UnsupportedType(f"{name} bounds a length, and {self.shown} has none")
        if encoded:
            fitting.pop("string", None)
            holds = operator.ge if name == "MinLen" else operator.le
            sized: Any = (str, *(each.cls for each in encoded))
            self.check(f"{name}({limit})", lambda value: not isinstance(value, sized) or holds(len(value), limit))
        for keyword in fitting.values():
            self._tighten(keyword, limit)

    def _alternatives(self) -> list[Codec]:
        """Return the codecs of the types that a value may have: the members of a union, or the type itself."""
        if not self.inner.through:
            return [self.inner]
        return [each for each in walk_codecs([self.inner], same=True) if not each.through]

    def pattern(self, pattern: str) -> None:
        """Add a pattern that a text must match somewhere.

        Raises:
            UnsupportedType: The linear-time engine does not take it, or the type is no text.
        """
        if "string" not in self.inner.kinds:
            raise UnsupportedType(f"the pattern {pattern!r} is of a text, and {self.shown} is none")
        try:
            slots.pattern_matcher(pattern)
        except ValueError as error:
            raise UnsupportedType(f"the pattern {pattern!r}: {error}") from error
        if self._bounds.get("pattern", pattern) != pattern:
            self.inner = ConstrainedCodec(self.inner, {"pattern": self._bounds["pattern"]})
        self._bounds["pattern"] = pattern

    def _tighten(self, keyword: str, limit: Any) -> None:
        tighter = max if keyword.lower().startswith(("min", "exclusivemin")) else min
        if keyword == "multipleOf":
            if limit <= 0:
                raise UnsupportedType(f"MultipleOf({limit!r}): a step must be above 0")
            if self._bounds.get(keyword, limit) != limit:
                raise UnsupportedType(
                    f"two steps, MultipleOf({self._bounds[keyword]!r}) and MultipleOf({limit!r}); give their common one"
                )
            tighter = max
        self._bounds[keyword] = tighter(self._bounds.get(keyword, limit), limit)

    def applied(self) -> Codec:
        """Return the codec with all that was said of it."""
        if not (self._bounds or self._checks or self._texts or self._unsaid):
            return self.inner
        return ConstrainedCodec(self.inner, self._bounds, self._checks, self._texts, self._unsaid)


def _is_bounded_by(codec: Codec, limit: Any) -> bool:
    """Tell whether values of a type can be compared with a limit."""
    if not _is_number(limit):
        return codec.handles(limit)
    if isinstance(codec, TextCodec):
        return issubclass(codec.cls, Fraction)
    return "number" in codec.kinds and not (codec.exact and isinstance(limit, Fraction))


def show_marker(marker: Any) -> str:
    """Return a marker as its author writes it, as far as its library tells."""
    if isinstance(marker, type):
        return marker.__qualname__
    shown = repr(marker)
    return shown if len(shown) <= 80 and " at 0x" not in shown else type(marker).__name__


# --- types._bounds ---


def _is_number(value: object) -> bool:
    """Tell whether a Python value is a real number, which a boolean is not."""
    return isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool)


def is_multiple(value: Any, step: Any) -> bool:
    """Tell whether a number is a multiple of another, or a duration of another, exactly."""
    if isinstance(value, Decimal):
        return _is_decimal_multiple(value, _by_digits(step))
    if _is_number(value):
        return _fraction(value) % _fraction(step) == 0
    return not value % step


def _is_decimal_multiple(value: Decimal, step: Decimal) -> bool:
    """Tell it of a Decimal, whose exponent may be so large that no Fraction of it could be made."""
    digits = value.adjusted() - step.adjusted() + len(value.as_tuple().digits) + len(step.as_tuple().digits)
    if digits > _MAX_DIGITS:
        return False
    return not Context(max(digits, 1), Emin=MIN_EMIN, Emax=MAX_EMAX).remainder(value, step)


_MAX_DIGITS: Final = 5000
"""Of a quotient: a stranger wrote the value, and may have written an exponent of 17 digits."""


def _by_digits(number: Any) -> Any:
    """Return a number that compares as it is written."""
    return Decimal(float.__repr__(number)) if isinstance(number, float) else number


def _fraction(number: Any) -> Fraction:
    return Fraction(_by_digits(number))


def _compare_digits(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def holds(value: Any, limit: Any) -> bool:
        if isinstance(value, Fraction) or isinstance(limit, Fraction):
            return compare(_fraction(value), _fraction(limit))
        return compare(_by_digits(value), _by_digits(limit))

    return holds


_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "minimum": _compare_digits(operator.ge),
    "exclusiveMinimum": _compare_digits(operator.gt),
    "maximum": _compare_digits(operator.le),
    "exclusiveMaximum": _compare_digits(operator.lt),
    "multipleOf": is_multiple,
}
"""Keyword -> whether a Python value keeps to it (JSON Schema validation, 6.2)."""


def _as_json_number(limit: Any) -> float | None:
    """Return the JSON number that is exactly a limit, or None."""
    if not _is_number(limit):
        return None
    if type(limit) in (int, float):
        return limit if limit - limit == 0 else None
    try:
        number = int(limit) if limit == int(limit) else float(limit)
        return number if _fraction(number) == _fraction(limit) else None
    except (ValueError, ArithmeticError):  # not finite, or beyond what a float carries
        return None


# --- types._constraints ---


class _Check(NamedTuple):
    """What is tested on a decoded value, since no schema can say it.

    Attributes:
        name: What a value must satisfy, for the model to read.
        holds: Whether it does.
    """

    name: str
    holds: Callable[[Any], bool]


class ConstrainedCodec(Codec):
    """A type with a text, with bounds that its schema states, or with both.

    Args:
        inner: The codec of the type without them.
        bounds: JSON Schema keyword -> its value; each holds for the JSON kinds that it speaks of.
        checks: What no schema can say.
        texts: What a schema says for people and models: `description`, `title`, `examples`, `deprecated`.
        unsaid: What else its author should know.
    """

    through = True

    def __init__(
        self,
        inner: Codec,
        bounds: Mapping[str, Any],
        checks: Sequence[_Check] = (),
        texts: Mapping[str, Any] | None = None,
        unsaid: Sequence[str] = (),
    ) -> None:
        self._inner = inner
        self._bounds = dict(bounds)
        self._checks = tuple(checks)
        self._texts = dict(texts or {})
        self.kinds = inner.kinds
        self.plain = inner.plain and not checks
        self.hashable = inner.hashable
        said = tuple(f"no schema can say that a value must satisfy {check.name}: it is checked" for check in checks)
        self.unsaid = (*said, *unsaid)

    @property
    def core(self) -> Codec:
        return self._inner.core

    def children(self) -> Iterable[Codec]:
        return (self._inner,)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        texts = self._texts if writer.texts else {}
        schema = writer.write(self._inner)
        if schema.keys() & self._bounds.keys():  # the type has such a bound of its own: both hold
            return {"allOf": [schema, self._bounds], **texts}
        return {**schema, **self._bounds, **texts}

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
        for check in self._checks:
            if not _passes(check, decoded):
                raise Refusal(f"must satisfy {check.name}")
        return decoded

    def handles(self, value: object) -> bool:
        if not (self._inner.handles(value) and all(_passes(check, value) for check in self._checks)):
            return False
        try:
            return not self._bounds or self.accepts(self._inner.encode(value))
        except (TypeError, ValueError):
            return False

    def encode(self, value: Any) -> Any:
        return self._inner.encode(value)


def _passes(check: _Check, value: Any) -> bool:
    try:
        return bool(check.holds(value))
    except Exception:  # the author's predicate: foreign code, and whatever it raises, it did not say yes  # noqa: BLE001
        return False


# Keyword -> the JSON kind it speaks of, and whether it holds (JSON Schema validation, 6.2 to 6.5).
_KEYWORDS: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("number", lambda value, limit: value >= limit),
    "maximum": ("number", lambda value, limit: value <= limit),
    "exclusiveMinimum": ("number", lambda value, limit: value > limit),
    "exclusiveMaximum": ("number", lambda value, limit: value < limit),
    "multipleOf": ("number", is_multiple),
    "minLength": ("string", lambda value, limit: len(value) >= limit),
    "maxLength": ("string", lambda value, limit: len(value) <= limit),
    "pattern": ("string", lambda value, pattern: slots.pattern_matcher(pattern)(value)),
    "minItems": ("array", lambda value, limit: len(value) >= limit),
    "maxItems": ("array", lambda value, limit: len(value) <= limit),
    "minProperties": ("object", lambda value, limit: len(value) >= limit),
    "maxProperties": ("object", lambda value, limit: len(value) <= limit),
}

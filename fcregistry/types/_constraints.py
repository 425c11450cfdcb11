"""Constraints of an `Annotated[…]`, and the codec with them.

Bounds are stated in the schema; checks, which no schema can state, run after decoding; texts describe the type. Numbers are compared by
their decimal digits, not their binary ones: 0.1 is a tenth.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base import slots
from fcregistry._base.json import kind_of
from fcregistry.types._codec import Codec, Refusal, UnsupportedType, Wrapper, show_type, walk_codecs
from fcregistry.types._scalars import EncodingError
from fcregistry.types._strings import TextCodec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fcregistry.types._codec import SchemaWriter


class ConstrainedCodec(Wrapper):
    """A type with a text, with bounds that its schema states, or with both.

    Args:
        inner: The codec of the type without them.
        bounds: JSON Schema keyword -> its value; each applies to values of its own JSON kind.
        checks: Checks that no schema can state.
        texts: Keywords for people and models: `description`, `title`, `examples`, `deprecated`.
        unsaid: Further sentences for the author of a tool.
    """

    def __init__(
        self,
        inner: Codec,
        bounds: Mapping[str, Any],
        checks: Sequence[_Check] = (),
        texts: Mapping[str, Any] | None = None,
        unsaid: Sequence[str] = (),
    ) -> None:
        self.inner = inner
        self._bounds = dict(bounds)
        self._checks = tuple(checks)
        self._texts = dict(texts or {})
        self.kinds = inner.kinds
        self.plain = inner.plain and not checks
        self.hashable = inner.hashable
        notes = tuple(
            f"the schema cannot express that a value must satisfy {check.name}: it is checked after decoding"
            for check in checks
        )
        self.unsaid = (*notes, *unsaid)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        texts = self._texts if writer.texts else {}
        schema = writer.write(self.inner)
        if schema.keys() & self._bounds.keys():  # the type has such a bound of its own: both apply
            return {"allOf": [schema, self._bounds], **texts}
        return {**schema, **self._bounds, **texts}

    def accepts(self, value: object) -> bool:
        kind = kind_of(value)
        return self.inner.accepts(value) and all(
            holds(value, limit)
            for keyword, limit in self._bounds.items()
            for about, holds in (KEYWORD_CHECKS[keyword],)
            if about == kind
        )

    def decode(self, value: Any) -> Any:
        decoded = self.inner.decode(value)
        for check in self._checks:
            if not _passes(check, decoded):
                raise Refusal(f"must satisfy {check.name}")
        return decoded

    def handles(self, value: object) -> bool:
        if not (self.inner.handles(value) and all(_passes(check, value) for check in self._checks)):
            return False
        try:
            return not self._bounds or self.accepts(self.inner.encode(value))
        except (TypeError, ValueError):
            return False


class _Check(NamedTuple):
    """A check of a decoded value that no schema can state.

    Attributes:
        name: The condition, as a model reads it.
        holds: Returns whether a value satisfies it.
    """

    name: str
    holds: Callable[[Any], bool]


def _passes(check: _Check, value: Any) -> bool:
    """Return whether `value` satisfies `check`; False if the check raises."""
    try:
        return bool(check.holds(value))
    except Exception:  # the author's predicate may raise anything, and has not returned True then  # noqa: BLE001
        return False


# --- The markers of one annotation ---

_BOUNDS: Final = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
}
"""Attribute of a bound in annotated-types, pydantic and msgspec -> its keyword."""

_NAMES: Final = {keyword: attribute.title().replace("_", "") for attribute, keyword in _BOUNDS.items()}
"""Keyword -> the marker that authors write, such as `MultipleOf`."""

_LENGTHS: Final = {
    "MinLen": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "MaxLen": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
}


class AnnotationMarks:
    """Collects the constraints and texts of one annotation, marker by marker.

    Args:
        inner: The codec of the type.
        annotation: The type itself.
        apply: Applies a marker that is inside another.
        validated: Whether a value goes through a pydantic model, which runs its validators when it makes an instance.
    """

    def __init__(
        self, inner: Codec, annotation: Any, apply: Callable[[Any, AnnotationMarks], None], validated: bool = False
    ) -> None:
        self._apply = apply
        self.validated = validated
        self.annotation = annotation
        self.shown = show_type(annotation)
        self.inner = inner
        self._bounds: dict[str, Any] = {}
        self._checks: list[_Check] = []
        self._texts: dict[str, Any] = {}
        self._unsaid: list[str] = []

    def apply(self, marker: Any) -> None:
        """Apply `marker`, which is inside another marker."""
        self._apply(marker, self)

    def set_text(self, keyword: str, value: Any) -> None:
        """Set the text of `keyword`, in place of an earlier one."""
        self._texts[keyword] = value

    def set_texts(self, marker: Any, extra: Any) -> None:
        """Set the texts that pydantic's `Field` and msgspec's `Meta` both have.

        Args:
            marker: One of these.
            extra: What else its author wants in the schema; only keywords that do not restrict values are used.
        """
        rest = dict(extra) if isinstance(extra, Mapping) else {}
        examples = list(rest.pop("examples", None) or marker.examples or ())
        texts = {keyword: rest.pop(keyword, None) for keyword in ("title", "description", "deprecated")}
        for keyword in ("title", "description"):
            texts[keyword] = getattr(marker, keyword) or texts[keyword]
        self._texts |= {keyword: text for keyword, text in texts.items() if text}
        if examples:
            self.set_examples(examples)
        if rest or callable(extra):
            self.note(
                f"{', '.join(sorted(rest)) or 'what a function writes'} is not in the schema of {self.shown}, although its author wrote it there"
            )

    def set_examples(self, examples: Iterable[Any]) -> None:
        """Set `examples` as texts, without those that are not of the type."""
        encoded = [each for example in examples for each in self._example(example)]
        if encoded:
            self.set_text("examples", encoded)

    def _example(self, example: Any) -> list[Any]:
        """Return a list of the JSON value of `example`; an empty list if it is not of the type.

        It is empty, too, if the example cannot be encoded. The author may write an example in Python or in JSON.
        """
        try:
            if self.inner.handles(example):
                return [self.inner.encode(example)]
        except (TypeError, ValueError, EncodingError):
            return []
        return [example] if self.inner.accepts(example) else []

    def read_limits(self, marker: Any) -> None:
        """Apply the bounds, lengths and pattern of a marker.

        In annotated-types, pydantic and msgspec, their attributes have the same names.
        """
        for attribute, keyword in _BOUNDS.items():
            if (limit := getattr(marker, attribute, None)) is not None:
                self.bound(keyword, limit)
        for attribute, name in (("min_length", "MinLen"), ("max_length", "MaxLen")):
            if (limit := getattr(marker, attribute, None)) is not None:
                self.length(name, limit)
        if pattern := getattr(marker, "pattern", None):
            self.pattern(getattr(pattern, "pattern", pattern))

    def note(self, sentence: str) -> None:
        """Add a sentence for the author of a tool."""
        self._unsaid.append(sentence)

    def check(self, name: str, holds: Callable[[Any], bool]) -> None:
        """Add a check that no schema can state.

        Args:
            name: The condition, as a model reads it.
            holds: Returns whether a value satisfies it.
        """
        self._checks.append(_Check(name, holds))

    def check_format(self, formats: tuple[str, ...], name: str, holds: Callable[[Any], bool]) -> None:
        """Add a check, which no schema can state, of values that are text in one of `formats`.

        Args:
            formats: JSON Schema formats, such as `date-time`.
            name: The condition, as a model reads it.
            holds: Returns whether a value satisfies it.

        Raises:
            UnsupportedType: The type has none of these formats.
        """
        texts = [each for each in self._alternatives() if isinstance(each, TextCodec) and each.format in formats]
        if not texts:
            raise UnsupportedType(f"{name} needs a point in time, which {self.shown} is not")
        self._check_of(texts, name, holds)

    def _check_of(self, codecs: Sequence[Codec], name: str, holds: Callable[[Any], bool]) -> None:
        """Add the check `holds`, called `name`, of values that one of `codecs` handles.

        Other values, such as null, pass it.
        """
        self.check(name, lambda value: not any(each.handles(value) for each in codecs) or holds(value))

    def bound(self, keyword: str, limit: Any) -> None:
        """Add a bound of a number, or of another ordered type, such as a date.

        Args:
            keyword: The JSON Schema keyword of the bound, such as `minimum`.
            limit: Its value.

        Raises:
            UnsupportedType: The type has no such bound.
        """
        bounded = [each for each in self._alternatives() if _is_bounded_by(each, limit)]
        if not bounded:
            what = "a number" if _is_number(limit) else f"a {type(limit).__name__}"
            raise UnsupportedType(f"{_NAMES[keyword]}({limit!r}) bounds {what}, which {self.shown} is not")
        stated = _as_json_number(limit)
        exact = any(each.exact for each in bounded)  # validators see floats, and cannot decide near a limit
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
        """Add a bound of a length.

        Args:
            name: `MinLen` or `MaxLen`.
            limit: The length.

        Raises:
            UnsupportedType: The type has no length.
        """
        texts = [each for each in self._alternatives() if isinstance(each, TextCodec)]
        encoded = [each for each in texts if hasattr(each.cls, "__len__")]  # the text is not as long as the value
        kinds = frozenset().union(*(each.kinds for each in self._alternatives() if each not in texts))
        fitting = {kind: keyword for kind, keyword in _LENGTHS[name].items() if kind in kinds}
        if not (fitting or encoded):
            raise UnsupportedType(f"{name} bounds a length, which {self.shown} does not have")
        if encoded:
            fitting.pop("string", None)
            holds = operator.ge if name == "MinLen" else operator.le
            sized: Any = (str, *(each.cls for each in encoded))
            self.check(f"{name}({limit})", lambda value: not isinstance(value, sized) or holds(len(value), limit))
        for keyword in fitting.values():
            self._tighten(keyword, limit)

    def _alternatives(self) -> list[Codec]:
        """Return the codecs of the members of a union, also of unions in it, each once.

        If the type is not a union, return its own codec alone. Codecs that wrap another, such as bounds, are left out in favour of that one.
        """
        if not self.inner.through:
            return [self.inner]
        return [each for each in walk_codecs([self.inner], same=True) if not each.through]

    def pattern(self, pattern: str) -> None:
        """Add a pattern that a text must match somewhere.

        Raises:
            UnsupportedType: The linear-time engine refuses the pattern, or the type is not a text.
        """
        if "string" not in self.inner.kinds:
            raise UnsupportedType(f"the pattern {pattern!r} needs a text, which {self.shown} is not")
        try:
            slots.pattern_matcher(pattern)
        except ValueError as error:
            raise UnsupportedType(f"the pattern {pattern!r}: {error}") from error
        if self._bounds.get("pattern", pattern) != pattern:
            self.inner = ConstrainedCodec(self.inner, {"pattern": self._bounds["pattern"]})
        self._bounds["pattern"] = pattern

    def _tighten(self, keyword: str, limit: Any) -> None:
        """Set the bound `keyword` to `limit`, or keep an earlier bound of this keyword that is tighter.

        Raises:
            UnsupportedType: It is a `multipleOf` that is not positive, or that differs from an earlier one.
        """
        tighter = max if keyword.lower().startswith(("min", "exclusivemin")) else min
        if keyword == "multipleOf":
            if limit <= 0:
                raise UnsupportedType(f"MultipleOf({limit!r}): the step must be greater than 0")
            if self._bounds.get(keyword, limit) != limit:
                raise UnsupportedType(
                    f"two steps, MultipleOf({self._bounds[keyword]!r}) and MultipleOf({limit!r}); give their common one"
                )
            tighter = max
        self._bounds[keyword] = tighter(self._bounds.get(keyword, limit), limit)

    def applied(self) -> Codec:
        """Return the codec with everything that was added, or the type's own codec if nothing was."""
        if not (self._bounds or self._checks or self._texts or self._unsaid):
            return self.inner
        return ConstrainedCodec(self.inner, self._bounds, self._checks, self._texts, self._unsaid)


def _is_bounded_by(codec: Codec, limit: Any) -> bool:
    """Return whether values of the type of `codec` can be compared with `limit`.

    A limit that is not a number must be a value of the type. A number bounds numbers and Fractions, but a Fraction bounds no Decimal.
    """
    if not _is_number(limit):
        return codec.handles(limit)
    if isinstance(codec, TextCodec):
        return issubclass(codec.cls, Fraction)
    return "number" in codec.kinds and not (codec.exact and isinstance(limit, Fraction))


def show_marker(marker: Any) -> str:
    """Return a marker as its author writes it, if its `repr` shows that; else the name of its class."""
    if isinstance(marker, type):
        return marker.__qualname__
    shown = repr(marker)
    return shown if len(shown) <= 80 and " at 0x" not in shown else type(marker).__name__


# --- Comparing values with bounds ---


def _is_number(value: object) -> bool:
    """Return whether a Python value is a real number; a boolean is not."""
    return isinstance(value, (int, float, Decimal, Fraction)) and not isinstance(value, bool)


def is_multiple(value: Any, step: Any) -> bool:
    """Return whether `value`, a number or a duration, is an exact multiple of `step`."""
    if isinstance(value, Decimal):
        return _is_decimal_multiple(value, _by_digits(step))
    if _is_number(value):
        return _fraction(value) % _fraction(step) == 0
    return not value % step


def _is_decimal_multiple(value: Decimal, step: Decimal) -> bool:
    """Return whether `value` is an exact multiple of `step`; False if the quotient has over 5000 digits.

    No Fraction is made of them, since their exponents may be too large.
    """
    digits = value.adjusted() - step.adjusted() + len(value.as_tuple().digits) + len(step.as_tuple().digits)
    if digits > _MAX_DIGITS:
        return False
    return not Context(max(digits, 1), Emin=MIN_EMIN, Emax=MAX_EMAX).remainder(value, step)


_MAX_DIGITS: Final = 5000
"""Most digits of a quotient: the value is untrusted, and may have an exponent of 17 digits."""


def _by_digits(number: Any) -> Any:
    """Return `number`, as a Decimal of its written digits if it is a float."""
    return Decimal(float.__repr__(number)) if isinstance(number, float) else number


def _fraction(number: Any) -> Fraction:
    """Return the Fraction that equals the written digits of `number`.

    Raises:
        ValueError, OverflowError: The number is not finite.
    """
    return Fraction(_by_digits(number))


def _compare_digits(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a function that applies `compare` to two numbers by their written digits."""

    def holds(value: Any, limit: Any) -> bool:
        """Return whether `value` satisfies `limit`, compared by their written digits."""
        if isinstance(value, Fraction) or isinstance(limit, Fraction):
            return compare(_fraction(value), _fraction(limit))
        return compare(_by_digits(value), _by_digits(limit))

    return holds


_ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "minimum": operator.ge,
    "exclusiveMinimum": operator.gt,
    "maximum": operator.le,
    "exclusiveMaximum": operator.lt,
}

_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    **{keyword: _compare_digits(compare) for keyword, compare in _ORDER.items()},
    "multipleOf": is_multiple,
}
"""Keyword -> whether a Python value satisfies it (JSON Schema validation, 6.2)."""


def _compare_length(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return a function that applies `compare` to the length of a value and a limit."""
    return lambda value, limit: compare(len(value), limit)


KEYWORD_CHECKS: Final[dict[str, tuple[str, Callable[[Any, Any], bool]]]] = {
    **{keyword: ("number", compare) for keyword, compare in _ORDER.items()},
    "multipleOf": ("number", is_multiple),
    "pattern": ("string", lambda value, pattern: slots.pattern_matcher(pattern)(value)),
    **{keyword: (kind, _compare_length(operator.ge)) for kind, keyword in _LENGTHS["MinLen"].items()},
    **{keyword: (kind, _compare_length(operator.le)) for kind, keyword in _LENGTHS["MaxLen"].items()},
}
"""Keyword -> the JSON kind it applies to, and whether a value satisfies it (JSON Schema validation, 6.2 to 6.5)."""


def _as_json_number(limit: Any) -> float | None:
    """Return the int or float that equals `limit` exactly, by its written digits.

    None if there is none: `limit` is not a number, is not finite, or is not whole and has digits that no float has.
    """
    if not _is_number(limit):
        return None
    if type(limit) in (int, float):
        return limit if limit - limit == 0 else None
    try:
        number = int(limit) if limit == int(limit) else float(limit)
        return number if _fraction(number) == _fraction(limit) else None
    except (ValueError, ArithmeticError):  # not finite, or too large for a float
        return None

"""What do the markers of one `Annotated[…]` say together: bounds, checks, texts?"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from fcregistry import _ports
from fcregistry.types._bounds import HOLDS, as_json_number, is_number
from fcregistry.types._constraints import Check, ConstrainedCodec
from fcregistry.types._core import Codec, UnsupportedType, show_type, walk
from fcregistry.types._texts import TextCodec
from fcregistry.types._values import EncodingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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


class Marks:
    """What markers say of a type, gathered one by one.

    Args:
        inner: The codec of the type.
        annotation: The type itself.
        take: Adds what a marker says; for markers that hold others.
        validated: Whether a value goes through a model of pydantic, which runs its validators when it makes an instance.
    """

    def __init__(
        self, inner: Codec, annotation: Any, take: Callable[[Any, Marks], None], validated: bool = False
    ) -> None:
        self._take = take
        self.validated = validated
        self.annotation = annotation
        self.shown = show_type(annotation)
        self.inner = inner
        self._bounds: dict[str, Any] = {}
        self._checks: list[Check] = []
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
        self._checks.append(Check(name, holds))

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
            what = "a number" if is_number(limit) else f"a {type(limit).__name__}"
            raise UnsupportedType(f"{_NAMES[keyword]}({limit!r}) bounds {what}, and {self.shown} is none")
        stated = as_json_number(limit)
        exact = any(each.exact for each in bounded)  # validators see its floats: what is near a limit, they cannot tell
        if stated is not None and any("number" in each.kinds for each in bounded):
            if not exact:
                self._tighten(keyword, stated)
                bounded = [each for each in bounded if "number" not in each.kinds]
            elif keyword != "multipleOf":
                self._tighten(keyword.replace("exclusiveM", "m"), stated)
        if bounded:
            holds, shown = HOLDS[keyword], limit if is_number(limit) else bounded[0].encode(limit)
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
        return [each for each in walk([self.inner], same=True) if not each.through]

    def pattern(self, pattern: str) -> None:
        """Add a pattern that a text must match somewhere.

        Raises:
            UnsupportedType: The linear-time engine does not take it, or the type is no text.
        """
        if "string" not in self.inner.kinds:
            raise UnsupportedType(f"the pattern {pattern!r} is of a text, and {self.shown} is none")
        try:
            _ports.pattern_matcher(pattern)
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
    if not is_number(limit):
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

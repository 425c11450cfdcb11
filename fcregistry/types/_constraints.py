"""How do bounds and texts change a codec? Bounds stand in its schema; what no schema can say is checked after decoding."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from fcregistry import _ports
from fcregistry._base.json import kind_of
from fcregistry.types._bounds import is_multiple
from fcregistry.types._core import Codec, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fcregistry.types._writer import SchemaWriter


class Check(NamedTuple):
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
        checks: Sequence[Check] = (),
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


def _passes(check: Check, value: Any) -> bool:
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
    "pattern": ("string", lambda value, pattern: _ports.pattern_matcher(pattern)(value)),
    "minItems": ("array", lambda value, limit: len(value) >= limit),
    "maxItems": ("array", lambda value, limit: len(value) <= limit),
    "minProperties": ("object", lambda value, limit: len(value) >= limit),
    "maxProperties": ("object", lambda value, limit: len(value) <= limit),
}

"""What is a codec, and how does an annotation become one?

A codec is one Python type seen from JSON. Its four sides are written together, so that they agree:

- `schema` says which JSON values there are,
- `accepts` tells whether a JSON value is one of them: exactly when the schema does,
- `decode` makes the Python value of an accepted JSON value,
- `encode` makes the JSON value of a Python value that it `handles`; `decode(encode(x)) == x`.

An annotation is read by the families in `_table.py`, first match first; each is one small file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fcregistry.types._writer import SchemaWriter

JSON_KINDS: Final = frozenset({"null", "boolean", "number", "string", "array", "object"})


def kind_of(value: object) -> str | None:
    """Return the JSON kind of a parsed value: `number` for 1 and 1.0, `boolean` for true; None if it is no JSON at all."""
    if value is None:
        return "null"
    return _KINDS.get(type(value))


_KINDS: Final = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
}


class UnsupportedType(Exception):
    """An annotation that no family reads.

    Attributes:
        problems: Why, and what to write instead; several for a record with several such fields.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems

    def inside(self, place: str) -> UnsupportedType:
        """Return the same, said of an annotation that lies inside another."""
        return UnsupportedType(*(f"{place}: {problem}" for problem in self.problems))


class Refusal(Exception):
    """An accepted JSON value that makes no Python value: what no schema can say, such as a predicate or a `__post_init__`.

    Attributes:
        path: Where, from the outermost value inwards: property names and positions.
        reason: Why, worded for a model.
    """

    def __init__(self, reason: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path

    def at(self, segment: str | int) -> Refusal:
        """Return the same refusal, one level further out."""
        return Refusal(self.reason, (segment, *self.path))


class Codec:
    """One Python type seen from JSON: the base class of all families."""

    kinds: frozenset[str] = JSON_KINDS
    """The JSON kinds that it may accept."""

    plain: bool = False
    """Whether `decode` and `encode` hand every value through unchanged."""

    natural: bool = False
    """Whether `to_json_text` writes values of this type just as `encode` does, so that nothing has to be encoded first."""

    hashable: bool = True
    """Whether the decoded values can stand in a set."""

    @property
    def core(self) -> Codec:
        """The codec of the type itself, behind texts and bounds."""
        return self

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of the accepted values."""
        raise TypeError(f"{type(self).__name__} has no schema")  # a family that forgot; every one of ours is tested

    def children(self) -> Iterable[Codec]:
        """Return the codecs that the schema refers to."""
        return ()

    def accepts(self, value: object) -> bool:
        """Tell whether the schema accepts a JSON value."""
        raise TypeError(f"{type(self).__name__} accepts nothing")

    def decode(self, value: Any) -> Any:
        """Return the Python value of an accepted JSON value.

        Raises:
            Refusal: No schema can say why, but there is none.
        """
        return value

    def handles(self, value: object) -> bool:
        """Tell whether a Python value is of this type."""
        raise TypeError(f"{type(self).__name__} handles nothing")

    def encode(self, value: Any) -> Any:
        """Return the JSON value of a Python value that this codec handles."""
        return value


class Record(Codec):
    """A codec whose schema has a name of its own, so that it can refer to itself."""

    kinds = frozenset({"object"})
    hashable = False
    cls: type

    @property
    def title(self) -> str:
        """The name that `$defs` gives it, if no other record has it."""
        return self.cls.__name__

    def signature(self) -> object:
        """Return what tells this record's JSON from another's; equal ones cannot be told apart in a union."""
        raise TypeError(f"{type(self).__name__} has no fields")


class TypeReader:
    """Reads annotations into codecs, by the families of a table.

    One reader serves one function, so that a record that recurs is one codec.

    Args:
        families: The table: functions that return a codec for an annotation they know, or None.
        scope: Names for annotations that are strings, beside the names of the module that wrote them.
    """

    def __init__(
        self,
        families: Iterable[Callable[[Any, TypeReader], Codec | None]],
        scope: Mapping[str, Any] | None = None,
    ) -> None:
        self._families = tuple(families)
        self._depth = 0
        self._checks: list[Callable[[], None]] = []
        self.scope = dict(scope or {})
        self.records: dict[type, Record] = {}

    def read(self, annotation: Any) -> Codec:
        """Return the codec of an annotation.

        Raises:
            UnsupportedType: No family reads it; says why, and what to write instead.
        """
        self._depth += 1
        try:
            codec = self._first(annotation)
            while self._depth == 1 and self._checks:
                self._checks.pop(0)()
        finally:
            self._depth -= 1
            if not self._depth:
                self._checks.clear()
        return codec

    def check_later(self, check: Callable[[], None]) -> None:
        """Have a check run once the outermost annotation is read: until then, records that refer to each other lack fields."""
        self._checks.append(check)

    def _first(self, annotation: Any) -> Codec:
        for family in self._families:
            codec = family(annotation, self)
            if codec is not None:
                return codec
        raise UnsupportedType(
            f"{show_type(annotation)} has no JSON form"
        )  # the table ends with a family that says more

    def read_in(self, annotation: Any, place: str) -> Codec:
        """Return the codec of an annotation inside another, naming the place in what it raises."""
        try:
            return self.read(annotation)
        except UnsupportedType as unsupported:
            raise unsupported.inside(place) from None


def show_type(annotation: Any) -> str:
    """Return an annotation as its author would write it."""
    if isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        return (
            annotation.__qualname__.replace("<locals>.", "")
            if annotation.__module__ != "builtins"
            else annotation.__name__
        )
    return repr(annotation).replace("typing.", "").replace("collections.abc.", "")

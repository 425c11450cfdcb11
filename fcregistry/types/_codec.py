"""What is a model told when a class, or a validator of its author, refuses a value?

MERGED: What is a codec, and how does an annotation become one?

A codec is one Python type seen from JSON. Its four sides are written together, so that they agree:

- `schema` says which JSON values there are,
- `accepts` tells whether a JSON value is one of them: exactly when the schema does,
- `decode` makes the Python value of an accepted JSON value,
- `encode` makes the JSON value of a Python value that it `handles`; `decode(encode(x)) == x`.

An annotation is read by the families in `_table.py`, first match first; each is one small file.
MERGED: Where does a record that recurs stand in a schema? In `$defs`, under a name of its own.
"""

from __future__ import annotations

import re
import typing
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Protocol, Union, get_args, get_origin

from fcregistry._base.json import JSON_KINDS
from fcregistry.errors import said_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

# --- types._refusals ---


def refusal_of(error: Exception, shown: str) -> Refusal:
    """Return what an exception says of a value; of pydantic's own error without its links, and without the value.

    Args:
        error: What was raised.
        shown: The type, as its author writes it.
    """
    if type(error).__module__.partition(".")[0] != "pydantic_core":
        return Refusal(f"{shown} refuses it: {type(error).__name__}: {said_by(error)}")
    found = error.errors(include_url=False, include_context=False, include_input=False)  # type: ignore[attr-defined]  # pydantic is not imported here
    if len(found) == 1:
        return Refusal(f"{shown} refuses it: {found[0]['msg']}", tuple(found[0]["loc"]))
    said = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}".removeprefix(": ") for each in found)
    return Refusal(f"{shown} refuses it: {said}")


# --- types._core ---


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

    exact: bool = False
    """Whether numbers have to keep the digits they were written with: then they are decoded from `ExactFloat`s."""

    through: bool = False
    """Whether its children see the very values that it sees, as the members of a union do, and not parts of them."""

    withholds: bool = False
    """Whether what it writes may lack or hide what it was given, by its author's wish: that is not the same value again."""

    unsaid: tuple[str, ...] = ()
    """What it checks, or cannot promise, beyond what its schema says: a sentence each, for the author of a tool."""

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

    def marked(self, marker: Any) -> Codec | None:
        """Return this codec under a marker of `Annotated` that belongs to its own library, or None if it does not know it."""
        return None

    def handles(self, value: object) -> bool:
        """Tell whether a Python value is of this type."""
        raise TypeError(f"{type(self).__name__} handles nothing")

    def encode(self, value: Any) -> Any:
        """Return the JSON value of a Python value that this codec handles."""
        return value


class Named(Codec):
    """A codec whose schema has a name of its own, so that it can refer to itself, and need stand only once in a schema."""

    written: dict[tuple[bool, bool], dict[str, Any]] | None = None
    """Its schemas that were written where nothing recurs: with texts or without, of results or of arguments."""

    within: tuple[Named, ...] | None = None
    """What is named next inside of it, once a schema of it was written."""

    @property
    def title(self) -> str:
        """The name that `$defs` gives it, if no other has it."""
        raise TypeError(f"{type(self).__name__} has no name")

    @property
    def full_name(self) -> str:
        """The name that tells it from others of its title, such as that of its module and class."""
        return self.title


class Record(Named):
    """A type with named fields: an object."""

    kinds = frozenset({"object"})
    hashable = False
    shown: str
    """The type as its author writes it."""

    def signature(self) -> object:
        """Return what tells this record's JSON from another's; equal ones cannot be told apart in a union."""
        raise TypeError(f"{type(self).__name__} has no fields")


def walk_codecs(codecs: Iterable[Codec], *, same: bool = False) -> Iterator[Codec]:
    """Yield codecs and all that their schemas refer to, each once, outermost first.

    Args:
        codecs: Where to begin.
        same: Whether to stay with those that see the very same value: the members of a union, say, and not the items of a list.
    """
    seen: set[Codec] = set()
    stack = list(codecs)[::-1]
    while stack:
        codec = stack.pop()
        if codec not in seen:
            seen.add(codec)
            yield codec
            if codec.through or not same:
                stack.extend(list(codec.children())[::-1])


def origin_of(annotation: Any) -> Any:
    """Return what `typing.get_origin` does; sooner for classes and for `list[…]` and its like, of which each family asks it."""
    if isinstance(annotation, type):
        return None if annotation is not Generic else Generic
    return annotation.__origin__ if type(annotation) in _WITH_ORIGIN else get_origin(annotation)


_WITH_ORIGIN: Final = frozenset(map(type, (list[int], typing.List[int], Literal[1], Union[int, str])))  # noqa: UP006, UP007
"""The classes of most annotations with brackets: what stands before these is their `__origin__`."""


def show_type(annotation: Any) -> str:
    """Return an annotation as its author would write it."""
    origin = origin_of(annotation)
    if isinstance(annotation, type) and origin is None:
        if annotation.__module__ == "builtins":
            return annotation.__name__
        return annotation.__qualname__.replace("<locals>.", "")
    if isinstance(origin, type) and origin.__module__ not in _OF_PYTHON:  # a generic class of somebody's
        return f"{show_type(origin)}[{', '.join(map(show_type, get_args(annotation)))}]"
    return _ADDRESS.sub("", repr(annotation)).replace("typing.", "").replace("collections.abc.", "")


_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
_OF_PYTHON: Final = ("builtins", "collections", "collections.abc", "typing", "types", "re")
"""Modules whose types are written as Python shows them."""


class Reader(Protocol):
    """What a family asks of the reader: the codecs of annotations inside its own. `TypeReader` is one."""

    scope: dict[str, Any]
    owner: Any
    validated: bool

    def read(self, annotation: Any) -> Codec: ...
    def read_in(self, annotation: Any, outer: Any) -> Codec: ...
    def known(self, annotation: Any) -> Codec | None: ...
    def learn(self, annotation: Any, codec: Codec) -> None: ...
    def forget(self, annotation: Any) -> None: ...
    def check_later(self, check: Callable[[], None]) -> None: ...


# --- types._writer ---


class SchemaWriter:
    """Writes the schema of one or more codecs: records that recur go to `$defs`, the others stay in place.

    Args:
        roots: The codecs that will be written.
        texts: Whether to write descriptions too, which say nothing of the values that are accepted.
        results: Whether the schema is of what is written, not of what is given: some fields are only given.
    """

    def __init__(self, roots: Sequence[Codec], *, texts: bool = True, results: bool = False) -> None:
        self.texts = texts
        self.results = results
        self._roots = roots
        self._names: dict[Named, str] | None = None
        self._defs: dict[str, dict[str, Any]] = {}

    def write(self, codec: Codec) -> dict[str, Any]:
        """Return the schema of a codec, a `$ref` where it is a record that recurs.

        More may be put into it. What lies inside of it is not to be changed: other schemas have that too.
        """
        if not isinstance(codec, Named):
            return codec.schema(self)
        if self._names is None:
            self._names = _distinct_names(_recurring(self._roots))
        name = self._names.get(codec)
        if name is None:
            return codec.schema(self) if self._names else self._written(codec)
        if name not in self._defs:
            self._defs[name] = {}  # taken before its fields are written: they may refer to it
            self._defs[name] = codec.schema(self)
        return {"$ref": f"#/$defs/{name}"}

    def _written(self, codec: Named) -> dict[str, Any]:
        """Return the schema of what has a name where nothing recurs: it is the same in every schema, and kept for the next."""
        key = (self.texts, self.results)
        if codec.written is None:
            codec.written = {}
        schema = codec.written.get(key)
        if schema is None:
            schema = codec.written[key] = codec.schema(self)
        return dict(schema)

    @property
    def defs(self) -> dict[str, dict[str, Any]]:
        """The records written so far that recur, sorted by name."""
        return dict(sorted(self._defs.items())) if self._defs else self._defs


def _recurring(roots: Sequence[Codec]) -> list[Named]:
    """Return what is named and referred to more than once, or lies too deep inside of others, in the order in which it is met."""
    seen: set[Named] = set()
    recurring: dict[Named, None] = {}
    stack = [(each, 1) for each in _nearest_named(roots)[::-1]]
    while stack:
        codec, depth = stack.pop()
        if codec in seen:
            recurring[codec] = None
            continue
        seen.add(codec)
        if depth > _MAX_DEPTH:
            recurring[codec] = None
            depth = 1
        if codec.within is None:
            codec.within = tuple(_nearest_named(codec.children()))
        if codec.within:
            stack += [(each, depth + 1) for each in codec.within[::-1]]
    return list(recurring)


def _nearest_named(codecs: Iterable[Codec]) -> list[Named]:
    """Return what is named among codecs and in those that have no name, as often as it is there, in the order in which it is met."""
    found: list[Named] = []
    for codec in codecs:
        if isinstance(codec, Named):
            found.append(codec)
        elif children := codec.children():
            found += _nearest_named(children)
    return found


_MAX_DEPTH: Final = 12
"""Records inside one another: one that lies deeper is written to `$defs`, so that validators can walk a schema of many."""


def _distinct_names(shared: list[Named]) -> dict[Named, str]:
    """Name what recurs by its title; by its module too where two share one."""
    if not shared:
        return {}
    titles = Counter(each.title for each in shared)
    names: dict[Named, str] = {}
    taken: set[str] = set()
    for each in shared:
        name = each.title if titles[each.title] == 1 else each.full_name.replace(".", "_")
        name = _UNFIT_FOR_URI.sub("_", name).strip("_") or "_"
        while name in taken:  # two local classes of one factory
            name += "_"
        taken.add(name)
        names[each] = name
    return names


_UNFIT_FOR_URI: Final = re.compile(r"[^A-Za-z0-9_.-]+")
"""What may not stand in the part of a URI that names a definition, as all providers read it."""


def codec_schema(codec: Codec, *, results: bool = False) -> dict[str, Any]:
    """Return the schema of a codec, with the `$defs` it refers to; of what it writes rather than what it takes, if so wished.

    It is to be read or packed, not to be changed: parts of it stand in other schemas.
    """
    writer = SchemaWriter([codec], results=results)
    schema = writer.write(codec)
    return {**schema, "$defs": writer.defs} if writer.defs else schema

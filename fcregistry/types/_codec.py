"""Codecs, which convert Python types from and to JSON; the errors about types and values; and the writer of schemas.

The methods of a codec agree with each other:

- `schema` returns the JSON Schema of the accepted values,
- `accepts` returns whether a JSON value is one of them: exactly the values that the schema accepts,
- `decode` returns the Python value of an accepted JSON value,
- `encode` returns the JSON value of a Python value that `handles` accepts; `decode(encode(x)) == x`.

The families in `_table.py` make codecs from annotations. If a record occurs more than once in a schema, `SchemaWriter` writes it to `$defs`
under a name.
"""

from __future__ import annotations

import re
import typing
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Protocol, Union, get_args, get_origin

from fcregistry._base.json import JSON_KINDS
from fcregistry.errors import exception_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


class Codec:
    """Converts one Python type from and to JSON: the base class of all codecs."""

    kinds: frozenset[str] = JSON_KINDS
    """The kinds of JSON values that it may accept, such as `string`."""

    plain: bool = False
    """Whether `decode` and `encode` return every value unchanged."""

    natural: bool = False
    """Whether `to_json_text` writes values of this type as `encode` does, so that they need not be encoded first."""

    hashable: bool = True
    """Whether the decoded values are hashable."""

    exact: bool = False
    """Whether numbers must keep all their digits: then `decode` gets them as `ExactFloat`s."""

    through: bool = False
    """Whether its children get the whole value, like the members of a union, and not parts of it, like the items of a list."""

    withholds: bool = False
    """Whether `encode` omits or hides parts of a value, as the author of the type chose, so that decoding gives another value."""

    unsaid: tuple[str, ...] = ()
    """Facts about the type that its schema cannot express, such as a condition that it checks; one sentence each, for the author of a tool."""

    @property
    def core(self) -> Codec:
        """The codec of the type itself, without descriptions and bounds."""
        return self

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        """Return the JSON Schema (2020-12) of the accepted values.

        Args:
            writer: Writes the schemas of `children`, which may become references.
        """
        raise TypeError(f"{type(self).__name__} has no schema")  # a family without this method

    def children(self) -> Iterable[Codec]:
        """Return the codecs that the schema refers to."""
        return ()

    def accepts(self, value: object) -> bool:
        """Return whether the schema accepts a JSON value.

        Args:
            value: A value as the JSON parser returns it.
        """
        raise TypeError(f"{type(self).__name__} accepts nothing")

    def decode(self, value: Any) -> Any:
        """Return the Python value of an accepted JSON value.

        Args:
            value: A value that `accepts` accepts.

        Raises:
            Refusal: The type refuses the value, for a reason that the schema cannot express.
        """
        return value

    def marked(self, marker: Any) -> Codec | None:
        """Return a codec for this type with a marker of `Annotated`, or None if it is not supported.

        fcregistry calls it for markers that it does not know itself, so a family can support markers of its own library.

        Args:
            marker: An object after the type in `Annotated[…]`.
        """
        return None

    def handles(self, value: object) -> bool:
        """Return whether a Python value is of this type.

        Args:
            value: Any Python value.
        """
        raise TypeError(f"{type(self).__name__} handles nothing")

    def encode(self, value: Any) -> Any:
        """Return the JSON value of a Python value.

        Args:
            value: A value that `handles` accepts.
        """
        return value


class Named(Codec):
    """A codec whose schema has a name in `$defs`.

    So the schema can refer to itself, and appears only once in a schema that uses it several times.
    """

    written: dict[tuple[bool, bool], dict[str, Any]] | None = None
    """Cached schemas without `$ref`, by `SchemaWriter.texts` and `SchemaWriter.results`."""

    within: tuple[Named, ...] | None = None
    """The nearest named codecs inside it; None until its schema is first written."""

    @property
    def title(self) -> str:
        """Its name in `$defs`, if no other codec has the same title."""
        raise TypeError(f"{type(self).__name__} has no name")

    @property
    def full_name(self) -> str:
        """A name that no other codec with the same title has, such as its module and class."""
        return self.title


class Wrapper(Codec):
    """A codec that adds something to another one, such as bounds. The JSON of a value is the same."""

    through = True
    inner: Codec

    @property
    def core(self) -> Codec:
        return self.inner.core

    def children(self) -> Iterable[Codec]:
        return (self.inner,)

    def schema(self, writer: SchemaWriter) -> dict[str, Any]:
        return writer.write(self.inner)

    def accepts(self, value: object) -> bool:
        return self.inner.accepts(value)

    def decode(self, value: Any) -> Any:
        return self.inner.decode(value)

    def handles(self, value: object) -> bool:
        return self.inner.handles(value)

    def encode(self, value: Any) -> Any:
        return self.inner.encode(value)


class Record(Named):
    """A type with named fields, such as a data class: a JSON object."""

    kinds: frozenset[str] = frozenset({"object"})
    hashable = False
    shown: str
    """The type as its author writes it."""

    def signature(self) -> object:
        """Return a value by which a union tells records apart.

        Two records with equal signatures may have the same JSON, so they are ambiguous in a union.
        """
        raise TypeError(f"{type(self).__name__} has no fields")


class Reader(Protocol):
    """The part of `TypeReader` that families use: reading annotations inside their own."""

    scope: dict[str, Any]
    owner: Any
    validated: bool

    def read(self, annotation: Any) -> Codec: ...
    def read_in(self, annotation: Any, outer: Any) -> Codec: ...
    def known(self, annotation: Any) -> Codec | None: ...
    def learn(self, annotation: Any, codec: Codec) -> None: ...
    def forget(self, annotation: Any) -> None: ...
    def check_later(self, check: Callable[[], None]) -> None: ...


class UnsupportedType(Exception):
    """An annotation that no family can read.

    Args:
        *problems: Sentences that say why, and what to write instead; several if several fields of a record cannot be read.

    Attributes:
        problems: The sentences, as a tuple.
    """

    __module__ = "fcregistry.types"  # tracebacks show the public name

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems

    def inside(self, place: str) -> UnsupportedType:
        """Return the same error for the outer annotation, with the place of the inner one before each problem.

        Args:
            place: The place of the inner annotation, such as `in list[socket]`.
        """
        return UnsupportedType(*(f"{place}: {problem}" for problem in self.problems))


class Refusal(Exception):
    """Raised for a JSON value that the schema accepts and the type refuses, as in `__post_init__`.

    The arguments are attributes, too.

    Args:
        reason: Why the type refuses it, in words for a model.
        path: The path of the value, from the outermost value inwards: property names and positions.
    """

    __module__ = "fcregistry.types"  # tracebacks show the public name

    def __init__(self, reason: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.path = path

    def at(self, segment: str | int) -> Refusal:
        """Return the same refusal for the value one level further out.

        Args:
            segment: The property name or position of the refused value inside that one.
        """
        return Refusal(self.reason, (segment, *self.path))


def refusal_of(error: Exception, shown: str) -> Refusal:
    """Return the refusal for an exception that a class or its validator raised.

    It leaves out the links and values in pydantic's messages.

    Args:
        error: The exception.
        shown: The type, as its author writes it.
    """
    if type(error).__module__.partition(".")[0] != "pydantic_core":
        return Refusal(f"{shown} refuses it: {type(error).__name__}: {exception_message(error)}")
    found = error.errors(include_url=False, include_context=False, include_input=False)  # type: ignore[attr-defined]  # pydantic is not imported here
    if len(found) == 1:
        return Refusal(f"{shown} refuses it: {found[0]['msg']}", tuple(found[0]["loc"]))
    reasons = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}".removeprefix(": ") for each in found)
    return Refusal(f"{shown} refuses it: {reasons}")


def walk_codecs(codecs: Iterable[Codec], *, same: bool = False) -> Iterator[Codec]:
    """Yield codecs and all codecs that their schemas refer to, each once, outermost first.

    Args:
        codecs: The codecs to begin with.
        same: Whether to yield only codecs that get the whole value, such as the members of a union, and not those of its parts, such as the
            items of a list.
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


# --- Annotations ---

_WITH_ORIGIN: Final = frozenset(map(type, (list[int], typing.List[int], Literal[1], Union[int, str])))  # noqa: UP006, UP007
"""The classes of most annotations with brackets, whose origin is `__origin__`."""


def origin_of(annotation: Any) -> Any:
    """Return what `typing.get_origin` returns, but faster for classes and for types such as `list[…]`.

    Each family calls it for each annotation.
    """
    if isinstance(annotation, type):
        return None if annotation is not Generic else Generic
    return annotation.__origin__ if type(annotation) in _WITH_ORIGIN else get_origin(annotation)


def show_type(annotation: Any) -> str:
    """Return an annotation as its author would write it."""
    origin = origin_of(annotation)
    if isinstance(annotation, type) and origin is None:
        if annotation.__module__ == "builtins":
            return annotation.__name__
        return annotation.__qualname__.replace("<locals>.", "")
    if isinstance(origin, type) and origin.__module__ not in _OF_PYTHON:  # a generic class of an author
        return f"{show_type(origin)}[{', '.join(map(show_type, get_args(annotation)))}]"
    return _ADDRESS.sub("", repr(annotation)).replace("typing.", "").replace("collections.abc.", "")


_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
_OF_PYTHON: Final = ("builtins", "collections", "collections.abc", "typing", "types", "re")
"""Modules whose types are written as Python's `repr` does."""


# --- Schemas ---


def codec_schema(codec: Codec, *, results: bool = False) -> dict[str, Any]:
    """Return the schema of a codec, with the `$defs` it refers to.

    Do not change it: other schemas share parts of it.

    Args:
        codec: The codec.
        results: True for the schema of the values that the codec produces, False for that of the values that it accepts.
    """
    writer = SchemaWriter([codec], results=results)
    schema = writer.write(codec)
    return {**schema, "$defs": writer.defs} if writer.defs else schema


class SchemaWriter:
    """Writes the JSON Schema of one or more codecs.

    A record that is used more than once, or is nested too deeply, is written once under `$defs` and referred to. Any other record is
    written in the place where it is used.

    Args:
        roots: The codecs to write.
        texts: Whether to include descriptions. They do not change which values are accepted.
        results: True for the schema of the values that the codecs produce (output), False for that of the values that they accept
            (input). They differ because some fields, such as an `InitVar`, exist only in the input.
    """

    def __init__(self, roots: Sequence[Codec], *, texts: bool = True, results: bool = False) -> None:
        self.texts = texts
        self.results = results
        self._roots = roots
        self._names: dict[Named, str] | None = None
        self._defs: dict[str, dict[str, Any]] = {}

    def write(self, codec: Codec) -> dict[str, Any]:
        """Return the schema of a codec, a `$ref` if it is a record that recurs.

        Keys may be added to it. Do not change the values in it: other schemas share them.

        Args:
            codec: One of the roots, or a codec inside them.
        """
        if not isinstance(codec, Named):
            return codec.schema(self)
        if self._names is None:
            self._names = _distinct_names(_recurring(self._roots))
        name = self._names.get(codec)
        if name is None:
            return codec.schema(self) if self._names else self._cached_schema(codec)
        if name not in self._defs:
            self._defs[name] = {}  # set before its fields are written, since they may refer to it
            self._defs[name] = codec.schema(self)
        return {"$ref": f"#/$defs/{name}"}

    def _cached_schema(self, codec: Named) -> dict[str, Any]:
        """Return a shallow copy of the schema of `codec`, which is cached for each `texts` and `results`.

        This is right only if nothing recurs: then the schema is the same in every document.
        """
        key = (self.texts, self.results)
        if codec.written is None:
            codec.written = {}
        schema = codec.written.get(key)
        if schema is None:
            schema = codec.written[key] = codec.schema(self)
        return dict(schema)

    @property
    def defs(self) -> dict[str, dict[str, Any]]:
        """The records that recur and were written so far, sorted by name."""
        return dict(sorted(self._defs.items())) if self._defs else self._defs


def _recurring(roots: Sequence[Codec]) -> list[Named]:
    """Return the named codecs below `roots`, each once, that occur several times or are nested too deeply.

    They are in the order in which the walk found that out; too deeply is more than `_MAX_DEPTH` levels of named codecs.
    """
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
    """Return the named codecs among `codecs`, and the nearest ones inside the unnamed codecs among them.

    They are in order, each as often as it occurs.
    """
    found: list[Named] = []
    for codec in codecs:
        if isinstance(codec, Named):
            found.append(codec)
        elif children := codec.children():
            found += _nearest_named(children)
    return found


_MAX_DEPTH: Final = 12
"""Most levels of nested records: a deeper one is written to `$defs`, so that validators can walk a schema of many."""


def _distinct_names(shared: list[Named]) -> dict[Named, str]:
    """Return codec -> its name in `$defs`: its title, or its full name if two codecs share the title.

    Characters that do not fit a URI become `_`, and a name that is taken gets further `_` at its end. Without codecs, the dict is empty.
    """
    if not shared:
        return {}
    titles = Counter(each.title for each in shared)
    names: dict[Named, str] = {}
    taken: set[str] = set()
    for each in shared:
        name = each.title if titles[each.title] == 1 else each.full_name.replace(".", "_")
        name = _UNFIT_FOR_URI.sub("_", name).strip("_") or "_"
        while name in taken:  # two local classes of one factory function
            name += "_"
        taken.add(name)
        names[each] = name
    return names


_UNFIT_FOR_URI: Final = re.compile(r"[^A-Za-z0-9_.-]+")
"""Characters that not all providers accept in the part of a URI that names a definition."""

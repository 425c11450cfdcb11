"""Where does a record that recurs stand in a schema? In `$defs`, under a name of its own."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from fcregistry.types._core import Codec, Named

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


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
        if depth > _DEEPEST:
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


_DEEPEST: Final = 12
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
        name = _UNFIT.sub("_", name).strip("_") or "_"
        while name in taken:  # two local classes of one factory
            name += "_"
        taken.add(name)
        names[each] = name
    return names


_UNFIT: Final = re.compile(r"[^A-Za-z0-9_.-]+")
"""What may not stand in the part of a URI that names a definition, as all providers read it."""


def codec_schema(codec: Codec, *, results: bool = False) -> dict[str, Any]:
    """Return the schema of a codec, with the `$defs` it refers to; of what it writes rather than what it takes, if so wished.

    It is to be read or packed, not to be changed: parts of it stand in other schemas.
    """
    writer = SchemaWriter([codec], results=results)
    schema = writer.write(codec)
    return {**schema, "$defs": writer.defs} if writer.defs else schema

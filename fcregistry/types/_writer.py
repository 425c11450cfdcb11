"""Where does a record that recurs stand in a schema? In `$defs`, under a name of its own."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from fcregistry.types._core import Codec, Named

if TYPE_CHECKING:
    from collections.abc import Iterable


class SchemaWriter:
    """Writes the schema of one or more codecs: records that recur go to `$defs`, the others stay in place.

    Args:
        roots: The codecs that will be written.
        texts: Whether to write descriptions too, which say nothing of the values that are accepted.
        results: Whether the schema is of what is written, not of what is given: some fields are only given.
    """

    def __init__(self, roots: Iterable[Codec], *, texts: bool = True, results: bool = False) -> None:
        self.texts = texts
        self.results = results
        shared = _recurring(list(roots))
        self._names = _distinct_names(shared) if shared else {}
        self._defs: dict[str, dict[str, Any]] = {}

    def write(self, codec: Codec) -> dict[str, Any]:
        """Return the schema of a codec, a `$ref` where it is a record that recurs."""
        if not isinstance(codec, Named) or codec not in self._names:
            return codec.schema(self)
        name = self._names[codec]
        if name not in self._defs:
            self._defs[name] = {}  # taken before its fields are written: they may refer to it
            self._defs[name] = codec.schema(self)
        return {"$ref": f"#/$defs/{name}"}

    @property
    def defs(self) -> dict[str, dict[str, Any]]:
        """The records written so far that recur, sorted by name."""
        return dict(sorted(self._defs.items()))


def _recurring(roots: list[Codec]) -> list[Named]:
    """Return what is named and referred to more than once, or lies too deep inside of others, in the order in which it is met."""
    seen: set[Codec] = set()
    recurring: dict[Named, None] = {}
    stack = [(root, 0) for root in roots[::-1]]
    while stack:
        codec, depth = stack.pop()
        if isinstance(codec, Named):
            if codec in seen:
                recurring[codec] = None
                continue
            seen.add(codec)
            depth += 1
            if depth > _DEEPEST:
                recurring[codec] = None
                depth = 1
        stack += [(child, depth) for child in list(codec.children())[::-1]]
    return list(recurring)


_DEEPEST: Final = 12
"""Records inside one another: one that lies deeper is written to `$defs`, so that validators can walk a schema of many."""


def _distinct_names(shared: list[Named]) -> dict[Named, str]:
    """Name what recurs by its title; by its module too where two share one."""
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

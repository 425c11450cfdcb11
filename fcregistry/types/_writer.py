"""Where does a record that recurs stand in a schema? In `$defs`, under a name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.types._core import Codec, Record

if TYPE_CHECKING:
    from collections.abc import Iterable


class SchemaWriter:
    """Writes the schema of one or more codecs: records that recur go to `$defs`, the others stay in place.

    Args:
        roots: The codecs that will be written.
        texts: Whether to write descriptions too, which say nothing of the values that are accepted.
    """

    def __init__(self, roots: Iterable[Codec], *, texts: bool = True) -> None:
        self.texts = texts
        shared = _recurring(list(roots))
        self._names = _distinct_names(shared)
        self._defs: dict[str, dict[str, Any]] = {}

    def write(self, codec: Codec) -> dict[str, Any]:
        """Return the schema of a codec, a `$ref` where it is a record that recurs."""
        if not isinstance(codec, Record) or codec not in self._names:
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


def _recurring(roots: list[Codec]) -> list[Record]:
    """Return the records that are referred to more than once, in the order they are met."""
    seen: set[Codec] = set()
    recurring: dict[Record, None] = {}
    stack = list(reversed(roots))
    while stack:
        codec = stack.pop()
        if isinstance(codec, Record):
            if codec in seen:
                recurring[codec] = None
                continue
            seen.add(codec)
        stack.extend(reversed(list(codec.children())))
    return list(recurring)


def _distinct_names(records: list[Record]) -> dict[Record, str]:
    """Name records by class; by module too where two classes share a name."""
    titles = [record.title for record in records]
    names: dict[Record, str] = {}
    for record in records:
        name = record.title
        if titles.count(name) > 1:
            name = f"{record.cls.__module__}.{record.cls.__qualname__}".replace(".<locals>", "").replace(".", "_")
        name = "".join(
            each if each.isascii() and (each.isalnum() or each in "_.-") else "_" for each in name
        )  # it stands in a URI
        while name in names.values():  # two local classes of one factory
            name += "_"
        names[record] = name
    return names

"""Which definitions were made before? Those of the latest tools are kept, since a model is told the same ones in every round."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from fcregistry.formats._definition import Definition, Dropped, TextDefinition

if TYPE_CHECKING:
    from collections.abc import Hashable

    from fcregistry._tools.tool import Tool

MOST: Final = 1024
"""How many are kept: more than a model can be told at once, and no more than a megabyte or two."""


class KeptDefinitions:
    """Definitions with the schemas in them, as bytes that hold nothing else alive. Whoever takes one out gets a copy. Thread-safe.

    Args:
        most: How many are kept; one more, and all are forgotten.
    """

    __slots__ = ("_kept", "_most")

    def __init__(self, most: int = MOST) -> None:
        self._kept: dict[Hashable, tuple[ref[Tool], bool, bytes, tuple[Dropped, ...]]] = {}
        self._most = most

    def get(self, tool: Tool, how: Hashable) -> tuple[Definition | TextDefinition, dict[str, Any]] | None:
        """Return the definition of a tool, and the schema in it; None if it is not kept.

        Args:
            tool: The tool.
            how: How it was rendered.
        """
        kept = self._kept.get((id(tool), how))
        if kept is None or kept[0]() is not tool:  # an id is given to another once a tool is gone
            return None
        _, is_text, written, dropped = kept
        made, schema = marshal.loads(written)
        return (TextDefinition(made, dropped) if is_text else Definition(made, dropped)), schema

    def put(self, tool: Tool, how: Hashable, made: Definition | TextDefinition, schema: dict[str, Any]) -> None:
        """Keep a definition, if it is nothing but JSON."""
        is_text = isinstance(made, TextDefinition)
        plain = str(made) if isinstance(made, TextDefinition) else dict(made)
        try:
            written = marshal.dumps((plain, schema))
        except ValueError:  # of types that only others know
            return
        if len(self._kept) >= self._most:
            self._kept.clear()
        self._kept[id(tool), how] = (ref(tool), is_text, written, made.dropped)

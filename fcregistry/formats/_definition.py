"""What is a tool once it is rendered in a format? A plain JSON object or text, which also knows what it leaves unsaid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something that a tool's schema says, and that its rendered definition does not say, or says less of.

    Calls are validated against the tool's own schema all the same.

    Attributes:
        path: Where in the schema of the parameters, as a JSON path: `$.properties.age`.
        keyword: The keyword of JSON Schema.
        value: The keyword's value.
        reason: Why it is not said.
    """

    path: str
    keyword: str
    value: Any
    reason: str

    def __str__(self) -> str:
        from fcregistry._base.messages import show  # not needed to describe a tool

        return f"{self.path}: {self.keyword} {show(self.value)}: {self.reason}"


class Definition(dict[str, Any]):
    """A tool in a format of JSON: a plain dict to whoever sends or compares it.

    Attributes:
        dropped: What the provider is not told, in the order of the schema.
    """

    __slots__ = ("dropped",)

    dropped: tuple[Dropped, ...]

    def __init__(self, rendered: Mapping[str, Any], dropped: tuple[Dropped, ...] = ()) -> None:
        super().__init__(rendered)
        self.dropped = dropped


class TextDefinition(str):
    """A tool in a format of text: a plain str to whoever puts it into a prompt.

    Attributes:
        dropped: What the text does not tell, in the order of the schema.
    """

    __slots__ = ("dropped",)

    dropped: tuple[Dropped, ...]

    def __new__(cls, rendered: str, dropped: tuple[Dropped, ...] = ()) -> TextDefinition:
        """Make one of its text and what that leaves out."""
        made = super().__new__(cls, rendered)
        made.dropped = dropped
        return made

"""What does a docstring say? The records that are read from it."""

from __future__ import annotations

from typing import NamedTuple


class DocumentedParameter(NamedTuple):
    """What a docstring says of one parameter: its name without stars, its text, and its type as text."""

    name: str
    description: str
    type: str | None


class Documentation(NamedTuple):
    """What a docstring says.

    Attributes:
        summary: The first paragraph, as one line.
        description: All prose, before, between and after the sections: what a model reads of the whole.
        parameters: Name -> what is said of it.
        returns: What is said of the result, or of what is yielded.
        unread: Lines that could not be read as part of their section.
        attributes: Name -> what is said of it: the fields of a dataclass or TypedDict.
    """

    summary: str
    description: str
    parameters: dict[str, DocumentedParameter]
    returns: str | None
    unread: tuple[str, ...]
    attributes: dict[str, DocumentedParameter] = {}  # noqa: RUF012  # nobody writes into a record


class Said:
    """What the sections of one docstring say, gathered as they are read."""

    def __init__(self) -> None:
        self.parameters: dict[str, DocumentedParameter] = {}
        self.attributes: dict[str, DocumentedParameter] = {}
        self.returns: str | None = None
        self.yields: str | None = None
        self.unread: list[str] = []

    def describe(self, kind: str, names: list[str], description: str, type_: str | None) -> None:
        """Note what is said of parameters or attributes, beside what else is said of them; said twice, the later stands."""
        entries = self.attributes if kind == "attributes" else self.parameters
        for name in names:
            known = entries.get(name)
            if known is not None:
                description, type_ = description or known.description, type_ or known.type
            entries[name] = DocumentedParameter(name, description, type_)

    def describe_result(self, kind: str, text: str) -> None:
        """Note what is said of the result; what is said first stands."""
        if kind == "yields":
            self.yields = self.yields or text or None
        else:
            self.returns = self.returns or text or None

    def cannot_read(self, line: str) -> None:
        """Note a line that is no entry of its section. "None" in a section says nothing, and nothing of it is lost."""
        if line.rstrip(".").lower() not in ("none", "n/a"):
            self.unread.append(line)

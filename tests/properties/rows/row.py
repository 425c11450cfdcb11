"""A row of docs/reference/types.md. Annotations, each with its schema, its JSON and its values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One annotation that a row speaks of.

    Attributes:
        annotation: The annotation.
        schema: Its JSON Schema.
        accepted: JSON values with the Python value of each, as they are written.
        refused: JSON values that neither schema nor codec take.
        values: Python values of the type.
        unfit: JSON values that the schema takes, and the type does not: what no schema can say.
        comes_back: Whether a value that is encoded and decoded is promised to be what it was.
        alone: Whether it may stand inside of no other type, as Python has it.
    """

    annotation: Any
    schema: dict[str, Any]
    accepted: tuple[tuple[Any, Any], ...]
    refused: tuple[Any, ...]
    values: st.SearchStrategy[Any]
    unfit: tuple[Any, ...] = ()
    comes_back: bool = True
    alone: bool = False


Rows = dict[str, tuple[Example, ...]]
"""First cell of a row -> its examples."""


def an_object(*required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of a record."""
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(required)
    return {**schema, "additionalProperties": False}


INTEGER = {"type": "integer"}
STRING = {"type": "string"}

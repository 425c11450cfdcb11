"""What do the references in a plan stand for? `#E1` in an argument is what came of the step `#E1`: its value, or in a text its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult

JSON: TypeAlias = Any
"""A JSON value: Python has no type for them."""

REFERENCE: Final = re.compile(r"#E\d{1,4}(?!\w)")
"""All of the digits, so that `#E1` is never found in `#E10`; and not more than four, which leaves colours such as `#E12345` alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What came of a step.

    Attributes:
        value: What a tool is given for a reference to it: the JSON value that the step's tool returned, or what was said of its failure.
        text: What a model is told of it.
        ok: Whether the call went well.
    """

    value: JSON
    text: str
    ok: bool = True

    @classmethod
    def of(cls, result: ToolResult) -> Evidence:
        """Return what came of a step as evidence."""
        return cls(value=_value_of(result), text=result.content, ok=result.ok)

    def to_json(self) -> dict[str, Any]:
        """This as a JSON object."""
        return {"value": self.value, "text": self.text, "ok": self.ok}


def references_in(value: JSON) -> Iterator[str]:
    """Yield the references in an argument: in its texts, at whatever depth, but not in the names of its members."""
    if isinstance(value, str):
        yield from REFERENCE.findall(value)
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from references_in(item)


def substituted(value: JSON, values: Mapping[str, JSON]) -> JSON:
    """Return an argument with evidence in place of the references in it.

    A text that is a reference and nothing else becomes the value itself; a reference within a text becomes the value's text. Unknown ones stay.

    Args:
        value: The argument, which stays as it is.
        values: What the references stand for.
    """
    if isinstance(value, str):
        whole = value.strip()
        if whole in values:
            return values[whole]
        return REFERENCE.sub(lambda found: text_of(values.get(found[0], found[0])), value)
    if isinstance(value, dict):
        return {name: substituted(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [substituted(item, values) for item in value]
    return value


def text_of(value: JSON) -> str:
    """Return the text of a value: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else to_json_text(value)


def _value_of(result: ToolResult) -> JSON:
    """Return the JSON value that a tool returned, all of it; of content and of failures, the text."""
    if not result.ok or result.parts:
        return result.content
    text = result.whole if isinstance(result.whole, str) else result.content
    if isinstance(result.value, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # somebody put a text of their own in its place: a hook
        return text

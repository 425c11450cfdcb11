"""How do numbers keep the digits they were written with, until a Decimal is made of them?

They are read as `ExactFloat`s, which validators do not know: those are shown plain floats.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fcregistry._base.json import ExactFloat, with_plain_floats
from fcregistry._schema.validator import Validator
from fcregistry._schema.violations import MOST_STEPS

if TYPE_CHECKING:
    from fcregistry._base.messages import Violation


class DigitsValidator(Validator):
    """A validator of arguments whose numbers keep their digits.

    Args:
        validator: The validator of plain JSON.
    """

    __slots__ = ("_plain",)

    def __init__(self, validator: Validator) -> None:
        self._plain = validator  # it has the schema, and is compiled once for all

    @property
    def properties(self) -> frozenset[str]:
        return self._plain.properties

    @property
    def required(self) -> frozenset[str]:
        return self._plain.required

    @property
    def is_fast(self) -> bool:
        return self._plain.is_fast

    def is_valid(self, value: object) -> bool:
        return self._plain.is_valid(with_plain_floats(value))

    def violations(self, value: object, most_steps: int = MOST_STEPS) -> list[Violation]:
        return self._plain.violations(with_plain_floats(value), most_steps)


def copied(value: Any) -> Any:
    """Return a JSON value that shares no object or array with another; numbers keep their digits."""
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def exact_text(value: Any) -> str:
    """Return the text of a JSON value; numbers keep the digits they were written with.

    Raises:
        ValueError: A number has more digits than Python writes.
    """
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{exact_text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(exact_text, value)) + "]"
    return value.text if isinstance(value, ExactFloat) else json.dumps(value)

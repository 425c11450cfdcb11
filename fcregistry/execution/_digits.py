"""How do numbers keep the digits they were written with, until a Decimal is made of them?

They are read as `ExactFloat`s, which validators do not know: those are shown plain floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry._validation import Validator
from fcregistry.types._core import ExactFloat

if TYPE_CHECKING:
    from fcregistry._problems import Violation


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

    def is_valid(self, value: object) -> bool:
        return self._plain.is_valid(plain(value))

    def violations(self, value: object) -> list[Violation]:
        return self._plain.violations(plain(value))


def plain(value: Any) -> Any:
    """Return a JSON value with plain floats."""
    if isinstance(value, ExactFloat):
        return float(value)
    if type(value) is dict:
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if type(value) is list else value

"""How long may a template of strangers work, and how much may it hold? What it makes is charged to a budget that its conversation sets.

A unit is a third of a microsecond of work, or eight characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Final

from fcregistry.errors import ChatTemplateError

BASE: Final = 1_000_000
"""Units for any template: about a second of work, and at most eight million characters."""

_PER_INPUT: Final = 50
"""Units more for each unit of the conversation."""

_ELEMENT: Final = 4
_STEP: Final = 8
_CALL: Final = 32
_DEEPEST: Final = 200
_DEEPEST_CALL: Final = 100
_SCALARS: Final = (type(None), bool, float)
_HOLDERS: Final[tuple[type[Iterable[Any]], ...]] = (list, tuple, type({}.keys()), type({}.values()), type({}.items()))
_MOST_BITS: Final = 20_000
"""Of a whole number; its arithmetic is slow beyond."""


class OverBudgetError(Exception):
    """The budget is used up."""


class Meter:
    """What is left of the budget of one rendering.

    Args:
        given: What the template is given: a longer conversation allows more work.
    """

    def __init__(self, *given: Any) -> None:
        self._left = BASE
        self._depth = 0
        for value in given:
            self._left += _PER_INPUT * _weight(value, 2**62)

    def spend(self, units: int) -> None:
        """Take units off the budget.

        Raises:
            OverBudgetError: There are not so many left.
        """
        self._left -= units
        if self._left < 0:
            raise OverBudgetError

    def call(self) -> None:
        """Take off what a call of a macro, a filter or a method costs beside its arguments."""
        self.spend(_CALL)

    def enter(self) -> None:
        """Count a call within calls, until `leave`. Python's own limit may be raised to where the machine's stack overflows.

        Raises:
            RecursionError: The calls are too deep.
        """
        if self._depth >= _DEEPEST_CALL:
            raise RecursionError
        self._depth += 1

    def leave(self) -> None:
        """End what `enter` began."""
        self._depth -= 1

    def look_up(self, place: Any) -> None:
        """Take off what it costs to look something up by a path, where that is not at once."""
        if not isinstance(place, (dict, list)):
            self.spend(_CALL)

    def charge(self, value: Any) -> int:
        """Take off what a value weighs, and return that."""
        weight = _weight(value, self._left)
        self.spend(weight)
        return weight

    def taken(self, value: Any) -> Any:
        """Charge a value, and return it. An iterator is run at once: of one within another, and so on, each step would be as deep."""
        if isinstance(value, Iterator):
            return iter(list(self.counted(value)))
        if not isinstance(value, range):  # which holds nothing yet
            self.charge(value)
        return value

    def counted(self, values: Iterable[Any]) -> Iterator[Any]:
        """Yield values, and charge a step for each."""
        for value in values:
            self.spend(_STEP)
            yield value


_CURRENT: ContextVar[Meter] = ContextVar("meter")


def current() -> Meter:
    """Return the meter of what is being rendered."""
    return _CURRENT.get()


def metered(meter: Meter, pieces: Iterator[str]) -> str:
    """Return all pieces of a rendering, made under a meter."""
    token = _CURRENT.set(meter)
    try:
        written = []
        for piece in pieces:
            meter.charge(piece)
            written.append(piece)
        return "".join(written)
    except OverBudgetError:
        raise ChatTemplateError(
            "the chat template was stopped: it works or writes far more than its conversation needs. "
            "Nothing was rendered; use a template that you trust"
        ) from None
    finally:
        _CURRENT.reset(token)


def _weight(value: Any, most: int) -> int:
    """Return what a value weighs, or a number over `most` as soon as that is known."""
    if isinstance(value, str):
        return 1 + len(value) // 8
    total, waiting = 0, [(value, 0)]
    while waiting and total <= most:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise OverBudgetError
        total += _ELEMENT if isinstance(one, _SCALARS) else _own_weight(one)
        if isinstance(one, Mapping):
            waiting += [(each, depth + 1) for pair in one.items() for each in pair]
        elif isinstance(one, _HOLDERS):
            waiting += [(each, depth + 1) for each in one]
    return total


def _own_weight(value: Any) -> int:
    if isinstance(value, str):
        return _ELEMENT + len(value) // 8
    if isinstance(value, range):
        return _ELEMENT * (1 + len(value))
    if not isinstance(value, int):
        return _ELEMENT
    if value.bit_length() > _MOST_BITS:
        raise OverBudgetError
    return _ELEMENT + value.bit_length() // 64

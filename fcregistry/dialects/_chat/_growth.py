"""Which operations make much of little, and how much? They are charged before they run: repeating, replacing, padding, indenting."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from fcregistry.dialects._chat._meter import Meter, OverBudgetError, current

_WIDEST: Final = 10_000
_MOST_BITS: Final = 20_000
_PERCENT_WIDTH: Final = re.compile(r"\d{4,}|\*")
_FIELD_WIDTH: Final = re.compile(r"\d{4,}|\{[^{}]*\{")
_WIDE: Final = re.compile(r"\d{3}")


def check_arguments(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Refuse numbers as arguments that no conversation needs.

    Raises:
        OverBudgetError: There is one.
    """
    for value in (*arguments, *named.values()):
        if isinstance(value, int) and abs(value) > _WIDEST:
            raise OverBudgetError


def charge_growth(name: str, value: Any, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Charge a filter, or a method of a text as `str.NAME`, before it runs.

    Raises:
        OverBudgetError: It would make more than is left.
    """
    check_arguments(arguments, named)
    if (charge := _CHARGES.get(name)) is not None:
        charge(current(), value, (*arguments, *named.values()))


def charge_operator(operator: str, left: Any, right: Any) -> None:
    """Charge an operator before it runs.

    Raises:
        OverBudgetError: It would make more than is left.
    """
    if operator == "%" and isinstance(left, str):
        _percent(current(), left, (right,))
    elif isinstance(left, int) and isinstance(right, int):
        bits = {"*": left.bit_length() + right.bit_length(), "**": left.bit_length() * max(right, 0)}
        if bits.get(operator, 0) > _MOST_BITS:
            raise OverBudgetError
        current().spend(left.bit_length() * right.bit_length() >> 19)  # each digit meets each
    elif operator == "*":
        sized, times = (right, left) if isinstance(left, int) else (left, right)
        if isinstance(times, int):
            current().spend(current().charge(sized) * max(times, 0))


def _replace(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    if len(arguments) >= 2:
        meter.spend(str(value).count(str(arguments[0])) * len(str(arguments[1])) // 8)


def _join(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge the filter: the separator comes after the values."""
    _separate(meter, value, arguments[0] if arguments else "")


def _join_by(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge the method of the separator."""
    for values in arguments:
        _separate(meter, values, value)


def _separate(meter: Meter, values: Any, separator: Any) -> None:
    if hasattr(values, "__len__"):
        meter.spend(len(values) * (1 + len(str(separator)) // 8))


def _pad(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    meter.spend(sum(abs(one) for one in arguments if isinstance(one, int)))


def _indent(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    width = arguments[0] if arguments else 4
    meter.spend((1 + str(value).count("\n")) * (len(width) if isinstance(width, str) else int(width)) // 8)


def _json(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge by the indentation, which stands before each element at each depth."""
    for one in arguments:
        if isinstance(one, (str, int)):
            size = len(one) if isinstance(one, str) else int(one)
        else:
            size = sum(map(len, one)) if isinstance(one, (list, tuple)) and all(isinstance(s, str) for s in one) else 0
        meter.spend(meter.charge(value) * max(size, 0) * 4)


def _percent(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    if _PERCENT_WIDTH.search(str(value)):
        raise OverBudgetError
    meter.spend(str(value).count("%") * sum(meter.charge(one) for one in arguments))
    _widths(meter, value)


def _fields(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    if _FIELD_WIDTH.search(str(value)):
        raise OverBudgetError
    meter.spend((1 + str(value).count("{")) * sum(meter.charge(one) for one in arguments))
    _widths(meter, value)


def _widths(meter: Meter, value: Any) -> None:
    meter.spend(sum(125 for _ in _WIDE.finditer(str(value))))


def _search(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Charge what compares each character with each: stripping, and searching from the right."""
    meter.spend(len(str(value)) * sum(len(one) for one in arguments if isinstance(one, str)) // 128)


def _numbers_only(meter: Meter, value: Any, arguments: tuple[Any, ...]) -> None:
    """Refuse to add up lists, each sum of which is copied."""
    if any(isinstance(one, (list, tuple)) for one in arguments):
        raise OverBudgetError


_CHARGES: Final[Mapping[str, Callable[[Meter, Any, tuple[Any, ...]], None]]] = {
    "replace": _replace,
    "join": _join,
    "batch": _pad,
    "center": _pad,
    "slice": _pad,
    "indent": _indent,
    "tojson": _json,
    "format": _percent,
    "sum": _numbers_only,
    "trim": _search,
    "str.replace": _replace,
    "str.join": _join_by,
    "str.format": _fields,
    "str.ljust": _pad,
    "str.rjust": _pad,
    "str.center": _pad,
    "str.zfill": _pad,
    **dict.fromkeys((f"str.{name}" for name in ("strip", "lstrip", "rstrip")), _search),
    **dict.fromkeys((f"str.{name}" for name in ("rfind", "rindex", "rsplit", "rpartition")), _search),
}
"""Filter, or method of a text -> what charges it."""

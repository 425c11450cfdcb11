"""How does a model get arguments wrong? In one place: another type, a missing or unknown name, a limit overstepped, a word misspelt."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any, Final

from hypothesis import strategies as st

from fcregistry.testing._keywords import Node, constants

Path = tuple[str | int, ...]

_ANOTHER_TYPE: Final[tuple[Any, ...]] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    1.0,
    2.5,
    "",
    "a",
    "1",
    "true",
    [],
    [0],
    {},
    {"a": 1},
)
_LONGEST: Final = 5000
"""A length limit beyond this is not tried: nobody reads such an example."""


class Mutations:
    """Changes a JSON object in one place.

    Args:
        schema: Where the limits stand around which values are tried, and the words that are nearly right.
    """

    def __init__(self, schema: Node) -> None:
        found = list(constants(schema))
        numbers = [each for each in found if not isinstance(each, str)]
        self._numbers = sorted({*numbers}, key=lambda number: (abs(number), number))
        self._lengths = [each for each in self._numbers if isinstance(each, int) and 0 <= each <= _LONGEST]
        self._words = sorted({each for each in found if isinstance(each, str)})

    def of(self, values: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        """Return objects that differ from one of the given in a single place."""

        @st.composite
        def changed(draw: st.DrawFn) -> dict[str, Any]:
            value = copy.deepcopy(draw(values))
            places = list(_places(value, ()))
            path = draw(st.sampled_from(places))
            if not path:
                return draw(st.one_of(self._object_ways(value)))
            holder: Any = value
            for segment in path[:-1]:
                holder = holder[segment]
            holder[path[-1]] = draw(st.one_of(self._ways(holder[path[-1]])))
            return value

        return changed()

    def _ways(self, value: Any) -> list[st.SearchStrategy[Any]]:
        ways: list[st.SearchStrategy[Any]] = [st.sampled_from(_ANOTHER_TYPE)]
        if isinstance(value, dict):
            ways += [*self._object_ways(value), st.just(json.dumps(value))]
        elif isinstance(value, list):
            ways += [*self._array_ways(value), st.just(json.dumps(value))]
        elif isinstance(value, str):
            ways.append(st.sampled_from(self._texts_near(value)))
        elif isinstance(value, bool):
            ways.append(st.sampled_from([int(value), str(value).lower()]))
        elif value is not None:
            ways += [st.sampled_from(self._numbers_near(value)), st.just(str(value))]
        return ways

    def _object_ways(self, value: dict[str, Any]) -> list[st.SearchStrategy[Any]]:
        taken = list(value)
        unknown = [name for name in (*self._words, *(f"{each}s" for each in taken), "unknown", "") if name not in value]
        ways: list[st.SearchStrategy[Any]] = [
            st.builds(lambda name, new: {**value, name: new}, st.sampled_from(unknown), st.sampled_from(_ANOTHER_TYPE))
        ]
        if taken:
            ways.append(
                st.sampled_from(taken).map(lambda left: {name: each for name, each in value.items() if name != left})
            )
            ways.append(
                st.sampled_from(taken).map(
                    lambda old: {(name.upper() if name == old else name): each for name, each in value.items()}
                )
            )
        return ways

    def _array_ways(self, value: list[Any]) -> list[st.SearchStrategy[Any]]:
        ways: list[st.SearchStrategy[Any]] = [st.sampled_from(_ANOTHER_TYPE).map(lambda new: [*value, new])]
        if value:
            ways.append(st.sampled_from([value[:-1], value[1:], [*value, value[0]], value[::-1]]))
            lengths = [each + more for each in self._lengths for more in (0, 1) if each + more > len(value)]
            ways += [st.sampled_from(lengths).map(lambda length: (value * length)[:length])] if lengths else []
        return ways

    def _texts_near(self, value: str) -> list[str]:
        near = [f"{value}\n", f" {value}", f"{value}x", value[:-1], value.upper(), value.title(), *self._words]
        near += [(value or "a") * length for length in self._lengths if length < 100]
        near += [("a" * (length + more)) for length in self._lengths for more in (-1, 0, 1) if length + more >= 0]
        return list(dict.fromkeys(each for each in near if each != value)) or [f"{value}x"]

    def _numbers_near(self, value: int | float) -> list[Any]:
        limits = [each + more for each in self._numbers for more in (-1, 0, 1, 0.5, -0.5) if abs(each) < 1e300]
        near: list[Any] = [value + 0.5 if abs(value) < 2**50 else 0.5, -value, value + 1, value + 0.001, *limits]
        if isinstance(value, float) and value.is_integer():
            near.append(int(value))
        elif not isinstance(value, float) and abs(value) < 2**53:
            near.append(float(value))
        return near


def _places(value: Any, above: Path) -> Iterator[Path]:
    """Yield the path of a value, and of everything in it."""
    yield above
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _places(each, (*above, name))
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from _places(each, (*above, position))

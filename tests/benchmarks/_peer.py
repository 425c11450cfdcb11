"""Asks a peer to run the same functions, from JSON text to a result, and to make the schema of each.

Each peer has a runner in `peers/`, which calls `report` in an environment of its own, without this package. It times the floor
too, in turns with the peer, so that the ratio does not depend on the machine or the moment.
"""

from __future__ import annotations

import asyncio
import json
import logging
import warnings
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from _clock import Timer, awaited, medians, plain
from _tools import (
    ORDER,
    SIMPLE,
    WRONG,
    get_current_weather,
    get_weather_async,
    order_by_hand,
    place_order,
    place_order_async,
    weather_by_hand,
    weather_by_hand_async,
)

Function: TypeAlias = Callable[..., Any]
Call: TypeAlias = Callable[[str], object]
AsyncCall: TypeAlias = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """How a peer shows a function's schema, and calls the function with arguments that are JSON text.

    Attributes:
        schema: Makes a tool of a function, and returns its definition.
        call: Makes a tool of a function, and returns what calls it from plain code; None where the peer cannot.
        acall: The same from async code; None where the peer cannot.
    """

    schema: Callable[[Function], object]
    call: Callable[[Function], Call] | None = None
    acall: Callable[[Function], AsyncCall] | None = None


class Asked:
    """A peer under questions; what goes wrong is an answer too."""

    def __init__(self, peer: Peer, runner: asyncio.Runner) -> None:
        self._peer = peer
        self._runner = runner

    @property
    def _order(self) -> Function:
        """The complex tool, in the form that costs this peer no thread."""
        return place_order_async if self._peer.call is None else place_order

    def answers(self) -> dict[str, object]:
        """Return everything that is asked: times as the floor's seconds and the peer's."""
        return {
            "simple": self._tried(lambda: self._call(get_current_weather, SIMPLE, "20 celsius", weather_by_hand)),
            "async": self._tried(self._async_call),
            "complex": self._tried(lambda: self._call(self._order, ORDER, "customer", order_by_hand)),
            "typed": self._tried(lambda: "Customer" in self._answer(self._order, ORDER)),
            "caught": self._tried(self._caught),
            "schema simple": self._tried(lambda: self._schema(get_current_weather)),
            "schema complex": self._tried(lambda: self._schema(place_order)),
        }

    @staticmethod
    def _tried(question: Callable[[], object]) -> object:
        try:
            return question()
        except Exception as error:  # noqa: BLE001  # foreign code: what it cannot do is worth knowing
            return f"{type(error).__name__}: {error}"[:300]

    def _call(self, function: Function, arguments: str, expected: str, floor: Callable[[], object]) -> list[float]:
        answer = self._answer(function, arguments)
        if expected not in answer:
            raise ValueError(f"the call gives {answer}")
        return self._beside(plain(floor), self._timer(function, arguments))

    def _async_call(self) -> list[float] | None:
        if self._peer.acall is None:
            return None
        call = self._peer.acall(get_weather_async)
        answer = str(self._runner.run(_of(call, SIMPLE)))
        if "20 celsius" not in answer:
            raise ValueError(f"the call gives {answer}")
        return self._beside(awaited(self._runner, weather_by_hand_async), awaited(self._runner, lambda: call(SIMPLE)))

    def _schema(self, function: Function) -> float:
        assert self._peer.schema(function)
        return medians({"schema": plain(lambda: self._peer.schema(function))})["schema"]

    def _caught(self) -> bool:
        """Tell whether the function is kept from a value that its schema forbids."""
        try:
            return "20 kelvin" not in self._answer(get_current_weather, WRONG)
        except Exception:  # noqa: BLE001  # some peers refuse a call so
            return True

    def _timer(self, function: Function, arguments: str) -> Timer:
        if self._peer.call is not None:
            call = self._peer.call(function)
            return plain(lambda: call(arguments))
        acall = self._acall(function)
        return awaited(self._runner, lambda: acall(arguments))

    def _answer(self, function: Function, arguments: str) -> str:
        """Return what a call gives, as text."""
        if self._peer.call is not None:
            return str(self._peer.call(function)(arguments))
        return str(self._runner.run(_of(self._acall(function), arguments)))

    def _acall(self, function: Function) -> AsyncCall:
        assert self._peer.acall is not None, "a peer has one way of calling at least"
        return self._peer.acall(function)

    @staticmethod
    def _beside(floor: Timer, peer: Timer) -> list[float]:
        took = medians({"floor": floor, "peer": peer})
        return [took["floor"], took["peer"]]


async def _of(call: AsyncCall, arguments: str) -> object:
    return await call(arguments)


def report(peer: Peer) -> None:
    """Ask a peer everything, and print its answers as one line of JSON."""
    logging.disable(logging.CRITICAL)  # what peers tell their own users
    warnings.simplefilter("ignore")
    with asyncio.Runner() as runner:
        print(json.dumps(Asked(peer, runner).answers()), flush=True)

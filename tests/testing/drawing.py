"""Draws values of Hypothesis strategies, the same ones in every run."""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


def drawn(values: SearchStrategy[T], count: int) -> list[T]:
    """Return values of a strategy, at most as many as given."""
    found: list[T] = []

    @settings(
        max_examples=count,
        phases=[Phase.generate],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(values)
    def note(value: T) -> None:
        found.append(value)

    note()
    return found

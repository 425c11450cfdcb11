"""Reads arguments by running a call of a tool that takes any."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from fcregistry import Executor, ToolCall
from fcregistry.execution import REPAIRS

ALL_REPAIRS = frozenset(REPAIRS)


class RefusedError(ValueError):
    """The arguments were refused; its text is what the model reads."""


def anything(**arguments: Any) -> None:
    """Take any arguments."""


@cache
def executor_of(allowed: frozenset[str]) -> Executor:
    """Return an executor that makes some repairs, and reads arguments of any length."""
    return Executor(anything, repairs=allowed, max_argument_characters=None)


def read_arguments(raw: Any, allowed: Collection[str] = ALL_REPAIRS) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments of a call, and what was repaired in them.

    Raises:
        RefusedError: They were refused.
    """
    result = executor_of(frozenset(allowed)).run(ToolCall("anything", raw))
    if result.error is not None:
        assert result.error.code == "malformed_call"
        raise RefusedError(result.error.text)
    assert result.arguments is not None
    return result.arguments, result.repairs

"""Which calls of tools does a value of the model's hold? The value itself, or the items of a list, where they have a name and arguments."""

from __future__ import annotations

from typing import Any

from fcregistry._calls import ToolCall
from fcregistry.formats import MalformedCallError, read_call


def calls_of(value: Any) -> tuple[ToolCall, ...]:
    """Return the calls in a value that was read of a model's answer, for an executor.

    A call is a dict or an object that has the tool's name as `name` and its arguments as `arguments`; whatever else it has, such as a thought,
    is no part of the call. In a list, what is no call is passed over: an answer may be calls or something else.

    Args:
        value: A call, or a list of calls.
    """
    values = value if isinstance(value, (list, tuple)) else [value]
    return tuple(call for each in values if (call := _call(each)) is not None)


def _call(value: Any) -> ToolCall | None:
    try:
        return read_call(value)
    except MalformedCallError:
        return None

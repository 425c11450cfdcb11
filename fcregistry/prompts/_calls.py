"""The tool calls in a value that a model wrote: the value itself, or the items of a list, where they have a name and arguments."""

from __future__ import annotations

from typing import Any

from fcregistry._base.call import ToolCall
from fcregistry.formats import MalformedCallError, read_call
from fcregistry.formats._read import is_like_arguments


def calls_of(value: Any, *, arguments_field: str | None = None) -> tuple[ToolCall, ...]:
    """Return the calls in a value that was read of a model's answer, for an executor.

    A call is a dict or an object that has the tool's name as `name` and its arguments as `arguments`; what else it has, such as a thought, is
    not part of the call. In a list, an item that is not a call is left out: an answer may be calls or something else.

    Args:
        value: A call, or a list of calls.
        arguments_field: The field that holds the arguments, where it is not `arguments`: `kwargs`, say. No other field is read for them.

    Raises:
        MalformedCallError: A call holds arguments in another field, positional ones in `args`, say, or they are not an object.
    """
    values = value if isinstance(value, (list, tuple)) else [value]
    return tuple(call for each in values if (call := _call(each, arguments_field)) is not None)


def _call(value: Any, arguments_field: str | None) -> ToolCall | None:
    try:
        return read_call(value, arguments_field=arguments_field)
    except MalformedCallError as error:
        if error.arguments is not None or any(map(is_like_arguments, error.unread)):
            raise  # a call all the same: without it, the answer would pass for one that calls nothing
        return None

"""What does a model read of a value that a tool returned?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry._results.content import Content, Output, ToolOutput, text_of
from fcregistry.types import EncodingError, to_json_text

if TYPE_CHECKING:
    from fcregistry.types import Codec


def output_of(value: Any, returns: Codec | None) -> str | Output:
    """Return the text for the model, or an `Output` where a tool returned more than that.

    A string is shown as it is. Anything else is JSON: by the return annotation where the value is of it, by its own type otherwise. What
    has no JSON form may be `Content`, a list with some in it, or a `ToolOutput`: that is looked for last, so that it costs others nothing.

    Args:
        value: What the tool returned.
        returns: The codec of its return annotation, if there is one.

    Raises:
        EncodingError: The value has no JSON form.
        Exception: Whatever the value's own code raises while it is read.
    """
    if isinstance(value, str):
        return str.__str__(value)
    try:
        if returns is not None and not returns.natural and returns.handles(value):
            return to_json_text(returns.encode(value))
        return to_json_text(value)
    except EncodingError as error:
        parts = _parts(value)
        if parts is None:
            raise _advised(error) from None
    return Output(value.value if isinstance(value, ToolOutput) else value, text_of(parts), parts)


def _parts(value: Any) -> tuple[Content, ...] | None:
    """Return the pieces of content that a value is; None if it is none."""
    if isinstance(value, ToolOutput):
        return value.content
    if isinstance(value, Content):
        return (value,)
    if isinstance(value, (list, tuple)) and any(isinstance(item, Content) for item in value):
        return tuple(map(_part, value))
    return None


def _part(item: Any) -> Content:
    """Return an item of a list of content: one itself, a text, or JSON, by the rule for values."""
    if isinstance(item, Content):
        return item
    try:
        return Content.text(item) if isinstance(item, str) else Content.json(item)
    except EncodingError as error:
        raise _advised(error) from None


def _advised(error: EncodingError) -> EncodingError:
    """Return an error that says what to do about content that stands where it cannot: inside of a value."""
    for cls in (Content, ToolOutput):
        if f" {cls.__module__}.{cls.__qualname__} " in str(error):
            return EncodingError(
                f"{cls.__name__} cannot stand inside of a value; return it by itself"
                + (", in a list, or in a ToolOutput" if cls is Content else "")
            )
    return error

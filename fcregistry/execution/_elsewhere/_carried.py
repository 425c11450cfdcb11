"""How does what a tool returned travel? As JSON, from which the type that it has by the return annotation is made again, and as content blocks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._results.content import Content, ToolOutput
from fcregistry.types import EncodingError, to_json, to_json_text

if TYPE_CHECKING:
    from fcregistry.types import Codec

Form: TypeAlias = Literal["json", "typed", "content", "list", "output"]
"""What the text of a value is: its JSON, that by its return annotation, or JSON that holds content blocks in one of three ways."""


def packed(value: Any, returns: Codec | None) -> tuple[str, Form]:
    """Return a value as text, and what that text is.

    Args:
        value: What a tool returned.
        returns: The codec of its return annotation, if there is one.

    Raises:
        EncodingError: It has no JSON form, and is no content.
        Exception: Whatever the value's own code raises while it is read.
    """
    try:
        if returns is not None and returns.handles(value):
            return to_json_text(value if returns.natural else returns.encode(value)), "typed"
        return to_json_text(value), "json"
    except EncodingError:
        if isinstance(value, Content):
            return json.dumps(value.to_block()), "content"
        if isinstance(value, ToolOutput):
            return json.dumps([to_json(value.value), [each.to_block() for each in value.content]]), "output"
        if isinstance(value, (list, tuple)) and any(isinstance(item, Content) for item in value):
            return json.dumps(list(map(_packed_item, value))), "list"
        raise


def _packed_item(item: Any) -> list[Any]:
    return ["content", item.to_block()] if isinstance(item, Content) else ["json", to_json(item)]


def unpacked(text: str, form: Form, returns: Codec | None) -> Any:
    """Return the value of a text; its JSON, where no value of the return annotation's type can be made of it again.

    Args:
        text: What `packed` gave.
        form: Likewise.
        returns: The codec of the tool's return annotation on this side, if there is one.
    """
    if form == "typed" and returns is not None and not returns.plain:
        return _typed(text, returns)
    return _READERS[form](json.loads(text))


def _typed(text: str, returns: Codec) -> Any:
    plain = json.loads(text)
    try:
        return returns.decode(plain) if returns.accepts(plain) else plain
    except Exception:  # noqa: BLE001  # foreign code: a type may refuse what it wrote itself, and its JSON is a result too
        return plain


def _same(value: Any) -> Any:
    return value


def _output(read: Any) -> ToolOutput:
    value, blocks = read
    return ToolOutput(value=value, content=[Content.from_block(block) for block in blocks])


_READERS: Final[dict[Form, Callable[[Any], Any]]] = {
    "json": _same,
    "typed": _same,
    "content": Content.from_block,
    "list": lambda items: [Content.from_block(item) if form == "content" else item for form, item in items],
    "output": _output,
}

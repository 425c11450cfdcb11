"""How does a piece of content look in JSON? As a content block.

Source: Model Context Protocol specification 2025-06-18, "Server features: Tools", section "Tool result".
"""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Mapping

from fcregistry._content._media import media_type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from fcregistry._content._content import Content


def base64_of(data: bytes) -> str:
    """Return bytes in base64 (RFC 4648, 4)."""
    return b2a_base64(data, newline=False).decode()


def block_of(content: Content) -> dict[str, Any]:
    """Return a piece of content as a block."""
    match content.kind:
        case "text":
            return {"type": "text", "text": content.plain}
        case "image" | "audio":
            return {"type": content.kind, "data": base64_of(content.data), "mimeType": content.media_type}
        case "file":
            return {"type": "resource", "resource": _resource(content)}
    shown = {"uri": content.uri, "name": content.name, "description": content.description}
    known = {**shown, "mimeType": content.media_type}
    return {"type": "resource_link", **{name: value for name, value in known.items() if value is not None}}


def _resource(content: Content) -> dict[str, Any]:
    held = {"blob": base64_of(content.data)} if content.plain is None else {"text": content.plain}
    return {"uri": content.uri, "mimeType": content.media_type, **held}


def content_of(block: object, make: type[Content]) -> Content:
    """Return the content of a block.

    Args:
        block: A block, of ours or of a server: an object with a `type`.
        make: The class to make it with.

    Raises:
        ValueError: It is no block, or lacks something.
    """
    if not isinstance(block, Mapping):
        raise ValueError(f"a content block is an object with a type, not {type(block).__name__}")  # noqa: TRY004  # from JSON
    sort = block.get("type")
    read = _READERS.get(sort) if isinstance(sort, str) else None
    if read is None:
        raise ValueError(f"a content block has one of the types {', '.join(_READERS)}, not {sort!r:.50}")
    try:
        return read(block, make)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ValueError(f"a content block of the type {sort} cannot be read: {reason}") from error


def _bytes(text: str) -> bytes:
    try:
        return a2b_base64(text, strict_mode=True)
    except Error as error:
        raise ValueError(f"its data is no base64: {error}") from error


def _media_type(holder: Mapping[str, Any]) -> str | None:
    """Return the media type that a server gives, without the parameters that it may have there."""
    given = holder.get("mimeType")
    return given if given is None else given.partition(";")[0].strip()


def _image(block: Mapping[str, Any], make: type[Content]) -> Content:
    data = _bytes(block["data"])
    shown = media_type_of(data)  # which models are shown, whatever a server calls it
    return make.image(data, media_type=_media_type(block) if shown is None else None)


def _file(block: Mapping[str, Any], make: type[Content]) -> Content:
    resource = block["resource"]
    data = resource["text"].encode() if "text" in resource else _bytes(resource["blob"])
    media_type = _media_type(resource) or ("text/plain" if "text" in resource else None)
    return make.file(data, media_type=media_type, uri=resource["uri"])


def _link(block: Mapping[str, Any], make: type[Content]) -> Content:
    description = block.get("description")
    return make.link(block["uri"], name=block.get("name"), media_type=_media_type(block), description=description)


_READERS: Final[dict[str, Callable[[Mapping[str, Any], type[Content]], Content]]] = {
    "text": lambda block, make: make.text(block["text"]),
    "image": _image,
    "audio": lambda block, make: make.audio(_bytes(block["data"]), media_type=_media_type(block)),
    "resource": _file,
    "resource_link": _link,
}

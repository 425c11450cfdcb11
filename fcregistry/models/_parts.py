"""How are the pieces of a message's content written? As OpenAI's chat writes them.

Source: OpenAI API reference, "Chat Completions", content parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from fcregistry._results.content import Content
from fcregistry.formats._parts import base64_of, data_url
from fcregistry.formats._read import field as read_field
from fcregistry.formats._read import is_absent
from fcregistry.models._surrogates import in_texts

_LINKED_IMAGE: Final = "an image"
"""What a link to an image is described as, whose media type nobody knows before it is fetched."""

_AUDIO: Final = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def part_of(part: object) -> Content | None:
    """Return the content of a part; None for a part of the model's own that says nothing to others: a call, a thought.

    Raises:
        ValueError: It is no part that is known.
    """
    if isinstance(part, (Content, str)):
        return part if isinstance(part, Content) else Content.text(part)
    kind = read_field(part, "type")
    match kind:
        case "text" | "input_text" | "output_text":
            return Content.text(_text(part, "text"))
        case "refusal":
            return Content.text(_text(part, "refusal"))
        case "image_url":
            return _image(read_field(part, "image_url"))
        case "input_audio":
            sound = read_field(part, "input_audio")
            return Content.audio(_bytes(_text(sound, "data")), media_type=_media_type(_text(sound, "format")))
        case "file":
            return _file(read_field(part, "file"))
        case "tool_use" | "thinking" | "redacted_thinking" | "function_call" | "reasoning":
            return None
        case _ if isinstance(part, Mapping) and kind in ("image", "audio", "resource", "resource_link"):
            return Content.from_block(part)  # as MCP writes them
    raise ValueError(
        f"a part of a message's content has no type that is known: {kind if isinstance(kind, str) else part!r:.60}"
    )


def written_part(part: Content) -> dict[str, Any]:
    """Return a piece of content as a part; one that OpenAI has no part for is named in words."""
    if part.kind == "image":
        return {"type": "image_url", "image_url": {"url": data_url(part)}}
    if part.kind == "audio" and part.media_type in _AUDIO:
        return {"type": "input_audio", "input_audio": {"data": base64_of(part), "format": _AUDIO[part.media_type]}}
    if part.kind == "file" and part.plain is None:
        return {"type": "file", "file": {"filename": part.name, "file_data": data_url(part)}}
    return {"type": "text", "text": str(part)}


def with_texts(part: Content, change: Callable[[str], str]) -> Content:
    """Return a piece of content whose texts are changed; the same where that changes none."""
    said: tuple[Any, ...] = part._key()
    changed = in_texts(change, said)
    if changed is said:
        return part
    kind, media_type, plain, data, name, uri, description = changed
    return Content(kind, media_type, plain=plain, data=data, name=name, uri=uri, description=description)


def is_image_link(part: Content) -> bool:
    """Tell whether a piece of content says where an image is, which a provider can fetch: by its media type, or as a message has it."""
    return part.kind == "link" and ((part.media_type or "").startswith("image/") or part.description == _LINKED_IMAGE)


def _image(image: object) -> Content:
    url = image if isinstance(image, str) else _text(image, "url")
    if not url.startswith("data:"):
        return Content.link(url, description=_LINKED_IMAGE)
    media_type, data = _of_data_url(url)
    return Content.image(data, media_type=media_type or None)


def _file(file: object) -> Content:
    data = read_field(file, "file_data")
    name = read_field(file, "filename")
    if is_absent(data) or not isinstance(data, str):
        raise ValueError(
            "a file of a message's content is given as file_data; one that the provider keeps is not known here"
        )
    media_type, held = _of_data_url(data) if data.startswith("data:") else ("", _bytes(data))
    return Content.file(held, media_type=media_type or None, name=name if isinstance(name, str) else None)


def _of_data_url(url: str) -> tuple[str, bytes]:
    """Return the media type and the bytes of a URL of RFC 2397."""
    head, comma, data = url.removeprefix("data:").partition(",")
    if not comma or not head.endswith(";base64"):
        raise ValueError("a data URL in a message's content holds no base64")
    return head.split(";")[0], _bytes(data)


def _bytes(text: str) -> bytes:
    from binascii import Error, a2b_base64  # only where there are bytes

    try:
        return a2b_base64(text)
    except Error as error:
        raise ValueError(f"a part of a message's content holds no base64: {error}") from error


def _media_type(ending: str) -> str:
    return {"mp3": "audio/mpeg"}.get(ending, f"audio/{ending}")


def _text(part: object, name: str) -> str:
    found = read_field(part, name)
    if is_absent(found) or not isinstance(found, str):
        raise ValueError(f"a part of a message's content has no {name}")
    return found

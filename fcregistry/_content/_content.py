"""What may a tool give a model beside text?

Source: Model Context Protocol specification 2025-06-18, "Server features: Tools", section "Tool result".
"""

from __future__ import annotations

from fcregistry._content._blocks import block_of, content_of
from fcregistry._content._media import UNKNOWN, checked_media_type, ending_of, is_text, media_type_of
from fcregistry._content._sources import checked_line, checked_uri, decoded, file_uri, name_in, read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any, Literal

    Kind = Literal["text", "image", "audio", "file", "link"]


class Content:
    """One piece of what a model is given of a tool's result. Immutable; made by one of the class methods, which check what they take.

    A tool returns one, or a list of them, in which strings and JSON values may stand too. `str(content)` is what a model reads where a
    provider takes text only: the text itself, or words that name the rest.
    """

    __slots__ = ("_data", "_description", "_kind", "_media_type", "_name", "_plain", "_uri")

    def __init__(
        self,
        kind: Kind,
        media_type: str | None,
        *,
        plain: str | None = None,
        data: bytes | None = None,
        name: str | None = None,
        uri: str | None = None,
        description: str | None = None,
    ) -> None:
        self._kind: Kind = kind
        self._media_type = media_type
        self._plain = plain
        self._data = data
        self._name = name
        self._uri = uri
        self._description = description

    @classmethod
    def text(cls, text: str) -> Content:
        """Return a text, shown as it is.

        Raises:
            TypeError: It is no string.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"Content.text takes a string, not {type(text).__name__}; Content.json takes any JSON value"
            )
        return cls("text", "text/plain", plain=str.__str__(text))

    @classmethod
    def json(cls, value: object) -> Content:
        """Return any value as JSON text, written by its own type, now.

        Raises:
            EncodingError: It has no JSON form (a TypeError and a ValueError).
        """
        from fcregistry.types import to_json_text  # heavy, and needed for this alone

        return cls("text", "text/plain", plain=to_json_text(value))

    @classmethod
    def image(cls, source: bytes | PathLike[str], *, media_type: str | None = None) -> Content:
        """Return an image.

        Args:
            source: Its bytes, or the path of its file (a `Path`, not a string), which is read now.
            media_type: Such as `image/png`; told from the bytes where it is not given, else from the file's name.

        Raises:
            TypeError: The source is neither.
            ValueError: It holds nothing, or it is not known, or not said, to be an image.
            OSError: The file cannot be read.
        """
        return cls._medium("image", source, media_type)

    @classmethod
    def audio(cls, source: bytes | PathLike[str], *, media_type: str | None = None) -> Content:
        """Return a sound; the arguments and errors are those of `image`."""
        return cls._medium("audio", source, media_type)

    @classmethod
    def _medium(cls, kind: Literal["image", "audio"], source: object, given: str | None) -> Content:
        data, name = read_source(f"Content.{kind}", source)
        if not data:
            raise ValueError(f"Content.{kind} was given nothing: 0 bytes")
        shown = media_type_of(data, name)
        media_type = shown if given is None else checked_media_type(given)
        if media_type is None:
            raise ValueError(f"Content.{kind} cannot tell what these bytes are; give media_type='{kind}/…'")
        if not media_type.startswith(f"{kind}/"):
            raise ValueError(
                f"Content.{kind} takes what is of the type {kind}/…, not {media_type}; Content.file takes all"
            )
        if kind == "image" and given is not None and (media_type_of(data) or media_type) != media_type:
            raise ValueError(f"Content.image was given {media_type} as the media type, and the bytes are {shown}")
        return cls(kind, media_type, data=data)

    @classmethod
    def file(
        cls,
        source: bytes | PathLike[str],
        *,
        media_type: str | None = None,
        name: str | None = None,
        uri: str | None = None,
    ) -> Content:
        """Return a file. One that is text, by its media type and in UTF-8, is handed on as text.

        Args:
            source: Its bytes, or its path (a `Path`, not a string), which is read now.
            media_type: Such as `application/pdf`; told from the bytes or the name where it is not given.
            name: What a model is told it is called; that of the path where it is not given, else `file.pdf` or its like.
            uri: What identifies it to MCP clients; `file:///NAME` where it is not given, so no folder of yours is told.

        Raises:
            TypeError: The source is neither.
            ValueError: A name, URI or media type that cannot be one.
            OSError: The file cannot be read.
        """
        data, own_name = read_source("Content.file", source)
        uri = None if uri is None else checked_uri(uri)
        called = own_name or (None if uri is None else name_in(uri)) if name is None else checked_line("name", name)
        known = media_type_of(data, called) if media_type is None else checked_media_type(media_type)
        media_type = known or UNKNOWN
        name = called or f"file{ending_of(media_type)}"
        plain = decoded(data) if is_text(media_type) else None
        held = data if plain is None else None
        return cls("file", media_type, plain=plain, data=held, name=name, uri=uri or file_uri(name))

    @classmethod
    def link(
        cls, uri: str, *, name: str | None = None, media_type: str | None = None, description: str | None = None
    ) -> Content:
        """Return a link to what the model, or its host, may fetch itself.

        Args:
            uri: Where it is (RFC 3986), with its scheme.
            name: What it is called; the end of the URI where it is not given.
            media_type: What is there, if that is known.
            description: What a model should know of it.

        Raises:
            TypeError: Something that is no string.
            ValueError: Something empty or of several lines, or a URI without a scheme.
        """
        uri = checked_uri(uri)
        return cls(
            "link",
            None if media_type is None else checked_media_type(media_type),
            name=name_in(uri) if name is None else checked_line("name", name),
            uri=uri,
            description=None if description is None else checked_line("description", description),
        )

    @property
    def kind(self) -> Kind:
        """`text`, `image`, `audio`, `file` or `link`."""
        return self._kind

    @property
    def media_type(self) -> str | None:
        """What it is, such as `image/png`; None for a link of which that is not known."""
        return self._media_type

    @property
    def plain(self) -> str | None:
        """Its text, of a text and of a file that is one; None of everything else."""
        return self._plain

    @property
    def data(self) -> bytes:
        """Its bytes: of a text in UTF-8, of a link none."""
        if self._data is not None:
            return self._data
        return (self._plain or "").encode("utf-8", "surrogatepass")

    @property
    def name(self) -> str | None:
        """What a file or a link is called; None for everything else."""
        return self._name

    @property
    def uri(self) -> str | None:
        """Where a link leads, or what identifies a file; None for everything else."""
        return self._uri

    @property
    def description(self) -> str | None:
        """What a model should know of a link."""
        return self._description

    @property
    def is_media(self) -> bool:
        """Whether it is bytes with a media type: an image, a sound or a file."""
        return self._kind in ("image", "audio", "file")

    @property
    def label(self) -> str:
        """Words that name it, such as `[image: image/png, 68 bytes]`; nothing for a text."""
        if self._kind == "text":
            return ""
        if self._kind == "link":
            facts = [self._name, self._uri, self._media_type, self._description]
        else:
            facts = [self._name, self._media_type, f"{len(self.data)} bytes"]
        return f"[{self._kind}: {', '.join(fact for fact in facts if fact)}]"

    def to_block(self) -> dict[str, Any]:
        """Return it as a content block of the Model Context Protocol."""
        return block_of(self)

    @classmethod
    def from_block(cls, block: Mapping[str, Any]) -> Content:
        """Return the content of a block of the Model Context Protocol: what `to_block` gave, or a server.

        Raises:
            ValueError: It is no such block; says what is wrong with it.
        """
        return content_of(block, cls)

    def __str__(self) -> str:
        return "\n".join(part for part in (self.label, self._plain) if part)

    def _key(self) -> tuple[object, ...]:
        return (self._kind, self._media_type, self._plain, self._data, self._name, self._uri, self._description)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Content) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"<Content {self.label or f'[text: {self._plain!r:.60}]'}>"

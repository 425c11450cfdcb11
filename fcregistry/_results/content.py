"""Content: what a tool may give a model besides text, its form as content blocks, and its media types.

`fcregistry.execution` makes it public. Media types have no parameters, since providers take none.

Sources: Model Context Protocol specification 2025-06-18, "Server features: Tools", section "Tool result"; RFC 6838 (names of media types); the
signatures in the specifications of the file formats.
"""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64
from collections.abc import Mapping

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike
    from typing import Any, Final, Literal

    Kind = Literal["text", "image", "audio", "file", "link"]


class Content:
    """One piece of a tool's result for the model. Immutable.

    The class methods make it, and check their arguments. A tool returns one, or a list of them, which may also contain strings and JSON values.
    `str(content)` is its form for providers that accept only text: the text itself, or words that name the content.

    Args:
        kind: `text`, `image`, `audio`, `file` or `link`.
        media_type: The media type, such as `image/png`; None if it is not known.
        plain: The text, if this is a text or a text file.
        data: The bytes of other content.
        name: The name of a file or a link.
        uri: The address of a link, or the identifier of a file.
        description: What a link leads to, for the model.
        for_user: Whether it is for the user alone: no model reads it.
    """

    __slots__ = ("_data", "_description", "_for_user", "_kind", "_media_type", "_name", "_plain", "_uri")

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
        for_user: bool = False,
    ) -> None:
        self._kind: Kind = kind
        self._media_type = media_type
        self._plain = plain
        self._data = data
        self._name = name
        self._uri = uri
        self._description = description
        self._for_user = for_user

    @classmethod
    def text(cls, text: str) -> Content:
        """Return a text, shown as it is.

        Args:
            text: The text.

        Raises:
            TypeError: It is not a string.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"Content.text takes a string, not {type(text).__name__}; Content.json takes any JSON value"
            )
        return cls("text", "text/plain", plain=str.__str__(text))

    @classmethod
    def json(cls, value: object) -> Content:
        """Return any value as JSON text, which is written at once.

        Args:
            value: A value of any type that a tool may return; its own type decides how it is written.

        Raises:
            EncodingError: It has no JSON form (a TypeError and a ValueError).
        """
        from fcregistry.types import to_json_text  # heavy, and needed only here

        return cls("text", "text/plain", plain=to_json_text(value))

    @classmethod
    def image(cls, source: bytes | PathLike[str], *, media_type: str | None = None) -> Content:
        """Return an image.

        Args:
            source: The bytes of the image, or the path of its file (a `Path`, not a string), which is read at once.
            media_type: Such as `image/png`; by default, it is recognized by the bytes, else by the file's name.

        Raises:
            TypeError: The source is neither.
            ValueError: The source is empty, or is not an image, or its media type is not known.
            OSError: The file cannot be read.
        """
        return cls._make_media("image", source, media_type)

    @classmethod
    def audio(cls, source: bytes | PathLike[str], *, media_type: str | None = None) -> Content:
        """Return a sound.

        Args:
            source: The bytes of the sound, or the path of its file (a `Path`, not a string), which is read at once.
            media_type: Such as `audio/wav`; by default, it is recognized by the bytes, else by the file's name.

        Raises:
            TypeError: The source is neither.
            ValueError: The source is empty, or is not a sound, or its media type is not known.
            OSError: The file cannot be read.
        """
        return cls._make_media("audio", source, media_type)

    @classmethod
    def _make_media(cls, kind: Literal["image", "audio"], source: object, given: str | None) -> Content:
        """Return an image or a sound, after checking its source and its media type.

        Args:
            kind: `image` or `audio`.
            source: The bytes, or the path of the file.
            given: The media type that the caller names; None to take that of the bytes or the file's name.

        Raises:
            TypeError: The source is neither bytes nor a path, or the media type is not a string.
            ValueError: The source is empty, or the media type is unknown, not valid, not of this kind, or not that of an image's bytes.
            OSError: The file cannot be read.
        """
        maker = f"Content.{kind}"
        data, name = _read_source(maker, source)
        if not data:
            raise ValueError(f"{maker} takes {kind} data of at least one byte, not an empty source")
        shown = _media_type_of(data, name)
        media_type = shown if given is None else _check_media_type(given)
        if media_type is None:
            raise ValueError(f"{maker} does not recognize these bytes; give media_type='{kind}/…'")
        if not media_type.startswith(f"{kind}/"):
            raise ValueError(f"{maker} takes a media type {kind}/…, not {media_type}; Content.file takes all")
        if kind == "image" and given is not None and (_media_type_of(data) or media_type) != media_type:
            raise ValueError(f"{maker} was given the media type {media_type}, but the bytes are {shown}")
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
        """Return a file. If its media type is one of text, and it is valid UTF-8, the model gets its text.

        Args:
            source: The bytes of the file, or its path (a `Path`, not a string), which is read at once.
            media_type: Such as `application/pdf`; by default, it is recognized by the bytes, else by the name.
            name: The name that the model sees; by default, that of the path, else `file.pdf` and the like.
            uri: The identifier for MCP clients; by default, `file:///NAME`, which does not show the folder.

        Raises:
            TypeError: The source is neither.
            ValueError: The name, the URI or the media type is not valid.
            OSError: The file cannot be read.
        """
        from urllib.parse import quote  # only needed for files

        data, own_name = _read_source("Content.file", source)
        uri = None if uri is None else _check_uri(uri)
        called = own_name or (None if uri is None else _name_in(uri)) if name is None else _check_line("name", name)
        known = _media_type_of(data, called) if media_type is None else _check_media_type(media_type)
        media_type = known or UNKNOWN
        name = called or f"file{extension_of(media_type)}"
        uri = uri or f"file:///{quote(name, safe='', errors='replace')}"  # RFC 8089
        try:
            plain = data.decode() if _is_text(media_type) else None
        except UnicodeDecodeError:
            plain = None
        return cls("file", media_type, plain=plain, data=data if plain is None else None, name=name, uri=uri)

    @classmethod
    def link(
        cls, uri: str, *, name: str | None = None, media_type: str | None = None, description: str | None = None
    ) -> Content:
        """Return a link to something that the model, or its host, may fetch.

        Args:
            uri: The address, with its scheme (RFC 3986).
            name: The name that the model sees; by default, the end of the URI.
            media_type: The media type of what the link leads to, if it is known.
            description: What the link leads to, for the model.

        Raises:
            TypeError: An argument is not a string.
            ValueError: An argument is empty or has several lines, or the URI has no scheme.
        """
        uri = _check_uri(uri)
        return cls(
            "link",
            None if media_type is None else _check_media_type(media_type),
            name=_name_in(uri) if name is None else _check_line("name", name),
            uri=uri,
            description=None if description is None else _check_line("description", description),
        )

    @property
    def kind(self) -> Kind:
        """`text`, `image`, `audio`, `file` or `link`."""
        return self._kind

    @property
    def media_type(self) -> str | None:
        """The media type, such as `image/png`; None for a link if it is not known."""
        return self._media_type

    @property
    def plain(self) -> str | None:
        """The text as a string, if this content is text or a text file; None for any other content."""
        return self._plain

    @property
    def data(self) -> bytes:
        """The bytes; those of a text in UTF-8, and none for a link."""
        if self._data is not None:
            return self._data
        return (self._plain or "").encode("utf-8", "surrogatepass")

    @property
    def name(self) -> str | None:
        """The name of a file or a link; None for everything else."""
        return self._name

    @property
    def uri(self) -> str | None:
        """The address of a link, or the identifier of a file; None for everything else."""
        return self._uri

    @property
    def description(self) -> str | None:
        """What a link leads to, for the model; None for everything else."""
        return self._description

    @property
    def for_user(self) -> bool:
        """Whether it is for the user alone, as the block of a server may say.

        No model reads it: the program shows it.
        """
        return self._for_user

    @property
    def is_media(self) -> bool:
        """Whether it is bytes with a media type: an image, a sound or a file."""
        return self._kind in ("image", "audio", "file")

    @property
    def label(self) -> str:
        """Words that name the content, such as `[image: image/png, 68 bytes]`; empty for a text."""
        if self._kind == "text":
            return ""
        if self._kind == "link":
            facts = [self._name, self._uri, self._media_type, self._description]
        else:
            facts = [self._name, self._media_type, f"{len(self.data)} bytes"]
        return f"[{self._kind}: {', '.join(fact for fact in facts if fact)}]"

    def to_block(self) -> dict[str, Any]:
        """Return the content as a content block of the Model Context Protocol."""
        block = self._block()
        return {**block, "annotations": {"audience": ["user"]}} if self._for_user else block

    def _block(self) -> dict[str, Any]:
        """Return the content as a content block, without annotations."""
        match self._kind:
            case "text":
                return {"type": "text", "text": self._plain}
            case "image" | "audio":
                return {"type": self._kind, "data": base64_of(self.data), "mimeType": self._media_type}
            case "file":
                held = {"blob": base64_of(self.data)} if self._plain is None else {"text": self._plain}
                return {"type": "resource", "resource": {"uri": self._uri, "mimeType": self._media_type, **held}}
        shown = {"uri": self._uri, "name": self._name, "description": self._description, "mimeType": self._media_type}
        return {"type": "resource_link", **{name: value for name, value in shown.items() if value is not None}}

    @classmethod
    def from_block(cls, block: Mapping[str, Any]) -> Content:
        """Return the content of a content block of the Model Context Protocol.

        Args:
            block: A block as `to_block` returns it, or as a server writes it: an object with a `type`. If its `annotations` say that its
                only `audience` is the user, the content is `for_user`.

        Raises:
            ValueError: It is not such a block; the message says what is wrong with it.
        """
        if not isinstance(block, Mapping):
            raise ValueError(f"a content block is an object with a type, not {type(block).__name__}")  # noqa: TRY004  # from JSON
        sort = block.get("type")
        read = _READERS.get(sort) if isinstance(sort, str) else None
        if read is None:
            raise ValueError(f"a content block must have one of the types {', '.join(_READERS)}, not {sort!r:.50}")
        try:
            content = read(block, cls)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ValueError(f"a content block of the type {sort} cannot be read: {reason}") from error
        annotations = block.get("annotations")
        content._for_user = isinstance(annotations, Mapping) and annotations.get("audience") == ["user"]
        return content

    def __str__(self) -> str:
        return "\n".join(part for part in (self.label, self._plain) if part)

    def _fields(self) -> tuple[object, ...]:
        """Return the parts of the content as a tuple, for comparisons and hashes, which ignore for whom it is."""
        return (self._kind, self._media_type, self._plain, self._data, self._name, self._uri, self._description)

    def __eq__(self, other: object) -> bool:
        return self._fields() == other._fields() if isinstance(other, Content) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        return f"<Content {self.label or f'[text: {self._plain!r:.60}]'}>"


class ToolOutput:
    """Return value of a tool with different contents for the program and the model. Immutable.

    Args:
        value: For the program: `result.value`. Any Python object; it is never encoded or shown.
        content: For the model: a text, a `Content`, or several of them.

    Raises:
        TypeError: The content is something else.
    """

    __slots__ = ("_content", "_value")

    def __init__(self, *, value: object = None, content: str | Content | Iterable[str | Content]) -> None:
        parts = tuple(content) if hasattr(content, "__iter__") and not isinstance(content, str) else (content,)
        for part in parts:
            if not isinstance(part, (str, Content)):
                raise TypeError(
                    f"the content of a ToolOutput is text, Content, or a list of them, and contains {type(part).__name__}; "
                    "Content.json takes any JSON value"
                )
        self._content = tuple(Content.text(part) if isinstance(part, str) else part for part in parts)
        self._value = value

    @property
    def value(self) -> object:
        """For the program."""
        return self._value

    @property
    def content(self) -> tuple[Content, ...]:
        """For the model."""
        return self._content

    def __repr__(self) -> str:
        return f"ToolOutput(value={self._value!r}, content={self._content!r})"


class Output:
    """The encoded return value of a tool that is more than one short text. Immutable by convention.

    Attributes:
        value: The value for the program.
        content: The text for the model, if a provider accepts only text.
        parts: The pieces of content; none if it is a text that was cut.
        whole: The text or the pieces before they were cut; None if they were not.
    """

    __slots__ = ("content", "parts", "value", "whole")

    def __init__(
        self,
        value: object,
        content: str,
        parts: tuple[Content, ...] = (),
        whole: str | tuple[Content, ...] | None = None,
    ) -> None:
        self.value: object = value
        self.content: str = content
        self.parts: tuple[Content, ...] = parts
        self.whole: str | tuple[Content, ...] | None = whole


def parts_for_model(parts: tuple[Content, ...]) -> tuple[Content, ...]:
    """Return the pieces of content that a model reads: not those for the user alone.

    If those that are left have no text, the model reads that the rest is shown to the user.
    """
    if not any(part.for_user for part in parts):
        return parts
    read = tuple(part for part in parts if not part.for_user)
    return read if any(map(str, read)) else (Content.text("shown to the user"),)


def text_of(parts: tuple[Content, ...]) -> str:
    """Return pieces of content as the text that a model reads, for providers that accept only text."""
    return "\n".join(text for text in map(str, parts_for_model(parts)) if text)


# --- Content blocks ---


def base64_of(data: bytes) -> str:
    """Return bytes in base64 (RFC 4648, 4)."""
    return b2a_base64(data, newline=False).decode()


def _decode_base64(text: str) -> bytes:
    """Return the bytes of a text in base64, read strictly.

    Raises:
        ValueError: It is not base64.
    """
    try:
        return a2b_base64(text, strict_mode=True)
    except Error as error:
        raise ValueError(f"its data is not base64: {error}") from error


def _media_type(holder: Mapping[str, Any]) -> str | None:
    """Return the `mimeType` in `holder`, a part of a block, without its parameters; None if it has none."""
    given = holder.get("mimeType")
    return given if given is None else given.partition(";")[0].strip()


def _read_image(block: Mapping[str, Any], make: type[Content]) -> Content:
    """Return the image of a content block; its media type is that of the bytes if known, else the block's.

    Args:
        block: The block.
        make: The class `Content`.

    Raises:
        KeyError: The block has no data.
        TypeError, AttributeError: A value has the wrong type.
        ValueError: The data is not base64 or empty, or the media type is not that of an image.
    """
    data = _decode_base64(block["data"])
    shown = _media_type_of(data)  # models get this one, even if a server writes another
    return make.image(data, media_type=_media_type(block) if shown is None else None)


def _read_file(block: Mapping[str, Any], make: type[Content]) -> Content:
    """Return the file of a content block with a resource, from its text or its base64 `blob`.

    The media type of a text without one is `text/plain`.

    Args:
        block: The block.
        make: The class `Content`.

    Raises:
        KeyError: A key is missing.
        TypeError, AttributeError: A value has the wrong type.
        ValueError: The blob is not base64, or the URI or media type is not valid.
    """
    resource = block["resource"]
    data = resource["text"].encode() if "text" in resource else _decode_base64(resource["blob"])
    media_type = _media_type(resource) or ("text/plain" if "text" in resource else None)
    return make.file(data, media_type=media_type, uri=resource["uri"])


def _read_link(block: Mapping[str, Any], make: type[Content]) -> Content:
    """Return the link of a content block, with its name, media type and description, if it has them.

    Args:
        block: The block.
        make: The class `Content`.

    Raises:
        KeyError: The block has no URI.
        TypeError, AttributeError: A value has the wrong type.
        ValueError: A value is not valid.
    """
    description = block.get("description")
    return make.link(block["uri"], name=block.get("name"), media_type=_media_type(block), description=description)


_READERS: Final[dict[str, Callable[[Mapping[str, Any], type[Content]], Content]]] = {
    "text": lambda block, make: make.text(block["text"]),
    "image": _read_image,
    "audio": lambda block, make: make.audio(_decode_base64(block["data"]), media_type=_media_type(block)),
    "resource": _read_file,
    "resource_link": _read_link,
}


# --- Media types ---


_TOKEN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+")

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
)
_RIFF: Final = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
"""Media types by the ninth to twelfth byte of a RIFF file."""

_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_EXTENSIONS: Final = {
    ".docx": f"{_OFFICE}wordprocessingml.document",
    ".xlsx": f"{_OFFICE}spreadsheetml.sheet",
    ".pptx": f"{_OFFICE}presentationml.presentation",
    ".md": "text/markdown",
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
    ".webp": "image/webp",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".toml": "application/toml",
}
"""Extensions that Python's own table lacks in some version, or has with a media type that providers do not accept."""

_TEXT_TYPES: Final = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/toml", "application/javascript"}
)

UNKNOWN: Final = "application/octet-stream"
"""The media type of unknown bytes (RFC 2046, 4.5.1)."""


def _check_media_type(given: object) -> str:
    """Return `given`, a media type, in small letters.

    Raises:
        TypeError: It is not a string.
        ValueError: It is not of the form `type/subtype`.
    """
    if not isinstance(given, str):
        raise TypeError(f"media_type is a string such as 'image/png', not {type(given).__name__}")
    media_type = given.lower()
    sort, slash, rest = media_type.partition("/")
    if not (slash and sort and rest and _TOKEN.issuperset(sort) and _TOKEN.issuperset(rest)):
        raise ValueError(f"media_type is of the form 'image/png', without parameters, not {given!r:.100}")
    return media_type


def _media_type_of(data: bytes, name: str | None = None) -> str | None:
    """Return the media type of `data` by its first bytes, or else by the file's `name`; None if unknown."""
    for beginning, media_type in _SIGNATURES:
        if data.startswith(beginning):
            return media_type
    if data.startswith(b"RIFF") and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    return None if name is None else _guess_by_name(name)


def _guess_by_name(name: str) -> str | None:
    """Return the media type of a file by the extension of its name, in any case; None if unknown."""
    from mimetypes import MimeTypes  # only for a file with a name
    from pathlib import PurePath

    ending = PurePath(name).suffix.lower()
    known = _EXTENSIONS.get(ending)
    return known or MimeTypes().guess_type(f"x{ending}", strict=False)[0]  # Python's own table, not the machine's


def _is_text(media_type: str) -> bool:
    """Return whether a media type is text: `text/…`, in `_TEXT_TYPES`, or with `+json`, `+xml` or `+yaml`."""
    return (
        media_type.startswith("text/") or media_type in _TEXT_TYPES or media_type.endswith(("+json", "+xml", "+yaml"))
    )


def extension_of(media_type: str) -> str:
    """Return the ending of a file of a media type, with its dot; `.bin` if none is known."""
    for ending, known in _EXTENSIONS.items():
        if known == media_type:
            return ending
    from mimetypes import MimeTypes  # as above

    return MimeTypes().guess_extension(media_type, strict=False) or ".bin"


# --- Sources, names and URIs ---


_REST_OF_SCHEME: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")


def _read_source(maker: str, source: object) -> tuple[bytes, str | None]:
    """Return the bytes of a source, and the name of its file; None as the name if the source is bytes.

    Args:
        maker: The method that reads it, for messages.
        source: Bytes, a bytearray or memoryview, or a path object such as `Path`; not a path as a string.

    Raises:
        TypeError: It is none of these.
        OSError: The file cannot be read.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None
    if isinstance(source, str) or not hasattr(source, "__fspath__"):
        hint = "; pass Path(…) for a path, or .encode() for a text" if isinstance(source, str) else ""
        raise TypeError(f"{maker} takes bytes or a Path, not {type(source).__name__}{hint}")
    from pathlib import Path  # only where there is a file

    path = Path(source)
    return path.read_bytes(), path.name


def _check_line(what: str, given: object) -> str:
    """Return `given` unchanged if it is a text of one line; `what` names it in messages.

    Raises:
        TypeError: It is not a string.
        ValueError: It is empty or white space, or has a character that is not printable, such as a line feed.
    """
    if not isinstance(given, str):
        raise TypeError(f"{what} is a string, not {type(given).__name__}")
    if not given.strip() or not given.isprintable():
        raise ValueError(f"{what} must be a text of one line, and not empty, not {given!r:.100}")
    return given


def _check_uri(given: object) -> str:
    """Return `given` unchanged if it is a URI of one line with a scheme.

    Raises:
        TypeError: It is not a string.
        ValueError: It is empty, not one line, or has no scheme (RFC 3986, 3.1) or nothing after it.
    """
    uri = _check_line("uri", given)
    scheme, colon, rest = uri.partition(":")
    if not (colon and rest and scheme[:1].isalpha() and _REST_OF_SCHEME.issuperset(scheme.lower())):
        raise ValueError(f"uri must begin with a scheme, as 'file:///report.pdf' does, not {uri!r:.100}")
    return uri


def _name_in(uri: str) -> str:
    """Return the last part of a URI's path, unquoted; the whole URI if it is empty or not printable."""
    from urllib.parse import unquote, urlsplit  # only for a link without a name

    name = unquote(urlsplit(uri).path).rstrip("/").rpartition("/")[2]
    return name if name.isprintable() and name.strip() else uri


def fields_of(part: Content) -> tuple[Any, ...]:
    """Return what `part` consists of, for other rooms.

    The fields are its kind, media type, text, data, name, URI and description.
    """
    return part._fields()

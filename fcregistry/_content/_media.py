"""Which media type do some bytes have, by what they begin with or what their file is called?

Sources: RFC 6838 (names of media types), the signatures that the specifications of the formats give. A media type stands without parameters
here, which is how the providers take it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_TOKEN: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789!#$&-^_.+")

_BEGINNINGS: Final = (
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
"""What stands at the ninth byte of a RIFF file."""

_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_ENDINGS: Final = {
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
"""What Python's own table does not have in every version, or has under a name that providers do not take."""

_TEXTS: Final = frozenset(
    {"application/json", "application/xml", "application/yaml", "application/toml", "application/javascript"}
)

UNKNOWN: Final = "application/octet-stream"
"""Bytes of which no more is known (RFC 2046, 4.5.1)."""


def checked_media_type(given: object) -> str:
    """Return a media type in small letters.

    Raises:
        TypeError: It is no string.
        ValueError: It is not of the form `type/subtype`.
    """
    if not isinstance(given, str):
        raise TypeError(f"media_type is a string such as 'image/png', not {type(given).__name__}")
    media_type = given.lower()
    sort, slash, rest = media_type.partition("/")
    if not (slash and sort and rest and _TOKEN.issuperset(sort) and _TOKEN.issuperset(rest)):
        raise ValueError(f"media_type is of the form 'image/png', without parameters, not {given!r:.100}")
    return media_type


def media_type_of(data: bytes, name: str | None = None) -> str | None:
    """Return the media type that bytes show by their beginning, or else a file by its ending; None if neither tells."""
    for beginning, media_type in _BEGINNINGS:
        if data.startswith(beginning):
            return media_type
    if data.startswith(b"RIFF") and data[8:12] in _RIFF:
        return _RIFF[data[8:12]]
    return None if name is None else _by_name(name)


def _by_name(name: str) -> str | None:
    from mimetypes import MimeTypes  # not needed where a file is not named
    from pathlib import PurePath

    ending = PurePath(name).suffix.lower()
    known = _ENDINGS.get(ending)
    return known or MimeTypes().guess_type(f"x{ending}", strict=False)[0]  # Python's own table, not the machine's


def is_text(media_type: str) -> bool:
    """Tell whether bytes of a media type are text."""
    return media_type.startswith("text/") or media_type in _TEXTS or media_type.endswith(("+json", "+xml", "+yaml"))


def ending_of(media_type: str) -> str:
    """Return the ending of a file of a media type, with its dot; `.bin` where none is known."""
    for ending, known in _ENDINGS.items():
        if known == media_type:
            return ending
    from mimetypes import MimeTypes  # as above

    return MimeTypes().guess_extension(media_type, strict=False) or ".bin"

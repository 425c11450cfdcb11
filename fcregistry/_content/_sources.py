"""What was a piece of content given: bytes, a file, a name, a URI?"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_REST_OF_SCHEME: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-.")


def read_source(maker: str, source: object) -> tuple[bytes, str | None]:
    """Return the bytes of a source, and the name of its file if it is one.

    Args:
        maker: Who asks, for messages.
        source: Bytes, or a path.

    Raises:
        TypeError: It is neither.
        OSError: The file cannot be read.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), None
    if isinstance(source, str) or not hasattr(source, "__fspath__"):
        hint = "; of a path make a Path, of a text take .encode()" if isinstance(source, str) else ""
        raise TypeError(f"{maker} takes bytes or a Path, not {type(source).__name__}{hint}")
    from pathlib import Path  # only where there is a file

    path = Path(source)
    return path.read_bytes(), path.name


def decoded(data: bytes) -> str | None:
    """Return the text of bytes in UTF-8, or None if they are none."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def checked_line(what: str, given: object) -> str:
    """Return a text of one line.

    Raises:
        TypeError: It is no string.
        ValueError: It is empty, or has a character that ends lines or controls terminals.
    """
    if not isinstance(given, str):
        raise TypeError(f"{what} is a string, not {type(given).__name__}")
    if not given.strip() or not given.isprintable():
        raise ValueError(f"{what} is a text of one line, and not empty: {given!r:.100} is not")
    return given


def checked_uri(given: object) -> str:
    """Return a URI.

    Raises:
        TypeError: It is no string.
        ValueError: It has no scheme (RFC 3986, 3.1).
    """
    uri = checked_line("uri", given)
    scheme, colon, rest = uri.partition(":")
    if not (colon and rest and scheme[:1].isalpha() and _REST_OF_SCHEME.issuperset(scheme.lower())):
        raise ValueError(f"uri has its scheme in front, such as 'file:///report.pdf': {uri!r:.100} has none")
    return uri


def name_in(uri: str) -> str:
    """Return what a URI ends with, to be called by; the whole where that is nothing."""
    from urllib.parse import unquote, urlsplit  # only for a link without a name

    name = unquote(urlsplit(uri).path).rstrip("/").rpartition("/")[2]
    return name if name.isprintable() and name.strip() else uri


def file_uri(name: str) -> str:
    """Return the URI of a file of which only the name is told (RFC 8089)."""
    from urllib.parse import quote  # only where a block is made

    return f"file:///{quote(name, safe='', errors='replace')}"

"""Paths as models write them: relative to a root, checked as text before any file is touched."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from fcregistry.errors import ToolError

RESERVED: Final = ".fcregistry-"
"""How the names of unfinished files and of trash folders begin. No tool reads, lists or writes such a name."""
MOST_CHARACTERS: Final = 2_000
MOST_NAMES: Final = 64

_WINDOWS_DEVICES: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:[ .].*)?", re.IGNORECASE
)
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def split_path(path: str, *, windows: bool = os.name == "nt") -> tuple[str, ...]:
    """Return the names of a path below a root; none for the root itself.

    Args:
        path: The path, with `/` between names (on Windows, backslashes too). `.` and empty names are left out.
        windows: Whether to refuse what Windows would read as another name, such as `NUL` or `C:a`.

    Raises:
        ToolError: It is absolute, contains `..`, a reserved name, or characters that no name may have.
    """
    if len(path) > MOST_CHARACTERS:
        raise ToolError(f"the path has {len(path)} characters; a path has at most {MOST_CHARACTERS}")
    text = path.replace("\\", "/") if windows else path
    if text.startswith(("/", "~/")) or text == "~" or (windows and re.match(r"[A-Za-z]:", text)):
        raise ToolError(f"{quote(path)} is not relative: write the path from the root folder, such as 'data/a.csv'")
    names = tuple(name for name in text.split("/") if name not in ("", "."))
    if len(names) > MOST_NAMES:
        raise ToolError(f"the path has {len(names)} names; a path has at most {MOST_NAMES}")
    for name in names:
        if problem := name_problem(name, windows=windows):
            raise ToolError(f"{quote(path)} cannot be used: {problem}")
    return names


def name_problem(name: str, *, windows: bool = os.name == "nt") -> str | None:
    """Return the reason why the tools cannot use a single name, or None if they can.

    Args:
        name: The name of a file or folder.
        windows: Whether the rules of Windows apply too.
    """
    if name == "..":
        return "'..' is not allowed; write the path from the root folder"
    if any(unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") or mark in _BIDI for mark in name):
        return "a name has control characters, or is not valid Unicode"
    if is_reserved(name):
        return f"names that begin with {RESERVED!r} are reserved"
    if windows and (_WINDOWS_DEVICES.fullmatch(name) or name[-1] in " ." or re.search(r'[<>:"|?*]|~[0-9]', name)):
        return f"{quote(name)} is not a plain name on Windows"
    return None


def is_reserved(name: str) -> bool:
    """Return whether a name is reserved for this package.

    Names are compared as by file systems that ignore case and Unicode forms.

    Args:
        name: The name of a file or folder.
    """
    return fold(name).startswith(RESERVED)


def order_key(root: str, names: Sequence[str]) -> str:
    """Return the key of a path for `reads=` and `writes=`.

    All spellings that a file system may take for one file have one key.

    Args:
        root: The root's real path.
        names: The names of the path below it.
    """
    return fold("/".join((root.replace("\\", "/").rstrip("/"), *names)))


def quote(name: str) -> str:
    """Return a path or name in quotation marks for a message, on one line and with escapes.

    Args:
        name: Any text.
    """
    text = name if len(name) <= 200 else f"{name[:120]}…{name[-60:]}"
    return f"'{escape(text)}'"


def escape(name: str) -> str:
    """Return a name with its control characters and lone surrogates written as escapes.

    Args:
        name: Any text.
    """
    return "".join(
        mark.encode("unicode_escape").decode("ascii")
        if unicodedata.category(mark) in ("Cc", "Cs", "Zl", "Zp") or mark in _BIDI
        else mark
        for mark in name
    )


def fold(text: str) -> str:
    """Return text without case and Unicode forms, so that equal names of files are equal texts.

    File systems may take several spellings for one name.

    Args:
        text: A name or path.
    """
    # HFS+ ignores some of the invisible characters (category Cf)
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(mark for mark in plain if unicodedata.category(mark) != "Cf")

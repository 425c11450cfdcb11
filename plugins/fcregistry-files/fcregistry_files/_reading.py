"""The tools that read one file or folder: `read_file`, `list_directory`, `file_info`."""

from __future__ import annotations

import mimetypes
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from annotated_types import Interval
from fcregistry.errors import ToolError
from fcregistry.execution import Content

from fcregistry_files._folder import Kind, kind_of
from fcregistry_files._paths import escape, is_reserved, name_problem, quote, split_path
from fcregistry_files._text import Encoding, Text, count_lines, line_place, unix
from fcregistry_files._workspace import Workspace

_MOST_ENTRIES = 1_000
_SHOWN_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a folder.

    Attributes:
        name: Its name.
        kind: What it is. Links, devices, pipes and sockets cannot be used.
        size: The bytes of a file.
        modified: When a file was last changed.
    """

    name: str
    kind: Kind
    size: int | None = None
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of a folder.

    Attributes:
        entries: The entries, sorted by name.
        note: What is left out, if anything is.
    """

    entries: list[Entry]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Info:
    """What is known of a file or folder without showing its content.

    Attributes:
        kind: What it is.
        size: The bytes of a file.
        modified: When it was last changed.
        permissions: As `ls -l` writes them.
        hard_links: How many names a file has.
        media_type: The kind of content, from the name.
        encoding: The encoding of a text file; absent if the file is not text, or too large.
        line_ends: The line ends of a text file.
        lines: How many lines a text file has.
    """

    kind: Kind
    size: int | None
    modified: datetime
    permissions: str
    hard_links: int | None = None
    media_type: str | None = None
    encoding: str | None = None
    line_ends: Literal["LF", "CRLF", "mixed"] | None = None
    lines: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The tools that read one file or folder.

    Attributes:
        workspace: What they share with other tools of the root.
    """

    workspace: Workspace

    def read_file(
        self,
        path: str,
        start: Annotated[int, Interval(ge=1)] = 1,
        lines: Annotated[int, Interval(ge=1, le=10_000)] = 2_000,
        encoding: Encoding | None = None,
    ) -> str | Content:
        """Read a file: a text file as text, an image or a PDF file as such.

        A long text is returned in parts; a note at its end says how to continue.

        Args:
            path: The path of the file, relative to the root folder, e.g. data/a.csv.
            start: The first line to return, counted from 1.
            lines: How many lines to return at most.
            encoding: The encoding of a text file. By default it is recognized: UTF-8, or UTF-16 with a byte order mark.
        """
        data = self.workspace.read(path)
        content = _medium(data, path) if encoding is None else None
        if content is not None:
            return content
        text = Text.of(data, path, encoding).text
        return _part(text, path, start, lines, self.workspace.max_characters)

    def list_directory(self, path: str = ".") -> Listing:
        """List the files and folders in a folder, not those below them.

        Args:
            path: The path of the folder, relative to the root folder; the root folder itself by default.
        """
        entries: list[Entry] = []
        unusable: list[str] = []
        with self.workspace.root.folder(path) as folder:
            names = [name for name in folder.names() if not is_reserved(name)]
            for name in names:
                if name_problem(name):
                    unusable.append(escape(name))
                elif len(entries) < _MOST_ENTRIES and (status := folder.find(name)):
                    kind = kind_of(status)
                    is_file = kind == "file"
                    entries.append(
                        Entry(
                            name, kind, status.st_size if is_file else None, _time(status.st_mtime) if is_file else None
                        )
                    )
        notes = []
        if len(names) - len(unusable) > _MOST_ENTRIES:
            notes.append(f"The first {_MOST_ENTRIES} of {len(names)} entries; find_files finds others by a pattern.")
        if unusable:
            some = ", ".join(quote(name) for name in unusable[:5])
            notes.append(f"{len(unusable)} names that no tool can use are left out: {some}")
        return Listing(entries, " ".join(notes) or None)

    def file_info(self, path: str) -> Info:
        """Get facts about a file or folder, without its content.

        They are its size, time and permissions, and the encoding, line ends and number of lines of a text.

        Args:
            path: The path, relative to the root folder.
        """
        root = self.workspace.root
        if not split_path(path):
            with root.folder(path) as folder:
                status = folder.stat()
        else:
            with root.parent(path) as (folder, name):
                status = folder.stat(name)
        kind, modified, permissions = kind_of(status), _time(status.st_mtime), stat.filemode(status.st_mode)
        if kind != "file":
            return Info(kind, None, modified, permissions)
        encoding, line_ends, count = self._text_facts(path, status.st_size)
        return Info(
            kind,
            status.st_size,
            modified,
            permissions,
            status.st_nlink,
            mimetypes.guess_type(path)[0],
            encoding,
            line_ends,
            count,
        )

    def _text_facts(self, path: str, size: int) -> tuple[str | None, Literal["LF", "CRLF", "mixed"] | None, int | None]:
        """Return the encoding, the line ends and the number of lines of a text file.

        For any other file, each of these is None.
        """
        if size > self.workspace.max_bytes:
            return None, None, None
        try:
            text, _ = self.workspace.read_text(path, remember=False)
        except ToolError:
            return None, None, None  # not text, or refused: the other facts are still true
        windows, all_ends = text.text.count("\r\n"), text.text.count("\n")
        ends: Literal["LF", "CRLF", "mixed"] = "LF" if not windows else "CRLF" if windows == all_ends else "mixed"
        return text.encoding, ends if all_ends else None, count_lines(text.text)


def _medium(data: bytes, path: str) -> Content | None:
    """Return `data`, the bytes of the file `path`, as content if it is an image or a PDF file, else None."""
    content = Content.file(data, name=path.rstrip("/").rpartition("/")[2])
    if content.plain is not None or content.media_type not in _SHOWN_TYPES:
        return None
    if content.media_type == "application/pdf":
        return content if data.startswith(b"%PDF-") else None
    try:
        return Content.image(data)
    except ValueError:
        return None  # only its name says that it is an image


def _part(text: str, path: str, start: int, count: int, most: int) -> str:
    """Return `count` lines of `text` from line `start` on, with a note if that is not the whole text.

    At most `most` characters are returned. Raise `ToolError` if the file `path` has no line `start`.
    """
    if not text:
        return f"[{path} is empty]"
    total = count_lines(text)
    if start > total:
        raise ToolError(f"{quote(path)} has {total} lines; there is no line {start}")
    first = line_place(text, start - 1)
    # Only what is returned gets Unix line ends, which may halve its length
    piece = unix(text[first : min(line_place(text, count, first), first + 2 * most + 2)])
    whole = piece if len(piece) <= most else piece[: piece.rfind("\n", 0, most) + 1]
    last = start + max(count_lines(whole), 1) - 1
    more = f"; continue with start={last + 1}" if last < total else ""
    if not whole:
        length = len(unix(text[first : line_place(text, 1, first)]))
        return f"{piece[:most]}\n[line {start} of {total} has {length} characters: the first {most} are shown{more}]"
    if start == 1 and last == total:
        return whole
    place = f"line {start}" if start == last else f"lines {start}-{last}"
    return f"{whole}{'' if whole.endswith(chr(10)) else chr(10)}[{place} of {total}{more}]"


def _time(seconds: float) -> datetime:
    """Return a time of the file system, in `seconds` since 1970, as a datetime in UTC."""
    return datetime.fromtimestamp(int(seconds), UTC)

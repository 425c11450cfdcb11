"""Limits of what a model reads of a result, and the tool `read_result`, which reads the rest.

Long texts are cut in the middle, and large media left out. The whole is stored in files, or in the `KeptResults` of a run or conversation, which
has only so much of it in memory.
An executor with `keep=…` has the tool, but does not list it: once there is a result in the `KeptResults`, the model is offered the tool.
No run can read the results of another run. Few executors have limits, and only those import this module.
"""

from __future__ import annotations

import os
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from sys import getsizeof
from typing import TYPE_CHECKING, Annotated, Any, Final

from annotated_types import Interval

from fcregistry._base import slots
from fcregistry._results.content import Content, Output, extension_of, text_of
from fcregistry._results.context import Context
from fcregistry._tools.tool import Tool
from fcregistry.errors import ToolError

if TYPE_CHECKING:
    from os import PathLike

    from fcregistry._results.result import ToolResult

_LEAST: Final = 200
"""The lowest limit of characters. With less, there would be room for little more than the line about the cut."""


READ_RESULT: Final = "read_result"
"""The name of the tool that reads kept results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultLimits:
    """How much of a result a model reads.

    Attributes:
        characters: The most characters of its text, with the line about a cut, but without the words that name an image or a file; None
            for any number.
        media_bytes: The most bytes of all its images, sounds and files that are not text; None for any number.
        keep: True if the text of a result that is cut is kept for the model of the run; a folder if it is also stored there.
        kept_bytes: The most bytes of results that were cut that a run has in memory; None for any number.

    Raises:
        TypeError: An argument is of another type.
        ValueError: A limit is too small, or results are kept although none is cut.
    """

    characters: int | None = None
    media_bytes: int | None = None
    keep: str | PathLike[str] | bool | None = None
    kept_bytes: int | None = None

    def __post_init__(self) -> None:
        numbers = (self.characters, _LEAST), (self.media_bytes, 0), (self.kept_bytes, 0)
        for what, (number, least) in zip(("characters", "bytes", "kept bytes"), numbers, strict=True):
            if number is None:
                continue
            if type(number) is not int:
                raise TypeError(f"a limit of {what} must be a whole number or None, not {number!r}")
            if number < least:
                raise ValueError(f"a limit of {what} must be at least {least}, not {number}")
        if self.keep is True and self.characters is None:
            raise ValueError("keep=True keeps texts that are cut: give max_characters, too")
        if self.characters is None and self.media_bytes is None:
            raise ValueError("keep=… stores what is cut: give max_characters or max_bytes, too")
        if self.folder is not None:
            object.__setattr__(self, "keep", self.folder)  # a TypeError now, and not at the first result

    @property
    def folder(self) -> Path | None:
        """The folder in which results that are cut are stored whole; None if there is no such folder."""
        return None if not self.keep or self.keep is True else Path(self.keep)

    @property
    def readers(self) -> list[Tool]:
        """A list of the tool that reads kept results; empty if no text is kept."""
        if not self.keep or self.characters is None:
            return []
        reader = ResultReader(self.characters)
        return [Tool.from_function(reader, name=READ_RESULT, read_only=True, idempotent=True, open_world=False)]

    @property
    def deps(self) -> list[KeptResults]:
        """A list with an empty `KeptResults`, which the tool in `readers` needs; empty without that tool."""
        return [self.kept_results()] if self.readers else []

    def kept_results(self) -> KeptResults:
        """Return a new `KeptResults` for a run."""
        return KeptResults(most=self.kept_bytes, is_read=bool(self.keep) and self.characters is not None)

    def apply(self, made: str | Output, value: object) -> str | Output:
        """Return the output of a tool, cut if it is too long.

        Args:
            made: What `output_of` returned.
            value: What the tool returned.
        """
        if isinstance(made, str):
            if self.characters is None or len(made) <= self.characters:
                return made
            return Output(value, "".join(self._cut([made], *kept_text(made, value))), (), made)
        parts = self._without_large_media(self._without_long_texts(made.parts))
        if parts is made.parts:
            return made
        return Output(made.value, text_of(parts), parts, made.parts)

    def _without_large_media(self, parts: tuple[Content, ...]) -> tuple[Content, ...]:
        """Return `parts` with a text in place of each medium that does not fit; `parts` itself if all fit.

        A medium that does not fit is stored in the folder, if there is one. Smaller media after it may still fit.
        """
        if self.media_bytes is None or sum(map(_size, parts)) <= self.media_bytes:
            return parts
        room, kept = self.media_bytes, []
        for part in parts:
            if _size(part) <= room:
                room -= _size(part)
                kept.append(part)
            else:
                where = self._store(part.data, extension_of(part.media_type or ""))
                reason = f"is left out: a result has at most {self.media_bytes} bytes of media; the whole {where}"
                kept.append(Content.text(f"[{part.label[1:-1]}, {reason}]"))
        return tuple(kept)

    def _without_long_texts(self, parts: tuple[Content, ...]) -> tuple[Content, ...]:
        """Return `parts` with the middle of their texts cut as if they were one, or `parts` itself if all fit.

        A part that was cut becomes a text; text parts that are empty then are left out.
        """
        texts = ["" if part.for_user else part.plain or "" for part in parts]
        if self.characters is None or sum(map(len, texts)) <= self.characters:
            return parts
        pieces = self._cut(texts, *kept_text(parts, None))
        shortened = (
            part if text == piece else Content.text("\n".join(filter(None, (part.label, piece))))
            for part, text, piece in zip(parts, texts, pieces, strict=True)
        )
        return tuple(part for part in shortened if part.kind != "text" or part.plain)

    def _cut(self, texts: list[str], whole: str, ending: str) -> list[str]:
        """Return as many texts as `texts`, without the middle of their concatenation; some may be empty.

        Where the cut begins, a line says how much is left out and where the whole text is. That is stored in the
        folder, if there is one, unless `keep` is True.

        Args:
            texts: The texts, together longer than the limit.
            whole: The whole text to keep.
            ending: The end of the name under which it is kept.
        """
        assert self.characters is not None
        text = "".join(texts)
        data = whole.encode("utf-8", "backslashreplace")
        name = kept_name(data, ending)
        where = f"is kept as {name}; {READ_RESULT} reads it" if self.keep is True else self._store(data, ending)
        room = self.characters - len(_cut_line(len(text), len(text), where))
        head, tail = middle_cut(text, max(room, 0))
        pieces, start = [], 0
        for each in texts:
            end = start + len(each)
            line = _cut_line(tail - head, len(text), where) if start <= head < end else ""
            pieces.append(text[start : min(head, end)] + line + text[max(tail, start) : end])
            start = end
        return pieces

    def _store(self, data: bytes, ending: str) -> str:
        """Write bytes to the folder, if there is one, and return a predicate that says where they are.

        If they cannot be written, the predicate says so. `ending` is the extension of the file.
        """
        if self.folder is None:
            return "is in result.whole"
        try:
            return f"is kept in {store_whole(self.folder, data, ending)}"
        except OSError as error:
            reason = error.strerror or type(error).__name__
            return f"could not be kept in {self.folder} ({reason}), and is in result.whole"


def kept_text(whole: str | tuple[Content, ...], value: object) -> tuple[str, str]:
    """Return the text of a result before it was cut, and the end of the name under which it is kept.

    Args:
        whole: The text, or the content.
        value: What the tool returned.
    """
    if isinstance(whole, str):
        return whole, ".txt" if isinstance(value, str) else ".json"
    return "\n".join(part.plain for part in whole if part.plain and not part.for_user), ".txt"


def kept_name(data: bytes, ending: str) -> str:
    """Return the name under which bytes are kept: their digest, so equal bytes have one name.

    Args:
        data: The bytes.
        ending: The end of the name, with its dot.
    """
    from hashlib import sha256  # only for what is too long

    return f"{sha256(data).hexdigest()[:16]}{ending}"


def _cut_line(left_out: int, total: int, where: str) -> str:
    """Return the line, between line feeds, that replaces `left_out` of `total` characters.

    `where` is the predicate that says where the whole is.
    """
    return f"\n[… {left_out} of {total} characters are left out here; the whole {where} …]\n"


def _size(part: Content) -> int:
    """Return how many bytes of media a model gets of a part; 0 for text, also for media that are text."""
    return len(part.data) if part.is_media and part.plain is None and not part.for_user else 0


_UNITS: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # two escapes that are one character (RFC 8259, 7)
    r"|\\u[0-9a-fA-F]{4}|\\."
    r"|[\ud800-\udbff][\udc00-\udfff]"
    r"|\r\n",
    re.DOTALL,
)

"""The sequences of characters that are not cut: escapes, pairs of surrogates, and line ends."""

_LONGEST_UNIT: Final = 12


def middle_cut(text: str, room: int) -> tuple[int, int]:
    """Return the end of the head and the start of the tail of a text that have `room` characters.

    Neither place is inside of an escape, a pair of surrogates, or a line end of two characters.

    Args:
        text: A text longer than the room.
        room: How many characters may remain.
    """
    head = (room + 1) // 2
    tail = len(text) - (room - head)
    return _safe_places(text, head)[0], _safe_places(text, tail)[1]


def _safe_places(text: str, place: int) -> tuple[int, int]:
    """Return the nearest offsets, up to `place` and from it on, that are not inside a match of `_UNITS`.

    Both are `place` if it is not inside a match.
    """
    start = max(0, place - _LONGEST_UNIT)
    while start > 0 and text[start - 1] == "\\":  # the first of several backslashes says which of them escape
        start -= 1
    for unit in _UNITS.finditer(text, start, place + _LONGEST_UNIT):
        if unit.start() < place < unit.end():
            return unit.span()
    return place, place


def store_whole(folder: Path, data: bytes, ending: str) -> Path:
    """Write bytes to a folder, for its owner alone, and return the path of the file.

    The file's name is a digest of the bytes, so equal bytes have one file. It is written whole or not at all, and a link of its name is
    replaced, not followed.

    Args:
        folder: The folder, which is made if it does not exist.
        data: The bytes.
        ending: The end of the name, with its dot.

    Raises:
        OSError: The folder or the file cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / kept_name(data, ending)
    partial = folder / f".{os.urandom(16).hex()}"
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        partial.replace(path)
    except BaseException:  # whatever ends the writing leaves nothing half written
        partial.unlink(missing_ok=True)
        raise
    return path


# --- Reading the rest ---

_SHOWN_IDS: Final = 5
"""The most ids that an error lists."""


_MOST_ON_DISK: Final = 2**30
"""The most bytes of the files of one run. Beyond that, the oldest are removed."""


class KeptResults:
    """The results of one run, or one conversation, of which the model saw only a part.

    It has the whole texts by the ids that the model reads in place of what was cut. Some are in memory, and the others in files, which are
    removed with this object. It is not a mapping: it is one of the `deps` of calls, and a tool may ask for a mapping of the application.

    Args:
        most: The most bytes of texts in memory, and the most bytes of results that `retain` leaves whole; None for any number.
        is_read: Whether a model can read the texts: without that, there are none.
    """

    def __init__(self, *, most: int | None = None, is_read: bool = True) -> None:
        self._most = most
        self._is_read = is_read
        self._texts: dict[str, str] = {}
        self._files: dict[str, tuple[Path, int]] = {}
        self._text_bytes = self._file_bytes = self._retained_bytes = 0
        self._folder: Path | None = None

    def __bool__(self) -> bool:
        return bool(self._texts or self._files)

    def get(self, id: str) -> str | None:
        """Return the text with an id; None if there is none, or if another program has removed its file."""
        if id not in self._files:
            return self._texts.get(id)
        try:
            return self._files[id][0].read_bytes().decode("utf-8", "surrogatepass")
        except OSError:
            return None

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield each id with its text, if that can still be read."""
        for name in (*self._texts, *self._files):
            if (text := self.get(name)) is not None:
                yield name, text

    def note(self, results: Iterable[ToolResult]) -> None:
        """Keep the whole of each result that was cut, if the model has read its id."""
        for result in results if self._is_read else ():
            if result.whole is None:
                continue
            text, ending = kept_text(result.whole, result.value)
            name = kept_name(text.encode("utf-8", "backslashreplace"), ending)
            if name in result.content:  # not if only an image was left out, or the folder could not be written
                self.add(name, text)

    def add(self, id: str, text: str) -> None:
        """Keep a text, in a file if there is no more room for it in memory.

        Args:
            id: Its id.
            text: The text.
        """
        if id in self._texts or id in self._files:
            return
        size = getsizeof(text)
        if self._most is None or self._text_bytes + size <= self._most:
            self._text_bytes += size
            self._texts[id] = text
            return
        try:
            self._store(id, text.encode("utf-8", "surrogatepass"))
        except OSError as error:
            from logging import getLogger  # only on the way to an error

            getLogger("fcregistry").warning("the result %s cannot be kept for read_result: %s", id, error)

    def retain(self, results: Iterable[ToolResult]) -> tuple[ToolResult, ...]:
        """Return `results` as a run has them once they were reported.

        Those that were cut are without their value and their whole if there is no more room for these.
        """
        return tuple(
            each if each.whole is None or self._has_room(each.whole) else each.without_whole() for each in results
        )

    def with_deps(self, deps: Sequence[Any]) -> Sequence[Any]:
        """Return the `deps` of calls, with these results if there are any."""
        return (*deps, self) if self else deps

    def find(self, id: str) -> str:
        """Return the whole text with an id; `id` may also be the path of its file.

        Raises:
            ToolError: No result of this id was kept.
        """
        text = self.get(id.replace("\\", "/").rpartition("/")[2])
        if text is None:
            known = ", ".join([*self._texts, *self._files][-_SHOWN_IDS:]) or "none"
            raise ToolError(f"no result is kept under the id {id!r:.80}; the ids of this run: {known}")
        return text

    def _has_room(self, whole: str | tuple[Content, ...]) -> bool:
        """Return whether one more result can be left whole, and count it if so."""
        size = getsizeof(whole) if isinstance(whole, str) else sum(map(_memory, whole))
        if self._most is not None and self._retained_bytes + size > self._most:
            return False
        self._retained_bytes += size
        return True

    def _store(self, id: str, data: bytes) -> None:
        """Write a text to a file of this run, and remove the oldest files if they are too large together."""
        if self._folder is None:
            from tempfile import mkdtemp  # few runs need it

            self._folder = Path(mkdtemp(prefix="fcregistry-"))
            weakref.finalize(self, _remove_folder, self._folder, os.getpid())
        self._files[id] = (store_whole(self._folder, data, Path(id).suffix), len(data))
        self._file_bytes += len(data)
        while self._file_bytes > _MOST_ON_DISK:
            path, size = self._files.pop(next(iter(self._files)))
            self._file_bytes -= size
            path.unlink(missing_ok=True)


def _remove_folder(folder: Path, owner: int) -> None:
    """Remove `folder` with its files, unless this process was forked from the process `owner`."""
    if os.getpid() == owner:
        from shutil import rmtree  # few runs need it

        rmtree(folder, ignore_errors=True)


def _memory(part: Content) -> int:
    """Return about how many bytes of memory a part takes."""
    return len(part.data) if part.plain is None else getsizeof(part.plain)


class ResultReader:
    """The function of the tool `read_result`.

    Args:
        most: The most characters that a result may have.
    """

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(
        self,
        id: str,
        offset: Annotated[int, Interval(ge=0)] = 0,
        limit: Annotated[int, Interval(ge=1)] | None = None,
        pattern: str = "",
        *,
        context: Context[KeptResults],
    ) -> str:
        """Read more of a result of which you saw only a part.

        Give offset to read on from a place, or pattern to find lines.

        Args:
            id: The file name in the line that says how many characters are left out.
            offset: The character to begin with; 0 is the first.
            limit: The most characters to read.
            pattern: A regular expression, without look-around and back-references. Only lines that match it are returned, each after its
                offset.
            context: The call, with the results of its run.
        """
        text = context.deps.find(id)
        longest = _last_line(len(text), len(text), len(text) + 1)
        room = max(self.most - len(longest), 1)
        room = room if limit is None else min(limit, room)
        if offset >= len(text):
            raise ToolError(f"offset {offset} is behind the end: the result has {len(text)} characters")
        if not pattern:
            end = min(offset + room, len(text))
            return text[offset:end] + _last_line(offset, end, len(text))
        found, end = _matching_lines(text, offset, room, _matcher(pattern))
        return (found or "no line matches") + _last_line(offset, end, len(text))


def _last_line(begin: int, end: int, total: int) -> str:
    """Return the last line of an answer, after a line feed: its range, and how to read on, if need be."""
    more = f"; read on with offset={end}" if end < total else ""
    return f"\n[characters {begin} to {end} of {total}{more}]"


def _matching_lines(text: str, offset: int, room: int, matches: Callable[[str], bool]) -> tuple[str, int]:
    """Return the matching lines, each as `offset: line`, and the offset at which to read on.

    The offset is that of the first matching line that did not fit, or the length of `text` if all fit.

    Args:
        text: The text.
        offset: The character to begin with.
        room: How many characters may be returned. If the first matching line is longer, it is cut, and reading goes on after it.
        matches: Returns whether a line matches.
    """
    found = ""
    for begin, line in _lines(text, offset):
        if not matches(line):
            continue
        shown = f"{begin}: {line}\n"
        if len(found) + len(shown) - 1 > room:
            return (found or shown[:room]).rstrip("\n"), begin if found else begin + len(line)
        found += shown
    return found.rstrip("\n"), len(text)


def _lines(text: str, offset: int) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of each line of `text` from `offset` on, without its LF or CRLF."""
    while offset < len(text):
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end
        yield offset, text[offset:end].removesuffix("\r")
        offset = end + 1


def _matcher(pattern: str) -> Callable[[str], bool]:
    """Return a function that returns whether a line matches a regular expression, in linear time.

    Raises:
        ToolError: The linear-time engine is not installed, or does not support the pattern.
    """
    from fcregistry._schema.drafts import SchemaError  # heavy

    try:
        return slots.pattern_matcher(pattern)
    except SchemaError as error:
        raise ToolError(str(error)) from None

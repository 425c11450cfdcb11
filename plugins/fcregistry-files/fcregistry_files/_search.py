"""The tools that look for files and for lines in them: `find_files`, `search_files`."""

from __future__ import annotations

import fnmatch
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Final

from annotated_types import Interval, Len
from fcregistry import Context
from fcregistry.errors import ToolError

from fcregistry_files._folder import Folder, kind_of
from fcregistry_files._paths import MOST_NAMES, is_reserved, name_problem, quote, split_path
from fcregistry_files._pattern_pool import PatternSearch, SearchStoppedError, late, pattern_search
from fcregistry_files._ripgrep import batch_size, may_match, program, widen
from fcregistry_files._text import Text
from fcregistry_files._workspace import Workspace

_MOST_ENTRIES: Final = 200_000
_MOST_BRACES: Final = 100
_MOST_TEXTS: Final = 256
_MOST_BYTES: Final = 2**18
"""How many texts are searched together, and from how many bytes on none is added to them."""


@dataclass(frozen=True, slots=True)
class Found:
    """The files that match a pattern.

    Attributes:
        paths: Their paths, in order.
        note: What was left out, if anything was.
    """

    paths: list[str]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """A line that matches.

    Attributes:
        path: The path of the file.
        line: The number of the line, from 1.
        text: The line, or the part of a long line around the match.
    """

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Matches:
    """The lines that match a pattern.

    Attributes:
        matches: The lines, in order of path and number.
        note: What was left out, if anything was.
    """

    matches: list[Match]
    note: str | None = None


@dataclass(slots=True)
class _Walk:
    """One walk through a folder.

    It counts the entries that it cannot look at, and records where it is when the time is over.
    """

    context: Context
    until: float
    entries: int = 0
    unreadable: int = 0
    unusable: int = 0
    cut: bool = False
    late_at: str | None = None

    def files(self, folder: Folder, above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Folder]]:
        """Yield the path of each regular file in `folder` and below, as names, and its open folder, sorted.

        `above` are the names of the path of `folder`.
        """
        try:
            names = folder.names()
        except OSError:
            self.unreadable += 1
            return
        for name in names:
            self.entries += 1
            self.context.cancellation.check()
            if time.monotonic() > self.until:
                self.late_at = self.late_at or "/".join((*above, name))
                return
            if self.entries > _MOST_ENTRIES:
                self.cut = True
                return
            if name_problem(name):
                self.unusable += not is_reserved(name)
                continue
            try:
                status = folder.find(name)
                kind = kind_of(status) if status else "other"
                below = folder.folder(name) if kind == "folder" and len(above) < MOST_NAMES else None
            except (OSError, ToolError):
                self.unreadable += 1
                continue
            if kind == "file":
                yield (*above, name), folder
            elif below is not None:
                with below:
                    yield from self.files(below, (*above, name))

    def notes(self) -> list[str]:
        """Return sentences that say what was left out."""
        notes = []
        if self.cut:
            notes.append(f"Only the first {_MOST_ENTRIES:,} files and folders were looked at; use a path below.")
        if self.unreadable:
            notes.append(f"{self.unreadable} files or folders could not be read.")
        if self.unusable:
            notes.append(f"{self.unusable} names that no tool can use were left out.")
        return notes


@dataclass(slots=True, kw_only=True)
class _Search:
    """One search for lines: the pattern, the files and texts that wait, and the matches so far."""

    workspace: Workspace
    pattern: PatternSearch
    ignore_case: bool
    limit: int
    until: float
    rg: str | None = None
    wider: str = ""
    waiting: list[tuple[str, int]] = field(default_factory=list)
    texts: list[tuple[str, bytes]] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    at: str | None = None
    unreadable: int = 0
    too_large: int = 0

    @property
    def is_full(self) -> bool:
        """Whether there are more lines than wanted."""
        return len(self.matches) > self.limit

    def add(self, folder: Folder, name: str, path: str) -> None:
        """Search the file `name` in `folder`, at once or later; `path` is its path in the results.

        Raises:
            SearchStoppedError: The search takes too much time or memory.
        """
        try:
            descriptor = folder.open_file(name, hard_links=self.workspace.root.hard_links)
        except (ToolError, OSError):
            self.unreadable += 1
            return
        if os.fstat(descriptor).st_size > self.workspace.max_bytes:
            self.too_large += 1
            os.close(descriptor)
            return
        self.waiting.append((path, descriptor))
        if len(self.waiting) >= (batch_size() if self.rg else 1):
            self._read_all()

    def finish(self) -> None:
        """Search the files and texts that wait.

        Raises:
            SearchStoppedError: The search takes too much time or memory.
        """
        self._read_all()
        self._search_texts()

    def close(self) -> None:
        """Close the files that still wait."""
        waiting, self.waiting = self.waiting, []
        for _, descriptor in waiting:
            os.close(descriptor)

    def _read_all(self) -> None:
        """Read those of the waiting files that may match, and close all of them."""
        waiting, self.waiting = self.waiting, []
        try:
            chosen = {descriptor for _, descriptor in waiting}
            if self.rg and waiting:
                seconds, self.at = max(self.until - time.monotonic(), 0.001), waiting[0][0]
                chosen = may_match(self.rg, self.wider, sorted(chosen), ignore_case=self.ignore_case, seconds=seconds)
            for path, descriptor in waiting:
                if descriptor in chosen and not self.is_full:
                    self._read(path, descriptor)
        except TimeoutError as error:
            raise _timeout(self.workspace) from error
        finally:
            for _, descriptor in waiting:
                os.close(descriptor)

    def _read(self, path: str, descriptor: int) -> None:
        """Add the text of an open file to the waiting texts, and search these if there are enough."""
        os.lseek(descriptor, 0, os.SEEK_SET)  # where ripgrep may have read
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            text = _text_of(file.read(self.workspace.max_bytes), path)
        self.texts.append((path, text.encode("utf-8")))
        if len(self.texts) >= _MOST_TEXTS or sum(len(data) for _, data in self.texts) >= _MOST_BYTES:
            self._search_texts()

    def _search_texts(self) -> None:
        """Search the waiting texts, and add their matching lines to the matches."""
        texts, self.texts = self.texts, []
        if not texts or self.is_full:
            return
        self.at = texts[0][0]
        for found in self.pattern.lines([data for _, data in texts], self.limit + 1 - len(self.matches)):
            if isinstance(found, tuple):
                self.matches.append(Match(texts[found[0]][0], found[1], found[2]))
            elif found + 1 < len(texts):
                self.at = texts[found + 1][0]

    def notes(self) -> list[str]:
        """Return sentences that say what was left out."""
        if self.is_full:
            return [f"There are more than {self.limit} lines; use a narrower pattern, files or path."]
        notes = []
        if self.unreadable:
            notes.append(f"{self.unreadable} files could not be opened.")
        if self.too_large:
            notes.append(
                f"{self.too_large} files were not searched: they have more than {self.workspace.max_bytes:,} bytes."
            )
        return notes


@dataclass(frozen=True, slots=True)
class Searching:
    """The tools that look for files and lines.

    Attributes:
        workspace: What they share with other tools of the root.
    """

    workspace: Workspace

    def find_files(
        self,
        context: Context,
        pattern: Annotated[str, Len(1, 500)],
        path: str = ".",
        limit: Annotated[int, Interval(ge=1, le=5_000)] = 500,
    ) -> Found:
        """Find files by a pattern of their path, such as *.csv, **/*.csv, or data/**/report-?.{md,txt}.

        `*` stands for any characters of one name, `?` for one, `[ab]` for one of these, and `**` for any number of folders.
        Links are not followed.

        Args:
            context: The call.
            pattern: The pattern, relative to `path`. Upper and lower case differ.
            path: The folder in which to look, relative to the root folder; the root folder itself by default.
            limit: How many paths to return at most.
        """
        matches = _glob(pattern)
        walk = _Walk(context, time.monotonic() + self.workspace.search_seconds)
        paths: list[str] = []
        more = False
        base = split_path(path)
        with self.workspace.root.folder(path) as folder:
            for names, _ in walk.files(folder, ()):
                if matches(names):
                    if len(paths) == limit:
                        more = True
                        break
                    paths.append("/".join((*base, *names)))
        notes = walk.notes()
        if walk.late_at is not None:
            notes.append(_stopped_note(_timeout(self.workspace), walk.late_at, any_found=bool(paths)))
        if more:
            notes.append(f"There are more than {limit}; use a narrower pattern, or a path.")
        elif not paths and "/" not in pattern:
            notes.append(f"No file in this folder has such a name; '**/{pattern}' looks in the folders below too.")
        return Found(paths, " ".join(notes) or None)

    def search_files(
        self,
        context: Context,
        pattern: Annotated[str, Len(1, 1_000)],
        path: str = ".",
        files: Annotated[str, Len(1, 500)] | None = None,
        ignore_case: bool = False,
        limit: Annotated[int, Interval(ge=1, le=1_000)] = 100,
    ) -> Matches:
        r"""Search the lines of text files for a regular expression.

        The search covers a folder and all folders below it, or one file.

        Args:
            context: The call.
            pattern: The regular expression, which must match in one line, e.g. total:\s+[0-9]+.
            path: The folder or file in which to search, relative to the root folder; everything by default.
            files: A pattern of the paths to search, as find_files takes it, e.g. **/*.csv; all files by default.
            ignore_case: Whether upper and lower case are the same.
            limit: How many lines to return at most.
        """
        matches = _glob(files) if files else None
        until = time.monotonic() + self.workspace.search_seconds
        walk = _Walk(context, until)
        with pattern_search(self.workspace.search_seconds, until, context.cancellation) as compiled:
            search = _Search(
                workspace=self.workspace, pattern=compiled, ignore_case=ignore_case, limit=limit, until=until
            )
            try:
                compiled.compile(pattern, ignore_case=ignore_case)
                if (relaxed := widen(pattern, ignore_case=ignore_case)) is not None:
                    search.rg, search.wider = program(), relaxed
                self._search_below(path, search, walk, matches)
                stopped = None
            except SearchStoppedError as error:
                context.cancellation.check()
                error.__traceback__ = None  # its frames have the texts, and an error is kept with the result
                stopped = _stopped_note(error, search.at, any_found=bool(search.matches))
            finally:
                search.close()
        notes = [*([] if search.is_full else walk.notes()), *search.notes(), *filter(None, [stopped])]
        return Matches(search.matches[:limit], " ".join(notes) or None)

    def _search_below(
        self, path: str, search: _Search, walk: _Walk, matches: Callable[[tuple[str, ...]], bool] | None
    ) -> None:
        """Search the file `path`, or the files below the folder `path` whose names `matches` accepts.

        Raises:
            SearchStoppedError: The search takes too much time or memory.
        """
        base = split_path(path)
        with self.workspace.root.folder("/".join(base[:-1])) as above:
            if base and kind_of(above.stat(base[-1])) == "file":
                os.close(
                    above.open_file(base[-1], hard_links=self.workspace.root.hard_links)
                )  # raises if it is refused
                search.add(above, base[-1], "/".join(base))
                search.finish()
                return
        with self.workspace.root.folder(path) as folder:
            for names, place in walk.files(folder, ()):
                if search.is_full:
                    break
                if matches is None or matches(names):
                    search.add(place, names[-1], "/".join((*base, *names)))
        if walk.late_at is not None:
            search.at = walk.late_at
            raise _timeout(self.workspace)
        search.finish()


def _text_of(data: bytes, path: str) -> str:
    """Return the text of a file from its bytes `data`; empty for a binary file.

    If the encoding is unknown, U+FFFD replaces the bytes that are not valid UTF-8.
    """
    try:
        return Text.of(data, path).text
    except ToolError:
        return "" if b"\0" in data else data.decode("utf-8", "replace")


def _timeout(workspace: Workspace) -> SearchStoppedError:
    """Return the error of a search whose time is over."""
    return late(workspace.search_seconds)


def _stopped_note(error: SearchStoppedError, path: str | None, *, any_found: bool) -> str:
    """Return a sentence that says at which `path` a search was stopped, and why.

    Raises:
        ToolError: No file or line was found before (`any_found` is false).
    """
    where = "before the first file" if path is None else f"at {quote(path)}"
    if not any_found:
        raise ToolError(f"the search was stopped {error}, {where}: use a simpler pattern, or fewer files") from error
    return f"The search was stopped {error}, {where}: this is what was found before. Use a simpler pattern, or fewer files."


def _glob(pattern: str) -> Callable[[tuple[str, ...]], bool]:
    """Return a function that returns whether a path, given as names, matches `pattern`.

    Raises:
        ToolError: The pattern leaves the folder, or has too many alternatives.
    """
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise ToolError(f"the pattern {quote(pattern)} is not relative: write it from the folder, such as '**/*.csv'")
    alternatives = [tuple(_parts(each)) for each in _without_braces(pattern)]
    return lambda names: any(_fits(names, parts) for parts in alternatives)


def _parts(pattern: str) -> Iterator[re.Pattern[str] | None]:
    """Yield a compiled pattern for each name in `pattern`, and None for `**`, once if it is repeated."""
    before = ""
    for name in pattern.split("/"):
        if name not in ("", ".") and not name == before == "**":
            yield None if name == "**" else re.compile(fnmatch.translate(name))
            before = name


def _fits(names: tuple[str, ...], parts: tuple[re.Pattern[str] | None, ...]) -> bool:
    """Return whether `names` match `parts`, of which None matches any number of names.

    The time grows at most with the product of their lengths.
    """
    places = {0}  # how many parts the names so far may match
    for name in names:
        reached = set()
        for place in _skip_parts(places, parts):
            if place == len(parts):
                continue
            part = parts[place]
            if part is None:
                reached.add(place)
            elif part.match(name):
                reached.add(place + 1)
        places = reached
    return len(parts) in _skip_parts(places, parts)


def _skip_parts(places: set[int], parts: tuple[re.Pattern[str] | None, ...]) -> set[int]:
    """Return `places`, and the places after each `**` that follows one of them.

    A `**` may match no name.
    """
    found = set()
    for start in places:
        place = start
        found.add(place)
        while place < len(parts) and parts[place] is None:
            place += 1
            found.add(place)
    return found


def _without_braces(pattern: str) -> list[str]:
    """Return the patterns without `{a,b}` that match the same as `pattern`: one for each choice.

    Raises:
        ToolError: There are too many.
    """
    done, left = [], [pattern]
    while left:
        each = left.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", each)
        if braces is None:
            done.append(each)
        else:
            left.extend(f"{each[: braces.start()]}{choice}{each[braces.end() :]}" for choice in braces[1].split(","))
        if len(done) + len(left) > _MOST_BRACES:
            raise ToolError(f"the pattern {quote(pattern)} has more than {_MOST_BRACES} alternatives")
    return done

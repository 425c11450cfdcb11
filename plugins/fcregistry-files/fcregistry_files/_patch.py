"""The tool `apply_patch`: several changes of several files in one text, in the format of Codex."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal

from annotated_types import Len
from fcregistry.errors import ToolError

from fcregistry_files._paths import quote
from fcregistry_files._text import Text, encode, find_all, line_number, nearest, number_of, unix
from fcregistry_files._workspace import Workspace
from fcregistry_files._writing import Writing

_HEADER: Final = re.compile(r"\*\*\* (Add|Delete|Update) File: (.+)")
_MOVE: Final = "*** Move to: "
_MOST_WORK: Final = 500_000_000
"""Characters that are read for the changes of one file: about ten seconds."""
_END_OF_FILE: Final = "*** End of File"
_FORM: Final = (
    "A patch begins with '*** Begin Patch', ends with '*** End Patch', and has between them '*** Add File: path', "
    "'*** Delete File: path' or '*** Update File: path'"
)


@dataclass(slots=True)
class _Hunk:
    """One change of a file: the lines `old`, which become `new`. `anchor` is a line somewhere above them."""

    anchor: str = ""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    at_end: bool = False


@dataclass(slots=True)
class _Change:
    """The changes of a patch to one file, and its new path `target`, if it is moved."""

    kind: Literal["Add", "Delete", "Update"]
    path: str
    target: str | None = None
    hunks: list[_Hunk] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Patching:
    """The tool that applies patches.

    Attributes:
        workspace: What it shares with other tools of the root.
    """

    workspace: Workspace

    def apply_patch(self, patch: Annotated[str, Len(1)]) -> str:
        """Change several files at once. If one change cannot be made, none is.

        A patch has this form:

        *** Begin Patch
        *** Update File: data/a.csv
        @@ a line above the change, to say which place is meant; may be left out
         a line that stays
        -a line that goes
        +a line that comes
        *** Add File: notes.txt
        +each line of the new file
        *** Delete File: old.txt
        *** End Patch

        The lines with ' ' and '-' must be in the file exactly as they are written, and at one place only. '*** Move to: path' after
        the line with 'Update File' renames the file too. New paths must not exist. A person may be asked to approve deletions.

        Args:
            patch: The patch. Its paths are relative to the root folder.
        """
        changes = _parse(patch)
        self._check_paths(changes)
        writing = Writing(self.workspace)
        done: list[str] = []
        prepared = [(change, *self._prepare(change)) for change in changes]
        try:
            with ExitStack() as files:
                for change, old, new in prepared:
                    if new is not None:
                        files.enter_context(_written(self.workspace, change, old, new, done))
            for change in changes:
                if change.target is not None:
                    done.append(writing.move(change.path, change.target))
                elif change.kind == "Delete":
                    writing.delete(change.path)
                    done.append(f"deleted {change.path}")
        except ToolError as error:
            if done:
                raise ToolError(f"{error} These changes were made before that: {'; '.join(sorted(done))}.") from error
            raise
        return "\n".join(sorted(done))

    def _check_paths(self, changes: list[_Change]) -> None:
        """Raise `ToolError` unless `changes` name each file once, and the paths of new files are free."""
        root, seen = self.workspace.root, set()
        for change in changes:
            for path in filter(None, (change.path, change.target)):
                if (key := root.key(path)) in seen:
                    raise ToolError(f"the patch names {quote(path)} twice; put all changes of a file into one part")
                seen.add(key)
        for change in changes:
            new = change.path if change.kind == "Add" else change.target
            if new is not None and self.workspace.exists(new):
                raise ToolError(f"{quote(new)} exists already; nothing was changed")

    def _prepare(self, change: _Change) -> tuple[bytes | None, bytes | None]:
        """Return the old and the new bytes of the file of `change`, each None if the change does not need it."""
        if change.kind == "Add":
            return None, encode("".join(f"{line}\n" for line in change.hunks[0].new), "utf-8")
        if change.kind == "Delete":
            with self.workspace.root.parent(change.path) as (folder, name):
                folder.stat(name)
            return None, None
        text, data = self.workspace.read_text(change.path, remember=False)
        self.workspace.check_unchanged(change.path, data)
        if not change.hunks:
            return data, None
        return data, text.bytes_of(_apply(text, change))


@contextmanager
def _written(workspace: Workspace, change: _Change, old: bytes | None, new: bytes, done: list[str]) -> Iterator[None]:
    """Write one file of a patch to the disk. It appears when the block ends, and is then added to `done`."""

    def check() -> None:
        """Raise `ToolError` if the file has changed since it was read."""
        if workspace.read(change.path, remember=False) != old:
            raise ToolError(f"{quote(change.path)} was changed by another program just now. Read it again.")

    with workspace.root.open_to_write(
        change.path, overwrite=old is not None, unchanged=None if old is None else check
    ) as file:
        file.write(new)
        file.flush()
        os.fsync(file.fileno())  # before the first file of the patch appears
        yield
    workspace.seen.note(workspace.root.key(change.path), new)
    done.append(f"{'wrote' if old is None else 'updated'} {change.path}")


def paths_of(patch: str) -> list[str]:
    """Return the paths that a patch names; none if it is not a patch.

    Args:
        patch: The text of the patch.
    """
    try:
        changes = _parse(patch)
    except ToolError:
        return []
    return [path for change in changes for path in (change.path, change.target) if path is not None]


def deletes(patch: str) -> bool:
    """Return whether a patch deletes a file; false if it is not a patch.

    Args:
        patch: The text of the patch.
    """
    try:
        return any(change.kind == "Delete" for change in _parse(patch))
    except ToolError:
        return False  # the call fails, and there is nothing to approve


def _parse(patch: str) -> list[_Change]:
    """Return the changes in `patch`, one for each file.

    Raises:
        ToolError: `patch` is not valid; the message names the line.
    """
    lines = unix(patch).strip("\n").split("\n")
    if lines[0].rstrip() != "*** Begin Patch" or lines[-1].rstrip() != "*** End Patch":
        raise ToolError(f"this is not a patch; nothing was changed. {_FORM}")
    changes: list[_Change] = []
    for number, line in enumerate(lines[1:-1], 2):
        header = _HEADER.fullmatch(line.rstrip())
        if header:
            kind: Any = header[1]
            changes.append(_Change(kind, header[2].strip(), hunks=[_Hunk()] if kind == "Add" else []))
        elif not changes or not _add_line(changes[-1], line):
            raise ToolError(
                f"line {number} of the patch, {quote(line)}, is not expected there; nothing was changed. {_FORM}"
            )
    for change in changes:
        change.hunks = [hunk for hunk in change.hunks if hunk.old or hunk.new or change.kind == "Add"]
        if change.kind == "Update" and not change.hunks and change.target is None:
            raise ToolError(f"the patch says nothing about what to change in {quote(change.path)}; nothing was changed")
    if not changes:
        raise ToolError(f"the patch names no file. {_FORM}")
    return changes


def _add_line(change: _Change, line: str) -> bool:
    """Add `line`, a line of a patch, to `change`; return False if it is not valid there."""
    if change.kind == "Delete":
        return not line.strip()
    if change.kind == "Add":
        change.hunks[0].new.append(line[1:])
        return line.startswith("+")
    if line.startswith(_MOVE) and not change.hunks and change.target is None:
        change.target = line.removeprefix(_MOVE).strip()
        return bool(change.target)
    if line.startswith("@@"):
        change.hunks.append(_Hunk(line.removeprefix("@@").strip()))
        return True
    if not change.hunks:
        change.hunks.append(_Hunk())
    hunk = change.hunks[-1]
    if line.rstrip() == _END_OF_FILE:
        hunk.at_end = True
        return True
    if line and line[0] not in " +-":
        return False
    if not line.startswith("+"):
        hunk.old.append(line[1:])
    if not line.startswith("-"):
        hunk.new.append(line[1:])
    return True


def _apply(text: Text, change: _Change) -> str:
    """Return `text` after all hunks of `change`.

    Raises:
        ToolError: The lines of a hunk are not in the file, or at several places.
    """
    if len(change.hunks) * len(text.text) > _MOST_WORK:
        raise ToolError(
            f"{quote(change.path)} is too large for {len(change.hunks)} changes at once; nothing was changed. Use several patches."
        )
    for hunk in change.hunks:
        plain = unix(text.text)
        start, stop = _place(plain, hunk, change.path)
        new = "".join(f"{line}\n" for line in hunk.new)
        if stop > len(plain):  # after a last line that has no end
            stop, new = len(plain), new[:-1]
        if start > len(plain):
            start, new = len(plain), f"\n{new}"
        text = Text(text.replace_piece(start, stop, new), text.encoding, text.mark)
    return text.text


def _place(plain: str, hunk: _Hunk, path: str) -> tuple[int, int]:
    """Return where the old lines of `hunk` begin and end in `plain`, as if the last line had an end.

    Raises:
        ToolError: The lines are not in the file `path`, or at several places.
    """
    text = f"\n{plain}" if plain.endswith("\n") or not plain else f"\n{plain}\n"  # each line is between two line feeds
    begin, end = 0, len(text) - 1
    anchor = re.sub(r"^-\d+(,\d+)? \+\d+(,\d+)? @@ ?| ?@@$", "", hunk.anchor)  # the line numbers of a unified diff
    if anchor:
        begin = _place_of_line(plain, anchor.strip())
        if begin < 0:
            raise ToolError(f"{quote(path)} has no line {quote(anchor)}; nothing was changed. {nearest(plain, anchor)}")
    if not hunk.old:
        if anchor:
            below = text.index("\n", begin + 1)
            return below, below
        if hunk.at_end or not plain:
            return end, end
        raise ToolError(
            f"a part of the patch for {quote(path)} adds lines and does not say where: begin with a line that stays"
        )
    old = "".join(f"\n{line}" for line in (*hunk.old, ""))
    found = find_all(text, old, max(begin, len(text) - len(old)) if hunk.at_end else begin)
    if not found:
        raise ToolError(
            f"the lines to change are not in {quote(path)}; nothing was changed. {nearest(plain, chr(10).join(hunk.old))}"
        )
    if len(found) > 1:
        places = ", ".join(str(line_number(plain, place)) for place in found[:10])
        raise ToolError(
            f"the lines to change are in {quote(path)} at {number_of(found)} places: the lines {places}; nothing was changed. "
            "Add more of the lines around them, or '@@' with a line above them."
        )
    return found[0], found[0] + len(old) - 1


def _place_of_line(plain: str, line: str) -> int:
    """Return where the first line begins that is `line` but for white space around it; -1 if none is."""
    if (first := plain.find(line)) < 0:
        return -1
    pattern = re.compile(rf"^[^\S\n]*{re.escape(line)}[^\S\n]*$", re.MULTILINE)
    found = pattern.search(plain, plain.rfind("\n", 0, first) + 1)
    return found.start() if found else -1

"""The tools that change files: `write_file`, `edit_file`, `move`, `delete`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Len
from fcregistry.errors import ToolError

from fcregistry_files._folder import kind_of
from fcregistry_files._paths import quote, split_path
from fcregistry_files._text import Encoding, Text, count_lines, encode, find_all, line_number, nearest, number_of, unix
from fcregistry_files._workspace import Workspace


@dataclass(frozen=True, slots=True)
class Writing:
    """The tools that change files.

    Attributes:
        workspace: What they share with other tools of the root.
    """

    workspace: Workspace

    def write_file(self, path: str, content: str, overwrite: bool = False, encoding: Encoding | None = None) -> str:
        """Write a text file, and make the folders of its path.

        A new file never replaces another. To replace an existing file, read it first, then pass overwrite=true.
        To change a part of a file, use edit_file.

        Args:
            path: The path of the file, relative to the root folder, e.g. reports/may.md.
            content: The whole text of the file.
            overwrite: Whether to replace an existing file. A person may be asked to approve that.
            encoding: The encoding; by default that of the replaced file, or UTF-8.
        """
        exists = self.workspace.exists(path)
        if exists and not overwrite:
            raise ToolError(
                f"{quote(path)} exists already; nothing was changed. To change a part of it, use edit_file; "
                "to replace it, read it first, then pass overwrite=true."
            )
        if not exists:
            save(self.workspace, path, encode(content, encoding or "utf-8"), None)
            return f"wrote {path}: {_size(content)}"
        old = self.workspace.read(path, remember=False)
        if self.workspace.root.key(path) not in self.workspace.seen:
            raise ToolError(f"{quote(path)} was not read yet; nothing was changed. Read it first, then overwrite it.")
        self.workspace.check_unchanged(path, old)
        try:
            form = Text.of(old, path, encoding)
        except ToolError:
            form = Text("")  # whatever it was, it becomes text
        if "\n" in form.text and "\r\n" not in content:
            content = form.with_line_ends(content)
        save(self.workspace, path, form.bytes_of(content), old)
        return f"replaced {path}: {_size(content)}"

    def edit_file(self, path: str, old: Annotated[str, Len(1)], new: str, encoding: Encoding | None = None) -> str:
        """Replace one piece of text in a file. Everything else stays as it is, the line ends too.

        The piece must be in the file exactly once: repeat enough of the lines around it.

        Args:
            path: The path of the file, relative to the root folder.
            old: The text to replace, exactly as it is in the file, with its white space.
            new: The text to write instead; empty to remove the old text.
            encoding: The encoding of the file. By default it is recognized: UTF-8, or UTF-16 with a byte order mark.
        """
        text, data = self.workspace.read_text(path, encoding, remember=False)
        self.workspace.check_unchanged(path, data)
        if unix(old) == unix(new):
            raise ToolError("old and new are the same text; nothing was changed")
        plain = unix(text.text)
        start = find_once(plain, unix(old), path)
        changed = text.replace_piece(start, start + len(unix(old)), new)
        save(self.workspace, path, text.bytes_of(changed), data)
        first = line_number(plain, start)
        return f"edited {path} from line {first} on: {_count(old)} became {_count(new)}"

    def move(self, source: str, target: str) -> str:
        """Move or rename a file or a folder. The new path must not exist; its folders are made.

        Args:
            source: The path now, relative to the root folder.
            target: The whole new path, relative to the root folder, with the name, e.g. old/a.csv.
        """
        root = self.workspace.root
        names, new_names = split_path(source), split_path(target)
        if names == new_names[: len(names)]:
            raise ToolError(f"{quote(source)} cannot be moved to {quote(target)}, which is the same or below it")
        with root.parent(source) as (folder, name):
            if kind_of(folder.stat(name)) not in ("file", "folder"):
                raise ToolError(f"{quote(source)} is neither a file nor a folder; it was not moved")
            with root.parent(target, create=True) as (new_folder, new_name):
                folder.rename(name, new_folder, new_name)
        self.workspace.seen.forget(root.key(source))
        self.workspace.seen.forget(root.key(target))
        return f"moved {source} to {target}"

    def delete(self, path: str) -> str:
        """Delete a file, or a folder with everything in it. Of a link, delete the link itself, never what it leads to.

        A person may have to approve that, and can restore it.

        Args:
            path: The path, relative to the root folder.
        """
        place = self.workspace.place()
        if place.trash is None:
            raise ToolError("these tools have no trash, so that nothing can be deleted")
        with place.root.parent(path) as (folder, name):
            kind = kind_of(folder.stat(name))
            if kind == "file" and place.root.key(path) in self.workspace.seen:
                self.workspace.check_unchanged(path, self.workspace.read(path, remember=False))
            place.trash.put(folder, name, "/".join(split_path(path)))
        self.workspace.seen.forget(place.root.key(path))
        what = f"the link {path}, not what it leads to" if kind == "link" else path
        return f"deleted {what}; the user can restore it"


def save(workspace: Workspace, path: str, data: bytes, old: bytes | None) -> None:
    """Write a file at once, and remember that the model knows this version.

    Args:
        workspace: The workspace.
        path: The path of the file.
        data: The new bytes.
        old: The bytes that the file must still have; None if there must be no file.

    Raises:
        ToolError: The file cannot be written, or has changed; nothing was changed then.
    """

    def check() -> None:
        """Raise `ToolError` if the file has other bytes than `old`."""
        if workspace.read(path, remember=False) != old:
            raise ToolError(
                f"{quote(path)} was changed by another program just now; nothing was changed. Read it again."
            )

    with workspace.root.open_to_write(
        path, overwrite=old is not None, unchanged=check if old is not None else None
    ) as file:
        file.write(data)
    workspace.seen.note(workspace.root.key(path), data)


def find_once(plain: str, old: str, path: str) -> int:
    """Return the place of a text that must be in a file exactly once.

    Args:
        plain: The text of the file, with Unix line ends.
        old: The text to find, likewise.
        path: The path of the file.

    Raises:
        ToolError: It is not there, or more than once.
    """
    found = find_all(plain, old)
    if not found:
        raise ToolError(f"the old text is not in {quote(path)}; nothing was changed. {nearest(plain, old)}")
    if len(found) > 1:
        places = ", ".join(str(line_number(plain, each)) for each in found[:10])
        raise ToolError(
            f"the old text is in {quote(path)} {number_of(found)} times, at the lines {places}{' …' if len(found) > 10 else ''}; "
            "nothing was changed. Repeat more of the lines around the one that you mean."
        )
    return found[0]


def _size(content: str) -> str:
    """Return the size of `content` in words: its lines and characters."""
    return f"{_count(content)}, {len(content)} characters"


def _count(text: str) -> str:
    """Return the number of lines of `text` in words."""
    count = count_lines(text)
    return f"{count} line{'s' * (count != 1)}"

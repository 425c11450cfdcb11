"""Input and output files of calls that run on another machine: what is sent there, and what comes back.

A tool names the parameters that are paths (`input_files`, `output_files`). If its call runs on a pool whose workers may be on other machines, the
executor sends the input files with the call, the worker gives the tool paths in a folder of its own, and the executor writes the output files
that come back. All paths lie below a folder that the application chose, `Executor(file_root=…)`, because a model writes them.
"""

from __future__ import annotations

import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from fcregistry.execution._batch_order import paths_in

if TYPE_CHECKING:
    from os import PathLike

    from fcregistry._tools.tool import Tool

MOST_BYTES: Final = 100_000_000
"""How many bytes the files of one call may have, in each direction."""

_HAS_DIR_FD: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_READ: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class FileProblem(Exception):
    """A file cannot be sent or written.

    Args:
        path: The path that the model wrote.
        message: What is wrong, for the model.
    """

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path!r:.200} {message}")
        self.place: str = "$"


class FileRoot:
    """A folder below which files are read and written, without following links.

    Where the system lacks directory descriptors (Windows), the path is resolved and compared first: a link that another program makes between
    the comparison and the use would be followed.

    Args:
        folder: The folder.

    Raises:
        NotADirectoryError: It is not a folder.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder: Path = Path(folder).resolve()
        if not self.folder.is_dir():
            raise NotADirectoryError(f"file_root={folder!r} is not a folder")

    def read(self, path: str, most: int = MOST_BYTES) -> bytes:
        """Return what a file contains.

        Args:
            path: A path below the folder: relative to it, or absolute.
            most: How many bytes it may have.

        Raises:
            FileProblem: It does not lie below the folder, is not a file, is too large, or cannot be read.
        """
        with (
            self._folder_of(path) as (name, folder),
            _said(path, "cannot be read"),
            os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as file,
        ):
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FileProblem(path, "is not a file")
            data = file.read(most + 1)
        if len(data) > most:
            raise FileProblem(
                path, f"is too large: the files of a call that runs elsewhere may have {MOST_BYTES} bytes"
            )
        return data

    def write(self, path: str, data: bytes) -> None:
        """Write a file, whole or not at all; one that is there is replaced.

        Args:
            path: A path below the folder.
            data: What it contains.

        Raises:
            FileProblem: It does not lie below the folder, or cannot be written.
        """
        with self._folder_of(path) as (name, folder), _said(path, "cannot be written"):
            partial = os.path.join(os.path.dirname(name), f".{os.urandom(16).hex()}")  # noqa: PTH118, PTH120  # names beside a descriptor
            try:
                with os.fdopen(os.open(partial, _NEW, 0o666, dir_fd=folder), "wb") as file:
                    file.write(data)
                os.replace(partial, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:  # whatever ends the writing leaves nothing half written
                with suppress(OSError):
                    os.unlink(partial, dir_fd=folder)
                raise

    @contextmanager
    def _folder_of(self, path: str) -> Iterator[tuple[str, int | None]]:
        """Yield the name of a file, and a descriptor of the folder it is in; a whole path and None without descriptors."""
        given = Path(path)
        try:
            parts = (given.relative_to(self.folder) if given.is_absolute() else given).parts
        except ValueError:
            parts = ()
        if not parts or ".." in parts:
            raise FileProblem(path, "does not lie in the folder of the files")
        if not _HAS_DIR_FD:
            whole = self.folder.joinpath(*parts)
            if whole.parent.resolve() != whole.parent or whole.is_symlink():
                raise FileProblem(path, "leads through a link")
            yield str(whole), None
            return
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for part in parts[:-1]:
                with _said(path, "cannot be reached"):
                    inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = inner
            yield parts[-1], folder
        finally:
            os.close(folder)


@contextmanager
def _said(path: str, what: str) -> Iterator[None]:
    """Raise errors of the system as a `FileProblem`."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null character
        raise FileProblem(path, f"{what}: {getattr(error, 'strerror', None) or error}") from None


# --- On the executor's side ---


def pack_files(tool: Tool, arguments: Mapping[str, Any], root: FileRoot) -> dict[str, dict[str, Any]]:
    """Return the files of a call, by their paths: the bytes of input files, and which files come back.

    Args:
        tool: The tool.
        arguments: Its valid arguments.
        root: Where the files are.

    Raises:
        FileProblem: One cannot be read, or they are too large.
    """
    packed: dict[str, dict[str, Any]] = {}
    room = MOST_BYTES
    for path in paths_in(arguments, tool.options.input_files):
        data = root.read(path, room)
        room -= len(data)
        packed[path] = {"data": b64encode(data).decode("ascii"), "returns": False}
    for path in paths_in(arguments, tool.options.output_files):
        with root._folder_of(path):  # raises before the call runs
            packed.setdefault(path, {"data": None})["returns"] = True
    return packed


def unpack_files(files: Mapping[str, str], root: FileRoot) -> None:
    """Write the output files that came back.

    Raises:
        FileProblem: One cannot be written.
    """
    for path, data in files.items():
        root.write(path, b64decode(data))


# --- On the worker's side ---


class StagedFiles:
    """The files of a call, in a folder of the worker.

    Args:
        files: What `pack_files` returned.
        folder: An empty folder.
    """

    def __init__(self, files: Mapping[str, Mapping[str, Any]], folder: str) -> None:
        self._returned = [path for path, each in files.items() if each["returns"]]
        self._places: dict[str, Path] = {}
        for index, (path, each) in enumerate(files.items()):
            name = path.replace("\\", "/").rpartition("/")[2]
            place = Path(folder, str(index), name if name.strip(".") else "file")
            place.parent.mkdir()
            if each["data"] is not None:
                place.write_bytes(b64decode(each["data"]))
            self._places[path] = place

    def replace_in(self, values: dict[str, Any], names: Iterable[str]) -> None:
        """Replace the paths in decoded JSON arguments by those of this worker."""
        for name in names:
            value = values.get(name)
            if isinstance(value, list):
                values[name] = [str(self._places.get(each, each)) for each in value]
            elif isinstance(value, str):
                values[name] = str(self._places.get(value, value))

    def restored(self, text: str, shown: Callable[[str], str] = str) -> str:
        """Return a text in which this worker's paths are again those of the call.

        Args:
            text: The text.
            shown: How a path is written in the text.
        """
        for path, place in self._places.items():
            text = text.replace(shown(str(place)), shown(path))
        return text

    def returned(self) -> dict[str, str]:
        """Return the output files that the tool wrote, by the paths of the call.

        Raises:
            FileProblem: They are too large, or cannot be read.
        """
        found, room = {}, MOST_BYTES
        for path in self._returned:
            place = self._places[path]
            if place.exists():
                data = FileRoot(place.parent).read(place.name, room)
                room -= len(data)
                found[path] = b64encode(data).decode("ascii")
        return found


@contextmanager
def staged_files(files: Mapping[str, Mapping[str, Any]]) -> Iterator[StagedFiles]:
    """Write the files of a call to a new folder, which is removed at the end."""
    from tempfile import TemporaryDirectory  # only in workers

    with TemporaryDirectory(prefix="fcregistry-", ignore_cleanup_errors=True) as folder:
        yield StagedFiles(files, folder)

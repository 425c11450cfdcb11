"""What travels between an executor and a worker process: requests, answers and files, as JSON text.

A request contains a tool's canonical id and the arguments, never a function: the worker finds the tool by its id. An answer contains the value
that the tool returned or the exception that it raised. A value is sent as JSON or as content blocks; the executor decodes it to the type of the
return annotation.

A tool names the parameters that are paths (`input_files`, `output_files`). If its call runs on a pool whose workers may be on other machines, the
executor sends the input files with the call, the worker gives the tool paths in a folder of its own, and the executor writes the output files
that come back. All paths lie below a folder that the application chose, `Executor(file_root=…)`, because a model writes them.
"""

from __future__ import annotations

import json
import os
import stat
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._results.content import Content, ToolOutput
from fcregistry._tools.tool import definition_of
from fcregistry.errors import DefinitionError
from fcregistry.execution._arguments import paths_in
from fcregistry.types import EncodingError, to_json, to_json_text, write_non_finite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from fcregistry._tools.tool import Tool
    from fcregistry.types import Codec


PROTOCOL: Final = 3
"""The version of these messages. Increase it with each change that an older executor or worker would misread."""

STOPPED: Final = "stopped"
"""The detail of a `timeout` if the tool has stopped; without it, the tool may still be running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request of an executor to run a call.

    Attributes:
        tool: The canonical id, such as `acme-weather:get_weather`.
        schema: The digest of the schema that the arguments were validated against.
        arguments: A JSON object, as text.
        call: A unique id of the call. Without it, some pools would run two equal calls only once.
        version: The version of the tool's distribution that the executor's process has.
        any_version: Whether a worker with another version may run the call.
        seconds: The time limit of the tool; None for no limit.
        files: The files of the call, as `pack_files` returned them.
        file_parameters: The parameters whose values are paths of these files.
    """

    tool: str
    schema: str
    arguments: str
    call: str
    version: str | None
    any_version: bool = False
    seconds: float | None = None
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    file_parameters: Sequence[str] = ()

    def to_text(self) -> str:
        """Return the request as text."""
        return json.dumps({"protocol": PROTOCOL, **asdict(self)})

    @classmethod
    def read(cls, text: str) -> Request:
        """Return the request that `to_text` wrote.

        Args:
            text: The text.

        Raises:
            ValueError: Another version of fcregistry wrote the text.
        """
        return cls(**_read_fields(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class WireReturn:
    """The tool returned a value.

    Attributes:
        value: The value, as JSON text.
        form: How the value is written in that text.
        seconds: How long the tool took.
        version: The version of the tool's distribution in the worker.
        files: The output files, in base64, by their paths.
    """

    value: str
    form: Form
    seconds: float
    version: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireException:
    """The tool raised an exception.

    Attributes:
        type_name: The name of the exception's class.
        message: The exception's message, without secrets.
        is_tool_error: Whether the exception is a `ToolError`, whose message is for the model.
        retryable: The `retryable` of a `ToolError`.
        retry_after: The `retry_after` of a `ToolError`.
        traceback: The traceback as text, for logs.
        seconds: How long the tool took.
        version: The version of the tool's distribution in the worker.
    """

    type_name: str
    message: str
    is_tool_error: bool
    retryable: bool
    retry_after: float | None
    traceback: str
    seconds: float
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRefusal:
    """The worker did not run the tool, or cannot send its result.

    Attributes:
        reason: A row of `REASONS` in `_call_errors.py`, or `invalid_arguments`, `unencodable` or `timeout`.
        detail: A name or a sentence with details.
        problems: The problems that the worker found in the arguments, as pairs of path and message.
        reserved: Whether `detail` and `problems` come from an exception whose message a model must not read.
    """

    reason: str
    detail: str = ""
    problems: tuple[tuple[str, str], ...] = ()
    reserved: bool = False


Answer: TypeAlias = WireReturn | WireException | WireRefusal

_KINDS: Final[dict[str, type[WireReturn] | type[WireException] | type[WireRefusal]]] = {
    "returned": WireReturn,
    "raised": WireException,
    "refused": WireRefusal,
}


def answer_text(answer: Answer) -> str:
    """Return an answer as text."""
    kind = next(kind for kind, record in _KINDS.items() if isinstance(answer, record))
    return json.dumps({"protocol": PROTOCOL, kind: asdict(answer)})


def read_answer(text: str) -> Answer:
    """Return the answer that `answer_text` wrote.

    Args:
        text: The text.

    Raises:
        ValueError: Another version of fcregistry wrote the text.
    """
    ((kind, fields),) = _read_fields(text).items()
    return _KINDS[kind](**fields)


def _read_fields(text: str) -> dict[str, Any]:
    """Return the JSON object in a message, without the key `protocol`.

    Raises:
        ValueError: Another protocol version of fcregistry wrote the message, or it is not JSON.
    """
    fields: dict[str, Any] = json.loads(text)
    protocol = fields.pop("protocol", None)
    if protocol != PROTOCOL:
        raise ValueError(
            f"executor and worker have different versions of fcregistry (protocols {PROTOCOL} and {protocol}): "
            "install the same one everywhere"
        )
    return fields


Form: TypeAlias = Literal["json", "typed", "content", "list", "output"]
"""How a value is written as text.

json: as JSON. typed: as JSON by the codec of the return annotation. content, list, output: with content blocks, for a `Content`, a list with
`Content` in it, or a `ToolOutput`.
"""


@write_non_finite("keep")  # the process with the executor refuses them, or writes null
def pack_value(value: Any, returns: Codec | None) -> tuple[str, Form]:
    """Return a value as text, and the form of the text. Numbers that are not finite are written as `json.loads` reads them.

    Args:
        value: The value that a tool returned.
        returns: The codec of the tool's return annotation, if there is one.

    Raises:
        EncodingError: The value has no JSON form, and is not content.
        Exception: The value's own code, such as a property, may raise any exception.
    """
    try:
        if returns is not None and returns.handles(value):
            return to_json_text(value if returns.natural else returns.encode(value)), "typed"
        return to_json_text(value), "json"
    except EncodingError:
        if isinstance(value, Content):
            return json.dumps(value.to_block()), "content"
        if isinstance(value, ToolOutput):
            return json.dumps([to_json(value.value), [each.to_block() for each in value.content]]), "output"
        if isinstance(value, (list, tuple)) and any(isinstance(item, Content) for item in value):
            return json.dumps(list(map(_pack_item, value))), "list"
        raise


def _pack_item(item: Any) -> list[Any]:
    """Return `["content", block]` for a `Content` in a list, and `["json", value]` for any other item.

    Raises:
        EncodingError: The item has no JSON form.
    """
    return ["content", item.to_block()] if isinstance(item, Content) else ["json", to_json(item)]


@write_non_finite("keep")
def unpack_value(text: str, form: Form, returns: Codec | None) -> Any:
    """Return the value that `pack_value` wrote.

    If the return annotation's type does not accept the JSON value, return the JSON value itself.

    Args:
        text: The text that `pack_value` returned.
        form: The form that `pack_value` returned.
        returns: The codec of the tool's return annotation on this side, if there is one.

    Raises:
        KeyError: `form` is not a `Form`.
        ValueError: The text does not have this form.
    """
    decoded: Any = json.loads(text)
    match form:
        case "content":
            return Content.from_block(decoded)
        case "list":
            return [Content.from_block(item) if kind == "content" else item for kind, item in decoded]
        case "output":
            value, blocks = decoded
            return ToolOutput(value=value, content=list(map(Content.from_block, blocks)))
        case "json" | "typed":
            pass
        case _:
            raise KeyError(form)
    if form == "json" or returns is None or returns.plain:
        return decoded
    try:
        return returns.decode(decoded) if returns.accepts(decoded) else decoded
    except Exception:  # noqa: BLE001  # foreign code: a type may refuse what it wrote itself; its JSON is a result too
        return decoded


def check_portable(tools: Iterable[Tool], because: str) -> None:
    """Check that workers can run some tools.

    Args:
        tools: The tools that are to run in other processes.
        because: The argument that requires it, as the caller writes it, such as `pool=…`.

    Raises:
        DefinitionError: Workers cannot run some of the tools. The message has, for each tool, the reason and what to do.
    """
    problems = tuple(f"{tool.name}: {problem}" for tool in tools if (problem := portability_problem(tool)))
    if problems:
        raise DefinitionError(
            f"{because} runs tools in other processes, which find them by name in installed plugins; these cannot:",
            problems,
        )


def portability_problem(tool: Tool) -> str | None:
    """Return the reason workers cannot run a tool, with what to do about it, or None if they can."""
    if tool.origin.distribution is None:
        return (
            f"{tool.origin.module}.{tool.origin.qualname} belongs to the application, so a worker cannot find it; "
            "ship it in a distribution with an fcregistry entry point"
        )
    if definition_of(tool).asks_for_context:
        return "it has a Context parameter, but a context cannot be sent to another process; remove that parameter"
    if tool.options.blocking == "caller":
        return 'it is declared with blocking="caller", which runs it on the caller\'s thread; remove one of the two'
    return None


# --- Files ---

MOST_BYTES: Final = 100_000_000
"""The most bytes of the files of one call, in each direction."""

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


class FileRoot:
    """A folder below which files are read and written, without following links.

    Where the system lacks directory descriptors (Windows), the path is resolved and compared first: a link that another program makes between
    the comparison and the use would be followed.

    Args:
        folder: The folder.

    Raises:
        NotADirectoryError: `folder` is not a folder.
    """

    def __init__(self, folder: str | PathLike[str]) -> None:
        self.folder: Path = Path(folder).resolve()
        if not self.folder.is_dir():
            raise NotADirectoryError(f"file_root={folder!r} is not a folder")

    def read(self, path: str, most: int = MOST_BYTES) -> bytes:
        """Return the content of a file.

        Args:
            path: A path below the folder: relative to it, or absolute.
            most: How many bytes the file may have.

        Raises:
            FileProblem: The path is not below the folder, is not that of a file, or the file is too large or cannot be read.
        """
        with (
            self._folder_of(path) as (name, folder),
            _reported(path, "cannot be read"),
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
        """Write a file, whole or not at all; an existing file is replaced.

        Args:
            path: A path below the folder.
            data: The content.

        Raises:
            FileProblem: The path is not below the folder, or the file cannot be written.
        """
        with self._folder_of(path) as (name, folder), _reported(path, "cannot be written"):
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
        """Yield the name of the file at `path`, and a descriptor of its folder, which is closed at the end.

        A relative path is taken below the root. Where the system has no directory descriptors, yield the whole path
        and None.

        Raises:
            FileProblem: The path is not below the root, leads through a link, or its folder cannot be opened.
            OSError: The root cannot be opened.
        """
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
                with _reported(path, "cannot be reached"):
                    inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                os.close(folder)
                folder = inner
            yield parts[-1], folder
        finally:
            os.close(folder)


@contextmanager
def _reported(path: str, what: str) -> Iterator[None]:
    """Raise an OSError or ValueError of the block as a `FileProblem` about `path`; `what` begins its text."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a null character
        raise FileProblem(path, f"{what}: {getattr(error, 'strerror', None) or error}") from None


# --- On the executor's side ---


def pack_files(tool: Tool, arguments: Mapping[str, Any], root: FileRoot) -> dict[str, dict[str, Any]]:
    """Return the files of a call, by path: the bytes of input files, and which files the worker returns.

    Args:
        tool: The tool.
        arguments: Its valid arguments.
        root: The folder of the files.

    Raises:
        FileProblem: A file cannot be read, or the files are too large.
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
    """Write the output files that a worker returned, in base64 by their paths.

    Raises:
        FileProblem: A file cannot be written.
    """
    for path, data in files.items():
        root.write(path, b64decode(data))


# --- On the worker's side ---


class StagedFiles:
    """The files of a call, in a folder of the worker.

    Args:
        files: The files of the call, as `pack_files` returned them.
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
        """Replace the paths in the values of `names` in the arguments `values` by those of this worker."""
        for name in names:
            value = values.get(name)
            if isinstance(value, list):
                values[name] = [str(self._places.get(each, each)) for each in value]
            elif isinstance(value, str):
                values[name] = str(self._places.get(value, value))

    def restored(self, text: str, shown: Callable[[str], str] = str) -> str:
        """Return `text` with this worker's paths replaced by those of the call.

        Args:
            text: The text.
            shown: Returns a path as it is written in the text.
        """
        for path, place in self._places.items():
            text = text.replace(shown(str(place)), shown(path))
        return text

    def returned(self) -> dict[str, str]:
        """Return the output files that the tool wrote, in base64, by the paths of the call.

        Raises:
            FileProblem: The files are too large, or a file cannot be read.
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
    """Write the files of a call to a new folder, and yield them; the folder is removed at the end."""
    from tempfile import TemporaryDirectory  # only in workers

    with TemporaryDirectory(prefix="fcregistry-", ignore_cleanup_errors=True) as folder:
        yield StagedFiles(files, folder)

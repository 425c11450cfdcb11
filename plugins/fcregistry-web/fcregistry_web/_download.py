"""The tool `download_file`."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from fcregistry import Context, Tool
from fcregistry.errors import MissingDependencyError, ToolError

from fcregistry_web._access import WebAccess, access_getter, check_count, quote, same
from fcregistry_web._http import Answer, get

if TYPE_CHECKING:
    from fcregistry_files import Root

_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_STEPS: Final = 50
_STEP: Final = 1_000_000
"""Bytes between two reports of progress, if the size of the file is not known."""
LONGEST: Final = 300.0
"""Seconds that a download may take by default."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file that was downloaded.

    Attributes:
        path: Its path below the root.
        bytes: Its size.
        sha256: Its SHA-256, in hex.
        media_type: The media type that the server names.
        url: The URL it came from, after redirects.
    """

    path: str
    bytes: int
    sha256: str
    media_type: str
    url: str


def download_tool(
    root: Root | str | os.PathLike[str],
    access: WebAccess | None = None,
    *,
    max_bytes: int = 100_000_000,
    **options: Any,
) -> Tool:
    """Return the tool `download_file`, which saves a file from the web below a folder.

    A file appears complete or not at all. A call that replaces a file needs approval.

    Args:
        root: The folder: a path, or a `Root` of fcregistry-files.
        access: What it may reach, and its limits. By default, all hosts on the public internet, for 300 seconds a call.
        max_bytes: The most bytes that a file may have.
        **options: Further options of the tool, as `fc_register` takes them.

    Raises:
        DefinitionError: An argument is not valid.
        MissingDependencyError: fcregistry-files is not installed.
        OSError: The folder cannot be opened.
    """
    opened = _root_at(root) if isinstance(root, (str, os.PathLike)) else root
    return download_tool_for(partial(same, opened), access_getter(access, LONGEST), max_bytes=max_bytes, **options)


def download_tool_for(
    root: Callable[[], Root], access: Callable[[], WebAccess], *, max_bytes: int = 100_000_000, **options: Any
) -> Tool:
    """Return the tool for a root and an access that are asked for with each call; see `download_tool`."""
    check_count("max_bytes", max_bytes)
    download = _DownloadFile(root, access, max_bytes)
    hints = {
        "title": "Download a file",
        "tags": ("web",),
        "destructive": True,
        "idempotent": True,
        "open_world": True,
        "requires_approval": _overwrites,
        "writes": download.key,
    }
    return Tool.from_function(download, name="download_file", **{**hints, **options})


def _overwrites(arguments: Mapping[str, Any]) -> bool:
    """Return whether a call with `arguments` may replace a file."""
    return bool(arguments.get("overwrite"))


def _root_at(path: str | os.PathLike[str]) -> Root:
    """Return the folder `path` as a `Root`.

    Raise `MissingDependencyError` if fcregistry-files is not installed.
    """
    try:
        from fcregistry_files import Root
    except ImportError as error:
        raise MissingDependencyError(
            "download_file needs fcregistry-files, which is not installed: pip install 'fcregistry-web[files]'"
        ) from error
    return Root(path)


@dataclass(frozen=True, slots=True)
class _DownloadFile:
    """The function of the tool."""

    root: Callable[[], Root]
    access: Callable[[], WebAccess]
    most: int

    def __repr__(self) -> str:
        return "download_file"

    def key(self, arguments: Mapping[str, Any]) -> str:
        """Return the key of the file that a call changes, so that calls that use this file run in order."""
        return self.root().key(arguments["path"])

    async def __call__(  # noqa: D417  # the executor passes the context
        self, context: Context, url: str, path: str, sha256: str | None = None, overwrite: bool = False
    ) -> Download:
        """Download a file from the web, and save it.

        Args:
            url: The URL, beginning with https:// or http://.
            path: The path to save the file at, with its name, below the folder of this tool: data/prices.csv.
            sha256: The SHA-256 that the file must have, in hex. With another one, it is not saved.
            overwrite: Whether to replace a file that exists.
        """
        expected = sha256.strip().lower() if sha256 is not None else None
        if expected is not None and not _SHA256.fullmatch(expected):
            raise ToolError("sha256 must have 64 hex digits")
        root, access = self.root(), self.access()
        try:
            async with asyncio.timeout(access.timeout), get(access, url, "*/*") as answer:
                if not answer.response.is_success:
                    raise answer.status_error("")
                with root.open_to_write(path, overwrite=overwrite) as file:
                    size, digest = await self._save(answer, file, context)
                    if expected is not None and digest != expected:
                        raise ToolError(
                            f"the file at {answer.url} has the SHA-256 {digest}, not {expected}; it was not saved"
                        )
        except TimeoutError:
            limit = f"{access.timeout:g} second{'' if access.timeout == 1 else 's'}"
            message = f"{quote(url)} was not downloaded within {limit}; nothing was saved"
            raise ToolError(message, retryable=True) from None
        return Download(path, size, digest, answer.media_type, str(answer.url))

    async def _save(self, answer: Answer, file: BinaryIO, context: Context) -> tuple[int, str]:
        """Write the body of `answer` to `file`, and return its size and SHA-256.

        Raises:
            ToolError: The body is too large.
        """
        header = answer.response.headers.get("content-length", "")
        whole = int(header) if header.isascii() and header.isdecimal() and len(header) < 20 else None
        if whole is not None and "content-encoding" not in answer.response.headers and whole > self.most:
            raise self._too_large(answer)
        size, digest = 0, hashlib.sha256()
        step = whole // _STEPS if whole else _STEP
        due = step
        async for piece in answer.pieces():
            size += len(piece)
            if size > self.most:
                raise self._too_large(answer)
            digest.update(piece)
            await asyncio.to_thread(file.write, piece)
            received = answer.response.num_bytes_downloaded
            if received >= due:
                due = received + step
                context.progress(min(received / whole, 1.0) if whole else 0.0, f"{size} bytes")
        return size, digest.hexdigest()

    def _too_large(self, answer: Answer) -> ToolError:
        """Return the error for a file that is too large."""
        return ToolError(
            f"the file at {answer.url} has more than {self.most} bytes, the most for this tool; it was not saved"
        )

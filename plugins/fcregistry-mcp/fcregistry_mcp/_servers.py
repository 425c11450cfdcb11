"""Several MCP servers, opened and closed together, and their tools as one toolset."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from logging import getLogger
from types import TracebackType
from typing import Any, Self

from fcregistry import Tool
from fcregistry.errors import DuplicateToolError
from fcregistry.execution import Toolset

from fcregistry_mcp._errors import McpError
from fcregistry_mcp._server import McpServer
from fcregistry_mcp._tools import legal_name


class McpServers:
    """Several servers, and their tools as one toolset.

    They are open inside a `with` or an `async with` block, or from `open()` to `close()`, and are opened and closed at the same time. A server
    that cannot be opened costs its own tools alone: it is in `failed`, and in the log.

    Args:
        servers: A mapping from the name of a server here to the server.
        prefix: Whether each tool is called `NAME_tool`, after its server. Without it, tools keep their names, which must differ.

    Attributes:
        servers: The servers.
        failed: Names of the servers that could not be opened, with the error. Set by `open()`; `tools()` adds those that do not answer.

    Raises:
        TypeError: A name is not a text, or a value is not an `McpServer`.
    """

    def __init__(self, servers: Mapping[str, McpServer], *, prefix: bool = True) -> None:
        given: Mapping[Any, Any] = servers  # callers without a type checker
        for name, server in given.items():
            if not isinstance(name, str) or not isinstance(server, McpServer):
                raise TypeError(f"McpServers takes a mapping from names to servers, and {name!r} is {server!r:.80}")
        self.servers = dict(servers)
        self.failed: dict[str, McpError] = {}
        self._prefix = prefix

    @property
    def refused(self) -> dict[str, dict[str, str]]:
        """The names of servers with tools that cannot be tools here -> the names of these tools, with the reason."""
        return {name: dict(server.refused) for name, server in self.servers.items() if server.refused}

    def open(self) -> Self:
        """Open all servers at the same time, and read the lists of their tools.

        As for one server: if it is open, its list is read again; if it is gone or could not be opened, it is opened again.
        """
        with ThreadPoolExecutor(len(self.servers) or 1, "MCP servers") as pool:
            opening = {name: pool.submit(server.open) for name, server in self.servers.items()}
            try:
                wait(opening.values())
            except BaseException:  # an interrupt; closing ends the opening, for which the pool waits
                self.close()
                raise
        self._keep_failures({name: future.exception() for name, future in opening.items()})
        return self

    def close(self) -> None:
        """Close all servers at the same time. Does nothing to those that are closed."""
        for server in self.servers.values():
            if (connection := server._link.current) is not None:
                connection.end()  # without waiting, so that they end at the same time; at exit, no thread could be started
        for server in self.servers.values():
            server.close()

    def tools(self) -> Toolset:
        """Return the tools of all servers that are open.

        If a server has said that its tools changed, its list is read again first; if it cannot be read, the server is in `failed`, and in
        the log, until `open()`.

        Raises:
            McpError: A server is not open, and has not failed either: `open()` was not called.
            DuplicateToolError: Two tools would have the same name; the message names both servers.
        """
        taken: dict[str, tuple[str, Tool]] = {}
        for name, server in self.servers.items():
            if name in self.failed:
                continue
            try:
                listed = server.tools()
            except McpError as error:
                if server._link.current is None:
                    raise
                self._leave_out(name, error)
                continue
            for tool in listed.values():
                here = legal_name(f"{name}_{tool.name}") if self._prefix else tool.name
                if here in taken:
                    raise DuplicateToolError(self._duplicate_message(here, taken[here], (name, tool)))
                taken[here] = (name, tool.renamed(here))
        return Toolset(tool for _, tool in taken.values())

    def _duplicate_message(self, name: str, first: tuple[str, Tool], second: tuple[str, Tool]) -> str:
        """Return the message about two tools, each with the name of its server, that would be called `name`."""
        owners = " and ".join(
            f"{tool.declared_name!r} of the MCP server {server!r}" for server, tool in (first, second)
        )
        fix = "give one of the servers another name" if self._prefix else "pass prefix=True"
        return f"{owners} are both {name!r} here: {fix}"

    def _keep_failures(self, failures: Mapping[str, BaseException | None]) -> None:
        """Set `failed` and log its errors; close all and raise an error that is not a server's.

        Args:
            failures: The name of each server -> the error that opening it raised, or None.
        """
        others = [error for error in failures.values() if error is not None and not isinstance(error, McpError)]
        if others:
            self.close()
            raise others[0]
        self.failed = {}
        for name, error in failures.items():
            if isinstance(error, McpError):
                self._leave_out(name, error)

    def _leave_out(self, name: str, error: McpError) -> None:
        """Add the error of the server `name` to `failed`, and log it."""
        self.failed[name] = error
        getLogger("fcregistry_mcp").warning("%s is left out: %s", name, error)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        entering = [server.__aenter__() for server in self.servers.values()]
        try:
            entered = await asyncio.gather(*entering, return_exceptions=True)
        except BaseException:  # the task is cancelled
            await asyncio.to_thread(self.close)
            raise
        errors = [each if isinstance(each, BaseException) else None for each in entered]
        self._keep_failures(dict(zip(self.servers, errors, strict=True)))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        return f"<McpServers {', '.join(self.servers)}>"

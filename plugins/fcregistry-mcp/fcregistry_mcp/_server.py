"""The tools of an MCP server.

Source: Model Context Protocol specification, "Base protocol: Lifecycle" and "Transports".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack
from os import PathLike, fspath
from pathlib import PurePath
from threading import Lock
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

import httpx2
from fcregistry.errors import DuplicateToolError
from fcregistry.execution import Secrets, Toolset
from mcp import StdioServerParameters
from mcp import types as protocol
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from fcregistry_mcp._connection import Connection, Transport
from fcregistry_mcp._errors import McpError, reason_of
from fcregistry_mcp._hiding import environment_secrets, request_secrets
from fcregistry_mcp._tools import check_known, legal_name, tool_of
from fcregistry_mcp._words import LastWords

_READING = httpx2.Timeout(30.0, read=300.0)  # a server may hold a stream open while it works


class McpServer:
    """A server that speaks the Model Context Protocol, and its tools. Made by `stdio` or `http`.

    It is open inside of a `with` or an `async with` block, or from `open()` to `close()`. Its tools may be called from any thread and any
    event loop, several at once.

    Attributes:
        name: What it is called in messages.
        refused: Names of its tools that cannot be tools here, with the reason, as `tools()` found them.
    """

    def __init__(
        self,
        name: str,
        transport: Callable[[AsyncExitStack, LastWords], Awaitable[Transport]],
        *,
        trusted: bool = False,
        timeout: float = 30.0,
        secrets: Secrets | None = None,
    ) -> None:
        self.name = name
        self._secrets = secrets or Secrets()
        self.refused: dict[str, str] = {}
        self._transport = transport
        self._trusted = trusted
        self._timeout = timeout
        self._lock = Lock()
        self._connection: Connection | None = None
        self._words: LastWords | None = None
        self._listed: list[protocol.Tool] = []

    @classmethod
    def stdio(
        cls,
        command: str,
        *arguments: str,
        name: str | None = None,
        env: Mapping[str, str] | None = None,
        cwd: str | PathLike[str] | None = None,
        trusted: bool = False,
        timeout: float = 30.0,
    ) -> Self:
        """Return a server that is a command, spoken with over its standard streams.

        What it writes to its standard error goes to the log `fcregistry_mcp`.

        Args:
            command: The program.
            *arguments: Its arguments.
            name: What the server is called in messages; by default, as the program.
            env: Variables of its environment, beside `HOME`, `PATH` and the few others that the SDK hands on. The values of those that are
                named as secrets are (`…KEY…`, `…TOKEN…`) are replaced by `…` in whatever the server says.
            cwd: The folder that it runs in.
            trusted: Whether to believe what it says in favour of its tools: that they only read, or may be called twice.
            timeout: Seconds that opening it may take.
        """
        parameters = StdioServerParameters(
            command=command,
            args=list(arguments),
            env=dict(env or {}),
            cwd=None if cwd is None else fspath(cwd),
            encoding_error_handler="replace",  # one stray byte would end the session
        )

        async def transport(stack: AsyncExitStack, words: LastWords) -> Transport:
            return stdio_client(parameters, errlog=words.pipe)  # type: ignore[arg-type]  # any file will do

        secrets = environment_secrets(env or {})
        return cls(name or PurePath(command).name, transport, trusted=trusted, timeout=timeout, secrets=secrets)

    @classmethod
    def http(
        cls,
        url: str,
        *,
        name: str | None = None,
        headers: Mapping[str, str] | None = None,
        trusted: bool = False,
        timeout: float = 30.0,
    ) -> Self:
        """Return a server at a URL, spoken with over streamable HTTP.

        Args:
            url: Where.
            name: What the server is called in messages; by default, as its host.
            headers: Sent with each request, such as `Authorization`. Their values are replaced by `…` in whatever the server says.
            trusted: As for `stdio`.
            timeout: Seconds that opening it may take.

        Raises:
            ValueError: It is no URL of HTTP.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("McpServer.http takes a URL of HTTP, such as https://tools.example/mcp")

        async def transport(stack: AsyncExitStack, words: LastWords) -> Transport:
            async def noted(response: httpx2.Response) -> None:
                if response.is_error:  # of which the SDK tells no more than that
                    words.add(f"HTTP {response.status_code}")

            client = await stack.enter_async_context(
                httpx2.AsyncClient(headers=dict(headers or {}), timeout=_READING, event_hooks={"response": [noted]})
            )
            return streamable_http_client(url, http_client=client)

        host, secrets = parts.netloc.rpartition("@")[2], request_secrets(parts, headers or {})
        return cls(name or host, transport, trusted=trusted, timeout=timeout, secrets=secrets)

    def open(self) -> Self:
        """Start or reach it, and read the list of its tools. One that is open stays as it is.

        Raises:
            McpError: It cannot be started or reached, or does not answer in time; says why.
        """
        connection = self._begun()
        try:
            self._listed = connection.opened.result()
        except Exception as error:  # noqa: BLE001  # a transport's, the SDK's or the server's own
            failure = self._failed(error)
        except BaseException:  # an interrupt
            self.close()
            raise
        else:
            return self
        raise failure  # which says what it was; the client's own exception holds the request, and what is secret in it

    def close(self) -> None:
        """End the session, and the server where it was started here. One that is closed stays as it is."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if self._words is not None:
            self._words.close()

    def tools(self, allowed: Collection[str] | None = None, *, names: Mapping[str, str] | None = None) -> Toolset:
        """Return its tools, as they were when it was opened.

        Args:
            allowed: The server's names of those that are wanted; by default, all.
            names: The server's name -> what a tool is called here. By default, it keeps its name, with `_` in place of what models cannot write.

        Raises:
            McpError: It is not open.
            ToolNotFoundError: It has no tool of a name.
            DuplicateToolError: Two tools would have one name here.
            DefinitionError: A tool that is wanted by name cannot be a tool here, or cannot be called as `names` says.
        """
        connection = self._connection
        if connection is None:
            raise McpError(f"{self!r} is not open: use it in a `with` block, or call open()", server=self.name)
        if isinstance(allowed, str):
            raise TypeError(f"allowed takes a list of names, such as [{allowed!r}]")
        here = dict(names or {})
        check_known([*(allowed or ()), *here], self._listed, self.name, connection.refused)
        called: dict[str, str] = {}
        refused = dict(connection.refused)
        tools = []
        for each in self._listed:
            if allowed is not None and each.name not in allowed:
                continue
            if each.name in called.values():
                refused[each.name] = "the server lists it twice; this is the first"
                continue
            name = here.get(each.name) or legal_name(each.name)
            if (other := called.setdefault(name, each.name)) != each.name:
                raise DuplicateToolError(
                    f"{other!r} and {each.name!r} of the MCP server {self.name} are both {name!r} here: "
                    f"give one of them another name, as in names={{{each.name!r}: {name[:60] + '_2'!r}}}"
                )
            tool = tool_of(each, name, self.name, connection, trusted=self._trusted)
            if tool.definition_error is None:
                tools.append(tool)
            elif allowed is not None:
                raise tool.definition_error
            else:
                refused[each.name] = str(tool.definition_error)
        self.refused = refused
        return Toolset(tools)

    def _begun(self) -> Connection:
        """Return the connection that there is, open or about to be; a new one, where there is none."""
        with self._lock:
            if self._connection is None:
                words = self._words = LastWords(self.name, self._secrets)
                transport, secrets = self._transport, self._secrets
                self._connection = Connection(self.name, lambda stack: transport(stack, words), self._timeout, secrets)
                self._connection.open()
            return self._connection

    def _failed(self, error: Exception) -> McpError:
        """Return what is raised where it could not be opened; nothing of it is left."""
        self.close()
        said = "" if self._words is None else self._words.said()
        reason = reason_of(error, self._secrets)
        return McpError(f"the MCP server {self.name} cannot be used: {reason}{said}", server=self.name)

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        connection = self._begun()
        try:
            self._listed = await asyncio.wrap_future(connection.opened)
        except Exception as error:  # noqa: BLE001  # a transport's, the SDK's or the server's own
            failure = await asyncio.to_thread(self._failed, error)
        except BaseException:  # an interrupt, or the task is cancelled
            await asyncio.to_thread(self.close)
            raise
        else:
            return self
        raise failure  # as in `open`

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        return f"<McpServer {self.name}>"

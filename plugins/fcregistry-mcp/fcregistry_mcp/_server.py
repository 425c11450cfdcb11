"""The tools of an MCP server.

Source: Model Context Protocol specification, "Base protocol: Lifecycle" and "Transports".
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import AsyncExitStack
from os import PathLike, fspath
from pathlib import PurePath
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

from fcregistry.execution import Content, Secrets, Toolset
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from fcregistry_mcp._checks import check_command, check_texts, check_timeout
from fcregistry_mcp._connection import Connection, Transport
from fcregistry_mcp._errors import McpError, reason_of, request_failure
from fcregistry_mcp._http import HttpTransports
from fcregistry_mcp._link import Link
from fcregistry_mcp._resource_tools import resource_tools
from fcregistry_mcp._resources import (
    Prompt,
    PromptMessage,
    Resource,
    complete_request,
    list_prompts,
    list_resources,
    prompt_request,
    read_request,
)
from fcregistry_mcp._server_secrets import environment_secrets, request_secrets
from fcregistry_mcp._stderr import LastLines
from fcregistry_mcp._tools import select_tools

T = TypeVar("T")


class McpServer:
    """A server that speaks the Model Context Protocol, and its tools. Make one with `stdio` or `http`.

    It is open inside a `with` or an `async with` block, or from `open()` to `close()`. Its tools may be called from any thread and any
    event loop, several at once.

    Args:
        name: The server's name, for messages.
        transport: Makes the SDK's transport. It enters what it needs on the stack, and gets the object that keeps the last lines of standard error.
        trusted: Whether to believe the server's hints that relax rules: that a tool only reads, or may be called twice.
        timeout: Seconds that opening may take.
        secrets: Secrets that are replaced by `…` in everything that the server sends.
        fallback: Makes another transport for a server that cannot be opened with the first, or returns None.

    Raises:
        ValueError: `timeout` is not positive.

    Attributes:
        name: The server's name, for messages.
        refused: Names of the server's tools that cannot be tools here, with the reason. Set by `tools()`.
    """

    def __init__(
        self,
        name: str,
        transport: Callable[[AsyncExitStack, LastLines], Awaitable[Transport]],
        *,
        trusted: bool = False,
        timeout: float = 30.0,
        secrets: Secrets | None = None,
        fallback: Callable[[AsyncExitStack, LastLines], Awaitable[Transport | None]] | None = None,
    ) -> None:
        check_timeout(timeout)
        self.name = name
        self._secrets = secrets or Secrets()
        self.refused: dict[str, str] = {}
        self._trusted = trusted
        self._link = Link(name, self._secrets, _connector(name, transport, timeout, self._secrets, fallback))

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
        """Return a server that is started as a command and reached over its standard streams.

        The server's standard error goes to the logger `fcregistry_mcp`.

        Args:
            command: The program.
            *arguments: The program's arguments.
            name: The server's name, for messages; by default, the name of the program.
            env: Variables for its environment, in addition to `HOME`, `PATH` and the few others that the SDK passes on. The values of variables
                whose names suggest a secret (`…KEY…`, `…TOKEN…`) are replaced by `…` in everything that the server sends.
            cwd: The folder in which the program runs; by default, the current folder.
            trusted: Whether to believe the server's hints that relax rules: that a tool only reads, or may be called twice.
            timeout: Seconds that opening may take.

        Raises:
            TypeError: The program, an argument, or a name or value in `env` is not a text.
            ValueError: `timeout` is not positive.
        """
        check_command(command, arguments)
        check_texts(env, "env")
        parameters = StdioServerParameters(
            command=command,
            args=list(arguments),
            env=dict(env or {}),
            cwd=None if cwd is None else fspath(cwd),
            encoding_error_handler="replace",  # one stray byte would end the session
        )

        async def transport(stack: AsyncExitStack, stderr: LastLines) -> Transport:
            """Return the transport over the standard streams of the command."""
            return stdio_client(parameters, errlog=stderr.pipe)  # type: ignore[arg-type]  # any file will do

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
        """Return a server at a URL, reached over streamable HTTP.

        If the server refuses it with the status 404 or 405, it is reached over the older HTTP with server-sent events (SSE).
        Requests go through the proxies that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name; those to this machine never do.

        Args:
            url: The URL, such as `https://tools.example/mcp`.
            name: The server's name, for messages; by default, its host.
            headers: Headers that are sent with each request, such as `Authorization`. Their values are replaced by `…` in everything that
                the server sends.
            trusted: Whether to believe the server's hints that relax rules: that a tool only reads, or may be called twice.
            timeout: Seconds that opening may take.

        Raises:
            TypeError: A name or value in `headers` is not a text.
            ValueError: The URL is not an HTTP URL, or `timeout` is not positive.
        """
        check_texts(headers, "headers")
        given: Any = url  # callers without a type checker
        parts = urlsplit(given if isinstance(given, str) else "")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("McpServer.http takes an HTTP URL, such as https://tools.example/mcp")

        host, secrets = parts.netloc.rpartition("@")[2], request_secrets(parts, headers or {})
        transports = HttpTransports(url, headers or {})
        return cls(
            name or host,
            transports.streamable,
            fallback=transports.fallback,
            trusted=trusted,
            timeout=timeout,
            secrets=secrets,
        )

    @classmethod
    def sse(
        cls,
        url: str,
        *,
        name: str | None = None,
        headers: Mapping[str, str] | None = None,
        trusted: bool = False,
        timeout: float = 30.0,
    ) -> Self:
        """Return a server at a URL, reached over the older HTTP with server-sent events (SSE).

        `http` finds out by itself that a server has only SSE; this asks for nothing else.

        Args:
            url: The URL of its stream of events, such as `https://tools.example/sse`.
            name: The server's name, for messages; by default, its host.
            headers: Headers that are sent with each request, as for `http`.
            trusted: Whether to believe the server's hints that relax rules, as for `http`.
            timeout: Seconds that opening may take.

        Raises:
            TypeError: A name or value in `headers` is not a text.
            ValueError: The URL is not an HTTP URL, or `timeout` is not positive.
        """
        server = cls.http(url, name=name, headers=headers, trusted=trusted, timeout=timeout)
        sse = HttpTransports(url, headers or {}).sse
        server._link = Link(server.name, server._secrets, _connector(server.name, sse, timeout, server._secrets, None))
        return server

    def open(self) -> Self:
        """Start or reach the server, and read the list of its tools.

        If it is open, read the list again; if it is gone, start or reach it again. Tools that were returned before work again then, except
        those that the server describes otherwise now.

        Raises:
            McpError: The server cannot be started or reached, or does not answer in time. The message says why.
        """
        while True:
            connection, is_new = self._link.connect()
            try:
                connection.list_tools(refresh=not is_new).result()
            except Exception as error:  # noqa: BLE001  # a transport's, the SDK's or the server's own
                failure = self._close_failed(connection, error)
            except BaseException:  # an interrupt
                self._link.close(connection)
                raise
            else:
                return self
            if is_new:
                raise failure  # outside of the `except`: the client's exception holds the request, and the secrets in it

    def close(self) -> None:
        """End the session, and the server if it was started here. Does nothing if it is closed."""
        if (connection := self._link.current) is not None:
            self._link.close(connection)

    def tools(self, allowed: Collection[str] | None = None, *, names: Mapping[str, str] | None = None) -> Toolset:
        """Return the server's tools, as it listed them last: when it was opened, at `refresh()`, or after it said that they changed.

        If it said so, its list is read again first.

        Tools that cannot be tools here are left out, and `refused` has the reason. If several would have the same name here, these are left
        out, and the reason says which `names` to pass.

        Args:
            allowed: Names of the tools to return, as the server names them; by default, all.
            names: A mapping from the server's name of a tool to its name here. By default, a tool keeps its name, with `_` in place of
                characters that models cannot write. Of a name of more than 64 characters, the end is replaced by a digest.

        Raises:
            McpError: The server is not open.
            ToolNotFoundError: The server has no tool with one of the names.
            DuplicateToolError: Two tools would have the same name here, and `allowed` or `names` is given.
            DefinitionError: A tool in `allowed` cannot be a tool here, or a name in `names` is not valid.
        """
        connection = self._connected()
        if isinstance(allowed, str):
            raise TypeError(f"allowed takes a list of names, such as [{allowed!r}]")
        if connection.is_stale:
            self._wait(lambda client: connection.read_list(client, only_if_stale=True))
        tools, self.refused = select_tools(
            connection.listed,
            allowed,
            dict(names or {}),
            self.name,
            self._link,
            connection.refused,
            trusted=self._trusted,
        )
        return Toolset(tools)

    def refresh(self) -> Self:
        """Read the list of the server's tools again, for the next `tools()`.

        Tools that were returned before keep their definitions. A call of one that has changed since does not run: it is `unavailable`.

        Raises:
            McpError: The server is not open, does not answer, or its answer is not valid.
        """
        connection = self._connected()
        self._wait(connection.read_list)
        return self

    async def arefresh(self) -> Self:
        """Like `refresh`, without blocking the running event loop."""
        await self._answer(self._connected().read_list)
        return self

    def resource_tools(self) -> Toolset:
        """Return the tools `read_resource` and `get_prompt`, with which a model reads the server's resources and prompts.

        Their descriptions list what the server has now. A server without resources has no `read_resource`, and one without prompts no
        `get_prompt`.

        Raises:
            McpError: The server is not open, does not answer, or its answer is not valid.
        """
        resources, prompts = self.resources(), self.prompts()
        return Toolset(resource_tools(resources, prompts, self.name, self._link, trusted=self._trusted))

    def resources(self) -> list[Resource]:
        """Return the server's resources, and the templates of others.

        Raises:
            McpError: The server is not open, does not answer, or its answer is not valid.
        """
        return self._wait(list_resources)

    async def aresources(self) -> list[Resource]:
        """Like `resources`, without blocking the running event loop."""
        return await self._answer(list_resources)

    def read(self, uri: str) -> tuple[Content, ...]:
        """Return the contents of a resource: texts, images, sounds and files.

        Args:
            uri: The URI of the resource.

        Raises:
            McpError: The server is not open, does not answer, or has no such resource; or it has more than 16 MB.
            TypeError: The URI is not a text.
            ValueError: The URI has half of a surrogate pair.
        """
        return self._wait(read_request(uri))

    async def aread(self, uri: str) -> tuple[Content, ...]:
        """Like `read`, without blocking the running event loop."""
        return await self._answer(read_request(uri))

    def prompts(self) -> list[Prompt]:
        """Return the server's prompts.

        Raises:
            McpError: The server is not open, does not answer, or its answer is not valid.
        """
        return self._wait(list_prompts)

    async def aprompts(self) -> list[Prompt]:
        """Like `prompts`, without blocking the running event loop."""
        return await self._answer(list_prompts)

    def prompt(self, name: str, /, **arguments: str) -> tuple[PromptMessage, ...]:
        """Return the messages of a prompt.

        Args:
            name: The prompt's name.
            **arguments: Its arguments.

        Raises:
            McpError: The server is not open, does not answer, or has no such prompt; or it has more than 16 MB.
            TypeError: An argument is not a text.
            ValueError: A text has half of a surrogate pair.
        """
        return self._wait(prompt_request(name, arguments))

    async def aprompt(self, name: str, /, **arguments: str) -> tuple[PromptMessage, ...]:
        """Like `prompt`, without blocking the running event loop."""
        return await self._answer(prompt_request(name, arguments))

    def complete(
        self,
        argument: str,
        value: str = "",
        *,
        prompt: str | None = None,
        uri: str | None = None,
        given: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Return what the server proposes for an argument of a prompt, or for a value of a template of URIs.

        Args:
            argument: The name of the argument.
            value: The beginning of its value.
            prompt: The name of the prompt.
            uri: The template, in place of a prompt.
            given: The arguments that have values already.

        Raises:
            McpError: The server is not open, does not answer, or knows no such prompt or template.
            TypeError: Not exactly one of `prompt` and `uri` is given, or a value is not a text.
            ValueError: A text has half of a surrogate pair.
        """
        return self._wait(complete_request(argument, value, prompt, uri, given or {}))

    async def acomplete(
        self,
        argument: str,
        value: str = "",
        *,
        prompt: str | None = None,
        uri: str | None = None,
        given: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Like `complete`, without blocking the running event loop."""
        return await self._answer(complete_request(argument, value, prompt, uri, given or {}))

    def _wait(self, send: Callable[[Client], Awaitable[T]]) -> T:
        """Return the answer to a request.

        Raises:
            McpError: The server is not open, or there is no answer.
        """
        connection = self._connected()
        try:
            return connection.wait(send)
        except Exception as error:  # noqa: BLE001  # of the SDK or its transports, which a server's bytes may break
            failure = self._request_error(error)
        raise failure  # outside of the `except`, as in `open`

    async def _answer(self, send: Callable[[Client], Awaitable[T]]) -> T:
        """Like `_wait`, without blocking the running event loop. Cancelling this call cancels the request."""
        connection = self._connected()
        try:
            return await connection.request(send, is_limited=True)
        except Exception as error:  # noqa: BLE001  # as in `_wait`
            failure = self._request_error(error)
        raise failure  # outside of the `except`, as in `open`

    def _request_error(self, error: Exception) -> McpError:
        """Return the error to raise for a request that has no answer because of `error`."""
        return McpError(request_failure(error, self.name, self._secrets, "the request"), server=self.name)

    def _connected(self) -> Connection:
        """Return the connection.

        Raises:
            McpError: The server is not open.
        """
        if (connection := self._link.current) is None:
            raise McpError(f"{self!r} is not open: use it in a `with` block, or call open()", server=self.name)
        return connection

    def _close_failed(self, connection: Connection, error: Exception) -> McpError:
        """Close `connection`, which cannot be used because of `error`, and return the error to raise."""
        self._link.close(connection)
        reason = reason_of(error, self._secrets)
        return McpError(
            f"the MCP server {self.name} cannot be used: {reason}{connection.stderr.last()}", server=self.name
        )

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        while True:
            connection, is_new = self._link.connect()
            try:
                await asyncio.wrap_future(connection.list_tools(refresh=not is_new))
            except Exception as error:  # noqa: BLE001  # a transport's, the SDK's or the server's own
                failure = await asyncio.to_thread(self._close_failed, connection, error)
            except BaseException:  # an interrupt, or the task is cancelled
                await asyncio.to_thread(self._link.close, connection)
                raise
            else:
                return self
            if is_new:
                raise failure  # outside of the `except`, as in `open`

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        return f"<McpServer {self.name}>"


def _connector(
    name: str,
    transport: Callable[[AsyncExitStack, LastLines], Awaitable[Transport]],
    timeout: float,
    secrets: Secrets,
    fallback: Callable[[AsyncExitStack, LastLines], Awaitable[Transport | None]] | None,
) -> Callable[[], Connection]:
    """Return a function that makes a connection. It does not refer to the `McpServer`, which may be dropped before its tools."""
    return lambda: Connection(name, transport, timeout, secrets, LastLines(name, secrets), fallback)

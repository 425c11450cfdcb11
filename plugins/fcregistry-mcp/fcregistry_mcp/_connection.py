"""The session with a server, on a thread with its own loop, for all threads and loops."""

from __future__ import annotations

import asyncio
import atexit
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from functools import partial
from threading import Thread
from typing import Any, Final, TypeAlias, TypeVar
from weakref import finalize

from fcregistry.execution import Secrets
from mcp import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.types import PaginatedResult, Tool, ToolListChangedNotification
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from fcregistry_mcp._errors import McpError
from fcregistry_mcp._log_messages import log_message, wanted_level
from fcregistry_mcp._messages import filtered_transport
from fcregistry_mcp._stderr import LastLines

T = TypeVar("T")
Page = TypeVar("Page", bound=PaginatedResult)

Transport: TypeAlias = AbstractAsyncContextManager[Any]
"""The two streams of a server, as the SDK takes them."""

_CLOSE_SECONDS: Final = 10.0
"""Seconds that `close` waits for a server to end. The SDK closes its input, then stops it, then kills it, two seconds each."""
_MOST_PAGES: Final = 1000
_SLOW: Final = ": check that it is an MCP server, or pass a longer timeout"
_MOST_SUBSCRIPTIONS: Final = 10
"""How often a server is asked again to say when its list changes, if the stream of its messages breaks."""
_LOGGERS: Final = (
    *("client", "mcp", "httpx2"),
    *(f"httpcore2.{part}" for part in ("connection", "http11", "http2", "proxy", "socks")),  # imported when first used
)
"""The loggers of the SDK and of its HTTP client, which log messages, URLs and headers."""


class Connection:
    """A session with a server, which ends when neither its `McpServer` nor a tool of it is left.

    Args:
        server: The server's name, for messages.
        transport: Makes the transport, on the session's loop, and enters what it needs on the stack.
        seconds: How long opening may take.
        secrets: Secrets that are sent to the server, and hidden wherever its messages repeat them.
        stderr: The server's last lines, closed with the session.
        fallback: Makes another transport if the session cannot be opened with the first, or returns None.

    Attributes:
        secrets: The secrets.
        refused: Names of tools that are not valid in the protocol, with the reason.
    """

    def __init__(
        self,
        server: str,
        transport: Callable[[AsyncExitStack, LastLines], Awaitable[Transport]],
        seconds: float,
        secrets: Secrets,
        stderr: LastLines,
        fallback: Callable[[AsyncExitStack, LastLines], Awaitable[Transport | None]] | None,
    ) -> None:
        self._session = session = _Session(server, transport, seconds, secrets, stderr, fallback)
        self.secrets, self.refused = secrets, session.refused
        self.stderr = stderr
        # Not at exit: there, the session's own callback also waits until the server has ended.
        finalize(self, session.end).atexit = False
        session.open()

    @property
    def is_open(self) -> bool:
        """Whether the session was opened. The server may be gone since."""
        return self._session.opened.done()

    @property
    def listed(self) -> list[Tool]:
        """The server's tools, as it listed them last."""
        return self._session.listed

    @property
    def is_stale(self) -> bool:
        """Whether the server has said that its list of tools changed, and the list was not read since."""
        return self._session.is_stale

    def list_tools(self, *, refresh: bool) -> Future[None]:
        """Read the server's list of tools.

        Args:
            refresh: Whether to ask an open server again; otherwise wait until it is open, which reads the list.

        Raises:
            McpError: The session has ended.
        """
        session = self._session
        if not refresh:
            return session.opened
        return session.submit(lambda client: _in_time(session.read_list(client), session.seconds))

    async def read_list(self, client: Client, *, only_if_stale: bool = False) -> None:
        """Read the server's list of tools again, on the session's loop.

        Args:
            client: The SDK's client.
            only_if_stale: Whether to do nothing if the list was read since the server said that it changed.
        """
        await self._session.read_list(client, only_if_stale=only_if_stale)

    async def current(self, name: str) -> Tool | None:
        """Return a tool as the server describes it now, or None if it has no such tool.

        If the server has said that its list changed, the list is read again first.

        Args:
            name: The server's name of the tool.

        Raises:
            McpError: The session has ended.
            Exception: The list cannot be read.
        """
        session = self._session
        if not session.opened.done():  # the server is opened again at the moment
            await asyncio.shield(asyncio.wrap_future(session.opened))
        if session.is_stale:
            await self.request(lambda client: session.read_list(client, only_if_stale=True))
        return session.by_name.get(name)

    def end(self) -> None:
        """Ask the session to end, without waiting."""
        self._session.end()

    def close(self) -> None:
        """End the session and the server, and wait until they have ended."""
        self._session.close()

    def wait(self, send: Callable[[Client], Awaitable[T]]) -> T:
        """Send the server a request, and wait for the answer on this thread, as long as opening may take.

        Args:
            send: Sends the request with the SDK's client, and returns the answer.

        Raises:
            McpError: The session has ended, or is not open yet.
        """
        session = self._session
        pending = session.submit(lambda client: _in_time(send(client), session.seconds))
        try:
            return pending.result()
        except CancelledError:
            raise session.closed_error() from None  # the session was closed while this thread waited
        except BaseException:
            pending.cancel()  # an interrupt; otherwise it is done
            raise

    async def request(self, send: Callable[[Client], Awaitable[T]], *, is_limited: bool = False) -> T:
        """Send the server a request, from any event loop. Cancelling this call cancels the request.

        Args:
            send: Sends the request with the SDK's client, and returns the answer.
            is_limited: Whether the answer may take only as long as opening may take.

        Raises:
            McpError: The session has ended, or is not open yet.
        """
        session = self._session
        pending = session.submit(lambda client: _in_time(send(client), session.seconds) if is_limited else send(client))
        try:
            return await asyncio.wrap_future(pending)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            raise self._session.closed_error() from None  # the session was closed while this call waited


class _Session:
    """A session, opened once and closed once. Its thread refers to it, so it lives as long as the thread.

    Attributes:
        opened: Done once the server is open, or with the reason why it cannot be opened.
        refused: Names of tools that are not valid in the protocol, with the reason.
        listed: The server's tools, as it listed them last.
        by_name: The same, by the server's names of them.
        is_stale: Whether the server has said that its list changed, and the list was not read since.
    """

    def __init__(
        self,
        server: str,
        transport: Callable[[AsyncExitStack, LastLines], Awaitable[Transport]],
        seconds: float,
        secrets: Secrets,
        stderr: LastLines,
        fallback: Callable[[AsyncExitStack, LastLines], Awaitable[Transport | None]] | None,
    ) -> None:
        self._secrets = secrets
        self._stderr = stderr
        self._server = server
        self._transport = transport
        self._fallback = fallback
        self.seconds = seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing: asyncio.Event | None = None
        self._ended = False
        self._process = os.getpid()
        self._thread = Thread(target=self._run, name=f"MCP server {server}", daemon=True)
        self.opened: Future[None] = Future()
        self.refused: dict[str, str] = {}
        self.listed: list[Tool] = []
        self.by_name: dict[str, Tool] = {}
        self.is_stale = False
        self._reading_list = asyncio.Lock()

    def open(self) -> None:
        """Start to open the session. `opened` gets the result."""
        atexit.register(self.close)  # a server that does not end with its input would outlive this process
        self._thread.start()

    def close(self) -> None:
        """End the session and the server, and wait until they have ended."""
        if self._process != os.getpid():
            return
        self.end()
        self._thread.join(_CLOSE_SECONDS)

    def end(self) -> None:
        """Ask the session to end, without waiting. The garbage collector calls this on any thread."""
        if self._ended:  # once: a second cancellation would end the closing, and leave the server's process
            return
        self._ended = True
        loop, task, closing = self._loop, self._task, self._closing
        if self._process == os.getpid() and loop is not None and task is not None and closing is not None:
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(task.cancel if self._client is None else closing.set)

    def submit(self, send: Callable[[Client], Awaitable[T]]) -> Future[T]:
        """Send the server a request, on the session's loop.

        Raises:
            McpError: The session has ended, or is not open yet.
        """
        loop, client = self._loop, self._client
        if loop is None or client is None or self._process != os.getpid():  # a forked process does not have the thread
            raise self.closed_error()
        pending = self._request_without_secrets(send, client)
        try:
            return asyncio.run_coroutine_threadsafe(pending, loop)
        except RuntimeError:  # the loop is closed
            pending.close()
            raise self.closed_error() from None

    async def _request_without_secrets(self, send: Callable[[Client], Awaitable[T]], client: Client) -> T:
        """Return the answer to the request that `send` sends with `client`, while secrets are hidden in logs."""
        with self._secrets.hide_in_logs(*_LOGGERS):  # again: this coroutine has the context of the caller's thread
            return await send(client)

    def _filter(self, transport: Any) -> Any:  # any value that the SDK's Client accepts
        """Return `transport` with its incoming messages filtered.

        For a server in this process, return `transport` itself.
        """
        if isinstance(transport, AbstractAsyncContextManager):
            return filtered_transport(transport, self._server, self.refused, self._secrets, self._stderr.note)
        return transport

    def closed_error(self) -> McpError:
        """Return the error of a request after the session has ended."""
        return McpError(f"the MCP server {self._server} is not connected", server=self._server)

    def _run(self) -> None:
        """Run the session in a loop of this thread, and report its failure to `opened`."""
        try:
            with self._secrets.hide_in_logs(*_LOGGERS):
                asyncio.run(self._serve())
        except BaseException as error:  # noqa: BLE001  # `opened` reports it; after opening, the calls do
            if not self.opened.done():
                self.opened.set_exception(self.closed_error() if isinstance(error, asyncio.CancelledError) else error)
        finally:
            self._client = None
            self._stderr.close()
            atexit.unregister(self.close)

    async def _serve(self) -> None:
        """Open the session, set `opened` to the server's tools, and keep the session until it is closed."""
        self._task, self._closing = asyncio.current_task(), asyncio.Event()
        self._loop = asyncio.get_running_loop()
        if self._ended:  # it was closed before the loop ran
            raise asyncio.CancelledError
        async with AsyncExitStack() as stack:
            client = await _in_time(self._open_client(stack), self.seconds, _SLOW)
            self._client = client
            if not self.opened.done():  # the waiting caller may have been cancelled
                self.opened.set_result(None)
            listening = asyncio.create_task(listen_for_changes(client))
            await self._closing.wait()
            self._client = None
            listening.cancel()

    async def read_list(self, client: Client, *, only_if_stale: bool = False) -> None:
        """Read the server's list of tools, one reader at a time; calls that wait for the same change read it once.

        Args:
            client: The SDK's client.
            only_if_stale: Whether to do nothing if the list was read since the server said that it changed.
        """
        async with self._reading_list:
            if only_if_stale and not self.is_stale:
                return
            self.is_stale = False  # first: it may change while it is read
            self.refused.clear()
            try:
                self.listed = await all_pages(client.list_tools, lambda page: page.tools, "tools")
            except BaseException:  # also if the task is cancelled: the list was not read
                self.is_stale = True
                raise
            self.by_name = {tool.name: tool for tool in reversed(self.listed)}  # the first of two with one name

    async def _receive(self, message: Any) -> None:
        """Note a message of the server that its list of tools changed: a handler of the SDK's client."""
        if isinstance(message, ToolListChangedNotification):
            self.is_stale = True

    async def _open_client(self, stack: AsyncExitStack) -> Client:
        """Return the SDK's client, entered on the stack, after the list of the server's tools was read."""
        client = await self._enter_client(stack)
        await self.read_list(client)
        return client

    async def _enter_client(self, stack: AsyncExitStack) -> Client:
        """Return the SDK's client, entered on the stack, with the first transport that the server accepts.

        Raises:
            Exception: The server cannot be reached with the first transport, nor with another.
        """
        try:
            return await stack.enter_async_context(self._make_client(await self._transport(stack, self._stderr)))
        except Exception as error:
            other = None if self._fallback is None else await self._fallback(stack, self._stderr)
            if other is None:
                raise
            try:
                return await stack.enter_async_context(self._make_client(other))
            except Exception:  # noqa: BLE001  # a transport's or the SDK's own; the first says more
                raise error from None

    def _make_client(self, transport: Any) -> Client:  # any value that the SDK's Client accepts
        """Return the SDK's client over a transport."""
        return Client(
            self._filter(transport),
            logging_callback=partial(log_message, self._server),
            log_level=wanted_level(),
            message_handler=self._receive,
        )


async def _in_time(answer: Awaitable[T], seconds: float, advice: str = "") -> T:
    """Return the answer of a server.

    Args:
        answer: The answer.
        seconds: How long it may take.
        advice: What to do if it takes longer, for the error.

    Raises:
        TimeoutError: It takes longer than `seconds`.
    """
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except TimeoutError as error:
        limit = f"{seconds:g} second{'' if seconds == 1 else 's'}"
        raise TimeoutError(f"it did not answer within {limit}{advice}") from error


async def listen_for_changes(client: Client) -> None:
    """Ask a server to say when its list of tools changes; earlier than 2026-07-28, servers say it unasked."""
    tools = client.server_capabilities.tools
    if client.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS or tools is None or not tools.list_changed:
        return
    for _ in range(_MOST_SUBSCRIPTIONS):
        try:
            async with client.listen(tools_list_changed=True) as changes:
                async for _change in changes:
                    pass  # the client's handler gets each one, too
                return  # the server has ended it
        except SubscriptionLost:
            continue
        except Exception:  # noqa: BLE001  # the server refuses it, or is gone: its calls say so
            return


async def all_pages(fetch: Callable[..., Awaitable[Page]], items: Callable[[Page], list[T]], what: str) -> list[T]:
    """Return the items of all pages of a server's list.

    Args:
        fetch: Gets a page, with the method of the SDK's client.
        items: Returns the items of a page.
        what: The items, in words.

    Raises:
        ValueError: There are more than `_MOST_PAGES` pages.
    """
    found: list[T] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await fetch(cursor=cursor, cache_mode="refresh")
        found += items(page)
        cursor = page.next_cursor
        if not cursor:
            return found
    raise ValueError(f"its list of {what} has more than {_MOST_PAGES} pages")

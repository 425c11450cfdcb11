"""The current connection of a server, for the server and its tools."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from fcregistry.execution import Secrets

from fcregistry_mcp._connection import Connection
from fcregistry_mcp._errors import McpError


class Link:
    """The current connection of a server: its tools use it, too, so that they work again after the server is opened again.

    Args:
        server: The server's name, for messages.
        secrets: Secrets that are hidden in what the server sends.
        connect: Makes a connection, about to open.

    Attributes:
        secrets: The secrets.
    """

    def __init__(self, server: str, secrets: Secrets, connect: Callable[[], Connection]) -> None:
        self._server = server
        self.secrets = secrets
        self._connect = connect
        self._lock = Lock()
        self._current: Connection | None = None

    @property
    def current(self) -> Connection | None:
        """The current connection, or None."""
        return self._current

    def connected(self) -> Connection:
        """Return the current connection.

        Raises:
            McpError: There is none.
        """
        if (connection := self._current) is None:
            raise McpError(f"the MCP server {self._server} is not connected", server=self._server)
        return connection

    def connect(self) -> tuple[Connection, bool]:
        """Return the connection, open or about to open, and whether it is new."""
        with self._lock:
            if self._current is not None:
                return self._current, not self._current.is_open
            self._current = self._connect()
            return self._current, True

    def close(self, connection: Connection) -> None:
        """Close `connection`, and forget it if it is the current one."""
        with self._lock:
            if self._current is connection:
                self._current = None
        connection.close()

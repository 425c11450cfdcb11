"""Makes a tool of a server's tool, with its schema as it is, under a name that models may write."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any, Final

from fcregistry import Context, Tool
from fcregistry.errors import ToolError, ToolNotFoundError
from mcp import Client, MCPError
from mcp import types as protocol

from fcregistry_mcp._answers import answer_of
from fcregistry_mcp._connection import Connection
from fcregistry_mcp._errors import McpError, cut, reason_of

_LONGEST_NAME: Final = 64
_LONGEST_TITLE: Final = 200
_LONGEST_DESCRIPTION: Final = 10_000
_CLOSED: Final = "Connection closed"  # the SDK's words; servers use its code for errors of their own
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""What a model reads and a person does not see: controls but tab and line end, marks of direction, tags."""


def legal_name(name: str) -> str:
    """Return a name that every provider takes (`^[A-Za-z0-9_-]{1,64}$`), as near to a server's as can be: `ns.add` is `ns_add`."""
    legal = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)
    return legal[:_LONGEST_NAME] or "_"


def check_known(
    asked: Collection[str], listed: Collection[protocol.Tool], server: str, refused: Mapping[str, str]
) -> None:
    """Check that a server has tools of these names.

    Raises:
        ToolNotFoundError: It has none of a name; says the nearest, or why it cannot be had.
    """
    known = sorted(each.name for each in listed)
    for name in asked:
        if name in known:
            continue
        near = tuple(get_close_matches(name, known, n=3))
        if name in refused:
            hint = refused[name]
        elif near:
            hint = f"did you mean {', '.join(map(repr, near))}?"
        else:
            hint = f"it has {', '.join(known[:20]) or 'none'}"
        raise ToolNotFoundError(f"the MCP server {server} has no tool {name!r}; {hint}", name=name, candidates=near)


def tool_of(given: protocol.Tool, name: str, server: str, connection: Connection, *, trusted: bool) -> Tool:
    """Return a tool that is called on its server.

    Args:
        given: What the server says of it.
        name: What it is called here.
        server: What the server is called.
        connection: The session with it.
        trusted: Whether to believe the server that the tool does no harm.

    Raises:
        DefinitionError: It cannot be a tool here.
    """

    async def call(context: Context, /, **arguments: Any) -> Any:
        return answer_of(await _asked(connection, server, given.name, arguments, context))

    options: dict[str, Any] = _hints(given.annotations, trusted=trusted)
    if given.title:
        options["title"] = _seen(given.title, _LONGEST_TITLE)
    return Tool.from_function(
        call,
        name=name,
        description=_seen(given.description or given.title or given.name, _LONGEST_DESCRIPTION),
        parameters=given.input_schema,
        tags=("mcp",),
        meta={"mcp.server": server, "mcp.tool": given.name},
        **options,
    )


def _seen(text: str, most: int) -> str:
    """Return a stranger's text, bounded, as a person who approves of the tool sees it."""
    return _UNSEEN.sub("", text)[:most]


def _hints(said: protocol.ToolAnnotations | None, *, trusted: bool) -> dict[str, Any]:
    """Return the hints that are believed: what warns always, what would loosen a rule from a trusted server only."""
    if said is None:
        return {}
    hints = {
        "read_only": said.read_only_hint,
        "destructive": said.destructive_hint,
        "idempotent": said.idempotent_hint,
        "open_world": said.open_world_hint,
    }
    warn = ("destructive", "open_world")
    return {name: value for name, value in hints.items() if value is not None and (trusted or (value and name in warn))}


async def _asked(
    connection: Connection, server: str, tool: str, arguments: dict[str, Any], context: Context
) -> protocol.CallToolResult:
    """Return what the server answers.

    Raises:
        ToolError: It gives no answer: it is gone, refuses the call, or answers what is none.
    """
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:  # the SDK would end the session for every other call
        raise ToolError(
            "the arguments hold what cannot be sent: half of a surrogate pair, or too long a number"
        ) from error
    try:
        return await connection.ask(_question(tool, arguments, context))
    except McpError as error:
        failure = ToolError(str(error))
    except MCPError as error:
        if error.code == protocol.CONNECTION_CLOSED and error.message == _CLOSED:
            failure = ToolError(f"the MCP server {server} has closed the connection")
        else:
            failure = ToolError(
                f"the MCP server {server} refuses the call: {cut(connection.secrets.hide(error.message))}"
            )
    except Exception as error:  # the SDK's and its transports' own: what a server sends may break any of them  # noqa: BLE001
        failure = ToolError(f"the MCP server {server} gives no answer: {reason_of(error, connection.secrets)}")
    raise failure  # outside of the `except`: the exception of a client for HTTP holds the request, and what is secret in it


def _question(
    tool: str, arguments: dict[str, Any], context: Context
) -> Callable[[Client], Awaitable[protocol.CallToolResult]]:
    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        context.progress(progress / total if total else 0.0, message or "")

    return lambda client: client.call_tool(tool, arguments, progress_callback=progressed)

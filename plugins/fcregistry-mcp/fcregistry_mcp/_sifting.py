"""What a server says, before the SDK reads it: without secrets, and without tools that would make it refuse a whole list.

Source: Model Context Protocol specification, "Server features: Tools", section "Listing Tools".
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Final

from fcregistry.execution import Secrets
from mcp_types.methods import SERVER_RESULTS, validate_server_result
from pydantic import ValidationError

_LIST: Final = "tools/list"
_NEWEST: Final = max(version for method, version in SERVER_RESULTS if method == _LIST)
_MOST_CHARACTERS: Final = 200


@asynccontextmanager
async def sifted(
    transport: AbstractAsyncContextManager[Any], refused: dict[str, str], secrets: Secrets
) -> AsyncIterator[Any]:
    """Enter a transport, and yield its streams; messages come without secrets, and lists of tools without those that are none.

    Args:
        transport: What the SDK takes.
        refused: Gets the names of those left out, with the reason.
        secrets: What the messages come without.
    """
    async with transport as (reading, *rest):
        yield _Sieve(reading, refused, secrets), *rest


class _Sieve:
    """A stream of messages, as the SDK reads it."""

    def __init__(self, stream: Any, refused: dict[str, str], secrets: Secrets) -> None:
        self._stream = stream
        self._refused = refused
        self._secrets = secrets
        self._version = _NEWEST

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)  # such as `last_context`

    async def __aenter__(self) -> _Sieve:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._stream.__aexit__(*raised)

    def __aiter__(self) -> _Sieve:
        return self

    async def __anext__(self) -> Any:
        return self._seen(await self._stream.__anext__())

    async def receive(self) -> Any:
        return self._seen(await self._stream.receive())

    def _seen(self, item: Any) -> Any:
        self._hide(getattr(item, "message", None))
        result = getattr(getattr(item, "message", None), "result", None)
        if isinstance(result, dict):
            if isinstance(version := result.get("protocolVersion"), str):  # the answer to `initialize`
                self._version = version
            tools = result.get("tools")
            if isinstance(tools, list) and self._wrong(result, tools):
                result["tools"] = [tool for tool in tools if not self._left_out(result, tool)]
        return item

    def _hide(self, message: Any) -> None:
        """Replace secrets in a response, an error, a request or a notification."""
        for name in ("result", "params"):
            if isinstance(said := getattr(message, name, None), dict):
                setattr(message, name, self._secrets.hide_in_json(said))
        if (error := getattr(message, "error", None)) is not None:
            error.message, error.data = self._secrets.hide(error.message), self._secrets.hide_in_json(error.data)

    def _left_out(self, result: dict[str, Any], tool: Any) -> bool:
        reason = self._wrong(result, [tool])
        if reason:
            name = tool.get("name") if isinstance(tool, dict) else None
            self._refused[str(name)[:_MOST_CHARACTERS]] = f"it is no tool of the protocol: {reason}"
        return bool(reason)

    def _wrong(self, result: dict[str, Any], tools: list[Any]) -> str:
        """Return what is wrong with tools, by the version of the protocol that is spoken; empty if nothing is."""
        try:
            validate_server_result(_LIST, self._version, {**result, "tools": tools})
        except ValidationError as error:
            for each in error.errors(include_url=False, include_context=False, include_input=False):
                if each["loc"][:1] == ("tools",):
                    where = ".".join(map(str, each["loc"][2:])) or "it"
                    return f"{where}: {each['msg']}"[:_MOST_CHARACTERS]
        except (KeyError, ValueError):  # a version that the SDK does not know; it will say so
            pass
        return ""

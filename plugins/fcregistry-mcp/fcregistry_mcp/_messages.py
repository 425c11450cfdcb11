"""Hides secrets in a server's messages, and leaves out invalid tools, before the SDK reads them.

The SDK refuses a whole list because of one tool that is not valid.

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
async def filtered_transport(
    transport: AbstractAsyncContextManager[Any], refused: dict[str, str], secrets: Secrets
) -> AsyncIterator[Any]:
    """Enter a transport, and yield its streams, the incoming one filtered.

    Args:
        transport: The transport, as the SDK takes it.
        refused: Gets the names of the tools that are left out, with the reason.
        secrets: Secrets that are replaced in the messages.
    """
    async with transport as (reading, *rest):
        yield _FilteredStream(reading, refused, secrets), *rest


class _FilteredStream:
    """A stream of incoming messages, filtered."""

    def __init__(self, stream: Any, refused: dict[str, str], secrets: Secrets) -> None:
        self._stream = stream
        self._refused = refused
        self._secrets = secrets
        self._version = _NEWEST

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)  # such as `last_context`

    async def __aenter__(self) -> _FilteredStream:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *raised: Any) -> Any:
        return await self._stream.__aexit__(*raised)

    def __aiter__(self) -> _FilteredStream:
        return self

    async def __anext__(self) -> Any:
        return self._filter(await self._stream.__anext__())

    async def receive(self) -> Any:
        return self._filter(await self._stream.receive())

    def _filter(self, item: Any) -> Any:
        """Return `item`, an incoming message, with its secrets hidden and without invalid tools."""
        self._hide(getattr(item, "message", None))
        result = getattr(getattr(item, "message", None), "result", None)
        if isinstance(result, dict):
            if isinstance(version := result.get("protocolVersion"), str):  # the answer to `initialize`
                self._version = version
            tools = result.get("tools")
            if isinstance(tools, list) and self._problem(result, tools):
                result["tools"] = [tool for tool in tools if not self._is_refused(result, tool)]
        return item

    def _hide(self, message: Any) -> None:
        """Replace secrets in `message`: a response, an error, a request or a notification."""
        for name in ("result", "params"):
            if isinstance(value := getattr(message, name, None), dict):
                setattr(message, name, self._secrets.hide_in_json(value))
        if (error := getattr(message, "error", None)) is not None:
            error.message, error.data = self._secrets.hide(error.message), self._secrets.hide_in_json(error.data)

    def _is_refused(self, result: dict[str, Any], tool: Any) -> bool:
        """Return whether `tool`, in the list `result`, is not valid.

        Then its name and the reason are recorded.
        """
        reason = self._problem(result, [tool])
        if reason:
            name = tool.get("name") if isinstance(tool, dict) else None
            self._refused[str(name)[:_MOST_CHARACTERS]] = f"it is not a valid tool of the protocol: {reason}"
        return bool(reason)

    def _problem(self, result: dict[str, Any], tools: list[Any]) -> str:
        """Return the problem of `tools` in the list `result`, or an empty text if they are valid.

        The version of the protocol in use decides.
        """
        try:
            validate_server_result(_LIST, self._version, {**result, "tools": tools})
        except ValidationError as error:
            for each in error.errors(include_url=False, include_context=False, include_input=False):
                if each["loc"][:1] == ("tools",):
                    where = ".".join(map(str, each["loc"][2:])) or "it"
                    return f"{where}: {each['msg']}"[:_MOST_CHARACTERS]
        except (KeyError, ValueError):  # the SDK does not know the version, and will report that
            pass
        return ""

"""Hides secrets in a server's messages, and corrects or leaves out invalid tools, before the SDK reads them.

The schemas of results are moved to where the SDK does not read them: it refuses a tool whose schema is not valid, and a result
that does not fit. An answer that cannot be read becomes an error of its request, which would otherwise wait for ever.

The SDK refuses a whole list because of one tool that is not valid. Many servers write null for what is absent.

Sources: Model Context Protocol specification, "Server features: Tools", section "Listing Tools"; JSON Schema 2020-12.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from logging import getLogger
from typing import Any, Final, TypeAlias

from fcregistry.execution import Secrets
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError, Tool
from mcp_types.methods import SERVER_RESULTS, validate_server_result
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from fcregistry_mcp._errors import UNREADABLE
from fcregistry_mcp._stderr import printable

_LIST: Final = "tools/list"
_OUTPUT_SCHEMA: Final = "fcregistry/outputSchema"
"""The key of `_meta` under which the schema of a tool's results is passed through the SDK."""
_NEWEST: Final = max(version for method, version in SERVER_RESULTS if method == _LIST)
_MOST_CHARACTERS: Final = 200
_MOST_PLACES: Final = 10
_MOST_UNREADABLE: Final = 100
"""Lines before the first message that are not messages. A server prints a few; a program that is not a server, any number."""
_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
"""The keywords of JSON Schema whose value is a value, or a list of values, and not a part of the schema."""
_SCHEMAS_BY_NAME: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}
)

_Place: TypeAlias = tuple[str | int, ...]
"""The names and positions that lead to a part of a tool's definition."""


@asynccontextmanager
async def filtered_transport(
    transport: AbstractAsyncContextManager[Any],
    server: str,
    refused: dict[str, str],
    secrets: Secrets,
    note: Callable[[str, str], None],
) -> AsyncIterator[Any]:
    """Enter a transport, and yield its streams, the incoming one filtered.

    Args:
        transport: The transport, as the SDK takes it.
        server: The server's name, for the log.
        refused: Gets the names of the tools that are left out, with the reason.
        secrets: Secrets that are replaced in the messages.
        note: Gets what was unreadable, in words and itself, for the messages of errors.
    """
    async with transport as (reading, *rest):
        yield _FilteredStream(reading, server, refused, secrets, note), *rest


class _FilteredStream:
    """A stream of incoming messages, filtered."""

    def __init__(
        self, stream: Any, server: str, refused: dict[str, str], secrets: Secrets, note: Callable[[str, str], None]
    ) -> None:
        self._stream = stream
        self._server = server
        self._refused = refused
        self._secrets = secrets
        self._note = note
        self._version = _NEWEST
        self._unreadable_first: int | None = 0
        """How many messages were unreadable before the first that was not; None after that one."""

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
        item = await self._stream.__anext__()
        if isinstance(item, ValidationError) and self._is_no_server():
            raise StopAsyncIteration
        return self._filter(item)

    async def receive(self) -> Any:
        return self._filter(await self._stream.receive())

    def _is_no_server(self) -> bool:
        """Return whether an unreadable message is one of so many before the first message that no server sends them."""
        if self._unreadable_first is None:
            return False
        self._unreadable_first += 1
        return self._unreadable_first > _MOST_UNREADABLE

    def _filter(self, item: Any) -> Any:
        """Return `item`, an incoming message, with its secrets hidden and without invalid tools.

        For one that could not be read, return the error of its request, if it is known; else `item`.
        """
        if isinstance(item, ValidationError):
            return self._unreadable(item)
        self._unreadable_first = None
        self._hide(getattr(item, "message", None))
        result = getattr(getattr(item, "message", None), "result", None)
        if isinstance(result, dict):
            if isinstance(version := result.get("protocolVersion"), str):  # the answer to `initialize`
                self._version = version
            tools = result.get("tools")
            if not isinstance(tools, list):
                return item
            for tool in tools:
                self._correct(tool)
            if self._problem(result, tools):
                result["tools"] = [tool for tool in tools if not self._is_refused(result, tool)]
        return item

    def _unreadable(self, error: ValidationError) -> Any:
        """Return an error for the request whose answer is not a message of the protocol; or `error` if it is not known."""
        first = error.errors(include_url=False, include_context=False)[0]
        shown = self._secrets.hide(str(first["input"])[: 2 * _MOST_CHARACTERS])[:_MOST_CHARACTERS]
        problem = f"{UNREADABLE}: {first['msg']}: {printable(shown)}"
        answered = _answered_request(error)
        if answered is None:
            if str(first["input"]).strip():
                shown = printable(shown) if first["type"] == "json_invalid" else f"{printable(shown)} ({first['msg']})"
                self._note("sent text that is not a message of the protocol:", shown)
            return error
        data = ErrorData(code=PARSE_ERROR, message=problem)
        return SessionMessage(JSONRPCError(jsonrpc="2.0", id=answered, error=data))

    def _correct(self, tool: Any) -> None:
        """Leave out nulls in the schemas of `tool`, add the type `object` where it is missing, and log it."""
        if not isinstance(tool, dict):
            return
        nulls: list[_Place] = []
        for field in ("inputSchema", "outputSchema"):
            if not isinstance(schema := tool.get(field), dict):
                continue
            tool[field] = schema = _without_nulls(schema, (field,), nulls)
            # Since 2026, a result can be any value, so that its schema needs no type.
            if field == "inputSchema" or self._version in HANDSHAKE_PROTOCOL_VERSIONS:
                schema.setdefault("type", "object")
        if tool.get("outputSchema") is not None and isinstance(meta := tool.get("_meta") or {}, dict):
            tool["_meta"] = {**meta, _OUTPUT_SCHEMA: tool.pop("outputSchema")}
        if nulls:
            shown = [".".join(str(step)[:_MOST_CHARACTERS] for step in place) for place in nulls[:_MOST_PLACES]]
            more = f" and {len(nulls) - len(shown)} more" if nulls[_MOST_PLACES:] else ""
            name = str(tool.get("name"))[:_MOST_CHARACTERS]
            message = "%s: the tool %r: left out because they are null: %r%s"
            getLogger("fcregistry_mcp").info(message, self._server, name, shown, more)

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


def output_schema_of(tool: Tool) -> Any:
    """Return the schema of results that a server gives a tool: any JSON value, or None if it gives none."""
    return (tool.meta or {}).get(_OUTPUT_SCHEMA, tool.output_schema)


def _answered_request(error: ValidationError) -> int | str | None:
    """Return the id of the request that a message answers which `error` refuses, or None if that is not known."""
    for each in error.errors(include_url=False, include_context=False):
        value = each["input"]
        if each["type"] == "json_invalid":
            try:
                value = json.loads(value)  # reads what pydantic does not, such as half of a surrogate pair
            except (ValueError, RecursionError):
                return None
        if isinstance(value, dict) and "method" not in value and type(value.get("id")) in (int, str):
            return value["id"]  # type: ignore[no-any-return]  # as just checked
    return None


def _without_nulls(schema: dict[str, Any], place: _Place, nulls: list[_Place]) -> dict[str, Any]:
    """Return `schema` without the keywords whose value is null, at any depth.

    Args:
        schema: A JSON Schema.
        place: Its place.
        nulls: Gets the places of the keywords that are left out.
    """
    kept: dict[str, Any] = {}
    for keyword, value in schema.items():
        inner = (*place, keyword)
        holds_values = keyword in _VALUES or keyword.startswith("x-")
        if value is None and (keyword == "enum" or not holds_values):
            nulls.append(inner)
        elif holds_values:
            kept[keyword] = value
        elif keyword in _SCHEMAS_BY_NAME and isinstance(value, dict):
            kept[keyword] = {name: _part_without_nulls(each, (*inner, name), nulls) for name, each in value.items()}
        elif isinstance(value, list):
            kept[keyword] = [_part_without_nulls(each, (*inner, at), nulls) for at, each in enumerate(value)]
        else:
            kept[keyword] = _part_without_nulls(value, inner, nulls)
    return kept


def _part_without_nulls(value: Any, place: _Place, nulls: list[_Place]) -> Any:
    """Return `value` without nulls if it is a schema at a `place` of schemas; else unchanged."""
    return _without_nulls(value, place, nulls) if isinstance(value, dict) else value

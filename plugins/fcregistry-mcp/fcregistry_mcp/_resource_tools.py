"""The tools `read_resource` and `get_prompt` of a server, with which a model reads its resources and prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from fcregistry import Tool
from fcregistry.errors import ToolError
from fcregistry.execution import Content

from fcregistry_mcp._errors import request_failure, without_invisible
from fcregistry_mcp._link import Link
from fcregistry_mcp._resources import Prompt, Resource, prompt_request, read_request

_MOST_LISTED: Final = 50
"""The most resources or prompts that a description names."""
_LONGEST_LINE: Final = 200
_LONGEST_TEXT: Final = 100_000
"""The most characters of the texts of an answer that a model reads."""


def resource_tools(
    resources: list[Resource], prompts: list[Prompt], server: str, link: Link, *, trusted: bool
) -> list[Tool]:
    """Return the tool that reads resources and the one that gets prompts, each only if the server has any.

    Args:
        resources: The server's resources.
        prompts: The server's prompts.
        server: The server's name.
        link: The connection with the server.
        trusted: Whether the server is trusted, so that the tools only read.
    """

    async def read_resource(uri: str) -> Any:
        return _cut(await _ask(link, server, read_request, uri))

    async def get_prompt(name: str, arguments: dict[str, str] | None = None) -> Any:
        messages = await _ask(link, server, prompt_request, name, arguments or {})
        return _cut([part for each in messages for part in (Content.text(f"{each.role}:"), each.content)])

    def tool(function: Callable[..., Any], description: str, lines: list[str]) -> Tool:
        """Return the tool of a function, whose description lists what there is."""
        more = [f"and {len(lines) - _MOST_LISTED} more"] if lines[_MOST_LISTED:] else []
        listed = "\n".join(f"- {line}" for line in (*lines[:_MOST_LISTED], *more))
        options: dict[str, Any] = {"read_only": True} if trusted else {}
        return Tool.from_function(
            function,
            description=f"{description}\n\nThere are:\n{listed}",
            tags=("mcp",),
            meta={"mcp.server": server, "fcregistry.source": f"the MCP server {server}"},
            assume_hints="mcp-read-only",
            **options,
        )

    made = []
    if resources:
        lines = [_line(each.uri, each.title or each.name, each.description) for each in resources]
        made.append(tool(read_resource, f"Read a resource of the server {server}, by its URI.", lines))
    if prompts:
        lines = [_line(_call_of(each), each.title, each.description) for each in prompts]
        made.append(tool(get_prompt, f"Get a prompt of the server {server}, with its arguments as texts.", lines))
    return made


def _line(name: str, title: str | None, description: str) -> str:
    """Return what a description says of a resource or prompt, in one line without invisible characters."""
    line = " ".join(": ".join(filter(None, (name, title, description))).split())
    return without_invisible(line, _LONGEST_LINE)


def _call_of(prompt: Prompt) -> str:
    """Return a prompt's name with those of its arguments; `?` marks one that may be left out."""
    names = [argument.name if argument.required else f"{argument.name}?" for argument in prompt.arguments]
    return f"{prompt.name}({', '.join(names)})"


def _cut(parts: Iterable[Content]) -> list[Content]:
    """Return `parts`; of their texts, only the first `_LONGEST_TEXT` characters."""
    kept, rest, omitted = [], _LONGEST_TEXT, 0
    for part in parts:
        text = str(part) if part.kind in ("text", "file") else ""
        omitted += max(0, len(text) - rest)
        if len(text) <= rest:
            kept.append(part)
        elif rest:
            kept.append(Content.text(f"{text[:rest]}…"))
        rest = max(0, rest - len(text))
    return [*kept, Content.text(f"[{omitted} more characters]")] if omitted else kept


async def _ask(link: Link, server: str, make_request: Callable[..., Any], *values: Any) -> Any:
    """Return the answer to the request that `make_request` makes of `values`.

    Raises:
        ToolError: A value cannot be sent, or there is no answer.
    """
    try:
        send = make_request(*values)
    except ValueError as error:
        raise ToolError(str(error)) from error
    try:
        return await link.connected().request(send)
    except Exception as error:  # noqa: BLE001  # of the SDK or its transports, which a server's bytes may break
        failure = ToolError(request_failure(error, server, link.secrets))
    raise failure  # outside of the `except`, as for calls

"""Makes tools from those of a server, with their schemas unchanged and names that models can write."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from difflib import get_close_matches
from hashlib import sha256
from typing import Any, Final

from fcregistry import Context, Tool
from fcregistry.errors import DefinitionError, DuplicateToolError, ToolChangedError, ToolError, ToolNotFoundError
from mcp import Client
from mcp import types as protocol

from fcregistry_mcp._answers import answer_of
from fcregistry_mcp._errors import request_failure, unsendable, without_invisible
from fcregistry_mcp._link import Link
from fcregistry_mcp._messages import output_schema_of
from fcregistry_mcp._returns import Returns

_LONGEST_NAME: Final = 64
_DIGITS: Final = 8
"""Digits of the digest of a name that is too long, or that another tool has."""
_ANNOTATIONS: Final = {"context": Context, "arguments": Any, "return": Any}
_MOST_SHOWN: Final = 10
_LONGEST_TITLE: Final = 200
_LONGEST_DESCRIPTION: Final = 10_000


def select_tools(
    listed: Collection[protocol.Tool],
    allowed: Collection[str] | None,
    names: Mapping[str, str],
    server: str,
    link: Link,
    invalid: Mapping[str, str],
    *,
    trusted: bool,
) -> tuple[list[Tool], dict[str, str]]:
    """Return tools for those that a server lists, and the reasons why others cannot be tools here.

    Args:
        listed: The server's tools.
        allowed: Names of the tools to return, as the server names them; None for all.
        names: The server's name of a tool -> its name here.
        server: The server's name.
        link: The connection with the server.
        invalid: Names of tools that are not valid in the protocol, with the reason.
        trusted: Whether to believe the server's hints that relax rules.

    Raises:
        ToolNotFoundError: The server has no tool with one of the names.
        DuplicateToolError: Two tools would have the same name here, and `allowed` or `names` selects them.
        DefinitionError: A tool in `allowed` cannot be a tool here, or a name in `names` is not valid.
    """
    _check_known([*(allowed or ()), *names], {each.name for each in listed}, server, invalid)
    wanted = None if allowed is None else frozenset(allowed)
    refused = dict(invalid)
    made: dict[str, Tool] = {}
    seen: set[str] = set()
    for each in listed:
        if wanted is not None and each.name not in wanted:
            continue
        if each.name in seen:
            refused[each.name] = "the server lists it twice; this is the first"
            continue
        seen.add(each.name)
        tool = _tool_of(each, names.get(each.name) or legal_name(each.name), server, link, trusted=trusted)
        problem = _task_problem(each, server) or tool.definition_error
        if problem is None:
            made[each.name] = tool
        elif wanted is not None:
            raise problem
        else:
            refused[each.name] = str(problem)
    clashes = _clashes(made, server)
    if clashes and (wanted is not None or names):
        raise DuplicateToolError(next(iter(clashes.values())))
    return [tool for name, tool in made.items() if name not in clashes], refused | clashes


def legal_name(name: str) -> str:
    """Return `name`, that of a tool, as every provider accepts it: `ns.add` becomes `ns_add`.

    A name that is too long is cut, and ends in a digest of the whole, so that two with one beginning differ.
    """
    legal = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)
    return (legal or "_") if len(legal) <= _LONGEST_NAME else _with_digest(legal, name)


def _with_digest(legal: str, name: str) -> str:
    """Return `legal`, cut if it is long, and after it some digits of the digest of `name`."""
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{legal[: _LONGEST_NAME - _DIGITS - 1]}_{digest}"


def _check_known(asked: Collection[str], known: Collection[str], server: str, refused: Mapping[str, str]) -> None:
    """Check that a server has a tool for each name in `asked`.

    Args:
        asked: The names.
        known: The names of the server's tools.
        server: The server's name.
        refused: Names of tools that are not valid in the protocol, with the reason.

    Raises:
        ToolNotFoundError: The server has no tool of a name. The message has the nearest names, or why the tool was refused.
    """
    for name in asked:
        if name in known:
            continue
        near = tuple(get_close_matches(name, sorted(known), n=3))
        if name in refused:
            hint = refused[name]
        elif near:
            hint = f"did you mean {', '.join(map(repr, near))}?"
        else:
            hint = f"it has {', '.join(sorted(known)[:20]) or 'none'}"
        raise ToolNotFoundError(f"the MCP server {server} has no tool {name!r}; {hint}", name=name, candidates=near)


def _task_problem(given: protocol.Tool, server: str) -> DefinitionError | None:
    """Return the error of a tool that its server runs only as a task, or None for any other tool."""
    if given.execution is None or given.execution.task_support != "required":
        return None
    return DefinitionError(
        f"the tool {given.name!r} of the MCP server {server} cannot be called: it runs only as a task of the protocol, "
        "and fcregistry-mcp starts none"
    )


def _clashes(tools: Mapping[str, Tool], server: str) -> dict[str, str]:
    """Return the server's names of tools that have one name here, each with what to write instead.

    Args:
        tools: The server's name of a tool -> the tool.
        server: The server's name.
    """
    by_name: dict[str, list[str]] = {}
    for called, tool in tools.items():
        by_name.setdefault(tool.name, []).append(called)
    taken, clashes = {*by_name}, {}
    for name, clashing in by_name.items():
        if len(clashing) > 1:
            clashes.update(dict.fromkeys(clashing, _clash_message(name, clashing, server, taken)))
    return clashes


def _clash_message(name: str, clashing: list[str], server: str, taken: set[str]) -> str:
    """Return the message about tools of one name.

    Args:
        name: The name.
        clashing: The server's names of the tools.
        server: The server's name.
        taken: The names that tools have here, or that a message proposes; gets those that this message proposes.
    """
    shown = clashing[:_MOST_SHOWN]
    proposed = {}
    for number, each in enumerate(shown[1:], 2):
        new = f"{name[:60]}_{number}"
        proposed[each] = _with_digest(name, each) if new in taken else new
    taken.update(proposed.values())
    *first, last = [*map(repr, shown), *([f"{len(clashing) - len(shown)} more"] if clashing[_MOST_SHOWN:] else [])]
    both, one = ("both", "one of them") if len(clashing) == 2 else ("all", "all but one of them")
    return (
        f"{', '.join(first)} and {last} of the MCP server {server} are {both} {name!r} here: "
        f"give {one} another name, as in names={proposed!r}"
    )


def _tool_of(given: protocol.Tool, name: str, server: str, link: Link, *, trusted: bool) -> Tool:
    """Return a tool that is called on its server.

    Args:
        given: The server's description of the tool.
        name: The tool's name here.
        server: The server's name.
        link: The connection with the server.
        trusted: Whether to believe the server's hints that relax rules.

    Raises:
        DefinitionError: The name or an option is not valid.
    """

    async def call(context: Context, /, **arguments: Any) -> Any:
        """Call the tool on its server, unless it has changed, and return its result."""
        return answer_of(await _send(link, server, given, arguments, context), returns)

    call.__annotations__ = _ANNOTATIONS  # as objects: texts would be compiled for each of thousands of tools
    returns = Returns(output_schema_of(given), server, given.name)
    annotations = given.annotations or protocol.ToolAnnotations()
    options: dict[str, Any] = _hints(annotations, trusted=trusted)
    # From the server's hint that the tool only reads, a policy concludes no more than that it does not destroy anything.
    options["assume_hints"] = "mcp-read-only" if annotations.read_only_hint else "mcp"
    if given.title:
        options["title"] = without_invisible(given.title, _LONGEST_TITLE)
    return Tool.from_function(
        call,
        name=name,
        description=without_invisible(given.description or given.title or given.name, _LONGEST_DESCRIPTION),
        parameters=given.input_schema,
        returns=returns.schema,
        tags=("mcp",),
        meta={"mcp.server": server, "mcp.tool": given.name, "fcregistry.source": f"the MCP server {server}"},
        **options,
    )


def _hints(annotations: protocol.ToolAnnotations, *, trusted: bool) -> dict[str, Any]:
    """Return the hints in `annotations` to believe, as options of a tool.

    They are those that warn, and all others if the server is trusted.
    """
    hints = {
        "read_only": annotations.read_only_hint,
        "destructive": annotations.destructive_hint,
        "idempotent": annotations.idempotent_hint,
        "open_world": annotations.open_world_hint,
    }
    warn = ("destructive", "open_world")
    return {name: value for name, value in hints.items() if value is not None and (trusted or (value and name in warn))}


async def _send(
    link: Link, server: str, tool: protocol.Tool, arguments: dict[str, Any], context: Context
) -> protocol.CallToolResult:
    """Return the server's answer to a call of `tool` with `arguments`.

    Raises:
        ToolError: There is no answer: the server is gone, refuses the call, or its answer is not valid.
        ToolChangedError: The server describes the tool otherwise now, or does not have it any more. The call was not sent.
    """
    if problem := unsendable(arguments):
        raise ToolError(f"the arguments cannot be sent: {problem}")
    try:
        connection = link.connected()
        _check_unchanged(tool, await connection.current(tool.name), server)
        return await connection.request(_call_request(tool.name, arguments, context))
    except ToolChangedError:
        raise
    except Exception as error:  # noqa: BLE001  # of the SDK or its transports, which a server's bytes may break
        failure = ToolError(request_failure(error, server, link.secrets))
    raise failure  # outside of the `except`: the HTTP client's exception holds the request, and the secrets in it


def _check_unchanged(tool: protocol.Tool, now: protocol.Tool | None, server: str) -> None:
    """Check that a server describes a tool as it did when the tool was made.

    Args:
        tool: The server's description of the tool at that time.
        now: The server's description of it now, or None if the server has no such tool any more.
        server: The server's name.

    Raises:
        ToolChangedError: The description is another.
    """
    if now is tool or (now is not None and _definition(now) == _definition(tool)):
        return
    raise ToolChangedError(
        f"{tool.name} of the MCP server {server} has changed since its definition was read (schema_changed); "
        "it was not called. Get the tools of the server again"
    )


def _definition(tool: protocol.Tool) -> tuple[Any, ...]:
    """Return what a model reads of a tool, and what decides about its calls."""
    return tool.title, tool.description, tool.input_schema, output_schema_of(tool), tool.annotations, tool.execution


def _call_request(
    tool: str, arguments: dict[str, Any], context: Context
) -> Callable[[Client], Awaitable[protocol.CallToolResult]]:
    """Return a function that sends a call of `tool` with a client, and reports its progress to `context`."""

    async def report_progress(progress: float, total: float | None, message: str | None) -> None:
        """Report the server's progress to the context of the call."""
        done = progress / total if total else 0.0
        context.progress(min(1.0, max(0.0, done)), message or "")  # 0 for NaN

    return lambda client: client.call_tool(tool, arguments, progress_callback=report_progress)

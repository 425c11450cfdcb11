"""What do several commands do with tools: complete their names, tell them as JSON, and say what is not shown?"""

from __future__ import annotations

from typing import Any

import click

from fcregistry._registry import registry
from fcregistry._selectors import parse_selector
from fcregistry._tool import Tool
from fcregistry.cli._output import remark
from fcregistry.discovery import current
from fcregistry.types import to_json
from fcregistry.types._core import show_type


def complete_tools(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names that begin with what was typed: plain ones, canonical ones once there is a colon."""
    tools = registry.find()
    names = {tool.id if ":" in incomplete else local_name(tool) for tool in tools}
    return sorted(name for name in names if name.startswith(incomplete))


def tool_named(name: str) -> Tool:
    """Return the tool of a name.

    Raises:
        UsageError: It is a pattern.
        FcregistryError: It is no tool's name, or several tools'.
    """
    check_name(name)
    return registry.get(name)


def check_name(name: str) -> None:
    """Make sure that a text may name one tool.

    Raises:
        UsageError: It is a pattern.
        SelectorError: It is nothing at all.
    """
    selector = parse_selector(name)
    if selector.excludes or not selector.is_exact:
        raise click.UsageError(
            f"{name!r} is a pattern, and one tool is asked for; fcregistry list {name!r} shows which it names"
        )


def local_name(tool: Tool) -> str:
    """Return a tool's name with its group, without its distribution."""
    return tool.id.rpartition(":")[2]


def tool_json(tool: Tool) -> dict[str, Any]:
    """Return what is known of a tool as JSON."""
    origin = tool.origin
    return {
        "id": tool.id,
        "name": tool.name,
        "group": tool.group,
        "distribution": origin.distribution,
        "version": origin.version,
        "summary": tool.summary,
        "description": tool.description,
        "parameters": tool.parameters,
        "returns": tool.returns,
        "options": {name: option_json(value) for name, value in tool.options.given().items()},
        "origin": {
            "entry_point": origin.entry_point,
            "module": origin.module,
            "qualname": origin.qualname,
            "file": origin.file,
            "line": origin.line,
        },
    }


def option_json(value: Any) -> Any:
    """Return an option's value as JSON; a function by its name."""
    if callable(value):
        return f"{getattr(value, '__module__', '?')}.{getattr(value, '__qualname__', type(value).__qualname__)}"
    return to_json(value)


def mention_what_is_missing() -> None:
    """Say on stderr that plugins failed or tools are broken, and who explains it."""
    mention_failed_plugins()
    broken = [tool for tool in registry.everything() if tool.definition_error]
    if broken:
        ids = ", ".join(tool.id for tool in broken)
        remark(f"{len(broken)} tool{'s' * (len(broken) > 1)} cannot be defined: {ids} (see: fcregistry doctor)")


def mention_failed_plugins() -> None:
    """Say on stderr that plugins failed, and who explains it."""
    if failed := current().report().failed:
        labels = ", ".join(each.plugin.label for each in failed)
        remark(f"{len(failed)} plugin{'s' * (len(failed) > 1)} did not load: {labels} (see: fcregistry doctor)")


def only_in_an_application(tool: Tool) -> str | None:
    """Return why a tool cannot be called from the command line, or None if it can."""
    context = tool.signature.context
    if context is None or context.deps is None:
        return None
    return f"{tool.name} asks for {show_type(context.deps)}, which only an application has: it cannot be called here"

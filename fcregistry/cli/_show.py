"""The command `show`: shows one tool, its parameters and its options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from fcregistry import formats
from fcregistry._schema.document import show_type
from fcregistry._tools.catalogue import HiddenTool
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import COMPUTED
from fcregistry._tools.tool import Tool
from fcregistry.cli._output import remark, say, say_json
from fcregistry.cli._parameters import bounds, plain
from fcregistry.cli._tools import (
    complete_tools_and_distributions,
    expand_distributions,
    find_listed,
    local_name,
    mention_failed_plugins,
    mention_hidden,
    tool_json,
    tool_named,
)


@click.command("show", short_help="Show a tool: its parameters, its options and its origin.")
@click.argument("name", shell_complete=complete_tools_and_distributions)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(formats.names()),
    help="Write the definition that a model gets, in this format.",
)
@click.option("--strict", is_flag=True, help="With --format: write it for the provider's strict mode.")
@click.option("--json", "as_json", is_flag=True, help="Write all facts about the tool as JSON.")
def command(name: str, format_name: str | None, strict: bool, as_json: bool) -> None:
    """Show the tool NAME: its parameters, its options, and where it comes from.

    If NAME is the name of a distribution, show all its tools; as JSON, that is a list.
    """
    if strict and format_name is None:
        raise click.UsageError("--strict needs --format, the provider's format")
    [selector] = expand_distributions([name])
    if selector == name:
        tool = tool_named(name)
        _write([tool], format_name, strict, as_json, is_list=False)
        if (as_json or format_name is not None) and (unavailable := tool.unavailable):
            mention_hidden([HiddenTool(local_name(tool), unavailable)])
    else:
        tools, hidden = find_listed([selector])
        _write(sorted(tools, key=lambda tool: tool.id), format_name, strict, as_json, is_list=True)
        mention_failed_plugins([selector])
        mention_hidden(hidden)


def _write(tools: Sequence[Tool], format_name: str | None, strict: bool, as_json: bool, *, is_list: bool) -> None:
    """Write tools to stdout, as the options of the command say.

    Args:
        tools: The tools, at least one.
        format_name: The name of the format, or None.
        strict: Whether to use the format's strict mode.
        as_json: Whether to write all facts as JSON.
        is_list: Whether JSON is written as a list; otherwise, there is one tool.
    """
    if format_name is not None:
        _write_definitions(tools, format_name, strict, is_list)
    elif as_json:
        say_json([*map(tool_json, tools)] if is_list else tool_json(tools[0]))
    else:
        for number, tool in enumerate(tools):
            if number:
                say()
            _write_tool(tool)


def _write_definitions(tools: Sequence[Tool], format_name: str, strict: bool, is_list: bool) -> None:
    """Write tools in a provider's format to stdout: of a text format as it is, of any other as JSON.

    For each thing that the format leaves out, a note is written to stderr.

    Args:
        tools: The tools, at least one.
        format_name: The name of the format.
        strict: Whether to use the format's strict mode.
        is_list: Whether JSON is written as a list; otherwise, there is one tool.
    """
    definitions = [tool.definition(format_name, strict=strict) for tool in tools]
    if isinstance(definitions[0], str):
        say("\n\n".join(each.rstrip("\n") for each in definitions))
    else:
        say_json(definitions if is_list else definitions[0])
    for tool, definition in zip(tools, definitions, strict=True):
        of = f"{tool.name}: " if is_list else ""
        for dropped in definition.dropped:
            remark(f"note: {of}left out: {dropped}")


def _write_tool(tool: Tool) -> None:
    """Write a tool to stdout as text: id, description, parameters, result, options, and where it is from."""
    schema, returns = tool.parameters, tool.returns
    say(f"{tool.id}\n")
    if tool.description:
        say(f"{tool.description}\n")
    if schema["properties"]:
        say("Parameters:")
    for name, each in schema["properties"].items():
        say(_parameter(name, each, name in schema.get("required", ()), schema))
    extra = schema.get("additionalProperties", True)
    if extra is not False:
        say(f"  any other name: {show_type(extra if isinstance(extra, dict) else {})}")
    if returns is not None:
        say(f"Returns: {show_type(returns)}")
    for name, each in {**(returns or {}).get("$defs", {}), **schema.get("$defs", {})}.items():
        say(f"  {name} = {show_type(each)}")
    for option, value in record_of(tool)["options"].items():
        say(f"{option}: {_text(value)}")
    if unavailable := tool.unavailable:
        say(f"Hidden: {unavailable}.")
    say(f"From: {tool.origin}")


def _parameter(name: str, schema: Any, required: bool, root: dict[str, Any]) -> str:
    """Return the line of a parameter: name, type, bounds, default, and description.

    Without a default, the line says whether the parameter is required or optional.

    Args:
        name: The name.
        schema: The schema of the parameter; true for any value, false for none.
        required: Whether a call must have it.
        root: The schema of all parameters, to which references in `schema` refer.
    """
    known = schema if isinstance(schema, dict) else {}  # true takes anything, and false nothing
    default = _text(known["default"]) or '""' if "default" in known else ""
    need = f"default {default}" if default else "required" if required else "optional"
    text = " ".join(str(known.get("description", "")).split())
    return f"  {name} ({', '.join([show_type(schema), *bounds(plain(known, root)), need])})" + (
        f": {text}" if text else ""
    )


def _text(value: Any) -> str:
    """Return the value of an option or a default as text: a string as it is, any other value as JSON.

    For a value that a function computes, the result names the function.
    """
    if isinstance(value, dict) and list(value) == [COMPUTED]:
        return f"computed by {value[COMPUTED]}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

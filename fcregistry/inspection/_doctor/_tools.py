"""Which tools cannot be defined, are hidden, cannot run here, or share a name?"""

from __future__ import annotations

from collections.abc import Iterator

from fcregistry._registry import registry
from fcregistry._tool import Tool
from fcregistry.inspection._doctor._finding import Finding, note, problem


def tools_by_plugin() -> dict[tuple[str, str], tuple[Tool, ...]]:
    """Return the tools of each plugin that ships some, by distribution and entry point; broken ones too, sorted by id."""
    found: dict[tuple[str, str], tuple[Tool, ...]] = {}
    for tool in registry.everything():
        if (owner := tool._owner) is not None:
            key = (owner.distribution, owner.entry_point)
            found[key] = (*found.get(key, ()), tool)
    return found


def tools_of(distribution: str, entry_point: str) -> tuple[Tool, ...]:
    """Return the tools that a plugin ships, broken ones too, sorted by id."""
    return tools_by_plugin().get((distribution, entry_point), ())


def tool_findings() -> Iterator[Finding]:
    """Yield what is wrong with single tools."""
    tools = registry.everything()
    for tool in tools:
        if (error := tool.definition_error) is not None:
            problems = "; ".join(error.problems)
            advice = f"mend {tool.origin.qualname} in {_place(tool)}"
            yield problem(tool.id, f"cannot be defined: {problems}", advice, detail=str(error))
    for tool in tools:
        if missing := tool.missing_env:
            yield problem(tool.id, f"is hidden: {', '.join(missing)} is not set", "set the variable to use the tool")
    if not _has_pebble():
        for tool in tools:
            if (
                tool._definition.declaration.options.get("isolation") == "process"
            ):  # its options may have to be imported
                message = 'cannot be called: it is declared with isolation="process", which needs pebble'
                yield problem(tool.id, message, "pip install 'fcregistry[isolation]'")
    for clash in registry.clashes():
        yield problem("two declarations", clash, "until then, looking the name up raises")


def _has_pebble() -> bool:
    from importlib.util import find_spec  # of a top-level name it imports nothing

    return find_spec("pebble") is not None


def _place(tool: Tool) -> str:
    return f"{tool.origin.file}:{tool.origin.line}" if tool.origin.file else tool.origin.module


def name_findings() -> Iterator[Finding]:
    """Yield the names that several owners have."""
    by_name: dict[str, dict[str, Tool]] = {}
    for tool in registry.everything():
        by_name.setdefault(tool.name, {})[tool.id] = tool
    for name, tools in sorted(by_name.items()):
        if len(tools) < 2:
            continue
        own = [tool.id for tool in tools.values() if tool._owner is None]
        if len(own) == 1:
            others = ", ".join(each for each in tools if each not in own)
            yield note(
                name, f"is the application's own tool, before {others}", "name the others by their canonical ids"
            )
        else:
            ids = ", ".join(tools)
            yield problem(name, f"is ambiguous: {ids}", "name one by its canonical id; the plain name raises")

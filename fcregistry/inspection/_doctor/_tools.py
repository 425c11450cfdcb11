"""Which tools cannot be defined, are hidden, cannot run here, or share a name?"""

from __future__ import annotations

from collections.abc import Iterator

from fcregistry._registry import registry
from fcregistry._tools.tool import Tool
from fcregistry.discovery import current
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
            declared = tool._definition.declaration.options  # not `tool.options`, which may have to be imported
            if declared.get("isolation") == "process":
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
    permission = current().permission()
    for name, tools in sorted(by_name.items()):
        own = [tool.id for tool in tools.values() if tool._owner is None]
        owners = {tool._owner.distribution for tool in tools.values() if tool._owner is not None}
        winner = permission.preferred(owners) if len(owners) > 1 else None
        preferred = [each for each in tools if each.startswith(f"{winner}:")]
        if len(tools) > 1:
            yield _name_finding(name, tuple(tools), own, preferred)


def _name_finding(name: str, ids: tuple[str, ...], own: list[str], preferred: list[str]) -> Finding:
    """Return what is to be said of a name that several tools have.

    Args:
        name: The name.
        ids: All of them.
        own: Those of the application.
        preferred: Those of the distribution that the configuration prefers, if it does one of these.
    """
    if len(own) == 1:
        others = ", ".join(each for each in ids if each not in own)
        return note(name, f"is the application's own tool, before {others}", "name the others by their canonical ids")
    if len(preferred) == 1 and not own:
        others = ", ".join(each for each in ids if each not in preferred)
        said = f"is {preferred[0]}, before {others}, since the configuration gives it precedence"
        return note(name, said, "name the others by their canonical ids")
    among = ", ".join(preferred if preferred and not own else ids)
    return problem(name, f"is ambiguous: {among}", "name one by its canonical id; the plain name raises")

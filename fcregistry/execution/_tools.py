"""Which toolset is meant by what an executor or agent was given?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from fcregistry._registry import Group, Registry
from fcregistry._registry import registry as process_registry
from fcregistry._tools.declaration import MARK, Declaration
from fcregistry._tools.decorator import marked_methods
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.errors import DefinitionError

ToolLike: TypeAlias = "str | Tool | Toolset | Callable[..., Any]"


def toolset_of(tools: ToolLike | Iterable[Any], registry: Registry | None = None) -> Toolset:
    """Return the toolset of names, selectors, functions, tools, toolsets, groups of a registry, and lists of these.

    The strings among them are selectors of one selection, in their order. A function that was declared stands for the tool it was declared as.

    Raises:
        DefinitionError: An element that is none of these, or a tool that cannot be defined.
        ToolNotFoundError: A name or selector that matches nothing.
        AmbiguousToolError: A name that several tools have.
        DuplicateToolError: Two tools of one wire name.
        TypeError: `registry` is none.
    """
    source = process_registry if registry is None else registry
    if not isinstance(source, Registry):
        raise TypeError(f"registry is a Registry, not {source!r}")
    selectors: list[str] = []
    made: list[Tool] = []
    functions: dict[int, Tool] = {}  # one that stands here twice is one tool
    for element in _flat(tools, 0):
        if isinstance(element, str):
            selectors.append(element)
        elif isinstance(element, Tool):
            made.append(element)
        elif isinstance(element, Toolset):
            made.extend(element.values())
        elif callable(element) and not isinstance(element, type):
            made.append(functions.setdefault(id(element), _tool_of(element, source)))
        else:
            hint = (
                "; register an instance's methods with register_object"
                if isinstance(element, type) or marked_methods(element)
                else ""
            )
            raise DefinitionError(
                f"{element!r:.200} is no tool: give a name, a selector, a function, a Tool or a toolset{hint}"
            )
    if selectors:
        made.extend(source.select(*selectors).values())
    for tool in made:
        if (error := tool.definition_error) is not None:  # what cannot be defined is said now, not at the first call
            raise error
    return Toolset(made)


def _tool_of(function: Callable[..., Any], source: Registry) -> Tool:
    """Return the tool that a function was declared as, wherever that was, so that no option of its author's is lost."""
    for registry in (source, process_registry):
        tool = registry.tool_of(function)
        if tool is not None:
            return tool
    for mark in getattr(function, MARK, ()):  # a method that was decorated in its class
        return Tool(Declaration(function, mark.name, mark.group, mark.module, mark.options, mark.locals))
    return Tool.from_function(function)


def _flat(tools: Any, depth: int) -> Iterable[Any]:
    if isinstance(tools, Group):
        yield from tools.values()
        return
    # A mapping is no list of the names that are its keys.
    if isinstance(tools, (str, Tool, Mapping)) or callable(tools) or not isinstance(tools, Iterable) or depth > 20:
        yield tools
        return
    for element in tools:
        yield from _flat(element, depth + 1)

"""Which tools does an entry point name that names more than a module?"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from fcregistry._base.source import default_name
from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration, log
from fcregistry._tools.options import name_problem
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.discovery._found import FoundPlugin
from fcregistry.errors import PluginError


class NamedTools:
    """Declares what an entry point names: a function, a Tool, a Toolset, or a list of these.

    Args:
        plugin: The entry point.
        is_owned: Whether a declaration is some plugin's by the module that made it.
    """

    def __init__(self, plugin: FoundPlugin, is_owned: Callable[[Declaration], bool]) -> None:
        self._plugin = plugin
        self._is_owned = is_owned
        self._decorated = list(log)

    def declare(self, module: ModuleType) -> None:
        """Declare what stands in the module under the entry point's attribute.

        Raises:
            PluginError: Nothing does, or something that is no tool.
            DuplicateToolError: Two of the tools have one name.
        """
        value: Any = module
        for name in self._plugin.attribute.split("."):
            try:
                value = getattr(value, name)
            except AttributeError as error:
                label, named = self._plugin.label, self._plugin.value
                raise PluginError(
                    f"{label} names {named}, and there is no {name!r} in {self._plugin.module}"
                ) from error
        self._declare(value, self._plugin.attribute)

    def _declare(self, value: Any, place: str) -> None:
        if isinstance(value, (list, tuple)):
            for position, each in enumerate(value):
                self._declare(each, f"{place}[{position}]")
        elif isinstance(value, Toolset):
            self._declare(list(value.values()), place)
        elif isinstance(value, Tool):
            self._declare_tool(value)
        elif callable(value) and not isinstance(value, type):
            self._declare_function(value, place)
        elif isinstance(value, ModuleType):
            raise PluginError(
                f"{self._plugin.label}: {place} is a module; its entry point names it as {value.__name__!r}"
            )
        else:
            kind = "class" if isinstance(value, type) else type(value).__name__
            raise PluginError(
                f"{self._plugin.label}: {place} is of the kind {kind}; "
                "an entry point names a module, a function, a Tool, or a list of these"
            )

    def _declare_tool(self, tool: Tool) -> None:
        told, options = tool._definition.declaration, tool._definition.declaration.options
        decorated = [each for each in self._decorated if each.function is told.function and each.name == tool.name]
        if tool._description is not None:
            if decorated:
                raise PluginError(
                    f"{self._plugin.label}: {tool.name} is declared with a description of its own; "
                    "say description=… where it is declared, or give the view another name: .renamed(…)"
                )
            options = {**options, "description": tool._description}
        if not self._claim(decorated):
            self._add(Declaration(told.function, tool.name, told.group, self._plugin.module, options, told.locals))

    def _declare_function(self, function: Callable[..., Any], place: str) -> None:
        if self._claim(each for each in self._decorated if each.function is function):
            return
        name = default_name(function)
        if problem := name_problem(name):
            raise PluginError(f"{self._plugin.label}: {place} cannot be a tool: {problem}")
        self._add(Declaration(function, name, DEFAULT_GROUP, self._plugin.module, {}))

    def _claim(self, decorated: Iterable[Declaration]) -> bool:
        """Tell whether a function is decorated as well: then that declaration stands, and is the plugin's if it is nobody else's."""
        found = list(decorated)
        for each in found:
            if not self._is_owned(each):
                each.plugin = (self._plugin.distribution, self._plugin.entry_point)
        return bool(found)

    def _add(self, declaration: Declaration) -> None:
        declaration.plugin = (self._plugin.distribution, self._plugin.entry_point)
        log.add(declaration)

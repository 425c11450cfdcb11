"""How is the plugin of a described tool imported for its first call, without holding up a running loop?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry.errors import DefinitionError, PluginError
from fcregistry.execution._calling._invoke import awaited
from fcregistry.execution._calling._threads import NoThreadError, threads
from fcregistry.execution._short import read_if_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fcregistry._tools.tool import Tool


class Load:
    """Have the plugins of tools imported; what goes wrong with that, their calls say."""

    __slots__ = ("_tools",)

    def __init__(self, tools: list[Tool]) -> None:
        self._tools = tools

    def now(self) -> None:
        """Leave it to the call: it imports what it needs on this thread."""

    async def later(self) -> None:
        """Import them on a thread."""
        try:
            await awaited(threads.submit(self._load))
        except NoThreadError:
            return  # the call imports it, since nothing else can

    def _load(self) -> None:
        for tool in self._tools:
            try:
                tool.signature  # noqa: B018  # imports its plugin
            except (PluginError, DefinitionError):
                continue


def to_load(calls: Iterable[object], find: Callable[[str], Tool | None]) -> list[Tool]:
    """Return the tools among those that calls name whose plugins are not imported yet, each once."""
    named = {call.name: None for given in calls if (call := read_if_call(given)) is not None}
    tools = [tool for name in named if (tool := find(name)) is not None]
    return [tool for tool in tools if not tool.is_loaded]

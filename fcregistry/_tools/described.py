"""Declarations from the index.

The index has what lists and selectors need of a tool; the rest is in its record, which is read later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from fcregistry._base import slots
from fcregistry._tools.declaration import Declaration

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool

    class IndexedPlugins(Protocol):
        """What an indexed tool needs of discovery."""

        def record(self, described: Described) -> ToolRecord:
            """Return the record of a described tool."""

        def resolved(self, described: Described) -> Declaration:
            """Import a described tool's plugin, and return its declaration; raises `PluginError`."""

        def forget(self, described: Described) -> None:
            """Discard the description of a tool's plugin, because the plugin has changed since."""


BROKEN: Final = 1
"""It cannot be defined."""
CONTEXT: Final = 2
"""It asks for the context of its call."""
DEPS: Final = 4
"""It needs something of the application from that context."""


class Described(Declaration):
    """A declaration from the index. Asking for its function imports its plugin.

    Attributes:
        row: The row of its record in the index.
        summary: The first paragraph of its description, as one line.
        flags: The sum of `BROKEN`, `CONTEXT` and `DEPS`, as far as they apply.
    """

    __slots__ = ("_options", "_options_text", "_record", "flags", "row", "summary")

    def __init__(
        self,
        plugin: tuple[str, str],
        row: int,
        name: str,
        group: str,
        summary: str,
        options: str,
        flags: int,
    ) -> None:
        self.plugin: tuple[str, str] | None = plugin
        self.row: int = row
        self.name = name
        self.group = group
        self.summary: str = summary
        self._options_text = options
        self._options: dict[str, Any] | None = None
        self._record: ToolRecord | None = None
        self.flags: int = flags
        self.locals: None = None
        self.tool: Any = None

    def says(self, option: str) -> bool:
        """Return whether an option may have been given. This searches the text, and does not parse it."""
        return bool(self._options_text) and f'"{option}"' in self._options_text

    @property
    def options(self) -> dict[str, Any]:  # type: ignore[override]
        """The options that it was declared with, as JSON."""
        if self._options is None:
            try:
                given = read_json(self._options_text) if self._options_text else {}
            except (ValueError, RecursionError):  # the index is damaged
                given = None
            self._options = given if type(given) is dict else self.record["options"]
        return self._options

    @property
    def record(self) -> ToolRecord:
        """The record of the tool, read from the index when it is first needed."""
        if self._record is None:
            self._record = discovery().record(self)
        return self._record

    @property
    def digest(self) -> str:
        """The digest that the record of the loaded tool must have."""
        from fcregistry._tools.record import digest_of  # lists of tools do without it

        return digest_of(self.record)

    @property
    def module(self) -> str:  # type: ignore[override]
        """The module that declared it."""
        return self.record["module"]

    @property
    def place(self) -> str:
        """`module.qualname (file:line)`, as far as known."""
        record = self.record
        line = f" ({record['file']}:{record['line']})" if record["file"] else ""
        return f"{record['module']}.{record['qualname']}{line}"

    @property
    def instance(self) -> None:
        """None: not known without an import."""
        return None

    @property
    def function(self) -> Callable[..., Any]:  # type: ignore[override]
        """The function; its plugin is imported for it.

        Raises:
            PluginError: The plugin does not load.
            ToolChangedError: It ships something else than was described.
        """
        tool: Tool = self.tool
        return tool._definition.loaded().declaration.function


def discovery() -> IndexedPlugins:
    """Return what imports the plugins of described tools."""
    found: IndexedPlugins = slots.discovery()
    return found


def read_json(text: str) -> Any:
    """Return the value that a JSON text of the index has."""
    from json import loads  # as above

    return loads(text)

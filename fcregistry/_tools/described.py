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
        """The part of discovery that a described tool needs."""

        def record(self, described: Described) -> ToolRecord:
            """Return the record of a described tool."""

        def resolved(self, described: Described) -> Declaration:
            """Import a described tool's plugin, and return its own declaration; raises `PluginError`."""

        def forget(self, described: Described) -> None:
            """Discard the description of a tool's plugin, because the plugin has changed since."""


BROKEN: Final = 1
"""The flag of a tool that cannot be defined."""
CONTEXT: Final = 2
"""The flag of a tool that asks for the context of its call."""
DEPS: Final = 4
"""The flag of a tool that asks for an object of the application in that context."""


class Described(Declaration):
    """A declaration from the index. Asking for its function imports its plugin.

    Attributes:
        row: The row of the tool's record in the index.
        flags: The sum of `BROKEN`, `CONTEXT` and `DEPS`, as far as they apply.
    """

    __slots__ = ("_options", "_options_text", "_record", "_summary", "flags", "row")

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
        self._summary = summary
        self._options_text = options
        self._options: dict[str, Any] | None = None
        self._record: ToolRecord | None = None
        self.flags: int = flags
        self.locals: None = None
        self.tool: Any = None

    def may_have(self, option: str) -> bool:
        """Return whether the tool may have `option`; False is certain. The text is searched, not parsed."""
        return bool(self._options_text) and f'"{option}"' in self._options_text

    @property
    def summary(self) -> str:
        """The first paragraph of the tool's description, as one line.

        If the record was read, as where it is compared with a lock, this is its summary: lists may have another one.
        """
        return self._summary if self._record is None else self._record["summary"]

    @property
    def options(self) -> dict[str, Any]:  # type: ignore[override]
        """The options that the tool was declared with, as JSON."""
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
        """The digest of the record in the index, which the loaded tool's record must have too."""
        from fcregistry._tools.record import digest_of  # lists of tools do without it

        return digest_of(self.record)

    @property
    def module(self) -> str:  # type: ignore[override]
        """The module that declared the tool."""
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
            ToolChangedError: The plugin's tool differs from its description.
        """
        tool: Tool = self.tool
        return tool._definition.loaded().declaration.function


def discovery() -> IndexedPlugins:
    """Return the process's discovery, which imports the plugins of described tools."""
    found: IndexedPlugins = slots.discovery()
    return found


def read_json(text: str) -> Any:
    """Return the value of a JSON text from the index; raise ValueError if it is not JSON."""
    from json import loads  # as above

    return loads(text)

"""What is known of a tool whose plugin is not imported before its function is needed?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from fcregistry import _ports
from fcregistry._declarations import Declaration

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry._records import ToolRecord

BROKEN: Final = 1
"""It cannot be defined."""
CONTEXT: Final = 2
"""It asks for the context of its call."""
DEPS: Final = 4
"""And that for something of the application's."""


class Described(Declaration):
    """A declaration as the index knows it. Asking for its function imports its plugin.

    Attributes:
        row: Where the index keeps its record.
        summary: The first paragraph of its description, as one line.
        flags: What can be told of it in a bit: `BROKEN`, `CONTEXT`, `DEPS`.
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
        self.plugin = plugin
        self.row = row
        self.name = name
        self.group = group
        self.summary = summary
        self._options_text = options
        self._options: dict[str, Any] | None = None
        self._record: ToolRecord | None = None
        self.flags = flags
        self.locals = None
        self.tool = None

    def says(self, option: str) -> bool:
        """Tell whether its text of options speaks of one: if not, it was not given."""
        return bool(self._options_text) and f'"{option}"' in self._options_text

    @property
    def options(self) -> dict[str, Any]:  # type: ignore[override]
        """What it was declared with, as JSON."""
        if self._options is None:
            self._options = json.loads(self._options_text) if self._options_text else {}
        assert self._options is not None
        return self._options

    @property
    def record(self) -> ToolRecord:
        """All that is known of it."""
        if self._record is None:
            self._record = _ports.discovery().record(self)
        return self._record

    @property
    def digest(self) -> str:
        """What the digest of its record has to be when it is loaded."""
        from fcregistry._records import digest_of  # which listing does not need

        return digest_of(self.record)

    @property
    def module(self) -> str:  # type: ignore[override]
        """The module that declared it."""
        return self.record["module"]

    @property
    def place(self) -> str:
        """`module.qualname (file:line)`, as far as it is known."""
        record = self.record
        line = f" ({record['file']}:{record['line']})" if record["file"] else ""
        return f"{record['module']}.{record['qualname']}{line}"

    @property
    def instance(self) -> None:
        """Not known of what is not imported."""
        return None

    @property
    def function(self) -> Callable[..., Any]:  # type: ignore[override]
        """The function; its plugin is imported for it.

        Raises:
            PluginError: The plugin does not load.
            ToolChangedError: It ships something else than was described.
        """
        assert self.tool is not None
        return self.tool._definition.loaded().declaration.function

"""What the configuration allows: which plugins may be imported, and which tools may be seen.

`_locks` is imported inside a function, since hashing is needed only if the configuration has a lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._config.policy import trust
from fcregistry._tools.described import Described
from fcregistry._tools.selectors import subject_of
from fcregistry.discovery._found import FoundEntryPoint, FoundExtension

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.declaration import Declaration
    from fcregistry.discovery._sources import Shipper, SourceOwner


class Permission:
    """What the configuration allows at one moment.

    It is made for one operation, such as one look-up, and then discarded.

    The `to_…` methods return why something is not allowed, in a text that names the file or variable that forbids it; None if it is allowed.

    Attributes:
        is_open: Whether the configuration allows everything, so that callers need not ask.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """

    __slots__ = ("_operator", "_plugins", "is_open")

    def __init__(self) -> None:
        self._operator = trust()
        self._plugins: dict[tuple[str, str], str | None] = {}
        self.is_open: bool = self._operator.is_open

    def to_describe(self, plugin: FoundEntryPoint | SourceOwner) -> str | None:
        """Return why a plugin or source must not be described or shown, or a command must not be listed.

        This is called for each of its tools, so the answer is cached.
        """
        if self.is_open:
            return None
        if plugin.key not in self._plugins:
            self._plugins[plugin.key] = (
                self._operator.refusal(*plugin.key, ships_tools=True)
                or (isinstance(plugin, FoundEntryPoint) and self.to_trust(plugin, thorough=False))
                or self._drift(plugin, contents=False)
            )
        return self._plugins[plugin.key]

    def to_import(self, found: FoundEntryPoint) -> str | None:
        """Return why a plugin, an extension or a command must not be imported.

        If it is locked, all of its files are compared with the lock.

        What is imported of a locked distribution afterwards is compared once more, file by file, before it runs.
        """
        if self.is_open:
            return None
        refusal = self._operator.refusal(*found.key, ships_tools=not isinstance(found, FoundExtension))
        return refusal or self.to_trust(found) or self._drift(found, contents=True)

    def to_trust(self, found: FoundEntryPoint, *, thorough: bool = True) -> str | None:
        """Return why an entry point may belong to another distribution than its metadata name.

        This matters only if the configuration trusts that distribution by name.

        Args:
            found: The entry point.
            thorough: Whether Python's finders are asked, as before an import.
        """
        setting = None if self.is_open else self._operator.names_distributions(found.distribution)
        if setting is None:
            return None
        from fcregistry.discovery._identity import doubt_about  # only where something is configured

        reason = doubt_about(found, thorough=thorough)
        return None if reason is None else f"{setting}, and {reason}"

    def to_see(self, declaration: Declaration, owner: Shipper | None) -> str | None:
        """Return why a tool must not be seen.

        A described tool is compared with the lock here; of a tool whose plugin is imported, the executor compares it.

        Args:
            declaration: The declaration of the tool, or the described tool.
            owner: The plugin or source that ships it; None for the application.
        """
        if self.is_open:
            return None
        if owner is not None and (reason := self.to_describe(owner)):
            return reason
        if reason := self._operator.tool_refusal(subject_of(declaration, owner)):
            return reason
        if owner is None or not self._operator.locks or not isinstance(declaration, Described):
            return None
        record = {"group": declaration.group, "name": declaration.name, "digest": declaration.digest}
        return self._operator.record_refusal(owner.distribution, record)

    def preferred(self, distributions: Iterable[str]) -> str | None:
        """Return which of some distributions has precedence, or None."""
        return self._operator.preferred(distributions)

    def _drift(self, found: FoundEntryPoint | SourceOwner, *, contents: bool) -> str | None:
        if not self._operator.locks:
            return None
        from fcregistry.discovery._locks import lock_drift, source_drift

        if isinstance(found, FoundEntryPoint):
            return lock_drift(found, self._operator, contents=contents)
        return source_drift(found, self._operator)

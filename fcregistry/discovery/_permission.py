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

    The `to_…` methods return the reason that something is not allowed, or None if it is allowed. The reason names the file or the variable
    that forbids it.

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
        """Return the reason that `plugin` must not be described or shown, or None if it may be.

        This method is called for each of its tools, so the answer is cached.

        Args:
            plugin: The plugin or source; or a command, which may be listed if the result is None.
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
        """Return the reason that an entry point must not be imported, or None if it may be.

        If its distribution is locked, all files of that are compared with the lock. Each file is compared once more when it is imported.
        """
        if self.is_open:
            return None
        refusal = self._operator.refusal(*found.key, ships_tools=not isinstance(found, FoundExtension))
        return refusal or self.to_trust(found) or self._drift(found, contents=True)

    def to_trust(self, found: FoundEntryPoint, *, thorough: bool = True) -> str | None:
        """Return the reason to doubt that an entry point is of the distribution that it names, or None.

        The result is also None if the configuration does not trust that distribution by name: then it does not matter.

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

    def accepts_description(self, plugin: FoundEntryPoint, files: Iterable[str]) -> bool:
        """Return whether the index may use a description of `plugin` that was made from `files`.

        If the configuration trusts the distribution by name, the description must be made from the distribution's own file: others were made
        where the configuration did not yet name it.
        """
        if self._operator.names_distributions(plugin.distribution) is None:
            return True
        from fcregistry.discovery._identity import is_made_from_own  # only where something is configured

        return is_made_from_own(plugin, files)

    def to_see(self, declaration: Declaration, owner: Shipper | None) -> str | None:
        """Return the reason that a tool must not be seen, or None if it may be seen.

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
        """Return the one of `distributions` that has precedence over the others, or None."""
        return self._operator.preferred(distributions)

    def _drift(self, found: FoundEntryPoint | SourceOwner, *, contents: bool) -> str | None:
        """Return how a distribution or a source differs from its lock; None if it does not, or without locks.

        Args:
            found: An entry point of the distribution, or the source.
            contents: Whether to compare the content of the distribution's files too.
        """
        if not self._operator.locks:
            return None
        from fcregistry.discovery._locks import lock_drift, source_drift

        if isinstance(found, FoundEntryPoint):
            return lock_drift(found, self._operator, contents=contents)
        return source_drift(found, self._operator)

"""What of all that is found may be imported, and what may be seen? What the configuration says, and whether it is as it was locked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._config.policy import trust
from fcregistry._tools.indexed import Described
from fcregistry._tools.selectors import subject_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.declaration import Declaration
    from fcregistry._tools.selectors import SelectorSubject
    from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin


class Permission:
    """What the configuration says at one moment: made for one thing that is asked, such as one look-up, and forgotten then.

    Every function returns why something may not be, in words that name the file or variable that says so; None if it may.

    Attributes:
        is_open: Whether nothing is configured, so that nobody need ask.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """

    __slots__ = ("_operator", "_plugins", "is_open")

    def __init__(self) -> None:
        self._operator = trust()
        self._plugins: dict[tuple[str, str], str | None] = {}
        self.is_open: bool = self._operator.is_open

    def to_know(self, plugin: FoundPlugin) -> str | None:
        """Return why a plugin is not to be described, or shown. Asked for each of its tools, and looked at once."""
        if self.is_open:
            return None
        if plugin.key not in self._plugins:
            self._plugins[plugin.key] = (
                self._operator.plugin_refusal(*plugin.key)
                or self.to_trust(plugin, thorough=False)
                or self._drift(plugin, contents=False)
            )
        return self._plugins[plugin.key]

    def to_import(self, plugin: FoundPlugin) -> str | None:
        """Return why a plugin is not to be imported: where it is locked, all of its files are looked at.

        What is imported of a locked distribution afterwards is compared with the lock once more, file by file, before it runs.
        """
        if self.is_open:
            return None
        refusal = self._operator.plugin_refusal(*plugin.key)
        return refusal or self.to_trust(plugin) or self._drift(plugin, contents=True)

    def to_extend(self, extension: FoundExtension) -> str | None:
        """Return why an extension is not to be loaded."""
        if self.is_open:
            return None
        refusal = self._operator.extension_refusal(*extension.key)
        return refusal or self.to_trust(extension) or self._drift(extension, contents=True)

    def to_trust(self, found: FoundEntryPoint, *, thorough: bool = True) -> str | None:
        """Return why an entry point may be another distribution's than its metadata say, where the configuration trusts by name.

        Args:
            found: The entry point.
            thorough: Whether Python's finders are asked, as before an import.
        """
        said = None if self.is_open else self._operator.names_distributions(found.distribution)
        if said is None:
            return None
        from fcregistry.discovery._identity import doubt_about  # there already: it has found the entry point

        reason = doubt_about(found, thorough=thorough)
        return None if reason is None else f"{said}, and {reason}"

    def to_see(self, declaration: Declaration, owner: FoundPlugin | None) -> str | None:
        """Return why a tool is not to be seen: that of a declaration, or of what is known of one.

        Whether what is known of it is as it was locked is told here; for code that is loaded, the executor does.
        """
        if self.is_open:
            return None
        if owner is not None and (reason := self.to_know(owner)):
            return reason
        if reason := self._operator.tool_refusal(subject_of(declaration, owner)):
            return reason
        if owner is None or not self._operator.locks or not isinstance(declaration, Described):
            return None
        known = {"group": declaration.group, "name": declaration.name, "digest": declaration.digest}
        return self._operator.record_refusal(owner.distribution, known)

    def preferred(self, distributions: Iterable[str]) -> str | None:
        """Return which of some distributions has precedence, or None."""
        return self._operator.preferred(distributions)

    def idle(
        self, subjects: Iterable[SelectorSubject], found: Iterable[FoundEntryPoint]
    ) -> tuple[tuple[str, str], ...]:
        """Return what the configuration names and is not there: where each stands, and what it names; sorted."""
        return self._operator.idle(subjects, [each.key for each in found])

    def _drift(self, found: FoundEntryPoint, *, contents: bool) -> str | None:
        if not self._operator.locks:
            return None
        from fcregistry.discovery._locks import lock_drift  # hashes, which only a lock needs

        return lock_drift(found, self._operator, contents=contents)

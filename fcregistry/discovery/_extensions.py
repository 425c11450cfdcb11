"""Which extension provides what is asked for? Each is loaded when something needs it, at most once, and none for the sake of another."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from fcregistry._config.settings import DISABLE
from fcregistry.discovery._permission import Permission

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.discovery._found import FoundExtension, PluginKey
    from fcregistry.discovery._outcomes import FailedExtension, LoadedExtension
    from fcregistry.types._reader import Family


PUBLISHED: Final = {"numpy": "fcregistry-numpy"}
"""Module -> the distribution of this project that reads its types: what to install where nothing does."""

PUBLISHED_MODELS: Final = {"llama": "fcregistry-llama"}
"""Prefix -> the distribution of this project that has its models."""


class Extensions:
    """The extensions of a process, by what they provide.

    No lock is held while one is imported: two threads that need it at once both wait for Python's own import lock, both may ask it
    what it provides, and the first answer is kept.

    Args:
        found: Returns those that are installed.
    """

    def __init__(self, found: Callable[[], tuple[FoundExtension, ...]]) -> None:
        self._found = found
        self._outcomes: dict[PluginKey, LoadedExtension | FailedExtension] = {}
        self._loading = threading.local()

    def families(self, module: str) -> tuple[Family, ...]:
        """Return what reads annotations of a top-level module.

        Where that is not to be had, it is something that refuses each of them, and says why: so a tool that needs a broken extension
        says so, and no other is touched.

        Args:
            module: The module's name, such as `numpy`.

        Returns:
            The families of types that the extension of that name has; none if there is no such extension.
        """
        from fcregistry.discovery._families import guarded, refusing  # all of `types`
        from fcregistry.discovery._outcomes import FailedExtension

        named = self.named(module)
        if not named:
            missing = PUBLISHED.get(module)
            return (
                (refusing(f"the extension {missing}", f"which is not installed: pip install {missing}"),)
                if missing
                else ()
            )
        enabled = [each for each in named if self.disabled(each) is None]
        if not enabled:
            return (refusing(f"the extension {named[0].label}", f"which is disabled: {self.disabled(named[0])}"),)
        if len(enabled) > 1:
            return (refusing(_listed(enabled), f"of which one can be used: {disable_advice(enabled)}"),)
        outcome = self.load(enabled[0])
        if isinstance(outcome, FailedExtension):
            which = f"the extension {outcome.extension.label}"
            return (refusing(which, f"which does not load: {outcome.reason}; {outcome.advice}"),)
        return () if outcome is None else tuple(guarded(each, outcome.extension) for each in outcome.families)

    def named(self, name: str) -> tuple[FoundExtension, ...]:
        """Return the installed extensions of a name, also those that are disabled."""
        return tuple(each for each in self._found() if each.entry_point == name)

    def prefixes(self) -> tuple[str, ...]:
        """Return the names of installed extensions that may have models, sorted; whether they do is known of those that are loaded."""
        enabled = [each for each in self._found() if each.entry_point not in PUBLISHED and self.disabled(each) is None]
        return tuple(
            sorted({each.entry_point for each in enabled if getattr(self.outcome(each), "resolve_model", True)})
        )

    def disabled(self, extension: FoundExtension) -> str | None:
        """Return what says that an extension is not to be loaded, or None."""
        return Permission().to_extend(extension)

    def outcome(self, extension: FoundExtension) -> LoadedExtension | FailedExtension | None:
        """Return what became of an extension, or None if nothing has needed it yet."""
        return self._outcomes.get((extension.distribution, extension.entry_point))

    def load(self, extension: FoundExtension) -> LoadedExtension | FailedExtension | None:
        """Load an extension that is not loaded, and return what became of it; None while it is being imported by this thread."""
        key = (extension.distribution, extension.entry_point)
        under_way = self._loading.__dict__.setdefault("keys", set())
        if key in self._outcomes or key in under_way:
            return self._outcomes.get(key)
        from fcregistry.discovery._extension_loader import load_extension  # pluggy, which most processes never need

        under_way.add(key)
        try:
            outcome = load_extension(extension)
        finally:
            under_way.discard(key)
        return None if outcome is None else self._outcomes.setdefault(key, outcome)


def disable_advice(extensions: list[FoundExtension]) -> str:
    """Return what to do about several extensions of one name."""
    return f"uninstall the others, or disable them, as with {DISABLE}={extensions[-1].label}"


def _listed(extensions: list[FoundExtension]) -> str:
    *others, last = [each.label for each in extensions]
    return f"the extensions {', '.join(others)} and {last}"

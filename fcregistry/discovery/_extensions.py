"""Which extension provides what is asked for? Each is loaded when something needs it, at most once, and none for the sake of another.

MERGED: What does one extension provide? It is imported, and the hooks that ask for that are called. What goes wrong is recorded.
"""

from __future__ import annotations

import importlib
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pluggy

from fcregistry._base import forks as _forks
from fcregistry._base.stdout import prints_to_stderr
from fcregistry._config.settings import DISABLE
from fcregistry.discovery import _hooks
from fcregistry.discovery._found import FoundExtension
from fcregistry.discovery._hooks import call_hook, implemented, model_hook
from fcregistry.discovery._hookspecs import TypeFamilies
from fcregistry.discovery._loader import own_part
from fcregistry.discovery._permission import Permission
from fcregistry.discovery._report import FailedExtension, LoadedExtension
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.discovery._found import PluginKey
    from fcregistry.types._reader import Family

# --- discovery._extensions ---

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
        from fcregistry.discovery._hookspecs import guarded, refusing  # all of `types`
        from fcregistry.discovery._report import FailedExtension

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


# --- discovery._extension_loader ---


def load_extension(extension: FoundExtension) -> LoadedExtension | FailedExtension | None:
    """Import one extension, and ask it what it provides.

    What it prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        extension: What was found.

    Returns:
        What became of it; None if its module is being imported just now, so that nobody knows yet.
    """
    _forks.count_forks()
    born = _forks.generation
    try:
        with prints_to_stderr():
            module = importlib.import_module(extension.module)
            if getattr(getattr(module, "__spec__", None), "_initializing", False):
                return None
            hooks = implemented(_named(extension, module), extension.label, extension.value)
            types = TypeFamilies()
            hooks.fc_register_types(types=types)
        if _forks.generation != born:  # the extension has forked, and this is the child
            _forks.end_child()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: it may raise anything, SystemExit too, and costs only itself  # noqa: BLE001
        if _forks.generation != born:
            _forks.end_child(error)
        machinery = (__file__, _hooks.__file__, str(Path(pluggy.__file__).parent))
        return FailedExtension(extension=extension, error=error, traceback=own_part(error, *machinery))
    return LoadedExtension(
        extension=extension,
        families=tuple(types),
        call_hook=call_hook(hooks, extension.label),
        resolve_model=model_hook(hooks),
    )


def _named(extension: FoundExtension, module: Any) -> Any:
    """Return the module or object that an entry point names.

    Raises:
        PluginError: There is none of that name, or it is a class.
    """
    named = module
    for name in filter(None, extension.attribute.split(".")):
        try:
            named = getattr(named, name)
        except AttributeError as error:
            raise PluginError(
                f"{extension.label} names {extension.value}, and there is no {name!r} in {extension.module}"
            ) from error
    if isinstance(named, type):
        raise PluginError(
            f"{extension.label} names the class {extension.attribute}; name an instance of it, or a module"
        )
    return named

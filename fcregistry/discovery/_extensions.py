"""What the installed extensions provide: families of types, call hooks, and models.

`Extensions` loads an extension when something needs it, at most once. Every process that looks for plugins imports this module, so it imports
pluggy, `fcregistry.types` and `fcregistry.execution` only when it loads an extension.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._config.settings import DISABLE, call_hook_items
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._permission import Permission
from fcregistry.errors import FcregistryError, ModelNotFoundError, PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fcregistry.discovery._found import FoundExtension, PluginKey
    from fcregistry.discovery._report import FailedEntryPoint, LoadedExtension
    from fcregistry.execution import CallHook, CallHooks
    from fcregistry.types import Family

_READERS: Final = {"numpy": "fcregistry-numpy"}
"""Module -> the distribution of this project that supports its types."""

_MODEL_PROVIDERS: Final = {"llama": "fcregistry-llama"}
"""Prefix of a model's name, such as `llama` in `llama:NAME` -> the distribution of this project that provides the model."""

_ARGUMENT: Final = "hooks=…"


class ModelExtension(NamedTuple):
    """An extension that has models, or would have if it could be used.

    Attributes:
        prefix: The beginning of the models' names.
        distribution: The distribution, or the labels of several extensions that have the prefix.
        version: Its version; None if it is not installed, or there are several.
        state: `installed`, `not installed`, `disabled`, `failed` or `ambiguous`.
        reason: Why it cannot be used, or the command that installs it; None if it can be used.
    """

    prefix: str
    distribution: str
    version: str | None
    state: str
    reason: str | None = None


class Extensions:
    """The extensions of a process, and what they provide.

    Importing an extension uses only Python's own import lock. If two threads need an extension at the same time, both may call its hooks, and
    the first outcome counts.

    Args:
        found: Returns the installed extensions.
    """

    def __init__(self, found: Callable[[], tuple[FoundExtension, ...]]) -> None:
        self._found = found
        self._outcomes: dict[PluginKey, LoadedExtension | FailedEntryPoint] = {}
        self._loading = threading.local()

    def named(self, name: str) -> tuple[FoundExtension, ...]:
        """Return the installed extensions whose entry point has the name `name`, including disabled ones."""
        return tuple(each for each in self._found() if each.entry_point == name)

    def disabled(self, extension: FoundExtension) -> str | None:
        """Return the reason that `extension` must not be loaded, or None if it may be."""
        return Permission().to_import(extension)

    def outcome(self, extension: FoundExtension) -> LoadedExtension | FailedEntryPoint | None:
        """Return the outcome of loading `extension`, or None if it is not loaded yet."""
        return self._outcomes.get(extension.key)

    def load(self, extension: FoundExtension) -> LoadedExtension | FailedEntryPoint | None:
        """Load an extension, if it is not loaded yet, and return the outcome.

        The outcome is None while this thread is importing the extension.
        """
        key = extension.key
        under_way = self._loading.__dict__.setdefault("keys", set())
        if key in self._outcomes or key in under_way:
            return self._outcomes.get(key)
        from fcregistry.discovery._hookspecs import load_extension  # imports pluggy and `types`

        under_way.add(key)
        try:
            outcome = load_extension(extension)
        finally:
            under_way.discard(key)
        return None if outcome is None else self._outcomes.setdefault(key, outcome)

    def _usable(self, named: tuple[FoundExtension, ...], advice: str = "") -> LoadedExtension | None:
        """Load and return the only enabled extension in `named`.

        Args:
            named: The extensions with one name; at least one.
            advice: What else the user can do if several are enabled, for the message.

        Returns:
            The loaded extension; None while this thread is importing it.

        Raises:
            PluginError: None or several of them are enabled, or the extension cannot be loaded. The message is the end of a sentence, such as "the
                extension acme[llama], which is disabled: …"; the caller writes its beginning.
        """
        from fcregistry.discovery._report import FailedEntryPoint

        enabled = [each for each in named if self.disabled(each) is None]
        if not enabled:
            raise PluginError(f"the extension {named[0].label}, which is disabled: {self.disabled(named[0])}")
        if len(enabled) > 1:
            *others, last = [each.label for each in enabled]
            which = f"the extensions {', '.join(others)} and {last}"
            raise PluginError(f"{which}, of which only one can be used: {advice}{disable_advice(enabled)}")
        outcome = self.load(enabled[0])
        if isinstance(outcome, FailedEntryPoint):
            why = f"the extension {enabled[0].label}, which does not load: {outcome.reason}; {outcome.advice}"
            raise PluginError(why) from outcome.error
        return outcome

    def families(self, module: str) -> tuple[Family, ...]:
        """Return the families of types of the extension for a module, such as `numpy`.

        If that extension cannot be used, return a family that refuses every annotation and says why: then only tools that use types of the
        module have a problem.

        Args:
            module: The name of a top-level module.

        Returns:
            The families; empty if there is no extension with the name of the module.
        """
        from fcregistry.discovery._hookspecs import guarded_family, refusing_family  # imports pluggy and `types`

        named = self.named(module)
        if not named and (missing := _READERS.get(module)):
            return (refusing_family(_not_installed(missing)),)
        try:
            loaded = self._usable(named) if named else None
        except PluginError as error:
            return (refusing_family(str(error)),)
        return () if loaded is None else tuple(guarded_family(each, loaded.extension) for each in loaded.families)

    # --- Call hooks ---

    def call_hooks(self, given: object = ()) -> CallHooks | None:
        """Return the hooks that check the calls of an executor.

        These are the hooks that the configuration names, and then those in `given`, each once. An extension that is only installed does not
        check calls: installing it is not consent.

        Args:
            given: The name of an extension; or a module, object or function with hooks that are marked with `hookimpl`; or a list of these.

        Returns:
            The hooks; None if there are none. If a named extension cannot be used, an object that refuses every call; the log says which
            extension, and why.

        Raises:
            TypeError: An object in `given` is not a hook.
        """
        from fcregistry.execution import ClosedHooks, HookChain  # imports all of execution

        items = list(given) if isinstance(given, (list, tuple)) else [given]
        made = [(_ARGUMENT, each if isinstance(each, str) else _hook_of_object(each)) for each in items]
        hooks: list[CallHook] = []
        errors: list[PluginError] = []
        for source, each in [*call_hook_items(), *made]:
            try:
                hook = self._hook_of_extension(each, source) if isinstance(each, str) else each
            except PluginError as error:
                errors.append(error)
            else:
                if not any(hook is known for known in hooks):  # an extension returns the same hook each time
                    hooks.append(hook)
        if errors:
            from logging import getLogger  # only on the way to an error

            for unusable in errors:
                getLogger("fcregistry").error("every call is refused: %s", unusable, exc_info=unusable.__cause__)
            return ClosedHooks(errors[0])
        return HookChain(hooks) if hooks else None

    def unusable_call_hooks(self) -> Iterator[tuple[str, PluginError]]:
        """Yield the setting and an error for each extension that it names as a hook, but that cannot be used.

        Executors refuse every call because of such an extension.
        """
        for source, name in call_hook_items():
            try:
                self._hook_of_extension(name, source)
            except PluginError as error:
                yield source, error

    def _hook_of_extension(self, name: str, source: str) -> CallHook:
        """Return the call hook of an installed extension, and load the extension if necessary.

        Args:
            name: The name of its entry point, or its label, such as `acme[audit]`.
            source: The setting or argument that names it, for messages.

        Raises:
            PluginError: No extension or several enabled extensions have that name, or the extension is disabled, does not load, is being
                imported by this thread, or has no call hook.
        """
        named = tuple(each for each in self._found() if name in (each.entry_point, _normalized_label(name, each)))
        if not named:
            known = ", ".join(each.label for each in self._found())
            installed = f"installed are {known}" if known else "none is installed"
            raise PluginError(f"{source} names {name}, and there is no extension of that name; {installed}")
        try:
            loaded = self._usable(named, "name it distribution[entry point], or ")
        except PluginError as error:
            raise PluginError(f"{source} names {error}") from error.__cause__
        if loaded is None:
            raise PluginError(f"{source} names {name}, which is being imported just now; make the executor after that")
        if loaded.call_hook is None:
            label = loaded.extension.label
            raise PluginError(f"{source} names {name}, and {label} has neither fc_before_call nor fc_after_call")
        return loaded.call_hook

    # --- Models ---

    def resolve_model(self, prefix: str, name: str) -> object | None:
        """Ask an extension for a model.

        For the model "llama:qwen3", the extension `llama` is asked for "qwen3".

        Args:
            prefix: The name of the extension's entry point: the part of the model's name before the colon.
            name: The part after the colon.

        Returns:
            What the extension's hook `fc_resolve_model` returned; None if there is no extension with the name `prefix`.

        Raises:
            ModelNotFoundError: The extension cannot be used or has no such hook, or the hook fails or returns None.
        """
        from fcregistry.discovery._report import FailedEntryPoint

        named, asked = self.named(prefix), f"{prefix}:{name}"
        which = f"the model {asked.partition('?')[0]!r} comes from"  # without the settings that `ask` may have added
        if not named:
            if missing := _MODEL_PROVIDERS.get(prefix):
                raise ModelNotFoundError(f"{which} {_not_installed(missing)}")
            return None
        try:
            loaded = self._usable(named)
        except PluginError as error:
            raise ModelNotFoundError(f"{which} {error}") from error.__cause__
        if loaded is None:
            raise ModelNotFoundError(
                f"{which} {named[0].label}, which is being imported just now; ask for it after that"
            )
        label = loaded.extension.label
        if loaded.resolve_model is None:
            raise ModelNotFoundError(f"there is no model {asked!r}: the extension {label} has no hook fc_resolve_model")
        try:
            model = loaded.resolve_model(name)
        except FcregistryError:
            raise  # its message says what is wrong, and what to do
        except Exception as error:  # foreign code: an exception of an extension is reported as the extension's
            failed = FailedEntryPoint(found=loaded.extension, error=error, traceback="")
            why = f"the extension {label} failed to make the model {asked!r}: {failed.reason}; {failed.advice}"
            raise ModelNotFoundError(why) from error
        if model is None:
            raise ModelNotFoundError(
                f"the extension {label} has no model {name!r}; its documentation says which it has"
            )
        return model

    def models(self, is_taken: Callable[[str], bool]) -> Iterator[ModelExtension]:
        """Yield the extensions that have models, and those of this project that are not installed, by prefix.

        One is loaded, to see whether it has models, unless its name says that; a disabled one counts only if its name says it.

        Args:
            is_taken: Returns whether no extension can have a prefix.
        """
        from fcregistry._base.install import install_command  # only `fcregistry models` needs both
        from fcregistry.discovery._report import FailedEntryPoint

        names = {*(each.entry_point for each in self._found()), *_MODEL_PROVIDERS} - _READERS.keys()
        for prefix in sorted(each for each in names if not is_taken(each)):
            known, named = _MODEL_PROVIDERS.get(prefix), self.named(prefix)
            enabled = [each for each in named if self.disabled(each) is None]
            if not named and known is not None:
                yield ModelExtension(prefix, known, None, "not installed", install_command(known))
            elif len(enabled) > 1:
                labels = ", ".join(each.label for each in enabled)
                yield ModelExtension(
                    prefix, labels, None, "ambiguous", f"only one can be used: {disable_advice(enabled)}"
                )
            elif enabled:
                [found] = enabled
                outcome = self.outcome(found) if found.project == known else self.load(found)
                if isinstance(outcome, FailedEntryPoint):
                    reason = f"{outcome.reason}; {outcome.advice}"
                    yield ModelExtension(prefix, found.distribution, found.version, "failed", reason)
                elif outcome is None or outcome.resolve_model is not None:
                    yield ModelExtension(prefix, found.distribution, found.version, "installed")
            elif known is not None:
                disabled = self.disabled(named[0])
                yield ModelExtension(prefix, named[0].distribution, named[0].version, "disabled", disabled)

    def prefixes(self) -> tuple[str, ...]:
        """Return the sorted names of the enabled extensions that may provide models.

        An extension that is not loaded yet may provide models; a loaded one has the hook `fc_resolve_model` or not.
        """
        enabled = [each for each in self._found() if each.entry_point not in _READERS and self.disabled(each) is None]
        names = {each.entry_point for each in enabled if getattr(self.outcome(each), "resolve_model", True)}
        return tuple(sorted(names))


def disable_advice(extensions: list[FoundExtension]) -> str:
    """Return what the user can do about several extensions with the same name."""
    return f"uninstall the others, or disable them, as with {DISABLE}={extensions[-1].label}"


def _not_installed(missing: str) -> str:
    """Return the end of a message: that the extension `missing` is not installed, and how to install it."""
    from fcregistry._base.install import install_command  # on the way to an error

    return f"the extension {missing}, which is not installed: {install_command(missing)}"


def _normalized_label(name: str, found: FoundExtension) -> str:
    """Return `name` if it is the label `distribution[entry point]` of `found`, else "".

    The distribution may be spelt in any way that PyPI takes for the same name; the entry point must match exactly.
    """
    distribution, _, rest = name.partition("[")
    return name if rest == f"{found.entry_point}]" and normalized(distribution) == found.project else ""


def _hook_of_object(given: Any) -> CallHook:
    """Return the call hook that a module, object or function implements.

    Raises:
        TypeError: `given` is a class, implements no hook before or after calls, or its hooks are not valid.
    """
    import pluggy

    from fcregistry.discovery._hookspecs import call_hook, hooks_of  # imports pluggy and `types`

    if isinstance(given, type):
        raise TypeError(f"hooks=… must be an instance of {given.__qualname__}, not the class")
    if isinstance(given, ModuleType):
        label = given.__name__
    else:
        source = given if callable(given) and hasattr(given, "__qualname__") else type(given)
        label = f"{source.__module__}.{source.__qualname__}"
    try:
        hook = call_hook(hooks_of(_namespace(given), label), label)
    except (PluginError, pluggy.PluginValidationError) as error:
        raise TypeError(f"hooks=… takes hooks, and {error}") from error
    if hook is None:
        raise TypeError(f"hooks=… takes hooks, and {label} has neither fc_before_call nor fc_after_call")
    return hook


def _namespace(given: Any) -> Any:
    """Return an object in which pluggy finds the hooks of `given`.

    For a function or another callable with a `__name__`, that is a new module that has it under this name; otherwise `given` itself.
    """
    name = getattr(given, "__name__", None)
    if isinstance(given, ModuleType) or not callable(given) or not isinstance(name, str):
        return given
    namespace = ModuleType(name)
    setattr(namespace, name, given)
    return namespace

"""Which hooks does a call have to pass? Those that the environment and the executor name, and no others: installed is not consent.

MERGED: Which model does an extension have by a name? Its hook is called, and what is wrong is told with the extension's name.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from fcregistry._config.settings import call_hook_items
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._discovery import current
from fcregistry.discovery._extensions import PUBLISHED_MODELS, disable_advice
from fcregistry.discovery._report import FailedExtension, LoadedExtension
from fcregistry.errors import FcregistryError, ModelNotFoundError, PluginError
from fcregistry.execution._hooks import CallHook, ClosedHooks, HookChain
from fcregistry.execution._settings import CallHooks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.discovery._found import FoundExtension

# --- discovery._call_hooks ---

_GIVEN = "hooks=…"


def call_hooks(given: object = ()) -> CallHooks | None:
    """Return the hooks that calls have to pass: first those that the configuration names, then those that are given, each once.

    Args:
        given: Names of extensions, and modules, objects or functions that are marked with `hookimpl`; one of these, or a list of them.

    Returns:
        None where there are none. Where one that is named cannot be had, what refuses every call; the log says which, and why.

    Raises:
        TypeError: Something that is given is no hook.
    """
    items = list(given) if isinstance(given, (list, tuple)) else [given]
    made = [(_GIVEN, each if isinstance(each, str) else _of_object(each)) for each in items]
    hooks: list[CallHook] = []
    wrong: list[PluginError] = []
    for said, each in [*call_hook_items(), *made]:
        try:
            hook = _of_extension(each, said) if isinstance(each, str) else each
        except PluginError as error:
            wrong.append(error)
        else:
            hooks += [] if any(hook is known for known in hooks) else [hook]  # an extension has one, which it keeps
    if wrong:
        return _closed(wrong)
    return HookChain(hooks) if hooks else None


def unusable_call_hooks() -> Iterator[PluginError]:
    """Yield why each extension that the configuration names in vain cannot be had; every call is refused for it."""
    for said, name in call_hook_items():
        try:
            _of_extension(name, said)
        except PluginError as error:
            yield error


def _closed(wrong: list[PluginError]) -> ClosedHooks:
    from logging import getLogger  # only on the way to an error

    for each in wrong:
        getLogger("fcregistry").error("every call is refused: %s", each, exc_info=each.__cause__)
    return ClosedHooks(wrong[0])


def _of_extension(name: str, said: str) -> CallHook:
    """Return the hook of an installed extension.

    Raises:
        PluginError: There is none of that name, or not one alone, or it does not load, or has nothing to say about calls.
    """
    found = _call_hooks_found(name, said)
    outcome = current().extensions.load(found)
    if outcome is None:
        raise PluginError(f"{said} names {name}, which is being imported just now; make the executor after that")
    if isinstance(outcome, FailedExtension):
        why = f"{said} names {name}, and {found.label} does not load: {outcome.reason}; {outcome.advice}"
        raise PluginError(why) from outcome.error
    if outcome.call_hook is None:
        raise PluginError(f"{said} names {name}, and {found.label} has neither fc_before_call nor fc_after_call")
    return outcome.call_hook


def _call_hooks_found(name: str, said: str) -> FoundExtension:
    extensions = current().extensions
    named = [each for each in current().found_extensions if name == each.entry_point or _same(name, each)]
    if not named:
        known = ", ".join(each.label for each in current().found_extensions)
        there = f"installed are {known}" if known else "there are none"
        raise PluginError(f"{said} names {name}, and there is no extension of that name; {there}")
    enabled = [each for each in named if extensions.disabled(each) is None]
    if not enabled:
        raise PluginError(f"{said} names {name}, and {named[0].label} is disabled: {extensions.disabled(named[0])}")
    if len(enabled) > 1:
        labels = ", ".join(each.label for each in enabled)
        raise PluginError(f"{said} names {name}, which {labels} are called; name one so, or {disable_advice(enabled)}")
    return enabled[0]


def _same(name: str, found: FoundExtension) -> bool:
    """Tell whether a name is the label of an extension, `distribution[entry point]`."""
    distribution, bracket, rest = name.partition("[")
    return (
        bool(bracket) and rest == f"{found.entry_point}]" and normalized(distribution) == normalized(found.distribution)
    )


def _of_object(given: Any) -> CallHook:
    """Return the hook that a module, an object or a function is.

    Raises:
        TypeError: It is none.
    """
    import pluggy

    from fcregistry.discovery._hooks import call_hook, implemented  # pluggy, which most processes never need

    if isinstance(given, type):
        raise TypeError(f"hooks=… has the class {given.__qualname__}; give an instance of it")
    label = _label(given)
    try:
        hook = call_hook(implemented(_namespace(given), label), label)
    except (PluginError, pluggy.PluginValidationError) as error:
        raise TypeError(f"hooks=… has what is no hook: {error}") from error
    if hook is None:
        raise TypeError(f"hooks=… has what is no hook: {label} has neither fc_before_call nor fc_after_call")
    return hook


def _namespace(given: Any) -> Any:
    """Return where pluggy finds the functions: a module or object itself, and one made for a function that is marked."""
    name = getattr(given, "__name__", None)
    if isinstance(given, ModuleType) or not callable(given) or not isinstance(name, str):
        return given
    namespace = ModuleType(name)
    setattr(namespace, name, given)
    return namespace


def _label(given: Any) -> str:
    if isinstance(given, ModuleType):
        return given.__name__
    source = given if callable(given) and hasattr(given, "__qualname__") else type(given)
    return f"{source.__module__}.{source.__qualname__}"


# --- discovery._models ---


def resolve_model(prefix: str, name: str) -> object | None:
    """Return what the extension of a prefix has by a name.

    Args:
        prefix: The name of the extension's entry point.
        name: What stands after it.

    Returns:
        What the extension returned; None if there is no extension of that name.

    Raises:
        ModelNotFoundError: It cannot be used, has no models, or none of that name, or its hook fails.
    """
    asked = f"{prefix}:{name}"
    found = _models_found(prefix, asked)
    if found is None:
        return None
    loaded = _loaded(found, asked)
    if loaded.resolve_model is None:
        raise ModelNotFoundError(
            f"there is no model {asked!r}: the extension {found.label} has no hook fc_resolve_model"
        )
    try:
        model = loaded.resolve_model(name)
    except FcregistryError:
        raise  # it says itself what is wrong, and what to do
    except Exception as error:  # foreign code: a mistake in an extension is told as the extension's
        failed = FailedExtension(extension=found, error=error, traceback="")
        why = f"the extension {found.label} fails to give the model {asked!r}: {failed.reason}; {failed.advice}"
        raise ModelNotFoundError(why) from error
    if model is None:
        raise ModelNotFoundError(
            f"the extension {found.label} has no model {name!r}; its documentation says which it has"
        )
    return model


def _models_found(prefix: str, asked: str) -> FoundExtension | None:
    extensions = current().extensions
    named = extensions.named(prefix)
    if not named:
        if missing := PUBLISHED_MODELS.get(prefix):
            why = f"the model {asked!r} is given by the extension {missing}, which is not installed: pip install {missing}"
            raise ModelNotFoundError(why)
        return None
    enabled = [each for each in named if extensions.disabled(each) is None]
    if not enabled:
        why = f"the model {asked!r} is given by the extension {named[0].label}, which is disabled: {extensions.disabled(named[0])}"
        raise ModelNotFoundError(why)
    if len(enabled) > 1:
        labels = ", ".join(each.label for each in enabled)
        why = f"the model {asked!r} may be given by any of the extensions {labels}, and one can be used: {disable_advice(enabled)}"
        raise ModelNotFoundError(why)
    return enabled[0]


def _loaded(found: FoundExtension, asked: str) -> LoadedExtension:
    outcome = current().extensions.load(found)
    which = f"the model {asked!r} is given by the extension {found.label}, which"
    if outcome is None:
        raise ModelNotFoundError(f"{which} is being imported just now; ask for the model after that")
    if isinstance(outcome, FailedExtension):
        raise ModelNotFoundError(f"{which} does not load: {outcome.reason}; {outcome.advice}") from outcome.error
    return outcome

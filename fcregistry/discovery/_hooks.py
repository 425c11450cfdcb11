"""Which hooks does an object implement? They are held against the specs, and called as pluggy calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

from fcregistry.discovery import _hookspecs
from fcregistry.discovery._hookspecs import PROJECT, hook_names
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fcregistry.execution._hooks import CallHook


def implemented(named: Any, label: str, value: str = "") -> Any:
    """Return the hooks that a module or an object implements, as pluggy calls them.

    Args:
        named: The module or object.
        label: How it is named in messages.
        value: What names it, for the message that it implements none.

    Raises:
        PluginError: It implements none, or one that there is not.
        PluginValidationError: One takes an argument that its spec has not.
    """
    manager = pluggy.PluginManager(PROJECT)  # one for each: asking one does not ask the others
    manager.add_hookspecs(_hookspecs)
    manager.register(named, label)
    callers = manager.get_hookcallers(named) or []
    if not callers:
        who = f"{label}: {value}" if value else label
        raise PluginError(f"{who} implements no hook; mark its functions with fcregistry.hookimpl")
    for caller in callers:
        if not caller.has_spec() and not all(each.optionalhook for each in caller.get_hookimpls()):
            raise PluginError(f"{label}: there is no hook {caller.name}; there are {', '.join(hook_names())}")
    return manager.hook


def call_hook(hooks: Any, label: str) -> CallHook | None:
    """Return what hooks have to say about calls, or None if that is nothing."""
    before, after = hooks.fc_before_call, hooks.fc_after_call
    asks_before, asks_after = bool(before.get_hookimpls()), bool(after.get_hookimpls())
    if not asks_before and not asks_after:
        return None
    # With it comes all of execution, which an extension that reads types does not need
    from fcregistry.execution._hooks import CallHook

    return CallHook(
        label=label,
        before=(lambda tool, call: before(tool=tool, call=call)) if asks_before else None,
        after=(lambda tool, call, result: after(tool=tool, call=call, result=result)) if asks_after else None,
    )


def model_hook(hooks: Any) -> Callable[[str], object] | None:
    """Return what gives the model of a name, or None if that is nothing."""
    resolve = hooks.fc_resolve_model
    return (lambda name: resolve(name=name)) if resolve.get_hookimpls() else None

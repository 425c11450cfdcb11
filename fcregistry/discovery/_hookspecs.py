"""The hooks that an extension may implement, and loading an extension by them.

Each hook is one function, whose name begins with `fc_`.

A hook is added when a package of this repository needs it. This module imports pluggy and all of `fcregistry.types`, so it is imported only
once an extension is needed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pluggy

from fcregistry._base.stdout import prints_to_stderr
from fcregistry.discovery._loader import ImportFailure, import_and_use, named_object
from fcregistry.discovery._report import FailedEntryPoint, LoadedExtension
from fcregistry.errors import PluginError
from fcregistry.types import Codec, UnsupportedType, show_type

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._found import FoundExtension
    from fcregistry.execution import CallHook, Deny
    from fcregistry.types import Family, TypeReader

PROJECT: Final = "fcregistry"
"""The name by which pluggy matches specs and implementations."""

hookimpl: Final = pluggy.HookimplMarker(PROJECT)
hookspec: Final = pluggy.HookspecMarker(PROJECT)


@hookspec
def fc_register_types(types: TypeFamilies) -> None:
    """Add the families that read the types of a package.

    Called once, before the first schema that needs it: when no built-in family reads an annotation of the top-level module that the entry
    point is named after.

    Args:
        types: Collects the families: call `types.add(family)`.
    """


@hookspec(firstresult=True)
def fc_resolve_model(name: str) -> object:
    """Return the model of a name.

    Called each time a caller names a model whose prefix is the name of the entry point: for `llama:smollm2`, the extension `llama` gets
    `smollm2`. Slow work, such as loading the model, is better done at the model's first request. An error of `fcregistry.errors` reaches the
    caller unchanged; any other is reported as a failure of the extension.

    Args:
        name: The name after the prefix and its colon; not empty.

    Returns:
        A `fcregistry.models.Model`, or None if the extension has none of that name.
    """


@hookspec(firstresult=True)
def fc_before_call(tool: Tool, call: ToolCall) -> ToolCall | Deny | None:
    """Change or deny a valid call before it is approved and run.

    Called only if an executor, or `FCREGISTRY_CALL_HOOKS`, names the extension; in the order in which extensions are named, until one
    denies. The function is synchronous and should return quickly. Any exception refuses the call.

    Args:
        tool: The tool that would run.
        call: The call: its name, its validated arguments as a JSON object, its id. A copy.

    Returns:
        None to go on; a `ToolCall` of the same tool with other arguments, which are validated again; or `Deny("why")`.
    """


@hookspec(firstresult=True)
def fc_after_call(tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult | Deny | None:
    """Change the result of a call, or replace it with a refusal; also of a call that was denied or failed.

    Called in the reverse order of `fc_before_call`. If the function raises, the caller gets an error in place of the result.

    Args:
        tool: The tool.
        call: The call as it ran, or would have run. A copy.
        result: Its result, as the hooks before left it.

    Returns:
        None to leave the result; another `ToolResult` of the same call; or `Deny("why")`: the caller gets
        this reason in place of the result.
    """


def hook_names() -> tuple[str, ...]:
    """Return the names of all hooks, sorted."""
    return tuple(sorted(name for name, value in globals().items() if hasattr(value, f"{PROJECT}_spec")))


# --- Loading an extension ---


def load_extension(extension: FoundExtension) -> LoadedExtension | FailedEntryPoint | None:
    """Import one extension, and call the hooks that say what it provides.

    Only `KeyboardInterrupt` is raised. What the extension prints goes to stderr, so that it cannot spoil the output of a command.

    Args:
        extension: The entry point.

    Returns:
        The outcome; None if this thread is already importing its module.
    """

    def use(module: ModuleType) -> tuple[Any, TypeFamilies]:
        named = named_object(extension, module)
        if isinstance(named, type):
            why = f"{extension.label} names the class {extension.attribute}; name an instance of it, or a module"
            raise PluginError(why)
        hooks = hooks_of(named, extension.label, extension.value)
        types = TypeFamilies()
        hooks.fc_register_types(types=types)
        return hooks, types

    done = import_and_use(extension, use, prints_to_stderr, str(Path(pluggy.__file__).parent))
    if done is None:
        return None
    if isinstance(done, ImportFailure):
        return FailedEntryPoint(found=extension, error=done.error, traceback=done.traceback)
    hooks, types = done
    resolve = hooks.fc_resolve_model
    return LoadedExtension(
        extension=extension,
        families=tuple(types),
        call_hook=call_hook(hooks, extension.label),
        resolve_model=(lambda name: resolve(name=name)) if resolve.get_hookimpls() else None,
    )


def hooks_of(implementation: Any, label: str, value: str = "") -> Any:
    """Return pluggy's callers of the hooks that a module or an object implements.

    Args:
        implementation: The module or object.
        label: Its name in messages.
        value: The value of its entry point, for the message that it implements no hook.

    Raises:
        PluginError: `implementation` implements no hook, or one that does not exist.
        PluginValidationError: A function takes an argument that its spec does not have.
    """
    manager = pluggy.PluginManager(PROJECT)  # its own, since calling its hooks must not call those of others
    manager.add_hookspecs(sys.modules[__name__])
    manager.register(implementation, label)
    callers = manager.get_hookcallers(implementation) or []
    if not callers:
        who = f"{label}: {value}" if value else label
        raise PluginError(f"{who} implements no hook; mark its functions with fcregistry.hookimpl")
    for caller in callers:
        if not caller.has_spec() and not all(each.optionalhook for each in caller.get_hookimpls()):
            raise PluginError(f"{label}: there is no hook {caller.name}; there are {', '.join(hook_names())}")
    return manager.hook


def call_hook(hooks: Any, label: str) -> CallHook | None:
    """Return the call hook of an extension, or None if it implements no hook before or after calls.

    Args:
        hooks: The result of `hooks_of`.
        label: The name of the extension in messages.
    """
    before, after = hooks.fc_before_call, hooks.fc_after_call
    asks_before, asks_after = bool(before.get_hookimpls()), bool(after.get_hookimpls())
    if not asks_before and not asks_after:
        return None
    from fcregistry.execution import (
        CallHook,
    )  # with all of execution, which an extension that reads types does not need

    return CallHook(
        label=label,
        before=(lambda tool, call: before(tool=tool, call=call)) if asks_before else None,
        after=(lambda tool, call, result: after(tool=tool, call=call, result=result)) if asks_after else None,
    )


# --- Families of types ---


class TypeFamilies:
    """The families of types that an extension adds."""

    def __init__(self) -> None:
        self._families: list[Family] = []

    def add(self, family: Family) -> None:
        """Add a family of types, for annotations that no built-in family reads.

        Args:
            family: A function of the annotation and the `TypeReader`, which reads annotations inside it. Returns the `Codec` of an
                annotation that it knows, else None. May raise `UnsupportedType` with what to write instead.

        Raises:
            TypeError: It is not a function.
        """
        if isinstance(family, type) or not callable(family):
            what: object = family
            kind = f"the class {what.__qualname__}" if isinstance(what, type) else f"a {type(what).__name__}"
            raise TypeError(f"types.add takes a function (annotation, reader) -> Codec | None, not {kind}")
        self._families.append(family)

    def __iter__(self) -> Iterator[Family]:
        """Yield the families in the order in which they were added and are tried."""
        return iter(self._families)


def refusing_family(why: str) -> Family:
    """Return a family of types that refuses every annotation, with a message that ends with `why`.

    Args:
        why: The extension that would read the annotation, and why it cannot be used.
    """

    def refuse(annotation: Any, reader: TypeReader) -> Codec | None:
        raise UnsupportedType(f"{show_type(annotation)} is read by {why}")

    return refuse


def guarded_family(family: Family, extension: FoundExtension) -> Family:
    """Return a family that calls `family`, and raises `UnsupportedType` for any exception of it."""

    def read(annotation: Any, reader: TypeReader) -> Codec | None:
        try:
            return _check_codec(family(annotation, reader))
        except UnsupportedType:
            raise
        except Exception as error:  # foreign code: a mistake in an extension costs the tools that need it, and no other
            failed = FailedEntryPoint(found=extension, error=error, traceback="")
            raise UnsupportedType(
                f"{show_type(annotation)}: the extension {extension.label} fails to read it: {failed.reason}; {failed.advice}"
            ) from error

    return read


def _check_codec(codec: object) -> Codec | None:
    """Return `codec` if it is a `Codec` or None.

    Raises:
        TypeError: It is something else.
    """
    if codec is None or isinstance(codec, Codec):
        return codec
    raise TypeError(f"a family returns a Codec or None, not a {type(codec).__name__}")

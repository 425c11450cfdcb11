"""Which hooks may an extension implement, and what is each given? One function a hook; its name begins with `fc_`.

A hook is added when a package of this repository needs it.

MERGED: What reads the types of an extension, or says why nothing does? Families, which fail with the extension's name, and fail alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pluggy

from fcregistry.discovery._report import FailedExtension
from fcregistry.types import Codec, UnsupportedType
from fcregistry.types._codec import show_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool
    from fcregistry.discovery._found import FoundExtension
    from fcregistry.execution._approval import Deny
    from fcregistry.types._reader import Family, TypeReader

# --- discovery._hookspecs ---

PROJECT: Final = "fcregistry"
"""The name that pluggy knows specs and implementations by."""

hookimpl: Final = pluggy.HookimplMarker(PROJECT)
hookspec: Final = pluggy.HookspecMarker(PROJECT)


@hookspec
def fc_register_types(types: TypeFamilies) -> None:
    """Add the families that read the types of a package.

    Called once, before the first schema that needs it: when an annotation that nothing else reads is of the top-level module that the
    entry point is named after.

    Args:
        types: Takes the families, by `types.add(family)`.
    """


@hookspec(firstresult=True)
def fc_resolve_model(name: str) -> object:
    """Return the model of a name.

    Called each time that a model is asked for whose prefix is the name of the entry point: the extension `llama` is asked for `smollm2` where
    somebody wants `llama:smollm2`. What takes long, such as loading the model, is better done when it is first asked something. An error of
    `fcregistry.errors` that it raises reaches whoever asked as it is, with what to do; any other is told as the extension's.

    Args:
        name: What stands after the prefix and its colon; not empty.

    Returns:
        A `fcregistry.models.Model`, or None where there is none of that name.
    """


@hookspec(firstresult=True)
def fc_before_call(tool: Tool, call: ToolCall) -> ToolCall | Deny | None:
    """Have a word before a call that is valid is approved and run.

    Called only where an executor, or `FCREGISTRY_CALL_HOOKS`, names the extension; in the order in which they are named, until one denies.
    A plain function, which is not to wait for long. Whatever it raises refuses the call.

    Args:
        tool: The tool that would run.
        call: The call: its name, its validated arguments as a JSON object, its id. A copy.

    Returns:
        None to go on; a `ToolCall` of the same tool with other arguments, which are validated in their turn; or `Deny("why")`.
    """


@hookspec(firstresult=True)
def fc_after_call(tool: Tool, call: ToolCall, result: ToolResult) -> ToolResult | Deny | None:
    """Have a word after a call, whatever came of it: also when it was denied, or failed.

    Called in the order opposite to `fc_before_call`. Whatever it raises withholds the result.

    Args:
        tool: The tool.
        call: The call as it ran, or would have. A copy.
        result: What came of it, as the hooks before left it.

    Returns:
        None to leave the result; another `ToolResult` of the same call; or `Deny("why")`, which withholds it.
    """


def hook_names() -> tuple[str, ...]:
    """Return the names of all hooks, sorted."""
    return tuple(sorted(name for name, value in globals().items() if hasattr(value, f"{PROJECT}_spec")))


# --- discovery._families ---


class TypeFamilies:
    """Collects what an extension reads annotations with."""

    def __init__(self) -> None:
        self._families: list[Family] = []

    def add(self, family: Family) -> None:
        """Have a family of types asked for annotations that no built-in one reads.

        Args:
            family: A function of the annotation and the `TypeReader`, which reads annotations inside it. Returns the `Codec` of an
                annotation that it knows, else None. May raise `UnsupportedType` with what to write instead.

        Raises:
            TypeError: It is no function.
        """
        _check_family(family)
        self._families.append(family)

    def __iter__(self) -> Iterator[Family]:
        """Yield the families in the order in which they were added, which is that in which they are asked."""
        return iter(self._families)


def _check_family(family: object) -> None:
    if isinstance(family, type):
        raise TypeError(
            f"types.add takes a function (annotation, reader) -> Codec | None, not the class {family.__qualname__}"
        )
    if not callable(family):
        raise TypeError(
            f"types.add takes a function (annotation, reader) -> Codec | None, not a {type(family).__name__}"
        )


def refusing(which: str, why: str) -> Family:
    """Return a family that reads nothing, and says which extension would, and why it does not."""

    def refuse(annotation: Any, reader: TypeReader) -> Codec | None:
        raise UnsupportedType(f"{show_type(annotation)} is read by {which}, {why}")

    return refuse


def guarded(family: Family, extension: FoundExtension) -> Family:
    """Return a family whose mistakes are told as problems of the annotation, with the name of the extension."""

    def read(annotation: Any, reader: TypeReader) -> Codec | None:
        try:
            return _checked(family(annotation, reader))
        except UnsupportedType:
            raise
        except Exception as error:  # foreign code: a mistake in an extension costs the tools that need it, and no other
            failed = FailedExtension(extension=extension, error=error, traceback="")
            raise UnsupportedType(
                f"{show_type(annotation)}: the extension {extension.label} fails to read it: {failed.reason}; {failed.advice}"
            ) from error

    return read


def _checked(codec: object) -> Codec | None:
    if codec is None or isinstance(codec, Codec):
        return codec
    raise TypeError(f"a family returns a Codec or None, not a {type(codec).__name__}")

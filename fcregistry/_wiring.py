"""The wiring: fills the slots of `_base.slots`, through which lower rooms reach higher ones.

Each function imports its room when it is called, so that importing this module is cheap.
"""

from __future__ import annotations

from fcregistry._base import slots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fcregistry._tools.tool import Tool
    from fcregistry.discovery import Discovery
    from fcregistry.execution import CallHooks
    from fcregistry.types import Codec, Family


def _discovery() -> Discovery:
    """Return the process's discovery, imported at the first call."""
    from fcregistry.discovery import current

    return current()


def _registered_tool(canonical_id: str, name: str, description: str | None = None) -> Tool:
    """Return the registered tool `canonical_id`, renamed to `name`, for unpickling.

    With a `description`, that replaces its own.

    Raises:
        ToolNotFoundError: No tool has this id.
    """
    from fcregistry._registry import registry

    tool = registry.get(canonical_id).renamed(name)
    return tool if description is None else tool.described(description)


def _describe_tool(tool: Tool, format_name: str, strict: bool, recursion: Any) -> Any:
    """Return the definition of `tool` in the format `format_name`, as `Tool.definition` does."""
    from fcregistry.formats import get

    return get(format_name).describe_one(tool, strict=strict, recursion=recursion)


def _codec_of_class(cls: type) -> Codec | None:
    """Return the codec of a class, or of its nearest base class that has one; None if none has.

    None, too, for a subclass of `enum.Flag`.
    """
    from fcregistry.types import codec_of_class

    return codec_of_class(cls)


def _families_of_extensions(module: str) -> tuple[Family, ...]:
    """Return the families of types of the extension for the top-level `module`; empty without one.

    If the extension cannot be used, its family refuses every annotation.
    """
    return _discovery().extensions.families(module)


def _call_hooks(given: object) -> CallHooks | None:
    """Return the hooks that the configuration and `given` name; None if they name none.

    If an extension that they name cannot be used, the hooks refuse every call.

    Args:
        given: A name of an extension, an object with hooks, or a list of these.

    Raises:
        TypeError: An object in `given` is not a hook.
    """
    from fcregistry._config.settings import call_hook_items

    if isinstance(given, (list, tuple)) and not given and not call_hook_items():
        return None  # without importing discovery
    return _discovery().extensions.call_hooks(given)


def _resolve_model(prefix: str, name: str) -> object | None:
    """Return the model `prefix:name` of an extension, or None if no extension has the name `prefix`.

    Raises:
        ModelNotFoundError: The extension cannot be used, has no such model, or its hook fails.
    """
    return _discovery().extensions.resolve_model(prefix, name)


def _model_prefixes() -> tuple[str, ...]:
    """Return the names of enabled extensions that may provide models, sorted."""
    return _discovery().extensions.prefixes()


def _pattern_matcher(pattern: str) -> Any:
    """Return a function that returns whether a string has a match of `pattern`, in linear time.

    Raises:
        SchemaError: The linear-time engine is not installed, or does not support the pattern.
    """
    from fcregistry._schema.engine_rs import matcher

    return matcher(pattern)


slots.discovery = _discovery
slots.registered_tool = _registered_tool
slots.describe_tool = _describe_tool
slots.codec_of_class = _codec_of_class
slots.families_of_extensions = _families_of_extensions
slots.call_hooks = _call_hooks
slots.pattern_matcher = _pattern_matcher
slots.resolve_model = _resolve_model
slots.model_prefixes = _model_prefixes

"""Which hooks may an extension implement, and what is each given? One function a hook; its name begins with `fc_`.

A hook is added when a package of this repository needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pluggy

if TYPE_CHECKING:
    from fcregistry.discovery._families import TypeFamilies

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


def hook_names() -> tuple[str, ...]:
    """Return the names of all hooks, sorted."""
    return tuple(sorted(name for name, value in globals().items() if hasattr(value, f"{PROJECT}_spec")))

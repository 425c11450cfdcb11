"""Package attributes whose modules are imported on first use (PEP 562)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def lazy_names(namespace: dict[str, Any], modules: Mapping[str, tuple[str, ...]]) -> None:
    """Give a package a `__getattr__` and a `__dir__`, which import names on first use.

    Type checkers do not see them, so they find misspelt names of the package.

    Args:
        namespace: The package's globals, with `__all__`. A name in it that no module defines is a module of the package.
        modules: Module -> the names that it defines. The module's name is absolute, or relative to the package and begins with a dot.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        """Return the package's attribute `name`, imported on first use and stored in the package's globals."""
        if name not in homes and name not in namespace["__all__"]:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        from importlib import import_module  # not needed before the first name is

        module = import_module(homes.get(name, f".{name}"), namespace["__name__"])
        value = namespace[name] = getattr(module, name) if name in homes else module
        return value

    def names() -> list[str]:
        """Return the names of the package, imported or not, sorted."""
        return sorted({*namespace, *namespace["__all__"]})

    namespace |= {"__getattr__": find, "__dir__": names}

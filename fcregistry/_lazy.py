"""Package attributes whose modules are imported on first use (PEP 562)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def lazy_names(namespace: dict[str, Any], homes: Mapping[str, str]) -> None:
    """Give a package a `__getattr__` and a `__dir__`, which import names on first use.

    Type checkers do not see them, so they find misspelt names of the package.

    Args:
        namespace: The package's globals, with `__all__`.
        homes: Name -> the module that defines it: an absolute name, or one relative to the package that begins with a dot.
    """

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {namespace['__name__']!r} has no attribute {name!r}")
        from importlib import import_module  # not needed before the first name is

        value = getattr(import_module(homes[name], namespace["__name__"]), name)
        namespace[name] = value
        return value

    def names() -> list[str]:
        return sorted({*namespace, *namespace["__all__"]})

    namespace |= {"__getattr__": find, "__dir__": names}

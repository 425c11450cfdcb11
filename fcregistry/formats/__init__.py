"""How do providers want tools described, how do they ask for calls, and how are results reported to them?

`get(name)` gives a `Format`; `names()` lists them. A new format is one file in this folder, one row in `_table.py`, one test, and one row of
docs/reference/formats.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._table import get, names

if TYPE_CHECKING:
    from fcregistry.formats._core import Format
    from fcregistry.formats._definition import Definition, Dropped, TextDefinition
    from fcregistry.formats._messages import read_calls
    from fcregistry.formats._reading import MalformedCallError, read_call

__all__ = [
    "Definition",
    "Dropped",
    "Format",
    "MalformedCallError",
    "TextDefinition",
    "get",
    "names",
    "read_call",
    "read_calls",
]

# Public name -> the module it lives in, imported when it is used: to list tools, none is needed.
_HOMES: Final = {
    "Definition": "_definition",
    "Dropped": "_definition",
    "Format": "_core",
    "MalformedCallError": "_reading",
    "TextDefinition": "_definition",
    "read_call": "_reading",
    "read_calls": "_messages",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

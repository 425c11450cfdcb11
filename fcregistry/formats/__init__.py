"""How do providers want tools described, how do they ask for calls, and how are results reported to them?

`get(name)` gives a `Format`; `names()` lists them. A new format is one file in this folder, one row in `_table.py`, one test, and one row of
docs/reference/formats.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.formats._format import Format
    from fcregistry.formats._node import Definition, Dropped, TextDefinition
    from fcregistry.formats._read import MalformedCallError, read_call, read_calls
    from fcregistry.formats._table import get, names

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
    "Definition": "._node",
    "Dropped": "._node",
    "Format": "._format",
    "MalformedCallError": "._read",
    "TextDefinition": "._node",
    "get": "._table",
    "names": "._table",
    "read_call": "._read",
    "read_calls": "._read",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

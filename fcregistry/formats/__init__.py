"""Wire formats of providers: how tools are described, calls read and results reported.

`get(name)` returns a `Format`; `names()` lists them. A new format is a file in this folder, a row in `_table.py`, a test, and a row of
the page "Formats".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.formats._definitions import tools_of as tools_of
    from fcregistry.formats._format import Format
    from fcregistry.formats._format import RenderInput as RenderInput
    from fcregistry.formats._format import base64_of as base64_of
    from fcregistry.formats._format import data_url as data_url
    from fcregistry.formats._format import tool_description as tool_description
    from fcregistry.formats._node import Definition, Dropped, TextDefinition
    from fcregistry.formats._read import MalformedCallError, read_call, read_calls
    from fcregistry.formats._read import format_of_call as format_of_call
    from fcregistry.formats._read import is_absent as is_absent
    from fcregistry.formats._read import is_like_arguments as is_like_arguments
    from fcregistry.formats._read import read_field as read_field
    from fcregistry.formats._table import get, names
    from fcregistry.formats._table import wire_names as wire_names
    from fcregistry.formats._transform import OnRecursion as OnRecursion

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

# Public name -> its module, imported when the name is used: listing tools needs none.
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

# Used by other rooms; not public.
_FOR_OTHER_ROOMS: Final = {
    "OnRecursion": "._transform",
    "RenderInput": "._format",
    "base64_of": "._format",
    "data_url": "._format",
    "format_of_call": "._read",
    "is_absent": "._read",
    "is_like_arguments": "._read",
    "read_field": "._read",
    "tool_description": "._format",
    "tools_of": "._definitions",
    "wire_names": "._table",
}

lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})

"""How do providers want tools described, how do they ask for calls, and how are results reported to them?

`get(name)` gives a `Format`; `names()` lists them. A new format is one file in this folder, one row in `_table.py`, one test, and one row of
docs/reference/formats.md.
"""

from fcregistry.formats._core import Format
from fcregistry.formats._definition import Definition, Dropped, TextDefinition
from fcregistry.formats._messages import read_calls
from fcregistry.formats._reading import MalformedCallError, read_call
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

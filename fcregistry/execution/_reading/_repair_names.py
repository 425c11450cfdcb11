"""Which repairs of a model's arguments are there, and which of them does an executor allow?"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Final

REPAIRS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "comments": "comments (`//`, `#`, `/* */`) are left out",
        "empty-arguments": "empty text and `null` are taken as no arguments",
        "explicit-null": "`null` for what may be left out, and takes no `null`, is taken as left out",
        "fences": "a Markdown code fence around the arguments is left out",
        "python-literals": "`True`, `False` and `None` are taken as `true`, `false` and `null`",
        "raw-control-characters": "line ends, tabs and other control characters in a string are taken as escaped",
        "single-quotes": "strings in single quotes are taken as strings, and `\\'` as a single quote",
        "trailing-commas": "a comma after the last item or property is left out",
        "unquoted-names": "names of properties without quotes are taken as quoted",
        "wrapped-json": "JSON text in a string is taken as the array or object, where one is due and no string",
    }
)
"""What each repair does, by its name."""

ALL_REPAIRS: Final = frozenset(REPAIRS)


def allowed_repairs(given: bool | Collection[str]) -> frozenset[str]:
    """Return the names of the repairs that are allowed.

    Args:
        given: True for all, False for none, or the names of some.

    Raises:
        ValueError: A name that no repair has.
        TypeError: Something that is no collection of names.
    """
    if isinstance(given, bool):
        return ALL_REPAIRS if given else frozenset()
    if isinstance(given, str) or not isinstance(given, Collection):
        raise TypeError(f"repairs is True, False or a collection of names such as {{'comments'}}, not {given!r}")
    unknown = sorted(repr(name) for name in given if name not in ALL_REPAIRS)
    if unknown:
        raise ValueError(f"there is no repair {unknown[0]}; the repairs are {', '.join(REPAIRS)}")
    return frozenset(given)

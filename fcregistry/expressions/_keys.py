"""Which keys may a dict have that is written out, and which items a set?"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any, Final

from fcregistry.expressions._encoding import key_in_json
from fcregistry.expressions._placeholders import is_known
from fcregistry.types import EncodingError

MOST_HASHED: Final = 1_000
"""How many there may be that are no texts: numbers can be chosen so that Python compares each of them with each."""


def are_too_many(nodes: Sequence[ast.expr | None]) -> bool:
    """Tell whether keys, or items, are so many that who chose them can make it take long to find them again."""
    return len(nodes) > MOST_HASHED and not all(
        isinstance(each, ast.Constant) and isinstance(each.value, str) for each in nodes
    )


class Keys:
    """The keys of one dict. JSON has texts for them, so `1` and `"1"` are one."""

    def __init__(self) -> None:
        self._keys: set[Any] = set()
        self._texts: set[str] = set()

    def take(self, key: Any) -> bool:
        """Take the next key, and tell whether it is another than those before it.

        Raises:
            TypeError: It cannot be a key.
        """
        text = self._in_json(key)
        is_new = key not in self._keys and text not in self._texts
        self._keys.add(key)
        if text is not None:
            self._texts.add(text)
        return is_new

    @staticmethod
    def _in_json(key: Any) -> str | None:
        """Return what a key is in JSON, where that is known already."""
        hash(key)
        try:
            return key_in_json(key) if is_known(key) else None
        except EncodingError:
            return None

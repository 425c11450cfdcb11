"""Which pieces of text may change anything? Most cannot, and are laid by without a look at what came before them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final


def _always(_: str) -> bool:
    return True


class Wake:
    """Which pieces of text a reader waits for: those that hold a sign, and in which a search finds something.

    Args:
        sign: The sign. It is looked for first, as that is fastest; any piece holds an empty one.
        search: The search; by default it finds something in any piece.
    """

    __slots__ = ("search", "sign")

    def __init__(self, sign: str = "", search: Callable[[str], object] = _always) -> None:
        self.sign = sign
        self.search = search


EVERY: Final = Wake()
"""Every piece may change something."""


def matching(pattern: str) -> Wake:
    """Return what waits for what a pattern of one character matches."""
    return Wake(search=re.compile(pattern).search)


NEVER: Final = matching("(?!)")
"""Nothing changes anything before the end."""


def one_of(characters: Iterable[str]) -> Wake:
    """Return what waits for any of some characters."""
    signs = "".join(sorted(set(characters)))
    return Wake(signs) if len(signs) == 1 else matching(f"[{re.escape(signs)}]")


def going_on(texts: tuple[str, ...], begun: str) -> Wake | None:
    """Return what waits until it is told which of some texts it is that has begun, if it is any; None where it is told that none has.

    Args:
        texts: The texts.
        begun: All that is there of one.
    """
    if max(map(len, texts)) > _LONGEST:
        return EVERY if any(len(text) > len(begun) and text.startswith(begun) for text in texts) else None
    undecided = _beginnings(texts)
    if begun not in undecided:
        return None

    def search(piece: str) -> bool:
        nonlocal begun
        begun += piece
        return begun not in undecided

    return Wake(search=search)


_LONGEST: Final = 64
"""Characters of a text whose beginnings are kept: that of any mark, but not of any text that a model takes for one."""


@lru_cache(maxsize=256)
def _beginnings(texts: tuple[str, ...]) -> frozenset[str]:
    """Return what may go on as one of some texts: their proper beginnings, of which one is empty."""
    return frozenset(text[:end] for text in texts for end in range(len(text)))

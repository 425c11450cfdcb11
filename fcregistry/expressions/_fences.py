"""Which part of what a model says is an expression, where it stands in code fences?"""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(r"^[^\S\n]*```", re.MULTILINE)


def unfenced(text: str) -> str:
    """Return a text without the code fence around it, if there is one; it may lack its end, where a model stopped at it.

    One that is all of a line's code, `f(1)` between two backticks, is that code.
    """
    plain = _plain(text)
    opening, _, fenced = plain.partition("\n")
    language = opening[3:].strip()
    if not opening.startswith("```") or not (language == "" or language.isidentifier()):
        return plain[1:-1].strip() if plain[:1] == plain[-1:] == "`" and plain.count("`") == 2 else plain
    return fenced.removesuffix("```").strip()


def fenced_last(text: str) -> str:
    """Return what stands in the code fence that a text ends with, whatever words stand before it; empty for a text that ends otherwise."""
    pieces = _FENCE.split(_plain(text))
    if len(pieces) % 2 and pieces[-1]:  # words
        return ""
    return unfenced(f"```{pieces[-1] or pieces[-2]}") if len(pieces) > 1 else ""


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()

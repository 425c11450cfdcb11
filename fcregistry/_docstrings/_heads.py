"""What does the head of an entry name, before its text? `limits (dict[str, int], optional): text` and its like."""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r"""[()\[\]{}:\n]|"[^"\s]*"|'[^'\s]*'""")  # an apostrophe in prose begins no quotation
_NAME: Final = re.compile(r"[^\W\d][\w.-]*")


def cut_at_colon(text: str) -> tuple[str, str] | None:
    """Return what stands before and after the first colon outside brackets and quotations, or None if its line has none.

    A line may end within brackets: the head goes on in the next one.
    """
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("(", "[", "{"):
            depth += 1
        elif sign in (")", "]", "}"):
            depth = max(depth - 1, 0)
        elif depth == 0 and sign == ":":
            return text[: token.start()], text[token.end() :]
        elif depth == 0 and sign == "\n":
            return None
    return None


def names_in(text: str) -> list[str]:
    r"""Return the names in `x`, `x, y`, `**kwargs`, `\*args`, `my\_name`, `'x'` or one in backticks, bare; none if it is anything else."""
    if text.isidentifier():
        return [text]
    names = [name.replace("\\", "").strip(" -+•*`'\"") for name in text.split(",")]
    if names[-1] == "..." and len(names) > 1:  # `a1, a2, ...`
        names.pop()
    return names if all(_NAME.fullmatch(name) for name in names) else []


def type_in(text: str) -> str | None:
    """Return a type without what follows it of being optional or of defaults, or None if nothing else is said."""
    if not text:
        return None
    type_ = " ".join(text.split())
    for marker in (", optional", ",optional", ", default"):
        type_ = type_.partition(marker)[0]
    return None if type_ in ("", "optional") else type_

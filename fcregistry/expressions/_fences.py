"""Which part of what a model says is an expression, where it stands in a code fence?"""

from __future__ import annotations


def unfenced(text: str) -> str:
    """Return a text without the code fence around it, if there is one; it may lack its end, where a model stopped at it."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    opening, _, fenced = plain.partition("\n")
    language = opening[3:].strip()
    if not opening.startswith("```") or not (language == "" or language.isidentifier()):
        return plain
    return fenced.removesuffix("```").strip()

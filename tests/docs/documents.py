"""The documents, and the blocks in each.

A block is a fence with a language. Every language has a row in ``LANGUAGES`` that says what is done with its blocks; a
block in another language, or in none, fails the test of its document, so that no example escapes by a typing error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Literal, TypeAlias

from sybil import Document
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

ROOT = Path(__file__).resolve().parents[2]

Treatment: TypeAlias = Literal["execute", "session", "commands", "parse", "show"]

#: What is done with a block of each language. A new language is one row here.
LANGUAGES: dict[str, Treatment] = {
    "python": "execute",
    "pycon": "session",
    "console": "commands",
    "toml": "parse",
    "json": "show",
    "mermaid": "show",
    "text": "show",
}

FENCE = re.compile(r"(?P<language>[^\n]*)\n")
FILE_COMMENT = re.compile(r"# file: (?P<name>\S+)\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One fenced example: its language, its text, and where its first line of text stands."""

    document: Path
    line: int
    language: str
    source: str

    @property
    def file(self) -> str | None:
        """The file that the block is to be written to, if its first line says ``# file: NAME``."""
        named = FILE_COMMENT.match(self.source)
        return named["name"] if named else None

    def __str__(self) -> str:
        """The place, as an editor understands it."""
        return f"{self.document.relative_to(ROOT) if self.document.is_relative_to(ROOT) else self.document}:{self.line}"


def documents() -> list[Path]:
    """Return README.md and every page below docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(path: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a document, in order."""
    document = Document(path.read_text(encoding="utf-8"), str(path))
    for region in sorted(RawFencedCodeBlockLexer(FENCE)(document), key=attrgetter("start")):
        yield Block(
            document=path,
            line=document.text.count("\n", 0, region.start) + 2,
            language=region.lexemes["language"].strip(),
            source=region.lexemes["source"],
        )

"""Which words is a text made of, as search compares them?

Names are taken apart: `getHTTPResponse_v2` is get, http, response and v2, and `gethttpresponsev2`. Letters are compared without case and accents.
Scripts that put no space between words (Chinese, Japanese, Korean, Thai, …) are taken in pairs of characters.
What comes out holds letters and digits only, whatever went in, so that no word means anything to the language of queries.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LONGEST_WORD: Final = 64
"""Characters after which a word is cut."""

# Compiled by `re` when they are first used, which a command that is asked once does not do with all of them.
_NAME_PARTS: Final = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+"
_NOT_IN_WORDS: Final = r"[^A-Za-z0-9_-]"
_SPACED: Final = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_-")}
_ACCENT: Final = "[\u0300-\u036f]"
_UNSPACED: Final = (
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
)

STOP_WORDS: Final = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "do", "does", "for", "from", "has", "have"),
        *("how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "please", "should"),
        *("so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "us"),
        *("was", "we", "what", "when", "where", "which", "who", "will", "with", "would", "you", "your"),
    )
)
"""Words of questions that say nothing of a tool."""


class Term(NamedTuple):
    """One word as somebody wrote it.

    Attributes:
        whole: All of it as one word: `getweather` of `get_weather`. Empty in scripts without spaces.
        parts: The words that it is made of; the word alone if it is made of one.
        is_pair: Whether the parts are pairs of characters of a script without spaces, which begin nothing longer.
    """

    whole: str
    parts: tuple[str, ...]
    is_pair: bool = False


def terms(text: str) -> Iterator[Term]:
    """Yield the words of a text, in order."""
    for chunk in _plain(text).split():
        for place, run in enumerate(re.split(_UNSPACED, chunk) if not chunk.isascii() else (chunk,)):
            if place % 2:
                yield Term("", tuple(_pairs(run)), is_pair=len(run) > 1)
            elif parts := _parts(run):
                yield Term("".join(parts)[:LONGEST_WORD], tuple(part[:LONGEST_WORD] for part in parts))


def indexed(text: str) -> str:
    """Return the words of a text as they are written into the table, with a space between them."""
    if not text.isascii():
        return " ".join(_written(terms(text)))
    chunks = text.translate(_SPACED).split()
    return " ".join(
        filter(None, [_indexed(each) if len(each) <= LONGEST_WORD else _taken_apart(each) for each in chunks])
    )


def _taken_apart(run: str) -> str:
    """Return the words in a run of ASCII letters, digits, `_` and `-`, as `_written` does."""
    parts = _parts(run)
    whole = ("".join(parts),) if len(parts) > 1 else ()
    return " ".join([each[:LONGEST_WORD] for each in (*parts, *whole)])


_indexed = lru_cache(maxsize=8_192)(_taken_apart)
"""The same, kept: every word of every tool is asked for, and most of them are said of many."""


def _written(found: Iterable[Term]) -> Iterator[str]:
    for term in found:
        yield from term.parts
        if not term.whole:
            yield term.parts[-1][-1]  # so that each character begins a word
        elif len(term.parts) > 1:
            yield term.whole


def asked(text: str, at_most: int) -> list[Term]:
    """Return the words of a query, each once, without those that say nothing; of a query of such words alone, all."""
    found: dict[Term, None] = {}
    empty: dict[Term, None] = {}
    for term in terms(text):
        (empty if term.whole in STOP_WORDS else found)[term] = None
        if len(found) == at_most:
            break
    return list(found or empty)[:at_most]


def _plain(text: str) -> str:
    """Return a text with a space for all that stands in no word, and without accents."""
    if text.isascii():
        return re.sub(_NOT_IN_WORDS, " ", text)
    from unicodedata import category, normalize  # rarely needed

    decomposed = re.sub(_ACCENT, "", normalize("NFKD", text))
    kept = (
        each if each.isalnum() or each in "_-" or category(each)[0] == "M" else " "
        for each in normalize("NFC", decomposed)
    )
    return "".join(kept)


def _parts(run: str) -> list[str]:
    """Return the words in a run of letters, digits, `_` and `-`: a name, or a word of prose."""
    if run.isascii():
        if run.isalpha() and run.islower():  # as most are
            return [run]
        return [
            word.lower() for piece in re.split("[_-]+", run) for word in _joined_digits(re.findall(_NAME_PARTS, piece))
        ]
    return [piece.casefold() for piece in re.split("[_-]+", run) if piece]


def _joined_digits(parts: list[str]) -> list[str]:
    """Put short mixes of letters and digits together again: s3, mp3, h264, 3d, utf8 are words of their own."""
    joined: list[str] = []
    for part in parts:
        if joined and (part.isdigit() or (joined[-1].isdigit() and len(part) == 1)) and len(joined[-1]) <= 4:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]

"""What do sections in Google style say?

They are read here and not by docstring_parser, which drops every parameter if one line has no colon, keeps the last of two `Args:`, ends a
type at a colon inside it, does not know `Keyword Args:` or `Other Parameters:`, and takes cubic time for a line of brackets.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from fcregistry._docstrings._heads import cut_at_colon, names_in, type_in
from fcregistry._docstrings._lines import indentation, joined, text_after

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry._docstrings._said import Said
    from fcregistry._docstrings._sections import Section

# `name: text`, `name (type): text`, and as in PEP 257 `name -- text`, after a bullet or not; for other heads there is `cut_at_colon`.
_PLAIN: Final = re.compile(r" *(?:[-*+•] +)?([^\s:(,]+)(?:\s*\(([^()]*)\))? *(?::|(?<= )--? )")


def read_google(section: Section, said: Said) -> None:
    """Note what a section says: entries of names, or the text about a result."""
    if section.kind in ("returns", "yields"):
        said.describe_result(section.kind, _result(joined(section.lines)))
        return
    for entry in _entries(section.lines):
        head = _head("\n".join(entry) if len(entry) > 1 else entry[0])
        if head is None:
            said.cannot_read(entry[0].strip())
        else:
            names, type_, text = head
            said.describe(section.kind, names, text_after(text), type_)


def _entries(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each entry: an entry begins at a line that is indented no more than the first that reads as one.

    A malformed line is an entry of its own, which takes no other with it. Bullets among entries without are text of the one above.
    """
    level = _level(lines)
    entry: list[str] = []
    bulleted = False
    for line in lines:
        bare = line.lstrip()
        begins = len(line) - len(bare) <= level and (bulleted or not _is_bullet(bare))
        if bare and (begins or not entry):
            if entry:
                yield entry
            else:
                bulleted = _is_bullet(bare)
            entry = [bare]
        elif entry:
            entry.append(line)
    if entry:
        yield entry


def _level(lines: list[str]) -> int:
    """Return the indentation of the first entry that can be read, or of the first line if none can."""
    first = lines[0] if lines and lines[0] else next((line for line in lines if line), "")
    plain = _PLAIN.match(first)
    if (plain is None or not plain[1].isidentifier()) and _head(first) is None:
        written = [line for line in lines if line]
        alone = next((place for place, line in enumerate(written) if _head(line) is not None), 0)
        text = "\n".join(written)
        head = _head(text)  # its type may go on in the lines below, if none of these is an entry
        if alone and (head is None or text.count("\n") - head[2].count("\n") >= alone):
            return indentation(written[alone])
    return indentation(first)


def _is_bullet(line: str) -> bool:
    return line[:2] in ("- ", "* ", "+ ", "• ")


def _head(text: str) -> tuple[list[str], str | None, str] | None:
    """Return the names, the type and the text of an entry `name (type): text`, or None if it is none."""
    if plain := _PLAIN.match(text):
        written, type_ = plain.groups("")
        rest = text[plain.end() :]
        if not type_ and written.isidentifier():  # as most are
            return [written], None, rest
    elif parts := cut_at_colon(text):
        written, bracket, type_ = parts[0].partition("(")
        if bracket and not type_.rstrip().endswith(")"):
            return None
        type_, rest = type_.rstrip()[:-1], parts[1]
    else:
        return None
    names = names_in(written)
    return (names, type_in(type_), rest) if names else None


def _result(text: str) -> str:
    """Return the text about a result without the type before it: `dict[str, int]: text`."""
    parts = cut_at_colon(text)
    if parts is None or not _is_type(parts[0]) or parts[1].startswith("//"):  # `https:` is no type
        return text
    return text_after(parts[1])


def _is_type(text: str) -> bool:
    """Tell a type from words of a sentence: outside its brackets it is one word, or several with `|` between."""
    outside = text.partition("[")[0] + text.rpartition("]")[2] if "[" in text else text
    return text != "" and " " not in " ".join(outside.split()).replace(" | ", "|")

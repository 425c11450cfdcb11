"""Where do the sections of a docstring begin and end? What is left between them is prose.

Every section is found by itself, in whatever style it is written: `Args:` (Google), `Parameters` over a line of dashes (NumPy), a run of
`:param x:` (reST) or `@param x:` (Epydoc). No style is chosen for the docstring, so none hides the sections of another. Each function
looks at each line once.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from fcregistry._docstrings._lines import indentation

Style = Literal["google", "numpy", "fields"]

_TITLES: Final = {
    **dict.fromkeys(("Args", "Arguments", "Parameters", "Params"), "parameters"),
    **dict.fromkeys(("Keyword Args", "Keyword Arguments", "Keyword Parameters"), "parameters"),
    **dict.fromkeys(("Other Args", "Other Arguments", "Other Parameters", "Other Params"), "parameters"),
    "Attributes": "attributes",
    **dict.fromkeys(("Return", "Returns"), "returns"),
    **dict.fromkeys(("Yield", "Yields"), "yields"),
    **dict.fromkeys(("Raise", "Raises", "Except", "Exceptions", "Warns", "Example", "Examples"), "aside"),
    **dict.fromkeys(("Todo", "Todos", "Reference", "References", "See Also"), "aside"),
}
_KINDS: Final = {title.lower(): kind for title, kind in _TITLES.items()}
_HEADERS: Final = {f"{title}:" for title in (*_TITLES, "Note", "Notes", "Warning", "Warnings")}
_OF_ENTRIES: Final = ("parameters", "attributes")
FIELD: Final = re.compile(
    r"[:@](?:param|parameter|arg|argument|key|keyword|kwarg|type|returns?|rtype|yields?|ytype|raises?|except|exception"
    r"|ivar|cvar|var|vartype|attribute)\b"
)
_FIELD_OF_OTHERS: Final = re.compile(r"[:@]\w[\w ]*:(?:\s|$)")
_TOO_LONG: Final = 25  # for a title, with its colon
_FENCES: Final = ("```", "~~~")
_EVERYTHING: Final = 10**9


class Section(NamedTuple):
    """One section: the style of its header, what it is about, and the lines below its header; of fields, all lines."""

    style: Style
    kind: str
    lines: list[str]


def cut(lines: list[str]) -> tuple[list[str], list[Section]]:
    """Return the lines of prose and the sections of a docstring, each in order.

    Nothing in a fenced block is a header, nor what stands indented below a line that announces it: one that ends with a colon, or a
    directive of reST.
    """
    prose: list[str] = []
    sections: list[Section] = []
    shown = _EVERYTHING  # what is indented more than this is shown by a line above it, and says nothing by itself
    place = 0
    while place < len(lines):
        line = lines[place]
        bare = line.lstrip()
        depth = len(line) - len(bare)
        if bare and depth <= shown:
            if found := _section_at(lines, place, bare):
                section, place = found
                sections.append(section)
                if prose and prose[-1]:
                    prose.append("")  # the paragraphs before and after it stay two
                shown = _EVERYTHING
                continue
            shown = depth if bare[-1] == ":" or bare[:2] == ".." else _EVERYTHING
        end = _end_of_fence(lines, place) if bare[:3] in _FENCES else place + 1
        if bare or (prose and prose[-1]):  # one blank line is enough
            prose += lines[place:end]
        place = end
    return prose, sections


def _section_at(lines: list[str], place: int, line: str) -> tuple[Section, int] | None:
    """Return the section that begins at a line and the place after it, or None if none does."""
    if line[0] in ":@" and FIELD.match(line):
        end = _end_of_fields(lines, place)
        return Section("fields", "fields", lines[place:end]), end
    kind = _KINDS.get(line.removesuffix(":").lower()) if len(line) < _TOO_LONG else None
    if kind is None:
        return None
    if _is_underlined(lines, place):
        end = _end_of_underlined(lines, place, kind)
        return Section("numpy", kind, lines[place + 2 : end]), end
    if line[-1] == ":":
        end = _end_of_indented(lines, place, kind)
        return Section("google", kind, lines[place + 1 : end]), end
    return None


def _begins(lines: list[str], place: int) -> bool:
    """Tell whether a line within a section begins another one: here a title counts as it is usually written, as names may be like it."""
    line = lines[place].strip()
    return (
        line in _HEADERS or _is_underlined(lines, place) or (line[:1] in (":", "@") and FIELD.match(line) is not None)
    )


def _is_underlined(lines: list[str], place: int) -> bool:
    under = lines[place + 1].strip() if place + 1 < len(lines) else ""
    return len(under) >= 3 and lines[place] != "" and under in ("-" * len(under), "=" * len(under))


def _end_of_indented(lines: list[str], place: int, kind: str) -> int:
    """Return where a section of Google style ends: at a line that is indented no more than its header, or at a header among its entries."""
    margin, entries = indentation(lines[place]), -1
    in_entries = kind in _OF_ENTRIES
    for number in range(place + 1, len(lines)):
        line = lines[number]
        if not line:
            continue
        depth = len(line) - len(line.lstrip())
        if entries < 0:
            if depth == margin and number == place + 1:
                return _end_of_unindented(lines, place)
            entries = depth
        if depth <= margin or (in_entries and depth <= entries and line[-1] == ":" and line.strip() in _HEADERS):
            return number
    return len(lines)


def _end_of_unindented(lines: list[str], place: int) -> int:
    """Return where a section ends that stands right below its header, not indented: at a blank line.

    If the header is the first line, the indentation of all that follows was taken for the source's, and there is no prose to protect.
    """
    margin = indentation(lines[place])
    for number in range(place + 1, len(lines)):
        line = lines[number]
        if (not line and place > 0) or (line and indentation(line) < margin) or _begins(lines, number):
            return number
    return len(lines)


def _end_of_underlined(lines: list[str], place: int, kind: str) -> int:
    """Return where a section of NumPy style ends: at the next section or title, or where prose goes on below its entries."""
    margin = indentation(lines[place])
    end = len(lines)
    for number in range(place + 2, len(lines)):
        line = lines[number]
        if line and (indentation(line) < margin or (indentation(line) == margin and _begins(lines, number))):
            end = number
            break
    return end if kind == "aside" else _end_of_entries(lines, place + 2, end)


def _end_of_entries(lines: list[str], begin: int, end: int) -> int:
    """Return where the paragraphs begin that stand last in a section and are no entries: several words, no colon, nothing indented."""
    margin = indentation(lines[begin]) if begin < end else 0
    entries_end = end
    for number in range(end - 1, begin, -1):
        line = lines[number]
        if indentation(line) > margin:
            break
        if line and not lines[number - 1]:
            words = line.replace(", ", ",").split()
            if len(words) == 1 or ":" in words:
                break
            entries_end = number
    return entries_end


def _end_of_fields(lines: list[str], place: int) -> int:
    """Return where a run of fields ends: at a paragraph after a blank line, at another section, or at a field of another sort."""
    margin = indentation(lines[place])
    for number in range(place + 1, len(lines)):
        line = lines[number]
        if not line or indentation(line) > margin:
            continue
        bare = line.strip()
        if indentation(line) == margin and FIELD.match(bare):
            continue
        if (
            indentation(line) < margin
            or not lines[number - 1]
            or _FIELD_OF_OTHERS.match(bare)
            or _begins(lines, number)
        ):
            return number
    return len(lines)


def _end_of_fence(lines: list[str], place: int) -> int:
    """Return the place after a fenced block; after its first line if it is never closed."""
    fence = lines[place].lstrip()[:3]
    for number in range(place + 1, len(lines)):
        if lines[number].lstrip().startswith(fence):
            return number + 1
    return place + 1

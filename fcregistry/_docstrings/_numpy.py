"""What do sections in NumPy style say? As docstring_parser reads them, which knows the grammar of their entries.

It is given one section at a time, cut out and tidied: by itself it takes what follows the last entry for one more, wants a line of dashes
exactly as long as the title, and takes quadratic time for white space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._docstrings._heads import names_in, type_in
from fcregistry._docstrings._lines import indentation

if TYPE_CHECKING:
    from docstring_parser import Docstring, DocstringReturns

    from fcregistry._docstrings._said import Said
    from fcregistry._docstrings._sections import Section


def read_numpy(section: Section, said: Said) -> None:
    """Note what a section says: entries of names, or of results."""
    lines = _tidied(section.lines)
    if section.kind in ("parameters", "attributes"):
        lines = _of_names(lines, said)
    try:
        parsed = _parsed(section.kind.title(), lines)
    except Exception:  # noqa: BLE001  # foreign code: whatever it cannot read, the tool is defined all the same
        for line in lines:
            if line and not indentation(line):
                said.cannot_read(line)
        return
    for entry in parsed.params:
        said.describe(section.kind, names_in(entry.arg_name), entry.description or "", type_in(entry.type_name or ""))
    if parsed.many_returns:
        said.describe_result(section.kind, _result(parsed.many_returns))


def _parsed(title: str, lines: list[str]) -> Docstring:
    import docstring_parser  # most docstrings never need it

    text = "\n".join([title, "-" * len(title), *lines])
    return docstring_parser.parse(text, docstring_parser.DocstringStyle.NUMPYDOC)


def _tidied(lines: list[str]) -> list[str]:
    """Return a section's lines with its entries at the margin, and single spaces in these."""
    level = next((indentation(line) for line in lines if line), 0)
    bare = [line[min(level, indentation(line)) :] for line in lines]
    return [line if indentation(line) else " ".join(line.split()) for line in bare]


def _of_names(lines: list[str], said: Said) -> list[str]:
    """Return the lines of the entries that begin with a name; the others are noted as unread."""
    readable: list[str] = []
    skipping = False
    for line in lines:
        if line and not indentation(line):
            skipping = not names_in(line.partition(":")[0])
            if skipping:
                said.cannot_read(line)
        if not skipping:
            readable.append(line)
    return readable


def _result(returns: list[DocstringReturns]) -> str:
    """Return the text about a result; of several that are described, each with its name or type."""
    described = [each for each in returns if each.description]
    if len(described) == 1:
        return described[0].description or ""
    return "\n".join(f"{each.return_name or each.type_name}: {each.description}" for each in described)

"""What does a docstring say of a function, its parameters and its result?

Docstrings are data: they are parsed, never evaluated. The style is chosen here, because docstring_parser's automatic choice drops every
parameter when one line is malformed; a line that cannot be read is left out, and said.
"""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import TYPE_CHECKING, Final, NamedTuple

from docstring_parser import DocstringStyle, ParseError, parse

if TYPE_CHECKING:
    from docstring_parser import Docstring


class DocumentedParameter(NamedTuple):
    """What a docstring says of one parameter: its name without stars, its text, and its type as text."""

    name: str
    description: str
    type: str | None


class Documentation(NamedTuple):
    """What a docstring says.

    Attributes:
        summary: The first paragraph, as one line.
        description: The summary and all that stands before the first section.
        parameters: Name -> what is said of it.
        returns: What is said of the result.
        unread: Lines that could not be read as part of their section.
    """

    summary: str
    description: str
    parameters: dict[str, DocumentedParameter]
    returns: str | None
    unread: tuple[str, ...]


_SECTIONS = "Args|Arguments|Parameters|Params|Keyword Args|Keyword Arguments|Other Parameters|Attributes|Returns|Yields|Raises|Examples?"
_STYLES: Final = (
    (
        re.compile(
            r"^\s*(Parameters|Returns|Yields|Raises|Other Parameters|Attributes)\s*\n\s*-{3,}\s*$", re.MULTILINE
        ),
        DocstringStyle.NUMPYDOC,
    ),
    (re.compile(rf"^\s*({_SECTIONS}):\s*$", re.MULTILINE), DocstringStyle.GOOGLE),
    (
        re.compile(r"^\s*:(param|parameter|arg|argument|type|returns?|rtype|raises?)\b[^:\n]*:", re.MULTILINE),
        DocstringStyle.REST,
    ),
    (re.compile(r"^\s*@(param|type|return|rtype|raise)\b[^:\n]*:", re.MULTILINE), DocstringStyle.EPYDOC),
)
_HEADER: Final = re.compile(rf"({_SECTIONS}):\s*")
_NOTHING = Documentation("", "", {}, None, ())


def read_docstring(text: str | None) -> Documentation:
    """Return what a docstring says, in Google, NumPy, reST or Epydoc style.

    Args:
        text: A docstring as it stands in the source, or None.
    """
    if not text or not text.strip():
        return _NOTHING
    cleaned = _with_indented_section(cleandoc(text))
    style = next((style for pattern, style in _STYLES if pattern.search(cleaned)), None)
    if style is None:  # no section at all: nothing to parse
        return Documentation(_one_line(cleaned.split("\n\n", 1)[0]), cleaned, {}, None, ())
    parsed, unread = _parse(cleaned, style)
    if parsed is None:
        return Documentation(_one_line(cleaned.split("\n\n", 1)[0]), cleaned, {}, None, unread)
    return _documentation(parsed, unread)


def _with_indented_section(text: str) -> str:
    """Give a docstring that is one section, such as `Args:`, the indentation that `cleandoc` takes from it."""
    first, *others = text.split("\n")
    if not _HEADER.fullmatch(first) or not others or _indentation(others[0]):
        return text
    return "\n".join([first, *(f"    {line}" for line in others)])


def _parse(text: str, style: DocstringStyle) -> tuple[Docstring | None, tuple[str, ...]]:
    """Parse a docstring; where docstring_parser stumbles, without the entries that it cannot read."""
    try:
        return _parsed(text, style), ()
    except ParseError:
        readable, unread = _without_unreadable(text, style)
    try:
        return _parsed(readable, style), unread
    except ParseError:
        return None, unread


def _parsed(text: str, style: DocstringStyle) -> Docstring:
    return parse(f"\n{text}", style)  # its own `cleandoc` takes the indentation of what follows the first line


def _without_unreadable(text: str, style: DocstringStyle) -> tuple[str, tuple[str, ...]]:
    """Return a docstring without the entries that cannot be read by themselves, and the first line of each."""
    lines: list[str] = []
    unread: list[str] = []
    for header, entries in _sections(text, style):
        kept = [entry for entry in entries if _reads(f"{header}\n{entry}", style)]
        lines += [header, *kept] if kept and header else kept
        unread += [entry.strip().split("\n", 1)[0] for entry in entries if entry not in kept]
    return "\n".join(lines), tuple(line for line in unread if line.rstrip(".") != "None")  # "Args: None" says nothing


def _sections(text: str, style: DocstringStyle) -> list[tuple[str, list[str]]]:
    """Return the sections of a docstring: the line above each, empty for prose and fields, and the entries below it."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    for line in text.split("\n"):
        header, entries = sections[-1]
        if style is DocstringStyle.GOOGLE and _HEADER.fullmatch(line):
            sections.append((line, []))
        elif header and line[:1].strip():  # prose that follows a section
            sections.append(("", [line]))
        elif not entries or _begins_entry(line, header, entries[0]):
            if line.strip() or not header:
                entries.append(line)
        else:
            entries[-1] += f"\n{line}"
    return sections


def _begins_entry(line: str, header: str, first: str) -> bool:
    if not header:
        return line.startswith((":", "@"))
    return bool(line.strip()) and _indentation(line) <= _indentation(first)


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip(" \t"))


def _reads(text: str, style: DocstringStyle) -> bool:
    try:
        _parsed(text, style)
    except ParseError:
        return False
    return True


def _documentation(parsed: Docstring, unread: tuple[str, ...]) -> Documentation:
    parameters = {}
    for parameter in parsed.params:
        for written in parameter.arg_name.split(","):  # NumPy: `x, y : int` describes both
            name = written.strip().lstrip("*\\")
            parameters[name] = DocumentedParameter(name, _clean(parameter.description), parameter.type_name)
    returns = parsed.returns or next(iter(parsed.many_returns), None)
    summary = _one_line(parsed.short_description or "")
    description = "\n\n".join(part for part in (summary, (parsed.long_description or "").strip()) if part)
    return Documentation(
        summary, description, parameters, _clean(returns.description) or None if returns else None, unread
    )


def _clean(text: str | None) -> str:
    return (text or "").strip()


def _one_line(text: str) -> str:
    return " ".join(text.split())

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

_MOST_LINES_LEFT_OUT = 20


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
_NOTHING = Documentation("", "", {}, None, ())


def read_docstring(text: str | None) -> Documentation:
    """Return what a docstring says, in Google, NumPy, reST or Epydoc style.

    Args:
        text: A docstring as it stands in the source, or None.
    """
    if not text or not text.strip():
        return _NOTHING
    cleaned = cleandoc(text)
    style = next((style for pattern, style in _STYLES if pattern.search(cleaned)), None)
    if style is None:  # no section at all: nothing to parse
        return Documentation(_one_line(cleaned.split("\n\n", 1)[0]), cleaned, {}, None, ())
    parsed, unread = _parse(cleaned, style)
    if parsed is None:
        return Documentation(_one_line(cleaned.split("\n\n", 1)[0]), cleaned, {}, None, unread)
    return _documentation(parsed, unread)


def _parse(text: str, style: DocstringStyle) -> tuple[Docstring | None, tuple[str, ...]]:
    """Parse a docstring, leaving out one line after another that docstring_parser stumbles over."""
    unread: list[str] = []
    for _ in range(_MOST_LINES_LEFT_OUT):
        try:
            return parse(text, style), tuple(unread)
        except ParseError as error:
            line = _culprit(text, str(error))
            if line is None:
                break
            unread.append(line.strip())
            text = text.replace(line, "", 1)
    return None, tuple(unread)


def _culprit(text: str, message: str) -> str | None:
    """Return the line of the docstring that an error message quotes."""
    quoted = re.search(r"""(['"])(.+)\1""", message, re.DOTALL)
    if quoted is None:
        return None
    start = quoted[2].split("\\n")[0].strip()
    return next((line for line in text.split("\n") if start and line.strip().startswith(start[:60])), None)


def _documentation(parsed: Docstring, unread: tuple[str, ...]) -> Documentation:
    parameters = {}
    for parameter in parsed.params:
        name = parameter.arg_name.lstrip("*\\").strip()
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

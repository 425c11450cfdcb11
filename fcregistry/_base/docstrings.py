"""Docstrings: the prose, parameters, attributes, result and types that they name.

A docstring is untrusted data. Nothing in it is evaluated, reading takes time linear in its length, and no docstring makes reading fail: a line
that cannot be read is left out and reported in `Documentation.unread`.

Each section is recognized by itself, in whatever style it is written: `Args:` (Google), `Parameters` over a line of dashes (NumPy), a run of
`:param x:` (reST) or `@param x:` (Epydoc). No style is chosen for the whole docstring, so one section hides no other. Each function goes
through the lines once.

docstring_parser reads the entries of NumPy sections, one section at a time. By itself it chooses one style for the whole docstring: in Google
style it drops every parameter if one line has no colon, in NumPy style it takes text after the last entry for one more entry, and in reST it
takes types of one word only.
"""

from __future__ import annotations

import ast
import re
import typing
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class DocumentedParameter(NamedTuple):
    """A documented parameter or attribute: its name without stars, its text, and its type as text."""

    name: str
    description: str
    type: str | None


_UNKNOWN: Final = DocumentedParameter("", "", None)
"""The documentation of a name before its first entry is read."""


class Documentation(NamedTuple):
    """The content of a docstring.

    Attributes:
        summary: The first paragraph, as one line.
        description: All prose, before, between and after the sections: the description that a model reads.
        parameters: Name -> the parameter's documentation.
        returns: The text about the result, or about what is yielded.
        unread: Lines that could not be read as part of their section.
        attributes: Name -> the attribute's documentation, such as of a field of a dataclass or TypedDict.
        returns_type: The type of the result as text; not of what is yielded.
    """

    summary: str
    description: str
    parameters: dict[str, DocumentedParameter]
    returns: str | None
    unread: tuple[str, ...]
    attributes: dict[str, DocumentedParameter] = {}  # noqa: RUF012  # never written to
    returns_type: str | None = None


NO_DOCUMENTATION: Final = Documentation("", "", {}, None, ())
"""The documentation of a function without a docstring."""


def read_docstring(text: str | None) -> Documentation:
    """Return the content of a docstring in Google, NumPy, reST or Epydoc style, or in a mix of them.

    The description is all prose, before, between and after the sections, with `Note:` and `Warning:` as in `Note: text`. It leaves out the
    sections about parameters, attributes, the result and exceptions, and the examples, references, `See Also:` and `Todo:`, which
    address the readers of the code.

    Args:
        text: A docstring as written in the source, or None.
    """
    if not isinstance(text, str):
        return NO_DOCUMENTATION  # a callable object's `__doc__` may be anything
    prose, sections = _split_sections(_clean_lines(text))
    described: dict[str, dict[str, DocumentedParameter]] = {"parameters": {}, "attributes": {}}
    results: dict[str, DocumentedParameter] = {}
    unread: list[str] = []
    for kind, name, description, type_ in chain.from_iterable(map(_read_section, sections)):
        if kind in described:  # of two texts or types, the later one counts
            known = described[kind].get(name, _UNKNOWN)
            described[kind][name] = DocumentedParameter(name, description or known.description, type_ or known.type)
        elif kind == "unread":
            if description.rstrip(".").lower() not in ("none", "n/a"):  # these document nothing
                unread.append(description)
        else:  # of several texts or types of the result, the first one counts
            known = results.get(kind, _UNKNOWN)
            results[kind] = DocumentedParameter(name, known.description or description, known.type or type_)
    prose_text = "\n".join(prose).strip()
    summary = " ".join(prose_text.partition("\n\n")[0].split())
    returns, yields = (results.get(kind, _UNKNOWN) for kind in ("returns", "yields"))
    return Documentation(
        prose_text if summary == prose_text else summary,  # one object, since thousands are kept
        prose_text,
        described["parameters"],
        returns.description or yields.description or None,
        tuple(unread),
        described["attributes"] or NO_DOCUMENTATION.attributes,
        returns.type,
    )


_Entry: TypeAlias = tuple[str, str, str, str | None]
"""One fact: `parameters`, `attributes`, `returns`, `yields` or `unread`; the name; the text, or the line that could not be read; the type."""


def _read_section(section: _Section) -> Iterator[_Entry]:
    """Return an iterator of the entries of `section`; empty for an aside, such as `Examples:`."""
    if section.kind == "aside":
        return iter(())
    return _READERS[section.style](section)


# --- Splitting a docstring into prose and sections ---

_Style = Literal["google", "numpy", "fields"]

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

_KIND_OF_TITLE: Final = {title.lower(): kind for title, kind in _TITLES.items()}
_HEADERS: Final = {f"{title}:" for title in (*_TITLES, "Note", "Notes", "Warning", "Warnings")}
_KINDS_WITH_ENTRIES: Final = ("parameters", "attributes")
_FIELD: Final = re.compile(
    r"[:@](?:param|parameter|arg|argument|key|keyword|kwarg|type|returns?|rtype|yields?|ytype|raises?|except|exception"
    r"|ivar|cvar|var|vartype|attribute)\b"
)

_OTHER_FIELD: Final = re.compile(r"[:@]\w[\w ]*:(?:\s|$)")
_MAX_TITLE_LENGTH: Final = 25  # for a title, with its colon
_FENCES: Final = ("```", "~~~")
_NO_LIMIT: Final = 10**9


class _Section(NamedTuple):
    """A section: its style, its subject, and the lines below the header; of fields, all lines."""

    style: _Style
    kind: str
    lines: list[str]


def _split_sections(lines: list[str]) -> tuple[list[str], list[_Section]]:
    """Return the lines of prose and the sections of a docstring, each in order; either may be empty.

    Blank lines in prose are kept once, headers of sections are left out. Inside a fenced block no line is a header. Nor is a line that is
    indented below an introducing line: one that ends with a colon, or a reST directive.
    """
    prose: list[str] = []
    sections: list[_Section] = []
    limit = _NO_LIMIT  # a line that is indented more than this belongs to a line above that introduces it
    place = 0
    while place < len(lines):
        line = lines[place]
        bare = line.lstrip()
        depth = len(line) - len(bare)
        if bare and depth <= limit:
            if found := _section_at(lines, place, bare):
                section, place = found
                sections.append(section)
                if prose and prose[-1]:
                    prose.append("")  # keeps the paragraphs before and after the section apart
                limit = _NO_LIMIT
                continue
            limit = depth if bare[-1] == ":" or bare[:2] == ".." else _NO_LIMIT
        end = _end_of_fence(lines, place) if bare[:3] in _FENCES else place + 1
        if bare or (prose and prose[-1]):
            prose += lines[place:end]
        place = end
    return prose, sections


def _section_at(lines: list[str], place: int, line: str) -> tuple[_Section, int] | None:
    """Return the section that begins at ``lines[place]`` and the index of the line after the section.

    None if no section begins there. `line` is ``lines[place]`` without its indentation; it is not empty.
    """
    if line[0] in ":@" and _FIELD.match(line):
        end = _end_of_fields(lines, place)
        return _Section("fields", "fields", lines[place:end]), end
    kind = _KIND_OF_TITLE.get(line.removesuffix(":").lower()) if len(line) < _MAX_TITLE_LENGTH else None
    if kind is None:
        return None
    if _is_underlined(lines, place):
        end = _end_of_underlined(lines, place, kind)
        return _Section("numpy", kind, lines[place + 2 : end]), end
    if line[-1] == ":":
        end = _end_of_indented(lines, place, kind)
        return _Section("google", kind, lines[place + 1 : end]), end
    return None


def _starts_section(lines: list[str], place: int) -> bool:
    """Return whether ``lines[place]``, a line within a section, begins another section.

    A title must be in its usual case and have its colon, since an entry of the section may have the same name; or it is underlined, or a field.
    """
    line = lines[place].strip()
    return (
        line in _HEADERS or _is_underlined(lines, place) or (line[:1] in (":", "@") and _FIELD.match(line) is not None)
    )


def _is_underlined(lines: list[str], place: int) -> bool:
    """Return whether the line below ``lines[place]`` is three or more dashes, or equals signs.

    False if ``lines[place]`` is blank.
    """
    under = lines[place + 1].strip() if place + 1 < len(lines) else ""
    return len(under) >= 3 and lines[place] != "" and under in ("-" * len(under), "=" * len(under))


def _find_line(lines: list[str], begin: int, ends: Callable[[int, str], object]) -> int:
    """Return the index of the first line from `begin` on for which `ends` is true; else ``len(lines)``.

    `ends` is called with the index of a line and the line.
    """
    return next((number for number in range(begin, len(lines)) if ends(number, lines[number])), len(lines))


def _end_of_indented(lines: list[str], place: int, kind: str) -> int:
    """Return the index of the line after the Google section whose header is ``lines[place]``.

    It ends at a line indented no more than the header, or, if its `kind` has entries, at another header. If the line just below is indented
    as the header is, it ends at a blank line (unless `place` is 0), a line indented less, or another section.
    """
    margin = _indentation(lines[place])
    first = _find_line(lines, place + 1, lambda _, line: line)
    if first == place + 1 < len(lines) and _indentation(lines[first]) == margin:
        # No line is indented below the header: the section ends at a blank line. But if the header is the first line, the indentation
        # of the others has been removed as the source's, and blank lines do not end the section.
        return _find_line(
            lines,
            first,
            lambda number, line: _starts_section(lines, number) or (_indentation(line) < margin if line else place > 0),
        )
    level = _indentation(lines[first]) if kind in _KINDS_WITH_ENTRIES and first < len(lines) else -1
    for number in range(first, len(lines)):
        line = lines[number]
        if line[: margin + 1].strip() or (line[: level + 1].strip() and line.strip() in _HEADERS):
            return number
    return len(lines)


def _end_of_underlined(lines: list[str], place: int, kind: str) -> int:
    """Return the index of the line after the NumPy section whose title is ``lines[place]``.

    The section ends at the next section, at a line that is indented less than the title, or, unless its `kind` is `aside`, at the prose below
    its entries.
    """
    margin, begin = _indentation(lines[place]), place + 2
    end = _find_line(
        lines,
        begin,
        lambda number, line: (
            line and (_indentation(line) < margin or (_indentation(line) == margin and _starts_section(lines, number)))
        ),
    )
    if kind == "aside":
        return end
    # The last paragraphs are prose if they are not entries: words, no colon, nothing indented
    margin = _indentation(lines[begin]) if begin < end else 0
    entries_end = end
    for number in range(end - 1, begin, -1):
        line = lines[number]
        words = line.replace(", ", ",").split()
        is_paragraph = line != "" and not lines[number - 1]
        if _indentation(line) > margin or (is_paragraph and (len(words) == 1 or ":" in words)):
            break
        if is_paragraph:
            entries_end = number
    return entries_end


def _end_of_fields(lines: list[str], place: int) -> int:
    """Return the index of the line after the consecutive fields that begin at ``lines[place]``.

    They end at a line indented less, or at one not indented more that begins a paragraph, another section, or a field that is not known.
    """
    margin = _indentation(lines[place])

    def ends(number: int, line: str) -> bool:
        """Return whether `line` (of index `number`, not blank) neither begins a known field nor continues one."""
        depth, bare = _indentation(line), line.strip()
        if not line or depth > margin or (depth == margin and _FIELD.match(bare)):
            return False
        is_new = not lines[number - 1] or _OTHER_FIELD.match(bare) is not None
        return depth < margin or is_new or _starts_section(lines, number)

    return _find_line(lines, place + 1, ends)


def _end_of_fence(lines: list[str], place: int) -> int:
    """Return the index of the line after the fenced block that begins at ``lines[place]``.

    If the block is never closed, this is the line after its first line.
    """
    fence = lines[place].lstrip()[:3]
    end = _find_line(lines, place + 1, lambda _, line: line.lstrip().startswith(fence))
    return end + 1 if end < len(lines) else place + 1


def _entries(lines: list[str], begins: Callable[[str], object]) -> Iterator[list[str]]:
    """Yield the lines of each entry of a section, as lists; the first line of each without indentation.

    An entry begins at the first line that is not blank, and at each later one for which `begins` is true. Blank lines before the first are left
    out.
    """
    entry: list[str] = []
    for line in lines:
        if line and (not entry or begins(line)):
            if entry:
                yield entry
            entry = [line.lstrip()]
        elif entry:
            entry.append(line)
    if entry:
        yield entry


# --- Google style: `Args:` ---

_BULLETS: Final = ("- ", "* ", "+ ", "• ")

# `name: text`, `name (type): text`, and as in PEP 257 `name -- text`, after a bullet or not; for other heads there is `_split_at_colon`.
_SIMPLE_HEAD: Final = re.compile(r" *(?:[-*+•] +)?([^\s:(,]+)(?:\s*\(([^()]*)\))? *(?::|(?<= )--? )")


def _read_google(section: _Section) -> Iterator[_Entry]:
    """Yield the entries of a Google section, such as `Args:`; one for each name of an entry with several.

    A line that is not an entry is an entry of the kind `unread`. `Returns:` and `Yields:` are one entry.
    """
    if section.kind in ("returns", "yields"):
        type_, text = _split_result("\n".join(_dedent(section.lines)).strip())
        yield section.kind, "", text, type_
        return
    # A malformed line is an entry of its own, and spoils no other. Among entries without bullets, a bullet is text of the entry above.
    width = _entry_indentation(section.lines) + 1  # a line that begins an entry has a character there
    bulleted = next((line for line in section.lines if line), "").lstrip().startswith(_BULLETS)
    begins = lambda line: line[:width].strip() and (bulleted or not line.lstrip().startswith(_BULLETS))  # noqa: E731
    for entry in _entries(section.lines, begins):
        head = _parse_head("\n".join(entry))
        if head is None:
            yield "unread", "", entry[0], None
        else:
            names, type_, text = head
            text = _entry_text(text)
            for name in names:
                yield section.kind, name, text, type_


def _entry_indentation(lines: list[str]) -> int:
    """Return the indentation of the first line that reads as an entry's head, or else of the first text."""
    first = lines[0] if lines and lines[0] else next((line for line in lines if line), "")
    plain = _SIMPLE_HEAD.match(first)
    if (plain is None or not plain[1].isidentifier()) and _parse_head(first) is None:
        written = [line for line in lines if line]
        alone = next((place for place, line in enumerate(written) if _parse_head(line) is not None), 0)
        text = "\n".join(written)
        head = _parse_head(text)  # its type may continue in the lines below, if none of these is an entry
        if alone and (head is None or text.count("\n") - head[2].count("\n") >= alone):
            return _indentation(written[alone])
    return _indentation(first)


def _parse_head(text: str) -> tuple[list[str], str | None, str] | None:
    """Return the names, the type and the text of an entry `name (type): text`; None if `text` is not one.

    There may be several names, as in `x, y: text`. The type is None if there is none.
    """
    if plain := _SIMPLE_HEAD.match(text):
        written, type_ = plain.groups("")
        rest = text[plain.end() :]
        if not type_ and written.isidentifier():  # the most common form
            return [written], None, rest
    elif parts := _split_at_colon(text):
        written, bracket, type_ = parts[0].partition("(")
        if bracket and not type_.rstrip().endswith(")"):
            return None
        type_, rest = type_.rstrip()[:-1], parts[1]
    else:
        return None
    names = _names_in(written)
    return (names, _type_text(type_), rest) if names else None


def _split_result(text: str) -> tuple[str | None, str]:
    """Return the type of a result, or None, and the text about the result.

    `dict[str, int]: text` has both; a type alone, such as `int`, is the text, too; any other `text` is returned whole, without a type.
    """
    parts = _split_at_colon(text)
    if parts is None:
        return (text if _is_type(text) else None), text
    if not _is_type(parts[0]) or parts[1].startswith("//"):  # `https:` is not a type
        return None, text
    return parts[0], _entry_text(parts[1])


def _is_type(text: str) -> bool:
    """Return whether `text` looks like a type, not like words; False if it is empty.

    A type is one word outside brackets, or several words joined by `|`.
    """
    outside = text.partition("[")[0] + text.rpartition("]")[2] if "[" in text else text
    return text != "" and " " not in " ".join(outside.split()).replace(" | ", "|")


# --- NumPy style: `Parameters` over a line of dashes ---


def _read_numpy(section: _Section) -> Iterator[_Entry]:
    """Yield the entries of a NumPy section, as docstring_parser reads them.

    Lines that it cannot read are entries of the kind `unread`; if it fails, so is the head of each entry. A section about the result is one
    entry.
    """
    level = next((_indentation(line) for line in section.lines if line), 0)
    title = section.kind.title()
    lines = [title, "-" * len(title)]  # docstring_parser wants a line of dashes exactly as long as the title
    heads = []
    for first, *others in _entries(section.lines, lambda line: _indentation(line) <= level):
        head = " ".join(first.split())
        if section.kind in _KINDS_WITH_ENTRIES and not _names_in(head.partition(":")[0].rstrip()):
            yield "unread", "", head, None  # docstring_parser would take it for a name
        else:
            heads.append(head)
            lines += [head, *others]
    try:
        import docstring_parser  # most docstrings never need it

        parsed = docstring_parser.parse("\n".join(lines), docstring_parser.DocstringStyle.NUMPYDOC)
    except Exception:  # noqa: BLE001  # the library fails on some texts; the tool is defined all the same
        yield from [("unread", "", head, None) for head in heads]
        return
    for entry in parsed.params:
        text, type_ = _entry_text(f"\n{entry.description or ''}"), _type_text(entry.type_name or "")
        yield from [(section.kind, name, text, type_) for name in _names_in(entry.arg_name)]
    results = parsed.many_returns or []
    texts = [(each.return_name or each.type_name, each.description) for each in results if each.description]
    text = "\n".join(f"{name}: {text}" if len(texts) > 1 else text for name, text in texts)
    if results:
        yield section.kind, "", text, (results[0].type_name or None) if len(results) == 1 else None


# --- reST and Epydoc: `:param dict[str, int] limits: text`, `@param limits: text` ---

_KIND_OF_FIELD: Final = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "type"), "parameters"),
    **dict.fromkeys(("ivar", "cvar", "var", "attribute", "vartype"), "attributes"),
    **dict.fromkeys(("return", "returns"), "returns"),
    **dict.fromkeys(("yield", "yields"), "yields"),
    "rtype": "result type",
}  # the others, such as `raises` and `ytype`, are not used


def _read_fields(section: _Section) -> Iterator[_Entry]:
    """Yield the entries of a section of reST or Epydoc fields, such as `:param x: text`.

    Fields without a colon or a name are of the kind `unread`; fields about exceptions are left out.
    """
    margin = _indentation(section.lines[0])
    for field in _entries(section.lines, lambda line: _indentation(line) <= margin and _FIELD.match(line.lstrip())):
        parts = _split_at_colon("\n".join(field)[1:])
        words = parts[0].split() if parts else []
        if parts is None or not words:
            yield "unread", "", field[0], None
            continue
        kind, text = _KIND_OF_FIELD.get(words[0]), _entry_text(parts[1])
        if kind in ("returns", "yields"):
            yield kind, "", text, None
        elif kind == "result type":
            yield "returns", "", "", text
        elif kind is not None:  # about the name that is the last word, after its type
            keyword, *types, name = words if len(words) > 1 else (*words, "")
            names = _names_in(name)
            type_ = _type_text(text if keyword in ("type", "vartype") else " ".join(types))
            yield from [(kind, each, "" if keyword in ("type", "vartype") else text, type_) for each in names]
            if not names:
                yield "unread", "", field[0], None


_READERS: Final[dict[_Style, Callable[[_Section], Iterator[_Entry]]]] = {
    "google": _read_google,
    "numpy": _read_numpy,
    "fields": _read_fields,
}


# --- The head of an entry: `limits (dict[str, int], optional)` ---

# An apostrophe in prose does not begin a quotation.
_TOKEN: Final = re.compile(r"""[()\[\]{}:\n]|"[^"\s]*"|'[^'\s]*'""")

_NAME_PATTERN: Final = re.compile(r"[^\W\d][\w.-]*")


def _split_at_colon(text: str) -> tuple[str, str] | None:
    """Return the parts of `text` before and after the first colon outside brackets and quotations.

    None if there is no such colon in the first line, which continues in the next one within brackets.
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


def _names_in(text: str) -> list[str]:
    r"""Return the names, without stars, in `x, y`, `**kwargs`, `\*args`, `my\_name` or `'x'`; else `[]`."""
    if text.isidentifier():
        return [text]
    names = [name.replace("\\", "").strip(" -+•*`'\"") for name in text.split(",")]
    if names[-1] == "..." and len(names) > 1:  # `a1, a2, ...`
        names.pop()
    return names if all(_NAME_PATTERN.fullmatch(name) for name in names) else []


_OPTIONAL: Final = re.compile(r" ?[,(] ?(?:optional|default)\b.*|^optional$")


def _type_text(text: str) -> str | None:
    """Return `text`, a type, in one line without `optional` or `default` after it; None if none is left."""
    return _OPTIONAL.sub("", " ".join(text.split())) or None if text else None


# --- Lines and their indentation ---


def _clean_lines(text: str) -> list[str]:
    """Return the lines of a docstring without the source's indentation and without repeated blank lines.

    Blank lines at its beginning and end are left out. This is what PEP 257 describes and `inspect.cleandoc` does; that function takes quadratic
    time for blank lines at the start, and keeps the line ends of Windows.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    first, *others = text.expandtabs().split("\n")
    lines: list[str] = []
    above = first.strip()
    if above:
        lines.append(above)
    for line in _dedent(others):
        if line or above:
            lines.append(line)
        above = line
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _indentation(line: str) -> int:
    """Return the number of white space characters at the beginning of `line`."""
    return len(line) - len(line.lstrip())


def _dedent(lines: list[str]) -> list[str]:
    """Return `lines` without their common indentation and without white space at their ends.

    Blank lines become empty, and do not count for the indentation.
    """
    lines = [line.rstrip() for line in lines]
    margin = min([len(line) - len(line.lstrip()) for line in lines if line], default=0)
    return [line[margin:] for line in lines] if margin else lines


def _entry_text(text: str) -> str:
    """Return `text`, of an entry, stripped; the lines after the first lose their own common indentation."""
    if "\n" not in text:
        return text.strip()
    line, _, others = text.partition("\n")
    return "\n".join([line.strip(), *_dedent(others.split("\n"))]).strip()


# --- Types that docstrings name ---

_TYPES_BY_NAME: Final[dict[str, Any]] = {
    **dict.fromkeys(("any", "Any"), Any),
    **dict.fromkeys(("none", "null", "None"), type(None)),
    **dict.fromkeys(("str", "string"), str),
    **dict.fromkeys(("int", "integer"), int),
    **dict.fromkeys(("float", "number"), float),
    **dict.fromkeys(("bool", "boolean"), bool),
    "bytes": bytes,
    **dict.fromkeys(("list", "List", "array", "Sequence", "Iterable"), list),
    **dict.fromkeys(("tuple", "Tuple"), tuple),
    **dict.fromkeys(("set", "Set"), set),
    "frozenset": frozenset,
    **dict.fromkeys(("dict", "Dict", "Mapping"), dict),
    "object": dict[str, Any],
}
_TYPE_PARAMETERS: Final = {list: 1, set: 1, frozenset: 1, dict: 2}
"""Type -> the number of types in its brackets; a tuple has any number of them."""

_MAX_TYPE_LENGTH = 400


def type_named(text: str) -> Any | None:
    """Return the type that a docstring's text names, or None if it is not known.

    The text is looked up in a table, never evaluated. Known are the built-in types by their Python and JSON names, and `list[…]`,
    `dict[…]`, `Optional[…]`, `Union[…]`, `Literal[…]`, `X | Y`, `X or Y` and `{'a', 'b'}` (numpydoc's choices) of known ones.
    "optional" and "default …" after a comma are left out.
    """
    type_ = _type_text(text)
    if type_ is None or len(type_) > _MAX_TYPE_LENGTH or "\\" in type_:  # Python warns of some backslashes
        return None
    try:
        return _type_of_node(ast.parse(type_, mode="eval").body)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError, TypeError):
        return None


def _type_of_node(node: ast.expr) -> Any:
    """Return the type that `node`, a part of a parsed text, names; the constant None names `NoneType`.

    Raises:
        LookupError: The type is not known.
        ValueError: A part of a Literal is not a constant.
    """
    match node:
        case ast.Constant(value=None):
            return type(None)
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="typing" | "t"), attr=name):
            return _TYPES_BY_NAME[name]
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([left, right])
        case ast.BoolOp(op=ast.Or(), values=values):
            return _union(values)
        case ast.Set(elts=values):
            return _literal(values)
        case ast.Subscript(
            value=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="typing" | "t"), attr=name), slice=inside
        ):
            return _generic_type(name, inside.elts if isinstance(inside, ast.Tuple) else [inside])
    raise LookupError


def _generic_type(name: str, parts: list[ast.expr]) -> Any:
    """Return the type `name[parts]`, such as `list[int]` or `Optional[str]`.

    Raises:
        LookupError: The type is not known, or takes another number of parts.
        ValueError: A part of a Literal is not a constant.
    """
    if name == "Literal":
        return _literal(parts)
    if name in ("Union", "union"):
        return _union(parts)
    if name == "Optional" and len(parts) == 1:
        return _union([*parts, ast.Constant(None)])
    generic = _TYPES_BY_NAME[name]
    match parts:
        case [part, ast.Constant(value=value)] if generic is tuple and value is Ellipsis:
            return tuple[_type_of_node(part), ...]  # type: ignore[misc]  # evaluated here, not by a type checker
    if generic is not tuple and _TYPE_PARAMETERS.get(generic) != len(parts):
        raise LookupError
    return generic[tuple(map(_type_of_node, parts))]


def _union(parts: list[ast.expr]) -> Any:
    """Return the union of the types that `parts` name; raise what `_type_of_node` raises for one."""
    return typing.Union[tuple(map(_type_of_node, parts))]  # noqa: UP007  # of any number of types


def _literal(parts: list[ast.expr]) -> Any:
    """Return the Literal of the constants in `parts`.

    Raises:
        LookupError: A constant is not a text, a whole number, a truth value or None, or there are none.
        ValueError: A part is not a constant.
    """
    if not parts:
        raise LookupError
    values = [ast.literal_eval(part) for part in parts]
    if not all(isinstance(value, str | int | None) for value in values):
        raise LookupError
    return typing.Literal[tuple(values)]

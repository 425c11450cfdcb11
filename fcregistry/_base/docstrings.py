"""Docstrings: the prose, parameters, attributes, result and types that they name.

A docstring is untrusted data. Nothing in it is evaluated, reading takes time linear in its length, and no docstring makes reading fail: a line
that cannot be read is left out and reported in `Documentation.unread`.

Each section is recognized by itself, in whatever style it is written: `Args:` (Google), `Parameters` over a line of dashes (NumPy), a run of
`:param x:` (reST) or `@param x:` (Epydoc). No style is chosen for the whole docstring, so one section hides no other. Each function goes
through the lines once.

docstring_parser reads the entries of NumPy sections alone, one section at a time, cut out and normalized: by itself it takes text after the
last entry for one more entry, wants a line of dashes exactly as long as the title, and takes quadratic time for white space. It does not read
the other styles. In Google style it drops every parameter if one line has no colon, keeps the last of two `Args:`, ends a type at a colon
inside it, does not know `Keyword Args:` or `Other Parameters:`, and takes cubic time for a line of brackets. In reST and Epydoc it takes
types of one word only, knows no `:ivar:`, takes prose after the last field for a part of that field, and finds an Epydoc field in the text
of another field that mentions one.
"""

from __future__ import annotations

import ast
import re
import typing
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterator


class DocumentedParameter(NamedTuple):
    """A documented parameter or attribute: its name without stars, its text, and its type as text."""

    name: str
    description: str
    type: str | None


class Documentation(NamedTuple):
    """The content of a docstring.

    Attributes:
        summary: The first paragraph, as one line.
        description: All prose, before, between and after the sections: the description that a model reads.
        parameters: Name -> the parameter's documentation.
        returns: The text about the result, or about what is yielded.
        unread: Lines that could not be read as part of their section.
        attributes: Name -> the attribute's documentation, such as of a field of a dataclass or TypedDict.
    """

    summary: str
    description: str
    parameters: dict[str, DocumentedParameter]
    returns: str | None
    unread: tuple[str, ...]
    attributes: dict[str, DocumentedParameter] = {}  # noqa: RUF012  # never written to


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
    builder = _DocumentationBuilder()
    for section in sections:
        if section.style == "fields":
            _read_fields(section.lines, builder)
        elif section.kind != "aside":
            (_read_google if section.style == "google" else _read_numpy)(section, builder)
    description = "\n".join(prose).strip()
    summary = " ".join(description.partition("\n\n")[0].split())
    return Documentation(
        summary,
        description,
        builder.parameters,
        builder.returns or builder.yields,
        tuple(builder.unread),
        builder.attributes,
    )


class _DocumentationBuilder:
    """Collects the documentation of parameters, attributes and result while the sections are read."""

    def __init__(self) -> None:
        self.parameters: dict[str, DocumentedParameter] = {}
        self.attributes: dict[str, DocumentedParameter] = {}
        self.returns: str | None = None
        self.yields: str | None = None
        self.unread: list[str] = []

    def describe(self, kind: str, names: list[str], description: str, type_: str | None) -> None:
        """Add the text and the type of parameters or attributes; of two texts or types, the later one counts."""
        entries = self.attributes if kind == "attributes" else self.parameters
        for name in names:
            known = entries.get(name)
            if known is not None:
                description, type_ = description or known.description, type_ or known.type
            entries[name] = DocumentedParameter(name, description, type_)

    def describe_result(self, kind: str, text: str) -> None:
        """Add a text about the result; of several, the first one counts."""
        if kind == "yields":
            self.yields = self.yields or text or None
        else:
            self.returns = self.returns or text or None

    def add_unread(self, line: str) -> None:
        """Add a line that is not an entry of its section. A line "None" is left out: it documents nothing."""
        if line.rstrip(".").lower() not in ("none", "n/a"):
            self.unread.append(line)


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
    """Return the lines of prose and the sections of a docstring, each in order.

    A line is not a header inside a fenced block, or indented below a line that introduces it: one that ends with a colon, or a reST
    directive.
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
    """Return the section that begins at a line and the number of the line after it, or None."""
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
    """Return whether a line in a section begins another one.

    A title must be in its usual case here, since an entry may have such a name.
    """
    line = lines[place].strip()
    return (
        line in _HEADERS or _is_underlined(lines, place) or (line[:1] in (":", "@") and _FIELD.match(line) is not None)
    )


def _is_underlined(lines: list[str], place: int) -> bool:
    under = lines[place + 1].strip() if place + 1 < len(lines) else ""
    return len(under) >= 3 and lines[place] != "" and under in ("-" * len(under), "=" * len(under))


def _end_of_indented(lines: list[str], place: int, kind: str) -> int:
    """Return the end of a Google section: a line indented no more than its header, or another header."""
    margin, entries = _indentation(lines[place]), -1
    in_entries = kind in _KINDS_WITH_ENTRIES
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
    """Return the end of a Google section whose lines are not indented below the header: a blank line.

    If the header is the first line, the indentation of the others has been removed as the source's, and blank lines do not end the section.
    """
    margin = _indentation(lines[place])
    for number in range(place + 1, len(lines)):
        line = lines[number]
        if (not line and place > 0) or (line and _indentation(line) < margin) or _starts_section(lines, number):
            return number
    return len(lines)


def _end_of_underlined(lines: list[str], place: int, kind: str) -> int:
    """Return the end of a NumPy section: the next section or title, or the prose below its entries."""
    margin = _indentation(lines[place])
    end = len(lines)
    for number in range(place + 2, len(lines)):
        line = lines[number]
        if line and (_indentation(line) < margin or (_indentation(line) == margin and _starts_section(lines, number))):
            end = number
            break
    return end if kind == "aside" else _end_of_entries(lines, place + 2, end)


def _end_of_entries(lines: list[str], begin: int, end: int) -> int:
    """Return the begin of the last paragraphs that are no entries: words, no colon, nothing indented."""
    margin = _indentation(lines[begin]) if begin < end else 0
    entries_end = end
    for number in range(end - 1, begin, -1):
        line = lines[number]
        if _indentation(line) > margin:
            break
        if line and not lines[number - 1]:
            words = line.replace(", ", ",").split()
            if len(words) == 1 or ":" in words:
                break
            entries_end = number
    return entries_end


def _end_of_fields(lines: list[str], place: int) -> int:
    """Return the end of a run of fields: a new paragraph, another section, or another kind of field."""
    margin = _indentation(lines[place])
    for number in range(place + 1, len(lines)):
        line = lines[number]
        if not line or _indentation(line) > margin:
            continue
        bare = line.strip()
        if _indentation(line) == margin and _FIELD.match(bare):
            continue
        if (
            _indentation(line) < margin
            or not lines[number - 1]
            or _OTHER_FIELD.match(bare)
            or _starts_section(lines, number)
        ):
            return number
    return len(lines)


def _end_of_fence(lines: list[str], place: int) -> int:
    """Return the line after a fenced block; the one after its first line if the block is never closed."""
    fence = lines[place].lstrip()[:3]
    for number in range(place + 1, len(lines)):
        if lines[number].lstrip().startswith(fence):
            return number + 1
    return place + 1


# --- Google style: `Args:` ---

# `name: text`, `name (type): text`, and as in PEP 257 `name -- text`, after a bullet or not; for other heads there is `_split_at_colon`.
_SIMPLE_HEAD: Final = re.compile(r" *(?:[-*+•] +)?([^\s:(,]+)(?:\s*\(([^()]*)\))? *(?::|(?<= )--? )")


def _read_google(section: _Section, builder: _DocumentationBuilder) -> None:
    if section.kind in ("returns", "yields"):
        builder.describe_result(section.kind, _without_type("\n".join(_dedent(section.lines)).strip()))
        return
    for entry in _entries(section.lines):
        head = _parse_head("\n".join(entry) if len(entry) > 1 else entry[0])
        if head is None:
            builder.add_unread(entry[0].strip())
        else:
            names, type_, text = head
            builder.describe(section.kind, names, _entry_text(text), type_)


def _entries(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each entry.

    An entry begins at a line that is indented no more than the first entry that can be read. A malformed line is an entry of its own, and
    spoils no other. Among entries without bullets, a bullet is text of the entry above.
    """
    level = _entry_indentation(lines)
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


def _entry_indentation(lines: list[str]) -> int:
    """Return the indentation of the first entry that can be read, or else of the first line."""
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


def _is_bullet(line: str) -> bool:
    return line[:2] in ("- ", "* ", "+ ", "• ")


def _parse_head(text: str) -> tuple[list[str], str | None, str] | None:
    """Return the names, the type and the text of an entry `name (type): text`, or None for any other text."""
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


def _without_type(text: str) -> str:
    """Return the text about a result without the type before it: `dict[str, int]: text`."""
    parts = _split_at_colon(text)
    if parts is None or not _is_type(parts[0]) or parts[1].startswith("//"):  # `https:` is not a type
        return text
    return _entry_text(parts[1])


def _is_type(text: str) -> bool:
    """Return whether a text is a type, and not words: one word outside brackets, or several with `|`."""
    outside = text.partition("[")[0] + text.rpartition("]")[2] if "[" in text else text
    return text != "" and " " not in " ".join(outside.split()).replace(" | ", "|")


# --- NumPy style: `Parameters` over a line of dashes ---


def _read_numpy(section: _Section, builder: _DocumentationBuilder) -> None:
    level = next((_indentation(line) for line in section.lines if line), 0)
    lines = [line[min(level, _indentation(line)) :] for line in section.lines]
    lines = [line if _indentation(line) else " ".join(line.split()) for line in lines]  # the entries, at the margin
    if section.kind in ("parameters", "attributes"):
        lines = _named_entries(lines, builder)
    try:
        import docstring_parser  # most docstrings never need it

        title = section.kind.title()
        text = "\n".join([title, "-" * len(title), *lines])
        parsed = docstring_parser.parse(text, docstring_parser.DocstringStyle.NUMPYDOC)
    except Exception:  # noqa: BLE001  # the library fails on some texts; the tool is defined all the same
        for line in lines:
            if line and not _indentation(line):
                builder.add_unread(line)
        return
    for entry in parsed.params:
        builder.describe(
            section.kind, _names_in(entry.arg_name), entry.description or "", _type_text(entry.type_name or "")
        )
    described = [each for each in parsed.many_returns or () if each.description]
    if len(described) == 1:
        builder.describe_result(section.kind, described[0].description or "")
    elif described:
        texts = [f"{each.return_name or each.type_name}: {each.description}" for each in described]
        builder.describe_result(section.kind, "\n".join(texts))


def _named_entries(lines: list[str], builder: _DocumentationBuilder) -> list[str]:
    """Return the lines of the entries that begin with a name, and report the others as unread."""
    readable: list[str] = []
    skipping = False
    for line in lines:
        if line and not _indentation(line):
            skipping = not _names_in(line.partition(":")[0])
            if skipping:
                builder.add_unread(line)
        if not skipping:
            readable.append(line)
    return readable


# --- reST and Epydoc: `:param dict[str, int] limits: text`, `@param limits: text` ---

_KIND_OF_FIELD: Final = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "type"), "parameters"),
    **dict.fromkeys(("ivar", "cvar", "var", "attribute", "vartype"), "attributes"),
    **dict.fromkeys(("return", "returns"), "returns"),
    **dict.fromkeys(("yield", "yields"), "yields"),
}  # the others, such as `raises` and `rtype`, are not used


def _read_fields(lines: list[str], builder: _DocumentationBuilder) -> None:
    for field in _fields(lines):
        parts = _split_at_colon("\n".join(field)[1:])
        words = parts[0].split() if parts else []
        kind = _KIND_OF_FIELD.get(words[0]) if words else None
        if parts is None or not words:
            builder.add_unread(field[0])
        elif kind in ("returns", "yields"):
            builder.describe_result(kind, _entry_text(parts[1]))
        elif kind is not None and not _add_field(kind, words, _entry_text(parts[1]), builder):
            builder.add_unread(field[0])


def _fields(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each field; another line at the margin continues the field above."""
    margin = _indentation(lines[0])
    field: list[str] = []
    for line in lines:
        if _indentation(line) <= margin and _FIELD.match(line.lstrip()):
            if field:
                yield field
            field = [line.lstrip()]
        else:
            field.append(line)
    yield field


def _add_field(kind: str, words: list[str], text: str, builder: _DocumentationBuilder) -> bool:
    """Add a field about the name that is its last word, after its type; return whether it has a name."""
    keyword, *type_, name = words if len(words) > 1 else (*words, "")
    names = _names_in(name)
    if keyword in ("type", "vartype"):
        builder.describe(kind, names, "", _type_text(text))
    else:
        builder.describe(kind, names, text, _type_text(" ".join(type_)))
    return bool(names)


# --- The head of an entry: `limits (dict[str, int], optional)` ---

# An apostrophe in prose does not begin a quotation.
_TOKEN: Final = re.compile(r"""[()\[\]{}:\n]|"[^"\s]*"|'[^'\s]*'""")

_NAME_PATTERN: Final = re.compile(r"[^\W\d][\w.-]*")


def _split_at_colon(text: str) -> tuple[str, str] | None:
    """Return the text before and after the first colon outside brackets and quotations, or None.

    Within brackets, the head continues in the next line.
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
    r"""Return the names in `x`, `x, y`, `**kwargs`, `\*args`, `my\_name` or `'x'`; else an empty list."""
    if text.isidentifier():
        return [text]
    names = [name.replace("\\", "").strip(" -+•*`'\"") for name in text.split(",")]
    if names[-1] == "..." and len(names) > 1:  # `a1, a2, ...`
        names.pop()
    return names if all(_NAME_PATTERN.fullmatch(name) for name in names) else []


def _type_text(text: str) -> str | None:
    """Return a type without the `optional` or `default` that follows it, or None if nothing else is left."""
    if not text:
        return None
    type_ = " ".join(text.split())
    for marker in (", optional", ",optional", ", default"):
        type_ = type_.partition(marker)[0]
    return None if type_ in ("", "optional") else type_


# --- Lines and their indentation ---


def _clean_lines(text: str) -> list[str]:
    """Return the lines of a docstring without the source's indentation and repeated blank lines.

    This is what PEP 257 describes and `inspect.cleandoc` does. That function takes quadratic time for blank lines at the start, and
    keeps the line ends of Windows.
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
    return len(line) - len(line.lstrip())


def _dedent(lines: list[str]) -> list[str]:
    """Return lines without their common indentation and without white space at their ends."""
    lines = [line.rstrip() for line in lines]
    margin = min([len(line) - len(line.lstrip()) for line in lines if line], default=0)
    return [line[margin:] for line in lines] if margin else lines


def _entry_text(first: str) -> str:
    """Return the text of an entry; the lines after the first are dedented by themselves."""
    if "\n" not in first:
        return first.strip()
    line, _, others = first.partition("\n")
    return "\n".join([line.strip(), *_dedent(others.split("\n"))]).strip()


# --- Types that docstrings name ---

_NONE = type(None)
_TYPES_BY_NAME: Final[dict[str, Any]] = {
    **dict.fromkeys(("any", "Any"), Any),
    **dict.fromkeys(("none", "null", "None"), _NONE),
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
# Number of types in the brackets of each; a tuple has any number of them.
_TYPE_PARAMETERS: Final = {
    **dict.fromkeys(("list", "List", "array", "set", "Set", "frozenset", "Sequence", "Iterable"), 1),
    **dict.fromkeys(("dict", "Dict", "Mapping"), 2),
}

_MAX_TYPE_LENGTH = 400


def type_named(text: str) -> Any | None:
    """Return the type that a docstring's text names, or None if it is not known.

    The text is looked up in a table, never evaluated. Known are the built-in types by their Python and JSON names, and `list[…]`,
    `dict[…]`, `Optional[…]`, `Union[…]`, `Literal[…]`, `X | Y`, `X or Y` and `{'a', 'b'}` (numpydoc's choices) of known ones.
    "optional" and "default …" after a comma are left out.
    """
    text = text.strip()
    for marker in (", optional", ", default", ",optional"):
        text = text.split(marker, 1)[0]
    if not text or len(text) > _MAX_TYPE_LENGTH or "\\" in text:  # Python warns of some backslashes when it parses them
        return None
    try:
        return _type_of_node(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, _UnknownNameError, RecursionError, MemoryError, TypeError):
        return None


class _UnknownNameError(Exception):
    """A text has something other than known names."""


def _type_of_node(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and node.value is None:
        return _NONE
    if isinstance(node, ast.Name) and node.id in _TYPES_BY_NAME:
        return _TYPES_BY_NAME[node.id]
    if _is_of_typing(node):
        return _type_of_node(ast.Name(node.attr))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return typing.Union[_type_of_node(node.left), _type_of_node(node.right)]  # noqa: UP007  # None | None cannot be evaluated
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return typing.Union[tuple(_type_of_node(part) for part in node.values)]  # noqa: UP007  # of any number of types
    if isinstance(node, ast.Set):
        return _literal_type(node.elts)
    if isinstance(node, ast.Subscript) and (isinstance(node.value, ast.Name) or _is_of_typing(node.value)):
        return _type_of_subscript(node)
    raise _UnknownNameError


def _is_of_typing(node: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("typing", "t")


def _type_of_subscript(node: ast.Subscript) -> Any:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return _literal_type(parts)
    if name == "Optional" and len(parts) == 1:
        return typing.Optional[_type_of_node(node.slice)]  # noqa: UP045  # None | None cannot be evaluated
    if name in ("Union", "union"):
        return typing.Union[tuple(_type_of_node(part) for part in parts)]  # noqa: UP007  # of any number of types
    if name in ("tuple", "Tuple"):
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
            return tuple[_type_of_node(parts[0]), ...]  # type: ignore[misc]  # evaluated here, not by a type checker
        return tuple[tuple(_type_of_node(part) for part in parts)]  # type: ignore[misc]
    if len(parts) == _TYPE_PARAMETERS.get(name):
        return _TYPES_BY_NAME[name][tuple(_type_of_node(part) for part in parts)]
    raise _UnknownNameError


def _literal_type(parts: list[ast.expr]) -> Any:
    if not parts:
        raise _UnknownNameError
    return typing.Literal[tuple(_literal_value(part) for part in parts)]


def _literal_value(node: ast.expr) -> str | int | bool | None:
    """Return the value of a constant that a Literal may have."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        if isinstance(number, int) and not isinstance(number, bool):
            return -number
    raise _UnknownNameError

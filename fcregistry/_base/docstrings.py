"""Which type does a docstring name? Looked up in a table, never evaluated.

MERGED: What do sections in Google style say?

They are read here and not by docstring_parser, which drops every parameter if one line has no colon, keeps the last of two `Args:`, ends a
type at a colon inside it, does not know `Keyword Args:` or `Other Parameters:`, and takes cubic time for a line of brackets.
MERGED: What do sections in NumPy style say? As docstring_parser reads them, which knows the grammar of their entries.

It is given one section at a time, cut out and tidied: by itself it takes what follows the last entry for one more, wants a line of dashes
exactly as long as the title, and takes quadratic time for white space.
MERGED: What do the fields of reST and Epydoc say? `:param dict[str, int] limits: text`, `@param limits: text`, in any order.

They are read here and not by docstring_parser, which takes types of one word only, knows no `:ivar:`, takes prose after the last field for a
part of it, and finds a field of Epydoc in the text of another that mentions one.
MERGED: What does the head of an entry name, before its text? `limits (dict[str, int], optional): text` and its like.
MERGED: Where do the sections of a docstring begin and end? What is left between them is prose.

Every section is found by itself, in whatever style it is written: `Args:` (Google), `Parameters` over a line of dashes (NumPy), a run of
`:param x:` (reST) or `@param x:` (Epydoc). No style is chosen for the docstring, so none hides the sections of another. Each function
looks at each line once.
MERGED: What does a docstring say? The records that are read from it.
MERGED: What does a docstring say of a function, its parameters and its result?

Docstrings are data from strangers: they are read, never evaluated, in time that grows with their length and no faster, and whatever stands in
one, reading it does not fail. A line that cannot be read is left out, and said.
MERGED: How is a docstring's text taken line by line? By indentation, each function in one pass over its lines.
"""

from __future__ import annotations

import ast
import re
import typing
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docstring_parser import Docstring, DocstringReturns

# --- _doctypes ---

_NONE = type(None)
_NAMES: Final[dict[str, Any]] = {
    "any": Any,
    "object": dict[str, Any],
    "none": _NONE,
    "null": _NONE,
    "str": str,
    "string": str,
    "int": int,
    "integer": int,
    "float": float,
    "number": float,
    "bool": bool,
    "boolean": bool,
    "bytes": bytes,
    "list": list,
    "array": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "List": list,
    "Tuple": tuple,
    "Set": set,
    "Dict": dict,
    "Sequence": list,
    "Iterable": list,
    "Mapping": dict,
    "Any": Any,
    "None": _NONE,
}
# How many types stand in the brackets of each; a tuple has as many as it likes.
_GENERIC: Final = {
    **dict.fromkeys(("list", "List", "array", "set", "Set", "frozenset", "Sequence", "Iterable"), 1),
    **dict.fromkeys(("dict", "Dict", "Mapping"), 2),
}
_LONGEST = 400


def type_named(text: str) -> Any | None:
    """Return the type that a docstring's text names, or None if it names no known one.

    Known are the built-in types by their Python and JSON names, and `list[…]`, `dict[…]`, `Optional[…]`, `Union[…]`, `Literal[…]`,
    `X | Y`, `X or Y` and `{'a', 'b'}` (numpydoc's choices) of known ones; "optional" and "default …" after a comma say nothing of the type.
    """
    text = text.strip()
    for marker in (", optional", ", default", ",optional"):
        text = text.split(marker, 1)[0]
    if not text or len(text) > _LONGEST or "\\" in text:  # Python warns of some backslashes as soon as it reads them
        return None
    try:
        return _read(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, _UnknownName, RecursionError, MemoryError, TypeError):
        return None


class _UnknownName(Exception):
    """The text holds something else than known names."""


def _read(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and node.value is None:
        return _NONE
    if isinstance(node, ast.Name) and node.id in _NAMES:
        return _NAMES[node.id]
    if _is_of_typing(node):
        return _read(ast.Name(node.attr))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return typing.Union[_read(node.left), _read(node.right)]  # noqa: UP007  # None | None is no expression
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        return typing.Union[tuple(_read(part) for part in node.values)]  # noqa: UP007  # of as many as there are
    if isinstance(node, ast.Set):
        return _choice(node.elts)
    if isinstance(node, ast.Subscript) and (isinstance(node.value, ast.Name) or _is_of_typing(node.value)):
        return _subscript(node)
    raise _UnknownName


def _is_of_typing(node: ast.expr) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("typing", "t")


def _subscript(node: ast.Subscript) -> Any:
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return _choice(parts)
    if name == "Optional" and len(parts) == 1:
        return typing.Optional[_read(node.slice)]  # noqa: UP045  # None | None is no expression
    if name in ("Union", "union"):
        return typing.Union[tuple(_read(part) for part in parts)]  # noqa: UP007  # of as many as there are
    if name in ("tuple", "Tuple"):
        return _tuple(parts)
    if len(parts) == _GENERIC.get(name):
        return _NAMES[name][tuple(_read(part) for part in parts)]
    raise _UnknownName


def _tuple(parts: list[ast.expr]) -> Any:
    if len(parts) == 2 and _is_ellipsis(parts[1]):
        return tuple[_read(parts[0]), ...]  # type: ignore[misc]  # read here, not when this is type-checked
    return tuple[tuple(_read(part) for part in parts)]  # type: ignore[misc]


def _choice(parts: list[ast.expr]) -> Any:
    if not parts:
        raise _UnknownName
    return typing.Literal[tuple(_constant(part) for part in parts)]


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _constant(node: ast.expr) -> str | int | bool | None:
    """Return a value that a Literal may have."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | None):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        if isinstance(number, int) and not isinstance(number, bool):
            return -number
    raise _UnknownName


# --- _docstrings._google ---

# `name: text`, `name (type): text`, and as in PEP 257 `name -- text`, after a bullet or not; for other heads there is `cut_at_colon`.
_PLAIN: Final = re.compile(r" *(?:[-*+•] +)?([^\s:(,]+)(?:\s*\(([^()]*)\))? *(?::|(?<= )--? )")


def read_google(section: Section, said: Said) -> None:
    """Note what a section says: entries of names, or the text about a result."""
    if section.kind in ("returns", "yields"):
        said.describe_result(section.kind, _google_result(joined(section.lines)))
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


def _google_result(text: str) -> str:
    """Return the text about a result without the type before it: `dict[str, int]: text`."""
    parts = cut_at_colon(text)
    if parts is None or not _is_type(parts[0]) or parts[1].startswith("//"):  # `https:` is no type
        return text
    return text_after(parts[1])


def _is_type(text: str) -> bool:
    """Tell a type from words of a sentence: outside its brackets it is one word, or several with `|` between."""
    outside = text.partition("[")[0] + text.rpartition("]")[2] if "[" in text else text
    return text != "" and " " not in " ".join(outside.split()).replace(" | ", "|")


# --- _docstrings._numpy ---


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
        said.describe_result(section.kind, _numpy_result(parsed.many_returns))


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


def _numpy_result(returns: list[DocstringReturns]) -> str:
    """Return the text about a result; of several that are described, each with its name or type."""
    described = [each for each in returns if each.description]
    if len(described) == 1:
        return described[0].description or ""
    return "\n".join(f"{each.return_name or each.type_name}: {each.description}" for each in described)


# --- _docstrings._fields ---

_FIELDS_KINDS: Final = {
    **dict.fromkeys(("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "type"), "parameters"),
    **dict.fromkeys(("ivar", "cvar", "var", "attribute", "vartype"), "attributes"),
    **dict.fromkeys(("return", "returns"), "returns"),
    **dict.fromkeys(("yield", "yields"), "yields"),
}  # the others, such as `raises` and `rtype`, say nothing that is used


def read_fields(lines: list[str], said: Said) -> None:
    """Note what a run of fields says."""
    for field in _fields(lines):
        parts = cut_at_colon("\n".join(field)[1:])
        words = parts[0].split() if parts else []
        kind = _FIELDS_KINDS.get(words[0]) if words else None
        if parts is None or not words:
            said.cannot_read(field[0])
        elif kind in ("returns", "yields"):
            said.describe_result(kind, text_after(parts[1]))
        elif kind is not None and not _describe(kind, words, text_after(parts[1]), said):
            said.cannot_read(field[0])


def _fields(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each field: other lines at the margin go on with the text of the one above."""
    margin = indentation(lines[0])
    field: list[str] = []
    for line in lines:
        if indentation(line) <= margin and FIELD.match(line.lstrip()):
            if field:
                yield field
            field = [line.lstrip()]
        else:
            field.append(line)
    yield field


def _describe(kind: str, words: list[str], text: str, said: Said) -> bool:
    """Note what a field says of the name that is its last word, after its type; tell whether it has one."""
    keyword, *type_, name = words if len(words) > 1 else (*words, "")
    names = names_in(name)
    if keyword in ("type", "vartype"):
        said.describe(kind, names, "", type_in(text))
    else:
        said.describe(kind, names, text, type_in(" ".join(type_)))
    return bool(names)


# --- _docstrings._heads ---

_TOKEN: Final = re.compile(r"""[()\[\]{}:\n]|"[^"\s]*"|'[^'\s]*'""")  # an apostrophe in prose begins no quotation
_NAME: Final = re.compile(r"[^\W\d][\w.-]*")


def cut_at_colon(text: str) -> tuple[str, str] | None:
    """Return what stands before and after the first colon outside brackets and quotations, or None if its line has none.

    A line may end within brackets: the head goes on in the next one.
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


def names_in(text: str) -> list[str]:
    r"""Return the names in `x`, `x, y`, `**kwargs`, `\*args`, `my\_name`, `'x'` or one in backticks, bare; none if it is anything else."""
    if text.isidentifier():
        return [text]
    names = [name.replace("\\", "").strip(" -+•*`'\"") for name in text.split(",")]
    if names[-1] == "..." and len(names) > 1:  # `a1, a2, ...`
        names.pop()
    return names if all(_NAME.fullmatch(name) for name in names) else []


def type_in(text: str) -> str | None:
    """Return a type without what follows it of being optional or of defaults, or None if nothing else is said."""
    if not text:
        return None
    type_ = " ".join(text.split())
    for marker in (", optional", ",optional", ", default"):
        type_ = type_.partition(marker)[0]
    return None if type_ in ("", "optional") else type_


# --- _docstrings._sections ---

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
_SECTIONS_KINDS: Final = {title.lower(): kind for title, kind in _TITLES.items()}
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
    kind = _SECTIONS_KINDS.get(line.removesuffix(":").lower()) if len(line) < _TOO_LONG else None
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


# --- _docstrings._said ---


class DocumentedParameter(NamedTuple):
    """What a docstring says of one parameter: its name without stars, its text, and its type as text."""

    name: str
    description: str
    type: str | None


class Documentation(NamedTuple):
    """What a docstring says.

    Attributes:
        summary: The first paragraph, as one line.
        description: All prose, before, between and after the sections: what a model reads of the whole.
        parameters: Name -> what is said of it.
        returns: What is said of the result, or of what is yielded.
        unread: Lines that could not be read as part of their section.
        attributes: Name -> what is said of it: the fields of a dataclass or TypedDict.
    """

    summary: str
    description: str
    parameters: dict[str, DocumentedParameter]
    returns: str | None
    unread: tuple[str, ...]
    attributes: dict[str, DocumentedParameter] = {}  # noqa: RUF012  # nobody writes into a record


class Said:
    """What the sections of one docstring say, gathered as they are read."""

    def __init__(self) -> None:
        self.parameters: dict[str, DocumentedParameter] = {}
        self.attributes: dict[str, DocumentedParameter] = {}
        self.returns: str | None = None
        self.yields: str | None = None
        self.unread: list[str] = []

    def describe(self, kind: str, names: list[str], description: str, type_: str | None) -> None:
        """Note what is said of parameters or attributes, beside what else is said of them; said twice, the later stands."""
        entries = self.attributes if kind == "attributes" else self.parameters
        for name in names:
            known = entries.get(name)
            if known is not None:
                description, type_ = description or known.description, type_ or known.type
            entries[name] = DocumentedParameter(name, description, type_)

    def describe_result(self, kind: str, text: str) -> None:
        """Note what is said of the result; what is said first stands."""
        if kind == "yields":
            self.yields = self.yields or text or None
        else:
            self.returns = self.returns or text or None

    def cannot_read(self, line: str) -> None:
        """Note a line that is no entry of its section. "None" in a section says nothing, and nothing of it is lost."""
        if line.rstrip(".").lower() not in ("none", "n/a"):
            self.unread.append(line)


# --- _docstrings ---

NOTHING_SAID: Final = Documentation("", "", {}, None, ())
"""What no docstring says."""


def read_docstring(text: str | None) -> Documentation:
    """Return what a docstring says, in Google, NumPy, reST or Epydoc style, or in several of them.

    All prose is the description, wherever it stands: what a caller must know. `Note:` and `Warning:` are prose, as in `Note: text`. Sections
    about parameters, attributes, the result and what is raised are not, nor are examples, references, `See Also:` and `Todo:`, which
    speak to the readers of the code.

    Args:
        text: A docstring as it stands in the source, or None.
    """
    if not isinstance(text, str):
        return NOTHING_SAID  # a callable object's `__doc__` may be anything
    prose, sections = cut(clean(text))
    said = Said()
    for section in sections:
        if section.style == "fields":
            read_fields(section.lines, said)
        elif section.kind != "aside":
            (read_google if section.style == "google" else read_numpy)(section, said)
    description = "\n".join(prose).strip()
    summary = " ".join(description.partition("\n\n")[0].split())
    return Documentation(
        summary, description, said.parameters, said.returns or said.yields, tuple(said.unread), said.attributes
    )


# --- _docstrings._lines ---


def clean(text: str) -> list[str]:
    """Return the lines of a docstring without the indentation of the source, and with one blank line where there are several.

    As PEP 257 describes it, and `inspect.cleandoc` does; that one takes quadratic time for blank lines at the start, and leaves
    the line ends of Windows.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    first, *others = text.expandtabs().split("\n")
    lines: list[str] = []
    above = first.strip()
    if above:
        lines.append(above)
    for line in dedented(others):
        if line or above:
            lines.append(line)
        above = line
    if lines and not lines[-1]:
        lines.pop()
    return lines


def indentation(line: str) -> int:
    """Return how many characters of white space a line begins with."""
    return len(line) - len(line.lstrip())


def dedented(lines: list[str]) -> list[str]:
    """Return lines without the indentation that all of them have, and without white space at their ends."""
    lines = [line.rstrip() for line in lines]
    margin = min([len(line) - len(line.lstrip()) for line in lines if line], default=0)
    return [line[margin:] for line in lines] if margin else lines


def joined(lines: list[str]) -> str:
    """Return the text of a section, without the indentation that all lines have."""
    return "\n".join(dedented(lines)).strip()


def text_after(first: str) -> str:
    """Return the text that begins in the line of its entry: the indentation of its other lines is theirs alone."""
    if "\n" not in first:
        return first.strip()
    line, _, others = first.partition("\n")
    return "\n".join([line.strip(), *dedented(others.split("\n"))]).strip()

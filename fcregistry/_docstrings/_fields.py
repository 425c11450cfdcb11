"""What do the fields of reST and Epydoc say? `:param dict[str, int] limits: text`, `@param limits: text`, in any order.

They are read here and not by docstring_parser, which takes types of one word only, knows no `:ivar:`, takes prose after the last field for a
part of it, and finds a field of Epydoc in the text of another that mentions one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._docstrings._heads import cut_at_colon, names_in, type_in
from fcregistry._docstrings._lines import indentation, text_after
from fcregistry._docstrings._sections import FIELD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry._docstrings._said import Said

_KINDS: Final = {
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
        kind = _KINDS.get(words[0]) if words else None
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

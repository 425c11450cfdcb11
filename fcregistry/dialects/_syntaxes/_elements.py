"""How are calls written with the tool's name in an element of its own, and an element for each value? As Claude wrote them before 2024."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._source import Marks
from fcregistry.dialects._syntaxes._bare_text import keep, white_space
from fcregistry.dialects._waking import one_of

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, Source

_NAME: Final = re.compile(r"[^<>\n]*")
_AFTER_NAME: Final = one_of("<>\n")


def read_elements(source: Source) -> Reading[ToolCall | None]:
    """Take a call from behind `<invoke>` to behind `</invoke>`: `<tool_name>` and `<parameters>` with an element for each value."""
    name = yield from _element(source, "tool_name")
    yield from source.space()
    if not name or not (yield from source.take("<parameters>")):
        return None
    arguments: dict[str, Any] = {}
    while True:
        yield from source.space()
        if (yield from source.take("</parameters>")):
            yield from source.space()
            return ToolCall(name, arguments) if (yield from source.take("</invoke>")) else None
        if not (yield from source.take("<")):
            return None
        key = yield from source.run(_NAME, _AFTER_NAME)
        if not key or key.startswith("/") or not (yield from source.take(">")):
            return None
        text = yield from _value(source, f"{key}>")
        if text is None:
            return None
        keep(arguments, key, source.shapes.value(name, key, text), source)


def _element(source: Source, tag: str) -> Reading[str]:
    """Take an element that holds a name; return the name, or nothing where there is none."""
    yield from source.space()
    if not (yield from source.take(f"<{tag}>")):
        return ""
    name = yield from source.run(_NAME, _AFTER_NAME)
    return name.strip() if (yield from source.take(f"</{tag}>")) else ""


def _value(source: Source, closes: str) -> Reading[str | None]:
    """Take a value, the tag that closes it, where another tag follows, and white space; return the value, or None where it does not end.

    Of elements of its own name in it, each takes a closing tag. The end of a call makes it none.
    """
    pieces: list[str] = []
    marks, depth = Marks("</", f"<{closes}"), 0
    while True:
        text, mark = yield from source.until(marks)
        pieces.append(text)
        if not mark:
            return None
        if mark != "</":
            depth += 1
            pieces.append(mark)
            continue
        tag = yield from source.take(closes, "invoke>")
        space = yield from white_space(source)
        if tag == closes and depth:
            depth -= 1
        elif tag == closes and (yield from source.is_next("<")):
            return "".join(pieces)
        elif tag == "invoke>":
            return None
        pieces += (mark, tag, space)

"""The syntaxes of calls with an element for each parameter.

- `read_nested`: as MiniMax M3 writes them, with the members or items of a value within its element. `]<]minimax[>[` precedes each tag, so
  nothing else in a text is one.
- `read_elements`: as Claude wrote them before 2024, with the name in an element of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry._base.json import MAX_DEPTH
from fcregistry.dialects._dialect import json_text
from fcregistry.dialects._json_text import kinds_of, schema_of_kind, value_by_schema
from fcregistry.dialects._source import TextMarks
from fcregistry.dialects._syntax_json import arguments_of, name_of
from fcregistry.dialects._syntax_tags import IN_HEAD, add_argument, take_more_ends, take_tag, written_again

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, TextSource

# --- MiniMax M3 ---

_MARK: Final = "]<]minimax[>["
_TO_MARK: Final = TextMarks(_MARK)
_TAG_NAME: Final = re.compile(r"[^<>/\n\[\]]*")

Element: TypeAlias = "str | list[tuple[str, Element]]"
"""The text of an element, or the elements in it, each with its name."""

_TEXT: Final = "$text"
"""The name of an element for text beside elements, as in the parser of vLLM."""


class _OpenElement(NamedTuple):
    """An element whose end is not read yet.

    Attributes:
        name: Its name.
        inside: The elements in it, each with its name.
        texts: The texts in it.
    """

    name: str
    inside: list[tuple[str, Element]]
    texts: list[str]

    def value(self, repairs: list[str]) -> Element:
        """Return the text, or the elements.

        Text beside elements is one more element, with a name that no other has; then `repairs` gets a sentence.
        """
        text = "".join(self.texts)
        if not self.inside:
            return text
        if not text.strip():
            return self.inside
        key, names = _TEXT, {name for name, _ in self.inside}
        while key in names:
            key = f"${key}"
        repairs.append(f"the text beside the elements in {self.name!r} is read as an element {key!r}")
        return [*self.inside, (key, text.strip())]


def read_nested(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read calls from the end of the mark that opens a section, or a call; return None if there are none."""
    calls: list[ToolCall] = []
    is_open = mark.endswith("<invoke")
    while True:
        if not is_open:
            tag = yield from _take_mark(source, "<invoke", "</tool_call>")
            if tag != "<invoke":
                return calls or None
        about = yield from take_tag(source, "<invoke")
        name = (about or {}).get("name", "").strip()
        elements = (yield from _take_elements(source)) if name else None
        if elements is None:
            return calls or None
        root = source.shapes.of(name)
        arguments: dict[str, Any] = {}
        for key, element in elements:
            add_argument(arguments, key, _value(element, _place(root, key), root), source)
        calls.append(ToolCall(name, arguments))
        source.begin(source.place)
        is_open = False


def _take_mark(source: TextSource, *tags: str) -> Reading[str]:
    """Take white space, and `]<]minimax[>[` with whichever of `tags` follows it; return that tag.

    Return an empty string if none follows; then only white space is taken.
    """
    yield from source.space()
    found = yield from source.take(*(f"{_MARK}{tag}" for tag in tags))
    return found.removeprefix(_MARK)


def _take_elements(source: TextSource) -> Reading[list[tuple[str, Element]] | None]:
    """Take elements up to the end of the call, and return pairs of name and element, in order.

    The list is empty without arguments. Return None if the elements are malformed, cut off or nested too deeply.
    """
    open_elements: list[_OpenElement] = [_OpenElement("invoke", [], [])]
    repairs: list[str] = []
    closed = ""
    while True:
        text, mark = yield from source.until(_TO_MARK)
        yield from source.space()
        tag = yield from source.take("</", "<")
        name = yield from source.run(_TAG_NAME)
        if not mark or not tag or not name or not (yield from source.take(">")):
            return None
        element = open_elements[-1]
        element.texts.append(text)
        if tag == "<":
            if name in ("invoke", "tool_call") or len(open_elements) > MAX_DEPTH:
                return None
            open_elements.append(_OpenElement(name, [], []))
            closed = ""
            continue
        if name != element.name:
            if name != closed or text.strip():
                return None
            repairs.append(written_again(f"</{name}>"))
            continue
        open_elements.pop()
        closed = name
        value = element.value(repairs)
        if open_elements:
            open_elements[-1].inside.append((name, value))
            continue
        if isinstance(value, str):
            return None if value.strip() else []
        source.repairs += repairs
        return value


def _place(schema: Mapping[str, Any], key: str) -> Any:
    """Return the schema of the member `key` of an object that `schema` describes.

    That is its schema in `properties`, or else `additionalProperties`; None if the schema has neither.
    """
    properties = schema.get("properties")
    others = schema.get("additionalProperties")
    return properties.get(key, others) if isinstance(properties, Mapping) else others


def _value(element: Element, place: Any, root: Mapping[str, Any]) -> Any:
    """Return the JSON value of `element`, by its schema `place`; `root` is the schema for references.

    A text is read by the schema, and an empty one may be an empty array or object. Elements that are all called `item` are an array, unless an
    object is expected; others are an object, in which several elements of one name are the items of an array.
    """
    kinds = kinds_of(place, root)
    if isinstance(element, str):
        if not element.strip() and kinds in ({"array"}, {"object"}):
            return [] if kinds == {"array"} else {}
        return value_by_schema(element, place, root)
    if "object" not in kinds and all(key == "item" for key, _ in element):
        items = schema_of_kind(place, root, "array").get("items")
        return [_value(each, items, root) for _, each in element]
    schema = schema_of_kind(place, root, "object")
    members: dict[str, list[Any]] = {}
    for key, each in element:
        members.setdefault(key, []).append(_value(each, _place(schema, key), root))
    return {key: values if len(values) > 1 else values[0] for key, values in members.items()}


def write_nested(calls: Sequence[ToolCall]) -> str:
    """Write calls with an element for each parameter.

    Objects and arrays are written as JSON, so that all values in them keep their types.

    Raises:
        ValueError: A name or a text holds the mark of tags.
    """
    written = "".join(map(_call_text, calls))
    return f"{_MARK}<tool_call>\n{written}{_MARK}</tool_call>" if calls else ""


def _call_text(call: ToolCall) -> str:
    """Return the text of `call` with an element for each argument.

    Raises:
        ValueError: A name cannot be a tag's, a text contains the mark `]<]minimax[>[`, or arguments are text that is not a JSON object.
    """
    elements = []
    for key, value in arguments_of(call).items():
        text = value if isinstance(value, str) else json_text(value).replace("]<]", "]\\u003c]")
        if _MARK[:2] in text[-len(_MARK) :] or _MARK in text or not _TAG_NAME.fullmatch(key) or not key.strip():
            raise ValueError(f"the argument {key!r} cannot be written as an element")
        elements.append(f"{_MARK}<{key}>{text}{_MARK}</{key}>")
    name = name_of(call)
    if any(character in name for character in '"<>\n'):
        raise ValueError(f"the name {name!r} cannot be written in a tag")
    return f'{_MARK}<invoke name="{name}">{"".join(elements)}{_MARK}</invoke>\n'


# --- Claude before 2024 ---


def read_elements(source: TextSource) -> Reading[ToolCall | None]:
    """Take a call from the end of `<invoke>` to the end of `</invoke>`, and return it.

    Return None if the text is not a call.

    A call contains `<tool_name>`, and `<parameters>` with an element for each value.
    """
    yield from source.space()
    if not (yield from source.take("<tool_name>")):
        return None
    name = (yield from source.run(IN_HEAD)).strip()
    if not name or not (yield from source.take("</tool_name>")):
        return None
    yield from source.space()
    if not (yield from source.take("<parameters>")):
        return None
    arguments: dict[str, Any] = {}
    while True:
        yield from source.space()
        if (yield from source.take("</parameters>")):
            yield from source.space()
            return ToolCall(name, arguments) if (yield from source.take("</invoke>")) else None
        if not (yield from source.take("<")):
            return None
        key = yield from source.run(IN_HEAD)
        if not key or key.startswith("/") or not (yield from source.take(">")):
            return None
        text = yield from _take_element_value(source, f"{key}>")
        if text is None:
            return None
        add_argument(arguments, key, source.shapes.value(name, key, text), source)


def _take_element_value(source: TextSource, closes: str) -> Reading[str | None]:
    """Take the value of an element, its closing tag `closes`, and white space; return the value's text.

    A closing tag ends the value only if another tag follows, and no element of the same name is open in the value. Return None if the value does
    not end before the call or the text. `closes` is the tag without its `</`.
    """
    pieces: list[str] = []
    marks, depth = TextMarks("</", f"<{closes}"), 0
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
        space = yield from source.space()
        if tag == closes and depth:
            depth -= 1
        elif tag == closes and (yield from source.is_next("<")):
            yield from take_more_ends(source, f"</{closes}")
            return "".join(pieces)
        elif tag == "invoke>":
            return None
        pieces += (mark, tag, space)

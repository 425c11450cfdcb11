"""The syntax of ReAct: calls on labelled lines, `Action: name` with `Action Input: …` below it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall, UnreadArguments
from fcregistry.dialects._dialect import json_text
from fcregistry.dialects._json_text import (
    FAILED,
    LANGUAGE,
    RefusedText,
    json_value,
    other_after_mark,
    other_json,
    read_value,
)
from fcregistry.dialects._source import TextMarks, none_of
from fcregistry.dialects._syntax_json import ITEM_LEFT_OUT, arguments_of, name_of
from fcregistry.dialects._syntax_python import call_of_text
from fcregistry.dialects._syntax_tags import add_argument

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, TextSource

LABELS: Final = ("Thought:", "Action:", "Observation:", "Final Answer:", "Answer:")
"""Labels at the beginning of a line that is not an input."""

INPUT_LABEL: Final = "Action Input:"
_NO_NAME: Final = (INPUT_LABEL, *LABELS, "```", "{")
_NONE: Final = "|".join(map(re.escape, _NO_NAME))
_CALL_ON_LINE: Final = r"[`*]*+[\w.\-]++\("
NO_INPUT: Final = rf"\s*+(?:(?={_NONE})|{none_of(*_NO_NAME)}(?!{_CALL_ON_LINE})[^\nA]*+(?:A(?!ction:)[^\nA]*+)*+\n\s*+{none_of(INPUT_LABEL)})"
"""The pattern of the text after `Action:` if neither a name with an input nor a call follows."""
_INPUT: Final = rf"[^\n]*+\n\s*+{INPUT_LABEL}"
NO_ACTION_LINE: Final = rf"(?!\s*+(?!{_NONE})(?:{_CALL_ON_LINE}|{_INPUT}))"
"""The pattern of the place after `Action:` in a whole text, if `read_action` finds nothing that a call may begin with."""
has_input: Final = re.compile(rf"\s*+{_INPUT}").match
"""Returns whether the label of an input is on the line after an action, from the end of `Action:` on."""
_LINE: Final = TextMarks("\n")
_NEXT_LABEL: Final = TextMarks(*(f"\n{label}" for label in LABELS))
_FENCE: Final = TextMarks("```")
_BLANKS: Final = re.compile(r"[ \t]*")
_LANGUAGE: Final = re.compile(LANGUAGE)
NO_ACTION: Final = other_json("action")
LABEL_ALONE: Final = r"(?=\s*+(?![`{]|\[\s*+\{|\Z))"
"""The pattern of the place after `Action:` where `read_labelled_object` takes the label alone."""
NO_FENCED_ACTION: Final = LANGUAGE + other_after_mark("action")
_NOT_LITERALS: Final = (
    "the arguments are not literals of Python on the line of the action; write the name alone on this line, "
    f"and the arguments as a JSON object after {INPUT_LABEL!r} on the next one"
)
_ACTION_NAME: Final = re.compile(r"[`'\"*]*([\w.\-]+)[`'\"*]*(?:\s*\(.*\))?\s*").fullmatch
_WRAPPED: Final = re.compile(r"[\w.]+\((\{.*\})\)", re.DOTALL).fullmatch
_TEXT_WITHOUT_MARKS: Final = re.compile(r"""[^"\\{}\[\]<>\n]*+""")
_WORD: Final = re.compile(r"[\w.+\-]*+")
_NOTHING: Final = frozenset({"", "none", "null", "n/a"})


def read_action(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call from the end of the label `Action:` on.

    The name is on the line of the label, or on the next one, and the input below it, as JSON or as text. If no input is below it, the line may be
    a call as Python writes it.
    """
    yield from source.space()
    if (yield from source.is_next(*_NO_NAME)):
        return None
    line, end = yield from source.until(_LINE)
    name = line.strip()
    yield from source.space()
    if not end or not name or not (yield from source.take(INPUT_LABEL)):
        return _call_on_line(name.strip("`*"), source, is_cut_off=not end)
    found = _ACTION_NAME(name)
    return (yield from _read_input(source, found[1] if found else name))


def _call_on_line(text: str, source: TextSource, *, is_cut_off: bool) -> list[ToolCall] | None:
    """Return a list with the call that the line `text` is, as Python writes it, or None.

    If the line calls a known tool, but not with literals, or the call continues on the next line, the executor refuses it. If the dialect is
    only assumed, and the tools are known, a call of another tool is prose.

    Args:
        text: The line, without outer space and marks of Markdown.
        source: The text that contains it.
        is_cut_off: Whether the text ends with the line. A call that is not closed is then cut off.
    """
    written = call_of_text(text, source.shapes)
    if written is None or (is_cut_off and not written.is_closed):
        return None
    is_known = written.name in source.shapes
    if written.call:
        return [written.call] if is_known or not (source.is_assumed and source.shapes.are_known) else None
    return [ToolCall(written.name, UnreadArguments(written.arguments, _NOT_LITERALS))] if is_known else None


def _read_input(source: TextSource, name: str) -> Reading[list[ToolCall] | None]:
    """Read the input after its label, and return a list with the call of `name`.

    The input is a JSON object, in a code fence or not, or text up to the next label; it is empty if only white space precedes that. Return None
    if the input is malformed JSON, or cut off.
    """
    yield from source.run(_BLANKS)
    if (yield from source.is_next("\n")):
        yield from source.space()
        if (yield from source.is_next(*LABELS)):
            return _call_of_text(name, "", source)
    if (yield from source.take("```")):
        return (yield from _read_fenced_input(source, name))
    if (yield from source.is_next("{")):
        return _call_of_value(name, (yield from json_value(source, "{")))
    text, label = yield from source.until(_NEXT_LABEL)
    text = text.strip()
    if not label and "```".startswith(text):
        return None  # the input is cut off
    source.place -= max(len(label) - 1, 0)
    return _call_of_text(name, text, source)


def _read_fenced_input(source: TextSource, name: str) -> Reading[list[ToolCall] | None]:
    """Read an input in a code fence, a JSON object or text, and return a list with the call of `name`.

    Return None if the input is malformed JSON, or cut off.
    """
    yield from source.run(_LANGUAGE)
    yield from source.space()
    if (yield from source.is_next("{")):
        calls = _call_of_value(name, (yield from json_value(source, "{")))
        if calls:
            yield from source.space()
            yield from source.close("```")
        return calls
    text, end = yield from source.until(_FENCE)
    return _call_of_text(name, text.rstrip(), source) if end else None


def _call_of_value(name: str, value: Any) -> list[ToolCall] | None:
    """Return a list with the call of `name` and the arguments `value`, or None if `value` is `FAILED`.

    The arguments of a `RefusedText` are its text.
    """
    if value is FAILED:
        return None
    return [ToolCall(name, value.text if isinstance(value, RefusedText) else value)]


def _call_of_text(name: str, text: str, source: TextSource) -> list[ToolCall]:
    """Return a list with the call of the tool `name`, whose input is `text`.

    `text` is the value of the tool's only (required) parameter, an object within `name({…})`, or text for the executor to refuse. A tool without
    parameters is called without arguments if `text` is empty, or a word like "none".
    """
    parameters = _text_parameters(source.shapes.of(name))
    if len(parameters) == 1:
        return [ToolCall(name, {parameters[0]: source.shapes.value(name, parameters[0], _strip_quotes(text))})]
    if text.lower() in _NOTHING and not parameters:
        return [ToolCall(name, {})]
    wrapped = _WRAPPED(text)
    return (_call_of_value(name, read_value(wrapped[1], source.repairs)) if wrapped else None) or [ToolCall(name, text)]


def _text_parameters(schema: Mapping[str, Any]) -> list[str]:
    """Return the names of the required parameters in `schema`, or of all if none is required."""
    properties, required = schema.get("properties"), schema.get("required")
    names = list(properties) if isinstance(properties, Mapping) else []
    return [name for name in names if name in required] if isinstance(required, list) and required else names


def _strip_quotes(text: str) -> str:
    """Return `text` without the quotes around it.

    Return `text` itself if it is not between two equal quotes, or contains the same quote inside.
    """
    inside = text[1:-1]
    return inside if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in inside else text


# --- ReAct with JSON, and LangChain's XML ---


def read_action_object(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call as JSON: an object with `action` and `action_input`.

    The input of the action "Final Answer" is content.
    """
    source.place -= len(mark)
    value = yield from json_value(source, "{")
    return _call_of_action(value, source)


def read_action_objects(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call as JSON in a code fence, whatever language the fence names."""
    yield from source.run(_LANGUAGE)
    calls = _call_of_action((yield from json_value(source, "{")), source)
    if calls is not None:
        yield from source.space()
        yield from source.close("```")
    return calls


def read_labelled_object(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call as JSON, in a code fence or not, or an array of calls.

    Without JSON, return an empty list, so that only the label is taken.
    """
    yield from source.space()
    begun = yield from source.is_next("```", "{", "[{", "[ ", "[\n")
    if begun == "```":
        source.take_characters(len(begun))
        return (yield from read_action_objects(source, mark))
    if begun == "{":
        return (yield from read_action_object(source, ""))
    return (yield from _read_actions(source)) if begun else []


def _read_actions(source: TextSource) -> Reading[list[ToolCall] | None]:
    """Read the actions of a JSON array, up to its end, or up to text that is not an item.

    Items that are not actions are left out, with a repair. Return None if no item is an action.
    """
    source.take_characters(1)
    actions: list[list[ToolCall]] = []
    texts: list[str] = []
    mark = ","
    while mark == ",":
        yield from source.space()
        if (yield from source.take("]")):
            break
        value = yield from _read_item(source)
        found = _call_of_action(value, source)
        if found is not None:
            actions.append(found)
            texts.append(source.left)
            source.left = ""
            source.begin(source.place)
        yield from source.space()
        mark = yield from source.is_next(",", "]")
        if found is None and (value is FAILED or not mark):
            texts.append(source.since())
            break
        if found is None:
            source.repairs.append(ITEM_LEFT_OUT)
            if actions:
                source.begin(source.place)
        source.take_characters(len(mark))
    source.left = "\n".join(filter(None, texts)) if actions else ""
    return [call for each in actions for call in each] if actions else None


def _read_item(source: TextSource) -> Reading[Any]:
    """Take the item of a JSON array that comes next, and return its value, or `FAILED` if none comes.

    A string with marks in which a call may begin is not taken: its quote may be one of prose.
    """
    if (yield from source.is_next("{", "[")):
        return (yield from json_value(source))
    if (yield from source.take('"')):
        text = yield from source.run(_TEXT_WITHOUT_MARKS)
        return text if (yield from source.take('"')) else FAILED
    return read_value((yield from source.run(_WORD)), [])


def _call_of_action(value: Any, source: TextSource) -> list[ToolCall] | None:
    """Return a list with the call that the JSON value `value` represents, or None if it is not an action.

    For a final answer, return an empty list, and put the answer into `source.left`. An input that is text is read as `_call_of_text` says. A
    `RefusedText` can be an action, too.
    """
    if isinstance(value, RefusedText):
        return value.calls(("action",), ("action_input",))
    if not isinstance(value, dict) or not value.keys() >= {"action", "action_input"}:
        return None
    name, given = value["action"], value["action_input"]
    if not isinstance(name, str) or not name.strip():
        return None
    if name.strip().lower() == "final answer":
        source.left = given if isinstance(given, str) else json_text(given)
        return []
    if isinstance(given, str):
        return _call_of_text(name.strip(), given, source)
    return [ToolCall(name.strip(), given if isinstance(given, dict) else {} if given is None else json_text(given))]


def write_action_objects(calls: Sequence[ToolCall]) -> str:
    """Write calls as JSON in code fences.

    Raises:
        ValueError: A name is empty, has space around it, or is "Final Answer".
    """
    for call in calls:
        if name_of(call).lower() == "final answer":
            raise ValueError("a call cannot have the name 'Final Answer': it would be read as the answer")
    objects = ({"action": call.name, "action_input": arguments_of(call)} for call in calls)
    return "\n".join(f"Action:\n```json\n{json_text(each)}\n```" for each in objects)


_END_OF_TOOL: Final = TextMarks("</tool>")
_END_OF_INPUT: Final = TextMarks("</tool_input>")
_ELEMENT: Final = re.compile(r"\s*<([\w.\-]+)>(.*?)</\1>", re.DOTALL)


def read_tool(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call of LangChain's XML: `<tool>name</tool><tool_input>…</tool_input>`.

    The input is text, JSON, or an element for each parameter.
    """
    name, end = yield from source.until(_END_OF_TOOL)
    yield from source.space()
    if not end or not name.strip() or not (yield from source.take("<tool_input>")):
        return None
    text, end = yield from source.until(_END_OF_INPUT)
    return _call_of_input(name.strip(), text, source, bool(end))


def _call_of_input(name: str, text: str, source: TextSource, is_closed: bool) -> list[ToolCall] | None:
    """Return a list with the call of the tool `name` and the input `text`.

    The input is elements, a JSON object, or plain text. Return None if it is not closed (`is_closed` is false), and is empty, or incomplete
    elements or JSON.
    """
    arguments: dict[str, Any] = {}
    place = 0
    while found := _ELEMENT.match(text, place):
        add_argument(arguments, found[1], source.shapes.value(name, found[1], found[2]), source)
        place = found.end()
    if arguments and not text[place:].strip():
        return [ToolCall(name, arguments)]
    text = text.strip()
    value = read_value(text, source.repairs) if text[:1] == "{" else FAILED
    if isinstance(value, (dict, RefusedText)):
        return _call_of_value(name, value)
    return _call_of_text(name, text, source) if is_closed or text[:1] not in ("", "{", "<") else None


def write_tools(calls: Sequence[ToolCall]) -> str:
    """Write calls as LangChain's XML, with JSON as the input.

    Raises:
        ValueError: The name or the arguments contain a tag that ends them.
    """
    return "\n".join(map(_tool_text, calls))


def _tool_text(call: ToolCall) -> str:
    """Return `call` as LangChain's XML.

    Raises:
        ValueError: The name contains `</tool>`, is empty or has space around it, or the arguments are text that is not a JSON object.
    """
    name = name_of(call)
    if "</tool>" in name:
        raise ValueError(f"the name {name!r} cannot be written within tags")
    arguments = json_text(arguments_of(call)).replace("</", "<\\/")
    return f"<tool>{name}</tool><tool_input>{arguments}</tool_input>"


def read_label(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take a label with the colon at its end, and return no calls, or None without a colon."""
    return [] if mark.endswith(":") or (yield from source.take(":")) else None


def read_rest(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take all text that follows, which is not part of the answer; return no calls."""
    yield from source.rest()
    return []


def write_actions(calls: Sequence[ToolCall]) -> str:
    """Write calls as labelled lines.

    Raises:
        ValueError: A name cannot be written on a line, or the arguments are not JSON.
    """
    return "\n".join(map(_action_text, calls))


def _action_text(call: ToolCall) -> str:
    """Return `call` as two labelled lines, the name and the input as JSON.

    Raises:
        ValueError: The name cannot be written on a line, or the arguments are text that is not a JSON object.
    """
    found = _ACTION_NAME(call.name)
    if not found or found[1] != call.name:
        raise ValueError(f"the name {call.name!r} cannot be written on the line of an action")
    return f"Action: {call.name}\n{INPUT_LABEL} {json_text(arguments_of(call))}"

"""The syntax of ReAct: calls on labelled lines, `Action: name` with `Action Input: …` below it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.call import ToolCall
from fcregistry.dialects._dialect import json_text
from fcregistry.dialects._json_text import FAILED, RefusedText, json_value, read_value
from fcregistry.dialects._source import TextMarks
from fcregistry.dialects._syntax_json import arguments_of

if TYPE_CHECKING:
    from fcregistry.dialects._source import Reading, TextSource

LABELS: Final = ("Thought:", "Action:", "Observation:", "Final Answer:", "Answer:")
"""Labels at the beginning of a line that is not an input."""

INPUT_LABEL: Final = "Action Input:"
_LINE: Final = TextMarks("\n")
_NEXT_LABEL: Final = TextMarks(*(f"\n{label}" for label in LABELS))
_FENCE: Final = TextMarks("```")
_BLANKS: Final = re.compile(r"[ \t]*")
_LANGUAGE: Final = re.compile(r"[\w+\-]*")
_ACTION_NAME: Final = re.compile(r"[`'\"*]*([\w.\-]+)[`'\"*]*(?:\s*\(.*\))?\s*").fullmatch
_WRAPPED: Final = re.compile(r"[\w.]+\((\{.*\})\)", re.DOTALL).fullmatch
_NOTHING: Final = frozenset({"", "none", "null", "n/a"})


def read_action(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Read a call from after `Action:`.

    The name is on its line, or on the next one, and the input below it, as JSON or as text.
    """
    yield from source.space()
    if (yield from source.is_next(INPUT_LABEL, *LABELS)):
        return None
    line, end = yield from source.until(_LINE)
    name = line.strip()
    if not name or not end:
        return None
    yield from source.space()
    if not (yield from source.take(INPUT_LABEL)):
        return None
    found = _ACTION_NAME(name)
    return (yield from _read_input(source, found[1] if found else name))


def _read_input(source: TextSource, name: str) -> Reading[list[ToolCall] | None]:
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
    """Read an input in a code fence: a JSON object, or text that the fence ends."""
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
    if value is FAILED:
        return None
    return [ToolCall(name, value.text if isinstance(value, RefusedText) else value)]


def _call_of_text(name: str, text: str, source: TextSource) -> list[ToolCall]:
    """Return the call of a tool with text, which a label ends, or the end of the answer: models stop before `Observation:`.

    The text is the value of its only parameter, an object in brackets, or text for the executor to refuse.
    """
    parameters = _text_parameters(source.shapes.of(name))
    if len(parameters) == 1:
        return [ToolCall(name, {parameters[0]: source.shapes.value(name, parameters[0], _strip_quotes(text))})]
    if text.lower() in _NOTHING and not parameters:
        return [ToolCall(name, {})]
    wrapped = _WRAPPED(text)
    return (_call_of_value(name, read_value(wrapped[1], source.repairs)) if wrapped else None) or [ToolCall(name, text)]


def _text_parameters(schema: Mapping[str, Any]) -> list[str]:
    """Return the parameters whose value a line of text may be: the required ones, or all if none is."""
    properties, required = schema.get("properties"), schema.get("required")
    names = list(properties) if isinstance(properties, Mapping) else []
    return [name for name in names if name in required] if isinstance(required, list) and required else names


def _strip_quotes(text: str) -> str:
    """Return text without the quotes around it, if it has none inside."""
    inside = text[1:-1]
    return inside if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text[0] not in inside else text


def read_label(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take a label alone, with the colon at its end."""
    return [] if mark.endswith(":") or (yield from source.take(":")) else None


def read_rest(source: TextSource, mark: str) -> Reading[list[ToolCall] | None]:
    """Take all text that is left: it is not part of the answer."""
    yield from source.rest()
    return []


def write_actions(calls: Sequence[ToolCall]) -> str:
    """Write calls as a model does.

    Raises:
        ValueError: A name cannot be written on a line, or the arguments are not JSON.
    """
    return "\n".join(map(_action_text, calls))


def _action_text(call: ToolCall) -> str:
    found = _ACTION_NAME(call.name)
    if not found or found[1] != call.name:
        raise ValueError(f"the name {call.name!r} cannot stand on the line of an action")
    return f"Action: {call.name}\n{INPUT_LABEL} {json_text(arguments_of(call))}"

"""Which evidence does the text of a ReWOO plan ask for, and what is wrong with it? Lines `Plan: why` and `#E1 = tool[arguments]`.

Source: Xu et al., "ReWOO: Decoupling Reasoning from Observations for Efficient Augmented Language Models".

MERGED: What do the references in a plan stand for? `#E1` in an argument is what came of the step `#E1`: its value, or in a text its text.
MERGED: Which arguments are meant by what stands in the brackets of `#E1 = tool[…]`? A JSON object; or text, read as the tool's schema has it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.json import SLIPS, ArgumentsError, read_lenient_json
from fcregistry.dialects import value_by_schema
from fcregistry.execution import unknown_tool
from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool

# --- agents._rewoo_plans ---

_BEGIN: Final = re.compile(
    r"[`*_]{0,3}(#E\d{1,4})[`*_]{0,3}\s*[=:]\s*[`*]{0,3}([A-Za-z0-9_-][\w.:-]*)[`*_]{0,3}\s*([\[(])"
)
_LABEL: Final = r"(?i:plan)(?:\s*#?\d{1,4})?[*_\s]*[:：]"  # noqa: RUF001  # a colon in Chinese, too
_NEXT: Final = re.compile(
    rf"^[^\S\n]*(?:[-*+•]\s+|\d{{1,3}}[.)]\s+)?[`*_#]{{0,3}}\s?(?:{_LABEL}|#E\d{{1,4}}[`*_]{{0,3}}\s*[=:])",
    re.MULTILINE,
)
_PLAN: Final = re.compile(rf"(?:^|\n)(?:[^\S\n]|[\-*+•_#`\d.)])*+{_LABEL}\s*")
_MENTION: Final = re.compile(r"(?:#[Ee]|\bE)(\d{1,4})[`*_]{0,3}\s*=(?!=)")
"""What begins a step, or was meant to."""
_CLOSING: Final = {"[": "]", "(": ")"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceStep:
    """One step of a ReWOO plan.

    Attributes:
        name: What the others refer to: `#E1`.
        tool: The tool.
        arguments: A JSON object with references in it; the text itself where none can be read in it.
        thought: What the planner says of it; may be empty.
        call: The call as the planner wrote it.
    """

    name: str
    tool: str
    arguments: dict[str, Any] | str
    thought: str = ""
    call: str = ""

    @property
    def text(self) -> str:
        """The step in words."""
        return f"{self.thought}\n{self.name} = {self.call}".strip()

    @property
    def needs(self) -> tuple[str, ...]:
        """The steps that it refers to."""
        return tuple(dict.fromkeys(references_in(self.arguments)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Blueprint:
    """A ReWOO plan.

    Attributes:
        steps: Its steps, as they are written.
        problems: What is wrong with it, for the planner.
        is_usable: Whether it can be carried out all the same: a call that fails is evidence, too.
    """

    steps: tuple[EvidenceStep, ...] = ()
    problems: tuple[str, ...] = ()
    is_usable: bool = True


def blueprint_of(text: str, tools: Mapping[str, Tool], most: int) -> Blueprint:
    """Return the plan of a text. One without steps is a plan: no tool is needed. Takes time that grows with the length of the text.

    Args:
        text: What a planner wrote.
        tools: The tools that it was shown.
        most: How many steps it may have.
    """
    steps, problems = _read(text, tools, most)
    if len(steps) > most:
        return Blueprint(problems=(f"the plan has more than {most} steps; write fewer",), is_usable=False)
    if not steps and problems:
        return Blueprint(problems=("there is no step that can be read: write #E1 = tool[arguments]",), is_usable=False)
    problems += _unknown(steps)
    fatal = _twice(steps) or _cycle(steps)
    return Blueprint(steps=tuple(steps), problems=(*problems, *fatal), is_usable=not fatal)


# --- reading --------------------------------------------------------------------------------------


def _read(text: str, tools: Mapping[str, Tool], most: int) -> tuple[list[EvidenceStep], list[str]]:
    """Return the steps of a text, one more than there may be at most, and what is wrong with each."""
    steps: list[EvidenceStep] = []
    problems: list[str] = []
    beside: list[str] = []
    place = 0
    while len(steps) <= most and (begin := _BEGIN.search(text, place)):
        following = _NEXT.search(text, begin.end())
        segment = text[begin.end() : following.start() if following else len(text)]
        length, is_closed = _length(segment, begin[3])
        written = segment[:length]
        arguments, problem = _arguments(begin[2], written, tools)
        if not is_closed:  # what is cut off is not completed: the executor refuses text that is no JSON
            arguments, problem = written, f"there is no {_CLOSING[begin[3]]} that ends its arguments"
        if problem:
            problems.append(f"{begin[1]} = {begin[2]}: {problem}")
        call = f"{begin[2]}{begin[3]}{written}{_CLOSING[begin[3]]}"
        beside.append(text[place : begin.start()])
        thought = _thought(beside[-1])
        steps.append(EvidenceStep(name=begin[1], tool=begin[2], arguments=arguments, thought=thought, call=call))
        place = begin.end() + length + is_closed
    return steps, [*problems, *_unread(steps, [*beside, text[place:]])]


def _unread(steps: Sequence[EvidenceStep], beside: Sequence[str]) -> list[str]:
    """Word steps that are meant by what stands beside those that could be read, and have no call: `#E3 = #E1 * 2`."""
    names = {step.name for step in steps}
    meant = dict.fromkeys(f"#E{found[1]}" for text in beside for found in _MENTION.finditer(text))
    return [
        f"{name} has no call that can be read: write {name} = tool[arguments]" for name in meant if name not in names
    ]


def _thought(text: str) -> str:
    """Return what a planner says before a step."""
    said = _PLAN.split(text)[-1]
    return said.strip().strip("`-*•").strip()


def _arguments(name: str, text: str, tools: Mapping[str, Tool]) -> tuple[dict[str, Any] | str, str]:
    """Return the arguments of a step, and what is wrong with it."""
    tool = tools.get(name)
    problem = "" if tool is not None else unknown_tool(name, tools).message
    try:
        return arguments_of(text, None if tool is None else tool.parameters), problem
    except UnreadableError as error:
        return text, problem or f"{error}: write them as a JSON object"


def _length(text: str, opening: str) -> tuple[int, bool]:
    """Return where the arguments end that a text begins with, and whether there is an end.

    Brackets in strings do not count. Where that leaves no end, as an odd quotation mark may, they do; and then the last one of the line is the end.
    """
    closing = _CLOSING[opening]
    for string in _strings(text):
        depth = 1
        for found in re.finditer(rf"{string}(?P<mark>[{re.escape(opening + closing)}])", text, re.DOTALL):
            if found["mark"]:
                depth += 1 if found["mark"] == opening else -1
            if depth == 0:
                return found.start(), True
    line = text.partition("\n")[0]
    return (line.rindex(closing), True) if closing in line else (len(line), False)


def _strings(text: str) -> Sequence[str]:
    """Return the patterns of what counts as a string, the first one to be tried first; each ends with `|`, if it is one."""
    if re.match(r"\s*+[\[{(]?\s*+'", text):  # as Python writes them
        return r'"(?>[^"\\]+|\\.)*+(?:"|\\?\Z)|' + r"'(?>[^'\\]+|\\.)*+(?:'|\\?\Z)|", ""
    if re.match(r'\s*[\[{("]', text):
        return r'"(?>[^"\\]+|\\.)*+(?:"|\\?\Z)|', ""
    return r'"[^"\n]*"|', ""


# --- what is wrong with it as a whole -------------------------------------------------------------


def _unknown(steps: Sequence[EvidenceStep]) -> list[str]:
    """Word references to steps that there are not."""
    names = {step.name for step in steps}
    known = ", ".join(sorted(names, key=lambda name: (len(name), name)))
    return [
        f"{step.name} refers to {need}, which no step makes; there are {known}"
        for step in steps
        for need in step.needs
        if need not in names
    ]


def _twice(steps: Sequence[EvidenceStep]) -> list[str]:
    """Word names that two steps have."""
    names = [step.name for step in steps]
    return [
        f"two steps are called {name}; give each a number of its own"
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]


def _cycle(steps: Sequence[EvidenceStep]) -> list[str]:
    """Word steps that wait for one another."""
    try:
        TopologicalSorter({step.name: step.needs for step in steps}).prepare()
    except CycleError as error:
        waiting = " waits for ".join(reversed(error.args[1]))
        return [f"{waiting}: such steps can never run"]
    return []


# --- agents._evidence ---

JSON: TypeAlias = Any
"""A JSON value: Python has no type for them."""

REFERENCE: Final = re.compile(r"#E\d{1,4}(?!\w)")
"""All of the digits, so that `#E1` is never found in `#E10`; and not more than four, which leaves colours such as `#E12345` alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What came of a step.

    Attributes:
        value: What a tool is given for a reference to it: the JSON value that the step's tool returned, or what was said of its failure.
        text: What a model is told of it.
        ok: Whether the call went well.
    """

    value: JSON
    text: str
    ok: bool = True

    @classmethod
    def of(cls, result: ToolResult) -> Evidence:
        """Return what came of a step as evidence."""
        return cls(value=_value_of(result), text=result.content, ok=result.ok)

    def to_json(self) -> dict[str, Any]:
        """This as a JSON object."""
        return {"value": self.value, "text": self.text, "ok": self.ok}


def references_in(value: JSON) -> Iterator[str]:
    """Yield the references in an argument: in its texts, at whatever depth, but not in the names of its members."""
    if isinstance(value, str):
        yield from REFERENCE.findall(value)
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from references_in(item)


def substituted(value: JSON, values: Mapping[str, JSON]) -> JSON:
    """Return an argument with evidence in place of the references in it.

    A text that is a reference and nothing else becomes the value itself; a reference within a text becomes the value's text. Unknown ones stay.

    Args:
        value: The argument, which stays as it is.
        values: What the references stand for.
    """
    if isinstance(value, str):
        whole = value.strip()
        if whole in values:
            return values[whole]
        return REFERENCE.sub(lambda found: text_of(values.get(found[0], found[0])), value)
    if isinstance(value, dict):
        return {name: substituted(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [substituted(item, values) for item in value]
    return value


def text_of(value: JSON) -> str:
    """Return the text of a value: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else to_json_text(value)


def _value_of(result: ToolResult) -> JSON:
    """Return the JSON value that a tool returned, all of it; of content and of failures, the text."""
    if not result.ok or result.parts:
        return result.content
    text = result.whole if isinstance(result.whole, str) else result.content
    if isinstance(result.value, str):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # somebody put a text of their own in its place: a hook
        return text


# --- agents._rewoo_arguments ---

_STRING: Final = r'"(?>[^"\\]+|\\.)*+(?:"|\\?\Z)'
"""With or without an end, so that what is no string is not read again from every quotation mark on."""

_QUOTED: Final = r"(?<!\w)'(?>[^'\\]+|\\.)*+(?:'|\\?\Z)"
"""The same as Python writes it; an apostrophe within a word begins none."""

_BARE: Final = re.compile(rf"{_STRING}|{_QUOTED}|{REFERENCE.pattern}", re.DOTALL)
"""A string, or a reference that stands in none."""

_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)
_PIECES: Final = re.compile(rf"{_STRING}|{_QUOTED}|(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<comma>,)", re.DOTALL)


class UnreadableError(ValueError):
    """Text that cannot be read as the arguments of a tool; the message tells a planner what to write."""


def arguments_of(text: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the arguments that are meant by a text.

    A text that is no JSON object is the value of the one parameter that a tool needs; or it is `name=value, …`, or the values in their order.
    A reference may stand without quotes.

    Args:
        text: What stands in the brackets.
        schema: The tool's parameters; None of a tool that is not known.

    Raises:
        UnreadableError: It is neither.
    """
    text = text.strip()
    if not text:
        return {}
    if text.startswith("{"):
        return _object(text)
    if schema is None:
        raise UnreadableError("the arguments are no JSON object")
    pieces = _split(text)
    read = _named(pieces, schema) or _only(text, pieces, schema) or _in_order(pieces, schema)
    if read is None:
        takes = ", ".join(schema.get("properties", {})) or "no arguments"
        raise UnreadableError(f"the arguments are no JSON object, and it takes {takes}")
    return read


def with_evidence(arguments: dict[str, Any] | str, values: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """Return the arguments of a step with evidence in place of its references.

    A reference that is all of an argument gives the value itself; its text, where the tool takes nothing but text. Arguments that could not be read
    stay the text that they are: what a tool returned is never taken for the arguments of another.

    Args:
        arguments: The arguments, which stay as they are.
        values: What the references stand for.
        schema: The tool's parameters; empty of a tool that is not known.
    """
    if isinstance(arguments, str):
        return arguments
    made = substituted(arguments, values)
    known = schema.get("properties", {})
    changed = [name for name in made if made[name] != arguments[name]]
    return made | {name: text_of(made[name]) for name in changed if _takes_text(known.get(name), made[name])}


def _takes_text(schema: Any, value: Any = "") -> bool:
    """Tell whether a value is to be a text where a parameter stands: it takes no other, unless it is nothing and may be."""
    either = schema.get("anyOf", [schema]) if isinstance(schema, Mapping) else []
    kinds = {each.get("type") if isinstance(each, Mapping) else None for each in either}
    return "string" in kinds and kinds <= {"string", "null"} and not (value is None and "null" in kinds)


def _object(text: str) -> dict[str, Any]:
    quoted = _BARE.sub(lambda found: f'"{found[0]}"' if found[0].startswith("#") else found[0], text)
    try:
        value, _ = read_lenient_json(quoted, False, SLIPS, "the arguments")
    except ArgumentsError as error:
        raise UnreadableError(str(error)) from None
    assert isinstance(value, dict)  # it begins with a brace, and is read to its end
    return value


def _named(pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that are written `name=value, …`, if they are: the first one has the name of a parameter.

    A piece without a name goes on with the value before it, which is a text with a comma in it.

    Raises:
        UnreadableError: One is written twice.
    """
    first = _NAMED.fullmatch(pieces[0])
    if first is None or first[1] not in schema.get("properties", {}):
        return None
    name = first[1]
    written: dict[str, list[str]] = {}
    for piece in pieces:
        found = _NAMED.fullmatch(piece)
        if found is None:
            written[name].append(piece)
            continue
        name = found[1]
        if name in written:
            raise UnreadableError(f"{name} is written twice")
        written[name] = [found[2]]
    return {name: _value(",".join(parts), name, schema) for name, parts in written.items()}


def _only(text: str, pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a text as the one argument that a tool needs, or takes, if there is one; not several values for a tool that takes more."""
    required, known = schema.get("required", ()), schema.get("properties", {})
    names = list(required if len(required) == 1 else known)
    if len(names) != 1:
        return None
    value = _value(text, names[0], schema)
    is_one = len(pieces) == 1 or len(pieces) > len(known) or _takes_text(known.get(names[0]))
    return {names[0]: value} if is_one or not isinstance(value, str) else None


def _in_order(pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments that are written in the order of the parameters, if they can be."""
    known = schema.get("properties", {})
    if not len(schema.get("required", ())) <= len(pieces) <= len(known):
        return None
    return {name: _value(piece, name, schema) for name, piece in zip(known, pieces, strict=False)}


def _value(text: str, name: str, schema: Mapping[str, Any]) -> Any:
    """Return what a text stands for as the value of a parameter; one in quotes is what stands between them."""
    text = text.strip()
    if REFERENCE.fullmatch(text):
        return text
    if text[:1] in ('"', "'") and text[-1:] == text[:1]:
        try:
            value, _ = read_lenient_json(text, False, SLIPS, "the value")
        except ArgumentsError:
            return text
        return value
    quoted = _BARE.sub(lambda found: f'"{found[0]}"' if found[0].startswith("#") else found[0], text)
    value = value_by_schema(quoted, schema.get("properties", {}).get(name, {}), schema)
    return text if isinstance(value, str) else value


def _split(text: str) -> list[str]:
    """Return the pieces of a text between the commas that stand in no string and no bracket."""
    pieces, start, depth = [], 0, 0
    for found in _PIECES.finditer(text):
        if found["open"]:
            depth += 1
        elif found["close"]:
            depth -= 1
        elif found["comma"] and depth == 0:
            pieces.append(text[start : found.start()])
            start = found.end()
    return [*pieces, text[start:]]

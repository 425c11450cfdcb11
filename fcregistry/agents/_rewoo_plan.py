"""The text of a ReWOO plan: its steps, their arguments and references, and what is wrong with it.

A plan has lines `Plan: why` and `#E1 = tool[arguments]`. The arguments are a JSON object, or text that is read by the tool's schema. `#E1` in an
argument is replaced by the result of the step `#E1`: its value, or within a text its text.

Source: Xu et al., "ReWOO: Decoupling Reasoning from Observations for Efficient Augmented Language Models".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.json import SLIPS, ArgumentsError, read_lenient_json
from fcregistry.agents._loop import PlanDraft
from fcregistry.dialects import value_by_schema
from fcregistry.execution import unknown_tool
from fcregistry.formats import json_value_of
from fcregistry.types import to_json_text

if TYPE_CHECKING:
    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool

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
"""The beginning of a step, or of text that was meant as a step."""
_CLOSING: Final = {"[": "]", "(": ")"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceStep:
    """One step of a ReWOO plan.

    Attributes:
        name: The name by which other steps refer to it: `#E1`.
        tool: The tool.
        arguments: A JSON object with references in it; the text itself if it cannot be read.
        thought: The planner's reason for it; may be empty.
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


def read_plan(text: str, tools: Mapping[str, Tool], most: int) -> PlanDraft:
    """Return the plan that a text contains, as a tuple of `EvidenceStep` in `plan`.

    A plan without steps is valid: the answer needs no tool.

    A plan with problems can be carried out if its calls can run: a call that fails is evidence, too.

    The time grows linearly with the length of the text.

    Args:
        text: The text of a planner.
        tools: The tools that the planner knows.
        most: How many steps the plan may have.
    """
    steps, problems = _read_steps(text, tools, most)
    if len(steps) > most:
        return PlanDraft(problems=(f"the plan has more than {most} steps; write fewer",), is_usable=False)
    if not steps and problems:
        return PlanDraft(problems=("there is no step that can be read: write #E1 = tool[arguments]",), is_usable=False)
    problems += _unknown_references(steps)
    fatal = _fatal_problems(steps)
    words = tuple(step.text for step in steps)
    return PlanDraft(plan=tuple(steps), steps=words, problems=(*problems, *fatal), is_usable=not fatal)


# --- Reading steps ---


def _read_steps(text: str, tools: Mapping[str, Tool], most: int) -> tuple[list[EvidenceStep], list[str]]:
    """Return the steps in `text`, in order, and a list of their problems; both may be empty.

    Reading stops after `most` steps and one more, by which the caller sees that there are too many. Problems are unknown tools, arguments that
    cannot be read or have no end, and, last in the list, steps without a call.
    """
    steps: list[EvidenceStep] = []
    problems: list[str] = []
    beside: list[str] = []
    place = 0
    while len(steps) <= most and (begin := _BEGIN.search(text, place)):
        following = _NEXT.search(text, begin.end())
        segment = text[begin.end() : following.start() if following else len(text)]
        length, is_closed = _arguments_end(segment, begin[3])
        written = segment[:length]
        arguments, problem = _arguments(begin[2], written, tools)
        if not is_closed:  # arguments that are cut off are not completed: the executor refuses text that is not JSON
            arguments, problem = written, f"there is no {_CLOSING[begin[3]]} that ends its arguments"
        if problem:
            problems.append(f"{begin[1]} = {begin[2]}: {problem}")
        call = f"{begin[2]}{begin[3]}{written}{_CLOSING[begin[3]]}"
        beside.append(text[place : begin.start()])
        thought = _thought(beside[-1])
        steps.append(EvidenceStep(name=begin[1], tool=begin[2], arguments=arguments, thought=thought, call=call))
        place = begin.end() + length + is_closed
    return steps, [*problems, *_unread_problems(steps, [*beside, text[place:]])]


def _unread_problems(steps: Sequence[EvidenceStep], beside: Sequence[str]) -> list[str]:
    """Return a problem for each step without a call, such as `#E3 = #E1 * 2`, each once.

    Such steps are found in `beside`, the texts before, between and after `steps`.
    """
    names = {step.name for step in steps}
    meant = dict.fromkeys(f"#E{found[1]}" for text in beside for found in _MENTION.finditer(text))
    return [
        f"{name} has no call that can be read: write {name} = tool[arguments]" for name in meant if name not in names
    ]


def _thought(text: str) -> str:
    """Return the planner's reason in `text`, the text before a step: what follows the last `Plan:`.

    Without `Plan:`, it is all of `text`. White space, `-`, `*`, `•` and backquotes around it are removed; it may be empty.
    """
    return _PLAN.split(text)[-1].strip().strip("`-*•").strip()


def _arguments(name: str, text: str, tools: Mapping[str, Tool]) -> tuple[dict[str, Any] | str, str]:
    """Return the arguments in `text` for the tool `name`, and their problem, or an empty text for none.

    Arguments that cannot be read are returned as text. A tool that is not in `tools` is a problem, too.
    """
    tool = tools.get(name)
    problem = "" if tool is not None else unknown_tool(name, tools).message
    try:
        return arguments_of(text, None if tool is None else tool.parameters), problem
    except UnreadableError as error:
        return text, problem or f"{error}: write them as a JSON object"


def _arguments_end(text: str, opening: str) -> tuple[int, bool]:
    """Return the position where the arguments in `text` end, and whether a bracket ends them.

    Brackets in strings do not count. If no end is found so, as after an odd quotation mark, they count, too; and if that finds no end, the last
    closing bracket of the first line is the end. Without one, it is the end of that line, and no bracket ends them.

    Args:
        text: The text after the opening bracket, at whose beginning the arguments begin.
        opening: The opening bracket.
    """
    closing = _CLOSING[opening]
    for string in _string_patterns(text):
        depth = 1
        for found in re.finditer(rf"{string}(?P<mark>[{re.escape(opening + closing)}])", text, re.DOTALL):
            if found["mark"]:
                depth += 1 if found["mark"] == opening else -1
            if depth == 0:
                return found.start(), True
    line = text.partition("\n")[0]
    return (line.rindex(closing), True) if closing in line else (len(line), False)


def _string_patterns(text: str) -> Sequence[str]:
    """Return regular expressions for the strings in `text`, in the order in which to try them.

    Each ends with `|`, or is empty: then brackets in strings count. The quotes with which `text` begins decide which quotes delimit strings.
    """
    if re.match(r"\s*+[\[{(]?\s*+'", text):  # as Python writes them
        return r'"(?>[^"\\]+|\\.)*+(?:"|\\?\Z)|' + r"'(?>[^'\\]+|\\.)*+(?:'|\\?\Z)|", ""
    if re.match(r'\s*[\[{("]', text):
        return r'"(?>[^"\\]+|\\.)*+(?:"|\\?\Z)|', ""
    return r'"[^"\n]*"|', ""


# --- Problems of the whole plan ---


def _unknown_references(steps: Sequence[EvidenceStep]) -> list[str]:
    """Return a problem for each reference in `steps` to a step that does not exist."""
    names = {step.name for step in steps}
    known = ", ".join(sorted(names, key=lambda name: (len(name), name)))
    return [
        f"{step.name} refers to {need}, which no step makes; there are {known}"
        for step in steps
        for need in step.needs
        if need not in names
    ]


def _fatal_problems(steps: Sequence[EvidenceStep]) -> list[str]:
    """Return the problems of `steps` that prevent the plan from running; an empty list if there are none.

    They are one for each name that several steps have, or else one for a circle of steps that wait for one another.
    """
    counts = Counter(step.name for step in steps)
    if twice := [name for name, count in counts.items() if count > 1]:
        return [f"two steps are called {name}; give each a number of its own" for name in twice]
    try:
        TopologicalSorter({step.name: step.needs for step in steps}).prepare()
    except CycleError as error:
        return [f"{' waits for '.join(reversed(error.args[1]))}: such steps can never run"]
    return []


# --- Evidence and references to it ---

JSON: TypeAlias = Any
"""A JSON value: Python has no type for them."""

REFERENCE: Final = re.compile(r"#E\d{1,4}(?!\w)")
"""All of the digits, so that `#E1` is never found in `#E10`; and not more than four, which leaves colours such as `#E12345` alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The result of a step.

    Attributes:
        value: Replaces a reference to the step: the JSON value that its tool returned, or the text of its failure.
        text: The text for a model.
        ok: Whether the call went well.
    """

    value: JSON
    text: str
    ok: bool = True

    @classmethod
    def of(cls, result: ToolResult) -> Evidence:
        """Return `result`, the result of a step, as evidence."""
        return cls(value=json_value_of(result), text=result.content, ok=result.ok)


def references_in(value: JSON) -> Iterator[str]:
    """Yield the references in the texts of `value`, at any depth, but not in names of members."""
    if isinstance(value, str):
        yield from REFERENCE.findall(value)
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from references_in(item)


def substitute(value: JSON, values: Mapping[str, JSON]) -> JSON:
    """Return `value` with evidence in place of the references in it.

    A text that is a reference and nothing else becomes the evidence's value; a reference within a text becomes the value's text. Unknown references
    stay.

    Args:
        value: The argument, which is not changed.
        values: The values of the references.
    """
    if isinstance(value, str):
        whole = value.strip()
        if whole in values:
            return values[whole]
        return REFERENCE.sub(lambda found: text_of(values.get(found[0], found[0])), value)
    if isinstance(value, dict):
        return {name: substitute(item, values) for name, item in value.items()}
    if isinstance(value, list):
        return [substitute(item, values) for item in value]
    return value


def text_of(value: JSON) -> str:
    """Return `value` if it is text, else `value` as JSON text."""
    return value if isinstance(value, str) else to_json_text(value)


# --- Arguments ---

_STRING: Final = r'"(?>[^"\\]+|\\.)*+(?:"|\\?\Z)'
"""With or without an end, so that text without one is not read again from every quotation mark on."""

_QUOTED: Final = r"(?<!\w)'(?>[^'\\]+|\\.)*+(?:'|\\?\Z)"
"""A string with single quotes, as Python writes it; an apostrophe within a word does not begin one."""

_BARE: Final = re.compile(rf"{_STRING}|{_QUOTED}|{REFERENCE.pattern}", re.DOTALL)
"""A string, or a reference outside strings."""

_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", re.DOTALL)
_PIECES: Final = re.compile(rf"{_STRING}|{_QUOTED}|(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<comma>,)", re.DOTALL)


class UnreadableError(ValueError):
    """Raised for text that cannot be read as arguments; the message says what to write instead.

    The planner reads the message.
    """


def arguments_of(text: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the arguments in `text`.

    Text that is not a JSON object is the value of the only parameter that a tool needs; or it is `name=value, …`, or the values in the order of the
    parameters. A reference may be without quotes.

    Args:
        text: The text in the brackets.
        schema: The tool's parameters; None for an unknown tool.

    Raises:
        UnreadableError: `text` is none of these.
    """
    text = text.strip()
    if not text:
        return {}
    if text.startswith("{"):
        try:
            value, _ = read_lenient_json(_quote_references(text), False, SLIPS, "the arguments")
        except ArgumentsError as error:
            raise UnreadableError(str(error)) from None
        assert isinstance(value, dict)  # it begins with a brace, and is read to its end
        return value
    if schema is None:
        raise UnreadableError("the arguments are not a JSON object")
    pieces = _split(text)
    read = (
        _keyword_arguments(pieces, schema)
        or _single_argument(text, pieces, schema)
        or _positional_arguments(pieces, schema)
    )
    if read is None:
        takes = ", ".join(schema.get("properties", {})) or "no arguments"
        raise UnreadableError(f"the arguments are not a JSON object, and it takes {takes}")
    return read


def with_evidence(arguments: dict[str, Any] | str, values: Mapping[str, Any], schema: Mapping[str, Any]) -> Any:
    """Return `arguments`, those of a step, with evidence in place of references.

    A reference that is a whole argument becomes the evidence's value, or the value's text if the parameter accepts only text. Arguments that could
    not be read stay text: the result of a tool never becomes all arguments of another tool.

    Args:
        arguments: The arguments, which are not changed.
        values: The values of the references.
        schema: The tool's parameters; empty for an unknown tool.
    """
    if isinstance(arguments, str):
        return arguments
    made = substitute(arguments, values)
    known = schema.get("properties", {})
    changed = [name for name in made if made[name] != arguments[name]]
    return made | {name: text_of(made[name]) for name in changed if _accepts_only_text(known.get(name), made[name])}


def _accepts_only_text(schema: Any, value: Any = "") -> bool:
    """Return whether a parameter with `schema` accepts only text, so that `value` has to become text.

    If the parameter may also be null, the result is False for a `value` of None.
    """
    either = schema.get("anyOf", [schema]) if isinstance(schema, Mapping) else []
    kinds = {each.get("type") if isinstance(each, Mapping) else None for each in either}
    return "string" in kinds and kinds <= {"string", "null"} and not (value is None and "null" in kinds)


def _quote_references(text: str) -> str:
    """Return `text` with double quotes around each reference, such as `#E1`, that is not in a string."""
    return _BARE.sub(lambda found: f'"{found[0]}"' if found[0].startswith("#") else found[0], text)


def _keyword_arguments(pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments in `pieces`, which are written as `name=value`, or None if they are not.

    The first piece decides: its name must be that of a parameter of `schema`; later names may be unknown. A piece without a name continues the
    value before it, which is text with a comma in it.

    Raises:
        UnreadableError: A name is written twice.
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


def _single_argument(text: str, pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a dict of `text` as the only argument that a tool needs, or else takes, or None if it is not.

    It is not if the tool needs, or takes, another number of arguments than one, or if `pieces`, the parts of `text` between commas, may be
    values for several parameters of `schema`.
    """
    required, known = schema.get("required", ()), schema.get("properties", {})
    names = list(required if len(required) == 1 else known)
    if len(names) != 1:
        return None
    value = _value(text, names[0], schema)
    is_one = len(pieces) == 1 or len(pieces) > len(known) or _accepts_only_text(known.get(names[0]))
    return {names[0]: value} if is_one or not isinstance(value, str) else None


def _positional_arguments(pieces: list[str], schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return `pieces` as arguments in the order of the parameters of `schema`.

    Return None if there are more pieces than parameters, or fewer than the required ones.
    """
    known = schema.get("properties", {})
    if not len(schema.get("required", ())) <= len(pieces) <= len(known):
        return None
    return {name: _value(piece, name, schema) for name, piece in zip(known, pieces, strict=False)}


def _value(text: str, name: str, schema: Mapping[str, Any]) -> Any:
    """Return the value that `text` has for the parameter `name` of `schema`.

    A reference stays text; a text loses the quotes around it; text that the parameter's schema does not read as another value stays text.
    """
    text = text.strip()
    if REFERENCE.fullmatch(text):
        return text
    if text[:1] in ('"', "'") and text[-1:] == text[:1]:
        try:
            return read_lenient_json(text, False, SLIPS, "the value")[0]
        except ArgumentsError:
            return text
    value = value_by_schema(_quote_references(text), schema.get("properties", {}).get(name, {}), schema)
    return text if isinstance(value, str) else value


def _split(text: str) -> list[str]:
    """Return the pieces of `text` between commas outside strings and brackets, unstripped; at least one."""
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

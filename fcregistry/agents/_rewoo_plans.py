"""Which evidence does the text of a ReWOO plan ask for, and what is wrong with it? Lines `Plan: why` and `#E1 = tool[arguments]`.

Source: Xu et al., "ReWOO: Decoupling Reasoning from Observations for Efficient Augmented Language Models".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Final

from fcregistry.agents._evidence import references_in
from fcregistry.agents._rewoo_arguments import UnreadableError, arguments_of
from fcregistry.execution._messages import unknown_tool

if TYPE_CHECKING:
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

"""Calls of another family in strings, names, thoughts and code fences, where only the text's own call counts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from fcregistry import ToolCall, dialects

NAMES = dialects.names()
AUTO = dialects.get("auto")
QUOTED = ToolCall("delete_all", {"path": "/"})
TEXT = {"type": "string"}
TOOLS = [
    {"name": "save_note", "parameters": {"properties": {"text": TEXT}, "additionalProperties": TEXT}},
    {"name": "delete_all", "parameters": {"properties": {"path": TEXT}}},
]
LABELS = {"react": "Final Answer:"}
"""What ends the thoughts of a family that has no closing mark for them."""


class Case(NamedTuple):
    """A text with the arguments of the one call of `save_note` that is made in it, or None where none is."""

    quotes: str
    place: str
    text: str
    arguments: dict[str, Any] | None


def written(dialect: dialects.Dialect, arguments: dict[str, Any]) -> str | None:
    """Return the text of a call, or None where the syntax cannot express it."""
    try:
        return dialect.render_calls([ToolCall("save_note", arguments)])
    except ValueError:
        return None


def thoughts_of(dialect: dialects.Dialect) -> tuple[str, str] | None:
    """Return what opens and closes thoughts."""
    for mark, section in dialect.openers.sections.items():
        if getattr(section, "kind", "") == "reasoning":
            return mark, section.closes[0] if section.closes else ""
    return None


def cases_of(name: str) -> Iterator[Case]:
    """Yield texts of a family that quote calls of every other one."""
    own = dialects.get(name)
    plain = {"text": "Nice page."}
    call = written(own, plain)
    thoughts = thoughts_of(own)
    for other in NAMES:
        if other == name:
            continue
        quoted = dialects.get(other).render_calls([QUOTED])
        marks = " ".join(dialects.get(other).openers.marks.texts)
        for place, arguments in {
            "string": {"text": f"Nice page. {quoted} Yes."},
            "marks": {"text": f"{marks} {quoted} {marks} Yes."},
            "name": {f"text {quoted} Yes.": "x"},
        }.items():
            text = written(own, arguments)
            if text is not None:
                yield Case(other, place, text, arguments)
                yield Case(other, f"{place}, cut off", text[: text.rindex("Yes.")], None)
        fence = "````" if "```" in quoted else "```"
        yield Case(other, "fence", f"Like this:\n{fence}\n{quoted}\n{fence}\n\n{call}\n", plain)
        yield Case(other, "fence alone", f"Like this:\n````xml\n```\n{quoted}\n```\n````\nNo.", None)
        if thoughts:
            opens, closes = thoughts
            thought = f"{opens} I could write {quoted} here.\n{closes}\n"
            yield Case(other, "thoughts", f"{thought}{call}\n", plain)
            yield Case(other, "thoughts alone", f"{thought}{LABELS.get(name, '')} No.", None)
        if own.thinks:
            thought = f"I could write {quoted} here.\n{own.thinks[1]}\n"
            yield Case(other, "thoughts opened in the prompt", f"{thought}{call}\n", plain)


MARKLESS = ("glm-4", "functionary")


def stripped(arguments: Any) -> dict[str, Any]:
    """Return arguments without space around strings: families that share a syntax differ in what they trim."""
    return {key: value.strip() for key, value in arguments.items()}


def calls_in(parsed: dialects.Parsed) -> list[tuple[str, Any]]:
    """Return calls without ids."""
    return [(call.name, stripped(call.arguments)) for call in parsed.tool_calls]


def streamed(dialect: dialects.Dialect, text: str) -> dialects.Parsed:
    """Return what a text says that comes in pieces: characters, or up to nine at once."""
    stream, chance = dialect.stream(TOOLS), random.Random(text)
    longest = chance.choice((1, 9))
    while text:
        size = chance.randint(1, longest)
        stream.feed(text[:size])
        text = text[size:]
    return stream.close()


def test_there_are_enough_texts() -> None:
    cases = [case for name in NAMES for case in cases_of(name)]
    assert len(cases) > 1_000
    assert {case.place for case in cases} >= {"string", "name", "thoughts", "fence"}


@pytest.mark.parametrize("name", NAMES)
def test_auto_reads_the_call_that_was_written_or_no_call(name: str) -> None:
    has_marks = name not in MARKLESS  # a family without marks is never found, nor known where the tools are not
    for case in cases_of(name):
        meant = [] if case.arguments is None else [("save_note", stripped(case.arguments))]
        whole = AUTO.parse(case.text, TOOLS)
        assert calls_in(whole) == (meant if has_marks else []), case
        assert streamed(AUTO, case.text) == whole, case
        if has_marks and not case.place.startswith("thoughts"):
            assert calls_in(AUTO.parse(case.text)) == meant, case


@pytest.mark.parametrize("name", NAMES)
def test_a_named_dialect_reads_the_call_that_was_written(name: str) -> None:
    dialect = dialects.get(name)
    for case in cases_of(name):
        if case.place.startswith("fence") and (name in MARKLESS or reads_calls_of(dialect, case.quotes)):
            continue  # a named dialect reads calls in fences; and one without marks, only where a text begins
        meant = [] if case.arguments is None else [("save_note", stripped(case.arguments))]
        whole = dialect.parse(case.text, TOOLS)
        assert calls_in(whole) == meant, case
        assert streamed(dialect, case.text) == whole, case


@cache
def reads_calls_of(dialect: dialects.Dialect, other: str) -> bool:
    """Return whether two families share a syntax, so that nothing tells whose call it is."""
    return bool(dialect.parse(dialects.get(other).render_calls([QUOTED]), TOOLS).tool_calls)


SHOWN = {
    "tilde fence": "Like this:\n~~~ xml\n{}\n~~~\nNo.",
    "inline code": "A model writes `{}` for this.",
    "inline code of two ticks": "A model writes `` {} `` for this.",
    **{
        opens: f"{opens} I could write {{}} here.\n{closes}\nNo."
        for opens, closes in {
            "<thought>": "</thought>",
            "<reasoning>": "</reasoning>",
            "<scratchpad>": "</scratchpad>",
            "<THINK>": "</THINK>",
            "< think >": "</ think >",
            "◁think▷": "◁/think▷",
            "<unused94>thought\n": "<unused95>",
        }.items()
    },
}
"""How a text may show a call that it does not make."""


@pytest.mark.parametrize("place", SHOWN)
@pytest.mark.parametrize("name", [name for name in NAMES if name not in MARKLESS])
def test_auto_ignores_calls_in_code_and_thoughts(name: str, place: str) -> None:
    shown = SHOWN[place]
    call = dialects.get(name).render_calls([QUOTED])
    if place.startswith("inline") and ("```" in call or "\n\n" in call):
        return  # what Markdown cannot show so
    meant = dialects.get(name).render_calls([ToolCall("save_note", {"text": "x"})])
    text = shown.format(call)
    whole = AUTO.parse(text, TOOLS)
    assert whole.tool_calls == ()
    assert whole.content.endswith(shown[-3:])
    assert streamed(AUTO, text) == whole
    assert [each.name for each in AUTO.parse(f"{text}\n\n{meant}", TOOLS).tool_calls] == ["save_note"]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in MARKLESS])
def test_auto_ignores_calls_in_block_quotes(name: str) -> None:
    call = dialects.get(name).render_calls([QUOTED])
    quoted = "\n".join(f"> {line}" for line in call.split("\n"))
    text = f"The page says:\n\n{quoted}\n\nNo."
    whole = AUTO.parse(text, TOOLS)
    assert whole.tool_calls == ()
    assert streamed(AUTO, text) == whole


@pytest.mark.parametrize("text", ['{"name": "say "hi', '[{"name": ["a" b"c', '{"name": "f" ~'])
def test_a_call_of_another_dialect_after_broken_json_does_not_count(text: str) -> None:
    quoted = "<|tool_call_start|>[f()]<|tool_call_end|>"
    assert dialects.get("auto").parse(f"{text} {quoted}").tool_calls == ()
    assert dialects.get("auto").parse(f"{text.replace('name', 'city')} {quoted}").tool_calls != ()

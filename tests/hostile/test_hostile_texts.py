"""Texts that are written to make a reader slow: each takes at most `MOST` times as long as a walk over its characters.

These tests measure times, so they have a session of their own, `nox -s hostile`. A match of a regular expression cannot be counted as the calls
of functions can, which `tests/dialects/test_hostile.py` does.

Each text is an opening, which is a begun call of a dialect, and a run of characters behind it. All are read short. Those that take longest,
and all runs of one class of characters, are read at greater length, and the slowest of these at a length of a million.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from typing import Any

import pytest

from fcregistry import Tool, ToolCall, dialects
from fcregistry.expressions import ExpressionError, parse_call
from fcregistry.prompts import OutputFormat
from tests.dialects.hostile import DEEP, QUOTING, marks_of, read_text, repeated
from tests.expressions.test_attacks import ATTACKS

MOST = 30
SHORT, MIDDLE, LONG = 2_000, 32_000, 1_000_000
SLOWEST = 3
"""The texts of each opening that are read at greater length."""

CLASSES = (" \t\n", "1", "a", '"', "'", "\\", "{", "[", "(", "}", "]", ")", ",", ":", "/", "#", "`", "<", "~", "\n> ")
CALLS = (
    [ToolCall("f", {"a": 1, "b": ["x y", {"c": True}], "d": "it's"})],
    [ToolCall("f", {"a": "b"}), ToolCall("g", {})],
)
AUTO = "auto"
Read = Callable[[str], object]

# --- Texts ---


def openings(name: str) -> list[str]:
    """Return the beginnings of calls that end with a mark, a word or a space."""
    if name == AUTO:
        return [each for other in dialects.names()[::4] for each in openings(other)[::3]]
    found = {"": None, "x": None}
    for calls in CALLS:
        try:
            text = dialects.get(name).render_calls(calls)
        except ValueError:  # the syntax cannot express it
            continue
        found |= {text[:end]: None for end in range(1, len(text)) if kind(text[end - 1]) != kind(text[end])}
        found[text] = None
    return list(found)


def kind(character: str) -> str:
    return "word" if character.isalnum() else "space" if character.isspace() else character


def marks(name: str) -> list[str]:
    if name == AUTO:
        return ["<think>", "</think>", "```", "<tool_call>", "Action:", "<|channel|>"]
    return marks_of(dialects.get(name))[:6]


def runs(name: str) -> dict[str, list[str]]:
    """Return the pieces that are repeated in a run: of one class of characters, and of two."""
    pieces = [*dict.fromkeys((*CLASSES, *marks(name)))]
    pairs = [f"{one}{other}" for one, other in combinations(pieces, 2)]
    blocks = [f"{one * 60}{other}" for one in pieces for other in ("x", "\n")]
    return {"one": pieces, "two": [*pairs, *blocks]}


def growing(character: str, separator: str, length: int) -> str:
    """Return runs of a character, each longer than the one before."""
    pieces, size = [], 0
    while size < length:
        pieces.append(character * (len(pieces) + 1) + separator)
        size += len(pieces[-1])
    return "".join(pieces)[:length]


# --- Reading ---


def read_pieces(dialect: dialects.Dialect, text: str) -> None:
    read_text(dialect, text, max(len(text) // 2_000, 7))


def seconds(read: Read, text: str) -> float:
    """Return the seconds of computing that a text takes."""
    before = time.process_time()
    read(text)
    return time.process_time() - before


def walk(text: str) -> int:
    return sum(1 for _ in text)


def ratio(read: Read, text: str) -> float:
    """Return how many times as long as a walk it takes to read a text; the least of some turns, since others use the machine, too."""
    least = float("inf")
    for _ in range(4):
        least = min(least, seconds(read, text) / max(seconds(walk, text), 1e-6))
        if least < MOST / 2:
            break
    return least


def slow_texts(read: Read, name: str) -> Iterator[tuple[float, str, str]]:
    """Yield the ratio of each text that was read at greater length, with its opening and its run."""
    kinds = runs(name)
    for opening in openings(name):
        short = {run: seconds(read, opening + repeated(run, SHORT)) for run in (*kinds["one"], *kinds["two"])}
        slowest = sorted(kinds["two"], key=lambda run: -short[run])[:SLOWEST]  # called at once
        for run in (*kinds["one"], *slowest):
            yield ratio(read, opening + repeated(run, MIDDLE)), opening, run


@pytest.mark.parametrize("way", [read_text, read_pieces])
@pytest.mark.parametrize("name", [*dialects.names(), AUTO])
def test_a_begun_call_before_a_run_of_characters_is_read_in_linear_time(
    name: str, way: Callable[[dialects.Dialect, str], object]
) -> None:
    read: Read = partial(way, dialects.get(name))
    read(dialects.get(name).render_calls(CALLS[1]) + "{[(" * 40)  # compiles patterns at first
    texts = sorted(slow_texts(read, name), reverse=True)
    wrong = {}
    for place, (at_middle, opening, run) in enumerate(texts):
        if place < SLOWEST or at_middle > MOST / 2:
            at_length = ratio(read, opening + repeated(run, LONG))
            if at_length > MOST:
                wrong[opening, run] = round(at_middle), round(at_length)
            if len(wrong) == SLOWEST:
                break
    assert not wrong


@pytest.mark.parametrize("name", [AUTO, "json", "react", "pythonic", "harmony", "hermes"])
def test_runs_of_growing_length_are_read_in_linear_time(name: str) -> None:
    read: Read = partial(read_text, dialects.get(name))
    read("x")
    texts = {(one, other): growing(one, other, LONG) for one in "`~{[<> \n\"'\\" for other in ("x", "\n", " x\n")}
    wrong = {each: round(at_length) for each, text in texts.items() if (at_length := ratio(read, text)) > MOST}
    assert not wrong


NESTED = ("{", "[", '{"a":', "['", *DEEP)


@pytest.mark.parametrize("name", [AUTO, "json", "llama3", "xlam", "react-json", "pythonic"])
def test_pieces_over_and_over_are_read_in_linear_time(name: str) -> None:
    read: Read = partial(read_text, dialects.get(name))
    read("x")
    calls = (
        [dialects.get(each).render_calls(CALLS[1][:1])[:-4] + "\n" for each in dialects.names()] if name == AUTO else []
    )
    wrong = {
        piece: round(at_length)
        for piece in (*NESTED, *QUOTING, *calls)
        if (at_length := ratio(read, repeated(piece, LONG // 4))) > MOST
    }
    assert not wrong


# --- Readers of other rooms ---

ANSWER = OutputFormat(dict[str, Any])
YAML = OutputFormat(dict[str, Any], syntax="yaml")
LONGEST_EXPRESSION = 200_000


def echo(v: object = None) -> None:
    """Take anything."""


ECHO = Tool.from_function(echo)
ANSWERS = (
    *CLASSES,
    *(f"{one}{other}" for one, other in combinations(CLASSES, 2)),
    *(
        "```json\n[",
        "```json\n```\n[",
        "[1\n```json\n",
        "```yaml\n",
        "```\nx",
        "/*",
        "[/*",
        '["",',
        "<think>",
        "</think>",
    ),
)


def run_expression(text: str) -> None:
    try:
        parse_call(text, tools=[])
    except ValueError:
        return


@pytest.mark.parametrize("opening", ["", "{", "[", '{"a": [', '{"a": "', "```json\n", "```yaml\na: ", "f(", "f(a=[1, "])
@pytest.mark.parametrize("read", [ANSWER.read, YAML.read, run_expression], ids=["JSON", "YAML", "Python"])
def test_an_answer_is_read_in_linear_time(read: Read, opening: str) -> None:
    """Readers with a limit of length or of tokens may take longer than `MOST` walks up to it, but in linear time."""
    wrong = {}
    for run in ANSWERS:
        short, long = (opening + repeated(run, length) for length in (SHORT, 16 * SHORT))
        seconds(read, short)
        turns = [(seconds(read, short), seconds(read, long)) for _ in range(2)]
        before, after = (max(min(each), 0.002) for each in zip(*turns, strict=True))
        if after > 60 * before or (ratio(read, opening + repeated(run, LONG)) > MOST):
            wrong[run] = round(after / before, 1)
    assert not wrong


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_by_an_expression_is_refused_at_once(attack: str) -> None:
    """It may take as long as `MOST` walks over the longest text that is read, whatever its own length."""
    with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
        least = min(seconds(refuse_expression, ATTACKS[attack]) for _ in range(4))
    assert least < MOST * seconds(walk, "x" * LONGEST_EXPRESSION)


def refuse_expression(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse_call(text, tools=ECHO, context={"x": 3, "big": "a" * 40_000, "obj": object()})


def test_values_that_do_not_end_before_many_code_blocks_are_read_in_linear_time() -> None:
    for fence in ("```json\n[", "```json\n```\n["):
        for filler in ('"",', "1 ", "//\n", "/**/"):
            text = "".join(f"{fence}{repeated(filler, LONG // 100)}\n" for _ in range(99))
            assert ratio(ANSWER.read, text) < MOST, (fence, filler)

"""Which pieces of text is a reader woken for? Few, and those that are laid by are read all the same."""

from __future__ import annotations

import random

import pytest

from fcregistry import ToolCall, dialects
from fcregistry.dialects import DialectStream
from fcregistry.dialects._json_text import _Brackets
from fcregistry.dialects._source import WAKE_ALWAYS, WAKE_NEVER, TextMarks, Wake, wake_on_characters, wake_when_decided

WORDS = "a" * 200
ARGUMENTS = {"text": WORDS, "names": ["Oslo", "Alta"] * 20, "table": {"a": [1, 2], "b": {"c": None}}}
CALL = ToolCall("echo", ARGUMENTS)


def is_woken(wake: Wake, piece: str) -> bool:
    return wake.sign in piece and bool(wake.search(piece))


# --- what is waited for ---------------------------------------------------------------------------


def test_a_reader_waits_for_characters() -> None:
    assert [is_woken(wake_on_characters("<"), piece) for piece in ("a", "a<", "")] == [False, True, False]
    assert [is_woken(wake_on_characters("<["), piece) for piece in ("a", "a<", "[", "")] == [False, True, True, False]
    assert is_woken(WAKE_ALWAYS, "") and is_woken(WAKE_ALWAYS, "a")  # noqa: PT018  # two of a kind
    assert not is_woken(WAKE_NEVER, "a")


@pytest.mark.parametrize(
    ("begun", "pieces"),
    [
        ("<", ["t", "ool", "_call", ">"]),
        ("<t", ["ool_call>"]),
        ("<t", ["hink", "", "!"]),
        ("<", ["a"]),
        ("<", ["<"]),
        ("", ["<", "/", "b"]),
    ],
)
def test_a_reader_is_woken_when_a_mark_is_there_or_cannot_be(begun: str, pieces: list[str]) -> None:
    wake = wake_when_decided(("<tool_call>", "<think>", "</think>"), begun)
    assert wake is not None
    assert [is_woken(wake, piece) for piece in pieces] == [False] * (len(pieces) - 1) + [True]


def test_what_cannot_go_on_is_not_waited_for() -> None:
    assert wake_when_decided(("<a>", "<ab>"), "<a>") is None
    assert wake_when_decided(("```", "```json"), "```") is not None
    assert wake_when_decided(("```", "```json"), "```j") is not None


def test_the_beginnings_of_a_long_text_are_not_kept() -> None:
    assert wake_when_decided((f"<{WORDS}>",), f"<{WORDS}") is WAKE_ALWAYS
    assert wake_when_decided((f"<{WORDS}>",), "b") is None


def test_where_a_mark_has_begun_it_is_waited_for() -> None:
    marks = TextMarks("<ab>", "<ac>")
    assert is_woken(marks.awaited(None), "<")
    assert not is_woken(marks.awaited(marks.beginning("x<a")), "b")


def test_marks_do_not_stand_inside_of_one_another() -> None:
    with pytest.raises(ValueError, match="inside of another"):
        TextMarks("<a>", "a")
    with pytest.raises(ValueError, match="empty"):
        TextMarks("")


# --- how often ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dialects.names())
def test_a_reader_is_woken_a_few_times_for_a_call(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    woken = 0
    advance = DialectStream._advance

    def counted(stream: DialectStream) -> None:
        nonlocal woken
        woken += 1
        advance(stream)

    monkeypatch.setattr(DialectStream, "_advance", counted)
    dialect = dialects.get(name)
    text = dialect.render_calls([CALL])
    stream = dialect.stream()
    for character in text:
        stream.feed(character)
    assert len(stream.close().tool_calls) == 1
    strings_have_marks = name in ("gemma4", "functiongemma")
    assert woken < (100 if strings_have_marks else 40)


def test_words_and_thoughts_wake_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = dialects.get("hermes").stream()
    for piece in ("It rains", ".<think>", "So"):
        stream.feed(piece)
    monkeypatch.setattr(DialectStream, "_advance", None)
    assert [stream.feed(piece).reasoning for piece in (" it", " ", " is", ".")] == [" it", "", "  is", "."]


# --- brackets -------------------------------------------------------------------------------------

TOKENS = ('"', "'", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "/", "//", "/*", "*/", "#", "a", "1", "(", '"a": ')
VALUE = '{"a": [1, "}", {\'b\': "\\""}], /* ] */ c: [[true], "]"] # }\n}'


def followed(pieces: list[str]) -> tuple[bool, int]:
    """Return whether brackets are closed in a text, and how much of it was read for that, when it comes in pieces."""
    waiting: list[str] = []
    brackets = _Brackets(waiting)
    brackets.read(pieces[0], 0)
    for piece in pieces[1:]:
        if brackets.are_open:
            if brackets.sign in piece:
                brackets.is_decided(piece)
            waiting.append(piece)
    if brackets.are_open:
        brackets.read("".join(pieces), brackets.taken)
    return brackets.are_closed, -1 if brackets.are_open else brackets.taken


def test_brackets_are_followed_the_same_whatever_a_text_is_cut_into() -> None:
    chance = random.Random(1)
    closed = 0
    for turn in range(1500):
        inside = "".join(chance.choices(TOKENS, k=chance.randint(0, 12)))
        cut = chance.randint(1, len(VALUE))
        text = f"{VALUE[:cut]}{inside}{VALUE[cut:]}" if turn % 2 else f"{{{inside}}}"
        pieces = []
        rest = text
        while rest:
            size = chance.randint(1, 6)
            pieces.append(rest[:size])
            rest = rest[size:]
        whole = followed([text])
        assert followed(pieces) == whole
        assert followed(list(text)) == whole
        closed += whole[0]
    assert 200 < closed < 1400


def test_text_in_brackets_that_is_no_json_is_handed_on_at_once() -> None:
    stream = dialects.get("json").stream()
    assert [stream.feed(piece).content for piece in ("So {see", " (this", ")")] == ["So", " {see (this", ")"]


def test_text_that_goes_on_as_json_is_handed_on_when_the_bracket_that_is_due_may_come() -> None:
    stream = dialects.get("json").stream()
    assert [stream.feed(piece).content for piece in ('{"a" and ', "(b) ", "} c")] == ["", "", '{"a" and (b) } c']


def test_pieces_of_words_are_what_they_would_be_if_made_whole() -> None:
    stream = dialects.get("hermes").stream()
    stream.feed("It")
    said = stream.feed(" rains")
    assert said == dialects.Parsed(" rains")
    assert repr(said) == "Parsed(content=' rains')"
    assert (said.content, said.reasoning, said.tool_calls, said.repairs, bool(said)) == (" rains", "", (), (), True)

"""A text that is too long is cut between whole characters and escapes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcregistry.execution._limits import middle_cut  # a law for all texts, also those that no tool of a test returns


def halves(text: str, room: int) -> tuple[str, str]:
    head, tail = middle_cut(text, room)
    return text[:head], text[tail:]


@pytest.mark.parametrize(
    ("text", "room", "left"),
    [
        ("abcdefgh", 4, ("ab", "gh")),
        ("abcdefgh", 5, ("abc", "gh")),
        ("abcdefgh", 1, ("a", "")),
        ("abcdefgh", 0, ("", "")),
        (r"a\nbcd\te", 4, ("a", "e")),
        (r"a\\\\b cdef \\\\b", 6, (r"a\\", r"\\b")),
        (r"a\u00e9 b \u00e9z", 8, ("a", "z")),
        (r"ab\ud83d\ude00cd\ud83d\ude00ef", 20, ("ab", "ef")),
        ("a\ud83d\ude00bc\ud83d\ude00d", 4, ("a", "d")),
        ("a\r\nbcd\r\ne", 4, ("a", "e")),
        ("\\" * 8, 4, ("\\\\", "\\\\")),
        ("\\" * 8, 6, ("\\\\", "\\\\")),
        ("\\" * 40, 38, ("\\" * 18, "\\" * 18)),
        ("😀😀😀😀", 2, ("😀", "😀")),
    ],
)
def test_a_text_is_cut_in_the_middle_between_whole_characters(text: str, room: int, left: tuple[str, str]) -> None:
    assert halves(text, room) == left


@given(text=st.text(st.characters(codec=None), min_size=1) | st.text("\\\r\nu0aD8cC\ud83d\ude00", min_size=1), data=st.data())  # fmt: skip
def test_the_remaining_text_fits_and_is_from_both_ends(text: str, data: st.DataObject) -> None:
    room = data.draw(st.integers(0, len(text) - 1))
    head, tail = halves(text, room)

    assert len(head) + len(tail) <= room
    assert room - len(head) - len(tail) <= 24, "no more is lost than an escape on either side"
    assert text.startswith(head)
    assert text.endswith(tail)


@given(value=st.text(st.characters(codec=None), min_size=1), data=st.data())
def test_both_ends_of_a_json_string_that_is_cut_are_json_strings(value: str, data: st.DataObject) -> None:
    text = json.dumps(value)[1:-1]
    head, tail = halves(text, data.draw(st.integers(0, len(text) - 1)))

    assert value.startswith(json.loads(f'"{head}"'))
    assert value.endswith(json.loads(f'"{tail}"'))

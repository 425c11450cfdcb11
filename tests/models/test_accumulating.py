"""Tool calls put together from pieces, in the manner of every server that is known to differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import ToolCall
from fcregistry.models import Delta, ToolCallDelta
from fcregistry.models._streamed_calls import StreamedCalls  # pieces of many servers, without the servers

Piece = tuple[int | None, str | None, str | None, Any]


def put_together(pieces: list[Piece]) -> tuple[ToolCall, ...]:
    calls = StreamedCalls()
    for piece in pieces:
        calls.add(*piece)
    return calls.calls()


# --- every manner, in any order -------------------------------------------------------------------


class Written(NamedTuple):
    """A call as a server is about to stream it."""

    place: int
    id: str
    name: str
    texts: list[str]


def openai(call: Written) -> Iterator[Piece]:
    yield (call.place, call.id, call.name, "")
    yield from ((call.place, None, None, text) for text in call.texts)


def azure(call: Written) -> Iterator[Piece]:
    yield (call.place, call.id, call.name, None)
    yield from ((call.place, "", "", text) for text in call.texts)


def says_all_each_time(call: Written) -> Iterator[Piece]:
    yield from ((call.place, call.id, call.name, text) for text in call.texts)


def new_id_each_time(call: Written) -> Iterator[Piece]:
    yield (call.place, call.id, call.name, "")
    yield from ((call.place, f"{call.id}-{n}", None, text) for n, text in enumerate(call.texts))


def id_last(call: Written) -> Iterator[Piece]:
    yield (call.place, None, call.name, None)
    yield from ((call.place, None, None, text) for text in call.texts)
    yield (call.place, call.id, None, None)


def name_in_two(call: Written) -> Iterator[Piece]:
    yield (call.place, call.id, call.name[:1], None)
    yield (call.place, None, call.name[1:], None)
    yield from ((call.place, None, None, text) for text in call.texts)


def id_instead_of_index(call: Written) -> Iterator[Piece]:
    yield (None, call.id, call.name, None)
    yield from ((None, call.id, None, text) for text in call.texts)


def index_0_with_ids(call: Written) -> Iterator[Piece]:
    yield from ((0, call.id, call.name, text) for text in call.texts)


def index_0(call: Written) -> Iterator[Piece]:
    yield (0, call.id, call.name, "")
    yield from ((0, None, None, text) for text in call.texts)


def no_index(call: Written) -> Iterator[Piece]:
    yield (None, call.id, call.name, call.texts[0])
    yield from ((None, None, None, text) for text in call.texts[1:])


def index_0_and_new_ids(call: Written) -> Iterator[Piece]:
    yield (0, call.id, call.name, "")
    yield from ((0, f"{call.id}-{n}", "", text) for n, text in enumerate(call.texts))


def whole_with_index_0(call: Written) -> Iterator[Piece]:
    yield (0, call.id, call.name, "".join(call.texts))


def whole_without_index(call: Written) -> Iterator[Piece]:
    yield (None, call.id, call.name, "".join(call.texts))


def object_with_index_0(call: Written) -> Iterator[Piece]:
    yield (0, call.id, call.name, json.loads("".join(call.texts)))


def nameless_to_begin_with(call: Written) -> Iterator[Piece]:
    yield (call.place, call.id, None, None)
    yield (call.place, None, call.name, None)
    yield from ((call.place, None, None, text) for text in call.texts)


def name_alone_each_time(call: Written) -> Iterator[Piece]:
    yield from ((0, None, call.name, text) for text in call.texts)


def nothing_but_names(call: Written) -> Iterator[Piece]:
    yield (None, None, call.name, "".join(call.texts))


INTERLEAVED = (
    openai,
    azure,
    says_all_each_time,
    new_id_each_time,
    id_last,
    name_in_two,
    id_instead_of_index,
    index_0_with_ids,
    nameless_to_begin_with,
)
ONE_AFTER_THE_OTHER = (
    index_0,
    no_index,
    index_0_and_new_ids,
    whole_with_index_0,
    whole_without_index,
    object_with_index_0,
    name_alone_each_time,
    nothing_but_names,
)
WITHOUT_IDS = (name_alone_each_time, nothing_but_names)

VALUES = st.text(alphabet='a{}[]"\\ é\n', max_size=6) | st.sampled_from(
    [None, True, 1.5, [], {}, [{"}": ["]"]}], {"a": {"b": "{"}}]
)
OBJECTS = st.dictionaries(st.sampled_from(["", "x", '"', "{", "\\"]), VALUES, max_size=3)


@st.composite
def texts(draw: st.DrawFn) -> list[str]:
    """Draw the text of an object, cut at random places; some pieces are empty."""
    text = json.dumps(draw(OBJECTS), ensure_ascii=False)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@st.composite
def written(draw: st.DrawFn) -> list[Written]:
    all_texts = draw(st.lists(texts(), min_size=1, max_size=4))
    names = st.sampled_from(["f", "get_weather", "get_time", "go"])
    return [Written(place, f"id{place}", draw(names), each) for place, each in enumerate(all_texts)]


def expected(calls: list[Written], with_ids: bool = True) -> list[ToolCall]:
    return [ToolCall(call.name, "".join(call.texts), call.id if with_ids else None) for call in calls]


@settings(max_examples=60)
@given(calls=written(), manner=st.sampled_from(INTERLEAVED), data=st.data())
def test_interleaved_calls_are_distinguished(
    calls: list[Written], manner: Callable[[Written], Iterator[Piece]], data: st.DataObject
) -> None:
    left = [list(manner(call)) for call in calls]
    pieces: list[Piece] = []
    begun: list[Written] = []
    while any(left):
        turn = data.draw(st.sampled_from([place for place, rest in enumerate(left) if rest]))
        begun += [calls[turn]] if calls[turn] not in begun else []
        pieces.append(left[turn].pop(0))
    assert list(put_together(pieces)) == expected(begun)


@settings(max_examples=60)
@given(calls=written(), manner=st.sampled_from((*INTERLEAVED, *ONE_AFTER_THE_OTHER)))
def test_calls_that_come_one_after_the_other_are_distinguished(
    calls: list[Written], manner: Callable[[Written], Iterator[Piece]]
) -> None:
    pieces = [piece for call in calls for piece in manner(call)]
    made = put_together(pieces)
    if manner is object_with_index_0:
        assert [json.loads(str(call.arguments)) for call in made] == [json.loads("".join(call.texts)) for call in calls]
        assert [(call.name, call.id) for call in made] == [(call.name, call.id) for call in calls]
    else:
        assert list(made) == expected(calls, manner not in WITHOUT_IDS)


@given(
    st.lists(
        st.tuples(
            st.none() | st.integers(0, 2),
            st.none() | st.sampled_from(["", "a", "b"]),
            st.none() | st.sampled_from(["", "f", "g"]),
            st.none() | st.sampled_from(["", "{", "}", '"', "\\", " "]) | st.just({}),
        ),
        max_size=12,
    )
)
def test_no_piece_is_lost_and_none_raises_whatever_comes(pieces: list[Any]) -> None:
    """All text that comes is in some call, or the message is an error; and each piece is told with the place of its call."""
    calls, told = StreamedCalls(), [""] * 12
    for piece in pieces:
        delta = calls.add(*piece)
        if delta is not None:
            told[delta.index] += delta.arguments
    try:
        made = calls.calls()
    except ValueError:
        return
    assert [call.arguments or "" for call in made] == told[: len(made)]
    assert not any(told[len(made) :])


# --- the rules, one by one ------------------------------------------------------------------------


def test_two_equal_pieces_are_two_pieces() -> None:
    pieces: list[Piece] = [
        (0, "1", "f", '{"a": "'),
        (0, None, None, "ha"),
        (0, None, None, "ha"),
        (0, None, None, '"}'),
    ]
    assert put_together(pieces) == (ToolCall("f", '{"a": "haha"}', "1"),)


def test_a_call_that_is_repeated_under_its_id_is_one_call() -> None:
    pieces: list[Piece] = [(0, "1", "f", '{"a": 1}'), (0, "1", "f", '{"a": 1}'), (0, "1", "f", "")]
    assert put_together(pieces) == (ToolCall("f", '{"a": 1}', "1"),)


@pytest.mark.parametrize("index", [0, None])
def test_equal_calls_without_ids_are_two_calls(index: int | None) -> None:
    assert put_together([(index, None, "f", '{"a": 1}')] * 2) == (ToolCall("f", '{"a": 1}'),) * 2


def test_an_id_that_is_the_tools_name_does_not_make_two_calls_one() -> None:
    """Gemini's endpoint gave ids like that once."""
    pieces: list[Piece] = [(0, "f", "f", '{"a": 1}'), (0, "f", "f", '{"a": 2}'), (1, "f", "f", '{"a": 3}')]
    assert [call.arguments for call in put_together(pieces)] == ['{"a": 1}', '{"a": 2}', '{"a": 3}']


def test_an_index_distinguishes_calls_that_share_an_id() -> None:
    pieces: list[Piece] = [(0, "f", "f", '{"a": '), (1, "f", "f", '{"a": '), (0, "f", None, "1}"), (1, "f", None, "2}")]
    assert [call.arguments for call in put_together(pieces)] == ['{"a": 1}', '{"a": 2}']


def test_an_index_that_appears_late_is_of_the_call_that_has_begun() -> None:
    pieces: list[Piece] = [(None, "1", "f", '{"a"'), (0, None, None, ": 1}"), (1, "2", "g", "{}")]
    assert put_together(pieces) == (ToolCall("f", '{"a": 1}', "1"), ToolCall("g", "{}", "2"))


def test_a_name_with_an_index_begins_a_call_beside_one_that_had_none() -> None:
    pieces: list[Piece] = [(None, None, "f", None), (0, None, "g", "{}")]
    assert put_together(pieces) == (ToolCall("f"), ToolCall("g", "{}"))


def test_a_call_without_arguments_has_none() -> None:
    pieces: list[Piece] = [(0, "1", "f", None), (1, "2", "g", ""), (0, "3", "h", "{}")]
    assert put_together(pieces) == (ToolCall("f", None, "1"), ToolCall("g", None, "2"), ToolCall("h", "{}", "3"))


def test_text_that_ends_in_the_middle_stays_as_it_is() -> None:
    assert put_together([(0, "1", "f", '{"a": [1, ')]) == (ToolCall("f", '{"a": [1, ', "1"),)


def test_a_call_that_breaks_off_is_not_continued_by_the_next() -> None:
    pieces: list[Piece] = [(0, "1", "f", '{"a": '), (0, "2", "f", '{"a": 2}'), (0, None, "g", "{}")]
    assert [call.arguments for call in put_together(pieces)] == ['{"a": ', '{"a": 2}', "{}"]


def test_empty_pieces_are_ignored() -> None:
    calls = StreamedCalls()
    assert [calls.add(0, None, None, None), calls.add(None, "", "", ""), calls.add(3, None, "", "")] == [None] * 3
    assert calls.calls() == ()


def test_each_piece_has_the_position_of_its_call_in_the_answer() -> None:
    """The place is ours, since the server's index may be any; id and name are told as far as they are known."""
    calls = StreamedCalls()
    told = [
        calls.add(0, None, "f", None),
        calls.add(0, "1", None, '{"a"'),
        calls.add(0, "1", "f", ""),
        calls.add(0, None, None, ": 1}"),
        calls.add(0, "2", "g", {"b": 2}),
    ]
    assert told == [
        ToolCallDelta(index=0, name="f"),
        ToolCallDelta(index=0, id="1", name="f", arguments='{"a"'),
        None,
        ToolCallDelta(index=0, id="1", name="f", arguments=": 1}"),
        ToolCallDelta(index=1, id="2", name="g", arguments='{"b": 2}'),
    ]


def test_the_pieces_of_deltas_are_put_together() -> None:
    calls = StreamedCalls()
    calls.add_delta(Delta(tool_calls=(ToolCallDelta(index=0, id="1", name="f"), ToolCallDelta(index=1, name="g"))))
    calls.add_delta(Delta(content="x", tool_calls=(ToolCallDelta(index=0, arguments="{}"),)))
    assert calls.calls() == (ToolCall("f", "{}", "1"), ToolCall("g"))


def test_arguments_are_not_put_together_for_every_piece_that_comes_behind_them() -> None:
    """With work that grows as the square it would take longer than a test may take."""
    (made,) = put_together([(0, "1", "f", '{"a": 1}'), *[(0, "1", None, "  ")] * 600_000])
    assert made == ToolCall("f", '{"a": 1}' + "  " * 600_000, "1")

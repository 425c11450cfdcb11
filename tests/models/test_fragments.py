"""Fragments of streamed calls: either the calls of the whole message result, or none of them and an error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Tool
from fcregistry.agents import ReactAgent
from fcregistry.errors import ModelError
from fcregistry.models import CallableModel, Delta, ToolCallDelta
from fcregistry.models._streamed_calls import StreamedCalls  # pieces of many servers, without the servers

from . import anthropic_wire, openai_wire
from .openai_wire import DONE, chunk, happened
from .provider_server import ProviderServer, Reply, stream_reply

Piece = tuple[int | None, str | None, str | None, str | None]
"""The index, the id, the name and a part of the arguments."""


class Disk:
    """Tools that record what they were called with."""

    def __init__(self) -> None:
        self.ran: list[Any] = []

    def purge(self, keep_days: int = 0) -> str:
        """Delete files."""
        self.ran.append(("purge", keep_days))
        return "purged"

    def find(self, name: str = "*") -> str:
        """Find files."""
        self.ran.append(("find", name))
        return "found"

    def sync(self) -> str:
        """Wait until all is written."""
        self.ran.append(("sync",))
        return "synced"

    @property
    def tools(self) -> list[Any]:
        return [self.purge, self.find, self.sync]


TOOLS = [Tool.from_function(each) for each in Disk().tools]


def written(pieces: Sequence[Piece]) -> list[str]:
    """Return the events of a chat completion that streams calls in pieces, and leaves out what is None."""
    events = []
    for index, identity, name, arguments in pieces:
        function = {"name": name, "arguments": arguments}
        call = {
            "index": index,
            "id": identity,
            "function": {key: each for key, each in function.items() if each is not None},
        }
        events.append(chunk({"tool_calls": [{key: each for key, each in call.items() if each is not None}]}))
    return events


def run(disk: Disk, pieces: Sequence[Piece], end: str = "tool_calls") -> Any:
    """Run an agent whose model streams calls in pieces, and answers then."""
    replies = stream_reply([*written(pieces), chunk(finish=end), DONE]), openai_wire.chat_stream("Done.")
    with ProviderServer(*replies) as server, openai_wire.chat(server) as model:
        (*_, finished) = ReactAgent(model, disk.tools).stream("?")
    return finished.result  # type: ignore[union-attr]


SPLIT = [
    [(0, "a", "purge", ""), (1, None, None, '{"keep_days": 30}')],
    [(0, "a", "purge", None), (1, None, None, '{"keep_'), (1, None, None, 'days": 30}')],
    [(0, "a", "purge", ""), (1, "", "", '{"keep_days": 30}')],
    [(0, None, "purge", ""), (1, "a", None, '{"keep_days": 30}')],
    [(3, "a", "purge", ""), (0, None, None, '{"keep_days": 30}')],
    [(0, "b", "sync", "{}"), (1, "a", "purge", ""), (2, None, None, '{"keep_days": 30}')],
    [(0, "b", "sync", ""), (1, "a", "purge", ""), (2, None, None, '{"keep_days": 30}')],
    [(0, "a", "purge", ""), (1, "b", "sync", "{}"), (2, None, None, '{"keep_days": 30}')],
]


@pytest.mark.parametrize("pieces", SPLIT)
def test_arguments_with_an_index_of_their_own_are_of_the_only_call_that_waits_for_some(pieces: list[Piece]) -> None:
    disk = Disk()
    assert run(disk, pieces).answer == "Done."
    assert [each for each in disk.ran if each != ("sync",)] == [("purge", 30)]


def test_several_calls_may_have_their_arguments_under_the_next_index() -> None:
    disk = Disk()
    pieces: list[Piece] = [
        (0, "a", "purge", ""),
        (1, None, None, '{"keep_days": 30}'),
        (1, "b", "find", ""),
        (2, None, None, '{"name": "x"}'),
    ]
    run(disk, pieces)
    assert sorted(disk.ran) == [("find", "x"), ("purge", 30)]


UNCERTAIN: list[list[Piece]] = [
    [(0, "a", "purge", ""), (1, "b", "find", ""), (2, None, None, '{"keep_days": 30}')],  # of either
    [(0, "a", "purge", ""), (1, None, None, '{"keep_days": 30}'), (2, "b", "find", "")],
    [(0, "a", "sync", ""), (1, None, None, '{"keep_days": 30}')],  # of a tool without parameters
    [(0, "a", "purge", '{"keep_days": 1}'), (1, None, None, '{"keep_days": 30}')],
    [(0, "a", "purge", '{"keep_days": '), (1, None, None, "30}")],
    [(0, "a", "purge", ""), (1, None, None, "30}")],
    [(0, "a", "purge", ""), (1, "b", None, '{"keep_days": 30}')],  # of another id
    [(0, "a", "purge", ""), (1, None, None, '{"keep_'), (2, None, None, 'days": 30}')],
    [(0, None, None, '{"keep_days": 30}'), (1, "a", "purge", "")],
    [(0, None, None, '{"keep_days": 30}'), (0, "a", "purge", "")],
    [(0, "a", "no_such", ""), (1, None, None, '{"keep_days": 30}')],
    [(0, "a", "find", "{}"), (1, "b", None, None)],
    [(None, "a", "purge", ""), (None, "b", "find", ""), (None, None, None, '{"keep_days": 30}')],
    [(None, "a", "purge", ""), (None, "b", "find", ""), (0, None, None, "{}"), (1, None, None, '{"name": "x"}')],
    [(0, "a", "purge", ""), (1, "a", "purge", '{"keep_days": 30}')],
    [(0, "a", "find", '{"name": '), (1, "b", "purge", ""), (2, None, None, '{"keep_days": 30}')],
    [(0, "a", "find", ""), (1, "b", "purge", ""), (2, None, None, '{"keep_days": '), (2, "b", None, "30}")],
]


@pytest.mark.parametrize("pieces", UNCERTAIN)
def test_a_fragment_that_no_call_claims_is_an_error_and_no_call_of_the_message_runs(pieces: list[Piece]) -> None:
    disk = Disk()
    result = run(disk, pieces)
    assert (result.stop_reason, type(result.error), disk.ran) == ("model_error", ModelError, [])


def test_the_error_says_what_is_uncertain() -> None:
    with pytest.raises(ValueError, match=r"^a piece belongs to none of its calls: '{\"x\": 1}'$"):
        calls_of([(1, None, None, '{"x": 1}')])
    with pytest.raises(ValueError, match=r"^it is not certain which arguments the call of 'find' has$"):
        calls_of([(0, "a", "purge", ""), (1, None, None, '{"x": 1}'), (2, "b", "find", "")])
    result = run(Disk(), UNCERTAIN[0])
    assert str(result.error).startswith(
        "openai:gpt-5 sent an answer that cannot be read: a piece belongs to none of its"
    )


def test_pieces_that_a_function_yields_are_put_together_in_the_same_way() -> None:
    for name, ran in (("purge", [("purge", 30)]), ("sync", [])):

        def model(messages: Any, name: str = name) -> Iterator[Any]:
            if messages[-1]["role"] == "tool":
                yield "Done."
                return
            yield Delta(tool_calls=(ToolCallDelta(index=0, id="a", name=name),))
            yield Delta(tool_calls=(ToolCallDelta(index=1, arguments='{"keep_days": 30}'),))

        disk = Disk()
        result = ReactAgent(CallableModel(model), disk.tools).run("?")
        assert (disk.ran, result.ok) == (ran, bool(ran))


# --- every way to split a message -----------------------------------------------------------------


class Call(NamedTuple):
    """A call of a whole message."""

    name: str
    text: str
    id: str


def calls_of(pieces: Sequence[Piece]) -> list[tuple[str, str | None]]:
    """Return the calls that pieces are put together to."""
    streamed = StreamedCalls(TOOLS)
    for piece in pieces:
        streamed.add(*piece)
    return [(call.name, call.arguments) for call in streamed.calls()]  # type: ignore[misc]


@st.composite
def splits(draw: st.DrawFn) -> tuple[list[Call], list[Piece]]:
    """Draw calls, and pieces of them in which ids, names and indexes may be missing, repeated or shifted."""
    indexes = draw(st.sampled_from(["own", "none", "zero", "some", "next", "counted"]))
    has_ids = draw(st.booleans())
    has_text = not has_ids and indexes in ("none", "zero", "some")  # else an empty call is a name that is repeated
    texts = ['{"keep_days": 30}', '{"name": "a b"}', "{}", *([] if has_text else [""])]
    names = st.sampled_from(["purge", "find", *([] if has_text else ["sync"])])
    calls, pieces = [], []
    for place in range(draw(st.integers(1, 3))):
        name = draw(names)
        call = Call(name, "" if name == "sync" else draw(st.sampled_from(texts)), f"call_{place}")
        cuts = sorted(draw(st.lists(st.integers(0, len(call.text)), max_size=3)))
        parts = [call.text[start:end] for start, end in zip([0, *cuts], [*cuts, len(call.text)], strict=True)]
        parts = ["", *parts] if draw(st.booleans()) else parts
        calls.append(call)
        for number, part in enumerate(parts):
            is_first, nothing = number == 0, draw(st.sampled_from([None, ""]))
            index = {
                "own": place,
                "none": None,
                "zero": 0,
                "some": draw(st.sampled_from([place, None])),
                "next": place if is_first else place + 1,
                "counted": 2 * place + (not is_first),
            }[indexes]
            is_named = is_first or (indexes in ("own", "none", "zero") and draw(st.booleans()))
            has_id = has_ids and (is_first or draw(st.booleans()))
            pieces.append((index, call.id if has_id else nothing, name if is_named else nothing, part or nothing))
    return calls, pieces


@settings(max_examples=800)
@given(splits())
def test_the_calls_of_the_whole_message_result_or_none_and_an_error(split: tuple[list[Call], list[Piece]]) -> None:
    calls, pieces = split
    try:
        made = calls_of(pieces)
    except ValueError:
        return
    assert made == [(call.name, call.text or None) for call in calls]


# --- the other APIs -------------------------------------------------------------------------------


def run_stream(disk: Disk, model: Any, reply: Reply) -> Any:
    """Run an agent whose model streams one answer."""
    with ProviderServer(reply) as server, model(server) as asked:
        (*_, finished) = ReactAgent(asked, disk.tools, max_rounds=1, stop_tools=["purge"]).stream("?")
    return finished.result  # type: ignore[union-attr]


@pytest.mark.parametrize("output", [[], [openai_wire.call_item("purge", "")], [openai_wire.call_item("purge", "{}")]])
def test_a_response_whose_calls_lack_arguments_that_were_streamed_is_an_error(output: list[Any]) -> None:
    disk = Disk()
    delta = happened("response.function_call_arguments.delta", output_index=0, delta='{"keep_days": 30}')
    added = happened("response.output_item.added", output_index=0, item=openai_wire.call_item("purge", ""))
    end = happened("response.completed", response=openai_wire.response(output))
    result = run_stream(disk, openai_wire.responses, stream_reply([added, delta, end]))
    assert (result.stop_reason, disk.ran) == ("model_error", [])
    assert "it streamed arguments that belong to none of its calls" in str(result.error)

    whole = happened("response.completed", response=openai_wire.response([openai_wire.call_item("purge", "{}")]))
    assert run_stream(disk, openai_wire.responses, stream_reply([added, whole])).ok


@pytest.mark.parametrize(
    ("events", "why"),
    [
        (
            [
                anthropic_wire.use(0, "a", name="purge"),
                anthropic_wire.block(
                    1, {"type": "text", "text": ""}, {"type": "input_json_delta", "partial_json": '{"keep_days": 30}'}
                ),
            ],
            "the content block 1 is not a call, and has a piece of input",
        ),
        (
            [anthropic_wire.use(0, "a", '{"keep_days": 30}', name="find"), anthropic_wire.use(0, "b", name="purge")],
            "the content block 0 begins twice",
        ),
    ],
)
def test_blocks_that_do_not_fit_together_are_an_error(events: list[list[str]], why: str) -> None:
    disk = Disk()
    reply = anthropic_wire.stream(anthropic_wire.started(), *events, anthropic_wire.ended("tool_use"))
    result = run_stream(disk, anthropic_wire.model_at, reply)
    assert (result.stop_reason, disk.ran) == ("model_error", [])
    assert why in str(result.error)


def test_a_fragment_that_the_limit_of_tokens_cut_off_does_not_run() -> None:
    disk = Disk()
    pieces: list[Piece] = [(0, "a", "purge", ""), (1, None, None, json.dumps({"keep_days": 30}))]
    assert run(disk, pieces, "length").answer == "Done."
    assert disk.ran == []

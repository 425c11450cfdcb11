"""Results and steps as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date

import pytest

from fcregistry import FunctionCall, ReactAgent, Tool
from fcregistry.agents import RunResult
from fcregistry.types import EncodingError

from .scripts import Script, add, adds, calls, says


def test_a_result_is_json_with_all_that_was_done() -> None:
    result = ReactAgent(Script(calls(adds(1, 2)), says("3.")), [add]).run("1 + 2?")
    said = json.loads(json.dumps(result.to_json()))
    assert (said["answer"], said["stop_reason"], said["error"], said["pending"]) == ("3.", "answered", None, [])
    assert [step["kind"] for step in said["steps"]] == ["model", "tools", "model"]
    assert said["steps"][1]["results"][0]["content"] == "3"
    assert "results" not in said["steps"][0]
    assert said["messages"] == [message.to_dict() for message in result.messages]
    assert said["usage"]["requests"] == 2


@dataclass
class Meeting:
    """When, and with whom."""

    day: date
    guests: tuple[str, ...]


def test_an_answer_of_a_type_is_written_as_that_type_is() -> None:
    model = Script(says('{"day": "2024-02-29", "guests": ["Ann"]}'))
    result = ReactAgent(model, answer_type=Meeting).run("When?")
    assert result.answer == Meeting(date(2024, 2, 29), ("Ann",))
    assert result.to_json()["answer"] == {"day": "2024-02-29", "guests": ["Ann"]}


@pytest.mark.parametrize("answer", [0, False, "", [], None, {"role": "assistant"}])
def test_what_is_json_stays_what_it_is(answer: object) -> None:
    said = RunResult(answer=answer).to_json()["answer"]
    assert (type(said), said) == (type(answer), answer)


def test_an_answer_without_a_json_form_is_not_written() -> None:
    with pytest.raises(EncodingError):
        RunResult(answer=object()).to_json()


def test_calls_that_wait_and_what_the_model_raised_are_in_it() -> None:
    asked = Tool.from_function(add, requires_approval=True)
    waiting = FunctionCall(Script(calls(adds(1, 2))), [asked]).run("?").to_json()
    assert [call["name"] for call in waiting["pending"]] == ["add"]

    def fails(messages: object) -> str:
        raise OSError("no route")

    assert ReactAgent(fails).run("?").to_json()["error"] == "OSError: no route"

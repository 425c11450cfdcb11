"""Results and steps as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date

import pytest

from fcregistry import FunctionCall, ReactAgent, Tool
from fcregistry.agents import Finished, RunResult
from fcregistry.errors import ModelError, UnfinishedRunError
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


def test_a_printed_result_is_the_answer_or_says_why_there_is_none() -> None:
    assert str(ReactAgent(Script(says("3."))).run("?")) == "3."
    refused = ModelError("openai:gpt-5: the provider does not accept the key; set OPENAI_API_KEY")
    assert str(ReactAgent(Script(refused)).run("?")) == f"the model gave no answer: {refused}"
    assert str(ReactAgent(Script(KeyError("x"))).run("?")) == "the model gave no answer: KeyError: 'x'"
    wrong = ReactAgent(Script(says("ten")), answer_type=int, answer_retries=0).run("?")
    assert str(wrong).startswith("the model's answer was not of the type that was asked for:\n- $: ")


def test_a_result_a_state_and_the_last_event_have_a_repr_of_one_short_line() -> None:
    asked = Tool.from_function(add, requires_approval=True)
    waiting = ReactAgent(Script(calls(adds(1, 2))), [asked]).run("?")
    assert repr(waiting) == "<RunResult approval, requests=1>"
    assert repr(waiting.state) == "<RunState of a ReactAgent, waiting calls=1>"

    answered = ReactAgent(Script(calls(adds(1, 2)), says("3.\n" * 200)), [add]).run("?")
    assert repr(answered).startswith("<RunResult answered, requests=2: '3.\\n3.")
    assert repr(Finished(result=answered)) == f"Finished(result={answered!r})"
    assert len(repr(answered)) < 200

    failed = ReactAgent(Script(RuntimeError("two\nlines"))).run("?")
    assert repr(failed) == "<RunResult model_error, requests=0: two lines>"


def test_unwrap_returns_the_answer_or_raises_an_error_that_says_why_there_is_none() -> None:
    assert ReactAgent(Script(says("4")), answer_type=int).run("?").unwrap() == 4
    with pytest.raises(UnfinishedRunError, match="offline") as raised:
        ReactAgent(Script(RuntimeError("offline"))).run("?").unwrap()
    assert isinstance(raised.value.__cause__, RuntimeError)


@pytest.mark.parametrize("rounds", [1, 9])
def test_a_printed_result_has_the_problems_of_the_answer_without_advice_for_the_model(rounds: int) -> None:
    agent = ReactAgent(
        Script(says('"many"')), answer_type=int, answer_retries=0 if rounds > 1 else 2, max_rounds=rounds
    )
    result = agent.run("How many?")
    assert result.stop_reason == "invalid_answer"
    assert (
        str(result)
        == 'the model\'s answer was not of the type that was asked for:\n- $: must be an integer, not "many"'
    )

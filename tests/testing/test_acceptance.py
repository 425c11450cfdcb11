"""Disagreements of executor and validator are reported. They never disagree by themselves, so tests make one of them."""

from __future__ import annotations

import json
from dataclasses import InitVar, dataclass
from typing import Any

import pytest

from fcregistry import Problem, Tool, ToolResult
from fcregistry.execution import CallError
from fcregistry.formats import Format
from fcregistry.formats._format import Alphabet  # disagreements that no tool has are made here
from fcregistry.testing import Failure
from fcregistry.testing._call_rules import (  # disagreements that no tool has are made here
    _Acceptance,
    accepts_what_its_schema_says,
    delivers_annotated_types,
    gives_the_call_back,
    leaves_its_input_alone,
)
from fcregistry.testing._case import Arrival, CallTrial, Case  # disagreements that no tool has are made here
from fcregistry.testing._report import arguments_text, python_text  # disagreements that no tool has are made here
from fcregistry.testing._rules import _tool_name_failures  # disagreements that no tool has are made here


def count(number: int = 1, *more: int, names: list[str] | None = None) -> None:
    """Count."""


def case(number: dict[str, Any] | None = None, trial: CallTrial | None = None) -> Case:
    """Return a case with a validator, or with calls, that the test provides."""
    made = Case(tool=Tool.from_function(count), examples=60)
    if number is not None:
        schema = made.tool.parameters
        schema["properties"]["number"] = number
        made.__dict__["validator"] = Tool.from_function(count, parameters=schema).validator("jsonschema")
    if trial is not None:
        made.__dict__["stand_in"] = Fixed(trial)
    return made


class Fixed:
    """Replaces the stand-in, and gives one answer to every call."""

    def __init__(self, trial: CallTrial) -> None:
        self._trial = trial

    def call(self, arguments: Any) -> CallTrial:
        return self._trial


def refused(code: str, *problems: str) -> CallTrial:
    error = CallError(code, "no", tuple(Problem("$", problem) for problem in problems))
    return CallTrial(None, ToolResult(None, error=error, content="no"))


def only(failures: tuple[Failure, ...]) -> Failure:
    (failure,) = failures
    return failure


def test_a_call_that_runs_although_the_schema_refuses_it_is_a_failure() -> None:
    failure = only(accepts_what_its_schema_says(case(number={"type": "string"})).failures)
    assert failure.arguments == {"number": 0}
    assert failure.expected == "refused: $.number: must be a string, not 0"
    assert failure.got == "called with (number=0)"


def test_a_call_that_is_refused_although_the_schema_accepts_it_is_a_failure() -> None:
    failure = _Acceptance(case(number={"type": ["integer", "string"]})).examine({"number": "x"})
    assert failure is not None
    assert failure.expected == "accepted: the schema accepts them"
    assert failure.got.startswith("invalid_arguments: ")


def test_a_repair_of_valid_arguments_is_a_failure() -> None:
    """No argument that the schema accepts may be changed."""
    result = ToolResult(None, content="null", repairs=("$.number was null: taken as left out",))
    failure = only(accepts_what_its_schema_says(case(trial=CallTrial(Arrival((), {}), result))).failures)
    assert failure.expected == "accepted unchanged: the schema accepts them"
    assert failure.got == "repaired: $.number was null: taken as left out"


@pytest.mark.parametrize(
    ("kwargs", "left"),
    [
        ({"number": -1}, "$.number: must be at least 0, not -1"),
        ({"number": "x"}, "count cannot take 'x' as the value of 'number'"),
    ],
)
def test_a_repair_that_leaves_arguments_invalid_is_a_failure(kwargs: Any, left: str) -> None:
    result = ToolResult(None, content="null", repairs=("$.names was JSON text: taken as the array that it holds",))
    made = case(number={"type": "integer", "minimum": 0}, trial=CallTrial(Arrival((), kwargs), result))
    failure = _Acceptance(made).examine({"number": -5})
    assert failure is not None
    assert failure.got.endswith(
        f"after a repair ($.names was JSON text: taken as the array that it holds) that left this: {left}"
    )


@dataclass
class Login:
    name: str
    password: InitVar[str]


@dataclass
class Note:
    text: str


def log_in(login: Login, note: Note) -> None:
    """Log in."""


def test_a_part_that_a_type_withholds_may_be_missing_after_a_repair() -> None:
    """A value given as JSON text is repaired, and the call that is written again lacks the withheld part."""
    acceptance = _Acceptance(Case(tool=Tool.from_function(log_in), examples=10))
    login = json.dumps({"name": "ada", "password": "secret"})
    assert acceptance.examine({"login": login, "note": {"text": "a"}}) is None
    assert acceptance.examine({"login": login, "note": json.dumps({"text": "a"})}) is None


@pytest.mark.parametrize(
    ("trial", "expected", "got"),
    [
        (refused("malformed_call"), "invalid_arguments: $.number: must be a string, not 0", "malformed_call"),
        (
            refused("invalid_arguments"),
            "refused with the reasons: $.number: must be a string, not 0",
            "refused without a problem",
        ),
    ],
)
def test_a_refusal_in_other_words_is_a_failure(trial: CallTrial, expected: str, got: str) -> None:
    """A model must learn that its arguments are wrong, and how."""
    failure = _Acceptance(case(number={"type": "string"}, trial=trial)).examine({"number": 0})
    assert failure is not None
    assert (failure.expected, failure.got) == (expected, got)


def test_text_and_mapping_get_the_same_answer() -> None:
    made = case()
    answers = iter(
        [CallTrial(Arrival((), {}), ToolResult(None, content="null")), refused("invalid_arguments", "no")] * 999
    )
    made.__dict__["stand_in"] = type("Alternating", (), {"call": lambda self, arguments: next(answers)})()
    failure = only(accepts_what_its_schema_says(made).failures)
    assert failure.expected == "one answer, whether they come as JSON text or as a mapping"
    assert failure.got == "accepted, and then invalid_arguments"


def test_arguments_that_the_function_does_not_take_are_a_failure() -> None:
    """A call is bound as Python binds it."""
    trial = CallTrial(Arrival((), {"numbers": 1}), ToolResult(None, content="null"))
    failure = only(delivers_annotated_types(case(trial=trial)).failures)
    assert (
        failure.expected
        == "a call that the function accepts: (number: 'int' = 1, *more: 'int', names: 'list[str] | None' = None) -> 'None'"
    )
    assert failure.got == "(numbers=1): got an unexpected keyword argument 'numbers'"


def test_an_argument_that_gets_lost_is_a_failure() -> None:
    trial = CallTrial(Arrival((1,), {}), ToolResult(None, content="null"))
    failure = only(delivers_annotated_types(case(trial=trial)).failures)
    assert (failure.expected, failure.got) == ("'names' arrives", "it does not, or under another name")


def test_a_call_that_changes_its_arguments_is_a_failure() -> None:
    made = case()
    made.__dict__["stand_in"] = type(
        "Changing", (), {"call": lambda self, arguments: arguments.update(number=7) or refused("denied")}
    )()
    failure = only(leaves_its_input_alone(made).failures)
    assert failure.got == 'the call made them {"number": 7}'


def test_a_call_that_is_refused_when_repeated_is_a_failure() -> None:
    """The call was written as JSON, and the tool refuses that JSON."""
    answers = iter(
        [CallTrial(Arrival((), {}), ToolResult(None, content="null")), refused("invalid_arguments", "no")] * 999
    )
    made = case()
    made.__dict__["stand_in"] = type("Alternating", (), {"call": lambda self, arguments: next(answers)})()
    failure = only(gives_the_call_back(made).failures)
    assert failure.got == "{}, and of that: no"


def test_a_call_that_is_written_wrongly_is_a_failure() -> None:
    trial = CallTrial(Arrival((), {"number": -1}), ToolResult(None, content="null"))
    failure = only(gives_the_call_back(case(number={"type": "integer", "minimum": 0}, trial=trial)).failures)
    assert failure.got == '{"number": -1}, which is not valid: $.number: must be at least 0, not -1'


def test_a_name_that_does_not_fit_is_a_failure() -> None:
    """fcregistry's own names always fit; a provider with a smaller alphabet would be reported."""
    narrow = Format(
        name="narrow", source="", render=lambda rendering: {}, alphabet=Alphabet(first="[A-Z]", rest="[A-Z]")
    )
    (failure,) = _tool_name_failures("count", narrow)
    assert failure.expected == "a name that the format narrow accepts"
    assert failure.advice == "give the tool another name"


def test_a_schema_that_excludes_everything_is_a_failure() -> None:
    """A rule for which there are no arguments must not look as if it had succeeded."""

    def never(number: Any) -> None:
        """Never."""

    contradiction = {"properties": {"number": {"type": "integer", "minimum": 2, "maximum": 1}}, "required": ["number"]}
    made = Case(tool=Tool.from_function(never, parameters=contradiction), examples=10)
    failure = only(accepts_what_its_schema_says(made).failures)
    assert (failure.expected, failure.got) == ("arguments that the schema accepts", "none could be made of it")
    assert delivers_annotated_types(made).skipped == "no arguments could be made that its schema accepts"


class Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError


def test_the_text_of_a_failure_is_bounded_and_never_raises() -> None:
    assert python_text(Unshowable()) == "a Unshowable whose repr raises RuntimeError"
    assert python_text("x" * 500) == f"'{'x' * 199}…"
    assert arguments_text({"a": "é"}) == '{"a": "é"}'
    assert arguments_text({"a": "\x1b[31m\u202e"}) == '{"a": "\\u001b[31m\\u202e"}'
    assert arguments_text({"a": {1}}) == "a dict"
    assert arguments_text(["x" * 3000]) == f'["{"x" * 1998}… (3004 characters)'

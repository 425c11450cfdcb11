"""Models that can constrain their answers receive the JSON Schema of the answer's type, where an answer is expected."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from fcregistry import PlanAndSolveAgent, ReWOOAgent
from fcregistry.agents import ReactAgent
from fcregistry.models import Completion, Model

from .scripts import Script, add, adds, aran, astreamed, calls, ran, says, streamed

INTEGER = {"type": "integer"}


class Constrained(Script):
    """A script that records the schema of the answer for each request, or None."""

    def __init__(self, *said: Completion | Exception) -> None:
        super().__init__(*said)
        self.schemas: list[Mapping[str, Any] | None] = []
        self.schema: Mapping[str, Any] | None = None

    def with_answer_schema(self, schema: Mapping[str, Any]) -> Model:
        self.schema = schema
        return self

    def _next(self, *request: Any) -> Completion:
        self.schemas.append(self.schema)
        self.schema = None
        return super()._next(*request)


@pytest.mark.parametrize("way", [ran, aran, streamed, astreamed])
def test_each_request_of_an_agent_has_the_schema_of_the_answer(way: Any) -> None:
    model = Constrained(calls(adds(1, 2)), says("three"), says("3"))
    result = way(ReactAgent(model, [add], answer_type=int), "?")
    assert (result.answer, model.schemas) == (3, [INTEGER] * 3)
    assert model.offered == [["add"]] * 3


def test_a_summary_has_the_schema_of_the_answer() -> None:
    model = Constrained(calls(adds(1, 2)), says("3"))
    assert ReactAgent(model, [add], answer_type=int, max_rounds=1, force_summarize=True).run("?").answer == 3
    assert model.schemas == [INTEGER] * 2


def test_an_answer_in_text_has_no_schema() -> None:
    model = Constrained(says("3"))
    ReactAgent(model, [add]).run("?")
    assert model.schemas == [None]


def test_a_text_that_may_be_an_expression_has_no_schema_but_the_summary_has_one() -> None:
    model = Constrained(says("add(a=1, b=2)"), says("3"))
    agent = ReactAgent(model, [add], answer_type=int, calls="expression", max_rounds=1, force_summarize=True)
    assert (agent.run("?").answer, model.schemas) == (3, [None, INTEGER])


def test_plans_and_steps_have_no_schema_since_a_step_may_fail() -> None:
    model = Constrained(
        says("1. Think.\n2. Answer."), says("A thought."), says("FAILED: no"), says("1. Add."), says("3")
    )
    assert PlanAndSolveAgent(model, [add], answer_type=int).run("?").answer == 3
    assert model.schemas == [None] * 5


def test_the_solver_of_a_rewoo_agent_receives_the_schema() -> None:
    planner, solver = Constrained(says("Plan: Add.\n#E1 = add(a=1, b=2)")), Constrained(says("3"))
    assert ReWOOAgent(planner, [add], solver=solver, answer_type=int).run("?").answer == 3
    assert (planner.schemas, solver.schemas) == ([None], [INTEGER])


def test_a_model_that_cannot_constrain_its_answers_is_asked_as_it_is() -> None:
    model = Script(says("3"))
    assert model.with_answer_schema(INTEGER) is model
    assert ReactAgent(model, answer_type=int).run("?").answer == 3


@pytest.mark.parametrize("runs_async", [False, True])
def test_a_model_that_refuses_a_schema_ends_the_run(runs_async: bool) -> None:
    class Refusing(Script):
        def with_answer_schema(self, schema: Mapping[str, Any]) -> Model:
            raise ValueError(f"no grammar for {schema}")

    agent = ReactAgent(Refusing(says("3")), answer_type=int)
    result = asyncio.run(agent.arun("?")) if runs_async else agent.run("?")
    assert (result.stop_reason, str(result.error)) == ("model_error", "no grammar for {'type': 'integer'}")

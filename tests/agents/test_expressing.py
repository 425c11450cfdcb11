"""Agents whose model writes calls as Python does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Context, PlanAndSolveAgent, ReactAgent, Registry, Tool
from fcregistry.agents import OnDemand
from fcregistry.execution import Content


@dataclass
class Point:
    """A point."""

    x: int
    y: int


def add_points(p1: Point, p2: Point) -> Point:
    """Add two points."""
    return Point(p1.x + p2.x, p1.y + p2.y)


def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


def says(*answers: str) -> Callable[[list[dict[str, Any]]], str]:
    """Return a model that gives prepared answers, and keeps what it was asked in `.asked`."""

    def model(messages: list[dict[str, Any]]) -> str:
        model.asked.append(messages)  # type: ignore[attr-defined]
        return answers[min(len(model.asked), len(answers)) - 1]  # type: ignore[attr-defined]

    model.asked = []  # type: ignore[attr-defined]
    return model


def agent(*answers: str, **options: Any) -> ReactAgent:
    return ReactAgent(says(*answers), [add_points, multiply], calls="expression", **options)


def test_calls_that_are_written_as_python_are_carried_out() -> None:
    run = agent("[multiply(a=2, b=3), add_points(p1=Point(x=1, y=2), p2=Point(x=3, y=4))]", "Done.").run("q")
    assert run.answer == "Done."
    assert [result.value for result in run.tool_results] == [6, Point(4, 6)]
    assert run.messages[2].text == 'The results of the calls, in order:\nmultiply: 6\nadd_points: {"x": 4, "y": 6}'


def test_an_image_among_the_results_is_shown_to_the_model() -> None:
    def photo(name: str) -> Content:
        """Take a photo."""
        return Content.image(b"\x89PNG\r\n\x1a\n")

    run = ReactAgent(says("[photo(name='a'), multiply(2, 3)]", "Done."), [photo, multiply], calls="expression").run("q")
    content = run.messages[2].content
    assert isinstance(content, tuple)
    assert [part.kind for part in content] == ["text", "text", "image", "text"]
    assert [part.plain for part in content] == ["The results of the calls, in order:", "photo:", None, "multiply: 6"]


def test_an_inner_call_runs_first_and_is_reported_with_the_outer_call() -> None:
    run = agent("multiply(a=x, b=multiply(a=2, b=3))", "Done.", context={"x": 7}).run("q")
    assert [result.value for result in run.tool_results] == [6, 42]
    assert run.messages[2].text.endswith("in order:\nmultiply: 42")


def test_only_the_instructions_describe_the_tools() -> None:
    model = says("Done.")
    ReactAgent(model, [multiply], calls="expression", instructions="Be brief.")("q")
    (asked,) = model.asked  # type: ignore[attr-defined]
    assert asked[0]["content"].startswith("Be brief.\n\nYou can call these tools:")
    assert "def multiply(a: int, b: int) -> int:" in asked[0]["content"]


def test_the_model_reads_why_a_call_is_refused_and_nothing_runs() -> None:
    run = agent("multiply(a=os.getcwd(), b=1)", "Done.").run("q")
    assert run.tool_results == ()
    assert "an attribute is not allowed: 'os.getcwd'" in run.messages[2].text
    assert run.answer == "Done."


def test_allowed_functions_may_be_called_in_arguments() -> None:
    run = agent("multiply(a=biggest(1, 5), b=2)", "Done.", allow={"biggest": max}).run("q")
    assert run.tool_results[0].value == 10


def test_words_are_the_answer() -> None:
    assert agent("It is (about) 4 [or so]").run("q").answer == "It is (about) 4 [or so]"
    assert agent("[]").run("q").answer == "[]"


def test_limits_hold() -> None:
    forever = "multiply(a=1, b=2)"
    assert agent(forever, max_rounds=3).run("q").stop_reason == "max_rounds"
    assert len(agent(forever, max_rounds=3).run("q").tool_results) == 2
    assert agent("[multiply(1, 2), multiply(1, 2)]", max_tool_calls=1).run("q").stop_reason == "max_tool_calls"
    assert agent(forever, stop_tools=["multiply"]).run("q").answer == "2"


def test_an_unreadable_expression_in_the_last_round_is_a_call_and_not_an_answer_of_a_wrong_type() -> None:
    assert agent("multiply(a=os.x, b=1)", max_rounds=1).run("q").stop_reason == "max_rounds"


def test_the_last_result_says_how_many_rounds_are_left() -> None:
    model = says("multiply(a=1, b=2)", "multiply(a=", "ten", "5")
    ReactAgent(model, [multiply], calls="expression", answer_type=int, max_rounds=4).run("q")
    last = [messages[-1]["content"].rpartition("\n\n")[2] for messages in model.asked]  # type: ignore[attr-defined]
    assert last[2] == "Tool-call rounds left: 2."
    assert (
        "rounds left" not in last[0] + last[1] + last[3]
    )  # a question, an early result, and an answer that is sent back


def test_the_steps_of_a_plan_are_solved_with_expressions() -> None:
    planner = says("1. Double x.\n2. Add.")
    solver = says("multiply(2, x)", "14", "add_points(Point(1, x), Point(3, 4))", "Done.")
    tools = [add_points, multiply]
    run = PlanAndSolveAgent(solver, tools, planner=planner, calls="expression", context={"x": 7}).run("q")
    assert run.answer == "Done."
    assert [result.value for result in run.tool_results] == [14, Point(4, 11)]
    (plans,) = planner.asked  # type: ignore[attr-defined]
    assert plans[0]["content"].endswith("- multiply: Multiply two numbers.\nThese names are known: x (int).")
    assert "def multiply(" in solver.asked[0][0]["content"]  # type: ignore[attr-defined]
    assert run.messages[-2].text == 'The results of the calls, in order:\nadd_points: {"x": 4, "y": 11}'


def test_a_call_that_needs_approval_is_refused() -> None:
    careful = Tool.from_function(multiply, requires_approval=True)
    run = ReactAgent(says("multiply(a=1, b=2)", "Done."), [careful], calls="expression").run("q")
    assert [result.error and result.error.code for result in run.tool_results] == ["approval_required"]
    assert run.answer == "Done."


def test_coroutines_and_streams_do_the_same() -> None:
    answers = ("multiply(a=2, b=3)", "Done.")
    assert asyncio.run(agent(*answers).arun("q")).messages == agent(*answers).run("q").messages
    events = list(agent(*answers).stream("q"))
    assert [type(event).__name__ for event in events] == ["Text", "Calling", "Returned", "Text", "Finished"]


def test_a_tool_that_is_called_alone_says_how_far_it_is() -> None:
    def count(upto: int, context: Context) -> int:
        """Count."""
        for number in range(upto):
            context.progress(number / upto)
        return upto

    events = list(ReactAgent(says("count(2)", "Done."), [count], calls="expression").stream("q"))
    names = [type(event).__name__ for event in events]
    assert names == ["Text", "Calling", "Progressed", "Progressed", "Returned", "Text", "Finished"]


def f(a: int = 10) -> int:
    """Return a number."""
    return a


def g(b: int = 20) -> int:
    """Return a number."""
    return b


def made_of(text: str, *tools: Callable[..., Any]) -> list[int] | None:
    """Return what the calls in a text return, nothing where the model is told that they cannot be made, or None where it is the answer."""
    run = ReactAgent(says(text, "Done."), tools, calls="expression").run("q")
    return None if len(run.messages) == 2 else [result.value for result in run.tool_results]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("f(1)", [1]),
        (" [f(1), g()] ", [1, 20]),
        ("```python\nf(1)\n```", [1]),
        ("```\n[f(1)]\n```", [1]),
        ("f(1) is what I would call", None),
        ("", None),
        ("Hello (you)", None),
        ("a.b(c=1)", []),
        ("``` python \r\nf(1)\r\n```", [1]),
        ("```python\nf(1)", [1]),
        ("f(1)  # the first", [1]),
        ("f(1);", [1]),
        ("[f(a=1), g(b=", []),
        ("f(a='one", []),
        ("f(x, in words: all of them", None),
    ],
)
def test_an_expression_is_distinguished_from_words(text: str, values: list[int] | None) -> None:
    assert made_of(text, f, g) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("I will multiply:\n```python\nmultiply(2, 3)\n```", [6]),
        ("First:\n```\nadd(1, 2)\n```\nNow:\r\n```\nmultiply(2, 3)\n```\n", [6]),
        ("So:\n```tool_code\nmultiply(2, 3)", [6]),
        ("I called\n```\nmultiply(2, 3)\n```\nIt is 6.", None),
        ("In C:\n```c\npow(2, 3)\n```", None),
        ("`multiply(2, 3)`", [6]),
        ("# six\nmultiply(2, 3)", [6]),
        ("(multiply(2, 3), multiply(4, 5))", [6, 20]),
        ("six = multiply(2, 3)", []),
        ("await multiply(2, 3)", []),
        ("y = sin(x)", None),
        ("multiply (them all)", None),
        ("multiply them (all)", None),
        ("Use `multiply(2, 3)`", None),
    ],
)
def test_a_call_of_a_tool_is_found_behind_words_in_a_fence_and_as_models_write_it(
    text: str, values: list[int] | None
) -> None:
    assert made_of(text, multiply) == values


def test_the_model_reads_that_a_call_is_not_valid_and_it_is_not_an_answer() -> None:
    run = agent("product = multiply(a=2, b=3)", "Done.").run("q")
    assert run.answer == "Done."
    assert "an assignment is not allowed; write a call" in run.messages[2].text


def test_a_stop_tool_may_be_called_in_the_last_round() -> None:
    run = agent("multiply(a=1, b=2)", max_rounds=1, stop_tools=["multiply"]).run("q")
    assert (run.stop_reason, run.answer) == ("stop_tool", "2")
    failed = agent("multiply(a=1, b='x')", max_rounds=1, stop_tools=["multiply"]).run("q")
    assert (failed.stop_reason, len(failed.tool_results)) == ("max_rounds", 1)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"max_rounds": 1}, "there are no rounds left"),
        ({"max_tool_calls": 1}, "the message makes 2 calls, and 1 may still be made"),
    ],
)
def test_calls_beyond_a_limit_are_not_run_and_the_conversation_says_why(options: dict[str, int], why: str) -> None:
    run = agent("[multiply(1, 2), multiply(1, 2)]", **options).run("q")
    assert run.tool_results == ()
    assert run.messages[-1].text == f"Nothing was run: {why}."


def test_a_call_that_is_cut_off_is_shown_and_is_not_an_answer() -> None:
    run = agent("[multiply(a=2, b=3), multiply(a=4,", "Done.").run("q")
    assert run.answer == "Done."
    assert run.tool_results == ()
    assert "'[' is never closed: the expression is cut off" in run.messages[2].text


def test_what_a_gateway_opens_can_be_written_in_the_next_message() -> None:
    registry = Registry()
    registry.register(multiply, group="numbers")
    model = says("get_numbers_methods()", "multiply(a=2, b=3)", "Done.")
    tools = OnDemand("*", groups=["numbers"], registry=registry)
    run = ReactAgent(model, tools, calls="expression").run("q")
    assert [result.value for result in run.tool_results][1:] == [6]
    told = [messages[0]["content"] for messages in model.asked]  # type: ignore[attr-defined]
    assert ["def multiply(" in each for each in told] == [False, True, True]


def test_the_error_for_a_tool_behind_a_closed_gateway_says_how_to_open_it() -> None:
    registry = Registry()
    registry.register(multiply, group="numbers")
    model = says("[get_numbers_methods(), multiply(a=2, b=3)]", "Done.")
    run = ReactAgent(model, OnDemand("*", groups=["numbers"], registry=registry), calls="expression").run("q")
    assert run.tool_results == ()
    assert run.messages[2].text.splitlines()[-1] == (
        "- multiply cannot be called yet: call get_numbers_methods first, and multiply in a message after that"
    )


def test_the_model_reads_that_a_plugin_does_not_load(site: Any) -> None:
    tools = """
        from fcregistry import fc_register
        @fc_register()
        def double(value: int) -> int:
            "Double it."
            return 2 * value
    """
    site.install("acme", {"tools": "acme_tools"}, {"acme_tools.py": tools})
    code = """
        import asyncio, pathlib
        from fcregistry import ReactAgent
        def model(messages):
            return "double(double(4))" if len(messages) == 2 else "Done."
        agent = ReactAgent(model, ["double"], calls="expression")
        for folder in map(pathlib.Path, sys.path):
            if (folder / "acme_tools.py").exists():
                (folder / "acme_tools.py").write_text("raise OSError('gone')")
        runs = [agent.run("q"), asyncio.run(agent.arun("q"))]
        answer = [[run.messages[2].text, run.answer] for run in runs]
    """
    site.ask("import fcregistry; answer = len(fcregistry.registry.select('double'))")  # the index is made
    for told, answer in site.ask(code):
        assert told.startswith("the tool is not available: ")
        assert "OSError: gone" in told
        assert answer == "Done."


def test_what_is_for_expressions_is_refused_without_them() -> None:
    with pytest.raises(ValueError, match="for expressions"):
        ReactAgent(says(""), [multiply], context={"x": 1})
    with pytest.raises(ValueError, match="'json' or 'expression', not 'yaml'"):
        ReactAgent(says(""), [multiply], calls="yaml")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="for expressions"):
        PlanAndSolveAgent(says(""), [multiply], allow={"max": max})
    with pytest.raises(TypeError, match=r"allow\['x'\] is a function or a class, not 3"):
        ReactAgent(says(""), [multiply], calls="expression", allow={"x": 3})  # type: ignore[dict-item]

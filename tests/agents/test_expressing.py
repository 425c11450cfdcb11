"""Agents whose model writes calls as Python does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import ReactAgent, Registry, Tool
from fcregistry.agents import OnDemand
from fcregistry.agents._expressing import expression_in


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
    assert (
        run.messages[2].text
        == 'The calls were carried out. Their results, in order:\nmultiply: 6\nadd_points: {"x": 4, "y": 6}'
    )


def test_a_call_in_a_call_is_carried_out_first_and_told_with_the_outer_one() -> None:
    run = agent("multiply(a=x, b=multiply(a=2, b=3))", "Done.", context={"x": 7}).run("q")
    assert [result.value for result in run.tool_results] == [6, 42]
    assert run.messages[2].text.endswith("in order:\nmultiply: 42")


def test_the_model_is_told_of_the_tools_in_its_instructions_alone() -> None:
    model = says("Done.")
    ReactAgent(model, [multiply], calls="expression", instructions="Be brief.")("q")
    (asked,) = model.asked  # type: ignore[attr-defined]
    assert asked[0]["content"].startswith("Be brief.\n\nYou can call these tools:")
    assert "def multiply(a: int, b: int) -> int:" in asked[0]["content"]


def test_what_is_refused_is_told_to_the_model_and_nothing_runs() -> None:
    run = agent("multiply(a=os.getcwd(), b=1)", "Done.").run("q")
    assert run.tool_results == ()
    assert "an attribute is not allowed: 'os.getcwd'" in run.messages[2].text
    assert run.answer == "Done."


def test_allowed_functions_may_stand_in_arguments() -> None:
    run = agent("multiply(a=biggest(1, 5), b=2)", "Done.", allow={"biggest": max}).run("q")
    assert run.tool_results[0].value == 10


def test_words_are_the_answer() -> None:
    assert agent("It is (about) 4 [or so]").run("q").answer == "It is (about) 4 [or so]"
    assert agent("[]").run("q").answer == "[]"


def test_limits_hold() -> None:
    forever = "multiply(a=1, b=2)"
    assert agent(forever, max_retries=3).run("q").stop_reason == "max_rounds"
    assert len(agent(forever, max_retries=3).run("q").tool_results) == 2
    assert agent("[multiply(1, 2), multiply(1, 2)]", max_tool_calls=1).run("q").stop_reason == "max_tool_calls"
    assert agent(forever, stop_tools=["multiply"]).run("q").answer == "2"


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


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("f(1)", "f(1)"),
        (" [f(1), g()] ", "[f(1), g()]"),
        ("```python\nf(1)\n```", "f(1)"),
        ("```\n[f(1)]\n```", "[f(1)]"),
        ("f(1) is what I would call", None),
        ("", None),
        ("Hello (you)", None),
        ("a.b(c=1)", "a.b(c=1)"),
        ("``` python \r\nf(1)\r\n```", "f(1)"),
        ("```python\nf(1)", "f(1)"),
        ("f(1)  # the first", "f(1)  # the first"),
        ("f(1);", "f(1);"),
        ("[f(a=1), g(b=", "[f(a=1), g(b="),
        ("f(a='one", "f(a='one"),
        ("f(x, in words: all of them", None),
    ],
)
def test_an_expression_is_told_from_words(text: str, code: str | None) -> None:
    assert expression_in(text) == code


def test_a_call_that_is_cut_off_is_told_and_is_no_answer() -> None:
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


@pytest.mark.once
def test_a_tool_whose_plugin_does_not_load_is_told_to_the_model(site: Any) -> None:
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

"""An expression written from a call is read as that call, for every type of parameter."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry import Tool
from fcregistry.expressions import ExpressionError, ExpressionProblem, parse_call, parse_calls, render

from .rows.all import EXAMPLES, IDS
from .rows.classes import Point
from .rows.row import Example
from .rows.values import Mode
from .samples import Sample, samples


@st.composite
def values(draw: st.DrawFn) -> tuple[Sample, Any]:
    sample = draw(samples)
    return sample, draw(sample.values)


def tool_of(annotation: Any) -> Tool:
    """Return a tool of one parameter of a type."""

    def take(value, *rest, **others):  # type: ignore[no-untyped-def]
        """Take it."""

    take.__annotations__ = {"value": annotation, "rest": annotation, "others": annotation, "return": None}
    return Tool.from_function(take)


def check(annotation: Any, value: Any) -> None:
    """Check that a call with a value is read as it was written, wherever the value stands."""
    tool = tool_of(annotation)
    for args, kwargs in (((value,), {}), ((value, value), {}), ((), {"value": value, "other": value})):
        written = render(tool, *args, **kwargs)
        note(written)
        assert parse_call(written, tools=tool) == tool.make_call(*args, **kwargs)


@given(values())
@settings(max_examples=60)
def test_a_call_is_read_as_it_was_written(drawn: tuple[Sample, Any]) -> None:
    sample, value = drawn
    check(sample.annotation, value)


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
@given(data=st.data())
@settings(max_examples=4)
def test_a_value_of_each_row_of_the_reference_is_read_as_it_was_written(example: Example, data: st.DataObject) -> None:
    value = data.draw(example.values)
    if example.comes_back and not example.alone:
        check(example.annotation, value)


NAMES = "take add Point Color RED x obj datetime timedelta timezone True None lambda if else not await for in is yield"
SIGNS = "( ) [ ] { } , : = . * ** + - / // % << ~ @ := == ... ; -> <"
VALUES = r"""1 2.5 1e999 1j 0x 'a' "b" ''' f'{x}' b'c' r'\d' '\d' '\777' \ # é __class__ __import__ 9**9 'a'*9 [1] {} {1:2} *[1] **{'a':1}"""
pieces = st.sampled_from([*NAMES.split(), *SIGNS.split(), *VALUES.split(), " ", "\n", "\t", "\0", "\ud800"])


def problems_of(text: str, annotation: Any) -> list[ExpressionProblem]:
    """Return what is wrong with a text; nothing where its calls can be read."""
    context = {"x": 3, "obj": object(), "Point": Point}
    try:
        calls = parse_calls(text, tools=tool_of(annotation), context=context)
    except ExpressionError as error:
        problems = list(error.problems)
    else:
        assert all(call.name == "take" for call in calls)
        return []
    assert problems
    return problems


def is_told(problem: ExpressionProblem) -> bool:
    """Tell whether a problem says what is wrong, and where."""
    return problem.line >= 1 and problem.column >= 1 and problem.message != ""


@given(st.one_of(st.text(max_size=60), st.lists(pieces, max_size=30).map("".join)))
@settings(max_examples=300)
def test_any_text_is_read_or_refused(text: str) -> None:
    assert all(map(is_told, problems_of(text, dict[str, int])))


@given(st.lists(pieces, max_size=12).map("".join), st.sampled_from([Any, Point, list[Point | int], Mode, Decimal]))
@settings(max_examples=300)
def test_any_argument_is_read_or_refused(text: str, annotation: Any) -> None:
    assert all(map(is_told, problems_of(f"take({text})", annotation)))

"""The context of a call, which the executor fills in."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from fcregistry import Context, Tool, ToolCall
from fcregistry.errors import DefinitionError
from fcregistry.execution import CancellationToken


class Shop:
    """What some tools depend on."""


def orders(context: Context[Shop], customer: str, most: int = 3) -> str:
    """Name orders.

    Args:
        context: The call.
        customer: Whose.
        most: How many.
    """
    return f"{customer} {most}"


def optional(text: str, context: Context | None = None) -> str:
    return f"{text} {context is None}"


def quoted(text: str, context: "Context[Shop] | None" = None) -> str:  # noqa: UP037  # a text within a text
    return text


def alone(context: Context, /) -> str:
    return "alone"


def beside_anything(context: Context, /, **rest: int) -> str:
    return f"{rest}"


def in_the_middle(a: int, /, context: Context, *items: str, flag: bool = False) -> str:
    return f"{a} {items} {flag}"


def by_keyword(text: str, *, context: Context) -> str:
    return text


FUNCTIONS = [orders, optional, quoted, alone, beside_anything, in_the_middle, by_keyword]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_no_model_sees_the_context_parameter(function: Any) -> None:
    tool = Tool.from_function(function)
    assert "context" not in tool.parameters["properties"]
    assert "context" not in tool.parameters.get("required", [])
    assert tool.signature.context is not None
    assert tool.signature.context.name == "context"
    assert tool.signature.remarks == ()  # that it is documented is no mistake


@pytest.mark.parametrize(
    ("function", "decoded", "args", "kwargs"),
    [
        (orders, {"customer": "Ada"}, (), {"customer": "Ada", "context": "C"}),
        (optional, {"text": "x"}, (), {"text": "x", "context": "C"}),
        (alone, {}, ("C",), {}),
        (beside_anything, {"a": 1}, ("C",), {"a": 1}),
        (beside_anything, {"context": 1}, ("C",), {"context": 1}),
        (in_the_middle, {"a": 1, "items": ["x", "y"]}, (1, "C", "x", "y"), {}),
        (in_the_middle, {"a": 1, "flag": True}, (1,), {"context": "C", "flag": True}),
        (by_keyword, {"text": "x"}, (), {"text": "x", "context": "C"}),
    ],
)
def test_the_context_is_passed_in_the_place_of_its_parameter(
    function: Any, decoded: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    before = dict(decoded)
    assert Tool.from_function(function).signature.binding.bind(decoded, "C") == (args, kwargs)
    assert decoded == before


def test_the_type_of_its_deps_is_known() -> None:
    def asked(function: Any) -> Any:
        context = Tool.from_function(function).signature.context
        assert context is not None
        return context.deps

    assert asked(orders) is Shop
    assert asked(quoted) is Shop
    assert asked(optional) is None
    assert asked(alone) is None


def test_a_call_from_python_is_made_without_a_context() -> None:
    assert Tool.from_function(orders).make_call("Ada", 2) == ToolCall("orders", {"customer": "Ada", "most": 2})
    assert Tool.from_function(in_the_middle).make_call(1, "x") == ToolCall("in_the_middle", {"a": 1, "items": ["x"]})
    with pytest.raises(TypeError, match="context"):
        Tool.from_function(orders).make_call(customer="Ada", context="C")


def test_a_tool_with_an_external_schema_can_have_a_context_parameter() -> None:
    schema = {"type": "object", "properties": {"customer": {"type": "string"}}, "required": ["customer"]}
    tool = Tool.from_function(orders, parameters=schema)
    assert tool.signature.context is not None
    assert tool.signature.binding.bind({"customer": "Ada"}, "C") == ((), {"customer": "Ada", "context": "C"})
    schema["properties"] = {"customer": {"type": "string"}, "context": {}}
    with pytest.raises(DefinitionError, match="the schema has the property 'context'"):
        _ = Tool.from_function(orders, parameters=schema).parameters


def beside_keywords(context: Context, **rest: int) -> str:
    return ""


def two(first: Context, second: Context) -> str:
    return ""


def many(*contexts: Context) -> str:
    return ""


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            beside_keywords,
            "a model could pass this Context as one of \\*\\*rest; make it positional-only: put it first, and a / after it",
        ),
        (two, "'first', 'second' are all of the type Context; keep one of them"),
        (many, r"parameter 'contexts': \*args and \*\*kwargs cannot be a Context; make it a parameter of its own"),
    ],
)
@pytest.mark.parametrize("parameters", [None, {"type": "object"}], ids=["annotations", "schema"])
def test_an_ambiguous_annotation_of_a_context_is_refused(
    function: Any, message: str, parameters: dict[str, Any] | None
) -> None:
    options = {} if parameters is None else {"parameters": parameters}
    with pytest.raises(DefinitionError, match=message):
        _ = Tool.from_function(function, **options).parameters


def test_another_class_with_the_name_context_is_an_ordinary_type() -> None:
    def taking(context: object) -> str:
        return ""

    taking.__annotations__["context"] = type("Context", (), {})
    with pytest.raises(DefinitionError, match="parameter 'context'"):
        _ = Tool.from_function(taking, name="taking").parameters


def test_a_context_made_by_a_test_has_everything() -> None:
    """So that a tool can be called as a function."""
    said: list[tuple[float, str]] = []
    context = Context(Shop(), report=lambda fraction, message: said.append((fraction, message)))
    assert isinstance(context.deps, Shop)
    assert context.call is context.call_id is context.tool is None
    assert not context.cancellation.cancelled
    assert context.cancellation is context.cancellation
    context.progress(0.5, "half")
    context.progress(1)
    context.progress(0)
    assert said == [(0.5, "half"), (1.0, ""), (0.0, "")]
    Context().progress(1)  # without a caller that follows
    assert repr(context) == "<Context of no call>"
    assert repr(Context(call=ToolCall("a"))) == "<Context of ToolCall('a', None)>"


@pytest.mark.parametrize("fraction", [sum([0.05] * 20), -1e-12, True, Fraction(1, 2), Decimal("0.5")])
def test_progress_is_any_number_from_0_to_1(fraction: Any) -> None:
    """A sum of many steps may exceed 1 by a rounding error."""
    reported: list[float] = []
    Context(report=lambda done, _: reported.append(done)).progress(fraction)
    Context().progress(fraction)
    assert 0 <= reported[0] <= 1
    assert type(reported[0]) is float


@pytest.mark.parametrize("is_followed", [False, True])
@pytest.mark.parametrize(
    ("fraction", "error", "shown"),
    [
        (50, ValueError, "50; for percent, divide by 100: progress(0.5)"),
        (1.5, ValueError, "1.5; for percent, divide by 100: progress(0.015)"),
        (-1, ValueError, "-1"),
        (101, ValueError, "101"),
        (float("nan"), ValueError, "nan"),
        (float("inf"), ValueError, "inf"),
        (10**400, ValueError, "1" + "0" * 79),
        ("half", TypeError, "'half'"),
        ("0.5", TypeError, "'0.5'"),
        (None, TypeError, "None"),
        (0.5j, TypeError, "0.5j"),
    ],
)
def test_progress_outside_0_to_1_raises_whether_or_not_it_is_followed(
    fraction: Any, error: type[Exception], shown: str, is_followed: bool
) -> None:
    context: Context = Context(report=(lambda *_: None) if is_followed else None)
    with pytest.raises(error) as raised:
        context.progress(fraction)
    assert str(raised.value) == f"context.progress takes a fraction from 0 to 1, such as 0.5, not {shown}"


def test_the_records_of_its_logger_name_the_call(caplog: pytest.LogCaptureFixture) -> None:
    token = CancellationToken()
    context: Context = Context(call=ToolCall("o", id="c1"), tool=Tool.from_function(orders), cancellation=token)
    assert context.cancellation is token
    with caplog.at_level("INFO", logger="fcregistry.tools"):
        context.logger.info("looking for %s", "Ada")
    (record,) = caplog.records
    assert (record.name, record.getMessage()) == ("fcregistry.tools.orders", "looking for Ada")
    assert (record.tool, record.call_id) == ("orders", "c1")  # type: ignore[attr-defined]

"""The text and the content that a model reads of a tool's return value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolResult
from fcregistry.execution import CallError, Content, ToolOutput
from fcregistry.types import EncodingError

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass
class Point:
    x: int


def told(value: Any, annotation: Any = None) -> ToolResult:
    """Return the result of a tool that returns a value."""

    def returns():  # type: ignore[no-untyped-def]
        """Return a value."""
        return value

    if annotation is not None:
        returns.__annotations__ = {"return": annotation}
    return Executor(returns).call("returns")


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "LOUD"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        (Loud("as it is"), "as it is"),
        (5, "5"),
        (None, "null"),
        ([], "[]"),
        ((), "[]"),
        (["a", 1], '["a", 1]'),
        (Point(1), '{"x": 1}'),
    ],
)
def test_a_value_without_content_is_only_its_text(value: Any, text: str) -> None:
    for result in (told(value), told(value, type(value))):
        assert (result.content, result.value, result.parts) == (text, value, (Content.text(text),))


def test_content_has_a_text_and_pieces() -> None:
    output = told(Content.image(PNG))

    assert (output.content, output.parts) == ("[image: image/png, 8 bytes]", (Content.image(PNG),))
    assert output.whole is None


@pytest.mark.parametrize("sequence", [list, tuple])
def test_a_list_may_contain_texts_and_values_beside_content(sequence: Any) -> None:
    output = told(sequence(["Look:", Content.image(PNG), "", Point(1), None]))

    assert [str(part) for part in output.parts] == ["Look:", "[image: image/png, 8 bytes]", "", '{"x": 1}', "null"]
    assert output.content == 'Look:\n[image: image/png, 8 bytes]\n{"x": 1}\nnull'


def test_value_and_content_may_differ_and_the_value_need_have_no_json_form() -> None:
    value = object()
    output = told(ToolOutput(value=value, content=["Two rows.", Content.image(PNG)]))

    assert output.value is value
    assert output.content == "Two rows.\n[image: image/png, 8 bytes]"
    assert told(ToolOutput(content=[])).content == ""


@pytest.mark.parametrize(
    "annotation",
    [Content, ToolOutput, list[Content], tuple[Content, ...], str | Content, list[str | Content], list, list[Any], Any],
)
def test_a_return_annotation_of_content_does_not_change_the_output(annotation: Any) -> None:
    assert told([Content.text("a")], annotation).content == "a"


@pytest.mark.parametrize("annotation", [Content, ToolOutput, list[Content], str | Content])
def test_content_has_no_return_schema(annotation: Any) -> None:
    def returns(): ...  # type: ignore[no-untyped-def]

    returns.__annotations__ = {"return": annotation}
    assert Tool.from_function(returns).returns is None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"a": Content.text("x")},
            "Content cannot be part of a value; return it by itself, in a list, or in a ToolOutput",
        ),
        (
            [Content.text("x"), [Content.text("y")]],
            "Content cannot be part of a value; return it by itself, in a list, or in a ToolOutput",
        ),
        ([ToolOutput(content="x")], "ToolOutput cannot be part of a value; return it by itself"),
        ([Content.text("x"), object()], "a value of type builtins.object has no JSON form"),
        ([object()], "a value of type builtins.object has no JSON form"),
    ],
)
def test_the_error_for_a_value_without_a_json_form_says_what_to_do(value: Any, message: str) -> None:
    error = told(value).error
    assert error is not None
    assert isinstance(error.exception, EncodingError)
    assert str(error.exception) == message


def test_an_exception_in_the_code_of_a_value_is_reported() -> None:
    class Raising(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("no")

    assert told(Raising(a=1)).content == "returns ran, but its result cannot be shown: RuntimeError: no"


def test_a_result_has_its_output_as_blocks() -> None:
    result = told(["Look:", Content.image(PNG)])

    assert result.parts == (Content.text("Look:"), Content.image(PNG))
    assert result.whole is None
    assert result.blocks == (
        {"type": "text", "text": "Look:"},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    )
    assert result.to_json() == {
        "id": None,
        "name": "returns",
        "ok": True,
        "content": "Look:\n[image: image/png, 8 bytes]",
        "blocks": list(result.blocks),
    }


def test_a_result_that_is_a_text_has_one_block_and_one_part() -> None:
    for result in (ToolResult(None, 5, None, "5"), ToolResult(None, error=CallError("denied", "5"), content="5")):
        assert (result.parts, result.whole) == ((Content.text("5"),), None)
        assert result.blocks == ({"type": "text", "text": "5"},)
        assert "blocks" not in result.to_json()

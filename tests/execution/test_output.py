"""Which text, and which content, does a model read of what a tool returned?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from fcregistry import Tool, ToolResult
from fcregistry._content import Output
from fcregistry.execution import CallError, Content, ToolOutput
from fcregistry.execution._writing._output import output_of
from fcregistry.types import EncodingError

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass
class Point:
    x: int


def made_of(value: Any, annotation: Any = None) -> str | Output:
    """Return what is made of a value that a tool returns."""

    def returns():  # type: ignore[no-untyped-def]
        return value

    if annotation is not None:
        returns.__annotations__ = {"return": annotation}
    return output_of(value, Tool.from_function(returns).signature.returns)


def rich(value: Any, annotation: Any = None) -> Output:
    """Return the output of a value that is more than a text."""
    made = made_of(value, annotation)
    assert isinstance(made, Output)
    return made


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
def test_a_value_is_its_text_and_nothing_more(value: Any, text: str) -> None:
    assert made_of(value) == text
    assert made_of(value, type(value)) == text


def test_content_is_text_for_all_and_pieces_for_those_who_take_them() -> None:
    output = rich(Content.image(PNG))

    assert (output.content, output.parts) == ("[image: image/png, 8 bytes]", (Content.image(PNG),))
    assert output.whole is None


@pytest.mark.parametrize("sequence", [list, tuple])
def test_a_list_may_hold_texts_and_values_beside_content(sequence: Any) -> None:
    output = rich(sequence(["Look:", Content.image(PNG), "", Point(1), None]))

    assert [str(part) for part in output.parts] == ["Look:", "[image: image/png, 8 bytes]", "", '{"x": 1}', "null"]
    assert output.content == 'Look:\n[image: image/png, 8 bytes]\n{"x": 1}\nnull'


def test_value_and_content_may_differ_and_the_value_need_have_no_json_form() -> None:
    value = object()
    output = rich(ToolOutput(value=value, content=["Two rows.", Content.image(PNG)]))

    assert output.value is value
    assert output.content == "Two rows.\n[image: image/png, 8 bytes]"
    assert rich(ToolOutput(content=[])).content == ""


@pytest.mark.parametrize(
    "annotation",
    [Content, ToolOutput, list[Content], tuple[Content, ...], str | Content, list[str | Content], list, list[Any], Any],
)
def test_no_annotation_of_content_stands_in_its_way(annotation: Any) -> None:
    assert rich([Content.text("a")], annotation).content == "a"


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
            "Content cannot stand inside of a value; return it by itself, in a list, or in a ToolOutput",
        ),
        (
            [Content.text("x"), [Content.text("y")]],
            "Content cannot stand inside of a value; return it by itself, in a list, or in a ToolOutput",
        ),
        ([ToolOutput(content="x")], "ToolOutput cannot stand inside of a value; return it by itself"),
        ([Content.text("x"), object()], "a value of type builtins.object has no JSON form"),
        ([object()], "a value of type builtins.object has no JSON form"),
    ],
)
def test_what_has_no_json_form_is_an_error_that_says_what_to_do(value: Any, message: str) -> None:
    with pytest.raises(EncodingError) as caught:
        made_of(value)
    assert str(caught.value) == message


def test_what_a_values_own_code_raises_is_handed_on() -> None:
    class Raising(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        made_of(Raising(a=1))


def test_a_result_has_its_output_as_blocks() -> None:
    output = rich(["Look:", Content.image(PNG)])
    result = ToolResult(None, output.value, None, output.content, output=output)

    assert result.parts == output.parts
    assert result.whole is None
    assert result.blocks == (
        {"type": "text", "text": "Look:"},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
    )
    assert result.to_json() == {
        "id": None,
        "name": None,
        "ok": True,
        "content": "Look:\n[image: image/png, 8 bytes]",
        "blocks": list(result.blocks),
    }


def test_a_result_that_is_a_text_has_one_block_and_no_parts() -> None:
    for result in (ToolResult(None, 5, None, "5"), ToolResult(None, error=CallError("denied", "5"), content="5")):
        assert (result.parts, result.whole) == ((), None)
        assert result.blocks == ({"type": "text", "text": "5"},)
        assert "blocks" not in result.to_json()

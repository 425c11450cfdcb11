"""Content reaches the model through an executor, and the value reaches the program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from fcregistry import Executor
from fcregistry.execution import Content, ToolOutput

PNG = b"\x89PNG\r\n\x1a\n"


def chart() -> Content:
    """Draw a chart."""
    return Content.image(PNG)


async def async_chart() -> list[str | Content]:
    """Draw a chart."""
    return ["Sales:", Content.image(PNG)]


def charts() -> Iterator[Content]:
    """Draw charts."""
    yield Content.image(PNG)
    yield Content.text("That was all.")


async def async_charts() -> AsyncIterator[Content]:
    """Draw charts."""
    for content in charts():
        yield content


@pytest.mark.parametrize(
    ("tool", "content"),
    [
        (chart, "[image: image/png, 8 bytes]"),
        (async_chart, "Sales:\n[image: image/png, 8 bytes]"),
        (charts, "[image: image/png, 8 bytes]\nThat was all."),
        (async_charts, "[image: image/png, 8 bytes]\nThat was all."),
    ],
)
def test_every_sort_of_function_may_give_content(tool: Any, content: str) -> None:
    executor = Executor([tool])
    for result in (executor.call(tool.__name__), asyncio.run(executor.arun({"name": tool.__name__}))):
        assert result.ok, result.content
        assert result.content == content
        assert {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"} in result.blocks


def test_the_program_gets_the_value_and_the_model_the_content() -> None:
    rows = [{"city": "Oslo"}, object()]

    def query() -> ToolOutput:
        return ToolOutput(value=rows, content="2 rows")

    result = Executor([query], check_results=True).call("query")
    assert result.value is result.unwrap() is rows
    assert result.content == "2 rows"


def test_content_that_cannot_be_shown_is_a_failure_that_says_what_to_do() -> None:
    def nested() -> Any:
        return {"chart": Content.image(PNG)}

    result = Executor([nested]).call("nested")
    assert result.error is not None
    assert result.error.code == "unencodable_result"
    assert result.content == (
        "nested ran, but its result cannot be shown: "
        "Content cannot be part of a value; return it by itself, in a list, or in a ToolOutput"
    )


def test_a_file_that_is_not_there_fails_the_call() -> None:
    def lost() -> Content:
        return Content.file(Path("/nowhere/report.pdf"))

    result = Executor([lost]).call("lost")
    assert result.error is not None
    assert result.error.code == "tool_failed"


def long(lines: int) -> list[str]:
    """Return lines."""
    return ["line"] * lines


def test_an_executor_cuts_results_that_are_too_long_and_keeps_the_whole(tmp_path: Path) -> None:
    executor = Executor([long], max_characters=300, keep=tmp_path, check_results=True)
    short, result = executor.call("long", lines=1), executor.call("long", lines=1000)
    (path,) = tmp_path.iterdir()

    assert (short.content, short.whole) == ('["line"]', None)
    assert result.value == ["line"] * 1000
    assert len(result.content) <= 300
    assert f"of 8000 characters are left out here; the whole is kept in {path}" in result.content
    assert path.read_text("utf-8") == result.whole


def test_an_executor_names_media_that_are_too_large() -> None:
    result = Executor([chart], max_bytes=5).call("chart")

    assert result.content == (
        "[image: image/png, 8 bytes, is left out: a result has at most 5 bytes of media; the whole is in result.whole]"
    )
    assert result.whole == (Content.image(PNG),)

"""What a model reads of an exception in addition to its message, and what is left out."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from traceback import extract_tb, format_exception
from types import SimpleNamespace
from typing import Any

import pydantic
import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import ToolError


class RequestError(Exception):
    """An error with a status, like those of HTTP clients."""

    def __init__(self, message: str, **attributes: Any) -> None:
        super().__init__(message)
        vars(self).update(attributes)


def told_of(exception: Exception) -> str:
    """Return the text that a model reads of a tool that raises an exception."""

    def work() -> None:
        """Work."""
        raise exception

    return Executor(work).call("work").content


class Closed(Exception):
    @property
    def response(self) -> object:
        raise RuntimeError("no response was set")


@pytest.mark.parametrize(
    ("exception", "told"),
    [
        (RequestError("request failed", status_code=503), "RequestError: request failed (HTTP 503)"),
        (RequestError("", status=403), "RequestError: HTTP 403"),
        (
            RequestError("refused", response=SimpleNamespace(status_code=HTTPStatus.FORBIDDEN)),
            "RequestError: refused (HTTP 403)",
        ),
        (RequestError("HTTP 403", status_code=403), "RequestError: HTTP 403"),
        (RequestError("status", status="503"), "RequestError: status"),
        (RequestError("done", status_code=200, status=True), "RequestError: done"),
        (Closed("closed"), "Closed: closed"),
        (ToolError("The archive is closed."), "The archive is closed."),
    ],
)
def test_the_status_of_a_failed_request_is_kept(exception: Exception, told: str) -> None:
    assert told_of(exception) == told


def test_nothing_is_added_to_the_message_of_a_tool_error() -> None:
    error = ToolError("The archive is closed.")
    error.status_code = 503  # type: ignore[attr-defined]

    assert told_of(error) == "The archive is closed."


def test_the_text_of_a_group_has_the_texts_of_its_exceptions() -> None:
    inner = ExceptionGroup("inner", [KeyError("k"), ValueError()])
    group = ExceptionGroup("failed", [RequestError("no", status=404), inner, ToolError("Try later.")])

    assert told_of(group) == (
        "ExceptionGroup: failed (3 sub-exceptions): RequestError: no (HTTP 404); KeyError: 'k'; ValueError; Try later."
    )


def test_the_text_of_a_large_group_has_the_first_exceptions_and_the_number_of_the_others() -> None:
    group = ExceptionGroup("failed", [ValueError(str(number)) for number in range(8)])

    assert told_of(group).endswith("ValueError: 3; ValueError: 4; and 3 more")


def test_a_model_reads_no_link_to_the_pages_of_pydantic() -> None:
    class Order(pydantic.BaseModel):
        quantity: int
        price: float

    def order() -> str:
        """Order something."""
        return str(Order.model_validate({"quantity": "many", "price": None}))

    told = Executor([order]).call("order").content

    assert "quantity" in told
    assert "price" in told
    assert "For further information" not in told
    assert "://" not in told


def test_a_link_that_a_tool_gives_stays() -> None:
    def order() -> str:
        """Order something."""
        raise ToolError("Closed.\nFor further information visit https://shop.example/hours")

    assert Executor([order]).call("order").content.endswith("visit https://shop.example/hours")


def fail(number: int) -> float:
    return 1 / number


async def fail_later(number: int) -> float:
    await asyncio.sleep(0)
    return 1 / number


def fail_at_an_item(number: int) -> Iterator[float]:
    yield 1 / number


async def fail_at_a_later_item(number: int) -> AsyncIterator[float]:
    yield 1 / number


@pytest.mark.parametrize("options", [{}, {"timeout": 5}])
@pytest.mark.parametrize("function", [fail, fail_later, fail_at_an_item, fail_at_a_later_item])
def test_a_traceback_begins_in_the_code_of_the_tool(function: Any, options: dict[str, Any]) -> None:
    """Authors look for mistakes of their own, and frames of fcregistry do not help them."""
    executor = Executor([Tool.from_function(function, **options)])
    call = ToolCall(function.__name__, '{"number": 0}')
    results = [executor.run(call), executor.run(call), asyncio.run(executor.arun(call)), *executor.run_all([call])]
    for result in results:
        assert result.error is not None
        assert result.error.exception is not None
        assert extract_tb(result.error.exception.__traceback__)[0].name == function.__name__


def test_an_error_of_sqlite_about_threads_names_the_option_that_helps() -> None:
    """The author reads it, in the traceback; a model, which cannot declare anything, does not."""
    database = sqlite3.connect(":memory:")

    def count() -> list[list[int]]:
        """Count."""
        return [list(row) for row in database.execute("SELECT 1")]

    result, _ = Executor([count]).run_all([ToolCall("count", "{}")] * 2)
    assert result.error is not None
    assert result.error.exception is not None
    assert format_exception(result.error.exception)[-1].startswith('declare count with blocking="caller": it then')
    assert "blocking" not in result.content
    result, _ = Executor([Tool.from_function(count, blocking="caller")]).run_all([ToolCall("count", "{}")] * 2)
    assert result.value == [[1]]
    database.close()  # Python 3.13 warns otherwise

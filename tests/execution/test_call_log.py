"""The log of calls: each call once, with its facts; arguments and content only for debugging."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import ToolError

if TYPE_CHECKING:
    from tests.conftest import Site

LOG = logging.getLogger("fcregistry.calls")


def greet(name: str, words: list[str] | None = None) -> str:
    """Greet somebody."""
    return f"Hello {name}"


def fail(secret: str) -> str:
    """Fail."""
    raise ValueError(f"no {secret}")


def refuse() -> str:
    """Refuse."""
    raise ToolError("not on Sundays")


EXECUTOR = Executor([greet, fail, refuse, Tool.from_function(greet, name="locked", requires_approval=True)])


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What is logged from INFO on."""
    caplog.set_level(logging.INFO, LOG.name)
    return caplog


def facts(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name, value in vars(record).items() if name.startswith("fc_")}


def test_a_successful_call_is_one_record_with_its_fields(log: pytest.LogCaptureFixture) -> None:
    result = EXECUTOR.run(ToolCall("greet", '{"name": "Ann", "words": "[]"}', "call_1"))
    [record] = log.records
    assert (record.levelname, record.name, record.exc_info) == ("INFO", "fcregistry.calls", None)
    assert record.getMessage() == f"greet: ok ({result.duration:.3f} s)"
    assert facts(record) == {
        "fc_tool": "greet",
        "fc_call_id": "call_1",
        "fc_code": "ok",
        "fc_seconds": result.duration,
        "fc_repairs": ("$.words was JSON text: taken as the array that it holds",),
        "fc_distribution": None,
        "fc_version": None,
        "fc_schema_digest": Tool.from_function(greet).schema_digest,
    }


@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING])
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (ToolCall("greet", {"name": "Ann", "secret": 1}), "greet: invalid_arguments (0.000 s)"),
        (ToolCall("greet", '{"secret": '), "greet: malformed_call (0.000 s)"),
        (ToolCall("locked", {"name": "secret"}), "locked: approval_required (0.000 s)"),
        (ToolCall("greet\n9", {}), 'the unknown tool "greet\\n9": unknown_tool (0.000 s)'),
        (ToolCall("g" * 65, {}), f'the unknown tool "{"g" * 64}": unknown_tool (0.000 s)'),
        (None, "a malformed call: malformed_call (0.000 s)"),
    ],
)
def test_a_failed_call_is_a_warning_without_arguments_and_content(
    caplog: pytest.LogCaptureFixture, level: int, call: object, message: str
) -> None:
    """Also in a log that has warnings only; in one line, whatever a model writes."""
    caplog.set_level(level, LOG.name)
    result = EXECUTOR.run(call)
    [record] = caplog.records
    assert result.error is not None
    assert (record.levelname, record.getMessage(), record.exc_info) == ("WARNING", message, None)
    assert facts(record)["fc_code"] == result.error.code
    assert "secret" not in str(vars(record))


def test_an_unexpected_exception_is_logged_with_its_traceback(log: pytest.LogCaptureFixture) -> None:
    EXECUTOR.run(ToolCall("fail", {"secret": "luck"}))
    [record] = log.records
    assert record.getMessage().startswith("fail: tool_failed (")
    assert 'raise ValueError(f"no {secret}")' in log.text
    assert "ValueError: no luck" in log.text


def test_a_tool_error_is_logged_with_its_traceback_only_at_level_debug(log: pytest.LogCaptureFixture) -> None:
    EXECUTOR.run(ToolCall("refuse"))
    [record] = log.records
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    log.set_level(logging.DEBUG, LOG.name)
    EXECUTOR.run(ToolCall("refuse"))
    assert [each.levelname for each in log.records] == ["WARNING", "WARNING", "DEBUG"]
    assert 'raise ToolError("not on Sundays")' in log.text


class Unreadable(Mapping[str, Any]):
    """Arguments of an external class, all of whose methods fail."""

    def __getitem__(self, name: str) -> Any:
        raise RuntimeError

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (ToolCall("greet", '{"name": "Ann\\n"}'), 'greet: arguments {"name": "Ann\\n"}, content "Hello Ann\\n"'),
        (ToolCall("greet", {"name": 1}), 'greet: arguments {"name": 1}, content "the arguments of greet are not valid'),
        (ToolCall("greet", "\x1b[31m{"), 'greet: arguments "\\u001b[31m{", content "the arguments '),
        (ToolCall("greet", Unreadable()), "greet: arguments (the arguments cannot be read: RuntimeError), content "),
        (None, "a malformed call: arguments {}, content "),
    ],
)
def test_arguments_and_content_are_logged_at_level_debug(
    log: pytest.LogCaptureFixture, call: object, said: str
) -> None:
    """In a record of their own, of a lower level: a handler that takes no such records does not get them."""
    log.set_level(logging.DEBUG, LOG.name)
    EXECUTOR.run(call)
    first, second = log.records
    assert first.levelno >= logging.INFO
    assert {"fc_arguments", "fc_content"}.isdisjoint(facts(first))
    assert second.levelname == "DEBUG"
    assert second.getMessage().startswith(said)
    assert {"fc_arguments", "fc_content"} <= set(facts(second))


def test_arguments_and_content_in_the_log_are_bounded(log: pytest.LogCaptureFixture) -> None:
    log.set_level(logging.DEBUG, LOG.name)
    EXECUTOR.run(ToolCall("greet", {"name": "n" * 1_000_000}))
    assert len(log.records[1].getMessage()) < 5000


def test_a_task_that_is_cancelled_leaves_a_record(log: pytest.LogCaptureFixture) -> None:
    started = asyncio.Event()

    async def wait() -> None:
        """Wait for ever."""
        started.set()
        await asyncio.Event().wait()

    async def cancel() -> None:
        task = asyncio.create_task(Executor([wait]).arun({"name": "wait", "id": "call_1"}))
        await started.wait()
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(cancel())
    [record] = log.records
    assert (record.levelname, record.getMessage()) == ("WARNING", "wait: ended by CancelledError")
    assert (facts(record)["fc_call_id"], facts(record)["fc_code"]) == ("call_1", "cancelled")


def test_a_call_succeeds_although_logging_fails(log: pytest.LogCaptureFixture) -> None:
    def broken(record: logging.LogRecord) -> bool:
        raise RuntimeError

    LOG.addFilter(broken)
    try:
        assert EXECUTOR.run(ToolCall("greet", {"name": "Ann"})).content == "Hello Ann"
        assert not EXECUTOR.run(ToolCall("greet", {})).ok
    finally:
        LOG.removeFilter(broken)
    assert [record.getMessage() for record in log.records] == ["a call could not be logged or traced"] * 2


def test_a_program_without_a_log_handler_gets_no_records(site: Site) -> None:
    """Not even the warnings that Python writes to stderr as a last resort: such a program has not asked for a log."""
    code = """
import logging
from fcregistry import Executor
print(Executor([]).run({"name": "greet"}).error.code)
"""
    done = site.run("-c", code)
    assert (done.stdout, done.stderr) == ("unknown_tool\n", "")

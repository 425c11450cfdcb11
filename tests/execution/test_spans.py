"""The trace of calls: a span for each call, as OpenTelemetry's conventions for tools have it.

Real programs with the real SDK, in processes of their own: a process has one provider of traces, for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Tool, __version__
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

TRACED = """
import asyncio, json, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("the program")

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import ToolError

def inside(name):
    "Do something that is traced."
    with tracer.start_as_current_span("inside " + name):
        return f"Hello {name}"

def greet(name: str) -> str:
    \"\"\"Greet somebody.\"\"\"
    return inside(name)

async def agreet(name: str) -> str:
    \"\"\"Greet somebody.\"\"\"
    await asyncio.sleep(0)
    return inside(name)

def fail(name: str) -> str:
    raise ValueError(f"no {name}")

def refuse(name: str) -> str:
    raise ToolError(f"no {name}", retryable=True)

def odd(name: str) -> object:
    return object()

def plain(name: str) -> str:
    return f"Hello {name}"

locked = Tool.from_function(greet, name="locked", requires_approval=True)
executor = Executor([greet, agreet, fail, refuse, odd, plain, locked])

def told(span):
    "Return a span as JSON."
    return {
        "name": span.name,
        "kind": span.kind.name,
        "parent": span.parent and span.parent.span_id,
        "id": span.context.span_id,
        "attributes": dict(span.attributes),
        "status": [span.status.status_code.name, span.status.description],
        "events": [[event.name, event.attributes.get("exception.type")] for event in span.events],
        "scope": [span.instrumentation_scope.name, span.instrumentation_scope.version],
    }

def spans():
    "Return the spans that have ended since somebody asked last, the first to end first."
    found = [told(each) for each in exporter.get_finished_spans()]
    exporter.clear()
    return found

def ran(name, /, **arguments):
    "Return the spans of one call."
    executor.run(ToolCall(name, arguments, "call_1"))
    return spans()
"""

CODE = (
    TRACED
    + """
answer = {}

with tracer.start_as_current_span("the program"):
    answer["ok"] = ran("greet", name="Ann")
    executor.run_all([ToolCall("agreet", {"name": f"in a batch {i}"}) for i in range(2)])
answer["with the program"] = spans()

async def everything():
    await executor.arun(ToolCall("greet", {"name": "on a thread"}))
    await executor.arun(ToolCall("agreet", {"name": "on the loop"}))
    await executor.arun_all([ToolCall("greet", {"name": f"in a batch {i}"}) for i in range(2)])

executor.run(ToolCall("greet", {"name": "here"}))
executor.run(ToolCall("agreet", {"name": "on the background loop"}))
executor.run_all([ToolCall("agreet", {"name": f"in a batch {i}"}) for i in range(2)])
asyncio.run(everything())
answer["everywhere"] = spans()

for name in ("fail", "refuse", "odd", "locked", "nothing"):
    answer[name] = ran(name, name="luck")
answer["invalid"] = ran("greet", secret=1)

async def cancelled():
    begun = asyncio.Event()
    async def wait() -> None:
        begun.set()
        await asyncio.Event().wait()
    task = asyncio.create_task(Executor([wait]).arun(ToolCall("wait")))
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])

asyncio.run(cancelled())
answer["cancelled"] = spans()

class Broken(SpanProcessor):
    def on_end(self, span):
        raise RuntimeError("the exporter is away")

provider.add_span_processor(Broken())
answer["broken"] = executor.run(ToolCall("plain", {"name": "Ann"})).content
"""
)


@pytest.fixture(scope="module")
def traced(make_site: Callable[[], Site]) -> dict[str, Any]:
    """The spans of many calls of one program, by what was called."""
    answer: dict[str, Any] = make_site().ask(CODE)
    return answer


def test_a_call_has_a_span_of_the_conventions_and_the_provenance(traced: dict[str, Any]) -> None:
    """Its description, its id, and which tool of which schema was called; neither arguments nor result."""

    def greet(name: str) -> str:
        """Greet somebody."""
        return name

    _, span = traced["ok"]
    assert (span["name"], span["kind"], span["status"], span["events"]) == (
        "execute_tool greet",
        "INTERNAL",
        ["UNSET", None],
        [],
    )
    assert span["scope"] == ["fcregistry", __version__]
    assert span["attributes"] == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "greet",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "Greet somebody.",
        "gen_ai.tool.call.id": "call_1",
        "fcregistry.tool.id": "greet",
        "fcregistry.tool.schema_digest": Tool.from_function(greet).schema_digest,
        "fcregistry.call.repairs": 0,
    }


def test_the_span_is_a_child_of_the_span_of_the_program(traced: dict[str, Any]) -> None:
    """Also in a batch, whose calls run on the background loop."""
    *others, program = traced["with the program"]
    calls = [span for span in others if span["name"] == "execute_tool agreet"]
    assert [span["parent"] for span in [traced["ok"][1], *calls]] == [program["id"]] * 3


def test_the_spans_of_a_tool_are_children_of_its_call_wherever_it_runs(traced: dict[str, Any]) -> None:
    """On this thread or another, on the caller's loop or the background one, alone or in a batch."""
    spans = traced["everywhere"]
    calls = {span["id"]: span["name"] for span in spans if span["name"].startswith("execute_tool")}
    inside = [span for span in spans if span["name"].startswith("inside")]
    assert len(calls) == len(inside) == 8
    assert len({span["parent"] for span in inside}) == 8
    assert {span["parent"] for span in inside} == set(calls)


ENCODING_ERROR = f"{EncodingError.__module__}.EncodingError"

FAILED: dict[str, tuple[str, str, str | None, list[list[str]]]] = {
    "fail": ("ValueError", "tool_failed", "ValueError: no luck", [["exception", "ValueError"]]),
    "refuse": (
        "fcregistry.errors.ToolError",
        "tool_failed",
        "no luck",
        [["exception", "fcregistry.errors.ToolError"]],
    ),
    "odd": (
        ENCODING_ERROR,
        "unencodable_result",
        "odd ran, but its result cannot be shown: a value of type builtins.object has no JSON form",
        [["exception", ENCODING_ERROR]],
    ),
    "locked": ("approval_required", "approval_required", None, []),
    "invalid": ("invalid_arguments", "invalid_arguments", None, []),
}


@pytest.mark.parametrize("what", FAILED)
def test_the_span_of_a_failed_call_has_the_error(traced: dict[str, Any], what: str) -> None:
    """Also that of a call that was refused; the model's arguments are not repeated."""
    kind, code, said, events = FAILED[what]
    [span] = traced[what]
    assert span["attributes"]["error.type"] == kind
    assert span["attributes"]["fcregistry.call.code"] == code
    assert span["status"] == ["ERROR", said]
    assert span["events"] == events
    assert "secret" not in str(span)


def test_a_call_of_no_tool_has_no_span(traced: dict[str, Any]) -> None:
    """No tool was executed, and a name that a model made up is not to become one of a span."""
    assert traced["nothing"] == []


def test_the_span_of_a_task_that_is_cancelled_ends_too(traced: dict[str, Any]) -> None:
    [span] = traced["cancelled"]
    assert (span["name"], span["status"][0]) == ("execute_tool wait", "ERROR")
    assert span["attributes"]["error.type"] == "asyncio.exceptions.CancelledError"


def test_an_exporter_that_fails_does_not_fail_the_call(traced: dict[str, Any]) -> None:
    assert traced["broken"] == "Hello Ann"


def test_arguments_and_result_are_on_the_span_if_the_user_opts_in(site: Site) -> None:
    """By OpenTelemetry's own variable, as for the messages of models."""
    code = """
import os
answer = {}
for value in ("", "no_content", "event_only", "true", "SPAN_ONLY", "span_and_event"):
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = value
    found = [*ran("plain", name="Ann"), *ran("fail", name="Ann")]
    names = ("gen_ai.tool.call.arguments", "gen_ai.tool.call.result")
    answer[value] = [span["attributes"].get(name) for span in found for name in names]
"""
    told = ['{"name": "Ann"}', "Hello Ann", '{"name": "Ann"}', None]
    nothing = [None] * 4
    assert site.ask(TRACED + code) == {
        "": nothing,
        "no_content": nothing,
        "event_only": nothing,
        "true": told,
        "SPAN_ONLY": told,
        "span_and_event": told,
    }


def test_opentelemetry_is_not_imported_for_a_program_that_does_not_trace(site: Site) -> None:
    code = """
    from fcregistry import Executor

    def greet(name: str) -> str:
        return f"Hello {name}"

    executor = Executor([greet])
    answer = [executor.run({"name": "greet", "arguments": {"name": "Ann"}}).content]
    answer.append([name for name in sys.modules if name.startswith("opentelemetry")])
    """
    assert site.ask(code) == ["Hello Ann", []]

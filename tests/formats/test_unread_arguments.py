"""Arguments in fields that are not read: the call is refused, and never run without them."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, make_dataclass
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, computed_field

from fcregistry import Executor, ToolCall, formats
from fcregistry.formats import MalformedCallError, read_call, read_calls
from fcregistry.models import Message


def ping(x: int = 1) -> str:
    """Answer."""
    return f"pong {x}"


EXECUTOR = Executor([ping])


@dataclass
class Function:
    """AdalFlow's output class."""

    name: str
    thought: str | None = None
    args: list[Any] | None = field(default_factory=list)
    kwargs: dict[str, Any] | None = field(default_factory=dict)


@dataclass(slots=True)
class Slotted:
    name: str
    kwargs: dict[str, Any]


class Parameters(BaseModel):
    name: str
    parameters: dict[str, Any]


class Open(BaseModel, extra="allow"):
    name: str


class Struct(msgspec.Struct):
    name: str
    tool_input: dict[str, Any]


class Properties:
    """A class as careful as ours: what it holds is read by properties."""

    __slots__ = ("_payload",)

    def __init__(self) -> None:
        self._payload = {"x": 5}

    @property
    def name(self) -> str:
        return "ping"

    @property
    def payload(self) -> dict[str, int]:
        return self._payload


class OfItsClass:
    name = "ping"
    kwargs = {"x": 5}  # noqa: RUF012  # as somebody may write it


class MadeUp:
    """A class whose attributes cannot be listed."""

    def __getattr__(self, name: str) -> Any:
        if name in ("name", "kwargs"):
            return {"name": "ping", "kwargs": {"x": 5}}[name]
        raise AttributeError(name)


OBJECTS: dict[str, tuple[Any, str]] = {
    "a data class": (Function(name="ping", kwargs={"x": 5}), "'kwargs'"),
    "with slots": (Slotted("ping", {"x": 5}), "'kwargs'"),
    "pydantic": (Parameters(name="ping", parameters={"x": 5}), "'parameters'"),
    "pydantic, extra": (Open.model_validate({"name": "ping", "x": 5}), "'x'"),
    "msgspec": (Struct("ping", {"x": 5}), "'tool_input'"),
    "a namespace": (SimpleNamespace(name="ping", x=5), "'x'"),
    "properties": (Properties(), "'payload'"),
    "class attributes": (OfItsClass(), "'kwargs'"),
    "made up": (MadeUp(), "'kwargs'"),
}


@pytest.mark.parametrize(("given", "shown"), OBJECTS.values(), ids=list(OBJECTS))
def test_an_object_with_arguments_in_another_field_does_not_run(given: Any, shown: str) -> None:
    result = EXECUTOR.run(given)
    assert result.error is not None
    assert result.error.code == "malformed_call"
    assert f"{shown} is not read: write " in result.content
    assert '{"name": …, "arguments": {…}}' in result.content
    assert result.call is None or result.value is None


@pytest.mark.parametrize(("given", "shown"), OBJECTS.values(), ids=list(OBJECTS))
def test_nor_does_it_on_a_loop_or_in_a_batch(given: Any, shown: str) -> None:
    batches = [EXECUTOR.run_all([given]), asyncio.run(EXECUTOR.arun_all([given]))]
    results = [asyncio.run(EXECUTOR.arun(given)), *batches[0], *batches[1]]
    assert [result.error and result.error.code for result in results] == ["malformed_call"] * 3


def test_an_object_shows_how_a_program_reads_its_field() -> None:
    with pytest.raises(MalformedCallError) as caught:
        read_call(Parameters(name="ping", parameters={"x": 5}))
    assert str(caught.value) == (
        'the call of \'ping\' has no "arguments", and \'parameters\' is not read: write {"name": …, "arguments": {…}}; '
        "in Python, arguments_field='parameters' of an OutputFormat or of calls_of reads it"
    )
    assert caught.value.unread == ("parameters",)


BOTH: list[dict[str, Any]] = [
    {"arguments": {}, "parameters": {"x": 5}},
    {"arguments": {"x": 1}, "input": {"x": 5}},
    {"arguments": '{"x": 1}', "args": {"x": 5}},
    {"input": {"x": 1}, "tool_input": {"x": 5}},
    {"args": {"x": 1}, "kwargs": {"x": 5}},
    {"arguments": None, "Arguments": {"x": 5}},
    {"arguments": {}, "partial_json": '{"x":'},
    {"args": {"x": 1}, "willContinue": True},
    {"args": None, "will_continue": True},
    {"args": {}, "partial_args": [{"jsonPath": "$.x"}]},
]


@pytest.mark.parametrize("fields", BOTH, ids=str)
@pytest.mark.parametrize("of", [dict, SimpleNamespace])
def test_a_second_field_that_holds_other_arguments_is_refused(fields: dict[str, Any], of: Callable[..., Any]) -> None:
    wrapped = [of(id="1", type="function", function=of(name="ping", **fields))]
    for given in (of(id="1", name="ping", **fields), *wrapped):
        with pytest.raises(MalformedCallError, match="is not read: write ") as caught:
            read_call(given)
        assert (caught.value.id, caught.value.name, len(caught.value.unread)) == ("1", "ping", 1)


@pytest.mark.parametrize(
    "fields",
    [
        {"arguments": {"x": 5}, "parameters": {"x": 5}},
        {"arguments": '{"x": 5}', "parameters": {"x": 5}},
        {"arguments": {"x": 5}, "parameters": None, "kwargs": {}, "args": [], "input": ""},
        {"arguments": None, "input": {"x": 5}},
        {"args": {"x": 5}, "partial_args": None, "will_continue": False},
    ],
    ids=str,
)
@pytest.mark.parametrize("of", [dict, SimpleNamespace])
def test_a_second_field_that_says_the_same_or_nothing_does_no_harm(
    fields: dict[str, Any], of: Callable[..., Any]
) -> None:
    assert EXECUTOR.run(of(name="ping", **fields)).value == "pong 5"


@pytest.mark.parametrize("of", [dict, SimpleNamespace])
@pytest.mark.parametrize("inner", [{}, {"arguments": {}}, {"arguments": "{}"}])
def test_arguments_around_what_is_wrapped_are_not_dropped(inner: dict[str, Any], of: Callable[..., Any]) -> None:
    given = of(type="function", function=of(name="ping", **inner), arguments={"x": 5})
    with pytest.raises(MalformedCallError, match="'arguments' around it is not read"):
        read_call(given)


@pytest.mark.parametrize("of", [dict, SimpleNamespace])
def test_two_calls_in_one_are_refused(of: Callable[..., Any]) -> None:
    with pytest.raises(MalformedCallError, match="with several calls"):
        read_call(of(function=of(name="ping", arguments="{}"), toolUse=of(name="pong", input={})))


# What the SDKs and frameworks have, and what their next releases may have beside it


METADATA: dict[str, Any] = {
    "caller": {"type": "direct"},
    "namespace": "tools",
    "extra_content": {"google": {"thought_signature": "c2ln"}},
    "an_invention": "of the next release",
}
INVENTION = {"an_invention": [{"of": "the next release"}]}


@pytest.mark.parametrize(("arguments", "metadata"), [({"x": 5}, METADATA | INVENTION), ({}, METADATA)])
@pytest.mark.parametrize("of", [dict, SimpleNamespace])
def test_metadata_that_is_unknown_does_no_harm_beside_the_field_of_arguments(
    arguments: dict[str, Any], metadata: dict[str, Any], of: Callable[..., Any]
) -> None:
    inner = of(name="ping", arguments=arguments, **metadata)
    shapes = [
        of(type="tool_use", id="1", name="ping", input=arguments, **metadata),
        of(
            type="function_call", id="fc", call_id="1", name="ping", arguments=arguments, status="completed", **metadata
        ),
        of(type="function", id="1", index=0, function=inner, **metadata),
        of(functionCall=of(name="ping", args=arguments, id="1"), thoughtSignature="c2ln", **metadata),
        of(toolUse=of(toolUseId="1", name="ping", input=arguments), **metadata),
        of(type="tool_call", name="ping", args=arguments, id="1", **metadata),
    ]
    assert [read_call(each) for each in shapes] == [ToolCall("ping", arguments, "1")] * len(shapes)


def test_a_geminis_call_without_arguments_keeps_its_signature_outside() -> None:
    assert read_call({"functionCall": {"name": "ping"}, "thoughtSignature": "c2ln"}) == ToolCall("ping", None)


def test_the_objects_of_other_libraries_are_read() -> None:
    autogen = make_dataclass("FunctionCall", ["id", "arguments", "name"])("1", '{"x": 5}', "ping")
    gemini = SimpleNamespace(id=None, name="ping", args={"x": 5}, partial_args=None, will_continue=None)
    langchain = {"name": "ping", "args": {"x": 5}, "id": "1", "type": "tool_call"}
    assert [EXECUTOR.run(each).value for each in (autogen, gemini, vars(gemini), langchain)] == ["pong 5"] * 4


@pytest.mark.parametrize(("written", "value"), [('{"x": 5}', "pong 5"), ("{}", "pong 1"), ("", "pong 1")])
def test_the_objects_of_openais_sdk_are_read(written: str, value: str) -> None:
    chat = pytest.importorskip("openai.types.chat")
    responses = pytest.importorskip("openai.types.responses")
    call = {"id": "1", "type": "function", "function": {"name": "ping", "arguments": written}, **METADATA}
    item = {
        "type": "function_call",
        "id": "fc",
        "call_id": "1",
        "name": "ping",
        "arguments": written,
        "parsed_arguments": {"x": 5},
        "caller": {"type": "program", "caller_id": "7"},
        "namespace": "tools",
        "async": False,
        "created_by": {"id": "8"},
    }
    message = chat.ChatCompletionMessage.model_validate({"role": "assistant", "tool_calls": [call]})
    kinds = [responses.ResponseFunctionToolCall, responses.ParsedResponseFunctionToolCall]
    given = [*read_calls(message), item, *(kind.model_validate(item) for kind in kinds)]
    assert [EXECUTOR.run(each).value for each in given] == [value] * 4
    wrong = chat.ChatCompletionMessageFunctionToolCall.model_validate(call | {"parameters": {"x": 5}})
    assert EXECUTOR.run(wrong).ok is (written == '{"x": 5}')


@pytest.mark.parametrize(("arguments", "value"), [({"x": 5}, "pong 5"), ({}, "pong 1")])
def test_the_objects_of_anthropics_sdk_and_of_mcp_are_read(arguments: dict[str, Any], value: str) -> None:
    anthropic, mcp = pytest.importorskip("anthropic.types"), pytest.importorskip("mcp.types")
    block = {"type": "tool_use", "id": "1", "name": "ping", "input": arguments, **METADATA, "toolset_name": "tools"}
    beside = {"_meta": {"progressToken": 1}, "task": {"ttl": 60}}
    params = mcp.CallToolRequestParams.model_validate({"name": "ping", "arguments": arguments, **beside})
    bare = mcp.CallToolRequestParams.model_validate({"name": "ping", **beside})
    assert EXECUTOR.run(anthropic.ToolUseBlock.model_validate(block)).value == value
    assert EXECUTOR.run(params).value == value
    assert EXECUTOR.run(bare).value == "pong 1"


@pytest.mark.parametrize("given", [Function, Executor([ping]), ping, SimpleNamespace(name="ping", value=1)])
def test_what_has_a_name_and_is_not_a_call_does_not_run(given: Any) -> None:
    result = EXECUTOR.run(given)
    assert result.error is not None
    assert result.error.code == "malformed_call"


# Fields that cannot be read, that are computed, or that stand beside arguments without anything in them


def raising(name: str, error: Exception) -> Any:
    """Return an object with a property that raises an error."""

    def get(_: object) -> Any:
        raise error

    return type("Lazy", (), {"name": "ping", "id": "1", name: property(get)})()


@pytest.mark.parametrize("name", ["arguments", "input", "args", "kwargs", "payload"])
@pytest.mark.parametrize("error", [RuntimeError("not now"), AttributeError("of something inside")])
def test_a_property_that_raises_is_not_absent(name: str, error: Exception) -> None:
    with pytest.raises(MalformedCallError) as caught:
        read_call(raising(name, error))
    assert (caught.value.id, caught.value.name) == ("1", "ping")
    result = EXECUTOR.run(raising(name, error))
    assert result.error is not None
    assert result.error.code == "malformed_call"
    assert result.content == f"the call of 'ping' cannot be read: {type(error).__name__}"


def test_a_call_whose_wrapper_or_name_cannot_be_read_is_malformed() -> None:
    for name in ("function", "name"):
        with pytest.raises(MalformedCallError, match="cannot be read: KeyError"):
            read_call(raising(name, KeyError("no")))


def test_a_slot_that_is_not_set_is_absent() -> None:
    class Unset:
        __slots__ = ("arguments", "input", "name", "payload")

    call: Any = Unset()
    call.name, call.input = "ping", {"x": 5}
    assert read_call(call) == ToolCall("ping", {"x": 5})
    del call.input
    assert read_call(call) == ToolCall("ping", None)


class Computed(BaseModel):
    name: str = "ping"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def values(self) -> dict[str, int]:
        return {"x": 5}


class PlainProperty(BaseModel):
    name: str = "ping"

    @property
    def tool_values(self) -> dict[str, int]:
        return {"x": 5}


class Slot(PlainProperty):
    __slots__ = ("held",)


class MadeUpPayload:
    def __getattr__(self, name: str) -> Any:
        if name in ("name", "payload"):
            return {"name": "ping", "payload": {"x": 5}}[name]
        raise AttributeError(name)


@pytest.mark.parametrize(
    ("given", "shown"),
    [(Computed(), "values"), (PlainProperty(), "tool_values"), (Slot(), "tool_values"), (MadeUpPayload(), "payload")],
)
def test_fields_that_an_object_computes_are_not_dropped(given: Any, shown: str) -> None:
    with pytest.raises(MalformedCallError, match="is not read") as caught:
        read_call(given)
    assert caught.value.unread == (shown,)


def test_a_model_of_pydantic_without_any_other_field_is_a_call_without_arguments() -> None:
    class Bare(BaseModel):
        name: str
        id: str | None = None

        def describe(self) -> str:
            return self.name

    assert read_call(Bare(name="ping", id="1")) == ToolCall("ping", None, "1")


MEANT: list[dict[Any, Any]] = [
    {"payload": {"x": 5}},
    {"properties": {"x": 5}},
    {"body": '{"x": 5}'},
    {"values": [5]},
    {"record": SimpleNamespace(x=5)},
    {"record": Slotted("x", {})},
    {"arguments ": {"x": 5}},
    {"\N{CYRILLIC SMALL LETTER A}rguments": {"x": 5}},
    {"index": {"x": 5}},
    {"status": {"x": 5}},
    {"type": {"x": 5}},
    {"id": {"x": 5}},
]


@pytest.mark.parametrize("beside", MEANT, ids=ascii)
@pytest.mark.parametrize("empty", [{}, {"arguments": None}, {"arguments": {}}, {"arguments": " { } "}, {"input": ""}])
@pytest.mark.parametrize("of", [dict, SimpleNamespace])
def test_an_object_beside_empty_arguments_may_be_the_arguments(
    beside: dict[str, Any], empty: dict[str, Any], of: Callable[..., Any]
) -> None:
    for given in (of(name="ping", **empty, **beside), of(function=of(name="ping", **empty), **beside)):
        with pytest.raises(MalformedCallError, match="not read") as caught:
            read_call(given)
        assert caught.value.unread == tuple(beside)


@pytest.mark.parametrize("beside", MEANT, ids=ascii)
@pytest.mark.parametrize("of", [dict, SimpleNamespace])
def test_beside_arguments_it_is_metadata(beside: dict[str, Any], of: Callable[..., Any]) -> None:
    inner = of(name="ping", arguments={"x": 1}, **beside)
    assert [read_call(each).arguments for each in (inner, of(function=inner, **beside))] == [{"x": 1}] * 2


@pytest.mark.parametrize("key", [1, b"arguments", None])
@pytest.mark.parametrize("empty", [{}, {"arguments": {}}])
def test_a_key_that_is_not_a_string_may_hold_the_arguments(key: Any, empty: dict[Any, Any]) -> None:
    with pytest.raises(MalformedCallError, match="is not read") as caught:
        read_call({"name": "ping", **empty, key: {"x": 5}})
    assert caught.value.unread == (repr(key),)


def test_text_numbers_and_empty_objects_beside_empty_arguments_are_metadata() -> None:
    beside = {"thought": "I ping it.", "score": 0.5, "strict": True, "labels": [], "extra": {}, "note": "{}"}
    assert read_call({"name": "ping", "arguments": {}, **beside}) == ToolCall("ping", {})
    assert read_call({"name": "ping", "_meta": {"progressToken": 1}}) == ToolCall("ping", None)
    assert read_call({"name": "ping", "id": '{"odd"}'}) == ToolCall("ping", None, '{"odd"}')


def test_constants_and_methods_of_a_class_are_not_arguments() -> None:
    class Call:
        KINDS = ("one", "other")
        name = "ping"

        def __init__(self) -> None:
            self.arguments: dict[str, Any] = {}

        def payload(self) -> dict[str, int]:
            return {"x": 5}

    assert read_call(Call()) == ToolCall("ping", {})


def test_an_object_whose_attributes_cannot_be_listed_is_malformed() -> None:
    class Odd:
        name = "ping"

        def __dir__(self) -> list[str]:
            raise RuntimeError("no")

    with pytest.raises(MalformedCallError, match="the call of 'ping' cannot be read: RuntimeError"):
        read_call(Odd())


@pytest.mark.parametrize("name", ["tool" * 50_000, "input" * 50_000, "_" * 500_000 + "args"])
def test_long_names_of_fields_are_not_looked_at(name: str) -> None:
    assert read_call({"name": "ping", "arguments": {"x": 1}, name: {"x": 5}}) == ToolCall("ping", {"x": 1})


# A field of the caller's own


def test_a_field_that_the_caller_names_is_read_and_no_other() -> None:
    def read(given: Any) -> ToolCall:
        return read_call(given, arguments_field="kwargs")

    assert read(Function("ping", kwargs={"x": 5}, thought="hm")) == ToolCall("ping", {"x": 5})
    assert read(Function("ping", kwargs=None, thought="hm")) == ToolCall("ping", None)
    assert read(vars(Function("ping", kwargs={"x": 5}))) == ToolCall("ping", {"x": 5})
    for wrong in (Function("ping", args=[5]), {"name": "ping", "arguments": {"x": 5}}):
        with pytest.raises(MalformedCallError, match=r"is not read: write \{\"name\": …, \"kwargs\": \{…\}\}"):
            read(wrong)


# Messages


def test_the_calls_that_langchain_could_not_read_are_calls_all_the_same() -> None:
    good = {"name": "ping", "args": {"x": 5}, "id": "1", "type": "tool_call"}
    bad = {"name": "ping", "args": '{"x": 5', "id": "2", "error": "not JSON", "type": "invalid_tool_call"}
    message = SimpleNamespace(type="ai", content="", tool_calls=[good], invalid_tool_calls=[bad])
    results = EXECUTOR.run_all(read_calls(message))
    assert [result.error and result.error.code for result in results] == [None, "malformed_call"]
    assert read_calls(SimpleNamespace(type="ai", content="", tool_calls=[], invalid_tool_calls=[bad])) == [bad]


def test_the_one_call_that_openais_messages_once_had_is_a_call() -> None:
    message = {"role": "assistant", "content": None, "function_call": {"name": "ping", "arguments": '{"x": 5}'}}
    assert read_calls(message) == [message]
    assert formats.get("openai").parse(message) == [ToolCall("ping", '{"x": 5}')]  # type: ignore[misc]
    assert Message.of(message).tool_calls == (ToolCall("ping", '{"x": 5}'),)


def test_a_call_that_a_message_keeps_says_what_was_not_read() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "ping", "parameters": {"x": 5}}}
    message = Message.of({"role": "assistant", "tool_calls": [call]})
    for kept in (message, pickle.loads(pickle.dumps(message)), copy.deepcopy(message)):
        for result in (*EXECUTOR.run_all(kept.tool_calls), asyncio.run(EXECUTOR.arun(kept.tool_calls[0]))):
            assert result.error is not None
            assert result.error.code == "malformed_call"
            assert result.content.startswith("the call of 'ping' has no \"arguments\", and 'parameters' is not read: ")
    (written,) = EXECUTOR.run_all(Message.of(message.to_dict()).tool_calls)
    assert written.error is not None
    assert written.error.code == "malformed_call"

"""What is sent between an executor and a worker: JSON text, both ways.

A request has a tool's canonical id and arguments, never a function: a worker finds the tool by itself. An answer has what the tool returned or
raised. A returned value is sent as JSON, from which a value of the return annotation's type is made again, or as content blocks.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._results.content import Content, ToolOutput
from fcregistry.errors import DefinitionError
from fcregistry.types import EncodingError, to_json, to_json_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.tool import Tool
    from fcregistry.types import Codec


PROTOCOL: Final = 2
"""The protocol's number, to be raised with each change that makes one side misread the other."""

STOPPED: Final = "stopped"
"""The detail of a `timeout` if the tool has stopped; without it, the tool may still be running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call that a worker is to run.

    Attributes:
        tool: The canonical id, such as `acme-weather:get_weather`.
        schema: The digest of the schema that the arguments were validated against.
        arguments: A JSON object, as text.
        call: An id that no other call has: some pools run equal work only once.
        version: The version of the tool's distribution where the call is made.
        any_version: Whether a worker that has another version may run it.
        seconds: How long the tool may take; None for any time.
    """

    tool: str
    schema: str
    arguments: str
    call: str
    version: str | None
    any_version: bool = False
    seconds: float | None = None

    def to_text(self) -> str:
        """Return the text to send."""
        return json.dumps({"protocol": PROTOCOL, **asdict(self)})

    @classmethod
    def read(cls, text: str) -> Request:
        """Return the request of a text.

        Raises:
            ValueError: It was written by another version of fcregistry.
        """
        return cls(**_read_fields(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class WireReturn:
    """The tool returned a value.

    Attributes:
        value: As JSON text.
        form: What that text is.
        seconds: How long the tool took.
        version: The version of the tool's distribution there.
    """

    value: str
    form: Form
    seconds: float
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WireException:
    """The tool raised an exception.

    Attributes:
        type_name: The name of its class.
        message: Its message, without secrets.
        is_tool_error: Whether it is a `ToolError`, whose message is for the model.
        retryable: The `retryable` of a `ToolError`.
        retry_after: The `retry_after` of a `ToolError`.
        traceback: Its traceback as text, for logs.
        seconds: How long the tool took.
        version: The version of the tool's distribution there.
    """

    type_name: str
    message: str
    is_tool_error: bool
    retryable: bool
    retry_after: float | None
    traceback: str
    seconds: float
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WireRefusal:
    """The worker could not run the tool, or cannot show its result.

    Attributes:
        reason: A row of `REASONS` in `_messages.py`, or `invalid_arguments`, `unencodable` or `timeout`.
        detail: A name or a sentence with details.
        problems: What is wrong with the arguments there, as pairs of path and message.
        reserved: Whether detail and messages are those of an exception that is not meant for a model.
    """

    reason: str
    detail: str = ""
    problems: tuple[tuple[str, str], ...] = ()
    reserved: bool = False


Answer: TypeAlias = WireReturn | WireException | WireRefusal

_KINDS: Final[dict[str, type[WireReturn] | type[WireException] | type[WireRefusal]]] = {
    "returned": WireReturn,
    "raised": WireException,
    "refused": WireRefusal,
}


def answer_text(answer: Answer) -> str:
    """Return the text of an answer."""
    kind = next(kind for kind, record in _KINDS.items() if isinstance(answer, record))
    return json.dumps({"protocol": PROTOCOL, kind: asdict(answer)})


def read_answer(text: str) -> Answer:
    """Return the answer of a text.

    Raises:
        ValueError: It was written by another version of fcregistry.
    """
    ((kind, fields),) = _read_fields(text).items()
    return _KINDS[kind](**fields)


def _read_fields(text: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(text)
    protocol = fields.pop("protocol", None)
    if protocol != PROTOCOL:
        raise ValueError(
            f"executor and worker have different versions of fcregistry (protocols {PROTOCOL} and {protocol}): "
            "install the same one everywhere"
        )
    return fields


Form: TypeAlias = Literal["json", "typed", "content", "list", "output"]
"""What the text of a value is: its JSON, its JSON by the return annotation, or JSON with content blocks in one of three ways."""


def pack_value(value: Any, returns: Codec | None) -> tuple[str, Form]:
    """Return a value as text, and what that text is.

    Args:
        value: What a tool returned.
        returns: The codec of its return annotation, if there is one.

    Raises:
        EncodingError: It has no JSON form, and is not content.
        Exception: Whatever the value's own code raises while it is read.
    """
    try:
        if returns is not None and returns.handles(value):
            return to_json_text(value if returns.natural else returns.encode(value)), "typed"
        return to_json_text(value), "json"
    except EncodingError:
        if isinstance(value, Content):
            return json.dumps(value.to_block()), "content"
        if isinstance(value, ToolOutput):
            return json.dumps([to_json(value.value), [each.to_block() for each in value.content]]), "output"
        if isinstance(value, (list, tuple)) and any(isinstance(item, Content) for item in value):
            return json.dumps(list(map(_pack_item, value))), "list"
        raise


def _pack_item(item: Any) -> list[Any]:
    return ["content", item.to_block()] if isinstance(item, Content) else ["json", to_json(item)]


def unpack_value(text: str, form: Form, returns: Codec | None) -> Any:
    """Return the value of a text.

    It is plain JSON if no value of the return annotation's type can be made of it.

    Args:
        text: The text that `pack_value` returned.
        form: The form that `pack_value` returned.
        returns: The codec of the tool's return annotation on this side, if there is one.

    Raises:
        KeyError: There is no such form.
        ValueError: The text is not a value of the form.
    """
    decoded: Any = json.loads(text)
    match form:
        case "content":
            return Content.from_block(decoded)
        case "list":
            return [Content.from_block(item) if kind == "content" else item for kind, item in decoded]
        case "output":
            value, blocks = decoded
            return ToolOutput(value=value, content=list(map(Content.from_block, blocks)))
        case "json" | "typed":
            pass
        case _:
            raise KeyError(form)
    if form == "json" or returns is None or returns.plain:
        return decoded
    try:
        return returns.decode(decoded) if returns.accepts(decoded) else decoded
    except Exception:  # noqa: BLE001  # foreign code: a type may refuse what it wrote itself; its JSON is a result too
        return decoded


def check_portable(tools: Iterable[Tool], because: str) -> None:
    """Check that workers can run tools.

    Args:
        tools: The tools that are to run in other processes.
        because: The argument that asks for it, as it is written: `pool=…`.

    Raises:
        DefinitionError: Some cannot; names each, and what to do.
    """
    problems = tuple(f"{tool.name}: {problem}" for tool in tools if (problem := portability_problem(tool)))
    if problems:
        raise DefinitionError(
            f"{because} runs tools in other processes, which find them by name in installed plugins; these cannot:",
            problems,
        )


def portability_problem(tool: Tool) -> str | None:
    """Return why no worker can run a tool, with the fix, or None if one can."""
    if tool.origin.distribution is None:
        return (
            f"{tool.origin.module}.{tool.origin.qualname} is the application's own, and no worker has it; "
            "ship it in a distribution with an fcregistry entry point"
        )
    if tool._definition.asks_for_context:
        return "it asks for the context of its call, which stays in this process; drop that parameter"
    if tool.options.blocking == "caller":
        return 'it is declared with blocking="caller", so it runs on the caller\'s thread; drop one of the two'
    return None

"""The messages between an executor and a worker process: requests and answers, as JSON text.

A request contains a tool's canonical id and the arguments, never a function: the worker finds the tool by its id. An answer contains the value
that the tool returned or the exception that it raised. A value is sent as JSON or as content blocks; the executor decodes it to the type of the
return annotation.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._results.content import Content, ToolOutput
from fcregistry.errors import DefinitionError
from fcregistry.types import EncodingError, to_json, to_json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fcregistry._tools.tool import Tool
    from fcregistry.types import Codec


PROTOCOL: Final = 3
"""The version of these messages. Increase it with each change that an older executor or worker would misread."""

STOPPED: Final = "stopped"
"""The detail of a `timeout` if the tool has stopped; without it, the tool may still be running."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The executor's request to run a call.

    Attributes:
        tool: The canonical id, such as `acme-weather:get_weather`.
        schema: The digest of the schema that the arguments were validated against.
        arguments: A JSON object, as text.
        call: A unique id. Without it, some pools would run two equal calls only once.
        version: The version of the tool's distribution in the executor's process.
        any_version: Whether a worker with another version may run the call.
        seconds: How long the tool may take; None for any time.
        files: The files of the call, as `pack_files` returned them.
        file_parameters: The parameters that are paths of these files.
    """

    tool: str
    schema: str
    arguments: str
    call: str
    version: str | None
    any_version: bool = False
    seconds: float | None = None
    files: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    file_parameters: Sequence[str] = ()

    def to_text(self) -> str:
        """Return the request as text."""
        return json.dumps({"protocol": PROTOCOL, **asdict(self)})

    @classmethod
    def read(cls, text: str) -> Request:
        """Return the request that `to_text` wrote.

        Args:
            text: The text.

        Raises:
            ValueError: Another version of fcregistry wrote the text.
        """
        return cls(**_read_fields(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class WireReturn:
    """The tool returned a value.

    Attributes:
        value: The value, as JSON text.
        form: How the value is written in that text.
        seconds: How long the tool took.
        version: The version of the tool's distribution in the worker.
        files: The output files, in base64, by their paths.
    """

    value: str
    form: Form
    seconds: float
    version: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class WireException:
    """The tool raised an exception.

    Attributes:
        type_name: The name of the exception's class.
        message: The exception's message, without secrets.
        is_tool_error: Whether the exception is a `ToolError`, whose message is for the model.
        retryable: The `retryable` of a `ToolError`.
        retry_after: The `retry_after` of a `ToolError`.
        traceback: The traceback as text, for logs.
        seconds: How long the tool took.
        version: The version of the tool's distribution in the worker.
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
    """The worker did not run the tool, or cannot send its result.

    Attributes:
        reason: A row of `REASONS` in `_messages.py`, or `invalid_arguments`, `unencodable` or `timeout`.
        detail: A name or a sentence with details.
        problems: The problems that the worker found in the arguments, as pairs of path and message.
        reserved: Whether `detail` and `problems` come from an exception whose message a model must not read.
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
    """Return an answer as text."""
    kind = next(kind for kind, record in _KINDS.items() if isinstance(answer, record))
    return json.dumps({"protocol": PROTOCOL, kind: asdict(answer)})


def read_answer(text: str) -> Answer:
    """Return the answer that `answer_text` wrote.

    Args:
        text: The text.

    Raises:
        ValueError: Another version of fcregistry wrote the text.
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
"""How a value is written as text.

json: as JSON. typed: as JSON by the codec of the return annotation. content, list, output: with content blocks, for a `Content`, a list with
such, or a `ToolOutput`.
"""


def pack_value(value: Any, returns: Codec | None) -> tuple[str, Form]:
    """Return a value as text, and the form of the text.

    Args:
        value: The value that a tool returned.
        returns: The codec of the tool's return annotation, if there is one.

    Raises:
        EncodingError: The value has no JSON form, and is not content.
        Exception: The value's own code, such as a property, may raise any exception.
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
    """Return the value that `pack_value` wrote.

    If the return annotation's type does not accept the JSON value, return the JSON value itself.

    Args:
        text: The text that `pack_value` returned.
        form: The form that `pack_value` returned.
        returns: The codec of the tool's return annotation on this side, if there is one.

    Raises:
        KeyError: `form` is not a `Form`.
        ValueError: The text does not have this form.
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
    """Check that workers can run some tools.

    Args:
        tools: The tools that are to run in other processes.
        because: The argument that requires it, as the caller writes it, such as `pool=…`.

    Raises:
        DefinitionError: Workers cannot run some of the tools. The message says for each tool why, and what to do.
    """
    problems = tuple(f"{tool.name}: {problem}" for tool in tools if (problem := portability_problem(tool)))
    if problems:
        raise DefinitionError(
            f"{because} runs tools in other processes, which find them by name in installed plugins; these cannot:",
            problems,
        )


def portability_problem(tool: Tool) -> str | None:
    """Return why workers cannot run a tool and what to do about it, or None if they can."""
    if tool.origin.distribution is None:
        return (
            f"{tool.origin.module}.{tool.origin.qualname} belongs to the application, so a worker cannot find it; "
            "ship it in a distribution with an fcregistry entry point"
        )
    if tool._definition.asks_for_context:
        return "it has a Context parameter, but a context cannot be sent to another process; remove that parameter"
    if tool.options.blocking == "caller":
        return 'it is declared with blocking="caller", which runs it on the caller\'s thread; remove one of the two'
    return None

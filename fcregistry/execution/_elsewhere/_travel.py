"""What travels between an executor and a worker? JSON text, both ways: a tool's name and arguments there, what came of it back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from fcregistry.execution._elsewhere._carried import Form

PROTOCOL: Final = 2
"""Raised when one side would misread what the other writes."""

STOPPED: Final = "stopped"
"""The detail of a `timeout` whose tool has come to an end; without it, the tool may still be running."""


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
        seconds: How long the tool may take; None for ever.
    """

    tool: str
    schema: str
    arguments: str
    call: str
    version: str | None
    any_version: bool = False
    seconds: float | None = None

    def to_text(self) -> str:
        """Return it as it travels."""
        return json.dumps({"protocol": PROTOCOL, **asdict(self)})

    @classmethod
    def read(cls, text: str) -> Request:
        """Return what was sent.

        Raises:
            ValueError: It was written by another version of fcregistry.
        """
        return cls(**_checked(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The tool returned a value.

    Attributes:
        value: As JSON text.
        form: What that text is; `_carried.py` has the forms.
        seconds: How long the tool took.
        version: The version of the tool's distribution there.
    """

    value: str
    form: Form
    seconds: float
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """The tool raised an exception.

    Attributes:
        type_name: The name of its class.
        message: What it says, without secrets.
        is_tool_error: Whether it is a `ToolError`, whose message is meant for the model.
        retryable: As a `ToolError` has it.
        retry_after: Likewise.
        traceback: Where, as text, for logs.
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
class Refused:
    """The worker could not run the tool, or cannot show its result.

    Attributes:
        reason: A row of `REASONS` in `_remote_errors.py`, or `invalid_arguments`, `unencodable` or `timeout`.
        detail: What more is known: a name, or a sentence.
        problems: What is wrong with the arguments there, each with path and message.
        reserved: Whether detail and messages are the words of an exception that nobody wrote for a model.
    """

    reason: str
    detail: str = ""
    problems: tuple[tuple[str, str], ...] = ()
    reserved: bool = False


Answer: TypeAlias = Returned | Raised | Refused

_KINDS: Final[dict[str, type[Returned] | type[Raised] | type[Refused]]] = {
    "returned": Returned,
    "raised": Raised,
    "refused": Refused,
}


def answer_text(answer: Answer) -> str:
    """Return an answer as it travels."""
    return json.dumps({"protocol": PROTOCOL, type(answer).__name__.lower(): asdict(answer)})


def read_answer(text: str) -> Answer:
    """Return what a worker sent.

    Raises:
        ValueError: It was written by another version of fcregistry.
    """
    ((kind, fields),) = _checked(text).items()
    return _KINDS[kind](**fields)


def _checked(text: str) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(text)
    spoken = fields.pop("protocol", None)
    if spoken != PROTOCOL:
        raise ValueError(
            f"executor and worker have different versions of fcregistry (protocols {PROTOCOL} and {spoken}): "
            "install the same one everywhere"
        )
    return fields

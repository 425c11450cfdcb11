"""`ToolResult`, the outcome of a tool call."""

from __future__ import annotations

from dataclasses import dataclass

from fcregistry._base.call import picklable
from fcregistry._results.content import Content, Output, ToolOutput, parts_for_model, text_of
from fcregistry.errors import DroppedResultError, ToolCallError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._tools.details import Provenance
    from fcregistry._tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Notes:
    """Unusual circumstances of a result.

    Attributes:
        attempts: How often the tool was called.
        cached: Whether it was not called, since the cache had the result of an equal call.
        approval: How the call was approved or denied.
    """

    attempts: int = 1
    cached: bool = False
    approval: Approval | None = None


class ToolResult:
    """The outcome of a tool call. Immutable.

    It is made once the value is encoded, so that it cannot change afterwards.

    Args:
        call: The call that the model asked for; None if it could not be read as a call.
        value: The value that the tool returned, for the program.
        error: Why the call failed, or None.
        content: The text for the model.
        tool: The tool that ran, or would have run.
        arguments: The decoded arguments that the tool was called with.
        duration: Seconds that the tool itself took.
        repairs: What was repaired in the call before it was validated.
        output: The pieces of content, and the whole text if it was cut; None if `content` is everything.
        notes: Unusual circumstances, such as an approval; None if there are none.
    """

    __slots__ = (
        "_arguments",
        "_call",
        "_content",
        "_duration",
        "_error",
        "_notes",
        "_output",
        "_repairs",
        "_tool",
        "_value",
    )

    def __init__(
        self,
        call: ToolCall | None,
        value: object = None,
        error: CallError | None = None,
        content: str = "",
        tool: Tool | None = None,
        arguments: Mapping[str, Any] | None = None,
        duration: float = 0.0,
        repairs: tuple[str, ...] = (),
        output: Output | None = None,
        notes: Notes | None = None,
    ) -> None:
        self._call = call
        self._value = value
        self._error = error
        self._content = content
        self._tool = tool
        self._arguments = arguments
        self._duration = duration
        self._repairs = repairs
        self._output = output
        self._notes = notes

    @property
    def ok(self) -> bool:
        """Whether the tool ran and its value could be encoded."""
        return self._error is None

    @property
    def call(self) -> ToolCall | None:
        """The call that the model asked for; None if it could not be read as a call."""
        return self._call

    @property
    def value(self) -> Any:
        """The Python object that the tool returned, or the value of its `ToolOutput`."""
        return self._value

    @property
    def error(self) -> CallError | None:
        """Why the call failed, or None."""
        return self._error

    @property
    def content(self) -> str:
        """The text for the model: a str as it is, everything else as JSON.

        Of `Content`, it has the texts, and words that name the rest.
        """
        return self._content

    @property
    def parts(self) -> tuple[Content, ...]:
        """The pieces of content that the tool returned; for a value or a failure, one text, which is `content`.

        Those that are `for_user` alone are in neither `content` nor `blocks`: the program shows them.
        """
        return returned_content(self) or (Content.text(self._content),)

    @property
    def blocks(self) -> tuple[dict[str, Any], ...]:
        """The content for the model as content blocks of the Model Context Protocol.

        There is one for each of `parts`, without those that are `for_user` alone.
        """
        return tuple(part.to_block() for part in parts_for_model(self.parts))

    @property
    def whole(self) -> str | tuple[Content, ...] | None:
        """The text, or the parts, before a size limit cut them; None if none did."""
        return None if self._output is None else self._output.whole

    @property
    def dropped(self) -> bool:
        """Whether `value` and `whole` were dropped, since a run had no more room for them.

        Then both raise `DroppedResultError`.
        """
        return False

    @property
    def tool(self) -> Tool | None:
        """The tool that ran, or would have run; None for an unknown one."""
        return self._tool

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The decoded arguments by parameter name; None if the call failed before they were decoded."""
        return self._arguments

    @property
    def duration(self) -> float:
        """Seconds that the tool itself took."""
        return self._duration

    @property
    def repairs(self) -> tuple[str, ...]:
        """What was repaired in the call before it was validated, a sentence each."""
        return self._repairs

    @property
    def attempts(self) -> int:
        """How often the tool was called for this result."""
        return 1 if self._notes is None else self._notes.attempts

    @property
    def cached(self) -> bool:
        """Whether the result is from the cache, which had the result of an equal call."""
        return self._notes is not None and self._notes.cached

    @property
    def approval(self) -> Approval | None:
        """How the call was approved or denied, for the developer; None if no approval was needed."""
        return None if self._notes is None else self._notes.approval

    @property
    def provenance(self) -> Provenance | None:
        """The tool's id, distribution, version and schema digest; None for an unknown tool."""
        return None if self._tool is None else self._tool.provenance

    def with_content(self, content: str | Content | Iterable[str | Content]) -> ToolResult:
        """Return this result with other content for the model; the value for the program stays.

        Args:
            content: A text, a `Content`, or several of them.

        Raises:
            TypeError: The content is something else.
        """
        result = self._copied()
        if type(content) is str:
            result._content, result._output = content, None
        else:
            parts = ToolOutput(content=content).content
            result._content = text_of(parts)
            result._output = Output(self._value, result._content, parts)
        return result

    def with_approval(self, approval: Approval) -> ToolResult:
        """Return this result with the approval or denial of its call.

        Args:
            approval: How the call was approved or denied.
        """
        result = self._copied()
        result._notes = Notes(self.attempts, self.cached, approval)
        return result

    def without_whole(self) -> ToolResult:
        """Return this result with the content for the model, without its value and its whole content."""
        result = self._copied(TrimmedResult)
        result._value, result._output = None, Output(None, self._content, returned_content(self))
        return result

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        state = (self._call, self._value, self._error, self._content, picklable(self._tool), self._arguments)
        return type(self), (*state, self._duration, self._repairs, self._output, self._notes)

    def _copied(self, kind: type[ToolResult] | None = None) -> ToolResult:
        """Return a shallow copy of this result, of the class `kind` or its own, whose attributes can be set."""
        copy = object.__new__(kind or type(self))
        for name in ToolResult.__slots__:
            setattr(copy, name, getattr(self, name))
        return copy

    def unwrap(self) -> Any:
        """Return the value.

        Raises:
            ToolCallError: The call failed; the tool's own exception, if there is one, is its cause.
        """
        if self._error is not None:
            raise ToolCallError(self._error) from self._error.exception
        return self._value

    def to_json(self) -> dict[str, Any]:
        """Return the result as a JSON object: what `fcregistry call --batch` writes."""
        more = {
            "blocks": [part.to_block() for part in returned_content(self)],
            "error": None if self._error is None else self._error.to_json(),
            "repairs": list(self._repairs),
            "cached": self.cached,
            "attempts": self.attempts if self.attempts > 1 else None,
        }
        call = self._call
        named = {"id": None, "name": None} if call is None else {"id": call.id, "name": call.name or None}
        return {
            "ok": self.ok,
            **named,
            "content": self._content,
            **{name: value for name, value in more.items() if value},
        }

    def __repr__(self) -> str:
        name = "?" if self._call is None else self._call.name
        if self._error is not None:
            return f"<ToolResult {name}: {self._error.code}: {self._error.message}>"
        return f"<ToolResult {name}: ok, {self._value!r}>"


def returned_content(result: ToolResult) -> tuple[Content, ...]:
    """Return the pieces of content that the tool returned, for other rooms; none if it returned a value, or failed."""
    return () if result._output is None else result._output.parts


class TrimmedResult(ToolResult):
    """A result of which only what the model read is left."""

    __slots__ = ()

    @property
    def value(self) -> Any:
        """Not there any more: see `dropped`."""
        raise self._dropped("value")

    @property
    def whole(self) -> str | tuple[Content, ...] | None:
        """Not there any more: see `dropped`."""
        raise self._dropped("whole")

    @property
    def dropped(self) -> bool:
        """Whether `value` and `whole` were dropped: true."""
        return True

    def unwrap(self) -> Any:
        """Raise `DroppedResultError`, as `value` does."""
        return self.value

    def _dropped(self, what: str) -> DroppedResultError:
        """Return the error of a program that reads the attribute `what`."""
        name = "" if self.call is None else f" of {self.call.name}"
        return DroppedResultError(
            f"the run has dropped the {what} of this result{name}, of which the model read only a part: take it from the event Returned, "
            "or give the executor a higher max_kept_bytes"
        )

    def __repr__(self) -> str:
        return f"<ToolResult {'?' if self.call is None else self.call.name}: ok, its value was dropped>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """The approval or denial of a call: for the developer, never shown to a model.

    Attributes:
        approved: Whether the call was approved.
        rule: The rule that required an approval.
        edited: Whether the approver changed the arguments.
        by: The name of the approver, if it is known.
    """

    approved: bool
    rule: str
    edited: bool = False
    by: str | None = None

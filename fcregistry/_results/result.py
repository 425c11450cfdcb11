"""`ToolResult`, the outcome of a tool call."""

from __future__ import annotations

from dataclasses import dataclass

from fcregistry._base.call import picklable
from fcregistry._results.content import Output, ToolOutput, text_of
from fcregistry.errors import ToolCallError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from fcregistry._base.call import CallError, ToolCall
    from fcregistry._results.content import Content
    from fcregistry._tools.details import Provenance
    from fcregistry._tools.tool import Tool


class Notes:
    """Unusual circumstances of a result. Immutable.

    Args:
        attempts: How often the tool was called.
        cached: Whether it was not called, since an equal call was before.
        approval: How the call was approved or denied.
    """

    __slots__ = ("approval", "attempts", "cached")

    def __init__(self, attempts: int = 1, cached: bool = False, approval: Approval | None = None) -> None:
        self.attempts = attempts
        self.cached = cached
        self.approval = approval


class ToolResult:
    """The outcome of a tool call. Immutable; made once the value is encoded, so it cannot change afterwards.

    Args:
        call: The call that was asked for; None where there was nothing that could be read as one.
        value: What the tool returned, for the program.
        error: Why the call failed, or None.
        content: The text for the model.
        tool: The tool that ran, or would have.
        arguments: The decoded arguments that the tool was called with.
        duration: Seconds that the tool itself took.
        repairs: What was repaired in the call before it was validated.
        output: What more there is of what the tool returned: pieces of content, the whole of what was cut; None where `content` is all.
        notes: What is to be said of how it came about; None where nothing is.
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
        """The call that was asked for; None where nothing could be read as one."""
        return self._call

    @property
    def value(self) -> Any:
        """What the tool returned, as the Python object it returned; the value of a `ToolOutput`."""
        return self._value

    @property
    def error(self) -> CallError | None:
        """Why the call failed, or None."""
        return self._error

    @property
    def content(self) -> str:
        """The text for the model: a str as it is, everything else as JSON; of `Content`, its texts, and words that name the rest."""
        return self._content

    @property
    def parts(self) -> tuple[Content, ...]:
        """The pieces of content that the tool gave; none where it gave a value, whose text is `content`."""
        return () if self._output is None else self._output.parts

    @property
    def blocks(self) -> tuple[dict[str, Any], ...]:
        """The content as content blocks of the Model Context Protocol: `{"type": "text", "text": …}`, and one for each of `parts`."""
        if self._output is None or not self._output.parts:
            return ({"type": "text", "text": self._content},)
        return tuple(part.to_block() for part in self._output.parts)

    @property
    def whole(self) -> str | tuple[Content, ...] | None:
        """The text, or the parts, as they were before a size limit took from them; None where none did."""
        return None if self._output is None else self._output.whole

    @property
    def tool(self) -> Tool | None:
        """The tool that ran, or would have; None for an unknown one."""
        return self._tool

    @property
    def arguments(self) -> Mapping[str, Any] | None:
        """The decoded arguments by parameter name; None where it never came to that."""
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
        """How often the tool was called for it."""
        return 1 if self._notes is None else self._notes.attempts

    @property
    def cached(self) -> bool:
        """Whether it is that of an equal call before, which was kept."""
        return self._notes is not None and self._notes.cached

    @property
    def approval(self) -> Approval | None:
        """How the call was approved or denied, for the developer; None where nobody was asked."""
        return None if self._notes is None else self._notes.approval

    @property
    def provenance(self) -> Provenance | None:
        """Which tool it was, of which distribution, version and schema; None for an unknown one."""
        return None if self._tool is None else self._tool.provenance

    def with_content(self, content: str | Content | Iterable[str | Content]) -> ToolResult:
        """Return this result with something else for the model, and nothing beside it; the value for the program stays.

        Args:
            content: A text, a `Content`, or several of them.

        Raises:
            TypeError: It is something else.
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
        """Return this result with how its call was approved or denied."""
        result = self._copied()
        result._notes = Notes(self.attempts, self.cached, approval)
        return result

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        state = (self._call, self._value, self._error, self._content, picklable(self._tool), self._arguments)
        return type(self), (*state, self._duration, self._repairs, self._output, self._notes)

    def _copied(self) -> ToolResult:
        copy = object.__new__(ToolResult)
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
        """This result as a JSON object: what `fcregistry call --batch` writes."""
        shown: dict[str, Any] = {"ok": self.ok}
        shown |= (
            {"id": None, "name": None} if self._call is None else {"id": self._call.id, "name": self._call.name or None}
        )
        shown["content"] = self._content
        if self.parts:
            shown["blocks"] = list(self.blocks)
        if self._error is not None:
            shown["error"] = self._error.to_json()
        if self._repairs:
            shown["repairs"] = list(self._repairs)
        if self.cached:
            shown["cached"] = True
        if self.attempts > 1:
            shown["attempts"] = self.attempts
        return shown

    def __repr__(self) -> str:
        name = "?" if self._call is None else self._call.name
        if self._error is not None:
            return f"<ToolResult {name}: {self._error.code}: {self._error.message}>"
        return f"<ToolResult {name}: ok, {self._value!r}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """How a call came to run, or not to, once it was asked about: for the developer, never shown to a model.

    Attributes:
        approved: Whether the answer was yes.
        rule: Why it was asked about.
        edited: Whether the arguments were changed by whoever approved.
        by: Who answered, if that was said.
    """

    approved: bool
    rule: str
    edited: bool = False
    by: str | None = None

"""What is a tool call, and what may be wrong with its arguments?"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class ToolCall:
    """What a model asks for: a tool's name, its arguments and the call's id. Immutable.

    Args:
        name: The wire name of the tool.
        arguments: A JSON object as a dict, or its text as the model wrote it; None stands for no arguments.
        id: The id that the provider gave the call, if it gave one.
    """

    __slots__ = ("_arguments", "_id", "_name")

    def __init__(self, name: str, arguments: Mapping[str, Any] | str | None = None, id: str | None = None) -> None:
        self._name = name
        self._arguments = arguments
        self._id = id

    @property
    def name(self) -> str:
        """The wire name of the tool."""
        return self._name

    @property
    def arguments(self) -> Mapping[str, Any] | str | None:
        """The arguments as they came: a mapping, JSON text, or None."""
        return self._arguments

    @property
    def id(self) -> str | None:
        """The provider's id of the call."""
        return self._id

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolCall):
            return NotImplemented
        return (self._name, self._arguments, self._id) == (other._name, other._arguments, other._id)

    __hash__ = None  # type: ignore[assignment]  # arguments are a dict

    def __repr__(self) -> str:
        identity = "" if self._id is None else f", id={self._id!r}"
        return f"ToolCall({self._name!r}, {self._arguments!r}{identity})"


class UnreadArguments(str):
    """JSON text that is not an object, in place of arguments that could not be read: a call that is kept must not run without them.

    Args:
        text: The text.
        reason: Why they could not be read, worded for a model.
    """

    __slots__ = ("reason",)

    reason: str

    def __new__(cls, text: str, reason: str) -> UnreadArguments:
        made = super().__new__(cls, text)
        made.reason = reason
        return made

    def __reduce__(self) -> tuple[type[UnreadArguments], tuple[str, str]]:
        return UnreadArguments, (str(self), self.reason)


class Problem:
    """One thing that is wrong with the arguments of a call. Immutable.

    Args:
        path: Where, as a JSON path: `$.items[2].qty`.
        message: What is wrong, worded for a model.
    """

    __slots__ = ("_message", "_path")

    def __init__(self, path: str, message: str) -> None:
        self._path = path
        self._message = message

    @property
    def path(self) -> str:
        """Where: a JSON path such as `$.items[2].qty`."""
        return self._path

    @property
    def message(self) -> str:
        """What is wrong, worded for a model."""
        return self._message

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return (self._path, self._message) == (other._path, other._message)

    def __hash__(self) -> int:
        return hash((self._path, self._message))

    def __str__(self) -> str:
        return f"{self._path}: {self._message}"

    def __repr__(self) -> str:
        return f"Problem(path={self._path!r}, message={self._message!r})"

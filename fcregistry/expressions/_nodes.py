"""What an expression becomes: a graph of calls, or problems, and the placeholders used while it is read."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from fcregistry.errors import FcregistryError

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.types import Codec

# --- Problems ---

ProblemCode: TypeAlias = Literal["malformed_call", "unknown_tool", "invalid_arguments"]
_CODES: Final[tuple[ProblemCode, ...]] = get_args(ProblemCode)  # the worst first

MOST_PROBLEMS: Final = 20
"""The number of problems reported for one text: a model that wrote more of them starts over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionProblem:
    """One thing that is wrong with an expression.

    Attributes:
        code: `malformed_call`, `unknown_tool` or `invalid_arguments`: the error code of the call's result.
        message: What is wrong, worded for a model.
        line: The line, from 1.
        column: The character of the line, from 1.
        path: The argument that it concerns, as a JSON path; `$` if it concerns none.
    """

    code: ProblemCode
    message: str
    line: int
    column: int
    path: str = "$"

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class ExpressionError(FcregistryError, ValueError):
    """An expression that is not a call of the given tools. Nothing was run.

    Attributes:
        problems: Everything that is wrong, in the order of the text; at least one.
    """

    __module__ = "fcregistry.expressions"  # tracebacks show the public name

    def __init__(self, problems: Iterable[ExpressionProblem]) -> None:
        """Join the problems, a line each."""
        self.problems: tuple[ExpressionProblem, ...] = tuple(
            sorted(problems, key=lambda each: (each.line, each.column))
        )[:MOST_PROBLEMS]
        lines = [f"- {problem}" for problem in self.problems]
        super().__init__("\n".join(["the expression is not a valid call; nothing was run:", *lines]))

    @property
    def code(self) -> ProblemCode:
        """The worst code: not a call at all, then an unknown tool, then wrong arguments."""
        codes = {problem.code for problem in self.problems}
        return next(code for code in _CODES if code in codes)


def malformed(message: str, line: int = 1, column: int = 1) -> ExpressionError:
    """Return an error with one problem: the text is not a call."""
    return ExpressionError([ExpressionProblem(code="malformed_call", message=message, line=line, column=column)])


class ValueProblem(ValueError):
    """A written value that cannot be used in its place; the message tells the model why.

    Attributes:
        path: The place, from the argument inwards.
        node: The node in the text, if it is nearer than the argument's.
    """

    def __init__(self, message: str, path: tuple[str | int, ...] = (), node: ast.expr | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.node = node


# --- Calls that need each other's results ---

RESULT_KEY: Final = "$result"
"""The only key of the object that marks the place of a result in arguments: `{"$result": "call-1"}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A place in the arguments of a call that the result of another call fills.

    Attributes:
        path: The place: names and positions, from the arguments inwards.
        call: The id of the other call.
        codec: The codec that encodes the result, of the type that is expected there.
    """

    path: tuple[str | int, ...]
    call: str
    codec: Codec = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallGraph:
    """Calls of which some need the results of others. An approver sees all of it before any call runs.

    Attributes:
        calls: The calls, each after those whose results it needs, with ids of their own; the last one is the outermost. The place of a result in
            the arguments holds `{"$result": "the id of its call"}`.
        references: The id of a call -> the places of results in its arguments.
    """

    calls: tuple[ToolCall, ...]
    references: Mapping[str, tuple[Reference, ...]]

    @property
    def call(self) -> ToolCall:
        """The outermost call, whose result is the result of the expression."""
        return self.calls[-1]

    @property
    def name(self) -> str:
        """The name of the outermost call's tool."""
        return self.call.name


def fill_results(arguments: Any, values: Mapping[tuple[str | int, ...], Any], path: tuple[str | int, ...] = ()) -> Any:
    """Return `arguments` with `values` in their places, without changing `arguments`.

    Args:
        arguments: A JSON value.
        values: JSON values by their place.
        path: The place of `arguments` themselves.
    """
    if path in values:
        return values[path]
    if isinstance(arguments, dict):
        return {name: fill_results(value, values, (*path, name)) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [fill_results(value, values, (*path, place)) for place, value in enumerate(arguments)]
    return arguments


# --- Placeholders for values that are not known yet ---


@dataclass(frozen=True, slots=True, eq=False)
class TypeCall:
    """A call of a type, such as `Point(x=1, y=2)`. No instance is made of it here, only its JSON.

    Attributes:
        name: The name of the type, as it was written.
        args: The arguments by position.
        kwargs: The arguments by keyword.
        node: The node of the call.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class CallResult:
    """The result of a call that has not run yet.

    Attributes:
        call: The id of the call.
        name: The name of its tool.
    """

    call: str
    name: str


class SetItems(list[Any]):
    """The items of a set of which some are placeholders, so that Python cannot make the set yet."""


class RefusedValue:
    """The place of a value that was refused, with a problem noted.

    What contains it gets no problem of its own.
    """


REFUSED: Final = RefusedValue()


def is_known(value: object) -> bool:
    """Return whether a value is complete: it contains no placeholder."""
    kind = type(value)
    if kind is list or kind is tuple:
        return all(map(is_known, value))  # type: ignore[call-overload]  # mypy does not narrow by `type()`
    if kind is dict:
        return all(map(is_known, value)) and all(map(is_known, value.values()))  # type: ignore[call-overload,attr-defined]
    return kind not in _PLACEHOLDERS


_PLACEHOLDERS: Final = frozenset({TypeCall, CallResult, RefusedValue, SetItems})

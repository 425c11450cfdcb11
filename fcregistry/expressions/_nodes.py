"""Which values are only known once it is known where they stand, or once a call has run?

MERGED: What are calls that need each other's results? A graph: whoever approves of it sees it whole, before any of it runs.
MERGED: What is wrong with an expression that a model wrote, and where?
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry.errors import FcregistryError

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry.types import Codec

# --- expressions._placeholders ---


@dataclass(frozen=True, slots=True, eq=False)
class TypeCall:
    """An instance that is to be made by its type: nothing is made of it here, only the JSON that stands for it.

    Attributes:
        name: The name of the type, as it was written.
        args: The arguments by position.
        kwargs: Those by keyword.
        node: Where it stands.
    """

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class EnumMember:
    """A member of an Enum: `Color.RED`.

    Attributes:
        type: The name of the Enum, as it was written.
        name: The member's name.
        node: Where it stands.
    """

    type: str
    name: str
    node: ast.expr


@dataclass(frozen=True, slots=True, eq=False)
class CallResult:
    """The result of a call that has not run yet.

    Attributes:
        call: Its id.
        name: Its tool.
    """

    call: str
    name: str


class SetItems(list[Any]):
    """The items of a set of which some are placeholders, so that Python cannot make the set yet."""


class RefusedValue:
    """What is wrong, and was told; nothing more is said of what it is part of."""


REFUSED: Final = RefusedValue()


def is_known(value: object) -> bool:
    """Tell whether a value is there already: whether there is no placeholder in it."""
    kind = type(value)
    if kind is list or kind is tuple:
        return all(map(is_known, value))  # type: ignore[call-overload]  # mypy does not narrow by `type()`
    if kind is dict:
        return all(map(is_known, value)) and all(map(is_known, value.values()))  # type: ignore[call-overload,attr-defined]
    return kind not in _PLACEHOLDERS


_PLACEHOLDERS: Final = frozenset({TypeCall, EnumMember, CallResult, RefusedValue, SetItems})

# --- expressions._graph ---

RESULT_KEY: Final = "$result"
"""The one name of the object that stands in arguments for a result: `{"$result": "call-1"}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A place in the arguments of a call where the result of another is to stand.

    Attributes:
        path: The place: names and positions, from the arguments inwards.
        call: The id of the other call.
        codec: The codec that writes the result, of the type that is expected there.
    """

    path: tuple[str | int, ...]
    call: str
    codec: Codec = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallGraph:
    """Calls of which some need the results of others.

    Attributes:
        calls: The calls, each behind those whose results it needs, with ids of their own; the last one is the outermost. Where a result is to
            stand in the arguments, there is `{"$result": "the id of its call"}`.
        references: Where that is, by the id of the call whose arguments they are.
    """

    calls: tuple[ToolCall, ...]
    references: Mapping[str, tuple[Reference, ...]]

    @property
    def call(self) -> ToolCall:
        """The outermost call, whose result is that of the whole."""
        return self.calls[-1]

    @property
    def name(self) -> str:
        """The name of the outermost call's tool."""
        return self.call.name


def result_mark(call: str) -> dict[str, str]:
    """Return what stands in arguments for the result of a call."""
    return {RESULT_KEY: call}


def fill_results(arguments: Any, values: Mapping[tuple[str | int, ...], Any], path: tuple[str | int, ...] = ()) -> Any:
    """Return arguments with values in their places; the arguments stay as they are.

    Args:
        arguments: A JSON value.
        values: JSON values by their place.
        path: Where `arguments` stand themselves.
    """
    if path in values:
        return values[path]
    if isinstance(arguments, dict):
        return {name: fill_results(value, values, (*path, name)) for name, value in arguments.items()}
    if isinstance(arguments, list):
        return [fill_results(value, values, (*path, place)) for place, value in enumerate(arguments)]
    return arguments


# --- expressions._problems ---

ProblemCode: TypeAlias = Literal["malformed_call", "unknown_tool", "invalid_arguments"]

MOST_PROBLEMS = 20
"""So many are told of one text: who wrote more of them begins anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionProblem:
    """One thing that is wrong with an expression.

    Attributes:
        code: `malformed_call`, `unknown_tool` or `invalid_arguments`: what a result of the call says.
        message: What is wrong, worded for a model.
        line: The line where it stands, from 1.
        column: The character of the line where it stands, from 1.
        path: The argument that it is about, as a JSON path; `$` where it is about none.
    """

    code: ProblemCode
    message: str
    line: int
    column: int
    path: str = "$"

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class ExpressionError(FcregistryError, ValueError):
    """An expression that is no call of the tools that there are. Nothing was run.

    Attributes:
        problems: Everything that is wrong, in the order of the text; at least one.
    """

    def __init__(self, problems: Iterable[ExpressionProblem]) -> None:
        """Join the problems, a line each."""
        self.problems = tuple(sorted(problems, key=lambda each: (each.line, each.column)))[:MOST_PROBLEMS]
        lines = [f"- {problem}" for problem in self.problems]
        super().__init__("\n".join(["the expression is no call that can be made; nothing was run:", *lines]))

    @property
    def code(self) -> ProblemCode:
        """What is worst: that it is no call at all, then that there is no such tool, then that its arguments are wrong."""
        codes = {problem.code for problem in self.problems}
        if "malformed_call" in codes:
            return "malformed_call"
        return "unknown_tool" if "unknown_tool" in codes else "invalid_arguments"

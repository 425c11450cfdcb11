"""What is wrong with an expression that a model wrote, and where?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fcregistry.errors import FcregistryError

Code: TypeAlias = Literal["malformed_call", "unknown_tool", "invalid_arguments"]

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

    code: Code
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
    def code(self) -> Code:
        """What is worst: that it is no call at all, then that there is no such tool, then that its arguments are wrong."""
        codes = {problem.code for problem in self.problems}
        if "malformed_call" in codes:
            return "malformed_call"
        return "unknown_tool" if "unknown_tool" in codes else "invalid_arguments"

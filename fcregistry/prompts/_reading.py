"""What was read of a model's answer? A value, or what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from fcregistry._base.call import Problem

T = TypeVar("T")


class OutputError(ValueError):
    """An answer that is not what was asked for; the message is worded for the model, so that it can be sent back.

    Attributes:
        problems: Everything that is wrong with the answer, sorted by path.
    """

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        lines = [f"- {problem}" for problem in problems]
        super().__init__(
            "\n".join(["Your answer is not of the form that was asked for:", *lines, "Write all of it again."])
        )
        self.problems = problems


def written(answer: object) -> str:
    """Return what a model wrote, if it is text: a message that only calls has None for its content.

    Raises:
        TypeError: It is not.
    """
    if not isinstance(answer, str):
        raise TypeError(f"an answer is the text that a model wrote, not {answer!r:.80}")
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[T]):
    """What was read of a model's answer.

    Attributes:
        value: The value; None where there is none.
        problems: What is wrong with the answer, sorted by path; nothing where there is a value.
        repairs: What was put right to read it: a sentence each, sorted.
    """

    value: T | None = None
    problems: tuple[Problem, ...] = ()
    repairs: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a value."""
        return not self.problems

    @property
    def error(self) -> OutputError | None:
        """What to send back to the model, as the text of an exception; None where there is a value."""
        return OutputError(self.problems) if self.problems else None

    def unwrap(self) -> T:
        """Return the value.

        Raises:
            OutputError: There is none.
        """
        if self.problems:
            raise OutputError(self.problems)
        return self.value  # type: ignore[return-value]  # None is a value too, where the type has it

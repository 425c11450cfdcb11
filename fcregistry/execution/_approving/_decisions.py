"""How is it answered whether a call may run? Yes, yes with other arguments, or no and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Approve:
    """The call may run.

    Args:
        arguments: A JSON object in place of what the model wrote; it is validated like the model's own. None: as they are.

    Raises:
        TypeError: The arguments are no mapping.
    """

    arguments: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.arguments is not None and not isinstance(self.arguments, Mapping):
            raise TypeError(f"Approve takes all arguments of the call as a dict, or nothing, not {self.arguments!r}")


@dataclass(frozen=True, slots=True)
class Deny:
    """The call may not run.

    Args:
        reason: Why, for the model: it reads this.

    Raises:
        TypeError: The reason is no string.
    """

    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.reason, str):
            raise TypeError(f"Deny takes the reason as a string, not {self.reason!r}")


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

"""What does one file, or the environment, say?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from fcregistry._config._rules import Rules

Mode: TypeAlias = Literal["open", "allow", "locked"]

MODES: Final[tuple[Mode, ...]] = ("open", "allow", "locked")
"""The loosest first."""


class Layer(NamedTuple):
    """What one file says, or the variables do together. Higher layers stand before lower ones.

    Attributes:
        path: The file; empty for the environment.
        mode: How far installed plugins are trusted; None where it does not say.
        mode_said: Where that is said, for messages.
        allow: What may be used; None where anything may.
        deny: What may not.
        disable: What is not wanted.
        ask: Whose calls have to be approved.
        precedence: Distributions, normalised, the first of which wins a name that several ship.
        call_hooks: Extensions whose hooks every call has to pass, each with where that is said.
        lock: The lock that it means by `locked`; None where that is the project's.
        model: The model that `fcregistry ask` asks; None where it does not say.
    """

    path: str = ""
    mode: Mode | None = None
    mode_said: str = ""
    allow: Rules | None = None
    deny: Rules | None = None
    disable: Rules | None = None
    ask: Rules | None = None
    precedence: tuple[str, ...] = ()
    call_hooks: tuple[tuple[str, str], ...] = ()
    lock: str | None = None
    model: str | None = None

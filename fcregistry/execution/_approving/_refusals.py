"""What does a model read when its call may not run? Golden tests hold every text here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._base.call import CallError
from fcregistry.execution._wording import scrub

if TYPE_CHECKING:
    from fcregistry._base.call import Problem


def not_allowed(name: str) -> CallError:
    """Word a tool that the policy denies."""
    return CallError("denied", f"{name} is not allowed here; it was not run")


def denied_because(name: str, reason: str) -> CallError:
    """Word a call that was denied, in the words of whoever denied it."""
    said = scrub(reason)
    return CallError("denied", f"the call of {name} was denied; it was not run" + (f": {said}" if said else ""))


def unanswered(name: str, seconds: float) -> CallError:
    """Word a call that nobody approved in time."""
    return CallError(
        "denied", f"{name} was not run: it requires approval, and nobody gave it within {seconds:g} seconds"
    )


def undecided(name: str) -> CallError:
    """Word a call that waits for approval, and is not decided about."""
    return CallError("approval_required", f"{name} requires approval, which was not given; it was not run")


def edited_badly(name: str, problems: tuple[Problem, ...], message: str) -> CallError:
    """Word arguments that an approver put in place of the model's, and that are not valid."""
    if not problems:
        return CallError("invalid_arguments", f"{name} was approved with other arguments; it was not run: {message}")
    text = f"{name} was approved with other arguments, which are not valid; it was not run:"
    return CallError("invalid_arguments", text, problems)


def changed_after_approval(name: str) -> CallError:
    """Word a call that a hook would run with other arguments than those that were decided about."""
    return CallError("denied", f"{name} was not run: its arguments would be others than those that were decided about")


def gone(name: str) -> CallError:
    """Word a tool that is no longer there."""
    return CallError("unavailable", f"{name} is no longer there; it was not run")


def schema_changed(name: str) -> CallError:
    """Word a tool that is not the one that the call was made for."""
    return CallError(
        "unavailable",
        f"{name} has changed since the call was made; it was not run. Look at its parameters, and call it again",
    )

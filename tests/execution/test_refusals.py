"""Which words does a model read when its call may not run? Every text of approval and policy stands here."""

from __future__ import annotations

import pytest

from fcregistry import Problem
from fcregistry.execution import CallError
from fcregistry.execution._approving import _refusals as refusals


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (refusals.not_allowed("rm"), "denied", "rm is not allowed here; it was not run"),
        (refusals.denied_because("rm", ""), "denied", "the call of rm was denied; it was not run"),
        (
            refusals.denied_because("rm", "use the trash"),
            "denied",
            "the call of rm was denied; it was not run: use the trash",
        ),
        (
            refusals.denied_because("rm", "\x1b[31mno\x1b[0m, see 0x7f00deadbeef"),
            "denied",
            "the call of rm was denied; it was not run: no, see 0x…",
        ),
        (
            refusals.unanswered("rm", 30),
            "denied",
            "rm was not run: it requires approval, and nobody gave it within 30 seconds",
        ),
        (
            refusals.unanswered("rm", 0.5),
            "denied",
            "rm was not run: it requires approval, and nobody gave it within 0.5 seconds",
        ),
        (refusals.undecided("rm"), "approval_required", "rm requires approval, which was not given; it was not run"),
        (
            refusals.edited_badly("rm", (Problem("$.path", "is required"),), "the arguments of rm are not valid"),
            "invalid_arguments",
            "rm was approved with other arguments, which are not valid; it was not run:\n- $.path: is required",
        ),
        (
            refusals.edited_badly("rm", (), "the arguments are nested too deeply"),
            "invalid_arguments",
            "rm was approved with other arguments; it was not run: the arguments are nested too deeply",
        ),
        (
            refusals.changed_after_approval("rm"),
            "denied",
            "rm was not run: its arguments would be others than those that were decided about",
        ),
        (refusals.gone("rm"), "unavailable", "rm is no longer there; it was not run"),
        (
            refusals.schema_changed("rm"),
            "unavailable",
            "rm has changed since the call was made; it was not run. Look at its parameters, and call it again",
        ),
    ],
)
def test_a_refusal_reads(error: CallError, code: str, text: str) -> None:
    assert (error.code, error.text, error.retryable) == (code, text, False)


def test_a_reason_without_end_is_bounded() -> None:
    assert len(refusals.denied_because("rm", "no " * 100_000).text) < 2200

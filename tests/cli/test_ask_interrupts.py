"""Interrupts of a run of `ask`."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from fcregistry.cli._ask import cancelled_by_interrupt  # interrupts are raised here, each at an exact moment


@pytest.fixture(autouse=True)
def _interrupts() -> Iterator[None]:
    """Leave to other tests what an interrupt does to them."""
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_first_interrupt_cancels_and_is_raised_once_the_run_has_ended() -> None:
    seen: list[bool] = []

    def interrupted() -> None:
        with cancelled_by_interrupt() as token:
            signal.raise_signal(signal.SIGINT)
            seen.append(token.cancelled)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert seen == [True]


def test_afterwards_an_interrupt_is_what_it_was() -> None:
    with cancelled_by_interrupt():
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ignored_interrupts_stay_ignored() -> None:
    """As a command does in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with cancelled_by_interrupt() as token:
        signal.raise_signal(signal.SIGINT)
        assert not token.cancelled
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN

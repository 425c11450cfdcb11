"""A turn that an interrupt, a cancelled task or a closed stream ends: its messages stay, and every call in them has a result."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import aclosing
from typing import Any

import pytest

from fcregistry import Executor, Tool, ToolCall
from fcregistry.agents import Calling, Conversation, PlanAndSolveAgent, ReactAgent, ReWOOAgent
from fcregistry.execution import Approve

from .scripts import Script, calls, check_history, says

PAYS = ToolCall("pay", "{}", "1")
NAPS = ToolCall("nap", "{}", "2")
UNKNOWN = "the call of nap was cancelled; its result is not known"


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt for the signal SIGINT, as a program does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class Bank:
    """Tools that pay, and that wait for ever; `on_nap` is called in place of Ctrl-C when the waiting begins."""

    def __init__(self) -> None:
        self.paid = 0
        self.on_nap: Callable[[], object] | None = None
        self.ended = threading.Event()

    async def pay(self) -> str:
        """Pay."""
        self.paid += 1
        return "paid"

    async def nap(self) -> str:
        """Wait for ever."""
        try:
            while self.on_nap is None and not main_thread_waits():
                await asyncio.sleep(0)
            os.kill(os.getpid(), signal.SIGINT) if self.on_nap is None else self.on_nap()
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        raise AssertionError


def main_thread_waits() -> bool:
    """Return whether the main thread waits for a call, or for the next event of a stream."""
    ident = threading.main_thread().ident
    assert ident is not None
    return sys._current_frames()[ident].f_code.co_name in ("wait", "stream_sync")


def say(conversation: Conversation, bank: Bank) -> None:
    conversation.say("Pay.")


def stream(conversation: Conversation, bank: Bank) -> None:
    for _ in conversation.stream("Pay."):
        pass


def asay(conversation: Conversation, bank: Bank) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(conversation.asay("Pay."))
        bank.on_nap = task.cancel
        await task

    asyncio.run(main())


def astream(conversation: Conversation, bank: Bank) -> None:
    async def follow() -> None:
        async with aclosing(conversation.astream("Pay.")) as events:
            async for _ in events:
                pass

    async def main() -> None:
        task = asyncio.ensure_future(follow())
        bank.on_nap = task.cancel
        await task

    asyncio.run(main())


WAYS = [say, stream, asay, astream]
INTERRUPTS = (KeyboardInterrupt, asyncio.CancelledError)


def results_in(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.messages if message.role == "tool"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rounds", [[calls(PAYS), calls(NAPS)], [calls(PAYS, NAPS)]], ids=["rounds", "batch"])
def test_the_history_of_an_interrupted_turn_has_what_is_known_of_every_call(way: Any, rounds: Any) -> None:
    bank, model = Bank(), Script(*rounds, says("You have paid."))
    conversation = Conversation(model, [bank.pay, bank.nap])
    with pytest.raises(INTERRUPTS):
        way(conversation, bank)

    assert bank.ended.wait(30)
    assert results_in(conversation) == ["paid", UNKNOWN]
    assert conversation.messages[0].text == "Pay."
    check_history(conversation.messages)
    assert conversation.say("And?").answer == "You have paid."
    assert [message.text for message in model.heard[-1] if message.role == "tool"] == ["paid", UNKNOWN]
    assert bank.paid == 1


def test_the_history_has_the_calls_that_a_timeout_of_the_event_loop_ended() -> None:
    bank = Bank()
    conversation = Conversation(Script(calls(PAYS, NAPS)), [bank.pay, bank.nap])

    async def main() -> None:
        async with asyncio.timeout(None) as limit:
            bank.on_nap = lambda: limit.reschedule(0)
            await conversation.asay("Pay.")

    with pytest.raises(TimeoutError):
        asyncio.run(main())
    assert results_in(conversation) == ["paid", UNKNOWN]


@pytest.mark.parametrize("way", WAYS)
def test_an_interrupt_during_a_request_leaves_the_messages_before_it(way: Any) -> None:
    bank = Bank()

    class Slow(Script):
        async def acomplete(self, *given: Any, **options: Any) -> Any:
            return await bank.nap() if self.heard else await super().acomplete(*given, **options)

        async def astream(self, *given: Any, **options: Any) -> Any:
            yield await self.acomplete(*given, **options)

    conversation = Conversation(Slow(calls(PAYS)), [bank.pay])
    with pytest.raises(INTERRUPTS):
        way(conversation, bank)
    assert bank.ended.wait(30)
    assert results_in(conversation) == ["paid"]
    check_history(conversation.messages)


def test_a_resumed_turn_that_is_interrupted_has_its_calls() -> None:
    bank = Bank()
    tools = [Tool.from_function(bank.pay, requires_approval=True), bank.nap]
    conversation = Conversation(Script(calls(PAYS, NAPS), says("Yes.")), tools)
    assert conversation.say("Pay.").stop_reason == "approval"
    with pytest.raises(KeyboardInterrupt):
        conversation.resume({"1": Approve()})
    assert results_in(conversation) == ["paid", UNKNOWN]
    assert conversation.pending == ()
    check_history(conversation.messages)


def test_calls_that_an_interrupt_keeps_from_running_have_a_result_that_says_so() -> None:
    bank = Bank()
    conversation = Conversation(Script(calls(PAYS), says("Yes.")), [bank.pay])

    async def leave() -> None:
        async with aclosing(conversation.astream("Pay.")) as events:
            async for event in events:
                if isinstance(event, Calling):
                    break

    asyncio.run(leave())
    assert results_in(conversation) == ["the call of pay was cancelled; it was not run"]
    assert bank.paid == 0
    assert conversation.say("And?").answer == "Yes."


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (PlanAndSolveAgent, [says("1. Pay."), calls(PAYS), calls(NAPS)]),
        (ReWOOAgent, [says("Plan: Pay.\n#E1 = pay[{}]\nPlan: Nap.\n#E2 = nap[{}]")]),
    ],
)
def test_the_history_of_every_agent_has_the_calls_of_an_interrupted_turn(agent: Any, said: Any) -> None:
    bank = Bank()
    conversation = Conversation(agent(Script(*said), [bank.pay, bank.nap]))
    with pytest.raises(KeyboardInterrupt):
        conversation.say("Pay.")
    assert bank.ended.wait(30)
    assert results_in(conversation) == ["paid", UNKNOWN]
    check_history(conversation.messages)


def test_the_history_has_the_calls_of_interrupted_expressions() -> None:
    bank = Bank()
    agent = ReactAgent(Script(says("[pay(), nap()]")), [bank.pay, bank.nap], calls="expression")
    conversation = Conversation(agent)
    with pytest.raises(KeyboardInterrupt):
        conversation.say("Pay.")
    assert conversation.messages[-1].text == f"The results of the calls, in order:\npay: paid\nnap: {UNKNOWN}"


def test_an_interrupt_while_a_user_is_asked_for_more_rounds_leaves_the_messages() -> None:
    def ask(rounds: int) -> int:
        raise KeyboardInterrupt

    bank = Bank()
    agent = ReactAgent(Script(calls(PAYS)), [bank.pay], max_rounds=1, on_max_rounds=ask)
    conversation = Conversation(agent)
    with pytest.raises(KeyboardInterrupt):
        conversation.say("Pay.")
    assert results_in(conversation) == ["paid"]


def test_an_interrupt_in_a_batch_of_a_tools_own_is_not_taken_for_results_of_the_run() -> None:
    bank = Bank()

    def both() -> str:
        """Pay, and wait."""
        return str(Executor([bank.pay, bank.nap]).run_all([PAYS, NAPS]))

    conversation = Conversation(Script(calls(ToolCall("both", "{}", "1"))), [both])
    with pytest.raises(KeyboardInterrupt):
        conversation.say("Pay.")
    assert results_in(conversation) == ["the call of both was cancelled; its result is not known"]

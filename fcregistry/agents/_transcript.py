"""What was said in a conversation so far, who may go on with it, and how is it kept?"""

from __future__ import annotations

import json
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.forks import after_fork
from fcregistry.agents._events import Finished
from fcregistry.agents._state import RunState
from fcregistry.errors import ApprovalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry.agents._events import Event
    from fcregistry.agents._result import RunResult
    from fcregistry.execution import WaitingCall
    from fcregistry.models import Message

_FORMAT: Final = 1
"""The version of what `to_json` writes."""


class Transcript:
    """What was said in a conversation, and the turn of it that waits for decisions, if one does. One turn at a time writes it.

    Args:
        messages: What was said before.

    Attributes:
        messages: What was said so far, without what was forgotten.
    """

    __slots__ = ("__weakref__", "_state", "_turn", "messages")

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self.messages = messages
        self._state: RunState | None = None
        self._begin()
        after_fork(self, Transcript._begin)

    def _begin(self) -> None:
        self._turn = Lock()  # another one in a forked process, which has no thread whose turn lasts

    @property
    def pending(self) -> tuple[WaitingCall, ...]:
        """The calls that wait for somebody's decision."""
        return () if self._state is None else self._state.prepared.waiting

    # Turns

    @contextmanager
    def new_turn(self) -> Iterator[None]:
        """Keep others out while a turn lasts that begins now.

        Raises:
            ApprovalError: Calls of the turn before wait for a decision.
            RuntimeError: Another turn lasts.
        """
        with self._one_turn():
            if self._state is not None:
                waiting = ", ".join(repr(call.id) for call in self.pending)
                raise ApprovalError(f"calls of this conversation wait for a decision: {waiting}; resume the turn first")
            yield

    @contextmanager
    def waiting_turn(self) -> Iterator[RunState]:
        """Keep others out while a turn goes on that waited.

        Raises:
            ApprovalError: No call waits.
            RuntimeError: Another turn lasts.
        """
        with self._one_turn():
            if self._state is None:
                raise ApprovalError("no call of this conversation waits for a decision")
            yield self._state

    @contextmanager
    def _one_turn(self) -> Iterator[None]:
        turn = self._turn
        if not turn.acquire(blocking=False):
            raise RuntimeError("another turn of this conversation lasts: wait for its end, or have a conversation each")
        try:
            self._settle()
            yield
        finally:
            self._settle()
            turn.release()

    def _settle(self) -> None:
        """Forget calls that wait no longer, of whose results nothing was heard: somebody else resumed them, or they were left."""
        if self._state is not None and self._state.prepared._taken:
            self._state = None
            self.messages = self.messages[:-1]  # which makes these calls

    def heard(self, result: RunResult) -> RunResult:
        """Take up what came of a turn, and return it."""
        self.messages = result.messages
        self._state = result.state
        return result

    def listened(self, event: Event) -> Event:
        """Take up what came of a turn where an event says so, and return the event."""
        if isinstance(event, Finished):
            self.heard(event.result)
        return event

    # JSON

    def to_json(self, key: bytes | None) -> str:
        """Return it as JSON text, with the calls that wait, signed.

        Raises:
            ApprovalError: Calls wait, and there is no key, or one that is too short.
        """
        told: dict[str, Any] = {"version": _FORMAT, "messages": [message.to_dict() for message in self.messages]}
        if self._state is not None:
            if key is None:
                raise ApprovalError("calls wait for a decision: give the key=… to sign them with, or resume first")
            told["state"] = self._state.to_json(key=key)
        return json.dumps(told, ensure_ascii=False)

    def wait_again(self, state: str, key: bytes | None, max_age: float | None) -> None:
        """Have the turn wait that waited when the transcript was written.

        Raises:
            ApprovalError: There is no key; or as for `RunState.from_json`.
        """
        if key is None:
            raise ApprovalError("calls of this conversation wait for a decision: give the key=… they are signed with")
        self._state = RunState.from_json(state, key=key, max_age=max_age)


def read_transcript(text: str) -> dict[str, Any]:
    """Return what a text of `to_json` says: `messages`, and the `state` of the turn that waits, if one does.

    Raises:
        ValueError: It is none.
    """
    try:
        told = json.loads(text)
    except RecursionError:
        told = None
    if not isinstance(told, dict) or told.get("version") != _FORMAT or not isinstance(told.get("messages"), list):
        raise ValueError(f"this is no conversation as to_json writes it, of version {_FORMAT}")
    return told

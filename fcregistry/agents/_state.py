"""What does a run need to go on, in another process if need be? A conversation so far, the calls that wait, and what the agent had in mind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.errors import ApprovalError
from fcregistry.execution import PreparedCalls
from fcregistry.execution._suspended import RUN_STATE, sign_state, verify_state
from fcregistry.models import Message, Usage

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """A run that waits for somebody's decision. `agent.resume` takes it up, once.

    Attributes:
        agent: The class of the agent that it is a run of.
        messages: The conversation of the loop in which calls wait.
        prepared: The calls that wait.
        rounds: Rounds of the loop so far.
        extra: Rounds that were added to those that it had.
        retries: How often an answer was of the wrong type.
        calls: Calls of the run so far.
        usage: What all models together took.
        opened: What the conversation has opened of tools behind gateways.
        mind: What else the agent needs: its plan, say. JSON.
    """

    agent: str
    messages: tuple[Message, ...]
    prepared: PreparedCalls
    rounds: int = 0
    extra: int = 0
    retries: int = 0
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    opened: Mapping[str, Any] = field(default_factory=dict)
    mind: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self, *, key: bytes) -> str:
        """Return it as signed JSON text, for a process that resumes it later.

        Args:
            key: At least 16 bytes that only the processes know that run and resume. The text is signed, not encrypted.

        Raises:
            TypeError: The key is no bytes.
            ApprovalError: It is too short.
        """
        told = {
            "agent": self.agent,
            "messages": [message.to_dict() for message in self.messages],
            "prepared": self.prepared.to_json(key=key),
            "rounds": self.rounds,
            "extra": self.extra,
            "retries": self.retries,
            "calls": self.calls,
            "usage": asdict(self.usage),
            "opened": dict(self.opened),
            "mind": dict(self.mind),
        }
        return sign_state(told, key, RUN_STATE)

    @classmethod
    def from_json(cls, text: str, *, key: bytes, max_age: float | None = None) -> Self:
        """Return the state of a text of `to_json`.

        Args:
            text: The text.
            key: The key that it was signed with.
            max_age: Seconds that may have gone by since; None for any.

        Raises:
            TypeError: The text is no text, or the key no bytes.
            ApprovalError: It is no such text, was signed with another key, changed since, or is too old.
        """
        told = verify_state(text, key, RUN_STATE)
        return cls(
            agent=told["agent"],
            messages=tuple(map(Message.of, told["messages"])),
            prepared=PreparedCalls.from_json(told["prepared"], key=key, max_age=max_age),
            rounds=told["rounds"],
            extra=told["extra"],
            retries=told["retries"],
            calls=told["calls"],
            usage=Usage(**told["usage"]),
            opened=told["opened"],
            mind=told["mind"],
        )


def check_state(state: object, agent: str) -> None:
    """See that an agent can take up a run.

    Args:
        state: The state of the run.
        agent: The class of the agent.

    Raises:
        TypeError: It is none: the `state` of a result whose calls do not wait is None.
        ApprovalError: It is of another agent's run.
    """
    if not isinstance(state, RunState):
        raise TypeError(f"state is what a result has whose stop_reason is 'approval', not {state!r:.80}")
    if state.agent != agent:
        raise ApprovalError(f"this is the state of a {state.agent}, which a {agent} cannot take up")

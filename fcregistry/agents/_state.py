"""`RunState`, from which an agent resumes a run that waits for decisions, also in another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.errors import ApprovalError
from fcregistry.execution import RUN_STATE, PreparedCalls, sign_state, verify_state
from fcregistry.models import Message, Usage

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """A run that waits for decisions. `agent.resume` continues it, once.

    Attributes:
        agent: The class of the agent whose run it is.
        messages: The conversation of the loop in which calls wait.
        prepared: The calls that wait.
        rounds: How often the model was asked in this loop.
        extra: Rounds that were added to those of the agent.
        retries: How often an answer was of the wrong type.
        calls: How many calls of the run have a result.
        usage: What all models together took.
        opened: The tools behind gateways that the conversation has opened.
        mind: What else the agent needs, such as its plan. JSON.
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
        """Return signed JSON text, for a process that resumes the run later.

        Args:
            key: At least 16 bytes that only the processes know that run and resume. The text is signed, not encrypted.

        Raises:
            TypeError: The key is not bytes.
            ApprovalError: The key is too short.
        """
        written = {
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
        return sign_state(written, key, RUN_STATE)

    @classmethod
    def from_json(cls, text: str, *, key: bytes, max_age: float | None = None) -> Self:
        """Return the state that `to_json` wrote.

        Args:
            text: The text.
            key: The key that it was signed with.
            max_age: The seconds that may have passed since; None for no limit.

        Raises:
            TypeError: The text is not a string, or the key not bytes.
            ApprovalError: `to_json` did not write the text, it was signed with another key or changed since, or is too old.
        """
        written = verify_state(text, key, RUN_STATE)
        return cls(
            agent=written["agent"],
            messages=tuple(map(Message.of, written["messages"])),
            prepared=PreparedCalls.from_json(written["prepared"], key=key, max_age=max_age),
            rounds=written["rounds"],
            extra=written["extra"],
            retries=written["retries"],
            calls=written["calls"],
            usage=Usage(**written["usage"]),
            opened=written["opened"],
            mind=written["mind"],
        )


def check_state(state: object, agent: str) -> None:
    """Raise unless an agent can resume a run.

    Args:
        state: The state of the run.
        agent: The class of the agent.

    Raises:
        TypeError: It is not a `RunState`: the `state` of a result whose calls do not wait is None.
        ApprovalError: It is the state of another agent's run.
    """
    if not isinstance(state, RunState):
        raise TypeError(f"state is what a result has whose stop_reason is 'approval', not {state!r:.80}")
    if state.agent != agent:
        raise ApprovalError(f"this is the state of a {state.agent}, which a {agent} cannot take up")

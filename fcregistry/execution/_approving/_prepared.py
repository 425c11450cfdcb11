"""What is known of calls that were judged and have not run yet? As much as another process needs to run them once somebody has decided."""

from __future__ import annotations

import json
import os
import time
from _thread import allocate_lock
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry.errors import ApprovalError
from fcregistry.execution._approving._answers import answer_json, answer_of
from fcregistry.execution._approving._signing import signed, unsigned

if TYPE_CHECKING:
    from typing import Self

    from fcregistry._results.result import ToolResult

_CLOCKS_DIFFER: Final = 60.0
"""Seconds that the clock of the machine that prepared calls may be ahead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCall:
    """A call that waits for somebody's decision: what there is to show them.

    Attributes:
        id: Names the call in the decisions: the provider's id, where that is the only one of its kind among the calls.
        name: The tool's name, as the model called it.
        tool: The tool's canonical id.
        title: The tool's name for people, if it has one.
        description: What the tool does, in a line.
        arguments: The arguments, validated: a JSON object. A copy.
        reason: Why it waits.
        hints: What the tool's author says of it: `read_only`, `destructive`, `idempotent`, `open_world`, where that was said.
    """

    id: str
    name: str
    tool: str
    title: str | None
    description: str
    arguments: Mapping[str, Any]
    reason: str
    hints: Mapping[str, bool]

    def to_json(self) -> dict[str, Any]:
        """This call as a JSON object, for a user interface."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a decision is about, beside the call itself."""

    reason: str
    title: str | None
    description: str
    hints: Mapping[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidCall:
    """A call that may run, at once or once it is approved.

    Attributes:
        key: Names it among the others.
        name: The tool's name, as the model called it.
        id: The provider's id.
        arguments: JSON text of the validated arguments: what was approved is what runs.
        tool: The tool's canonical id.
        schema_digest: The digest of its parameters.
        repairs: What was repaired in what the model wrote.
        asked: What is to be decided; None where nothing is.
    """

    key: str
    name: str
    id: str | None
    arguments: str
    tool: str
    schema_digest: str
    repairs: tuple[str, ...]
    asked: Asked | None

    @property
    def call(self) -> ToolCall:
        """The call as it is going to be made."""
        return ToolCall(self.name, self.arguments, self.id)

    def waiting(self) -> Iterator[WaitingCall]:
        """Yield what there is to show, if it waits for a decision."""
        if self.asked is not None:
            yield WaitingCall(
                id=self.key,
                name=self.name,
                tool=self.tool,
                title=self.asked.title,
                description=self.asked.description,
                arguments=json.loads(self.arguments),
                reason=self.asked.reason,
                hints=dict(self.asked.hints),
            )

    def to_json(self) -> dict[str, Any]:
        """This call as a JSON object."""
        return asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> ValidCall:
        """Return the call of an object of `to_json`."""
        asked = given["asked"]
        made = {"repairs": tuple(given["repairs"]), "asked": None if asked is None else Asked(**asked)}
        return cls(**{**given, **made})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCall:
    """A call that does not run, whatever anybody decides: it failed, or a hook put a result of its own in place of its failure."""

    key: str
    result: ToolResult

    def waiting(self) -> Iterator[WaitingCall]:
        """Yield nothing: there is nothing to decide."""
        return iter(())

    def to_json(self) -> dict[str, Any]:
        """This call as a JSON object; what the model wrote as arguments, and what was raised, do not travel."""
        return {"key": self.key, **answer_json(self.result)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> AnsweredCall:
        """Return the call of an object of `to_json`."""
        return cls(key=given["key"], result=answer_of(given))


JudgedCall: TypeAlias = "ValidCall | AnsweredCall"


def _check_max_age(max_age: object) -> None:
    if max_age is None:
        return
    if isinstance(max_age, bool) or not isinstance(max_age, (int, float)):
        raise TypeError(f"max_age takes seconds, or None for any age, not {type(max_age).__name__}")
    if not max_age >= 0:  # NaN, too: no age is greater
        raise ValueError(f"max_age takes seconds from 0 on, or None for any age, not {max_age!r}")


def _check_age(made: object, max_age: float) -> None:
    """See that calls are no older than they may be.

    Raises:
        ApprovalError: They are, or nobody knows how old they are.
    """
    if isinstance(made, bool) or not isinstance(made, (int, float)):
        raise ApprovalError("these calls do not say when they were prepared; prepare them again")
    age = time.time() - made
    if age > max_age:
        raise ApprovalError(
            f"these calls were prepared {age:.0f} seconds ago, and may be {max_age:g} seconds old; prepare them again"
        )
    if not age >= -_CLOCKS_DIFFER:
        raise ApprovalError(
            f"these calls are dated {-age:.0f} seconds in the future, so their age is not known; "
            "compare the clocks of the machines, and prepare the calls again"
        )


class PreparedCalls:
    """Calls of a model that were read, validated and judged, and of which none has run: made by `Executor.prepare`, taken up by `Executor.resume`.

    Args:
        calls: The calls, in their order.
        id: Names this batch; by default, a new name.
        made: When it was made, in seconds since 1970 (UTC); by default, now.
    """

    __slots__ = ("_calls", "_id", "_lock", "_made", "_taken")

    def __init__(self, calls: Iterable[JudgedCall], id: str | None = None, made: float | None = None) -> None:
        self._calls = tuple(calls)
        self._id = os.urandom(16).hex() if id is None else id
        self._made = time.time() if made is None else made
        self._lock = allocate_lock()
        self._taken = False

    @property
    def id(self) -> str:
        """Names these calls, also where they come back as text: whoever remembers it does not run them twice."""
        return self._id

    @property
    def made(self) -> float:
        """When they were prepared, in seconds since 1970 (UTC)."""
        return self._made

    @property
    def waiting(self) -> tuple[WaitingCall, ...]:
        """Those that wait for somebody's decision, in the order of the calls."""
        return tuple(waiting for each in self._calls for waiting in each.waiting())

    def to_json(self, *, key: bytes) -> str:
        """Return these calls as signed JSON text, for a process that resumes them later.

        Calls that are answered already take along what the model is to read. Where a hook answered one in place of its failure, the value
        for the program is there as JSON later, or None where it has no such form.

        Args:
            key: At least 16 bytes that only the processes know that prepare and resume. The text is signed, not encrypted: whoever has it
                can read it.

        Raises:
            TypeError: The key is no bytes.
            ApprovalError: It is too short.
        """
        calls = [each.to_json() for each in self._calls]
        return signed({"id": self._id, "made": self._made, "calls": calls}, key)

    @classmethod
    def from_json(cls, text: str, *, key: bytes, max_age: float | None = None) -> Self:
        """Return the calls of a text of `to_json`.

        Args:
            text: The text.
            key: The key that it was signed with.
            max_age: Seconds that may have gone by since the calls were prepared; None for any. Calls that are dated more than a minute in
                the future, so that their age is not known, are refused, too.

        Raises:
            TypeError: The text is no text, the key no bytes, or `max_age` no number.
            ValueError: `max_age` is negative, or NaN.
            ApprovalError: It is no such text, was signed with another key, changed since, or is too old.
        """
        _check_max_age(max_age)
        payload = unsigned(text, key)
        if max_age is not None:
            _check_age(payload.get("made"), max_age)
        kinds = (ValidCall if "tool" in each else AnsweredCall for each in payload["calls"])
        calls = [kind.from_json(each) for kind, each in zip(kinds, payload["calls"], strict=True)]
        return cls(calls, payload["id"], payload["made"])

    def _take(self) -> None:
        """Remember that they are being resumed.

        Raises:
            ApprovalError: They were before.
        """
        with self._lock:
            if self._taken:
                raise ApprovalError(f"the prepared calls {self._id} were resumed already; prepare the calls again")
            self._taken = True

    def __len__(self) -> int:
        return len(self._calls)

    def __repr__(self) -> str:
        return f"<PreparedCalls {self._id}: {len(self)} calls, {len(self.waiting)} waiting>"

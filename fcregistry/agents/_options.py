"""What can be said of every agent, and of a conversation with one?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from fcregistry._registry import Registry
    from fcregistry.agents._shortening import CountTokens
    from fcregistry.execution._approval import Approver


class AgentOptions(TypedDict, total=False):
    """The options of every agent; `Agent` says what each is."""

    instructions: str
    answer_type: Any
    answer_retries: int
    registry: Registry | None
    approve: Approver | None
    deps: Sequence[Any]


class ConversationOptions(AgentOptions, total=False):
    """What can be said of a conversation that is taken up again; `Conversation` says what each is."""

    max_tool_calls: int | None
    max_retries: int | None
    max_messages: int | None
    max_tokens: int | None
    count_tokens: CountTokens

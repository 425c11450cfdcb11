"""What can be said of every agent?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from fcregistry._registry import Registry
    from fcregistry.execution._approving._approval import Approver


class AgentOptions(TypedDict, total=False):
    """The options of every agent; `Agent` says what each is."""

    instructions: str
    answer_type: Any
    answer_retries: int
    registry: Registry | None
    approve: Approver | None
    deps: Sequence[Any]

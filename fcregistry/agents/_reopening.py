"""What did the gateways open that were called in a history?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._results.result import ToolResult
from fcregistry.agents._arrangement import Opened
from fcregistry.agents._gateways import gateway_of, opened_by
from fcregistry.agents._history import calls_of
from fcregistry.formats import MalformedCallError, read_call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fcregistry._tools.tool import Tool
    from fcregistry.execution import Executor


def opened_before(messages: Iterable[object], executor: Executor, find: Callable[[str], Tool | None]) -> Opened:
    """Return what the calls in a history opened that are a gateway's, and could be made today.

    Args:
        messages: The messages, in the shape of any provider.
        executor: What would run the calls.
        find: Which tool of it a name means.
    """
    opened = Opened()
    for message in messages:
        for call in calls_of(message):
            opened |= _opened_by_call(call, executor, find)
    return opened


def _opened_by_call(call: object, executor: Executor, find: Callable[[str], Tool | None]) -> Opened:
    try:
        tool = find(read_call(call).name)
    except MalformedCallError:
        return Opened()
    if tool is None or gateway_of(tool) is None:
        return Opened()
    step = executor._pipeline.prepare(call)
    if isinstance(step, ToolResult) or executor._pipeline.gate.forbids(tool):
        return Opened()
    return opened_by(tool, step.decoded)

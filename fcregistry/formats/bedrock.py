"""How does Amazon Bedrock's Converse API describe tools, calls and results?

Sources: Amazon Bedrock API reference, "ToolSpecification", "ToolUseBlock" and "ToolResultBlock"; Amazon Bedrock user guide, "Call a tool with
the Converse API" and "Get validated JSON results from models".

A description must not be empty, so one that is empty is left out. `status` says only that a tool failed: not every model takes it, and
without it a result is a success. In strict mode Bedrock takes what Anthropic takes, but for `default` and `pattern`, which its guide does not
list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats import anthropic
from fcregistry.formats._core import Format
from fcregistry.formats._messages import parse_message
from fcregistry.formats._profile import PUT_TOGETHER, Limits, Profile

if TYPE_CHECKING:
    from fcregistry._results import ToolResult
    from fcregistry.formats._core import Rendering

LOOSE: Final = Profile(taker="Bedrock", top_without=PUT_TOGETHER)
"""API reference, "ToolInputSchema": the top is an object. Models of Anthropic's take nothing else there."""

STRICT: Final[Profile] = replace(
    anthropic.STRICT,
    taker="Bedrock's strict mode",
    keywords=(anthropic.STRICT.keywords or frozenset()) - {"default", "pattern"},
    pattern_without=None,
    names=None,
    names_rule="",
    limits=Limits(),
)
"""User guide, "Get validated JSON results from models", section "Supported JSON Schema features"."""


def render(rendering: Rendering) -> dict[str, Any]:
    """Return `{"toolSpec": {name, description, inputSchema: {json}, strict}}`."""
    described: dict[str, Any] = {"name": rendering.name}
    if rendering.text:
        described["description"] = rendering.text
    described["inputSchema"] = {"json": rendering.parameters}
    if rendering.strict:
        described["strict"] = True
    return {"toolSpec": described}


def report(results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return one user message with a `toolResult` block for each result; nothing for no results."""
    blocks = []
    for result in results:
        block: dict[str, Any] = {
            "toolUseId": (result.call.id if result.call else None) or "",
            "content": [{"text": result.content}],
        }
        blocks.append({"toolResult": block if result.ok else {**block, "status": "error"}})
    return [{"role": "user", "content": blocks}] if blocks else []


FORMAT = Format(
    name="bedrock",
    source="Amazon Bedrock API reference, Converse",
    render=render,
    profile=LOOSE,
    strict_profile=STRICT,
    parse=parse_message,
    report=report,
)

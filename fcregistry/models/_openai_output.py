"""What do the items say that OpenAI's responses API puts out?

Source: OpenAI API reference, "Responses", the output of the response object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fcregistry.models._messages import call_of

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What the items of an output say together.

    Attributes:
        text: What the model said, refusals included.
        refusal: What it said in refusing.
        reasoning: What it thought, or a summary of that.
        calls: What it asks for; those of the provider's own tools are done, and stay with it.
    """

    text: str = ""
    refusal: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()


def read_output(items: Iterable[object]) -> Output:
    """Return what items say. What is of no kind that is known says nothing to us."""
    text, refusal, reasoning, calls = [], [], [], []
    for item in (each for each in items if isinstance(each, Mapping)):
        match item.get("type"):
            case "message":
                parts = _listed(item, "content")
                refusal += [_text(part, "refusal") for part in parts]
                text += [_text(part, "text") + _text(part, "refusal") for part in parts]
            case "reasoning":
                reasoning += [_text(part, "text") for name in ("summary", "content") for part in _listed(item, name)]
            case "function_call":
                calls.append(call_of(item))
    return Output(
        text="".join(text),
        refusal="".join(refusal),
        reasoning="\n".join(filter(None, reasoning)),
        calls=tuple(calls),
    )


def _listed(item: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    found = item.get(name)
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []


def _text(part: Mapping[str, Any], name: str) -> str:
    found = part.get(name)
    return found if isinstance(found, str) else ""

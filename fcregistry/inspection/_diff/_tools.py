"""What changed in a tool, and what does that mean for its callers?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from fcregistry._base.messages import show
from fcregistry._tools.declaration import local_name
from fcregistry._tools.record import ToolRecord
from fcregistry.inspection._diff._core import Change, Part, Verdict, bump_of, change
from fcregistry.inspection._diff._differences import Difference
from fcregistry.inspection._diff._options import option_changes
from fcregistry.inspection._diff._walk import schema_differences
from fcregistry.inspection._diff._words import shown_path

_OPEN: Final[dict[str, Any]] = {"type": "object"}


def tool_changes(tool: str, old: ToolRecord, new: ToolRecord) -> Iterator[Change]:
    """Yield what changed in a tool: itself, its parameters, and its result.

    Arguments that the old one took have to be taken by the new one. A result that the new one gives has to be one that the old one promised.

    Args:
        tool: Its canonical id.
        old: What was known of it.
        new: What is known of it now.
    """
    broken, was_broken = new.get("problems"), old.get("problems")
    if broken or was_broken:
        if broken and not was_broken:
            yield change("breaking", tool, f"cannot be defined any more: {broken[0]}")
        elif was_broken and not broken:
            yield change("compatible", tool, "can be defined now")
        return
    if old["description"] != new["description"]:
        message = f"description was {show(old['description'])}, is {show(new['description'])}"
        yield change("compatible", tool, message, words=True)
    yield from _of_context(tool, old["deps"], new["deps"])
    yield from option_changes(tool, old["options"], new["options"])
    for each in schema_differences(old["parameters"] or _OPEN, new["parameters"] or _OPEN):
        yield _of_difference(tool, "parameters", each, each.narrows)
    yield from _of_results(tool, old["returns"], new["returns"])


def place_of(record: ToolRecord) -> str:
    """Return what a tool is called in its distribution: `group.name`, without the default group."""
    return local_name(record["name"], record["group"])


def _of_context(tool: str, old: str | None, new: str | None) -> Iterator[Change]:
    if old == new:
        return
    if new is None:
        yield change("compatible", tool, f"does not ask for {old} from its application any more")
    elif old is None:
        yield change("breaking", tool, f"asks for {new} from its application now, which other callers do not have")
    else:
        yield change("breaking", tool, f"asked its application for {old}, and asks for {new} now")


def _of_results(tool: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> Iterator[Change]:
    if old is None and new is not None:
        yield _of_result(tool, "compatible", "is described now")
    elif new is None and old is not None:
        yield _of_result(tool, "unknown", "is no longer described")
    elif old is not None and new is not None:
        for each in schema_differences(old, new, "given"):
            yield _of_difference(tool, "returns", each, each.widens)


def _of_result(tool: str, verdict: Verdict, message: str) -> Change:
    bump = bump_of(verdict, words=False)
    return Change(verdict=verdict, tool=tool, part="returns", path="$", message=message, bump=bump)


def _of_difference(tool: str, part: Part, difference: Difference, breaks: bool | None) -> Change:
    verdict: Verdict = "breaking" if breaks else "unknown" if breaks is None else "compatible"
    if difference.kind == "default" and part == "parameters":
        verdict = "unknown"  # what a call that leaves it out does now, no schema tells
    words = difference.kind != "asked"
    return Change(
        verdict=verdict,
        tool=tool,
        part=part,
        path=shown_path(difference.path),
        message=difference.message,
        bump=bump_of(verdict, words=words),
    )

"""What does it mean for callers that a tool was declared with other options?

A promise that an author gave is compatible when it is given, and unknown when it is taken back: a policy may have relied on it. What
refuses calls that were run is breaking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from fcregistry._base.messages import show
from fcregistry.inspection._diff._core import Change, Verdict, change
from fcregistry.inspection._diff._documents import json_text
from fcregistry.inspection._diff._words import changed, listed

Remark = tuple[Verdict, str]

_PROMISES: Final = {"read_only": True, "destructive": False, "idempotent": True, "open_world": False}
"""Hint -> the value by which an author promises something; the others, and none, promise nothing (Model Context Protocol, tool annotations)."""
_SAID: Final = frozenset({"examples", "meta", "title"})
"""Options of which callers depend on none: they are told to people and models."""


def option_changes(tool: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    """Yield what other options mean for the callers of a tool, sorted by the option.

    Args:
        tool: Its canonical id.
        old: The options of its old record: those that differ from their defaults.
        new: Those of the new one.
    """
    for name in sorted(old.keys() | new.keys()):
        if json_text(old.get(name)) != json_text(new.get(name)):
            for verdict, message in _remarks(name, old, new):
                yield change(verdict, tool, message, words=name in _SAID)


def _remarks(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Remark]:
    if name in _SAID:
        yield "compatible", f"{name} changed"
    elif name in _PROMISES:
        promised = new.get(name) is _PROMISES[name]
        yield "compatible" if promised else "unknown", changed(name, dict(old), dict(new))
    elif name in _READERS:
        yield from _READERS[name](old.get(name), new.get(name))
    else:
        yield "unknown", changed(name, dict(old), dict(new))


def _of_approval(old: Any, new: Any) -> Iterator[Remark]:
    if new is True:
        yield "breaking", "its calls need approval now, and are refused where there is nobody to ask"
    elif new:
        yield "breaking" if not old else "unknown", f"some of its calls need approval now: {_computed(new)} decides"
    else:
        yield "unknown", "its calls run without approval now"


def _computed(value: Any) -> str:
    return str(next(iter(value.values()), value)) if isinstance(value, dict) else show(value)


def _of_variables(old: Any, new: Any) -> Iterator[Remark]:
    before, after = _texts(old), _texts(new)
    for name in (each for each in after if each not in before):
        yield "breaking", f"requires the environment variable {name} now, and is unavailable without it"
    for name in (each for each in before if each not in after):
        yield "compatible", f"does not require the environment variable {name} any more"


def _of_aliases(old: Any, new: Any) -> Iterator[Remark]:
    before, after = _texts(old), _texts(new)
    if gone := [each for each in before if each not in after]:
        yield "breaking", f"is no longer called {listed(gone)} too"
    if come := [each for each in after if each not in before]:
        yield "compatible", f"is called {listed(come)} too"


def _of_tags(old: Any, new: Any) -> Iterator[Remark]:
    before, after = _texts(old), _texts(new)
    if gone := [each for each in before if each not in after]:
        yield "unknown", f"has no tag {listed(gone)} any more, by which it may be selected"
    if come := [each for each in after if each not in before]:
        yield "compatible", f"has the tag {listed(come)} now"


def _of_deprecation(old: Any, new: Any) -> Iterator[Remark]:
    if new:
        yield "compatible", "is deprecated now" + (f": {new}" if isinstance(new, str) else "")
    else:
        yield "compatible", "is no longer deprecated"


def _of_timeout(old: Any, new: Any) -> Iterator[Remark]:
    longer = new is None or (isinstance(old, (int, float)) and isinstance(new, (int, float)) and new >= old)
    limits = [f"{each:g} s" if isinstance(each, (int, float)) else "none" for each in (old, new)]
    yield "compatible" if longer else "unknown", f"its time limit was {limits[0]}, is {limits[1]}"


_READERS: Final[dict[str, Callable[[Any, Any], Iterator[Remark]]]] = {
    "aliases": _of_aliases,
    "deprecated": _of_deprecation,
    "requires_approval": _of_approval,
    "requires_env": _of_variables,
    "tags": _of_tags,
    "timeout": _of_timeout,
}


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(each) for each in value or ()]

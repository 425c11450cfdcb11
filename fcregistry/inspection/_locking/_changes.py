"""How does what is installed differ from what is locked?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from fcregistry._config.policy import Lock, Pin
from fcregistry.inspection._locking._installed import Inventory, tool_id

_PARTS: Final = ("description", "parameters", "returns", "options", "deps", "module", "qualname")
"""What is compared of a tool; the summary is of the description, and the digest of all that a model is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference.

    Attributes:
        kind: `added`, `removed` or `changed`.
        subject: A distribution, or a tool's canonical id.
        part: Which part of it: `version`, `files`, `description`, a path such as `parameters.properties.unit.default`; empty for all of it.
        old: What is locked; None where nothing is.
        new: What is installed; None where nothing is.
    """

    kind: Literal["added", "removed", "changed"]
    subject: str
    part: str = ""
    old: Any = None
    new: Any = None


def changes(lock: Lock, now: Inventory) -> tuple[Change, ...]:
    """Return every difference between a lock and what is installed, sorted by distribution and tool."""
    pins = {pin.name: pin for pin in lock.pins.values()}
    named = {name: lock.pin(name) for name in now.distributions}
    gone = [pin for pin in pins.values() if pin not in named.values()]
    found = [Change(kind="removed", subject=pin.name, old=pin.version) for pin in gone]
    for name, said in now.distributions.items():
        pin = named[name]
        if pin is None:
            found.append(Change(kind="added", subject=name, new=said["version"]))
        else:
            found += _of_distribution(name, pin, said, now.altered.get(name, ()))
    return tuple(sorted(found, key=lambda each: each.subject))


def _of_distribution(name: str, pin: Pin, said: Mapping[str, Any], altered: tuple[str, ...]) -> Iterator[Change]:
    if pin.version != said["version"]:
        yield Change(kind="changed", subject=name, part="version", old=pin.version, new=said["version"])
    if pin.files != said["files"]:
        yield Change(kind="changed", subject=name, part="files", old=pin.files, new=said["files"])
    for file in altered:
        yield Change(kind="changed", subject=name, part=f"{file}, which is not what was installed")
    old = {tool_id(name, each): each for each in pin.tools}
    new = {tool_id(name, each): each for each in said["tools"]}
    yield from (Change(kind="removed", subject=each) for each in old if each not in new)
    yield from (Change(kind="added", subject=each) for each in new if each not in old)
    for each in old.keys() & new.keys():
        yield from _of_tool(each, old[each], new[each])


def _of_tool(subject: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    parts = [difference for part in _PARTS for difference in _differences(part, old.get(part), new.get(part))]
    yield from (Change(kind="changed", subject=subject, part=part, old=was, new=now) for part, was, now in parts)
    if old["digest"] != new["digest"] and not parts:  # somebody edited the lock
        yield Change(kind="changed", subject=subject, part="digest", old=old["digest"], new=new["digest"])


def _differences(path: str, old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield path, old and new value of each place where two JSON values differ, as deep as both are objects."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _differences(f"{path}.{name}", old.get(name), new.get(name))
    elif json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):  # 1 is no true, and 1.0 no 1
        yield path, old, new

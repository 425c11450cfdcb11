"""How does what was described differ from what is there? In words, a line for each difference."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from fcregistry._tools.declaration import local_name
from fcregistry._tools.record import ToolRecord

_TOLD: Final = ("description", "parameters", "returns", "options", "deps", "problems")
"""What a caller can notice of a tool; where its function stands is not in it."""
_LONGEST: Final = 60


def drift(described: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
    """Return how the tools of a plugin differ from what was described of it; nothing if they do not.

    Args:
        described: A `PluginRecord`, or one entry of a manifest's `plugins`.
        there: The same of the code, as it is now.
    """
    old, new = _by_name(described["tools"]), _by_name(there["tools"])
    lines = []
    for name in sorted({*old, *new}):
        if name not in new:
            lines.append(f"{name}: is described, and is not there")
        elif name not in old:
            lines.append(f"{name}: is there, and is not described")
        else:
            lines += [f"{name}: {words}" for words in _differences(old[name], new[name])]
    return lines


def _by_name(tools: list[ToolRecord]) -> dict[str, ToolRecord]:
    return {local_name(each["name"], each["group"]): each for each in tools}


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for field in _TOLD:
        yield from _compared(old.get(field), new.get(field), field)


def _compared(old: Any, new: Any, path: str) -> Iterator[str]:
    """Yield what became of a JSON value, at any depth."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys((*old, *new)):
            yield from _compared(old.get(name, _NOTHING), new.get(name, _NOTHING), f"{path}.{name}")
    elif type(old) is not type(new) or old != new:
        yield f"{path} is {_shown(new)}, and is described as {_shown(old)}"


_NOTHING: Final = object()


def _shown(value: object) -> str:
    if value is _NOTHING:
        return "not there"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"

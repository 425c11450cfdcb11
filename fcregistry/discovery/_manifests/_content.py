"""What stands in a manifest? JSON: the tools of every entry point of one package, and the sources that they were read from.

Nothing of a machine is in it, nor a version or a time: the same code gives the same bytes, on any Python.
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any, Final, TypedDict, cast

from fcregistry._records import ToolRecord, read_record

FORMAT: Final = 1
"""The number of the format described here; a reader passes over manifests of another."""

_LONGEST: Final = 80
_SURROGATE = re.compile("[\ud800-\udfff]")


class ManifestPlugin(TypedDict):
    """One entry point.

    Attributes:
        entry_point: Its name.
        value: What it names: `module` or `module:object`.
        dynamic: Whether its tools depend on the environment: those that are listed are a hint.
        tools: What it ships, sorted by group and name; their files are relative to the package's parent folder.
    """

    entry_point: str
    value: str
    dynamic: bool
    tools: list[ToolRecord]


class ManifestContent(TypedDict):
    """A manifest.

    Attributes:
        format: See `FORMAT`.
        distribution: The name of the distribution as PyPI compares names, without its version.
        plugins: Its entry points whose code stands in this package, sorted by name.
        sources: File of the package, relative to the package's parent folder -> its digest, see `source_digest`; sorted.
    """

    format: int
    distribution: str
    plugins: list[ManifestPlugin]
    sources: dict[str, str]


def text_of(content: ManifestContent) -> str:
    """Return the one text of a manifest; the order of names in a schema is kept, for it is the order of parameters."""
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    return _SURROGATE.sub(lambda found: json.dumps(found[0])[1:-1], text)  # which no UTF-8 can hold


def read_text(text: str) -> ManifestContent:
    """Return what a manifest says.

    Raises:
        ValueError: It is none, or none that can be relied on; the message says why.
    """
    try:
        content: Any = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(content, dict) or "format" not in content:
        raise ValueError("it is no manifest: an object with a format is due")
    if content["format"] != FORMAT:
        raise ValueError(f"its format is {content['format']!r}, and this version of fcregistry reads {FORMAT}")
    try:
        _check(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"something is missing in it, or of another kind than it should be: {error!r}") from error
    return cast(ManifestContent, content)


def _check(content: dict[str, Any]) -> None:
    """Refuse what is no manifest, and put in order what is; `KeyError` and the like for what is missing."""
    _check_kind(content["distribution"], str, "distribution")
    for plugin in content["plugins"]:
        for name, kind in (("entry_point", str), ("value", str), ("dynamic", bool)):
            _check_kind(plugin[name], kind, name)
        plugin["tools"] = [_tool(each) for each in plugin["tools"]]
        _check_names(plugin["tools"])
    for name, digest in content["sources"].items():
        _check_kind(digest, str, name)
        _check_inside(name)


def _tool(written: Any) -> ToolRecord:
    try:
        tool = read_record(written)
    except ValueError as error:
        called = written.get("name") if isinstance(written, dict) else written
        raise ValueError(f"what it says of {_shown(called)} {error}") from None
    if tool["file"] is not None:
        _check_inside(tool["file"])
    return tool


def _check_names(tools: list[ToolRecord]) -> None:
    seen = set()
    for each in tools:
        key = (each["group"], each["name"])
        if key in seen:
            raise ValueError(f"it tells twice of {each['name']!r} in the group {each['group']!r}")
        seen.add(key)


def _check_kind(value: object, kind: type, name: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name}: {value!r}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _check_inside(name: str) -> None:
    """Refuse a path that leads out of the package's parent folder, and what no path can be."""
    if "\0" in name or _SURROGATE.search(name):
        raise ValueError(f"it names what no file can be called: {_shown(name)}")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise ValueError(f"it names a file outside the package: {name!r}")

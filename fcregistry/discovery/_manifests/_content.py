"""What stands in a manifest? JSON: the tools of every entry point of one package, and the sources that they were read from.

Nothing of a machine is in it, nor a version or a time: the same code gives the same bytes, on any Python.
"""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, TypedDict, cast

from fcregistry._tools.record import ToolRecord, read_record

FORMAT: Final = 1
"""The number of the format described here; a reader passes over manifests of another."""

MOST_BYTES: Final = 16 * 2**20
"""Of a file of tool records that is read; ten thousand tools take some ten."""
_MOST_VALUES: Final = 1_000_000
"""Of its JSON: a few bytes of text may become a hundred in memory."""
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


def read_bounded(file: IO[bytes], most: int = MOST_BYTES) -> str:
    """Return the text of a file of a stranger's, of which no more is read than it may have.

    Raises:
        OSError: It cannot be read.
        ValueError: It is larger, or no UTF-8.
    """
    data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most} bytes, which are not read")
    return data.decode("utf-8")


def read_json(text: str) -> Any:
    """Return the value of a stranger's JSON text.

    Raises:
        ValueError: It is none, is nested too deeply, or has too many values.
    """
    if sum(map(text.count, ",[{")) > _MOST_VALUES:  # those in strings too: what is counted is no less than there are
        raise ValueError(f"it has more than {_MOST_VALUES} values, which are not read")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_manifest(path: Path) -> ManifestContent:
    """Return what a manifest says.

    Raises:
        OSError: It cannot be read.
        ValueError: It is none, or none that can be relied on; the message says why.
    """
    with path.open("rb") as file:
        return read_text(read_bounded(file))


def read_text(text: str) -> ManifestContent:
    """Return what the text of a manifest says.

    Raises:
        ValueError: It is none, or none that can be relied on; the message says why.
    """
    content = read_json(text)
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

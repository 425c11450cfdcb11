"""What does a package say of its own tools, in a file that it ships?

`_content.py` says what stands in a manifest, `_places.py` where it stands, `_sources.py` which state of the code it describes,
`_reading.py` reads one without importing anything, `_drift.py` words how it differs from the code. `fcregistry.packaging` writes it.

MERGED: What does the manifest beside an entry point's code say, and does it still hold? Read without importing anything.
MERGED: What stands in a manifest? JSON: the tools of every entry point of one package, and the sources that they were read from.

Nothing of a machine is in it, nor a version or a time: the same code gives the same bytes, on any Python.
MERGED: Where does the code of an entry point stand, and where its manifest? Asked of folders; nothing is imported.
MERGED: How does what was described differ from what is there? In words, a line for each difference.
MERGED: Which state of the code does a manifest describe? A digest of each source file says it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, TypedDict, cast

from fcregistry._tools.declaration import local_name
from fcregistry._tools.record import PluginRecord, ToolRecord, read_record
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._found import FoundPlugin

# --- discovery._manifests._reading ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a manifest says of one entry point.

    Attributes:
        path: The file.
        record: What the entry point ships; the files in it are absolute.
        sources: The files of the package that it was read from.
        changed: Those of them, by their names in the manifest, that are not there or not as they were.
    """

    path: Path
    record: PluginRecord
    sources: tuple[Path, ...]
    changed: tuple[str, ...]

    @property
    def is_stale(self) -> bool:
        """Whether the code is another than the one it describes, so that it tells nothing."""
        return bool(self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestProblem:
    """A manifest that is there and tells nothing of the entry point.

    Attributes:
        path: The file.
        message: What is wrong with it.
        advice: What to do about it.
    """

    path: Path
    message: str
    advice: str


def manifest_of(found: FoundPlugin) -> Manifest | ManifestProblem | None:
    """Return what the manifest beside an entry point's code says of it; None if there is none.

    Args:
        found: The entry point. Nothing of it is imported.
    """
    place = location_of(found)
    if place is None:
        return None
    path = place.manifest
    try:
        content = read_manifest(path)
        plugin = _part_for(found, content)
    except FileNotFoundError:
        return None
    except OSError as error:
        return _problem(found, path, f"it cannot be read: {error.strerror or error}")
    except ValueError as error:  # UnicodeDecodeError too
        return _problem(found, path, str(error))
    return Manifest(
        path=path,
        record=_record(plugin, place.folder),
        sources=tuple(place.folder / name for name in sorted(content["sources"])),
        changed=changed_sources(place.folder, content["sources"]),
    )


def _part_for(found: FoundPlugin, content: ManifestContent) -> ManifestPlugin:
    if normalized(content["distribution"]) != normalized(found.distribution):
        raise ValueError(f"it tells what {content['distribution']} ships, not {found.distribution}")
    for plugin in content["plugins"]:
        if plugin["entry_point"] == found.entry_point:
            if plugin["value"] != found.value:
                raise ValueError(f"it tells what {plugin['value']} ships, and the entry point names {found.value}")
            return plugin
    raise ValueError("it does not tell what this entry point ships")


def _record(plugin: ManifestPlugin, folder: Path) -> PluginRecord:
    return PluginRecord(
        entry_point=plugin["entry_point"],
        value=plugin["value"],
        tools=[_standing_in(folder, tool) for tool in plugin["tools"]],
        dynamic=plugin["dynamic"],
        seconds=0.0,
        printed=False,  # as far as it says
        changes=[],
        failure=None,
        detail="",
        advice="",
    )


def _standing_in(folder: Path, tool: ToolRecord) -> ToolRecord:
    file = tool["file"]
    return {**tool, "file": None if file is None else str(folder / file)}


def _problem(found: FoundPlugin, path: Path, message: str) -> ManifestProblem:
    advice = f"run in the project of {found.distribution}: fcregistry manifest build; or tell its authors"
    return ManifestProblem(path=path, message=message, advice=advice)


# --- discovery._manifests._content ---

MANIFEST_FORMAT: Final = 1
"""The number of the format described here; a reader passes over manifests of another."""

MAX_MANIFEST_BYTES: Final = 16 * 2**20
"""Of a file of tool records that is read; ten thousand tools take some ten."""
_MOST_VALUES: Final = 1_000_000
"""Of its JSON: a few bytes of text may become a hundred in memory."""
_CONTENT_LONGEST: Final = 80
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
        format: See `MANIFEST_FORMAT`.
        distribution: The name of the distribution as PyPI compares names, without its version.
        plugins: Its entry points whose code stands in this package, sorted by name.
        sources: File of the package, relative to the package's parent folder -> its digest, see `source_digest`; sorted.
    """

    format: int
    distribution: str
    plugins: list[ManifestPlugin]
    sources: dict[str, str]


def manifest_text(content: ManifestContent) -> str:
    """Return the one text of a manifest; the order of names in a schema is kept, for it is the order of parameters."""
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    return _SURROGATE.sub(lambda found: json.dumps(found[0])[1:-1], text)  # which no UTF-8 can hold


def read_bounded(file: IO[bytes], most: int = MAX_MANIFEST_BYTES) -> str:
    """Return the text of a file of a stranger's, of which no more is read than it may have.

    Raises:
        OSError: It cannot be read.
        ValueError: It is larger, or no UTF-8.
    """
    data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most} bytes, which are not read")
    return data.decode("utf-8")


def parse_external_json(text: str) -> Any:
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
        return parse_manifest(read_bounded(file))


def parse_manifest(text: str) -> ManifestContent:
    """Return what the text of a manifest says.

    Raises:
        ValueError: It is none, or none that can be relied on; the message says why.
    """
    content = parse_external_json(text)
    if not isinstance(content, dict) or "format" not in content:
        raise ValueError("it is no manifest: an object with a format is due")
    if content["format"] != MANIFEST_FORMAT:
        raise ValueError(f"its format is {content['format']!r}, and this version of fcregistry reads {MANIFEST_FORMAT}")
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
        raise ValueError(f"what it says of {_content_shown(called)} {error}") from None
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


def _content_shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _CONTENT_LONGEST else f"{text[:_CONTENT_LONGEST]}…"


def _check_inside(name: str) -> None:
    """Refuse a path that leads out of the package's parent folder, and what no path can be."""
    if "\0" in name or _SURROGATE.search(name):
        raise ValueError(f"it names what no file can be called: {_content_shown(name)}")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise ValueError(f"it names a file outside the package: {name!r}")


# --- discovery._manifests._places ---

MANIFEST_FILE: Final = "fcregistry.json"
"""The name of a manifest in a package; that of a module without a package is `MODULE.fcregistry.json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageLocation:
    """Where a package stands; or a module that is in none.

    Attributes:
        folder: The folder that its name is relative to, as an entry of `sys.path` is.
        parts: Its dotted name, split; several parts only where namespace packages stand above it.
        is_package: Whether it is a package rather than a module.
    """

    folder: Path
    parts: tuple[str, ...]
    is_package: bool

    @property
    def manifest(self) -> Path:
        """Where its manifest stands."""
        stem = self.folder.joinpath(*self.parts)
        return stem / MANIFEST_FILE if self.is_package else stem.with_name(f"{stem.name}.{MANIFEST_FILE}")

    def name_of(self, path: Path) -> str | None:
        """Return a file's path relative to the folder, with slashes, if it is the module or lies in the package, else None."""
        stem = self.folder.resolve().joinpath(*self.parts)
        path = path.resolve()
        inside = path.is_relative_to(stem) if self.is_package else path == stem.with_name(f"{stem.name}.py")
        return path.relative_to(self.folder.resolve()).as_posix() if inside else None


def location_of(found: FoundPlugin) -> PackageLocation | None:
    """Return where the code of an entry point stands; None where that is no folder of Python files.

    In a regular install that is beside the distribution's metadata. An editable one has it elsewhere, and Python's own finders are asked
    where: for the topmost package only, because to find a module in a package they would import the package.
    """
    parts = found.module.split(".")
    beside = location_in(Path(found.folder), parts) if found.folder else None
    if beside is not None:
        return beside
    return next((place for folder in _folders_of(parts[0]) if (place := location_in(folder, parts)) is not None), None)


def location_in(folder: Path, parts: Sequence[str]) -> PackageLocation | None:
    """Return where the topmost package or module stands, below a folder, that a dotted name leads through; None if it is not there."""
    for length, name in enumerate(parts, start=1):
        path = folder.joinpath(*parts[:length])
        above = tuple(parts[:length])
        if (path / "__init__.py").is_file():
            return PackageLocation(folder=folder, parts=above, is_package=True)
        if path.with_name(f"{name}.py").is_file():
            return PackageLocation(folder=folder, parts=above, is_package=False)
        if not path.is_dir():
            return None
    return None  # namespace packages all the way: nothing that an import would run


def _folders_of(name: str) -> Iterator[Path]:
    """Yield the folders that a top-level package or module stands in."""
    try:
        spec = find_spec(name)
    except Exception:  # foreign code: a finder of somebody's, which may raise anything, only fails to find  # noqa: BLE001
        return
    if spec is None:
        return
    if spec.submodule_search_locations is not None:
        yield from (Path(each).parent for each in spec.submodule_search_locations)
    elif spec.has_location and spec.origin is not None:
        yield Path(spec.origin).parent


# --- discovery._manifests._drift ---

_TOLD: Final = ("description", "parameters", "returns", "options", "deps", "problems")
"""What a caller can notice of a tool; where its function stands is not in it."""
_DRIFT_LONGEST: Final = 60


def manifest_drift(described: Mapping[str, Any], there: Mapping[str, Any]) -> list[str]:
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
        yield f"{path} is {_drift_shown(new)}, and is described as {_drift_shown(old)}"


_NOTHING: Final = object()


def _drift_shown(value: object) -> str:
    if value is _NOTHING:
        return "not there"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _DRIFT_LONGEST else f"{text[: _DRIFT_LONGEST - 1]}…"


# --- discovery._manifests._sources ---

_VERSION_LINE: Final = re.compile(
    rb"^(?:version|version_tuple|commit_id|__(?:version|version_tuple|commit_id)__)\b[^=\n]*=.*$", re.MULTILINE
)


def source_digest(data: bytes, name: str) -> str:
    """Return the SHA-256, in hexadecimal, of a source file.

    The line ends are those of Unix, because some checkouts change them. In Python files, lines that give the version
    (`__version__ = …`) are left empty, so that a release needs no new manifest.

    Args:
        data: What stands in the file.
        name: Its name; the suffix tells a Python file.
    """
    data = data.replace(b"\r\n", b"\n")
    if name.endswith(".py"):
        data = _VERSION_LINE.sub(b"", data)
    return sha256(data).hexdigest()


def changed_sources(folder: Path, sources: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of sources that are not there, or have another digest; sorted.

    Args:
        folder: What the names are relative to.
        sources: Name -> digest.
    """
    return tuple(sorted(name for name, digest in sources.items() if _digest_in(folder, name) != digest))


def _digest_in(folder: Path, name: str) -> str | None:
    try:
        return source_digest((folder / name).read_bytes(), name)
    except OSError:
        return None

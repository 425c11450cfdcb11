"""The manifest: a file in which a package lists its own tools, so that they are described without an import.

A manifest is JSON: the tools of every entry point of one package, and digests of the sources that they were read from, which tell whether it
is as new as the code. It has nothing of the machine, nor a version or a time: the same code gives the same bytes, on any Python.
`fcregistry.packaging` writes it. A manifest that is read is external input: its size and depth are limited, and its paths are checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, TypedDict, cast

from fcregistry._tools.declaration import local_name
from fcregistry._tools.record import ABSENT, NOTICEABLE, ToolRecord, read_record, value_differences
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._found import FoundPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The part of a manifest for one entry point.

    Attributes:
        path: The file.
        tools: What the entry point ships; the paths of their files are absolute.
        dynamic: Whether its tools depend on the environment: then these are a hint.
        sources: The files of the package that it was read from.
        changed: Those of them, by their names in the manifest, that do not exist or have changed.
    """

    path: Path
    tools: list[ToolRecord]
    dynamic: bool
    sources: tuple[Path, ...]
    changed: tuple[str, ...]

    @property
    def is_stale(self) -> bool:
        """Whether the code has changed since, so that the manifest must not be used."""
        return bool(self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestProblem:
    """A manifest that exists and cannot be used for the entry point.

    Attributes:
        path: The file.
        message: The problem.
        advice: What to do about it.
    """

    path: Path
    message: str
    advice: str


def manifest_of(found: FoundPlugin) -> Manifest | ManifestProblem | None:
    """Return the part for an entry point in the manifest beside its code.

    The result is None if there is no manifest, and a `ManifestProblem` if the manifest cannot be used.

    Args:
        found: The entry point. It is not imported.
    """
    place = location_of(found)
    if place is None:
        return None
    path = place.manifest
    try:
        content = read_manifest(path)
        plugin = _entry_for(found, content)
        _check_covers(found, place, content["sources"])
    except FileNotFoundError:
        return None
    except OSError as error:
        return _problem(found, path, f"it cannot be read: {error.strerror or error}")
    except ValueError as error:  # UnicodeDecodeError too
        return _problem(found, path, str(error))
    return Manifest(
        path=path,
        tools=[{**tool, "file": tool["file"] and str(place.folder / tool["file"])} for tool in plugin["tools"]],
        dynamic=plugin["dynamic"],
        sources=tuple(place.folder / name for name in sorted(content["sources"])),
        changed=changed_sources(place.folder, content["sources"]),
    )


def _entry_for(found: FoundPlugin, content: ManifestContent) -> ManifestPlugin:
    """Return the part of a manifest for the entry point `found`.

    Raises:
        ValueError: The manifest is of another distribution, or does not list the entry point, or lists it with another value.
    """
    if normalized(content["distribution"]) != normalized(found.distribution):
        raise ValueError(f"it is the manifest of {content['distribution']}, not of {found.distribution}")
    for plugin in content["plugins"]:
        if plugin["entry_point"] == found.entry_point:
            if plugin["value"] != found.value:
                raise ValueError(f"it describes {plugin['value']}, and the entry point names {found.value}")
            return plugin
    raise ValueError("it does not list this entry point")


def _check_covers(found: FoundPlugin, place: PackageLocation, sources: Mapping[str, str]) -> None:
    """Check that a manifest has a digest of the module that the entry point names.

    Of a compiled module it has none, but then of another file of the package.

    Raises:
        ValueError: It has none.
    """
    stem = place.folder.joinpath(*found.module.split("."))
    package = stem / "__init__.py"
    file = package if package.is_file() else stem.with_name(f"{stem.name}.py")
    name = file.relative_to(place.folder).as_posix()
    is_compiled = any(file.with_name(f"{file.stem}{suffix}").is_file() for suffix in EXTENSION_SUFFIXES)
    if name not in sources and not (sources and (is_compiled or not file.is_file())):
        raise ValueError(f"it has no digest of {name}, so fcregistry cannot see whether this file has changed since")


def _problem(found: FoundPlugin, path: Path, message: str) -> ManifestProblem:
    """Return a `ManifestProblem` with `message` for the manifest at `path`, and with what the user can do."""
    advice = f"run in the project of {found.distribution}: fcregistry manifest build; or tell its authors"
    return ManifestProblem(path=path, message=message, advice=advice)


# --- The content of a manifest ---

MANIFEST_FORMAT: Final = 1
"""The number of this format; manifests of another format are ignored."""

MAX_MANIFEST_BYTES: Final = 16 * 2**20
"""The most bytes of a file of tool records to read; ten thousand tools take some ten megabytes."""
_MOST_VALUES: Final = 1_000_000
"""The most JSON values to read: a few bytes of text may become a hundred in memory."""
_LONGEST_VALUE: Final = 80
"""The most characters of a value in a message about the content."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class ManifestPlugin(TypedDict):
    """One entry point.

    Attributes:
        entry_point: Its name.
        value: What it names: `module` or `module:object`.
        dynamic: Whether its tools depend on the environment: then the listed ones are a hint.
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
        plugins: Its entry points whose code is in this package, sorted by name.
        sources: File of the package, relative to the package's parent folder -> its digest, see `source_digest`; sorted.
    """

    format: int
    distribution: str
    plugins: list[ManifestPlugin]
    sources: dict[str, str]


def manifest_text(content: ManifestContent) -> str:
    """Return the text of a manifest.

    The order of names in a schema is preserved, since it is the order of parameters.
    """
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    return _SURROGATE.sub(lambda found: json.dumps(found[0])[1:-1], text)  # UTF-8 cannot encode it


def read_bounded(file: IO[bytes], most: int = MAX_MANIFEST_BYTES) -> str:
    """Return the text of an external file, of which at most `most` bytes are read.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is larger, or not UTF-8.
    """
    data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it is larger than {most} bytes, the limit")
    return data.decode("utf-8")


def parse_external_json(text: str) -> Any:
    """Return the value of an external JSON text.

    Raises:
        ValueError: It is not JSON, is nested too deeply, or has too many values.
    """
    if sum(map(text.count, ",[{")) > _MOST_VALUES:  # also those in strings: the count is never too low
        raise ValueError(f"it has more than {_MOST_VALUES} JSON values, the limit")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read_manifest(path: Path) -> ManifestContent:
    """Return the content of a manifest.

    Raises:
        OSError: It cannot be read.
        ValueError: It is not a valid manifest; the message says why.
    """
    with path.open("rb") as file:
        return parse_manifest(read_bounded(file))


def parse_manifest(text: str) -> ManifestContent:
    """Return the content of a manifest from its text.

    Raises:
        ValueError: It is not a valid manifest; the message says why.
    """
    content = parse_external_json(text)
    if not isinstance(content, dict) or "format" not in content:
        raise ValueError("it is not a manifest: a manifest is a JSON object with the member `format`")
    if content["format"] != MANIFEST_FORMAT:
        raise ValueError(f"its format is {content['format']!r}, and this version of fcregistry reads {MANIFEST_FORMAT}")
    try:
        _check(content)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"a value is missing, or has another type: {error!r}") from error
    return cast(ManifestContent, content)


def _check(content: dict[str, Any]) -> None:
    """Check the content of a manifest, and replace its tool records, in place, by normalized ones.

    Raises:
        KeyError, TypeError, AttributeError: A value is missing, or has another type.
        ValueError: A tool record is not valid, a group has two tools of one name, or a path is not inside the package's parent folder.
    """
    _check_kind(content["distribution"], str, "distribution")
    for plugin in content["plugins"]:
        for name, kind in (("entry_point", str), ("value", str), ("dynamic", bool)):
            _check_kind(plugin[name], kind, name)
        seen = set()
        for place, written in enumerate(plugin["tools"]):
            try:
                tool = plugin["tools"][place] = read_record(written)
            except ValueError as error:
                shown = repr(written.get("name") if isinstance(written, dict) else written)
                raise ValueError(f"the tool {_shortened(shown, _LONGEST_VALUE)} {error}") from None
            if tool["file"] is not None:
                _check_inside(tool["file"])
            if (key := (tool["group"], tool["name"])) in seen:
                raise ValueError(f"it lists {tool['name']!r} twice in the group {tool['group']!r}")
            seen.add(key)
    for name, digest in content["sources"].items():
        _check_kind(digest, str, name)
        _check_inside(name)


def _check_kind(value: object, kind: type, name: str) -> None:
    """Raise `TypeError` with `name` and `value` unless `value` is of the type `kind`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name}: {value!r}")


def _shortened(text: str, most: int) -> str:
    """Return `text`; if it has more than `most` characters, its beginning with an ellipsis, `most` in all."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _check_inside(name: str) -> None:
    """Raise `ValueError` if `name` cannot be a path, or may lead out of the package's parent folder.

    A path cannot have a NUL or a surrogate. `name` may lead out if it is absolute, or has `..`, a backslash or a colon.
    """
    if "\0" in name or _SURROGATE.search(name):
        raise ValueError(f"it names a path that no file can have: {_shortened(repr(name), _LONGEST_VALUE)}")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise ValueError(f"it names a file outside the package: {name!r}")


# --- The place of a package and its manifest ---

MANIFEST_FILE: Final = "fcregistry.json"
"""The name of a manifest in a package; that of a module without a package is `MODULE.fcregistry.json`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageLocation:
    """The place of a package, or of a module outside a package.

    Attributes:
        folder: The folder that its name is relative to, as an entry of `sys.path` is.
        parts: Its dotted name, split; several parts only if it is in a namespace package.
        is_package: Whether it is a package rather than a module.
    """

    folder: Path
    parts: tuple[str, ...]
    is_package: bool

    @property
    def manifest(self) -> Path:
        """The path of its manifest."""
        stem = self.folder.joinpath(*self.parts)
        return stem / MANIFEST_FILE if self.is_package else stem.with_name(f"{stem.name}.{MANIFEST_FILE}")

    def name_of(self, path: Path) -> str | None:
        """Return `path` relative to `folder`, with slashes; None if it is not in the package or module."""
        stem = self.folder.resolve().joinpath(*self.parts)
        path = path.resolve()
        inside = path.is_relative_to(stem) if self.is_package else path == stem.with_name(f"{stem.name}.py")
        return path.relative_to(self.folder.resolve()).as_posix() if inside else None


def location_of(found: FoundPlugin) -> PackageLocation | None:
    """Return the place of an entry point's code; None if the code is not in Python files.

    In a regular install, the code is beside the distribution's metadata. In an editable install it is elsewhere, and Python's own finders are
    asked for the topmost package only, because to find a module in a package they would import the package.
    """
    parts = found.module.split(".")
    beside = location_in(Path(found.folder), parts) if found.folder else None
    if beside is not None:
        return beside
    return next((place for folder in _folders_of(parts[0]) if (place := location_in(folder, parts)) is not None), None)


def location_in(folder: Path, parts: Sequence[str]) -> PackageLocation | None:
    """Return the place of the topmost package or module in a dotted name, below a folder.

    Namespaces do not count. The result is None if there is no such package or module below the folder.

    Args:
        folder: The folder.
        parts: The dotted name, split.
    """
    for length, name in enumerate(parts, start=1):
        path = folder.joinpath(*parts[:length])
        above = tuple(parts[:length])
        if (path / "__init__.py").is_file():
            return PackageLocation(folder=folder, parts=above, is_package=True)
        if path.with_name(f"{name}.py").is_file():
            return PackageLocation(folder=folder, parts=above, is_package=False)
        if not path.is_dir():
            return None
    return None  # only namespace packages: an import would run nothing


def _folders_of(name: str) -> Iterator[Path]:
    """Yield the folders that contain the top-level package or module `name`, without importing it.

    Nothing is yielded if it does not exist, is in no file, or if a finder raises an exception. A namespace may have several folders.
    """
    try:
        spec = find_spec(name)
    except Exception:  # foreign code: a finder that raises has not found it  # noqa: BLE001
        return
    if spec is None:
        return
    if spec.submodule_search_locations is not None:
        yield from (Path(each).parent for each in spec.submodule_search_locations)
    elif spec.has_location and spec.origin is not None:
        yield Path(spec.origin).parent


# --- The sources that a manifest describes ---

_VERSION_LINE: Final = re.compile(
    rb"^(?:version|version_tuple|commit_id|__(?:version|version_tuple|commit_id)__)\b[^=\n]*=.*$", re.MULTILINE
)


def source_digest(data: bytes, name: str) -> str:
    """Return the SHA-256, in hexadecimal, of a source file.

    The line ends are those of Unix, because some checkouts change them. In Python files, lines that give the version
    (`__version__ = …`) count as empty, so that a release needs no new manifest.

    Args:
        data: The content of the file.
        name: Its name; the suffix says whether it is a Python file.
    """
    data = data.replace(b"\r\n", b"\n")
    if name.endswith(".py"):
        data = _VERSION_LINE.sub(b"", data)
    return sha256(data).hexdigest()


def changed_sources(folder: Path, sources: Mapping[str, str]) -> tuple[str, ...]:
    """Return, sorted, the names of the sources that do not exist or have another digest.

    Args:
        folder: The folder that the names are relative to.
        sources: Name -> digest.
    """
    changed = []
    for name, digest in sorted(sources.items()):
        try:
            if source_digest((folder / name).read_bytes(), name) != digest:
                changed.append(name)
        except OSError:
            changed.append(name)
    return tuple(changed)


# --- Differences between a description and the code ---

_LONGEST_DIFFERENCE: Final = 60
"""The most characters of a value in a line about a difference."""


def manifest_drift(described: Iterable[ToolRecord], current: Iterable[ToolRecord]) -> list[str]:
    """Return a line for each difference between the tools of a plugin and its description.

    Args:
        described: The records of the tools in a manifest.
        current: The records of the tools as the code declares them now.
    """
    old, new = ({local_name(each["name"], each["group"]): each for each in tools} for tools in (described, current))
    lines = []
    for name in sorted({*old, *new}):
        if name not in new:
            lines.append(f"{name}: is described, but the code does not declare it")
        elif name not in old:
            lines.append(f"{name}: is not described, but the code declares it")
        else:
            lines += [
                f"{name}: {path} is {_shown(now)}, but is described as {_shown(before)}"
                for field in NOTICEABLE
                for path, before, now in value_differences(old[name].get(field), new[name].get(field), field)
            ]
    return lines


def _shown(value: object) -> str:
    """Return a value as JSON for a line about a difference, shortened to 60 characters.

    The result is `missing` for `ABSENT`.
    """
    if value is ABSENT:
        return "missing"
    return _shortened(json.dumps(value, ensure_ascii=False), _LONGEST_DIFFERENCE)

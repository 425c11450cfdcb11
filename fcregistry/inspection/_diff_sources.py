"""Reads the tools of one version of a distribution from a lock, a manifest, a wheel, or the installed distribution.

The content of a file, and not its name, decides which of these it is. A wheel is not installed, and none of its code runs: its manifests list
its tools. Of installed plugins, all tools count, whatever the configuration hides: a lock, a manifest and a comparison are about packages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from fcregistry._base.wording import show
from fcregistry._config.lock import read_lock
from fcregistry._registry import catalogue_of, registry
from fcregistry._tools.declaration import local_name, log
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import ToolRecord, read_record
from fcregistry._tools.selectors import Owned, by_key, did_you_mean, effective, nearest, normalized
from fcregistry._tools.tool import Tool, owner_of
from fcregistry.discovery import (
    MANIFEST_FILE,
    MAX_MANIFEST_BYTES,
    FoundPlugin,
    FreshDescription,
    ManifestContent,
    PluginKey,
    Shipper,
    current,
    parse_external_json,
    parse_manifest,
    read_bounded,
)
from fcregistry.errors import ConfigurationError

if TYPE_CHECKING:
    from email.message import Message
    from zipfile import ZipFile

Fresh: TypeAlias = Mapping[PluginKey, FreshDescription]
"""The descriptions of plugins that were imported just now."""

LOCK_FILE: Final = "fcregistry.lock"
"""The usual name of a lock file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """The tools that one version of a distribution ships.

    Attributes:
        distribution: Its name.
        version: Its version; None if the source does not state it.
        tools: Its tools, sorted by group and name.
    """

    distribution: str
    version: str | None
    tools: tuple[ToolRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffSource:
    """A source from which the tools of distributions were read, such as a lock or a wheel.

    Attributes:
        name: The name that the user gave.
        kind: The kind of source.
        shipped: The tools of each distribution in it.
    """

    name: str
    kind: Literal["lock", "manifest", "wheel", "installed"]
    shipped: tuple[Shipped, ...]

    def only(self, distributions: Iterable[str]) -> DiffSource:
        """Return a copy that has only those of its distributions that are in `distributions`."""
        wanted = set(map(normalized, distributions))
        kept = tuple(each for each in self.shipped if normalized(each.distribution) in wanted)
        return DiffSource(name=self.name, kind=self.kind, shipped=kept)


def read_source(given: str) -> DiffSource:
    """Return the tools that a lock, a manifest, a wheel or an installed distribution lists or ships.

    For the name of an installed distribution, the function imports the plugins of that distribution. For a file, it imports no plugin.

    Args:
        given: The path of a lock, manifest or wheel, or the name of an installed distribution.

    Raises:
        ConfigurationError: There is no such file or distribution, or the file is not a lock, manifest or wheel; the message says what to do.
    """
    path = Path(given)
    if path.is_file():
        return _of_file(given, path)
    if given in (".", "..") or "/" in given or "\\" in given:
        what = "is a folder" if path.is_dir() else "is not a regular file" if path.exists() else "is not there"
        raise ConfigurationError(
            f"{given} {what}: give the path of a lock, manifest or wheel, or the name of a distribution"
        )
    shipped = installed(given)
    if shipped is None:
        names = current().distributions()
        near = did_you_mean(nearest(given, names)) or (f"; installed are {', '.join(names)}" if names else "")
        raise ConfigurationError(f"there is no file {given!r}, and no installed distribution that ships tools{near}")
    return DiffSource(name=given, kind="installed", shipped=(shipped,))


def installed_like(source: DiffSource) -> DiffSource:
    """Return the installed versions of those distributions in `source` that are installed."""
    found = [shipped for each in source.shipped if (shipped := installed(each.distribution)) is not None]
    return DiffSource(name="what is installed", kind="installed", shipped=tuple(found))


def installed(distribution: str) -> Shipped | None:
    """Return the tools that an installed distribution ships; None if no installed plugin is from it.

    The plugins are imported: what the index and manifests say is not used. The result includes hidden tools, and tools that cannot be
    defined. In mode `locked`, a distribution that differs from its lock is not imported.

    Raises:
        ConfigurationError: The distribution is installed but has no tools: its plugins cannot be loaded, or may not be imported.
    """
    plugins = [each for each in current().plugins if each.project == normalized(distribution)]
    if not plugins:
        return None
    permission = current().permission()
    refused = list(filter(None, map(permission.to_import, plugins)))
    fresh = current().describe_again([plugins[0].project])
    tools = () if len(refused) == len(plugins) else shipped_by(plugins[0].project)
    others = (record_of(each) for each in tools if _plugin_of(each) not in fresh)
    records = _sorted([*others, *(record for each in fresh.values() for record in records_of(each))])
    if not records:
        raise ConfigurationError(f"{plugins[0].distribution} is installed, and {_without_tools(plugins, refused)}")
    return Shipped(distribution=plugins[0].distribution, version=plugins[0].version, tools=records)


def _without_tools(plugins: list[FoundPlugin], refused: list[str]) -> str:
    """Return the reason that a distribution has no tools, as the end of a sentence.

    Args:
        plugins: Its plugins.
        refused: The reasons that some of them must not be imported; the first one is given if there is any.
    """
    if refused:
        return f"must not be imported: {refused[0]}"
    failing = [each.label for each in current().failing() if each in plugins]
    if failing:
        return f"{', '.join(failing)} does not load: `fcregistry doctor` says why"
    return "ships no tools"


def _of_file(given: str, path: Path) -> DiffSource:
    """Return the tools in a lock, a manifest or a wheel, whichever the file `path` is by its content.

    Args:
        given: The file as the user named it, for errors.
        path: The same file.

    Raises:
        ConfigurationError: It is none of these, cannot be read, or is damaged.
    """
    from zipfile import is_zipfile  # 5 ms, which an installed distribution does without

    if is_zipfile(path):
        return DiffSource(name=given, kind="wheel", shipped=(_read_wheel(path),))
    try:
        with path.open("rb") as file:
            text = read_bounded(file)
        written = parse_external_json(text)
    except OSError as error:
        raise ConfigurationError(f"{given} cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, json.JSONDecodeError):
        raise ConfigurationError(
            f"{given} is not a lock, manifest or wheel: it is neither JSON nor a zip file"
        ) from None
    except ValueError as error:
        raise ConfigurationError(f"{given} cannot be used: {error}") from None
    names = written if isinstance(written, dict) else {}
    if "fcregistry_lock" in names:
        return DiffSource(name=given, kind="lock", shipped=_of_lock(given, path))
    if "plugins" in names:
        shipped = _of_manifests([_manifest_content(given, text)], None)
        return DiffSource(name=given, kind="manifest", shipped=(shipped,))
    raise ConfigurationError(f"{given} is not a lock, manifest or wheel of fcregistry: it is JSON with other content")


def _of_lock(given: str, path: Path) -> tuple[Shipped, ...]:
    """Return the tools of each distribution in a lock, sorted by distribution.

    Raises:
        ConfigurationError: The lock cannot be used, or has a tool that is not a tool record.
    """
    lock = read_lock(str(path))
    if lock.problem is not None:
        raise ConfigurationError(f"{given} {lock.problem}")
    return tuple(
        Shipped(
            distribution=pin.name,
            version=pin.version,
            tools=_sorted(_checked(tool, given) for tool in pin.tools),
        )
        for _, pin in sorted(lock.pins.items())
    )


def _manifest_content(name: str, text: str) -> ManifestContent:
    """Return the content of a manifest with the text `text`.

    Raises:
        ConfigurationError: It cannot be used; the message calls it `name`.
    """
    try:
        return parse_manifest(text)
    except ValueError as error:
        raise ConfigurationError(f"{name} cannot be used: {error}") from error


def _of_manifests(contents: Iterable[ManifestContent], version: str | None) -> Shipped:
    """Return the tools that a distribution ships, sorted by group and name, from its manifests.

    There is at least one; the first one's name of the distribution is taken.
    """
    manifests = list(contents)
    tools = [tool for content in manifests for plugin in content["plugins"] for tool in plugin["tools"]]
    return Shipped(distribution=manifests[0]["distribution"], version=version, tools=_sorted(tools))


def _checked(tool: object, source: str) -> ToolRecord:
    """Return `tool`, a value in an untrusted file, as a tool record.

    Raises:
        ConfigurationError: It is not a tool record.
    """
    try:
        return read_record(tool)
    except ValueError as error:
        called = show(tool.get("name") if isinstance(tool, dict) else tool)
        raise ConfigurationError(f"{source} is damaged: its description of the tool {called} {error}") from None


def _sorted(tools: Iterable[ToolRecord]) -> tuple[ToolRecord, ...]:
    """Return `tools` sorted by group and name."""
    return tuple(sorted(tools, key=lambda tool: (tool["group"], tool["name"])))


# --- Installed plugins ---


def shipped_tools() -> tuple[tuple[Shipper, Tool], ...]:
    """Return the known tools of the plugins that load, each with its plugin or source, sorted by id.

    Tools that cannot be defined, and all candidates for one key, are among them. Imports nothing.
    """
    tools = [(plugin, catalogue_of(registry).tool(owned)) for plugin, owned in _declared()]
    return tuple(sorted(tools, key=lambda each: each[1].id))


def shipped_records(fresh: Fresh) -> dict[PluginKey, list[ToolRecord]]:
    """Return the records of the tools of each plugin that loads, hidden ones included.

    Args:
        fresh: New descriptions, which replace what is known of these plugins.
    """
    known: dict[PluginKey, list[ToolRecord]] = {}
    for plugin, tool in shipped_tools():
        if plugin.key not in fresh:
            known.setdefault(plugin.key, []).append(record_of(tool))
    return known | {key: records_of(each) for key, each in fresh.items() if each.record["failure"] is None}


def records_of(described: FreshDescription) -> list[ToolRecord]:
    """Return the records of a plugin's tools; none if the plugin does not load."""
    return [] if described.record["failure"] is not None else [json.loads(row.record) for row in described.rows]


def shipped_by(distribution: str) -> tuple[Tool, ...]:
    """Return the known tools of `distribution`, sorted by id, without replaced declarations."""
    wanted = normalized(distribution)
    all_candidates = by_key(owned for plugin, owned in _declared() if plugin.project == wanted).values()
    tools = (catalogue_of(registry).tool(each) for candidates in all_candidates for each in effective(candidates))
    return tuple(sorted(tools, key=lambda tool: tool.id))


def tools_of_plugin(distribution: str, entry_point: str) -> tuple[Tool, ...]:
    """Return the tools of one plugin, including those that cannot be defined, sorted by id."""
    owner = (distribution, entry_point)
    return tuple(tool for tool in registry.everything() if _plugin_of(tool) == owner)


def _plugin_of(tool: Tool) -> PluginKey | None:
    """Return the key (distribution and entry point) of the plugin or source that ships `tool`.

    None if the application itself declares the tool.
    """
    owner = owner_of(tool)
    return None if owner is None else (owner.distribution, owner.entry_point)


def _declared() -> list[tuple[Shipper, Owned]]:
    """Return the declared tools of plugins that load, then the described ones, each with its owner.

    Described tools are left out if their plugin is loaded in this process, or has declared a tool with their key. The application's own tools
    are left out.
    """
    discovery = current()
    failing = set(discovery.failing())
    owned = ((discovery.owner(each), each) for each in log)
    made: list[tuple[Shipper, Owned]] = [
        (plugin, Owned(each, plugin)) for plugin, each in owned if plugin is not None and plugin not in failing
    ]
    known = discovery.all_described()
    without = failing | {each.plugin for each in discovery.report().loaded}
    described = [(plugin, Owned(each, plugin)) for each, plugin in known if plugin not in without]
    keys = {(plugin, each.key) for plugin, each in made}
    return made + [each for each in described if (each[0], each[1].key) not in keys]


def tool_id(distribution: str, record: Mapping[str, Any]) -> str:
    """Return the canonical id of the tool with the record `record`, which `distribution` ships."""
    return f"{distribution}:{local_name(record['name'], record['group'])}"


# --- Wheels ---

_MOST_METADATA: Final = 2 * 2**20
"""The most bytes of METADATA after decompression: a small compressed file may be very large afterwards."""
_LEAST_DASHES: Final = 4
"""Dashes in the name of a wheel: between distribution, version, and the three tags."""


def _read_wheel(path: Path) -> Shipped:
    """Return the tools that a wheel ships, from its manifests.

    Source: the Binary Distribution Format of the Python Packaging User Guide.

    Raises:
        ConfigurationError: The file is not a wheel, is damaged, names several distributions, or has no manifest. The message then says how to
            add one.
    """
    import zipfile  # 5 ms, which other sources do without
    import zlib

    # What the checks below raise, and reading a zip file that is damaged, encrypted, or compressed in a way that Python does not know
    damaged = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
    try:
        with zipfile.ZipFile(path) as wheel:
            return _read(path, wheel)
    except ConfigurationError:
        raise
    except damaged as error:
        raise ConfigurationError(f"{path} is damaged, or not a wheel: {error}") from error


def _read(path: Path, wheel: ZipFile) -> Shipped:
    """Return the tools that an open wheel ships, after checking its names and metadata.

    Raises:
        ConfigurationError: It has no manifest, one of another distribution or one that cannot be used, or not one dist-info folder.
        ValueError: Its names or metadata are not those of a wheel. What reading a damaged zip file raises passes, too.
    """
    from email.parser import HeaderParser  # slow to import, and only wheels need it

    names = sorted(wheel.namelist())
    for name, following in pairwise([*names, ""]):
        if name == following:
            raise ValueError(f"it has {show(name)} twice")
        if any(part in ("", ".", "..") for part in name.removesuffix("/").split("/")) or "\\" in name:
            raise ValueError(f"it has a file with the name {show(name)}")
    info = _info_folder(path, names)
    metadata = HeaderParser().parsestr(_text(path, wheel, f"{info}/METADATA", _MOST_METADATA))
    distribution, version = (_header(metadata, name) for name in ("Name", "Version"))
    _check_names(path, info, distribution, version)
    manifests = [name for name in names if name.endswith((f"/{MANIFEST_FILE}", f".{MANIFEST_FILE}"))]
    if not manifests:
        raise ConfigurationError(
            f"{path} has no manifest, so its tools cannot be listed without running its code: `fcregistry manifest build` in "
            f"its project adds one to the next wheel; or install this one, and give the name {distribution!r} instead"
        )
    contents = []
    left = MAX_MANIFEST_BYTES  # of all manifests together
    for name in manifests:
        text = _text(path, wheel, name, left)
        left -= len(text)
        content = _manifest_content(f"{name} in {path}", text)
        if normalized(content["distribution"]) != normalized(distribution):
            raise ConfigurationError(
                f"{path} is a wheel of {distribution}, and {name} in it lists the tools of {show(content['distribution'])}: "
                f"build the wheel again, with the manifests of {distribution} alone"
            )
        contents.append(content)
    return _of_manifests(contents, version)


def _info_folder(path: Path, names: list[str]) -> str:
    """Return the name of the wheel's dist-info folder.

    A dist-info folder counts if it is at the top level or in the folder `NAME-VERSION.data`, from where an installer would install it. A folder
    with such a name inside a package does not count.

    Raises:
        ConfigurationError: There is not exactly one, or it has no METADATA.
    """
    folders = sorted({match[0] for name in names if (match := _METADATA_FOLDER.match(name))})
    if len(folders) > 1:
        raise ConfigurationError(
            f"{path} has {len(folders)} dist-info folders, {' and '.join(map(show, folders[:2]))}; a wheel has one"
        )
    if not folders or f"{folders[0]}/METADATA" not in names:
        raise ConfigurationError(f"{path} is a zip file, but not a wheel: it has no dist-info folder with METADATA")
    return folders[0]


_METADATA_FOLDER: Final = re.compile(r"(?:[^/]*\.data/(?:[^/]*/)*?)?(?:[^/]*\.)?(?:dist|egg)-info(?=/)", re.IGNORECASE)
"""The folder of metadata that contains a file, at the beginning of the file's name."""


def _text(path: Path, wheel: ZipFile, name: str, most: int) -> str:
    """Return the text of a file in a wheel, of at most `most` bytes, whatever size its header states.

    Raises:
        ConfigurationError: It is larger, is not UTF-8, or has a compression other than deflate.
    """
    from zipfile import ZIP_DEFLATED, ZIP_STORED

    if wheel.getinfo(name).compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ConfigurationError(
            f"{name} in {path} has an unsupported compression: files of wheels use deflate or none"
        )
    try:
        with wheel.open(name) as file:
            return read_bounded(file, most)
    except ValueError as error:
        raise ConfigurationError(f"{name} in {path} cannot be used: {error}") from error


def _header(metadata: Message, name: str) -> str:
    """Return the stripped value of the line `name` in METADATA.

    Raises:
        ValueError: There is not exactly one such line.
    """
    values = metadata.get_all(name, [])
    if len(values) != 1:
        raise ValueError(f"its METADATA must have one line {name}, not {len(values)}")
    return str(values[0]).strip()


def _check_names(path: Path, info: str, distribution: str, version: str) -> None:
    """Check that METADATA, its folder and the wheel's file name the same version of the same distribution.

    The file's name counts only if it is that of a wheel.

    Raises:
        ValueError: They do not, or the version is not valid.
    """
    named = [(info, info.rpartition(".")[0].split("-"))]
    if path.suffix == ".whl" and path.stem.count("-") >= _LEAST_DASHES:
        named.append((path.name, path.stem.split("-")[:2]))
    for place, parts in named:
        is_same = len(parts) == 2 and normalized(parts[0]) == normalized(distribution)
        if not is_same or read_version(parts[1]) is None or read_version(parts[1]) != read_version(version):
            raise ValueError(
                f"its METADATA is of {show(distribution)} {show(version)}, but it has the name {show(place)}"
            )


# --- Versions ---

_VERSION: Final = re.compile(r"v?(?:(\d{1,9})!)?(\d{1,9}(?:\.\d{1,9})*)(.*)", re.DOTALL)
_BEFORE: Final = re.compile(r"a|b|c|rc|pre|dev")


class Version(NamedTuple):
    """The parts of a version (PEP 440) that are compared.

    Attributes:
        epoch: Its epoch.
        release: The numbers of its release, padded with zeros to at least three.
        rest: The text after the release, such as `rc1`, in lower case and without separators.
    """

    epoch: int
    release: tuple[int, ...]
    rest: str

    @property
    def is_before_release(self) -> bool:
        """Whether it is a pre-release, such as `1.0rc1`."""
        return _BEFORE.match(self.rest) is not None


def read_version(text: str | None) -> Version | None:
    """Parse a version; return None if the text is not a version."""
    match = _VERSION.fullmatch((text or "").strip())
    if match is None:
        return None
    numbers = [int(each) for each in match[2].split(".")]
    release = tuple(numbers + [0] * (3 - len(numbers)))
    return Version(int(match[1] or 0), release, re.sub(r"[-_.]", "", match[3]).lower())

"""The manifests of a distribution: building, comparing, and verifying them for an archive.

To build them, worker processes import the plugins, as for the index. Verifying imports nothing of the plugin: where wheels are built, what
the plugin depends on is not installed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path, PurePosixPath
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING, Final

from fcregistry._tools.selectors import normalized
from fcregistry.discovery import (
    MANIFEST_FILE,
    MANIFEST_FORMAT,
    ManifestContent,
    ManifestPlugin,
    PackageLocation,
    Permission,
    changed_sources,
    describe_in_workers,
    find_extensions,
    find_plugins,
    location_in,
    location_of,
    manifest_drift,
    manifest_text,
    parse_manifest,
    read_manifest,
    source_digest,
)
from fcregistry.packaging._project import PackagingError, search_path

if TYPE_CHECKING:
    from fcregistry._tools.record import ToolRecord
    from fcregistry.discovery import FreshDescription
    from fcregistry.packaging._project import BuildTarget


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltManifest:
    """A manifest that matches the code.

    Attributes:
        path: The path of its file.
        folder: The folder that the paths in it are relative to.
        content: Its content.
    """

    path: Path
    folder: Path
    content: ManifestContent

    @property
    def text(self) -> str:
        """Its text."""
        return manifest_text(self.content)

    @property
    def written(self) -> str | None:
        """The text of the file as it is now; None if it cannot be read."""
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def write(self) -> None:
        """Write the file.

        Raises:
            PackagingError: Its folder was written by an installer.
        """
        if any(self.folder.glob("*.dist-info")):
            raise PackagingError(
                f"{self.path.parent} is an installed copy, which its next install replaces: run fcregistry manifest build in "
                f"the project of {self.content['distribution']}"
            )
        self.path.write_text(self.text, encoding="utf-8", newline="\n")


def build_manifests(target: BuildTarget) -> tuple[BuiltManifest, ...]:
    """Return the manifests of a distribution, sorted by path.

    Its plugins are imported in worker processes, without a time limit.

    Args:
        target: The distribution.

    Raises:
        PackagingError: It has no plugins, or one does not load, or a tool cannot be defined.
    """
    is_own = target.folder is not None  # its author runs it whatever the configuration allows
    with search_path(target.path):
        installed = (*find_plugins(), *find_extensions())
        plugins = [each for each in find_plugins() if each.project == normalized(target.distribution)]
        failures = [] if plugins else [f"no distribution {target.distribution!r} with plugins is installed here"]
        if not is_own:
            permission = Permission()
            refusals = ((each, permission.to_import(each)) for each in plugins)
            failures += [f"{each.label} may not be imported: {reason}" for each, reason in refusals if reason]
        made = []
        if not failures:
            made = describe_in_workers(plugins, installed, seconds=TIMEOUT_MAX, path=target.path, ignore_rules=is_own)
        places = [(each, location_of(each.plugin)) for each in made]
    failures += [failure for each, place in places for failure in _failures(each, place)]
    if failures:
        lines = [f"  - {each}".replace("\n", "\n    ") for each in failures]
        raise PackagingError("\n".join([f"the manifest of {target.distribution} cannot be built:", *lines]))
    packages: dict[Path, tuple[PackageLocation, list[FreshDescription]]] = {}
    for each, place in places:
        assert place is not None
        packages.setdefault(place.manifest, (place, []))[1].append(each)
    read = sorted({path for each in made for path in each.files})
    return tuple(
        BuiltManifest(
            path=path,
            folder=place.folder,
            content=ManifestContent(
                format=MANIFEST_FORMAT,
                distribution=normalized(target.distribution),
                plugins=[_plugin(place, each) for each in shipped],
                sources=_sources(place, read),
            ),
        )
        for path, (place, shipped) in sorted(packages.items())
    )


def _failures(made: FreshDescription, place: PackageLocation | None) -> list[str]:
    """Return the reasons why a plugin cannot be described by a manifest."""
    plugin, record = made.plugin, made.record
    if record["failure"] is not None:
        lines = [f"{plugin.label} does not load: {record['failure']}", *record["detail"].splitlines(), record["advice"]]
        return ["\n".join(lines)]
    if not made.rows:
        return [f"{plugin.label} ships no tools: importing {plugin.value} declares none"]
    if place is None:
        return [f"{plugin.label}: {plugin.module} is not a module in a folder, so there is no place for a manifest"]
    tools = _tools(made)
    failures = [
        f"{one['group']}.{one['name']} is declared twice, in {one['module']} and {two['module']}: give one of them "
        "name=…, or another group, or say replace=True"
        for one, two in pairwise(tools)
        if (one["group"], one["name"]) == (two["group"], two["name"])
    ]
    failures += [
        f"{each['name']} cannot be defined: {'; '.join(each['problems'])}" for each in tools if "problems" in each
    ]
    return [f"{plugin.label}: {each}" for each in failures]


def _tools(made: FreshDescription) -> list[ToolRecord]:
    return [json.loads(row.record) for row in made.rows]


def _plugin(place: PackageLocation, made: FreshDescription) -> ManifestPlugin:
    return ManifestPlugin(
        entry_point=made.plugin.entry_point,
        value=made.plugin.value,
        dynamic=made.record["dynamic"],
        tools=[_with_relative_path(place, tool) for tool in _tools(made)],
    )


def _with_relative_path(place: PackageLocation, tool: ToolRecord) -> ToolRecord:
    """Return a tool's record with its file relative to the package's parent folder.

    A file of another package is left out.
    """
    name = place.name_of(Path(tool["file"])) if tool["file"] is not None else None
    return {**tool, "file": name, "line": tool["line"] if name is not None else None}


def _sources(place: PackageLocation, files: Iterable[str]) -> dict[str, str]:
    """Return the digests of the package's own files among those that were read, without compiled ones."""
    named = ((place.name_of(Path(path)), Path(path)) for path in files)
    return {
        name: source_digest(path.read_bytes(), name)
        for name, path in sorted((name, path) for name, path in named if name is not None)
        if not name.endswith((".so", ".pyd", MANIFEST_FILE)) and path.is_file()
    }


# --- Differences between a manifest and the code ---


def manifest_differences(built: BuiltManifest) -> list[str]:
    """Return how a manifest's file differs from what the code needs; nothing if it is up to date.

    Args:
        built: The manifest that matches the code. The tools of a dynamic plugin may differ.
    """
    written = built.written
    if written is None:
        return ["the file does not exist or cannot be read"]
    if written == built.text:
        return []
    try:
        old, new = parse_manifest(written), parse_manifest(built.text)
    except ValueError as error:
        return [str(error)]
    return list(_differences(old, new))


def _differences(old: ManifestContent, new: ManifestContent) -> Iterator[str]:
    if old["distribution"] != new["distribution"]:
        yield f"it names the distribution {old['distribution']}, and the project is {new['distribution']}"
    before, after = ({each["entry_point"]: each for each in content["plugins"]} for content in (old, new))
    for name in sorted({*before, *after}):
        if name not in after:
            yield f"the entry point {name} no longer exists"
        elif name not in before:
            yield f"the entry point {name} is missing"
        else:
            yield from _plugin_differences(name, before[name], after[name])
    for source in sorted({*old["sources"], *new["sources"]}):
        if old["sources"].get(source) != new["sources"].get(source):
            yield f"{source} has changed"


def _plugin_differences(name: str, old: ManifestPlugin, new: ManifestPlugin) -> Iterator[str]:
    if old["value"] != new["value"]:
        yield f"the entry point {name} names {new['value']}, not {old['value']}"
    if old["dynamic"] != new["dynamic"]:
        yield f"the tools of the entry point {name} {'no longer ' * old['dynamic']}depend on the environment"
    if new["dynamic"]:
        return
    lines = manifest_drift(old["tools"], new["tools"])
    yield from lines
    if not lines and old["tools"] != new["tools"]:
        yield f"a tool of the entry point {name} is at another place in the code, or has another digest"


# --- Manifests among the files of an archive ---

_BUILD: Final = "run in the project's folder: fcregistry manifest build"


def verify(distribution: str, entry_points: Mapping[str, str], files: Mapping[str, Path]) -> dict[str, Path]:
    """Return the manifests that a distribution needs: name in the archive -> file, sorted by file.

    Args:
        distribution: Its name.
        entry_points: Name -> value, of the group `fcregistry`.
        files: The files of the archive to build: name in the archive, with slashes -> file.

    Raises:
        PackagingError: There are no entry points; or a manifest is missing, is older than the code, or lists other entry points. The
            message says what to run.
    """
    if not entry_points:
        raise PackagingError(
            f"{distribution} has no plugins, so no manifest: its pyproject.toml has no [project.entry-points.fcregistry]"
        )
    manifests: dict[Path, tuple[str, Path, dict[str, str]]] = {}
    for entry_point, value in sorted(entry_points.items()):
        place, name = _place(entry_point, value, files)
        manifests.setdefault(place.manifest, (name, place.folder, {}))[2][entry_point] = value
    for path, (_, folder, values) in manifests.items():
        if problem := _problem(path, folder, distribution, values):
            raise PackagingError(f"{path}: {problem}; {_BUILD}")
    return {name: path for path, (name, _, _) in sorted(manifests.items())}


def _place(entry_point: str, value: str, files: Mapping[str, Path]) -> tuple[PackageLocation, str]:
    """Return the place of an entry point's code, and the name of its manifest in the archive."""
    parts = value.partition(":")[0].strip().split(".")
    beginnings = [(name, path) for name, path in files.items() if _tail(name, parts)]
    for name, path in sorted(beginnings, key=lambda each: (len(PurePosixPath(each[0]).parts), each[0])):
        depth = len(PurePosixPath(_tail(name, parts)).parts)
        place = location_in(path.parents[depth - 1], parts)
        if place is not None:
            above = PurePosixPath(name).parents[depth - 1]
            return place, str(above / place.manifest.relative_to(place.folder).as_posix())
    raise PackagingError(
        f'the archive has no file of {parts[0]}, which the entry point {entry_point} = "{value}" names'
    )


def _tail(name: str, parts: list[str]) -> str:
    """Return the end of a file's name that names the package or module, or a package above it.

    The result is empty if none does.
    """
    for length in range(1, len(parts) + 1):
        stem = "/".join(parts[:length])
        for tail in (f"{stem}/__init__.py", f"{stem}.py"):
            if f"/{name}".endswith(f"/{tail}"):
                return tail
    return ""


def _problem(path: Path, folder: Path, distribution: str, entry_points: Mapping[str, str]) -> str | None:
    try:
        content = read_manifest(path)
    except FileNotFoundError:
        return "the manifest is missing"
    except (OSError, ValueError) as error:
        return f"the manifest cannot be read: {error}"
    if normalized(content["distribution"]) != normalized(distribution):
        return f"this is the manifest of {content['distribution']}, not of {distribution}"
    listed = {each["entry_point"]: each["value"] for each in content["plugins"]}
    if listed != dict(entry_points):
        return f"the manifest lists the entry points {_shown(listed)}, and the project has {_shown(entry_points)}"
    if changed := changed_sources(folder, content["sources"]):
        return f"the manifest is older than the code: {', '.join(changed)} changed"
    return None


def _shown(entry_points: Mapping[str, str]) -> str:
    return ", ".join(f'{name} = "{value}"' for name, value in sorted(entry_points.items())) or "(none)"

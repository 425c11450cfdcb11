"""The manifests of a distribution: building, comparing, and verifying them for an archive.

The distribution is an installed one, or the project in the working folder.
To build them, worker processes import the plugins, as for the index. Verifying imports nothing of the plugin: where wheels are built, what
the plugin depends on is not installed.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import TYPE_CHECKING, Any, Final

from fcregistry._tools.record import REGISTER_OBJECT, unregistered_text
from fcregistry._tools.selectors import normalized
from fcregistry.discovery import (
    GROUP,
    MANIFEST_FILE,
    MANIFEST_FORMAT,
    ManifestContent,
    ManifestPlugin,
    PackageLocation,
    changed_sources,
    current,
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
from fcregistry.errors import FcregistryError

if TYPE_CHECKING:
    from fcregistry._tools.record import ToolRecord
    from fcregistry.discovery import FreshDescription


# --- The distribution to work on ---


class PackagingError(FcregistryError):
    """A project or a manifest is not valid for packaging; the message says where, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTarget:
    """A distribution, and the path on which it is found.

    Attributes:
        distribution: Its name.
        path: The value of `sys.path` with which it is found and can be imported.
        folder: The project's folder; None for an installed distribution that was named.
    """

    distribution: str
    path: tuple[str, ...]
    folder: Path | None


@contextmanager
def target_distribution(distribution: str | None, folder: Path) -> Iterator[BuildTarget]:
    """Return the context of the distribution to work on.

    A project is found as its pyproject.toml describes it now, whatever is installed of it: as long as the block lasts, a folder of
    metadata, as an installer would write it, comes before all others.

    Args:
        distribution: The name of an installed distribution, or None for the project in the folder.
        folder: The working folder.

    Raises:
        PackagingError: No distribution is named, and the folder has no pyproject.toml with a name.
    """
    here = tuple(each or str(Path.cwd()) for each in sys.path)
    if distribution is not None:
        yield BuildTarget(distribution=distribution, path=here, folder=None)
        return
    project = _project_in(folder)
    name = project["name"]
    entry_points = project.get("entry-points", {}).get(GROUP)
    if not entry_points:  # setuptools may have them elsewhere: then the installed metadata count
        yield BuildTarget(distribution=name, path=here, folder=folder)
        return
    with tempfile.TemporaryDirectory(prefix="fcregistry-") as metadata:
        _write_metadata(Path(metadata), project, entry_points, folder)
        code = [str(each) for each in (folder / "src", folder) if each.is_dir()]
        yield BuildTarget(distribution=name, path=(metadata, *code, *here), folder=folder)


@contextmanager
def search_path(path: tuple[str, ...]) -> Iterator[None]:
    """Replace `sys.path` of this process inside the block."""
    before = list(sys.path)
    sys.path[:] = path
    try:
        yield
    finally:
        sys.path[:] = before


def _project_in(folder: Path) -> dict[str, Any]:
    """Return the table `[project]` of the pyproject.toml in `folder`.

    Raises:
        PackagingError: There is no such file, it cannot be read, or has no [project] with a name, or the entry points are not tables.
    """
    path = folder / "pyproject.toml"
    advice = "run this in the folder of a plugin's project, or name an installed distribution"
    try:
        project: Any = tomllib.loads(path.read_text(encoding="utf-8")).get("project")
    except FileNotFoundError:
        raise PackagingError(f"there is no pyproject.toml in {folder}: {advice}") from None
    except (OSError, ValueError) as error:
        raise PackagingError(f"{path} cannot be read: {error}") from error
    if not isinstance(project, dict) or not isinstance(project.get("name"), str):
        raise PackagingError(f"{path} has no [project] with a name: {advice}")
    entry_points = project.get("entry-points", {})
    if not isinstance(entry_points, dict) or not isinstance(entry_points.get(GROUP, {}), dict):
        raise PackagingError(f"{path}: [project.entry-points.{GROUP}] must be a table")
    return project


def _write_metadata(folder: Path, project: dict[str, Any], entry_points: dict[str, Any], code: Path) -> None:
    """Write the `.dist-info` folder of a project into `folder`, as for an editable install.

    Args:
        folder: The folder, which has no such metadata yet.
        project: The table `[project]`; without a version, it is 0.
        entry_points: Name -> value of the entry points of the group `fcregistry`.
        code: The folder of the project.
    """
    version = str(project.get("version", "0"))
    info = folder / f"{project['name'].replace('-', '_')}-{version.replace(os.sep, '_')}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    lines = [f"[{GROUP}]", *(f"{name} = {value}" for name, value in entry_points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    record = {"url": code.resolve().as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(record), encoding="utf-8")


# --- Building ---


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltManifest:
    """A manifest that matches the code.

    Attributes:
        path: The path of its file.
        folder: The folder that the paths in it are relative to.
        content: Its content.
        remarks: Sentences about what the code of the plugins declares, and is not in it.
    """

    path: Path
    folder: Path
    content: ManifestContent
    remarks: tuple[str, ...] = ()

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
    is_own = target.folder is not None  # an author's own project is built whether the configuration allows it or not
    with search_path(target.path):
        installed = (*find_plugins(), *find_extensions())
        plugins = [each for each in find_plugins() if each.project == normalized(target.distribution)]
        failures = [] if plugins else [f"no distribution {target.distribution!r} with plugins is installed here"]
        if not is_own:
            permission = current().permission()
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
            remarks=tuple(
                f"{each.plugin.label}: {unregistered_text(each.record)}: {REGISTER_OBJECT}"
                for each in shipped
                if each.record["unregistered"]
            ),
        )
        for path, (place, shipped) in sorted(packages.items())
    )


def _failures(made: FreshDescription, place: PackageLocation | None) -> list[str]:
    """Return the reasons, as messages, that a plugin cannot be described by a manifest; empty if it can.

    Args:
        made: The description of the plugin.
        place: The place of its package, or None if it is not in a folder.
    """
    plugin, record = made.plugin, made.record
    if record["failure"] is not None:
        lines = [f"{plugin.label} does not load: {record['failure']}", *record["detail"].splitlines(), record["advice"]]
        return ["\n".join(lines)]
    if not made.rows:
        why = f"importing {plugin.value} declares none"
        if record["unregistered"]:
            why = f"{unregistered_text(record)}: {REGISTER_OBJECT}"
        return [f"{plugin.label} ships no tools: {why}"]
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
    """Return the records of the tools in a description, in its order."""
    return [json.loads(row.record) for row in made.rows]


def _plugin(place: PackageLocation, made: FreshDescription) -> ManifestPlugin:
    """Return the entry of a plugin in a manifest, with files relative to the package's parent folder.

    Args:
        place: The place of its package.
        made: The description of the plugin.
    """
    return ManifestPlugin(
        entry_point=made.plugin.entry_point,
        value=made.plugin.value,
        dynamic=made.record["dynamic"],
        tools=[_with_relative_path(place, tool) for tool in _tools(made)],
    )


def _with_relative_path(place: PackageLocation, tool: ToolRecord) -> ToolRecord:
    """Return a copy of a tool's record, with its file relative to the package's parent folder.

    File and line are None if the file is not in the package.
    """
    name = place.name_of(Path(tool["file"])) if tool["file"] is not None else None
    return {**tool, "file": name, "line": tool["line"] if name is not None else None}


def _sources(place: PackageLocation, files: Iterable[str]) -> dict[str, str]:
    """Return name -> digest, sorted by name, for those of `files` that are in the package.

    A name is relative to the package's parent folder. Compiled files, manifests, folders, and files that do not exist are left out.
    """
    named = ((place.name_of(Path(path)), Path(path)) for path in files)
    return {
        name: source_digest(path.read_bytes(), name)
        for name, path in sorted((name, path) for name, path in named if name is not None)
        if not name.endswith((".so", ".pyd", MANIFEST_FILE)) and path.is_file()
    }


# --- Differences between a manifest and the code ---


def manifest_differences(built: BuiltManifest) -> list[str]:
    """Return how a manifest's file differs from what the code needs; empty if it is up to date.

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
    """Yield a sentence for each difference between two manifests; nothing if they are equal.

    Args:
        old: The manifest as it is.
        new: The manifest that matches the code.
    """
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
    """Yield a sentence for each difference between two entries of an entry point in a manifest.

    If the new tools depend on the environment, the tools are not compared.

    Args:
        name: The name of the entry point.
        old: The entry in the manifest as it is.
        new: The entry that matches the code.
    """
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
    """Check the manifests that a distribution needs, and return them: name in the archive -> file, sorted.

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
    """Return the place of an entry point's code, and the name of its manifest in the archive.

    Args:
        entry_point: The name of the entry point, for the message.
        value: Its value, `MODULE` or `MODULE:OBJECT`.
        files: Name in the archive -> file.

    Raises:
        PackagingError: The archive has no file of the entry point's package.
    """
    parts = value.partition(":")[0].strip().split(".")
    stems = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    tails = [f"{stem}{end}" for stem in stems for end in ("/__init__.py", ".py")]
    for name in sorted(files, key=lambda name: (name.count("/"), name)):
        tail = next((each for each in tails if f"/{name}".endswith(f"/{each}")), None)
        if tail and (place := location_in(files[name].parents[tail.count("/")], parts)) is not None:
            return place, name.removesuffix(tail) + place.manifest.relative_to(place.folder).as_posix()
    raise PackagingError(
        f'the archive has no file of {parts[0]}, which the entry point {entry_point} = "{value}" names'
    )


def _problem(path: Path, folder: Path, distribution: str, entry_points: Mapping[str, str]) -> str | None:
    """Return the reason a manifest does not match its distribution or the code, or None if it does.

    A manifest that is missing or cannot be read has a reason too.

    Args:
        path: The manifest.
        folder: The folder of the code.
        distribution: The name of the distribution.
        entry_points: Name -> value, for the entry points of this manifest.
    """
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
    if not content["sources"]:
        return "the manifest has no digests of the code, so that nothing says whether it is as new"
    if changed := changed_sources(folder, content["sources"]):
        return f"the manifest is older than the code: {', '.join(changed)} changed"
    return None


def _shown(entry_points: Mapping[str, str]) -> str:
    """Return entry points as `name = "value"`, sorted and separated by commas; `(none)` if there are none."""
    return ", ".join(f'{name} = "{value}"' for name, value in sorted(entry_points.items())) or "(none)"

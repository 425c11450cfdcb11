"""The manifests of a distribution: building, comparing, and verifying them for an archive.

Building imports the plugins, in a process of its own (`_worker.py`). Verifying imports nothing of the plugin: where wheels are built, what the
plugin depends on is not installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from fcregistry._tools.selectors import normalized
from fcregistry.discovery import (
    ManifestContent,
    ManifestPlugin,
    PackageLocation,
    changed_sources,
    location_in,
    manifest_drift,
    parse_manifest,
    read_manifest,
)
from fcregistry.packaging._project import PackagingError

if TYPE_CHECKING:
    from fcregistry.packaging._project import Target
    from fcregistry.packaging._worker import Answer

_RUN_WORKER: Final = "from fcregistry.packaging._worker import main; main()"
# The program sets `sys.path` before its first import of fcregistry: a new process would begin with another one. Before that, it makes an
# interrupt end it silently: the process that asked reports the interrupt.
_QUIET: Final = (
    "import _signal; _signal.getsignal(2) is _signal.default_int_handler and _signal.signal(2, _signal.SIG_DFL)"
)
_START: Final = f"{_QUIET}; import json, sys; sys.path[:] = json.loads(sys.argv[1])['path']; {_RUN_WORKER}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltManifest:
    """A manifest as the code would have it.

    Attributes:
        path: The path of its file.
        folder: The folder that the paths in it are relative to.
        text: Its text.
    """

    path: Path
    folder: Path
    text: str

    @property
    def content(self) -> ManifestContent:
        """Its content."""
        return parse_manifest(self.text)

    @property
    def standing(self) -> str | None:
        """The text of the file now; None if it cannot be read."""
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


def build_manifests(target: Target) -> tuple[BuiltManifest, ...]:
    """Return the manifests of a distribution, sorted by path.

    Its plugins are imported in a process of their own.

    Args:
        target: The distribution.

    Raises:
        PackagingError: It has no plugins, or one does not load, or a tool cannot be defined.
    """
    answer = _run_worker(target)
    if answer["failures"]:
        failures = [f"  - {each}".replace("\n", "\n    ") for each in answer["failures"]]
        raise PackagingError("\n".join([f"{target.distribution} gets no manifest:", *failures]))
    return tuple(
        BuiltManifest(path=Path(each["path"]), folder=Path(each["folder"]), text=each["text"])
        for each in answer["manifests"]
    )


def _run_worker(target: Target) -> Answer:
    with tempfile.TemporaryDirectory(prefix="fcregistry-") as folder:
        file = Path(folder) / "answer.json"
        asked = {
            "distribution": target.distribution,
            "is_own": target.folder is not None,
            "path": target.path,
            "answer": str(file),
        }
        done = subprocess.run(
            [sys.executable, "-P", "-B", "-c", _START, json.dumps(asked)],
            stdin=subprocess.DEVNULL,
            stdout=2,
            check=False,
        )
        if not file.exists():
            how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
            raise PackagingError(
                f"{target.distribution} gets no manifest: importing its plugins ended the process ({how})"
            )
        answer: Answer = json.loads(file.read_text(encoding="utf-8"))
        return answer


# --- Differences between a manifest and the code ---


def manifest_differences(built: BuiltManifest) -> list[str]:
    """Return how a manifest's file differs from what the code needs; nothing if it is up to date.

    Args:
        built: The manifest as the code would have it. The tools of a dynamic plugin are a hint, and may differ.
    """
    if built.standing is None:
        return ["it is not there"]
    if built.standing == built.text:
        return []
    try:
        standing = parse_manifest(built.standing)
    except ValueError as error:
        return [str(error)]
    return list(_differences(standing, built.content))


def _differences(old: ManifestContent, new: ManifestContent) -> Iterator[str]:
    if old["distribution"] != new["distribution"]:
        yield f"it is of {old['distribution']}, and the distribution is {new['distribution']}"
    before, after = ({each["entry_point"]: each for each in content["plugins"]} for content in (old, new))
    for name in sorted({*before, *after}):
        if name not in after:
            yield f"the entry point {name} is gone"
        elif name not in before:
            yield f"the entry point {name} is not in it"
        else:
            yield from _plugin_differences(name, before[name], after[name])
    for source in sorted({*old["sources"], *new["sources"]}):
        if old["sources"].get(source) != new["sources"].get(source):
            yield f"{source} has changed"


def _plugin_differences(name: str, old: ManifestPlugin, new: ManifestPlugin) -> Iterator[str]:
    if old["value"] != new["value"]:
        yield f"the entry point {name} names {new['value']}, not {old['value']}"
    if old["dynamic"] != new["dynamic"]:
        yield f"the tools of the entry point {name} depend on the environment{' no more' * old['dynamic']}"
    if new["dynamic"]:
        return
    lines = manifest_drift(old, new)
    yield from lines
    if not lines and old["tools"] != new["tools"]:
        yield f"a tool of the entry point {name} stands in another place, or has another digest"


# --- Manifests among the files of an archive ---

_BUILD = "run in the project's folder: fcregistry manifest build"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedManifest:
    """A manifest that matches the sources.

    Attributes:
        path: Its file.
        name: Its name in the archive, with slashes.
    """

    path: Path
    name: str


def verify(
    distribution: str, entry_points: Mapping[str, str], files: Mapping[str, Path]
) -> tuple[VerifiedManifest, ...]:
    """Return the manifests that a distribution needs, sorted by path.

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
            f"{distribution} has no plugins: there is no [project.entry-points.fcregistry], so no manifest"
        )
    plugins: dict[Path, tuple[PackageLocation, str, dict[str, str]]] = {}
    for entry_point, value in sorted(entry_points.items()):
        place, name = _place(entry_point, value, files)
        plugins.setdefault(place.manifest, (place, name, {}))[2][entry_point] = value
    for path, (place, _, values) in plugins.items():
        if problem := _problem(path, place.folder, distribution, values):
            raise PackagingError(f"{path}: {problem}; {_BUILD}")
    return tuple(VerifiedManifest(path=path, name=name) for path, (_, name, _) in sorted(plugins.items()))


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
        f'no file of {parts[0]}, which the entry point {entry_point} = "{value}" names, is to be built'
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
        return f"the manifest tells what {content['distribution']} ships, not {distribution}"
    listed = {each["entry_point"]: each["value"] for each in content["plugins"]}
    if listed != dict(entry_points):
        return f"the manifest tells of the entry points {_shown(listed)}, and the project has {_shown(entry_points)}"
    if changed := changed_sources(folder, content["sources"]):
        return f"the manifest is older than the code: {', '.join(changed)} changed"
    return None


def _shown(entry_points: Mapping[str, str]) -> str:
    return ", ".join(f'{name} = "{value}"' for name, value in sorted(entry_points.items())) or "(none)"

"""What does the manifest beside an entry point's code say, and does it still hold? Read without importing anything."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fcregistry._tools.record import PluginRecord, ToolRecord
from fcregistry._tools.selectors import normalized
from fcregistry.discovery._found import FoundPlugin
from fcregistry.discovery._manifests._content import ManifestContent, ManifestPlugin, read_manifest
from fcregistry.discovery._manifests._places import place_of
from fcregistry.discovery._manifests._sources import changed_sources


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
    place = place_of(found)
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

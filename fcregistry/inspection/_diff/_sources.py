"""Which tools are in a lock, a manifest, a wheel, or an installed distribution? What a file is, its content says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from fcregistry._base.messages import show
from fcregistry._config.policy import read_lock, without_locks
from fcregistry._tools.names import did_you_mean, nearest
from fcregistry._tools.record import ToolRecord, read_record, record_of
from fcregistry._tools.selectors import normalized
from fcregistry.discovery import FoundPlugin, current
from fcregistry.discovery._manifest import ManifestContent, read_bounded, read_json, read_text
from fcregistry.errors import ConfigurationError
from fcregistry.inspection._shipped import shipped_by

LOCK: Final = "fcregistry.lock"
"""The name that a lock has where nothing else is said."""
_NEITHER: Final = "is no lock, manifest or wheel: it is neither JSON nor a zip file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """What one version of a distribution ships.

    Attributes:
        distribution: Its name.
        version: Its version; None where the source does not say.
        tools: Its tools, sorted by group and name.
    """

    distribution: str
    version: str | None
    tools: tuple[ToolRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where versions of distributions are read from.

    Attributes:
        name: What the user called it.
        kind: What it is.
        shipped: What it has of each distribution.
    """

    name: str
    kind: Literal["lock", "manifest", "wheel", "installed"]
    shipped: tuple[Shipped, ...]

    def only(self, distributions: Iterable[str]) -> Source:
        """Return it with these distributions alone."""
        wanted = set(map(normalized, distributions))
        kept = tuple(each for each in self.shipped if normalized(each.distribution) in wanted)
        return Source(name=self.name, kind=self.kind, shipped=kept)


def read_source(given: str) -> Source:
    """Return what a lock, manifest or wheel has, or an installed distribution of that name.

    Only for an installed distribution plugins are imported, and only its own.

    Raises:
        ConfigurationError: There is no such file or distribution, or the file is none of these; says what to do.
    """
    path = Path(given)
    if path.is_file():
        return _of_file(given, path)
    if given in (".", "..") or "/" in given or "\\" in given:
        what = "is a folder" if path.is_dir() else "is no regular file" if path.exists() else "is not there"
        raise ConfigurationError(f"{given} {what}: give a lock, a manifest, a wheel, or the name of a distribution")
    shipped = installed(given)
    if shipped is None:
        names = current().distributions()
        near = did_you_mean(nearest(given, names)) or (f"; installed are {', '.join(names)}" if names else "")
        raise ConfigurationError(f"there is no file {given!r}, and no installed distribution that ships tools{near}")
    return Source(name=given, kind="installed", shipped=(shipped,))


def installed_like(source: Source) -> Source:
    """Return what is installed of the distributions of another source; those that are not are left out."""
    found = [shipped for each in source.shipped if (shipped := installed(each.distribution)) is not None]
    return Source(name="what is installed", kind="installed", shipped=tuple(found))


def installed(distribution: str) -> Shipped | None:
    """Return what an installed distribution ships, tools that are hidden or cannot be defined too; None if it is not there.

    Whether it is as it was locked is not asked: what came with an upgrade is what is to be compared.

    Raises:
        ConfigurationError: It is there, and has no tools: its plugins do not load, or are not to be imported.
    """
    plugins = [each for each in current().plugins if each.project == normalized(distribution)]
    if not plugins:
        return None
    with without_locks():
        permission = current().permission()
        refused = list(filter(None, map(permission.to_import, plugins)))
        current().know(plugins[0].project)
        tools = () if len(refused) == len(plugins) else shipped_by(plugins[0].project)
        records = _sorted(map(record_of, tools))
    if not records:
        raise ConfigurationError(f"{plugins[0].distribution} is installed, and {_without_tools(plugins, refused)}")
    return Shipped(distribution=plugins[0].distribution, version=plugins[0].version, tools=records)


def _without_tools(plugins: list[FoundPlugin], refused: list[str]) -> str:
    if refused:
        return f"is not to be imported: {refused[0]}"
    failing = [each.label for each in current().failing() if each in plugins]
    if failing:
        return f"{', '.join(failing)} does not load: `fcregistry doctor` says why"
    return "ships no tools"


def _of_file(given: str, path: Path) -> Source:
    from zipfile import is_zipfile  # 5 ms, for files only

    if is_zipfile(path):
        from fcregistry.inspection._diff._wheels import read_wheel  # with the reader of metadata

        return Source(name=given, kind="wheel", shipped=(read_wheel(path),))
    text = _text_of(given, path)
    kind = _kind_of(given, text)
    if kind == "lock":
        return Source(name=given, kind="lock", shipped=_of_lock(given, path))
    if kind == "manifest":
        content = manifest_content(given, text)
        return Source(name=given, kind="manifest", shipped=(of_manifests([content], None),))
    raise ConfigurationError(f"{given} is no lock, manifest or wheel of fcregistry's: it is other JSON")


def _text_of(given: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            return read_bounded(file)
    except OSError as error:
        raise ConfigurationError(f"{given} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise ConfigurationError(f"{given} {_NEITHER}") from None
    except ValueError as error:
        raise ConfigurationError(f"{given} cannot be used: {error}") from None


def _kind_of(given: str, text: str) -> str | None:
    """Return what JSON text is: a lock, a manifest, or None for neither."""
    try:
        written = read_json(text)
    except json.JSONDecodeError:
        raise ConfigurationError(f"{given} {_NEITHER}") from None
    except ValueError as error:
        raise ConfigurationError(f"{given} cannot be used: {error}") from None
    names = written if isinstance(written, dict) else {}
    return "lock" if "fcregistry_lock" in names else "manifest" if "plugins" in names else None


def _of_lock(given: str, path: Path) -> tuple[Shipped, ...]:
    lock = read_lock(str(path))
    if lock.problem is not None:
        raise ConfigurationError(f"{given} {lock.problem}")
    return tuple(
        Shipped(
            distribution=pin.name,
            version=pin.version,
            tools=_sorted(checked(tool, given) for tool in pin.tools),
        )
        for _, pin in sorted(lock.pins.items())
    )


def manifest_content(name: str, text: str) -> ManifestContent:
    """Return what a manifest says.

    Raises:
        ConfigurationError: It is none that can be relied on.
    """
    try:
        return read_text(text)
    except ValueError as error:
        raise ConfigurationError(f"{name} cannot be used: {error}") from error


def of_manifests(contents: Iterable[ManifestContent], version: str | None) -> Shipped:
    """Return what the manifests of one distribution, at least one, say that it ships."""
    each = list(contents)
    tools = [tool for content in each for plugin in content["plugins"] for tool in plugin["tools"]]
    return Shipped(distribution=each[0]["distribution"], version=version, tools=_sorted(tools))


def checked(tool: object, source: str) -> ToolRecord:
    """Return a tool record of a stranger's file.

    Raises:
        ConfigurationError: It is none.
    """
    try:
        return read_record(tool)
    except ValueError as error:
        called = show(tool.get("name") if isinstance(tool, dict) else tool)
        raise ConfigurationError(f"{source} is damaged: what it says of the tool {called} {error}") from None


def _sorted(tools: Iterable[ToolRecord]) -> tuple[ToolRecord, ...]:
    return tuple(sorted(tools, key=lambda tool: (tool["group"], tool["name"])))

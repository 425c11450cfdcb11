"""What is an entry point of ours, found and not imported?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry._tools.selectors import normalized

if TYPE_CHECKING:
    from importlib.metadata import Distribution

PluginKey: TypeAlias = tuple[str, str]
"""Distribution and entry point: what a plugin, or an extension, is known by in a process."""

GROUP: Final = "fcregistry"
"""The entry-point group of plugins that ship tools."""
EXTENSION_GROUP: Final = "fcregistry.extensions"
"""The entry-point group of extensions, which ship something else."""


class FoundEntryPoint:
    """An entry point of ours, found and not imported. Immutable by convention; equal to others of the same distribution, name and value.

    Attributes:
        distribution: The name of its distribution, as that writes it.
        version: The distribution's version; a question mark where it says none.
        entry_point: The name of the entry point.
        value: What it names: `module` or `module:object`.
        folder: The entry of `sys.path` that its metadata lies in; empty where that is no folder.
        info: The folder of its metadata there, such as `acme-1.0.dist-info`; empty likewise.
        stamp: The time (ns) and size (bytes) of its `entry_points.txt`, which an installer writes anew; None where it is no file.
        project: The distribution's name as PyPI compares names.
        kept: What the index keeps of it, if it was found there.
        doubt: What its metadata say against it, once somebody has looked, see `_identity`: the reason or None, and the folder of an editable install.
    """

    __slots__ = (
        "_source",
        "distribution",
        "doubt",
        "entry_point",
        "folder",
        "info",
        "kept",
        "project",
        "stamp",
        "value",
        "version",
    )

    def __init__(
        self,
        distribution: str,
        version: str,
        entry_point: str,
        value: str,
        folder: str = "",
        info: str = "",
        stamp: tuple[int, int] | None = None,
        source: Distribution | None = None,
    ) -> None:
        self.distribution = distribution
        self.version = version
        self.entry_point = entry_point
        self.value = value
        self.folder = folder
        self.info = info
        self.stamp = stamp
        self.project = normalized(distribution)
        self.kept: tuple[int, str, int, str, int] | None = None
        self.doubt: tuple[str | None, str | None] | None = None
        self._source = source

    @property
    def key(self) -> PluginKey:
        """Distribution and entry point: what it is known by in a process."""
        return (self.distribution, self.entry_point)

    @property
    def module(self) -> str:
        """The module that it names."""
        return self.value.partition(":")[0].partition("[")[0].strip()

    @property
    def attribute(self) -> str:
        """The object in the module that it names; empty for the module itself."""
        return self.value.partition(":")[2].partition("[")[0].strip()

    @property
    def source(self) -> Distribution:
        """Its distribution, as `importlib.metadata` reads it."""
        if self._source is None:
            from importlib.metadata import Distribution  # heavy, and needed by few
            from pathlib import Path

            self._source = Distribution.at(Path(self.folder) / self.info)
        return self._source

    def holds(self, module: str) -> bool | None:
        """Tell whether its distribution lists a module's file as its own; None where it does not list its modules, as an editable install."""
        path = module.replace(".", "/")
        try:
            files = self.source.files
            if any(str(each) in (f"{path}.py", f"{path}/__init__.py") for each in files or ()):
                return True
            return None if files is None or editable_folder(self.source) is not None else False
        except (OSError, ValueError):  # metadata that cannot be read
            return False

    @property
    def label(self) -> str:
        """`distribution[entry_point]`: how it is named in messages."""
        return f"{self.distribution}[{self.entry_point}]"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine = (self.distribution, self.entry_point, self.value)
        return mine == (other.distribution, other.entry_point, other.value)

    def __hash__(self) -> int:
        return hash((self.distribution, self.entry_point, self.value))

    def __str__(self) -> str:
        return self.label

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.label} {self.version}: {self.value}>"


def editable_folder(source: Distribution) -> str | None:
    """Return the folder of a project that is installed as editable (PEP 610), or None; empty where its address is not that of a folder."""
    from json import loads  # only where several claim one module, or where plugins have to prove whose they are
    from urllib.parse import unquote, urlsplit

    recorded = loads(source.read_text("direct_url.json") or "null")
    folder = recorded.get("dir_info") if isinstance(recorded, dict) else None
    if not isinstance(folder, dict) or folder.get("editable") is not True:
        return None
    address = urlsplit(str(recorded.get("url")))
    path = unquote(address.path) if address.scheme == "file" else ""
    return path[1:] if path[2:3] == ":" else path  # `/C:/project` on Windows


def is_project_name(name: str) -> bool:
    """Return whether a name may be that of a distribution (PyPA, Names and normalization): ASCII, so that no two names look alike."""
    inner = name.replace("-", "a").replace("_", "a").replace(".", "a")
    return name.isascii() and inner.isalnum() and name[0].isalnum() and name[-1].isalnum()


class FoundPlugin(FoundEntryPoint):
    """An entry point that ships tools."""

    __slots__ = ()


class FoundExtension(FoundEntryPoint):
    """An entry point that ships something else; its name says what, such as the module whose types it reads."""

    __slots__ = ()


KINDS: Final[dict[str, type[FoundEntryPoint]]] = {GROUP: FoundPlugin, EXTENSION_GROUP: FoundExtension}
"""Group -> what its entry points are."""

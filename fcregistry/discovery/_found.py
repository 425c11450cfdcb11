"""Entry points of the groups `fcregistry`, `fcregistry.extensions` and `fcregistry.commands`, read from metadata.

The metadata of distributions is external input and may be broken. If the metadata of a distribution cannot be read, only the entry points of
that distribution are missing.
`importlib.metadata`, `re` and `pathlib` are imported inside the functions that use them: the index starts without them.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from fcregistry._tools.selectors import normalized

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import Distribution

PluginKey: TypeAlias = tuple[str, str]
"""The names of a distribution and of an entry point. Together they identify a plugin or an extension in a process."""

FAILED: Final = 1
"""A flag of `EntryPointRow.state`: the plugin does not load."""
MISSED: Final = 2
"""A flag of `EntryPointRow.state`: the plugin looked for a module that does not exist.

What it ships may change with anything that is installed.
"""
REFUTED: Final = -1
"""The value of `EntryPointRow.surroundings` of a description that turned out to be wrong."""


class EntryPointRow(NamedTuple):
    """The row of an entry point in the index.

    Attributes:
        row: The number of the row.
        by: What made the description of the plugin (see `Description` in `_index.py`); empty if there is none that may be used.
        surroundings: The digest of the environment in which it was made (see `surroundings` in `_fingerprint.py`), or `REFUTED`.
        files: The numbers of the files that it was made from, with spaces between them.
        state: The sum of `FAILED` and `MISSED`, as far as they apply.
    """

    row: int
    by: str = ""
    surroundings: int = 0
    files: str = ""
    state: int = 0

    @property
    def failed(self) -> bool:
        """Whether the description says that the plugin does not load."""
        return bool(self.state & FAILED)

    @property
    def was_refuted(self) -> bool:
        """Whether the description turned out to be wrong."""
        return self.surroundings == REFUTED

    @property
    def file_numbers(self) -> Iterator[int]:
        """The numbers of the files that the description was made from."""
        return map(int, self.files.split())


GROUP: Final = "fcregistry"
"""The entry-point group of plugins that ship tools."""
EXTENSION_GROUP: Final = "fcregistry.extensions"
"""The entry-point group of extensions, which ship hooks."""
COMMAND_GROUP: Final = "fcregistry.commands"
"""The entry-point group of commands for the command line."""


class FoundEntryPoint:
    """An entry point of an installed distribution, before it is imported.

    Treat it as immutable. It equals another one with the same distribution, name and value.

    Attributes:
        distribution: The name of the distribution, as its metadata spells it.
        version: The distribution's version; a question mark if the metadata has none.
        entry_point: The name of the entry point.
        value: The module or object that the entry point refers to: `module` or `module:object`.
        folder: The entry of `sys.path` that contains the metadata; empty if that is not a folder.
        info: The name of the metadata folder in `folder`, such as `acme-1.0.dist-info`; empty if `folder` is.
        stamp: The modification time (ns) and size (bytes) of `entry_points.txt`, which change when the distribution is installed again; None if
            it is not a file.
        project: The distribution's name, normalized as PyPI does it to compare names.
        cached: The row that the index has of this entry point; None if the metadata was read instead.
        doubt: The result of checking the metadata (see `_identity.py`): the reason to distrust it, or None, and the folder of an editable
            install. None before the check.
    """

    __slots__ = (
        "_source",
        "cached",
        "distribution",
        "doubt",
        "entry_point",
        "folder",
        "info",
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
        self.distribution: str = distribution
        self.version: str = version
        self.entry_point: str = entry_point
        self.value: str = value
        self.folder: str = folder
        self.info: str = info
        self.stamp: tuple[int, int] | None = stamp
        self.project: str = normalized(distribution)
        self.cached: EntryPointRow | None = None
        self.doubt: tuple[str | None, str | None] | None = None
        self._source = source

    @property
    def key(self) -> PluginKey:
        """The names of the distribution and of the entry point, which identify it in a process."""
        return (self.distribution, self.entry_point)

    @property
    def module(self) -> str:
        """The module part of `value`."""
        return self.value.partition(":")[0].partition("[")[0].strip()

    @property
    def attribute(self) -> str:
        """The object part of `value`; empty if it refers to the module itself."""
        return self.value.partition(":")[2].partition("[")[0].strip()

    @property
    def source(self) -> Distribution:
        """The distribution, as `importlib.metadata` reads it."""
        if self._source is None:
            from importlib.metadata import Distribution  # slow to import, and rarely needed
            from pathlib import Path

            self._source = Distribution.at(Path(self.folder) / self.info)
        return self._source

    @property
    def is_editable(self) -> bool:
        """Whether the distribution is installed in editable mode.

        If so, Python imports it from its source folder.
        """
        return editable_folder(self.source) is not None

    @property
    def project_file(self) -> str | None:
        """The path of the user's own pyproject.toml, if the distribution is installed in editable mode, or None."""
        folder = editable_folder(self.source)
        return os.path.join(folder, "pyproject.toml") if folder else None

    @property
    def how_to_fix(self) -> str:
        """What a user can do about a fault in its code: report it, or correct the user's own project."""
        folder = editable_folder(self.source)
        return f"report this to the authors of {self.distribution}" if folder is None else f"correct it in {folder}"

    def holds(self, module: str) -> bool | None:
        """Return whether the metadata list the file of `module`; None if they list no modules.

        An editable install, for example, lists none. The result is False if the metadata cannot be read.

        Args:
            module: The dotted name of the module.
        """
        path = module.replace(".", "/")
        try:
            files = self.source.files
        except (OSError, ValueError):  # metadata that cannot be read
            return False
        if any(str(each) in (f"{path}.py", f"{path}/__init__.py") for each in files or ()):
            return True
        return None if files is None or self.is_editable else False

    @property
    def label(self) -> str:
        """`distribution[entry_point]`, as messages show it."""
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


class FoundPlugin(FoundEntryPoint):
    """An entry point that ships tools."""

    __slots__ = ()


class FoundExtension(FoundEntryPoint):
    """An entry point that ships an extension.

    The name of the entry point says what the extension supports, such as the module whose types it reads.
    """

    __slots__ = ()


class FoundCommand(FoundEntryPoint):
    """An entry point that adds a command to the command line, under the name of the entry point."""

    __slots__ = ()

    @property
    def id(self) -> str:
        """The canonical name of the command: `distribution:name`."""
        return f"{self.distribution}:{self.entry_point}"


KINDS: Final[dict[str, type[FoundEntryPoint]]] = {
    GROUP: FoundPlugin,
    EXTENSION_GROUP: FoundExtension,
    COMMAND_GROUP: FoundCommand,
}
"""Entry-point group -> the class of the entry points in it."""


# --- Reading the metadata of a distribution ---


def entry_points_of(
    source: Distribution, folder: str = "", info: str = "", stamp: tuple[int, int] | None = None
) -> tuple[FoundEntryPoint, ...]:
    """Return the entry points of a distribution in the groups of `KINDS`.

    The result is empty if the metadata cannot be read, or if the distribution's name is not valid.

    Args:
        source: The distribution.
        folder: The entry of `sys.path` that contains its metadata; empty if that is not a folder.
        info: The name of the metadata folder in `folder`.
        stamp: The time and size of `entry_points.txt`, see `FoundEntryPoint`.
    """
    if GROUP not in _entry_point_text(source):
        return ()
    name, version = _identity(source)
    if not name or not is_project_name(name) or unreadable_reason(source):
        return ()
    return tuple(
        KINDS[each.group](
            distribution=name,
            version=version or "?",
            entry_point=each.name,
            value=each.value,
            folder=folder,
            info=info,
            stamp=stamp,
            source=source,
        )
        for each in source.entry_points
        if each.group in KINDS
    )


def unreadable_reason(source: Distribution) -> str:
    """Return the reason that the `entry_points.txt` of a distribution cannot be read; empty if it can be."""
    try:
        tuple(source.entry_points)
    except (OSError, TypeError, ValueError) as error:
        reason = str(error) if isinstance(error, UnicodeDecodeError) else "a line is not `name = value`"
        return f"its entry_points.txt cannot be read: {reason}"
    return ""


def is_in_metadata(found: FoundEntryPoint) -> bool:
    """Return whether the installed metadata name an entry point and its distribution, as the index does.

    Call it before the entry point is imported, if it comes from the index, which may name anything.
    """
    if not found.folder:  # this process found it in an archive, or asked an importer
        return True
    path = f"{found.folder}/{found.info}"
    try:
        with open(f"{path}/METADATA", "rb") as file:
            head = b"\n" + file.read(_MOST_OF_NAMES)
        with open(f"{path}/entry_points.txt", encoding="utf-8") as file:
            text = file.read()
    except (OSError, ValueError):
        return False
    named = f"\nName: {found.distribution}\nVersion: {found.version}\n".encode("utf-8", "surrogateescape")
    if named in head.partition(b"\n\n")[0] and _is_named_in(text, found):
        return True
    return any(found == each and found.version == each.version for each in entry_points_of(found.source))


_MOST_OF_NAMES: Final = 4096
"""The most bytes of METADATA in which build tools write the name and the version."""


def _is_named_in(text: str, found: FoundEntryPoint) -> bool:
    """Return whether `text`, the content of `entry_points.txt`, has the entry point `found`.

    Its group, name and value must match. The text is read as `importlib.metadata` reads it.
    """
    kind, sought = None, (found.entry_point, found.value)
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            kind = KINDS.get(line[1:-1])
        elif kind is type(found) and tuple(map(str.strip, line.split("=", 1))) == sought:
            return True
    return False


def _entry_point_text(source: Distribution) -> str:
    """Return the text of a distribution's `entry_points.txt`; empty if it is missing or cannot be read."""
    try:
        return source.read_text("entry_points.txt") or ""
    except (OSError, UnicodeDecodeError):
        return ""


def distribution_name(source: Distribution) -> str | None:
    """Return a distribution's name as its metadata spells it, or None if the metadata cannot be read."""
    return _identity(source)[0]


def distribution_version(source: Distribution) -> str:
    """Return a distribution's version, or a question mark if its metadata has none."""
    return _identity(source)[1] or "?"


_BEGINNING: Final = r"Metadata-Version: [\x21-\x7e]+\nName: ([\x21-\x7e]+)\nVersion: ([\x21-\x7e]+)\n(?![ \t])"


def _identity(source: Distribution) -> tuple[str | None, str | None]:
    """Return the name and version of a distribution; None for each that its metadata do not have.

    Both are None if the metadata cannot be read. All build tools write both in the first lines of METADATA, which a regular expression reads. For any
    other file, the parser of `importlib.metadata` is used, which takes ten times as long.
    """
    import re

    try:
        if plain := re.match(_BEGINNING, source.read_text("METADATA") or ""):
            return plain[1], plain[2]
        metadata = source.metadata
        name, version = (metadata[each] if each in metadata else None for each in ("Name", "Version"))  # noqa: SIM401  # no `get` before 3.12's typing
    except (OSError, UnicodeDecodeError, TypeError, KeyError):  # a folder without METADATA
        return None, None
    return name, version


def unreadable_plugins() -> tuple[tuple[str, str], ...]:
    """Return (distribution or folder, problem) for each distribution with unreadable entry points."""
    from importlib.metadata import distributions

    wrong = set()
    for source in distributions():
        name = distribution_name(source)
        if reason := unreadable_reason(source):
            wrong.add((name or str(source.locate_file("")), reason))
        elif GROUP not in (source.read_text("entry_points.txt") or ""):
            continue
        elif not name:
            wrong.add((str(source.locate_file("")), "a distribution with plugins has no METADATA with its name"))
        elif not is_project_name(name):
            wrong.add((ascii(name), f"its name is not a valid project name, in {source.locate_file('')}"))
    return tuple(sorted(wrong))


def near_miss_groups() -> tuple[tuple[str, str], ...]:
    """Return (distribution, group) for each entry-point group that looks like a misspelt `fcregistry`."""
    from contextlib import suppress
    from importlib.metadata import distributions

    missed = set()
    for source in distributions():
        with suppress(OSError, TypeError, ValueError):  # `unreadable_plugins` reports it
            groups = {each.group for each in source.entry_points} - KINDS.keys()
            missed |= {(distribution_name(source) or "?", each) for each in groups if _is_near_miss(each)}
    return tuple(sorted(missed))


def _is_near_miss(group: str) -> bool:
    """Return whether the name of an entry-point group looks like `fcregistry`, misspelt or not.

    Only letters count, in any case: the name begins with `fcregist`, or `difflib` rates its similarity above 0.8.
    """
    import re
    from difflib import SequenceMatcher  # only `fcregistry doctor` needs it

    plain = re.sub(r"[^a-z]", "", group.lower())
    return plain.startswith("fcregist") or SequenceMatcher(None, plain, GROUP).ratio() > 0.8


def editable_folder(source: Distribution) -> str | None:
    """Return the source folder of a distribution in editable mode, or None for any other distribution.

    The result is empty if the recorded URL is not that of a folder.
    """
    from fcregistry._base.install import install_source  # lists of tools do without it

    recorded = install_source(source)
    return recorded.path if recorded is not None and recorded.is_editable else None


def is_project_name(name: str) -> bool:
    """Return whether a name is a valid distribution name (PyPA, Names and normalization).

    A valid name has only ASCII characters, so that a letter of another alphabet cannot imitate one of them.
    """
    inner = name.replace("-", "a").replace("_", "a").replace(".", "a")
    return name.isascii() and inner.isalnum() and name[0].isalnum() and name[-1].isalnum()


def project_name(folder: str, info: str) -> str:
    """Return the name, as PyPI compares names, that a folder of metadata gives its distribution.

    The result is empty if it is not a valid name.

    Args:
        folder: The entry of `sys.path` that contains the folder of metadata; it has the name of the distribution if it is an egg.
        info: The name of the folder of metadata.
    """
    stem, _, kind = (info if "." in info else os.path.basename(folder)).rpartition(".")
    # A version has no hyphen; a name has none either, unless an old installer wrote it.
    name = stem.rpartition("-")[0] or stem if kind == "dist-info" else stem.partition("-")[0]
    return normalized(name) if is_project_name(name) else ""

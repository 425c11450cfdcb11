"""Which plugins and extensions are installed? Read from the metadata of distributions; nothing of them is imported.

pluggy's and setuptools' own loaders are not used: one broken distribution would hide all others, and the second of two entry points of one name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from typing import TYPE_CHECKING, Final

from fcregistry._selectors import normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.metadata import EntryPoint

GROUP: Final = "fcregistry"
"""The entry-point group of plugins that ship tools."""
EXTENSION_GROUP: Final = "fcregistry.extensions"
"""The entry-point group of extensions, which ship something else."""


@dataclass(frozen=True, kw_only=True)
class FoundEntryPoint:
    """An entry point of ours, found and not imported.

    Attributes:
        distribution: The name of its distribution, as that writes it.
        entry_point: The name of the entry point.
        value: What it names: `module` or `module:object`.
    """

    distribution: str
    entry_point: str
    value: str
    _source: Distribution = field(repr=False, compare=False)

    @cached_property
    def version(self) -> str:
        """The distribution's version; parsed from its metadata when it is first asked for."""
        return distribution_version(self._source)

    @property
    def module(self) -> str:
        """The module that it names."""
        return self.value.partition(":")[0].partition("[")[0].strip()

    @property
    def attribute(self) -> str:
        """The object in the module that it names; empty for the module itself."""
        return self.value.partition(":")[2].partition("[")[0].strip()

    @cached_property
    def holds_its_module(self) -> bool:
        """Whether the distribution lists the module's file as its own; an editable install lists none."""
        path = self.module.replace(".", "/")
        try:
            return any(str(each) in (f"{path}.py", f"{path}/__init__.py") for each in self._source.files or ())
        except (OSError, ValueError):  # a RECORD that cannot be read
            return False

    @property
    def label(self) -> str:
        """`distribution[entry_point]`: how it is named in messages."""
        return f"{self.distribution}[{self.entry_point}]"

    def __str__(self) -> str:
        return self.label


class FoundPlugin(FoundEntryPoint):
    """An entry point that ships tools."""


class FoundExtension(FoundEntryPoint):
    """An entry point that ships something else; its name says what, such as the module whose types it reads."""


_KINDS: Final[dict[str, type[FoundEntryPoint]]] = {GROUP: FoundPlugin, EXTENSION_GROUP: FoundExtension}


def find_plugins() -> tuple[FoundPlugin, ...]:
    """Return every entry point of the group `fcregistry`, sorted by distribution and name; nothing is imported."""
    return tuple(each for each in find_entry_points() if isinstance(each, FoundPlugin))


def find_extensions() -> tuple[FoundExtension, ...]:
    """Return every entry point of the group `fcregistry.extensions`, sorted by distribution and name; nothing is imported."""
    return tuple(each for each in find_entry_points() if isinstance(each, FoundExtension))


def find_entry_points() -> tuple[FoundEntryPoint, ...]:
    """Return every entry point of our groups, sorted by distribution and name.

    Of two copies of one distribution on `sys.path`, the first counts, as for imports. Metadata that cannot be read is passed over.
    """
    found: dict[str, list[FoundEntryPoint]] = {}
    for source in distributions():
        if GROUP not in _entry_point_text(source):
            continue
        name = distribution_name(source)
        if not name or normalized(name) in found or _is_hidden(source, name):
            continue
        found[normalized(name)] = [
            _KINDS[each.group](distribution=name, entry_point=each.name, value=each.value, _source=source)
            for each in _entry_points(source)
            if each.group in _KINDS
        ]
    return tuple(sorted((each for group in found.values() for each in group), key=_order))


def _order(found: FoundEntryPoint) -> tuple[str, str]:
    return (normalized(found.distribution), found.entry_point)


def _entry_point_text(source: Distribution) -> str:
    try:
        return source.read_text("entry_points.txt") or ""
    except (OSError, UnicodeDecodeError):  # unreadable metadata hides that distribution, and no other
        return ""


def _entry_points(source: Distribution) -> Iterable[EntryPoint]:
    try:
        return tuple(source.entry_points)
    except (TypeError, ValueError):  # a line that is no `name = value`
        return ()


def _is_hidden(source: Distribution, name: str) -> bool:
    """Tell whether another copy stands before this one on `sys.path`: one that ships no plugins hides it too, as it does for imports."""
    try:
        return distribution(name).locate_file("") != source.locate_file("")
    except PackageNotFoundError:  # its folder is not named as its metadata is
        return False


def distribution_name(source: Distribution) -> str | None:
    """Return a distribution's name as it writes it, or None where its metadata cannot be read."""
    try:
        metadata = source.metadata
        return metadata["Name"] if "Name" in metadata else None  # noqa: SIM401  # no `get` before 3.12's typing
    except (OSError, UnicodeDecodeError, TypeError, KeyError):  # a folder without METADATA
        return None


def unreadable_plugins() -> tuple[tuple[str, str], ...]:
    """Return (distribution or its folder, what is wrong) of metadata that speaks of plugins and cannot be read, sorted."""
    wrong = set()
    for source in distributions():
        name = distribution_name(source)
        try:
            text = source.read_text("entry_points.txt") or ""
            tuple(source.entry_points)
        except (OSError, TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, UnicodeDecodeError) else "a line is no `name = value`"
            wrong.add((name or str(source.locate_file("")), f"its entry_points.txt cannot be read: {reason}"))
        else:
            if not name and GROUP in text:
                wrong.add((str(source.locate_file("")), "a distribution with plugins has no METADATA that names it"))
    return tuple(sorted(wrong))


def distribution_version(source: Distribution) -> str:
    """Return a distribution's version, or a question mark."""
    try:
        metadata = source.metadata
        return metadata["Version"] if "Version" in metadata else "?"  # noqa: SIM401  # no `get` before 3.12's typing
    except (OSError, UnicodeDecodeError, TypeError, KeyError):
        return "?"


def near_miss_groups() -> tuple[tuple[str, str], ...]:
    """Return (distribution, group) of entry-point groups that look like a misspelt `fcregistry`, sorted."""
    missed = set()
    for source in distributions():
        for group in _groups(_entry_point_text(source)):
            if group not in _KINDS and _looks_like_ours(group):
                missed.add((distribution_name(source) or "?", group))
    return tuple(sorted(missed))


def _groups(text: str) -> Iterator[str]:
    for match in re.finditer(r"^\s*\[([^\]\n]+)\]\s*$", text, re.MULTILINE):
        yield match[1].strip()


def _looks_like_ours(group: str) -> bool:
    from difflib import SequenceMatcher  # for doctor alone

    plain = re.sub(r"[^a-z]", "", group.lower())
    return plain.startswith("fcregist") or SequenceMatcher(None, plain, GROUP).ratio() > 0.8

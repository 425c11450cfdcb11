"""What does the metadata of a distribution say? Read with care: it is written by strangers, and may be broken."""

from __future__ import annotations

import re
from importlib.metadata import Distribution, distributions
from typing import TYPE_CHECKING, Final

from fcregistry.discovery._found import GROUP, KINDS, FoundEntryPoint, is_project_name

if TYPE_CHECKING:
    from collections.abc import Iterator


def entry_points_of(
    source: Distribution, folder: str = "", info: str = "", stamp: tuple[int, int] | None = None
) -> tuple[FoundEntryPoint, ...]:
    """Return the entry points of ours that a distribution has.

    None if its metadata cannot be read, or its name is not a valid project name, which hides it and no other.
    """
    if GROUP not in _entry_point_text(source):
        return ()
    name, version = _identity(source)
    if not name or not is_project_name(name):
        return ()
    try:
        entry_points = tuple(source.entry_points)
    except (TypeError, ValueError):  # a line that is no `name = value`
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
        for each in entry_points
        if each.group in KINDS
    )


def _entry_point_text(source: Distribution) -> str:
    try:
        return source.read_text("entry_points.txt") or ""
    except (OSError, UnicodeDecodeError):
        return ""


def distribution_name(source: Distribution) -> str | None:
    """Return a distribution's name as it writes it, or None where its metadata cannot be read."""
    return _identity(source)[0]


def distribution_version(source: Distribution) -> str:
    """Return a distribution's version, or a question mark."""
    return _identity(source)[1] or "?"


_BEGINNING: Final = r"Metadata-Version: [\x21-\x7e]+\nName: ([\x21-\x7e]+)\nVersion: ([\x21-\x7e]+)\n(?![ \t])"


def _identity(source: Distribution) -> tuple[str | None, str | None]:
    """Return the name and version of a distribution.

    All tools write them in the same lines; what stands there otherwise is left to the parser of mails, which takes ten times as long.
    """
    try:
        if plain := re.match(_BEGINNING, source.read_text("METADATA") or ""):
            return plain[1], plain[2]
        metadata = source.metadata
        name, version = (metadata[each] if each in metadata else None for each in ("Name", "Version"))  # noqa: SIM401  # no `get` before 3.12's typing  # noqa: SIM401  # no `get` before 3.12's typing
    except (OSError, UnicodeDecodeError, TypeError, KeyError):  # a folder without METADATA
        return None, None
    return name, version


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
            elif name and GROUP in text and not is_project_name(name):
                wrong.add((ascii(name), f"its name is not a valid project name, in {source.locate_file('')}"))
    return tuple(sorted(wrong))


def near_miss_groups() -> tuple[tuple[str, str], ...]:
    """Return (distribution, group) of entry-point groups that look like a misspelt `fcregistry`, sorted."""
    missed = set()
    for source in distributions():
        for group in _groups(_entry_point_text(source)):
            if group not in KINDS and _looks_like_ours(group):
                missed.add((distribution_name(source) or "?", group))
    return tuple(sorted(missed))


def _groups(text: str) -> Iterator[str]:
    for match in re.finditer(r"^[^\S\n]*\[([^\]\n]+)\][^\S\n]*$", text, re.MULTILINE):
        yield match[1].strip()


def _looks_like_ours(group: str) -> bool:
    from difflib import SequenceMatcher  # for doctor alone

    plain = re.sub(r"[^a-z]", "", group.lower())
    return plain.startswith("fcregist") or SequenceMatcher(None, plain, GROUP).ratio() > 0.8

"""Zones by name: those of the IANA time zone database, and never another file."""

import re
from functools import cache
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from fcregistry.errors import ToolError

# The names of the database (https://data.iana.org/time-zones/theory.html, "Timezone identifiers"). Without dots,
# leading and double slashes no name can leave the zone folders, so no other text is ever passed to zoneinfo.
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]{0,31}(?:/[A-Za-z][A-Za-z0-9_+-]{0,31}){0,3}")

# Beside the zones in those folders: copies that count leap seconds, which datetime cannot, and this machine's own.
NOT_ZONES = ("posix/", "right/", "localtime", "posixrules")

LONGEST_QUOTE = 60


def find_zone(name: str) -> ZoneInfo:
    """Return the zone of the IANA name `name`, e.g. `Europe/Berlin`.

    Raises:
        ToolError: No zone has that name. Text that cannot be a name of a zone is refused without reading any file.
    """
    if not NAME.fullmatch(name) or name.startswith(NOT_ZONES):
        raise ToolError(_unknown_text(name))
    try:
        return ZoneInfo(name)
    # A file or folder that is not a zone is a ValueError or an OSError, depending on the system and its version of Python.
    except (ZoneInfoNotFoundError, ValueError, OSError) as exc:
        raise ToolError(_unknown_text(name)) from exc


def _unknown_text(name: str) -> str:
    """Return the message that there is no zone `name`, with similar names."""
    quoted = name if len(name) <= LONGEST_QUOTE else name[:LONGEST_QUOTE] + "…"
    close = _close_names(name)
    hint = f" Close matches: {', '.join(close)}." if close else ""
    return f"There is no time zone {quoted!r}.{hint} Use an IANA name such as Europe/Berlin, America/New_York or UTC."


def _close_names(name: str) -> list[str]:
    """Return up to three names of zones that are similar to `name`, the most similar first."""
    from difflib import get_close_matches  # only an unknown zone needs it: kept off the start-up path

    by_key = _names_by_key()
    key = name[:LONGEST_QUOTE].strip().casefold().replace(" ", "_")
    matches = get_close_matches(key, by_key, n=6, cutoff=0.7)
    return list(dict.fromkeys(by_key[match] for match in matches))[:3]


@cache  # reading the names walks the zone folders, which takes tens of milliseconds
def _names_by_key() -> MappingProxyType[str, str]:
    """Return the names of zones by what people type in lower case: the whole name, or only the city."""
    names = sorted(available_timezones())
    cities = {name.rpartition("/")[2].casefold(): name for name in names if "/" in name}
    return MappingProxyType(cities | {name.casefold(): name for name in names})

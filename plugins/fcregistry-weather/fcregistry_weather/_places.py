"""Cities by location, in any spelling, case and punctuation."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from types import MappingProxyType
from unicodedata import combining, normalize

from fcregistry.errors import ToolError

from fcregistry_weather._cities import CITIES, City

LONGEST_QUOTE = 60


def find_city(location: str) -> City:
    """Return the city that `location` names.

    Args:
        location: A city, alone or with its state or country, e.g. `Tokyo`, `Tokyo, Japan` or `San Francisco, CA`.

    Raises:
        ToolError: No city of the table is written like this. A qualifier that does not fit counts too: `Paris, TX`
            is not the Paris of the table.
    """
    key = plain(location)
    if not key:
        raise ToolError(f"The location is empty: name a city. {known_cities()}")
    city = _cities_by_key().get(key)
    if city is None:
        raise ToolError(_unknown_text(location, key))
    return city


def plain(text: str) -> str:
    """Return `text` in lower case, without accents and punctuation, with single spaces between its words."""
    decomposed = normalize("NFKD", text.casefold().replace(".", ""))
    letters = (char for char in decomposed if not combining(char))
    return " ".join("".join(char if char.isalnum() else " " for char in letters).split())


def spellings(city: City) -> Iterator[str]:
    """Yield every spelling of `city`: a name, with or without its region and its country."""
    for parts in product(city.names, ("", *city.regions), ("", *city.countries)):
        yield plain(" ".join(parts))


def known_cities() -> str:
    """Return a sentence that lists all cities."""
    return f"Known cities: {'; '.join(city.label for city in CITIES)}."


@cache
def _cities_by_key() -> MappingProxyType[str, City]:
    """Return the cities by all their spellings."""
    return MappingProxyType({key: city for city in CITIES for key in spellings(city)})


def _unknown_text(location: str, key: str) -> str:
    """Return the message that `location` is not a known city, with similar cities.

    `key` is its plain spelling.
    """
    quoted = location if len(location) <= LONGEST_QUOTE else location[:LONGEST_QUOTE] + "…"
    close = _close_labels(key)
    hint = f" Close matches: {'; '.join(close)}." if close else ""
    return f"There is no sample weather for {quoted!r}.{hint} {known_cities()}"


def _close_labels(key: str) -> list[str]:
    """Return the full names of up to three cities with a spelling that is similar to `key`."""
    from difflib import get_close_matches  # only an unknown city needs it: kept off the start-up path

    by_key = _cities_by_key()
    # A wrong qualifier hides the name ("paris tx") and may be nearer to another city ("london ontario"):
    # so the first word is compared on its own, then the first two, and so on.
    words = key[:LONGEST_QUOTE].split()
    starts = [" ".join(words[: count + 1]) for count in range(len(words))]
    keys = [match for start in starts for match in get_close_matches(start, by_key, n=3, cutoff=0.75)]
    return list(dict.fromkeys(by_key[match].label for match in keys))[:3]

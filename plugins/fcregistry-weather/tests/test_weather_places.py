"""A location finds its city however it is cased, accented or qualified, and no city it does not mean."""

import pytest
from fcregistry.errors import ToolError

from fcregistry_weather._cities import CITIES
from fcregistry_weather._places import find_city, spellings


@pytest.mark.parametrize(
    ("location", "label"),
    [
        ("Tokyo", "Tokyo, Japan"),
        ("tokyo, JAPAN", "Tokyo, Japan"),
        ("東京", "Tokyo, Japan"),
        ("San Francisco", "San Francisco, CA, USA"),
        ("San Francisco, CA", "San Francisco, CA, USA"),
        ("san francisco california", "San Francisco, CA, USA"),
        ("San Francisco, CA, U.S.A.", "San Francisco, CA, USA"),
        ("  New   York ,NY ", "New York, NY, USA"),
        ("New York, New York", "New York, NY, USA"),
        ("NYC", "New York, NY, USA"),
        ("London, England", "London, UK"),
        ("São Paulo", "São Paulo, SP, Brazil"),
        ("Sa\u0303o Paulo", "São Paulo, SP, Brazil"),
        ("SAO PAULO, Brasil", "São Paulo, SP, Brazil"),
        ("Sydney, NSW, Australia", "Sydney, NSW, Australia"),
        ("Singapore", "Singapore, Singapore"),
    ],
)
def test_ways_to_write_a_city(location: str, label: str) -> None:
    """Case, accents, punctuation, spaces, states, countries and other names all lead to the city."""
    assert find_city(location).label == label


def test_no_spelling_means_two_cities() -> None:
    """The look-up keeps one city a spelling, so two cities must never share one."""
    owners: dict[str, set[str]] = {}
    for city in CITIES:
        for key in spellings(city):
            owners.setdefault(key, set()).add(city.label)
    assert [key for key, labels in owners.items() if len(labels) > 1] == []


def test_the_table_is_sorted() -> None:
    """The error lists the cities in the order of the table; São Paulo sorts as Sao Paulo, case and accents aside."""
    names = [city.names[0].replace("ã", "a") for city in CITIES]
    assert names == sorted(names)


@pytest.mark.parametrize(
    ("location", "close"),
    [
        ("Tokio", "Tokyo, Japan"),
        ("San Fransisco, CA", "San Francisco, CA, USA"),
        ("Paris, TX", "Paris, France"),
        ("London, Ontario", "London, UK"),
        ("Berlin Mitte Alexanderplatz", "Berlin, Germany"),
    ],
)
def test_a_near_miss_is_refused_and_named(location: str, close: str) -> None:
    """A typing error or another city of the name gets the close match as a hint, never its weather."""
    with pytest.raises(ToolError) as caught:
        find_city(location)
    assert str(caught.value).startswith(f"There is no sample weather for {location!r}. Close matches: {close}")


def test_nothing_close_means_no_hint() -> None:
    """A far-fetched name is answered with the list of known cities alone."""
    with pytest.raises(ToolError) as caught:
        find_city("Xq")
    assert str(caught.value).startswith("There is no sample weather for 'Xq'. Known cities: Beijing, China; ")
    assert str(caught.value).endswith("Tokyo, Japan; Toronto, ON, Canada.")


@pytest.mark.parametrize("location", ["", "  ", ",", "\u0301"])
def test_an_empty_location_asks_for_a_city(location: str) -> None:
    """Text without a letter is told apart from an unknown city."""
    with pytest.raises(ToolError, match=r"The location is empty: name a city\. Known cities: "):
        find_city(location)


def test_a_very_long_location_is_quoted_in_part() -> None:
    """The error stays short whatever a model sends, and control characters never reach it raw."""
    with pytest.raises(ToolError) as caught:
        find_city("\x1b[31m" + "x" * 10_000)
    assert len(str(caught.value)) < 600
    assert "\x1b" not in str(caught.value)

"""The weather tools answer for the cities of the sample table, in the unit asked for, and say it is sample data."""

import json
from dataclasses import asdict

import pytest
from fcregistry.errors import ToolError

from fcregistry_weather._cities import CITIES, City
from fcregistry_weather._forecast import CYCLE
from fcregistry_weather.tools import get_current_weather, get_n_day_weather_forecast

every_city = pytest.mark.parametrize("city", CITIES, ids=lambda city: city.names[0])


def test_current_weather_reads_well_as_json() -> None:
    """The whole answer to the README's first example, field by field."""
    assert json.loads(json.dumps(asdict(get_current_weather("San Francisco, CA", unit="celsius")))) == {
        "location": "San Francisco, CA, USA",
        "temperature": 16.0,
        "unit": "celsius",
        "conditions": "fog",
        "humidity_percent": 81,
        "wind_kmh": 19,
        "source": "built-in sample data, not live weather",
    }


def test_the_unit_is_fahrenheit_unless_said_otherwise() -> None:
    """16 degrees Celsius are 60.8 degrees Fahrenheit."""
    weather = get_current_weather("San Francisco, CA")
    assert (weather.temperature, weather.unit) == (60.8, "fahrenheit")


@pytest.mark.parametrize(
    "tool", [get_current_weather, lambda location, unit: get_n_day_weather_forecast(location, 1, unit)]
)
def test_another_unit_is_refused(tool) -> None:  # type: ignore[no-untyped-def]
    """From Python nothing validates the arguments, so a third unit must not read as one of the two."""
    with pytest.raises(ValueError, match="'fahrenheit' or 'celsius', not 'kelvin'"):
        tool("Tokyo", "kelvin")


def test_both_results_name_their_source() -> None:
    """A model that passes the values on can see that they are not live."""
    assert "not live" in get_current_weather("Paris").source
    assert "not live" in get_n_day_weather_forecast("Paris", 1).source


@pytest.mark.parametrize("num_days", [1, 6, 14])
def test_forecast_numbers_its_days_from_one(num_days: int) -> None:
    """There is one entry a day and no date, so no clock is needed."""
    days = get_n_day_weather_forecast("Tokyo", num_days).days
    assert [day.day for day in days] == list(range(1, num_days + 1))


def test_forecast_is_the_same_every_time() -> None:
    """Equal arguments give equal results, and a longer forecast begins like a shorter one."""
    short, long = get_n_day_weather_forecast("Berlin", 3), get_n_day_weather_forecast("Berlin", 14)
    assert short == get_n_day_weather_forecast("berlin, germany", 3)
    assert short.days == long.days[:3]


def test_a_forecast_keeps_its_values() -> None:
    """The first two days of one city, so that a change of the arithmetic shows."""
    forecast = get_n_day_weather_forecast("London", 2, unit="celsius")
    assert [asdict(day) for day in forecast.days] == [
        {"day": 1, "high": 19.5, "low": 10.5, "conditions": "light rain", "rain_chance_percent": 70},
        {"day": 2, "high": 18.5, "low": 9.5, "conditions": "rain", "rain_chance_percent": 90},
    ]


def test_forecast_converts_its_temperatures() -> None:
    """Both ends of a day follow the unit: 19.5 and 10.5 degrees Celsius."""
    day = get_n_day_weather_forecast("London", 1).days[0]
    assert (day.high, day.low) == (67.1, 50.9)


@every_city
def test_the_first_day_agrees_with_the_current_weather(city: City) -> None:
    """Today's forecast has today's conditions, and the current temperature lies between its low and its high."""
    now = get_current_weather(city.label)
    today = get_n_day_weather_forecast(city.label, 1).days[0]
    assert today.conditions == now.conditions
    assert today.low < now.temperature < today.high


def test_every_condition_of_the_table_is_in_the_cycle_once() -> None:
    """A forecast finds where it starts in the cycle by the city's conditions."""
    stages = [step.conditions for step in CYCLE]
    assert sorted(stages) == sorted(set(stages))
    assert {city.conditions for city in CITIES} <= set(stages)


@pytest.mark.parametrize("tool", [get_current_weather, lambda location: get_n_day_weather_forecast(location, 3)])
def test_an_unknown_city_is_an_error_for_the_model(tool) -> None:  # type: ignore[no-untyped-def]
    """Both tools name the city and what is known instead of guessing a temperature."""
    with pytest.raises(ToolError, match=r"no sample weather for 'Atlantis'.*Known cities: Beijing, China; Berlin"):
        tool("Atlantis")

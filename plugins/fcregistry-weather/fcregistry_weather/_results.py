"""The results of the tools: records of plain JSON values, which say that they are sample data."""

from dataclasses import dataclass
from typing import Literal

from fcregistry_weather._cities import Conditions

Unit = Literal["fahrenheit", "celsius"]

SOURCE = "built-in sample data, not live weather"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentWeather:
    """The sample weather of a city now.

    Attributes:
        location: The city in full, e.g. San Francisco, CA, USA.
        temperature: The air temperature in the unit.
        unit: The unit of the temperature.
        conditions: The sky in a word or two.
        humidity_percent: The relative humidity, 0 to 100.
        wind_kmh: The wind speed in kilometres per hour.
        source: Where the values come from.
    """

    location: str
    temperature: float
    unit: Unit
    conditions: Conditions
    humidity_percent: int
    wind_kmh: int
    source: str = SOURCE


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastDay:
    """The sample weather of one day.

    Attributes:
        day: The number of the day; 1 is today.
        high: The highest temperature of the day in the unit of the forecast.
        low: The lowest temperature of the day in the unit of the forecast.
        conditions: The sky in a word or two.
        rain_chance_percent: How likely rain is, 0 to 100.
    """

    day: int
    high: float
    low: float
    conditions: Conditions
    rain_chance_percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The sample weather of a city over some days.

    Attributes:
        location: The city in full, e.g. San Francisco, CA, USA.
        unit: The unit of all temperatures.
        days: One entry a day, today first.
        source: Where the values come from.
    """

    location: str
    unit: Unit
    days: list[ForecastDay]
    source: str = SOURCE

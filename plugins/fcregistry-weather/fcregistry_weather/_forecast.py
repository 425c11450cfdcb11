"""The weather of the next days: a fixed cycle, so that the same question has the same answer."""

from collections.abc import Iterator
from dataclasses import dataclass

from fcregistry_weather._cities import City, Conditions
from fcregistry_weather._results import ForecastDay, Unit
from fcregistry_weather._temperatures import in_unit

HALF_SWING = 4.5  # degrees Celsius from the middle of a day to its high and to its low


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage of the cycle.

    Attributes:
        conditions: The sky at this stage.
        warmth: How much warmer than a cloudy day it is, in degrees Celsius.
        rain_chance: The chance of rain in percent.
    """

    conditions: Conditions
    warmth: float
    rain_chance: int


CYCLE: tuple[Step, ...] = (
    Step(conditions="clear", warmth=2.0, rain_chance=0),
    Step(conditions="partly cloudy", warmth=1.0, rain_chance=10),
    Step(conditions="cloudy", warmth=0.0, rain_chance=30),
    Step(conditions="light rain", warmth=-1.0, rain_chance=70),
    Step(conditions="rain", warmth=-2.0, rain_chance=90),
    Step(conditions="fog", warmth=-0.5, rain_chance=20),
)


def forecast_days(city: City, num_days: int, unit: Unit) -> Iterator[ForecastDay]:
    """Yield the days 1 to `num_days` in `city`, with temperatures in `unit`.

    Day 1 has the city's current conditions.
    """
    start = next(index for index, step in enumerate(CYCLE) if step.conditions == city.conditions)
    for day in range(1, num_days + 1):
        step = CYCLE[(start + day - 1) % len(CYCLE)]
        middle = city.celsius + step.warmth - CYCLE[start].warmth
        yield ForecastDay(
            day=day,
            high=in_unit(middle + HALF_SWING, unit),
            low=in_unit(middle - HALF_SWING, unit),
            conditions=step.conditions,
            rain_chance_percent=step.rain_chance,
        )

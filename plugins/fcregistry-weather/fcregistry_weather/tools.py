"""The tools: the current weather of a city, and its forecast, from built-in sample data."""

from typing import Annotated

from annotated_types import Interval
from fcregistry import fc_register

from fcregistry_weather._forecast import forecast_days
from fcregistry_weather._places import find_city
from fcregistry_weather._results import CurrentWeather, Forecast, Unit
from fcregistry_weather._temperatures import in_unit

__all__ = ["get_current_weather", "get_n_day_weather_forecast"]


@fc_register(
    "tool",
    title="Current weather (sample data)",
    examples=[{"location": "San Francisco, CA", "unit": "celsius"}, {"location": "Tokyo"}],
    tags=("weather",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def get_current_weather(location: str, unit: Unit = "fahrenheit") -> CurrentWeather:
    """Look up the current weather of a city in built-in sample data.

    The values are made up and never change: say so when you pass them on. About a dozen large cities are known; the
    error for any other city lists them.

    Args:
        location: The city, with its state or country if that helps, e.g. San Francisco, CA.
        unit: The temperature unit to use: the one that people at the location would expect, unless asked otherwise.

    Returns:
        Temperature, conditions, humidity and wind, and the source of the values.

    Raises:
        ToolError: The city is not in the sample data.
    """
    city = find_city(location)
    return CurrentWeather(
        location=city.label,
        temperature=in_unit(city.celsius, unit),
        unit=unit,
        conditions=city.conditions,
        humidity_percent=city.humidity,
        wind_kmh=city.wind,
    )


@fc_register(
    "tool",
    title="Weather forecast (sample data)",
    examples=[{"location": "Paris, France", "num_days": 3, "unit": "celsius"}],
    tags=("weather",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def get_n_day_weather_forecast(
    location: str, num_days: Annotated[int, Interval(ge=1, le=14)], unit: Unit = "fahrenheit"
) -> Forecast:
    """Look up the weather forecast of a city for the coming days in built-in sample data.

    The values are made up and never change: say so when you pass them on. Days are numbered, not dated.

    Args:
        location: The city, with its state or country if that helps, e.g. San Francisco, CA.
        num_days: How many days to forecast, counting today as the first.
        unit: The temperature unit to use: the one that people at the location would expect, unless asked otherwise.

    Returns:
        High, low, conditions and chance of rain for each day, and the source of the values.

    Raises:
        ToolError: The city is not in the sample data.
    """
    city = find_city(location)
    return Forecast(location=city.label, unit=unit, days=list(forecast_days(city, num_days, unit)))

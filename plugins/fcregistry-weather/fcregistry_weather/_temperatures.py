"""Temperatures in the unit of the request, as a number with one decimal."""

from fcregistry_weather._results import Unit


def in_unit(celsius: float, unit: Unit) -> float:
    """Return the temperature `celsius`, in degrees Celsius, in `unit`, rounded to one decimal.

    Raises:
        ValueError: The unit is not one of the two; fcregistry refuses such a call before it gets here.
    """
    if unit == "celsius":
        return round(celsius, 1)
    if unit == "fahrenheit":
        return round(celsius * 9 / 5 + 32, 1)
    raise ValueError(f"unit must be 'fahrenheit' or 'celsius', not {unit!r}")

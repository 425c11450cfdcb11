"""How degrees Celsius read in the unit that was asked for: as a number with one decimal."""

from fcregistry_weather._results import Unit


def in_unit(celsius: float, unit: Unit) -> float:
    """Degrees Celsius in another unit, rounded to one decimal.

    Raises:
        ValueError: The unit is none of the two. A call through fcregistry never gets here with one.
    """
    if unit == "celsius":
        return round(celsius, 1)
    if unit == "fahrenheit":
        return round(celsius * 9 / 5 + 32, 1)
    raise ValueError(f"unit must be 'fahrenheit' or 'celsius', not {unit!r}")

"""The cities with sample weather: one table, sorted by name, with invented but plausible values."""

from dataclasses import dataclass
from typing import Literal

Conditions = Literal["clear", "partly cloudy", "cloudy", "light rain", "rain", "fog"]

USA = ("USA", "US", "United States", "United States of America")
UK = ("UK", "GB", "United Kingdom", "Great Britain", "England")


@dataclass(frozen=True, slots=True, kw_only=True)
class City:
    """One city and its sample weather.

    Attributes:
        names: What the city is called; the first name is the one shown.
        regions: What its state or province is called; the first is shown. Empty if addresses do not name it.
        countries: What its country is called; the first is shown.
        celsius: The current temperature in degrees Celsius.
        conditions: The current conditions.
        humidity: The relative humidity in percent.
        wind: The wind speed in kilometres per hour.
    """

    names: tuple[str, ...]
    regions: tuple[str, ...] = ()
    countries: tuple[str, ...]
    celsius: float
    conditions: Conditions
    humidity: int
    wind: int

    @property
    def label(self) -> str:
        """The full name of the city, e.g. `San Francisco, CA, USA`."""
        return ", ".join([self.names[0], *self.regions[:1], self.countries[0]])


# fmt: off
CITIES: tuple[City, ...] = (
    City(names=("Beijing", "Peking", "北京"), countries=("China", "CN"),
         celsius=27.0, conditions="clear", humidity=38, wind=12),
    City(names=("Berlin",), countries=("Germany", "DE", "Deutschland"),
         celsius=18.0, conditions="partly cloudy", humidity=58, wind=15),
    City(names=("Cairo",), countries=("Egypt", "EG"),
         celsius=34.0, conditions="clear", humidity=22, wind=18),
    City(names=("London",), countries=UK,
         celsius=15.0, conditions="light rain", humidity=79, wind=20),
    City(names=("Mumbai", "Bombay"), regions=("Maharashtra", "MH"), countries=("India", "IN"),
         celsius=30.5, conditions="rain", humidity=84, wind=24),
    City(names=("Nairobi",), countries=("Kenya", "KE"),
         celsius=22.0, conditions="cloudy", humidity=64, wind=14),
    City(names=("New York", "New York City", "NYC"), regions=("NY", "New York"), countries=USA,
         celsius=21.5, conditions="partly cloudy", humidity=55, wind=16),
    City(names=("Paris",), countries=("France", "FR"),
         celsius=19.5, conditions="cloudy", humidity=62, wind=11),
    City(names=("San Francisco", "SF"), regions=("CA", "California"), countries=USA,
         celsius=16.0, conditions="fog", humidity=81, wind=19),
    City(names=("São Paulo",), regions=("SP",), countries=("Brazil", "BR", "Brasil"),
         celsius=23.5, conditions="light rain", humidity=74, wind=9),
    City(names=("Singapore",), countries=("Singapore", "SG"),
         celsius=31.0, conditions="rain", humidity=83, wind=8),
    City(names=("Sydney",), regions=("NSW", "New South Wales"), countries=("Australia", "AU"),
         celsius=20.0, conditions="clear", humidity=51, wind=22),
    City(names=("Tokyo", "東京"), countries=("Japan", "JP"),
         celsius=24.0, conditions="cloudy", humidity=66, wind=13),
    City(names=("Toronto",), regions=("ON", "Ontario"), countries=("Canada", "CA"),
         celsius=14.5, conditions="partly cloudy", humidity=60, wind=17),
)
# fmt: on

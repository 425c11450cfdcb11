"""The days of the week: in English, in lower case, Monday first as in ISO 8601."""

from datetime import date
from enum import StrEnum


class Weekday(StrEnum):
    """A day of the week."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"

    @classmethod
    def of(cls, day: date) -> "Weekday":
        """Return the weekday of `day`, a date or a datetime."""
        return tuple(cls)[day.weekday()]

    def days_after(self, day: date) -> int:
        """Return how many days after `day` this weekday comes, 0 to 6; 0 if `day` falls on it."""
        return (tuple(Weekday).index(self) - day.weekday()) % 7

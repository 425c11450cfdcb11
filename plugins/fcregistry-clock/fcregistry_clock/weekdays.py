"""What the days of the week are called: in English, in lower case, Monday first as in ISO 8601."""

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
        """The weekday of a date or a datetime."""
        return tuple(cls)[day.weekday()]

    def days_after(self, day: date) -> int:
        """How many days after a date this weekday comes, 0 to 6; 0 if the date falls on it."""
        return (tuple(Weekday).index(self) - day.weekday()) % 7

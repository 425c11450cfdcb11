"""The results of the tools: records of dates and times, with weekday, zone and daylight saving time."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from fcregistry_clock.weekdays import Weekday


@dataclass(frozen=True, slots=True, kw_only=True)
class ZonedTime:
    """An instant as a clock in one zone shows it.

    Attributes:
        time: The date and time with the offset from UTC.
        zone: The IANA name of the zone.
        weekday: The day of the week there.
        daylight_saving: Whether daylight saving time is in force there.
    """

    time: datetime
    zone: str
    weekday: Weekday
    daylight_saving: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeDifference:
    """How much time passes from a start to an end.

    Attributes:
        duration: The elapsed time; negative if the end comes first.
        seconds: The same in seconds.
        text: The same in words, e.g. 1 day 2 hours later.
    """

    duration: timedelta
    seconds: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NextWeekday:
    """The next date that falls on a weekday.

    Attributes:
        date: The date.
        weekday: The weekday of the date.
        days_ahead: How many days it is after the date that was given.
    """

    date: date
    weekday: Weekday
    days_ahead: int

"""The tools: the time in a zone, conversions, differences and weekdays, all offline."""

from datetime import UTC, date, datetime

from fcregistry import fc_register
from fcregistry.errors import ToolError

from fcregistry_clock._durations import in_words
from fcregistry_clock._instants import instant_of, zoned_time
from fcregistry_clock._results import NextWeekday, TimeDifference, ZonedTime
from fcregistry_clock._zones import find_zone
from fcregistry_clock.weekdays import Weekday

__all__ = ["convert_time", "current_time", "next_weekday", "time_difference"]


@fc_register(
    "tool",
    title="Current time",
    examples=[{"zone": "Asia/Tokyo"}],
    tags=("time",),
    read_only=True,
    open_world=False,
    blocking=False,
)
def current_time(zone: str = "UTC") -> ZonedTime:
    """Tell the current date, time and weekday in a time zone, to the second.

    The time is that of the clock of the computer on which the tool runs.

    Args:
        zone: The IANA name of the time zone, e.g. Europe/Berlin.

    Returns:
        The time with its offset from UTC, the weekday, and whether daylight saving time is in force.

    Raises:
        ToolError: There is no such zone.
    """
    return zoned_time(datetime.now(UTC).replace(microsecond=0), find_zone(zone))


@fc_register(
    "tool",
    title="Convert a time to another zone",
    examples=[
        {"time": "2026-03-02T09:00:00", "from_zone": "America/New_York", "to_zone": "Asia/Tokyo"},
        {"time": "2026-03-02T14:00:00Z", "to_zone": "Europe/Berlin"},
    ],
    tags=("time",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def convert_time(time: datetime, to_zone: str, from_zone: str | None = None) -> ZonedTime:
    """Tell what the clocks in one time zone show when those in another zone show a given time.

    A time without an offset from UTC is read as what the clocks in from_zone show. It is refused if they skip it when
    they are put forward, or show it twice when they are put back: then give the time with its offset.

    Args:
        time: The date and time to convert, with or without an offset from UTC.
        to_zone: The IANA name of the zone to convert to, e.g. Asia/Tokyo.
        from_zone: The IANA name of the zone of the time. Required for a time without an offset; with one, leave it out.

    Returns:
        The same instant in the other zone, with its offset from UTC, the weekday and whether daylight saving time is
        in force.

    Raises:
        ToolError: A zone is unknown, or the time does not say which instant it means.
    """
    return zoned_time(instant_of(time, from_zone), find_zone(to_zone))


@fc_register(
    "tool",
    title="Time between two instants",
    examples=[
        {"start": "2026-03-28T12:00:00", "end": "2026-03-29T12:00:00", "zone": "Europe/Berlin"},
        {"start": "2026-01-01T00:00:00Z", "end": "2026-01-02T12:30:00+01:00"},
    ],
    tags=("time",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def time_difference(start: datetime, end: datetime, zone: str | None = None) -> TimeDifference:
    """Tell how much time passes between two instants, changes of the clocks included.

    Either both times have an offset from UTC, or neither has and both are read as what the clocks in the zone show.
    A time that those clocks skip or show twice is refused: then give both times with their offsets.

    Args:
        start: The date and time to count from.
        end: The date and time to count to.
        zone: The IANA name of the zone of times without an offset, e.g. Europe/Berlin; UTC if no clock change matters.

    Returns:
        The elapsed time, negative if the end comes first, as a duration, in seconds and in words.

    Raises:
        ToolError: Only one of the times has an offset, the zone is missing or unknown, or a time does not say which
            instant it means.
    """
    if (start.utcoffset() is None) != (end.utcoffset() is None):
        raise ToolError(
            f"Only one of {start.isoformat()} (start) and {end.isoformat()} (end) has an offset from UTC. "
            "Give both with an offset, or both without one and the zone they are meant in."
        )
    # In UTC, because Python subtracts two times of one zone as if its clocks were never changed.
    duration = instant_of(end, zone) - instant_of(start, zone)
    return TimeDifference(duration=duration, seconds=duration.total_seconds(), text=in_words(duration))


@fc_register(
    "tool",
    title="Next date on a weekday",
    examples=[{"weekday": "friday", "after": "2026-03-02"}],
    tags=("time",),
    read_only=True,
    idempotent=True,
    open_world=False,
    blocking=False,
)
def next_weekday(weekday: Weekday, after: date, include_same_day: bool = False) -> NextWeekday:
    """Tell the date of the next given weekday after a date.

    Args:
        weekday: The weekday to look for.
        after: The date to start from; for today's date ask for the current time first.
        include_same_day: Whether the start itself counts if it falls on the weekday; otherwise it is a week later.

    Returns:
        The date, its weekday, and how many days it is after the start.

    Raises:
        ToolError: The date would be after the year 9999.
    """
    days = weekday.days_after(after)
    if days == 0 and not include_same_day:
        days = 7
    if after.toordinal() + days > date.max.toordinal():
        raise ToolError(f"The next {weekday} after {after.isoformat()} is after the year 9999, where dates end.")
    return NextWeekday(date=date.fromordinal(after.toordinal() + days), weekday=weekday, days_ahead=days)

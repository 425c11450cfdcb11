"""The clock tools tell times, conversions, differences and weekdays, and say what they cannot tell."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from fcregistry.errors import ToolError

from fcregistry_clock._results import NextWeekday, ZonedTime
from fcregistry_clock.tools import convert_time, current_time, next_weekday, time_difference
from fcregistry_clock.weekdays import Weekday


def at(text: str) -> datetime:
    """The datetime of an ISO 8601 text."""
    return datetime.fromisoformat(text)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "America/St_Johns"])
def test_current_time_is_now_to_the_second(zone: str) -> None:
    """Whatever the zone, the instant is that of this computer's clock."""
    before = datetime.now(UTC).replace(microsecond=0)
    result = current_time(zone)
    assert before <= result.time <= datetime.now(UTC)
    assert result.time.microsecond == 0
    assert result.zone == zone


def test_current_time_is_in_utc_unless_said_otherwise() -> None:
    """A model that names no zone gets one that has no daylight saving time."""
    result = current_time()
    assert (result.zone, result.time.utcoffset(), result.daylight_saving) == ("UTC", timedelta(), False)


def test_convert_time_reads_a_bare_time_in_its_zone() -> None:
    """Nine in the morning in New York is eleven at night in Tokyo while New York has standard time."""
    assert convert_time(at("2026-03-02T09:00:00"), "Asia/Tokyo", "America/New_York") == ZonedTime(
        time=datetime(2026, 3, 2, 23, tzinfo=timezone(timedelta(hours=9))),
        zone="Asia/Tokyo",
        weekday=Weekday.MONDAY,
        daylight_saving=False,
    )


@pytest.mark.parametrize(
    ("time", "zone", "expected", "saving"),
    [
        ("2026-07-01T12:00:00Z", "Europe/Berlin", "2026-07-01T14:00:00+02:00", True),
        ("2026-01-01T12:00:00Z", "Europe/Berlin", "2026-01-01T13:00:00+01:00", False),
        ("2026-01-01T00:30:00+01:00", "America/Los_Angeles", "2025-12-31T15:30:00-08:00", False),
        ("2026-01-01T12:00:00Z", "Asia/Kathmandu", "2026-01-01T17:45:00+05:45", False),
    ],
)
def test_convert_time_needs_no_source_zone_for_an_instant(time: str, zone: str, expected: str, saving: bool) -> None:
    """A time with an offset needs no source zone; the result is compared as text, because equality ignores offsets."""
    result = convert_time(at(time), zone)
    assert result.time.isoformat() == expected
    assert result.daylight_saving is saving


def test_convert_time_gives_the_weekday_of_the_target() -> None:
    """New year's eve, 23:30 in UTC, is a Wednesday in Los Angeles and already Thursday in Tokyo."""
    time = at("2025-12-31T23:30:00Z")
    assert convert_time(time, "America/Los_Angeles").weekday is Weekday.WEDNESDAY
    assert convert_time(time, "Asia/Tokyo").weekday is Weekday.THURSDAY


@pytest.mark.parametrize("time", ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"])
def test_a_result_in_a_repeated_hour_survives_its_text(time: str) -> None:
    """The value equals what a reader of its ISO 8601 text gets, in the hour when the clocks are put back too."""
    result = convert_time(at(time), "Europe/Berlin").time
    assert result == datetime.fromisoformat(result.isoformat()) == at(time)


@pytest.mark.parametrize(
    ("start", "end", "zone", "seconds", "text"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-02T12:30:00+01:00", None, 127_800.0, "1 day 11 hours 30 minutes later"),
        ("2026-01-02T00:00:00", "2026-01-01T23:59:58.5", "UTC", -1.5, "1.5 seconds earlier"),
        ("2026-01-01T12:00:00Z", "2026-01-01T13:00:00+01:00", None, 0.0, "at the same time"),
        ("2026-01-01T00:00:00Z", "2026-01-02T01:01:01Z", None, 90_061.0, "1 day 1 hour 1 minute 1 second later"),
        ("2026-01-01T00:00:00Z", "2026-01-11T00:00:10Z", None, 864_010.0, "10 days 10 seconds later"),
    ],
)
def test_time_difference_says_the_same_in_seconds_and_in_words(
    start: str, end: str, zone: str | None, seconds: float, text: str
) -> None:
    """Signed seconds, the duration and the words say the same."""
    result = time_difference(at(start), at(end), zone)
    assert (result.seconds, result.text) == (seconds, text)
    assert result.duration == timedelta(seconds=seconds)


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-06-01", 24)])
def test_time_difference_counts_clock_changes(day: str, hours: int) -> None:
    """From midnight to midnight in Berlin it is 23 hours when the clocks go forward, and 25 when they go back."""
    start = at(day)
    assert time_difference(start, start + timedelta(days=1), "Europe/Berlin").seconds == hours * 3600


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_time_difference_refuses_one_offset_alone(zone: str | None) -> None:
    """A zone does not make it clear either: the time with an offset may be in another one."""
    with pytest.raises(ToolError) as caught:
        time_difference(at("2026-01-01T00:00:00"), at("2026-01-01T00:00:00Z"), zone)
    assert str(caught.value) == (
        "Only one of 2026-01-01T00:00:00 (start) and 2026-01-01T00:00:00+00:00 (end) has an offset from UTC. "
        "Give both with an offset, or both without one and the zone they are meant in."
    )


@pytest.mark.parametrize(
    ("after", "weekday", "include", "expected", "days"),
    [
        (date(2026, 3, 2), Weekday.FRIDAY, False, date(2026, 3, 6), 4),
        (date(2026, 3, 6), Weekday.MONDAY, False, date(2026, 3, 9), 3),
        (date(2026, 3, 2), Weekday.MONDAY, False, date(2026, 3, 9), 7),
        (date(2026, 3, 2), Weekday.MONDAY, True, date(2026, 3, 2), 0),
        (date(2028, 2, 28), Weekday.TUESDAY, False, date(2028, 2, 29), 1),
        (at("2026-03-02T23:59:00"), Weekday.TUESDAY, False, date(2026, 3, 3), 1),
    ],
)
def test_next_weekday_counts_the_start_only_if_asked_to(
    after: date, weekday: Weekday, include: bool, expected: date, days: int
) -> None:
    """The start counts only when asked to, and a datetime is taken for its date."""
    result = next_weekday(weekday, after, include)
    assert result == NextWeekday(date=expected, weekday=weekday, days_ahead=days)
    assert type(result.date) is date


def test_every_weekday_is_found_within_a_week() -> None:
    """From any start the seven weekdays are the next seven days, in order."""
    found = sorted(next_weekday(weekday, date(2026, 3, 4)).date for weekday in Weekday)
    assert found == [date(2026, 3, 5) + timedelta(days=days) for days in range(7)]


def test_next_weekday_stops_at_the_end_of_dates() -> None:
    """9999-12-31 is a Friday: itself can be given, the next one cannot."""
    last = date(9999, 12, 31)
    assert next_weekday(Weekday.FRIDAY, last, include_same_day=True).date == last
    with pytest.raises(
        ToolError, match=r"^The next friday after 9999-12-31 is after the year 9999, where dates end\.$"
    ):
        next_weekday(Weekday.FRIDAY, last)

"""A time means one instant, or is refused with what to send instead: gaps, repeated hours, contradictions."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from fcregistry.errors import ToolError

from fcregistry_clock._instants import instant_of, zoned_time


def refusal(text: str, zone: str | None, fold: int = 0) -> str:
    """The message with which a time is refused."""
    with pytest.raises(ToolError) as caught:
        instant_of(datetime.fromisoformat(text).replace(fold=fold), zone)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-03-29T01:59:59", "Europe/Berlin", "2026-03-29T00:59:59+00:00"),
        ("2026-03-29T03:00:00", "Europe/Berlin", "2026-03-29T01:00:00+00:00"),
        ("2026-10-25T01:59:59", "Europe/Berlin", "2026-10-24T23:59:59+00:00"),
        ("2026-10-25T03:00:00", "Europe/Berlin", "2026-10-25T02:00:00+00:00"),
        ("2026-10-25T02:30:00+01:00", "Europe/Berlin", "2026-10-25T01:30:00+00:00"),
        ("2026-10-25T02:30:00+02:00", None, "2026-10-25T00:30:00+00:00"),
    ],
)
def test_times_around_a_change_of_the_clocks(text: str, zone: str | None, expected: str) -> None:
    """The last second before a gap or a repeated hour, and the first after it, are clear; so is one with an offset."""
    assert instant_of(datetime.fromisoformat(text), zone).isoformat() == expected


def test_a_bare_time_needs_a_zone() -> None:
    """No zone is assumed, neither UTC nor that of this computer."""
    assert refusal("2026-03-02T09:00:00", None) == (
        "2026-03-02T09:00:00 has no offset from UTC: add one, or name the zone it is meant in."
    )


@pytest.mark.parametrize("fold", [0, 1])
def test_a_time_in_a_gap_is_refused(fold: int) -> None:
    """The message gives a time on either side; both can be sent."""
    message = refusal("2026-03-29T02:30:00", "Europe/Berlin", fold)
    assert message == (
        "2026-03-29T02:30:00 does not exist in Europe/Berlin: the clocks are put forward over it. Send a time outside "
        "the gap, such as 2026-03-29T01:30:00+01:00 or 2026-03-29T03:30:00+02:00."
    )
    for word in message.rstrip(".").split()[-3::2]:
        instant_of(datetime.fromisoformat(word), "Europe/Berlin")


def test_a_skipped_day_is_a_gap() -> None:
    """Samoa left out the whole of 2011-12-30 when it changed sides of the date line."""
    assert "2011-12-30T12:00:00 does not exist in Pacific/Apia" in refusal("2011-12-30T12:00:00", "Pacific/Apia")


@pytest.mark.parametrize("fold", [0, 1])
def test_a_repeated_time_is_refused(fold: int) -> None:
    """The message gives both readings; both can be sent."""
    message = refusal("2026-10-25T02:30:00", "Europe/Berlin", fold)
    assert message == (
        "2026-10-25T02:30:00 happens twice in Europe/Berlin, where the clocks are put back: as "
        "2026-10-25T02:30:00+02:00 and as 2026-10-25T02:30:00+01:00. Send the one that is meant, with its offset."
    )


def test_an_offset_that_contradicts_its_zone_is_refused() -> None:
    """Two statements that disagree are not settled by taking one of them."""
    assert refusal("2026-07-01T12:00:00+00:00", "Europe/Berlin") == (
        "2026-07-01T12:00:00+00:00 contradicts the zone Europe/Berlin, where it is 2026-07-01T14:00:00+02:00 at that "
        "instant. Leave out the offset if the zone is right, or the zone if the offset is right."
    )


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("0001-01-01T00:00:00", "Asia/Tokyo"),
        ("9999-12-31T23:00:00", "America/New_York"),
        ("0001-01-01T00:00:00Z", "America/New_York"),
    ],
)
def test_the_ends_of_time_are_refused(text: str, zone: str) -> None:
    """Python's dates end at the years 1 and 9999, and a zone can push a time over the edge."""
    assert "is outside the years 1 to 9999 in " in refusal(text, zone)


def test_the_ends_of_time_are_refused_in_the_target_too() -> None:
    """What is a date in UTC need not be one elsewhere."""
    with pytest.raises(ToolError, match=r"^9999-12-31T23:00:00\+00:00 is outside the years 1 to 9999 in Asia/Tokyo\.$"):
        zoned_time(datetime(9999, 12, 31, 23, tzinfo=UTC), ZoneInfo("Asia/Tokyo"))

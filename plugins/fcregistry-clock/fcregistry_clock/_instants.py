"""The instant that a date and time means: by its offset, or by the clocks of a zone."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from fcregistry.errors import ToolError

from fcregistry_clock._results import ZonedTime
from fcregistry_clock._zones import find_zone
from fcregistry_clock.weekdays import Weekday


def instant_of(time: datetime, zone: str | None) -> datetime:
    """Return the instant of `time`, in UTC.

    Args:
        time: With an offset, it is an instant by itself. Without an offset, it is the time that the clocks in the zone show.
        zone: The IANA name of the zone. With an offset, it may be missing; otherwise both must agree.

    Raises:
        ToolError: There is neither an offset nor a zone, the two contradict each other, the zone is unknown, the
            clocks in the zone never show the time or show it twice, or the instant is outside the years 1 to 9999.
    """
    if time.utcoffset() is not None:
        return _check_zone(time, zone)
    if zone is None:
        raise ToolError(f"{time.isoformat()} has no offset from UTC: add one, or name the zone it is meant in.")
    return in_zone(_locate(time, find_zone(zone)), UTC)


def in_zone(instant: datetime, zone: tzinfo) -> datetime:
    """Return `instant` as a time in `zone`.

    Raises:
        ToolError: It would be before the year 1 or after the year 9999 there.
    """
    try:
        return instant.astimezone(zone)
    except (OverflowError, ValueError) as exc:
        raise ToolError(f"{instant.isoformat()} is outside the years 1 to 9999 in {zone}.") from exc


def zoned_time(instant: datetime, zone: ZoneInfo) -> ZonedTime:
    """Return what a clock in `zone` shows at `instant`."""
    local = in_zone(instant, zone)
    offset = local.utcoffset() or timedelta()
    return ZonedTime(
        # With a fixed offset instead of the zone, the value equals its ISO 8601 text read back in every hour: for Python,
        # a time in a repeated hour never equals a time in another zone (PEP 495).
        time=local.replace(tzinfo=timezone(offset), fold=0),
        zone=zone.key,
        weekday=Weekday.of(local),
        daylight_saving=bool(local.dst()),
    )


def _check_zone(time: datetime, zone: str | None) -> datetime:
    """Return the instant of `time`, which has an offset.

    Raise `ToolError` if the offset contradicts `zone`.
    """
    instant = in_zone(time, UTC)
    if zone is not None:
        there = in_zone(instant, find_zone(zone))
        if there.utcoffset() != time.utcoffset():
            raise ToolError(
                f"{time.isoformat()} contradicts the zone {zone}, where it is {there.isoformat()} at that instant. "
                "Leave out the offset if the zone is right, or the zone if the offset is right."
            )
    return instant


def _locate(time: datetime, zone: ZoneInfo) -> datetime:
    """Return `time`, a wall-clock time, with its `zone`.

    The clocks there must show the time exactly once (PEP 495).

    Raises:
        ToolError: The clocks skip the time, or show it twice.
    """
    first, second = (time.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    before, after = (reading.utcoffset() or timedelta() for reading in (first, second))
    if before < after:
        outside = " or ".join(in_zone(in_zone(reading, UTC), zone).isoformat() for reading in (second, first))
        raise ToolError(
            f"{time.isoformat()} does not exist in {zone.key}: the clocks are put forward over it. "
            f"Send a time outside the gap, such as {outside}."
        )
    if before > after:
        raise ToolError(
            f"{time.isoformat()} happens twice in {zone.key}, where the clocks are put back: as {first.isoformat()} "
            f"and as {second.isoformat()}. Send the one that is meant, with its offset."
        )
    return first

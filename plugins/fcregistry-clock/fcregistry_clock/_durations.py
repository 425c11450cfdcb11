"""Durations in words: days, hours, minutes and seconds, without the parts that are zero."""

from datetime import timedelta


def in_words(duration: timedelta) -> str:
    """Return `duration` in words, such as `1 day 2 hours later`, or `at the same time` if it is zero."""
    if not duration:
        return "at the same time"
    return f"{' '.join(_parts(abs(duration)))} {'later' if duration > timedelta() else 'earlier'}"


def _parts(duration: timedelta) -> list[str]:
    """Return the parts of `duration` in words, such as `1 day` and `2 hours`, without those that are zero."""
    minutes, whole_seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    seconds = f"{whole_seconds}.{duration.microseconds:06}".rstrip("0").rstrip(".")
    amounts = {"day": str(duration.days), "hour": str(hours), "minute": str(minutes), "second": seconds}
    return [f"{amount} {unit}{'' if amount == '1' else 's'}" for unit, amount in amounts.items() if amount != "0"]

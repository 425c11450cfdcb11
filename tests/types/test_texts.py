from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any
from uuid import UUID

import pytest

from fcregistry.types import codec_of, schema_of

from .cases import assert_accepts, assert_refuses, assert_round_trip

KATHMANDU = timezone(timedelta(hours=5, minutes=45))


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (datetime, {"type": "string", "format": "date-time"}),
        (date, {"type": "string", "format": "date"}),
        (time, {"type": "string", "format": "time"}),
        (timedelta, {"type": "string", "format": "duration"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (bytes, {"type": "string", "format": "byte", "contentEncoding": "base64"}),
        (Path, {"type": "string"}),
    ],
)
def test_a_type_that_is_a_string_in_json_names_its_format(annotation: Any, schema: dict[str, str]) -> None:
    assert schema_of(annotation) == schema
    assert_refuses(annotation, None, 1, True, [], {})


@pytest.mark.parametrize(
    ("encoded", "decoded"),
    [
        ("2024-02-29T12:30:00+00:00", datetime(2024, 2, 29, 12, 30, tzinfo=UTC)),
        ("2024-02-29T12:30:00.000001+05:45", datetime(2024, 2, 29, 12, 30, 0, 1, KATHMANDU)),
        ("2024-02-29T12:30:00", datetime(2024, 2, 29, 12, 30)),  # noqa: DTZ001  # as Python's own, without an offset
        ("0001-01-01T00:00:00", datetime.min),  # noqa: DTZ901
    ],
)
def test_a_datetime_round_trips_with_and_without_offset(encoded: str, decoded: datetime) -> None:
    assert_round_trip(datetime, encoded, decoded)


def test_a_datetime_accepts_rfc_3339_and_no_other_iso_form() -> None:
    assert_accepts(
        datetime, "2024-02-29T12:30:00Z", "2024-02-29t12:30:00z", "2024-02-29 12:30", "2024-02-29T12:30:00.5Z"
    )
    assert_refuses(datetime, "2023-02-29T12:30:00", "2024-02-29", "20240229T123000", "2024-W09-4T12:30")
    assert_refuses(datetime, "2024-02-29T24:00:00", "2024-02-29T12:30:60Z", "2024-02-29T12:30:00+24:00", "now", "")
    assert_refuses(datetime, "2024-02-29T12:30:00\n", " 2024-02-29T12:30:00", "٢024-02-29T12:30:00")


def test_a_date_is_not_a_datetime() -> None:
    assert_round_trip(date, "2024-02-29", date(2024, 2, 29))
    assert_refuses(date, "2023-02-29", "2024-2-9", "20240229", "2024-02-29T00:00:00", "0000-01-01", "2024-13-01")
    assert not codec_of(date).handles(datetime(2024, 2, 29, tzinfo=UTC))


def test_a_time_round_trips() -> None:
    assert_round_trip(time, "12:30:00", time(12, 30))
    assert_round_trip(time, "23:59:59.999999+05:45", time(23, 59, 59, 999999, KATHMANDU))
    assert_refuses(time, "24:00", "12:60", "12", "noon", "1230")


@pytest.mark.parametrize(
    ("encoded", "decoded"),
    [
        ("PT0S", timedelta(0)),
        ("P1D", timedelta(days=1)),
        ("PT1H30M", timedelta(hours=1, minutes=30)),
        ("P2DT0.5S", timedelta(days=2, milliseconds=500)),
        ("-P1DT1S", -timedelta(days=1, seconds=1)),
        ("-P999999999D", timedelta.min),
        ("P999999999DT23H59M59.999999S", timedelta.max),
    ],
)
def test_a_duration_is_an_iso_8601_one(encoded: str, decoded: timedelta) -> None:
    assert_round_trip(timedelta, encoded, decoded)


def test_a_duration_has_weeks_but_no_months_or_years() -> None:
    assert codec_of(timedelta).decode("P2W") == timedelta(weeks=2)
    assert_refuses(timedelta, "P1Y", "P1M", "P", "PT", "P1DT", "1D", "P1.5D", "P1000000000D", "-P999999999DT1S", "")


def test_a_uuid_has_its_hyphens() -> None:
    text = "12345678-1234-5678-1234-567812345678"
    assert_round_trip(UUID, text, UUID(text))
    assert_accepts(UUID, text.replace("5", "A"))
    assert_refuses(UUID, text.replace("-", ""), f"{{{text}}}", f"urn:uuid:{text}", text[:-1], text + "\n")


def test_bytes_are_base64() -> None:
    assert_round_trip(bytes, "AP8=", b"\x00\xff")
    assert_round_trip(bytes, "", b"")
    assert_refuses(bytes, "AP8", "A P8=", "\u00e9", "AP8_", "\ud800")


@pytest.mark.parametrize("cls", [Path, PurePath, PurePosixPath, PureWindowsPath])
def test_a_path_is_its_text(cls: type[PurePath]) -> None:
    assert codec_of(cls).decode("a/b.txt") == cls("a/b.txt")
    assert codec_of(cls).encode(cls("a")) == "a"
    assert codec_of(cls).handles(cls("a"))
    assert not codec_of(cls).handles("a")

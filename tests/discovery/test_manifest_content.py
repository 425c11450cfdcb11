"""The text of a manifest, and how a plugin is compared with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fcregistry import Tool
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import ToolRecord
from fcregistry.discovery import (
    MANIFEST_FORMAT,
    ManifestContent,
    manifest_drift,
    manifest_text,
    parse_manifest,
)


def read_temperature(station: str, unit: str = "celsius") -> float:
    """Read the temperature.

    Args:
        station: Where.
        unit: In what.
    """
    return 0.0


def record(function: Callable[..., Any] = read_temperature, **changes: Any) -> ToolRecord:
    """Return a tool's record as a manifest has it."""
    tool = Tool.from_function(function)
    return {**record_of(tool), "file": "acme_weather/tools.py", "line": 3, **changes}  # type: ignore[typeddict-item]


def test_the_text_keeps_the_order_of_parameters_and_lone_surrogates() -> None:
    """What is written is what is read again, byte for byte."""

    def odd(zone: str = "\ud800", area: str = "ü") -> None:
        """Do it."""

    plugin = {"entry_point": "weather", "value": "acme_weather.tools", "dynamic": False, "tools": [record(odd)]}
    told = ManifestContent(format=MANIFEST_FORMAT, distribution="acme-weather", plugins=[plugin], sources={})  # type: ignore[list-item]
    text = manifest_text(told)
    assert list(json.loads(text.encode())["plugins"][0]["tools"][0]["parameters"]["properties"]) == ["zone", "area"]
    assert "ü" in text
    assert manifest_text(parse_manifest(text)) == text


def test_drift_is_a_line_for_each_difference_with_its_path() -> None:
    """Where a function stands is no difference; what a model is told of it is."""

    def other(station: str, unit: str = "kelvin", day: int = 0) -> float:
        """Read the temperature on a day.

        Args:
            station: Where.
            unit: In what.
            day: When.
        """
        return 0.0

    before = [record(), record(name="old"), record(group="sky", name="same")]
    after = [record(other, name="read_temperature"), record(name="new"), record(group="sky", name="same", line=9)]
    assert manifest_drift(before, before) == []
    assert manifest_drift(before, after) == [
        "new: is not described, but the code declares it",
        "old: is described, but the code does not declare it",
        'read_temperature: description is "Read the temperature on a day.", but is described as "Read the temperature."',
        'read_temperature: parameters.properties.unit.default is "kelvin", but is described as "celsius"',
        (
            'read_temperature: parameters.properties.day is {"type": "integer", "description": "When.", "default": 0}, '
            "but is described as missing"
        ),
    ]

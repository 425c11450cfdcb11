"""Helpers that test a type: the JSON that it accepts and refuses, and the Python values that it decodes to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry.types import UnsupportedType, codec_of, schema_of

from ..validation.both_engines import ENGINES, of_argument, problems_by_both, tool_of  # noqa: TID252  # the tests are no package


def assert_round_trip(annotation: Any, encoded: Any, decoded: Any) -> None:
    """Check that codec and schema accept `encoded`, that it decodes to `decoded`, and the other way."""
    codec = codec_of(annotation)
    assert problems_by_both(of_argument(schema_of(annotation)), {"value_": encoded}) == []
    assert codec.accepts(encoded)
    made = codec.decode(encoded)
    assert made == decoded
    assert type(made) is type(decoded)
    assert codec.handles(decoded)
    assert json.dumps(codec.encode(decoded)) == json.dumps(encoded)


def assert_refuses(annotation: Any, *values: Any) -> None:
    """Check that neither the codec nor the schema accepts these JSON values."""
    codec, tool = codec_of(annotation), tool_of(of_argument(schema_of(annotation)))
    for value in values:
        assert not codec.accepts(value), value
        for engine in ENGINES:
            assert not tool.validator(engine).is_valid({"value_": value}), (engine, value)


def assert_accepts(annotation: Any, *values: Any) -> None:
    """Check that codec and schema accept these JSON values."""
    codec, tool = codec_of(annotation), tool_of(of_argument(schema_of(annotation)))
    for value in values:
        assert codec.accepts(value), value
        for engine in ENGINES:
            assert tool.validator(engine).is_valid({"value_": value}), (engine, value)


def schema_of_results(annotation: Any) -> Any:
    """Return the result schema of a tool that returns values of a type."""

    def give() -> Any: ...

    give.__annotations__["return"] = annotation
    return Tool.from_function(give).returns


def why_unsupported(annotation: Any) -> str:
    """Return the message that the author of an annotation without a JSON form gets."""
    with pytest.raises(UnsupportedType) as caught:
        codec_of(annotation)
    return str(caught.value)

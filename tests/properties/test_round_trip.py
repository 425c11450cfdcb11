"""A Python value comes back from JSON as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry.types import codec_of, to_json_text

from .rows.all import EXAMPLES, IDS
from .rows.row import Example
from .samples import Sample, samples


@st.composite
def values(draw: st.DrawFn) -> tuple[Sample, Any]:
    sample = draw(samples)
    return sample, draw(sample.values)


def check(annotation: Any, value: Any) -> None:
    """Check that a value is handled, and comes back equal, of its type, and as the same JSON."""
    note(f"{annotation} / {value!r}")
    codec = codec_of(annotation)
    assert codec.handles(value)
    text = json.dumps(codec.encode(value), allow_nan=False)
    encoded = json.loads(text)
    assert codec.accepts(encoded)
    decoded = codec.decode(encoded)
    assert decoded == value
    assert type(decoded) is type(value)
    assert json.dumps(codec.encode(decoded)) == text


@given(values())
@settings(max_examples=200)
def test_a_value_is_equal_and_of_its_type_after_encoding_and_decoding(drawn: tuple[Sample, Any]) -> None:
    sample, value = drawn
    check(sample.annotation, value)


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
@given(data=st.data())
@settings(max_examples=12)
def test_a_value_of_each_row_of_the_reference_comes_back_where_that_is_promised(
    example: Example, data: st.DataObject
) -> None:
    value = data.draw(example.values)
    if example.comes_back:
        check(example.annotation, value)
    else:
        assert not codec_of(example.annotation).handles(value)


@given(values())
@settings(max_examples=50)
def test_a_natural_codec_encodes_just_as_json_text_does(drawn: tuple[Sample, Any]) -> None:
    sample, value = drawn
    codec = codec_of(sample.annotation)
    if codec.natural:
        assert to_json_text(value) == to_json_text(codec.encode(value))

"""Does a Python value come back from JSON as it was?"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry.types import codec_of, to_json_text

from .samples import Sample, samples


@st.composite
def values(draw: st.DrawFn) -> tuple[Sample, Any]:
    sample = draw(samples)
    return sample, draw(sample.values)


@given(values())
@settings(max_examples=500)
def test_a_value_is_equal_and_of_its_type_after_encoding_and_decoding(drawn: tuple[Sample, Any]) -> None:
    sample, value = drawn
    note(f"{sample.annotation} / {value!r}")
    codec = codec_of(sample.annotation)
    assert codec.handles(value)
    encoded = codec.encode(value)
    assert codec.accepts(encoded)
    decoded = codec.decode(json.loads(json.dumps(encoded, allow_nan=False)))
    assert decoded == value
    assert type(decoded) is type(value)


@given(values())
@settings(max_examples=200)
def test_encoding_what_was_decoded_gives_the_same_json(drawn: tuple[Sample, Any]) -> None:
    sample, value = drawn
    codec = codec_of(sample.annotation)
    encoded = codec.encode(value)
    assert json.dumps(codec.encode(codec.decode(encoded))) == json.dumps(encoded)


@given(values())
@settings(max_examples=200)
def test_a_natural_codec_encodes_just_as_json_text_does(drawn: tuple[Sample, Any]) -> None:
    sample, value = drawn
    codec = codec_of(sample.annotation)
    if codec.natural:
        assert to_json_text(value) == to_json_text(codec.encode(value))

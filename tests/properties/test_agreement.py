"""Do a type's schema, its codec and both validators say the same of every JSON value?"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fcregistry._validation import Validator
from fcregistry.types import Refusal, codec_of, schema_of
from fcregistry.types._texts import FORMATS

from .samples import Sample, altered, json_values, samples


@st.composite
def questions(draw: st.DrawFn) -> tuple[Sample, Any]:
    """Draw an annotation and a JSON value: one of it, one that is nearly one, or any."""
    sample = draw(samples)
    way = draw(st.sampled_from(["valid", "altered", "any"]))
    if way == "any":
        return sample, draw(json_values)
    value = json.loads(json.dumps(codec_of(sample.annotation).encode(draw(sample.values))))
    return sample, draw(altered(value)) if way == "altered" else value


def validators(annotation: Any) -> tuple[Validator, Validator]:
    schema = schema_of(annotation)
    return Validator(schema, FORMATS, "jsonschema-rs"), Validator(schema, FORMATS, "jsonschema")


@given(questions())
@settings(max_examples=600)
def test_the_codec_accepts_exactly_what_both_validators_accept(question: tuple[Sample, Any]) -> None:
    sample, value = question
    note(f"{sample.annotation} / {value!r}")
    gate, record = validators(sample.annotation)
    assert codec_of(sample.annotation).accepts(value) == gate.is_valid(value) == record.is_valid(value)


@given(questions())
@settings(max_examples=400)
def test_both_validators_word_the_same_problems(question: tuple[Sample, Any]) -> None:
    sample, value = question
    note(f"{sample.annotation} / {value!r}")
    gate, record = validators(sample.annotation)
    assert gate.problems(value) == record.problems(value)
    assert bool(gate.problems(value)) != gate.is_valid(value)


@given(questions())
@settings(max_examples=300)
def test_what_is_accepted_is_decoded(question: tuple[Sample, Any]) -> None:
    sample, value = question
    codec = codec_of(sample.annotation)
    if codec.accepts(value):
        try:
            decoded = codec.decode(value)
        except Refusal as refusal:  # only a predicate or a record's own check may refuse, and there is none here
            raise AssertionError(f"{sample.annotation} accepts {value!r} and refuses it: {refusal}") from refusal
        assert codec.handles(decoded), (sample.annotation, value, decoded)


@given(samples)
@settings(max_examples=150)
def test_every_schema_is_valid_json_schema_and_json(sample: Sample) -> None:
    schema = schema_of(sample.annotation)
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    assert schema_of(sample.annotation) == schema

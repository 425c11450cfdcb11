"""A type's schema, its codec and both validators agree on every JSON value."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from fcregistry.types import Refusal, codec_of, schema_of

from .rows.all import EXAMPLES, IDS
from .rows.row import Example
from .samples import Sample, altered, json_values, leaf, samples, validators_of


@st.composite
def questions(draw: st.DrawFn, of: st.SearchStrategy[Sample] = samples) -> tuple[Sample, Any]:
    """Draw an annotation and a JSON value: one of it, one that is nearly one, or any."""
    sample = draw(of)
    way = draw(st.sampled_from(["valid", "altered", "any"]))
    if way == "any":
        return sample, draw(json_values)
    value = json.loads(json.dumps(codec_of(sample.annotation).encode(draw(sample.values))))
    return sample, draw(altered(value)) if way == "altered" else value


def check(sample: Sample, value: Any, gate: Any, record: Any) -> None:
    """Check that the codec and both validators agree about a value, and that what is accepted is decoded."""
    note(f"{sample.annotation} / {value!r}")
    codec = codec_of(sample.annotation)
    accepted = codec.accepts(value)
    assert accepted == gate.is_valid({"value": value}) == record.is_valid({"value": value})
    if not accepted:
        return
    try:
        decoded = codec.decode(value)
    except Refusal:
        if sample.sure:  # only what no schema can say may refuse
            raise
    else:
        assert codec.handles(decoded), (sample.annotation, value, decoded)


@given(questions())
@settings(max_examples=200)
def test_the_codec_accepts_exactly_what_both_validators_accept(question: tuple[Sample, Any]) -> None:
    sample, value = question
    check(sample, value, *validators_of(sample.annotation))


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
@given(data=st.data())
@settings(max_examples=12)
def test_each_row_of_the_reference_is_accepted_exactly_where_both_validators_accept_it(
    example: Example, data: st.DataObject
) -> None:
    sample, value = data.draw(questions(st.just(leaf(example))))
    gate, record = validators_of(example.annotation)
    if example.comes_back:
        check(sample, value, gate, record)
    else:
        accepted, arguments = codec_of(example.annotation).accepts(value), {"value": value}
        assert accepted == gate.is_valid(arguments) == record.is_valid(arguments)


@given(questions())
@settings(max_examples=60)
def test_both_validators_word_the_same_problems(question: tuple[Sample, Any]) -> None:
    sample, value = question
    note(f"{sample.annotation} / {value!r}")
    gate, record = validators_of(sample.annotation)
    arguments = {"value": value}
    assert gate.problems(arguments) == record.problems(arguments)
    assert bool(gate.problems(arguments)) != gate.is_valid(arguments)


@given(samples)
@settings(max_examples=50)
def test_every_schema_is_valid_json_schema_and_json(sample: Sample) -> None:
    schema = schema_of(sample.annotation)
    Draft202012Validator.check_schema(schema)
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema


@pytest.mark.parametrize("example", EXAMPLES, ids=IDS)
def test_the_official_metaschema_accepts_the_schema_of_each_row(example: Example) -> None:
    Draft202012Validator.check_schema(schema_of(example.annotation))

"""For every array type and every JSON value: codec and schema agree, and every array comes back as it was."""

import contextlib
import json
from typing import Any, Literal, NamedTuple

import numpy as np
from fcregistry.types import Refusal, codec_of, schema_of
from hypothesis import HealthCheck, example, given, note, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from jsonschema import Draft202012Validator
from jsonschema_rs import Draft202012Validator as FastValidator
from numpy.typing import NDArray

# No deadline, nothing kept between runs; what is slow is the first example, for which Hypothesis looks at all of Unicode.
LAW = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])

SCALARS = (
    *(np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
    *(np.float16, np.float32, np.float64, np.bool_, np.str_),
)
texts = st.text(st.characters(codec="utf-8")).filter(lambda text: not text.endswith("\0"))


class Sample(NamedTuple):
    """An annotation and the arrays, or scalars, that are of it."""

    annotation: Any
    values: st.SearchStrategy[Any]


def items(scalar: Any) -> st.SearchStrategy[Any]:
    """Return the values of a scalar type that JSON has."""
    if scalar is np.str_:
        return texts
    finite = {"allow_nan": False, "allow_infinity": False} if issubclass(scalar, np.floating) else {}
    return hnp.from_dtype(np.dtype(scalar), **finite)


def arrays(scalar: Any, shapes: Any) -> st.SearchStrategy[Any]:
    """Return arrays of a scalar type, whose texts have no room to spare."""
    dtype = np.dtype("U8") if scalar is np.str_ else np.dtype(scalar)
    fills = texts.map(lambda text: text[:8].rstrip("\0")) if scalar is np.str_ else items(scalar)
    return hnp.arrays(dtype, shapes, elements=fills)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """Draw a scalar type, or an array type of it: of any shape, of so many dimensions, or of stated lengths."""
    scalar = draw(st.sampled_from(SCALARS))
    kind = draw(st.sampled_from(["scalar", "any shape", "dimensions", "lengths"]))
    if kind == "scalar":
        return Sample(scalar, items(scalar).map(scalar))
    if kind == "any shape":
        # Where JSON keeps all lengths: none is 0 but the last.
        shapes = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3) | st.sampled_from([(0,), (2, 0)])
        return Sample(NDArray[scalar], arrays(scalar, shapes))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=3))
    stated = tuple(Literal[length] if kind == "lengths" and draw(st.booleans()) else int for length in shape)
    return Sample(np.ndarray[tuple[stated], np.dtype[scalar]], arrays(scalar, shape))  # type: ignore[valid-type]


numbers = (
    st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([2**63, 2**64, -0.0, 65504.5])
)
leaves = st.none() | st.booleans() | numbers | st.text(max_size=3)
nested = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3), max_leaves=8)


@st.composite
def questions(draw: st.DrawFn) -> tuple[Any, Any]:
    """Draw an annotation and a JSON value: one of it, one that is nearly one, or any."""
    sample = draw(samples())
    way = draw(st.sampled_from(["valid", "altered", "any"]))
    if way == "any":
        return sample.annotation, draw(nested)
    value = json.loads(json.dumps(codec_of(sample.annotation).encode(draw(sample.values))))
    return sample.annotation, draw(altered(value)) if way == "altered" else value


@st.composite
def altered(draw: st.DrawFn, value: Any) -> Any:
    """Draw a value that differs from another in one place."""
    if not isinstance(value, list) or not value or draw(st.booleans()):
        return draw(leaves | st.just([value]) | st.just([]))
    place = draw(st.integers(0, len(value) - 1))
    return [*value[:place], draw(altered(value[place])), *value[place + 1 :]]


@given(questions())
@settings(LAW, max_examples=400)
def test_the_codec_accepts_exactly_what_both_validators_accept(question: tuple[Any, Any]) -> None:
    annotation, value = question
    note(f"{annotation} / {value!r}")
    schema = schema_of(annotation)
    Draft202012Validator.check_schema(schema)
    expected = Draft202012Validator(schema).is_valid(value)
    assert codec_of(annotation).accepts(value) == expected
    assert FastValidator(schema).is_valid(value) == expected


@given(questions())
@settings(LAW, max_examples=300)
def test_what_is_accepted_is_decoded_or_refused_with_a_place_in_it(question: tuple[Any, Any]) -> None:
    """Only what no schema can say is refused; numpy's own exceptions and warnings never come through."""
    annotation, value = question
    codec = codec_of(annotation)
    if not codec.accepts(value):
        return
    try:
        decoded = codec.decode(value)
    except Refusal as refusal:
        assert codec.unsaid, (annotation, value)
        for position in refusal.path:
            value = value[position]
    else:
        assert codec.handles(decoded)
        assert codec.accepts(codec.encode(decoded))


@given(st.data())
@settings(LAW, max_examples=300)
def test_a_value_comes_back_bit_for_bit(data: st.DataObject) -> None:
    """Of its dtype and shape, -0.0 and the smallest numbers included; only texts have no more room than they need."""
    sample = data.draw(samples())
    value = data.draw(sample.values)
    codec = codec_of(sample.annotation)
    assert codec.handles(value)
    encoded = codec.encode(value)
    assert codec.accepts(encoded)
    back = codec.decode(json.loads(json.dumps(encoded, allow_nan=False)))
    assert type(back) is type(value)
    assert (back.dtype.type, back.shape) == (value.dtype.type, value.shape)
    if value.dtype.kind == "U":
        assert np.array_equal(back, value)
    else:
        assert (back.dtype, back.tobytes()) == (value.dtype, value.tobytes())


@given(st.sampled_from(SCALARS).flatmap(lambda scalar: arrays(scalar, hnp.array_shapes(max_dims=2, max_side=3))))
@example(np.array([2**63, 0], dtype=np.uint64))
@example(np.array([[0], [2**64 - 1]], dtype=np.uint64))
@settings(LAW, max_examples=100)
def test_arrays_of_any_items_come_back_with_their_values(value: NDArray[Any]) -> None:
    """Where the type names no dtype, values are equal, whole numbers stay whole, and booleans and texts stay what they are."""
    for annotation in (np.ndarray, NDArray[Any]):
        codec = codec_of(annotation)
        assert codec.handles(value)
        back = codec.decode(json.loads(json.dumps(codec.encode(value))))
        assert back.tolist() == value.tolist()
        assert back.dtype.kind in {"u": "iu"}.get(value.dtype.kind, value.dtype.kind)


@given(st.lists(st.integers() | st.sampled_from([2**53 + 1, 2**63, 2**64 - 1, 2**64]) | st.floats(-2, 2), min_size=1))
@example([2**63, 0])
@settings(LAW, max_examples=200)
def test_every_number_keeps_its_value_or_is_refused_where_no_dtype_is_named(numbers: list[float]) -> None:
    for annotation in (np.ndarray, NDArray[np.number[Any]], np.ndarray[tuple[int], np.dtype[Any]]):
        with contextlib.suppress(Refusal):
            assert codec_of(annotation).decode(numbers).tolist() == numbers

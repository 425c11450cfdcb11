"""A JSON value becomes exactly the array that its type promises, or is refused with its place; and back."""

import json
import sys
from typing import Any, Literal

import numpy as np
import pytest
from fcregistry.types import EncodingError, Refusal, codec_of, to_json_text
from numpy.typing import NDArray

from fcregistry_numpy import Shape, _making  # its limits are compared with

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Corners = np.ndarray[tuple[int, Literal[2]], np.dtype[np.int16]]
Cube = np.ndarray[tuple[int, int, int], np.dtype[np.float32]]
Point = np.ndarray[tuple[()], np.dtype[np.float64]]

DECODED: list[tuple[Any, str, tuple[int, ...], str]] = [
    # annotation, JSON, shape, dtype
    (NDArray[np.float64], "[1, 2.5]", (2,), "float64"),
    (NDArray[np.float64], "[[1, 2], [3, 4]]", (2, 2), "float64"),
    (NDArray[np.float64], "[]", (0,), "float64"),
    (NDArray[np.float64], "[[], []]", (2, 0), "float64"),
    (NDArray[np.int64], "[2.0, 9007199254740993]", (2,), "int64"),
    (NDArray[np.bool_], "[true, false]", (2,), "bool"),
    (NDArray[np.str_], '["a", "longer", ""]', (3,), "<U6"),
    (NDArray[np.longlong], "[1]", (1,), "longlong"),
    (Matrix, "[]", (0, 0), "float64"),
    (Matrix, "[[], []]", (2, 0), "float64"),
    (Corners, "[]", (0, 2), "int16"),
    (Cube, "[]", (0, 0, 0), "float32"),
    (Cube, "[[], []]", (2, 0, 0), "float32"),
    (Point, "5", (), "float64"),
    (NDArray[np.floating[Any]], "[1]", (1,), "float64"),
    (NDArray[np.integer[Any]], "[1.0]", (1,), "int64"),
    (NDArray[np.unsignedinteger[Any]], "[18446744073709551615]", (1,), "uint64"),
    (NDArray[np.number[Any]], "[1, 2]", (2,), "int64"),
    (NDArray[np.number[Any]], "[1, 2.5]", (2,), "float64"),
    (np.ndarray, "[[true]]", (1, 1), "bool"),
    (np.ndarray, '["a"]', (1,), "<U1"),
    (np.ndarray, "[9223372036854775808]", (1,), "uint64"),
    (np.ndarray, "[9223372036854775808, 0]", (2,), "uint64"),
    (np.ndarray, "[[0], [18446744073709551615]]", (2, 1), "uint64"),
    (NDArray[np.number[Any]], "[9223372036854775809, 0]", (2,), "uint64"),
    (NDArray[np.number[Any]], "[[9223372036854775807, -1]]", (1, 2), "int64"),
    (np.ndarray[tuple[int], np.dtype[Any]], "[0, 9223372036854775809]", (2,), "uint64"),
    (np.ndarray[tuple[()], np.dtype[Any]], "9223372036854775809", (), "uint64"),
    (np.ndarray, "[9223372036854775808, -1]", (2,), "float64"),
    (np.ndarray, "[9223372036854775808, 0.5]", (2,), "float64"),
    (np.ndarray, "[1, 1237940039285380274899124224]", (2,), "float64"),
]


@pytest.mark.parametrize(("annotation", "text", "shape", "dtype"), DECODED, ids=str)
def test_json_becomes_an_array_of_its_shape_and_dtype(
    annotation: Any, text: str, shape: tuple[int, ...], dtype: str
) -> None:
    """Its items are those of the text, and encoding gives the text's value again."""
    codec = codec_of(annotation)
    value = json.loads(text)
    assert codec.accepts(value)
    array = codec.decode(value)
    assert (type(array), array.shape, array.dtype) == (np.ndarray, shape, np.dtype(dtype))
    assert codec.encode(array) == value
    assert codec.handles(array)


def test_whole_numbers_keep_every_digit() -> None:
    """Nothing goes through a float on its way, though floats stand beside them."""
    assert codec_of(NDArray[np.int64]).decode([2.0, 2**63 - 1]).tolist() == [2, 2**63 - 1]
    assert codec_of(NDArray[np.uint64]).decode([2**64 - 1, 0]).tolist() == [2**64 - 1, 0]


DIGITS = "is a whole number that would lose digits: no type of items holds it and all others"
REFUSALS: list[tuple[Any, Any, tuple[int, ...], str]] = [
    # annotation, value, place, reason
    (Matrix, [[1, 2], [3]], (1,), "must be an array of 2 items, as the first beside it is"),
    (Cube, [[[1], [2]], [[3], [4, 5]]], (1, 1), "must be an array of 1 items, as the first beside it is"),
    (Cube, [[[1], [2]], [[3]]], (1,), "must be an array of 2 by 1 items, as the first beside it is"),
    (NDArray[np.float64], [1, [2]], (1,), "must be a single value, as the first beside it is"),
    (NDArray[np.float64], [[1], 2], (1,), "must be an array of 1 items, as the first beside it is"),
    (NDArray[np.float64], [1, 10**400], (1,), "is too large a number for a float64"),
    (NDArray[np.number[Any]], [[1], [10**400]], (1, 0), "is too large a number for a float64"),
    (np.float64, 10**400, (), "is too large a number for a float64"),
    (np.ndarray, [-1, 2**63 + 1], (1,), DIGITS),
    (np.ndarray, [[0.5], [2**53 + 1]], (1, 0), DIGITS),
    (np.ndarray, [2**64, 2**64 + 1], (1,), DIGITS),
    (np.ndarray[tuple[()], np.dtype[Any]], 2**64 + 1, (), DIGITS),
    (NDArray[np.number[Any]], [-(2**63) - 1], (0,), DIGITS),
    (np.ndarray, [1, True], (1,), "must be a number, as the first item is"),
    (np.ndarray, [["a"], [1]], (1, 0), "must be a string, as the first item is"),
    (NDArray[np.str_], [["a"], ["b\0"]], (1, 0), "must not end with the character U+0000"),
    (np.str_, "b\0", (), "must not end with the character U+0000"),
]


@pytest.mark.parametrize(("annotation", "value", "place", "reason"), REFUSALS, ids=lambda value: f"{value!s:.40}")
def test_a_value_that_the_schema_accepts_and_no_array_can_hold_is_refused_with_its_place(
    annotation: Any, value: Any, place: tuple[int, ...], reason: str
) -> None:
    codec = codec_of(annotation)
    assert codec.accepts(value)
    with pytest.raises(Refusal) as caught:
        codec.decode(value)
    assert (caught.value.path, caught.value.reason) == (place, reason)


@pytest.mark.parametrize("item", [1.0, None], ids=["one item", "none"])
def test_more_dimensions_than_numpy_has_are_refused(item: float | None) -> None:
    """Nesting has an end in numpy, and none in JSON Schema."""
    value: list[Any] = [] if item is None else [item]
    for _ in range(99):
        value = [value]
    codec = codec_of(NDArray[np.float64])
    assert codec.accepts(value)
    with pytest.raises(Refusal, match="has more dimensions than an array can have"):
        codec.decode(value)


def test_one_long_text_among_many_does_not_take_all_memory() -> None:
    """In an array each text has the room of the longest, which nobody sees in the JSON."""
    texts = ["x" * 100_000, *["y"] * 1_000]
    assert len(texts) * 100_000 * 4 > _making.MOST_TEXT
    with pytest.raises(Refusal, match="1001 texts with the room of the longest, 100000 characters, are too many"):
        codec_of(NDArray[np.str_]).decode(texts)


NOT_ACCEPTED: list[tuple[Any, Any]] = [
    (np.int8, 128),
    (np.int8, 1.5),
    (np.int8, True),
    (np.uint8, -1),
    (np.uint64, 2**64),
    (np.float32, 3.5e38),
    (np.float64, "1"),
    (np.float64, float("inf")),
    (np.bool_, 1),
    (np.str_, 1),
    (NDArray[np.float64], 1),
    (NDArray[np.float64], [None]),
    (NDArray[np.float64], [[1, "a"]]),
    (NDArray[np.float64], {"0": 1}),
    (NDArray[np.int8], [[128]]),
    (Matrix, [1]),
    (Matrix, [[[1]]]),
    (Corners, [[1, 2, 3]]),
    (Point, [5]),
]


@pytest.mark.parametrize(("annotation", "value"), NOT_ACCEPTED, ids=str)
def test_a_value_of_another_type_is_not_accepted(annotation: Any, value: Any) -> None:
    assert not codec_of(annotation).accepts(value)


def array(dtype: str, *shape: int) -> NDArray[Any]:
    """Return an array of this dtype and shape, filled with what is one."""
    return np.ones(shape, dtype)


HANDLED: list[tuple[Any, Any, bool]] = [
    (NDArray[np.float64], array("float64", 2), True),
    (NDArray[np.float64], array(">f8", 2), True),
    (NDArray[np.float64], array("float32", 2), False),
    (NDArray[np.float64], array("float64"), False),
    (NDArray[np.float64], np.array([np.nan]), False),
    (NDArray[np.float64], np.array([np.inf]), False),
    (NDArray[np.float64], np.ma.masked_array([1.0], mask=[True]), False),
    (NDArray[np.float64], np.ma.masked_array([1.0], mask=[False]), True),
    (NDArray[np.float64], [1.0], False),
    (NDArray[np.int64], array("longlong", 2), True),
    (NDArray[np.integer[Any]], array("uint8", 2), True),
    (NDArray[np.integer[Any]], array("uint64", 2), False),
    (NDArray[np.floating[Any]], array("float16", 2), True),
    (NDArray[np.floating[Any]], array("longdouble", 2), False),
    (np.ndarray, array("<U3", 2), True),
    (np.ndarray, array("complex64", 2), False),
    (Matrix, array("float64", 2), False),
    (Corners, array("int16", 4, 2), True),
    (Corners, array("int16", 2, 4), False),
    (Point, array("float64"), True),
    (np.float64, np.float64(1), True),
    (np.float64, 1.0, True),
    (np.float64, 1, True),
    (np.float64, True, False),
    (np.float64, np.float64("nan"), False),
    (np.float32, np.float64(1), False),
    (np.float32, 1e39, False),
    (np.int8, 5, True),
    (np.int8, 5.0, False),
    (np.int8, 128, False),
    (np.int8, np.int16(1), False),
    (np.bool_, True, True),
    (np.bool_, 1, False),
    (np.str_, "a", True),
]


@pytest.mark.parametrize(("annotation", "value", "handled"), HANDLED, ids=str)
def test_a_python_value_is_of_a_type_or_not(annotation: Any, value: Any, handled: bool) -> None:
    """A default of a plain Python type will do for a scalar: `x: np.float64 = 0.5`."""
    assert codec_of(annotation).handles(value) is handled


ENCODED: list[tuple[Any, str]] = [
    (np.arange(6).reshape(2, 3)[:, ::2], "[[0, 2], [3, 5]]"),
    (np.arange(4.0).reshape(2, 2).T, "[[0.0, 2.0], [1.0, 3.0]]"),
    (np.array([1, 256], dtype=">i2"), "[1, 256]"),
    (np.array([0.1], dtype="float32"), "[0.10000000149011612]"),
    (np.array([-0.0]), "[-0.0]"),
    (np.array(7), "7"),
    (np.zeros((0, 3)), "[]"),
    (np.zeros((2, 0)), "[[], []]"),
    (np.array(["é", "\ud800"]), '["\\u00e9", "\\ud800"]'),
    (np.array([[1, 2]]).view(np.matrix), "[[1, 2]]"),
    (np.ma.masked_array([1, 2], mask=False), "[1, 2]"),
    (
        {"a": [np.int8(1), np.float32(0.5)], "b": np.bool_(True), "c": np.str_("x")},
        '{"a": [1, 0.5], "b": true, "c": "x"}',
    ),
]


@pytest.mark.parametrize(("value", "text"), ENCODED, ids=str)
def test_arrays_and_scalars_are_json_in_any_place(value: Any, text: str) -> None:
    """Without an annotation too: by their own type."""
    assert to_json_text(value) == text


def test_an_array_that_cannot_be_written_to_is_encoded() -> None:
    frozen = np.arange(3)
    frozen.flags.writeable = False
    assert to_json_text(frozen) == "[0, 1, 2]"


NOT_ENCODED: list[tuple[Any, str]] = [
    (
        np.array([1.0, np.nan]),
        "the value holds a number that is not finite (NaN or infinity), which JSON does not allow",
    ),
    (np.float32("inf"), "the value holds a number that is not finite (NaN or infinity), which JSON does not allow"),
    (np.array([1j]), "an array of the dtype complex128 has no JSON form: JSON has no complex numbers; take two arrays"),
    (
        np.array(["2026"], dtype="M8[D]"),
        "an array of the dtype datetime64[D] has no JSON form: no annotation tells its unit",
    ),
    (np.array([object()]), "an array of the dtype object has no JSON form: Python objects may be anything"),
    (np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), "has no JSON form: a record is an object in JSON"),
    (np.array([b"x"]), "an array of the dtype |S1 has no JSON form: bytes have no form"),
    (np.ones(1, dtype="longdouble"), "has no JSON form: JSON has no more digits than a float64"),
    (np.ma.masked_array([1, 2], mask=[0, 1]), "an array with masked items has no JSON form: fill them, with filled(…)"),
    (np.complex64(1j), "a value of type numpy.complex64 has no JSON form"),
]


@pytest.mark.parametrize(("value", "reason"), NOT_ENCODED, ids=lambda each: str(each).partition(" at 0x")[0])
def test_what_json_has_not_is_refused_with_the_reason(value: Any, reason: str) -> None:
    with pytest.raises(EncodingError) as caught:
        to_json_text(value)
    assert reason in str(caught.value)
    assert "0x" not in str(caught.value)


def test_an_encoded_array_holds_values_of_python() -> None:
    """Nothing of numpy is left in it, which a JSON writer would not know."""
    for dtype, python in (("float32", float), ("uint8", int), ("bool", bool), ("<U1", str)):
        assert {type(each) for each in codec_of(np.ndarray).encode(np.ones(2, dtype))} == {python}


def test_shape_alone_does_not_import_numpy() -> None:
    """An author who names a shape pays for numpy only if the module imports it anyway."""
    import subprocess

    code = "import sys, fcregistry_numpy; sys.exit('numpy' in sys.modules)"
    assert Shape(1).lengths == (1,)
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Each annotation of numpy means one schema, or is refused with what to write instead."""

from typing import Annotated, Any, Literal, NamedTuple, NewType, TypeVar

import numpy as np
import numpy.typing as npt
import pytest
from fcregistry.types import UnsupportedType, codec_of, schema_of
from numpy.typing import NDArray
from typing_extensions import TypeAliasType

from fcregistry_numpy import Shape

NUMBER = {"type": "number"}
INT8 = {"type": "integer", "minimum": -128, "maximum": 127}

Width = NewType("Width", int)
Real = TypeVar("Real", bound=np.floating[Any])


Three = TypeAliasType("Three", Literal[3])
Item = TypeVar("Item", bound=np.generic)
Of = TypeAliasType("Of", np.dtype[Item], type_params=(Item,))
Rows = TypeAliasType("Rows", tuple[int, Three])


class Grid(NamedTuple):
    """A shape with names, as numpy's typing allows."""

    rows: int
    columns: int


def array(items: dict[str, Any], length: int | None = None) -> dict[str, Any]:
    """Return the schema of an array."""
    exactly = {} if length is None else {"minItems": length, "maxItems": length}
    return {"type": "array", "items": items, **exactly}


def of_any_shape(name: str, item: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an array of any number of dimensions."""
    ref = {"$ref": f"#/$defs/{name}"}
    return {**ref, "$defs": {name: array({"anyOf": [item, ref]})}}


ANYTHING = of_any_shape("array", {"type": ["boolean", "number", "string"]})

SCHEMAS: list[tuple[Any, dict[str, Any]]] = [
    (np.bool_, {"type": "boolean"}),
    (np.int8, INT8),
    (np.uint16, {"type": "integer", "minimum": 0, "maximum": 65535}),
    (np.int64, {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}),
    (np.longlong, {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1}),
    (np.uint64, {"type": "integer", "minimum": 0, "maximum": 2**64 - 1}),
    (np.float16, {"type": "number", "minimum": -65504.0, "maximum": 65504.0}),
    (np.float32, {"type": "number", "minimum": -3.4028234663852886e38, "maximum": 3.4028234663852886e38}),
    (np.float64, NUMBER),
    (np.str_, {"type": "string"}),
    (NDArray[np.float64], of_any_shape("float64_array", NUMBER)),
    (NDArray[np.bool_], of_any_shape("bool_array", {"type": "boolean"})),
    (NDArray[np.str_], of_any_shape("str_array", {"type": "string"})),
    (NDArray[np.number[Any]], of_any_shape("number_array", NUMBER)),
    (NDArray[np.floating[Any]], of_any_shape("floating_array", NUMBER)),
    (NDArray[Real], of_any_shape("floating_array", NUMBER)),
    (np.ndarray, ANYTHING),
    (NDArray, ANYTHING),
    (NDArray[Any], ANYTHING),
    (np.ndarray[Any, Any], ANYTHING),
    (np.ndarray[tuple[int, ...], np.dtype[Any]], ANYTHING),
    (np.ndarray[tuple[Any, ...], np.dtype], ANYTHING),
    (np.ndarray[tuple[int], np.dtype[np.float64]], array(NUMBER)),
    (np.ndarray[tuple[int, int], np.dtype[np.int8]], array(array(INT8))),
    (np.ndarray[tuple[Literal[3], int], np.dtype[np.float64]], array(array(NUMBER), 3)),
    (np.ndarray[tuple[Width, Literal[2]], np.dtype[np.float64]], array(array(NUMBER, 2))),
    (np.ndarray[Grid, np.dtype[np.float64]], array(array(NUMBER))),
    (np.ndarray[Rows, Of[np.float64]], array(array(NUMBER, 3))),
    (np.ndarray[tuple[()], np.dtype[np.float64]], NUMBER),
    (np.ndarray[tuple[int], np.dtypes.Float64DType], array(NUMBER)),
    (Annotated[NDArray[np.float64], Shape(3, None)], array(array(NUMBER), 3)),
    (Annotated[NDArray[np.float64], Shape(0)], array(NUMBER, 0)),
    (Annotated[NDArray[np.float64], Shape()], NUMBER),
    (
        Annotated[np.ndarray[tuple[int, Literal[2]], np.dtype[np.float64]], Shape(3, None), "Corners."],
        {**array(array(NUMBER, 2), 3), "description": "Corners."},
    ),
    (Annotated[NDArray[np.float64] | None, Shape(2)], {"anyOf": [array(NUMBER, 2), {"type": "null"}]}),
    (list[np.int8], array(INT8)),
    (dict[str, np.float64], {"type": "object", "additionalProperties": NUMBER}),
]


@pytest.mark.parametrize(("annotation", "schema"), SCHEMAS, ids=str)
def test_an_annotation_has_its_schema(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema


def test_an_array_type_occurs_once_in_a_schema() -> None:
    """However often it is used, and by however many types."""
    schema = schema_of(tuple[NDArray[np.float64], NDArray[np.float64] | None, np.ndarray])
    assert sorted(schema["$defs"]) == ["array", "float64_array"]


REFUSED: list[tuple[Any, str]] = [
    (
        np.complex128,
        "np.complex128: JSON has no complex numbers; take two arrays, of the real and of the imaginary part",
    ),
    (np.longdouble, "np.longdouble: JSON has no more digits than a float64; use np.float64"),
    (np.datetime64, "np.datetime64: no annotation tells its unit; take datetime.datetime"),
    (np.timedelta64, "np.timedelta64: no annotation tells its unit; take datetime.timedelta"),
    (np.bytes_, "np.bytes_: bytes have no form of their own in JSON; take bytes, or np.uint8"),
    (np.object_, "np.object_: Python objects may be anything; take a list"),
    (np.void, "np.void: a record is an object in JSON; take a list of a dataclass"),
    (NDArray[np.complex64], "np.complex64: JSON has no complex numbers"),
    (NDArray[np.datetime64], "np.datetime64: no annotation tells its unit"),
    (NDArray[np.object_], "np.object_: Python objects"),
    (NDArray[np.inexact[Any]], "np.inexact stands for several types; use one of them, such as np.float64"),
    (np.number, "np.number stands for several types"),
    (NDArray[np.float32 | np.float64], "names no type of items; write np.dtype[np.float64]"),
    (np.ndarray[int, np.dtype[np.int8]], "is not the shape of an array; write tuple[int, int]"),
    (np.ndarray[tuple[Literal[3, 4]], np.dtype[np.int8]], "is not a length; write one number, as in Literal[3]"),
    (np.ndarray[tuple[Literal["x"]], np.dtype[np.int8]], "is not a length"),
    (np.matrix, "np.matrix: use np.ndarray or NDArray[…], and convert the array in the function"),
    (np.ma.MaskedArray, "np.MaskedArray: use np.ndarray"),
    (npt.ArrayLike, "has no JSON form"),
    (np.random.Generator, "Generator has no JSON form"),
    (
        Annotated[np.ndarray[tuple[int], np.dtype[np.int8]], Shape(1, 2)],
        "Shape(1, 2) has 2 dimensions, and the array is annotated with 1 dimension",
    ),
    (Annotated[NDArray[np.int8], Shape(1), Shape(2)], "Shape(2) says 2 where the array is annotated with the length 1"),
]


@pytest.mark.parametrize(("annotation", "reason"), REFUSED, ids=str)
def test_an_annotation_without_a_json_form_is_refused_with_what_to_write(annotation: Any, reason: str) -> None:
    with pytest.raises(UnsupportedType) as caught:
        schema_of(annotation)
    assert reason in str(caught.value)


@pytest.mark.parametrize("lengths", [("3",), (-1,), (2.0,), (True,), (3, "n")])
def test_a_shape_takes_whole_numbers_and_none(lengths: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="Shape takes whole numbers from 0 on, and None where any length will do, not "):
        Shape(*lengths)


def test_a_shape_is_a_value() -> None:
    """Equal by its lengths, hashable as `typing` wants its markers, shown as it is written, and not to be changed."""
    assert (Shape(3, None), hash(Shape(3, None))) == (Shape(3, None), hash(Shape(3, None)))
    assert Shape(3) != Shape(3, None)
    assert repr(Shape(3, None)) == "Shape(3, None)"
    with pytest.raises(AttributeError, match="a Shape does not change"):
        Shape(3).lengths = (4,)


UNSAID: list[tuple[Any, list[str]]] = [
    (np.int8, []),
    (np.float64, ["a whole number that is too large for a float64 is refused"]),
    (np.str_, ["a text that ends with the character U+0000 is refused"]),
    (np.ndarray[tuple[int], np.dtype[np.int8]], []),
    (np.ndarray[tuple[int, Literal[3]], np.dtype[np.int8]], []),
    (
        np.ndarray[tuple[int, int], np.dtype[np.int8]],
        [
            "rows of different lengths are refused",
            "of an array without items, JSON keeps no length after the first that is 0",
        ],
    ),
    (np.ndarray[tuple[int], np.dtype[np.integer[Any]]], ["an array comes back as int64, whatever it was"]),
    (
        np.ndarray[tuple[int], np.dtype[Any]],
        [
            "a whole number that is too large for a float64 is refused",
            "a whole number that would lose digits in an array with all others is refused",
            "a text that ends with the character U+0000 is refused",
            "texts of more than 256 MiB together are refused, where each has the room of the longest",
            "items of different kinds are refused",
        ],
    ),
]


@pytest.mark.parametrize(("annotation", "unsaid"), UNSAID, ids=str)
def test_the_author_reads_what_no_schema_can_express(annotation: Any, unsaid: list[str]) -> None:
    assert list(codec_of(annotation).unsaid) == unsaid

"""Called as a model calls them, tools take and give arrays; wrong arguments are refused before they run, with their place."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest
from fcregistry import Executor, Tool
from numpy.typing import NDArray

from fcregistry_numpy import Shape

NO_TURN = np.float32(0)
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def mean(values: NDArray[np.float64]) -> np.float64:
    """Return the mean of numbers.

    Args:
        values: The numbers.
    """
    assert values.dtype == np.float64
    return np.float64(values.mean())


def transpose(matrix: Matrix) -> Matrix:
    """Return the transposed matrix.

    Args:
        matrix: Its rows.
    """
    return matrix.T


def rotate(
    points: Annotated[NDArray[np.float64], Shape(None, 2)], angle: np.float32 = NO_TURN
) -> Annotated[NDArray[np.float64], Shape(None, 2)]:
    """Rotate points in the plane.

    Args:
        points: A pair of coordinates for each.
        angle: Radians, counter-clockwise.
    """
    assert type(angle) is np.float32
    cos, sin = np.cos(angle), np.sin(angle)
    return points @ np.array([[cos, sin], [-sin, cos]], dtype=np.float64)


def divide(values: NDArray[np.float64], by: float) -> NDArray[np.float64]:
    """Divide numbers.

    Args:
        values: The numbers.
        by: The divisor.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return values / by


def summary(values: NDArray[np.int64]) -> dict[str, Any]:
    """Say how numbers lie.

    Args:
        values: The numbers.
    """
    return {"least": values.min(), "sorted": np.sort(values), "any": (values > 0).any()}


@pytest.fixture(scope="module")
def executor() -> Executor:
    """An executor of these tools."""
    return Executor([mean, transpose, rotate, divide, summary])


def run(executor: Executor, name: str, text: str) -> Any:
    """Run a call whose arguments are JSON text."""
    return executor.run({"name": name, "arguments": text})


def test_a_tool_gets_an_array_and_its_scalar_result_is_a_number(executor: Executor) -> None:
    assert run(executor, "mean", '{"values": [1, 2.5, 4]}').content == "2.5"


def test_an_array_result_is_json(executor: Executor) -> None:
    """A transposed view does not lie in memory as it reads."""
    assert (
        run(executor, "transpose", '{"matrix": [[1, 2, 3], [4, 5, 6]]}').content
        == "[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]"
    )


def test_a_result_may_hold_arrays_and_scalars(executor: Executor) -> None:
    assert run(executor, "summary", '{"values": [3, 1]}').content == '{"least": 1, "sorted": [1, 3], "any": true}'


def test_a_default_of_numpy_is_published_and_used(executor: Executor) -> None:
    assert executor.tools["rotate"].parameters["properties"]["angle"]["default"] == 0.0
    assert json.loads(run(executor, "rotate", '{"points": [[1, 0]]}').content) == [[1.0, 0.0]]


def test_python_calls_take_arrays(executor: Executor) -> None:
    """The call is what a model would have written."""
    assert executor.call("mean", values=np.array([1.0, 3.0])).value == 2.0
    assert executor.tools["mean"].make_call(np.array([1.0, 3.0])).arguments == {"values": [1.0, 3.0]}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("mean", '{"values": [1, "2"]}', "$.values[1]"),
        ("mean", '{"values": [[1, 2], [3]]}', "$.values[1]: must be an array of 2 items, as the first beside it is"),
        ("transpose", '{"matrix": [1, 2]}', "$.matrix[0]: must be an array"),
        ("rotate", '{"points": [[1, 2, 3]]}', "$.points[0]"),
        ("rotate", '{"points": [[1, 2]], "angle": 1e39}', "$.angle"),
        ("summary", '{"values": [1.5]}', "$.values[0]"),
    ],
)
def test_wrong_arguments_are_refused_with_their_place(executor: Executor, name: str, text: str, problem: str) -> None:
    result = run(executor, name, text)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert problem in result.content


def test_a_result_without_a_json_form_is_an_error(executor: Executor) -> None:
    """Division by zero gives infinity, which is no JSON number: the model reads why there is no result."""
    result = run(executor, "divide", '{"values": [1], "by": 0}')
    assert result.error is not None
    assert result.error.code == "unencodable_result"
    assert "not finite (NaN or infinity)" in result.content


@dataclass
class Profile:
    name: str
    depths: NDArray[np.float64]
    mean: np.float32


@pytest.mark.parametrize(
    ("value", "annotation", "text"),
    [
        (np.array([[1.5, np.nan], [-np.inf, 2]]), NDArray[np.float64], "[[1.5, null], [null, 2.0]]"),
        (np.float32("inf"), np.float32, "null"),
        (np.float64("nan"), Any, "null"),
        ({"a": [np.array([np.nan])]}, Any, '{"a": [[null]]}'),
        (np.array(np.nan), Any, "null"),
        (
            Profile("a", np.array([1, np.nan]), np.float32("nan")),
            Profile,
            '{"name": "a", "depths": [1.0, null], "mean": null}',
        ),
        (
            [Profile("a", np.array([np.inf]), np.float32(1))],
            list[Profile],
            '[{"name": "a", "depths": [null], "mean": 1.0}]',
        ),
    ],
)
def test_numbers_that_are_not_finite_become_null_where_that_is_asked_for(
    value: Any, annotation: Any, text: str
) -> None:
    def measure() -> Any:
        """Measure it."""
        return value

    measure.__annotations__["return"] = annotation
    refused = Executor([measure]).call("measure")
    assert refused.error.code == "unencodable_result"
    assert refused.content.endswith('with on_nan="null" for the tool or the executor, it is written as null')
    for check_results in (False, True):
        result = Executor([measure], on_nan="null", check_results=check_results).call("measure")
        assert (result.content, result.value is value) == (text, True)
    tool = Tool.from_function(measure, on_nan="null")
    assert Executor([tool], check_results=True).call("measure").content == text


def test_a_large_array_goes_in_and_out(executor: Executor) -> None:
    """A million numbers, there and back; of that many characters, an executor has to be told."""
    rows = np.arange(1_000_000.0).reshape(1000, 1000)
    executor = Executor(list(executor.tools.values()), max_argument_characters=None)
    result = run(executor, "transpose", json.dumps({"matrix": rows.tolist()}))
    assert np.array_equal(result.value, rows.T)

from __future__ import annotations

import dataclasses
from dataclasses import InitVar, dataclass
from typing import Generic, TypeVar

import pydantic
import pytest
from pydantic import Field

from fcregistry.types import Refusal, codec_of, schema_of

from .cases import assert_refuses, assert_round_trip

T = TypeVar("T")


@pydantic.dataclasses.dataclass
class Range:
    """A range.

    Attributes:
        stop: Where it ends.
    """

    start: int = Field(ge=0, description="Where it begins.")
    stop: int | None = None
    tags: list[str] = Field(default_factory=list)
    factor: InitVar[int] = 1
    made: int = Field(default=1, init=False)
    plain: list[int] = dataclasses.field(default_factory=list)
    kept: int = dataclasses.field(default=0, init=False)

    @pydantic.field_validator("start")
    @classmethod
    def _small(cls, start: int) -> int:
        if start > 9:
            raise ValueError("too large")
        return start


class Derived(Range):
    """Made by no decorator of its own."""


@dataclass
class PlainChild(Range):
    more: int = 0


@pydantic.dataclasses.dataclass(frozen=True)
class Box(Generic[T]):
    content: T


def test_fields_are_those_of_init_with_their_bounds_and_texts() -> None:
    assert schema_of(Range)["properties"] == {
        "start": {"type": "integer", "minimum": 0, "description": "Where it begins."},
        "stop": {
            "anyOf": [{"type": "integer"}, {"type": "null"}],
            "default": None,
            "description": "Where it ends.",
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "factor": {"type": "integer", "default": 1, "writeOnly": True},
        "plain": {"type": "array", "items": {"type": "integer"}},
    }
    assert codec_of(Range).encode(Range(1, 2)) == {"start": 1, "stop": 2, "tags": [], "plain": []}
    assert codec_of(Range).decode({"start": 1, "factor": 2}) == Range(1)
    assert_refuses(Range, {"start": -1}, {}, {"start": 1, "made": 2}, {"start": 1, "kept": 2})


@pytest.mark.parametrize("cls", [Range, Derived])
def test_its_validators_run_also_in_a_class_that_derives_from_it(cls: type) -> None:
    with pytest.raises(Refusal) as caught:
        codec_of(cls).decode({"start": 10})
    assert caught.value.reason == f"{cls.__name__} refuses it: Value error, too large"
    assert caught.value.path == ("start",)


def test_a_plain_dataclass_that_derives_from_one_is_a_plain_dataclass() -> None:
    assert list(schema_of(PlainChild)["properties"])[-1] == "more"


def test_a_generic_frozen_dataclass_can_be_in_a_set() -> None:
    assert_round_trip(set[Box[int]], [{"content": 1}], {Box[int](1)})
    assert_refuses(Box[int], {"content": "a"})

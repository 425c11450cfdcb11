"""Every answer of a type is valid, from SmolLM2 and from a model that writes nonsense."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, make_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict
from uuid import UUID

import pytest
from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen, MultipleOf
from fcregistry import ReactAgent
from fcregistry.errors import ModelError
from fcregistry.models import Completion, Delta
from fcregistry.prompts import OutputFormat

from fcregistry_llama import LlamaModel
from fcregistry_llama._answering import _answer_problems
from fcregistry_llama._servers import Loading, server


@pytest.fixture
def nonsense(write_model: Callable[..., Path]) -> Iterator[LlamaModel]:
    """A tiny model, whose context has room for long instructions."""
    path = write_model({"llama.context_length": 16384})
    with LlamaModel(path, threads=1, context=16384, max_tokens=200) as model:
        yield model


# --- types, drawn at random -----------------------------------------------------------------------

LEAVES: list[Any] = [
    *(str, int, float, bool, None, date, datetime, time, timedelta, UUID, Decimal, bytes),
    *(Literal["red", "green", 3, None], Literal["yes", "no"], int | None),
    *(Annotated[int, Ge(1), Le(20)], Annotated[float, Gt(0), Lt(1)], Annotated[int, MultipleOf(7)]),
    Annotated[str, MinLen(2), MaxLen(8)],
]
NAMES = ["count", "done", "items", "kind", "name", "note", "owner", "price", "when"]


class Types:
    """Draws types that contain other types.

    Args:
        seed: The seed; the same one gives the same types.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._numbers = count()

    def draw(self, depth: int = 3) -> Any:
        """Return a type, with at most `depth` levels of types in it."""
        if not depth or self._random.random() < 0.15:
            return self._random.choice(LEAVES)
        kinds = (self._enum, self._record, self._typed_dict, self._row, self._container, self._container, self._union)
        return self._random.choice(kinds)(depth - 1)

    def _enum(self, depth: int) -> Any:
        values = [self._random.choice((name, place)) for place, name in enumerate(NAMES[:3])]
        return Enum(self._name("Kind"), list(zip("ABC", values, strict=True)))

    def _record(self, depth: int) -> Any:
        fields = self._fields(depth)
        required = self._random.randint(0, len(fields))
        optional = [(name, kind | None if kind else kind, field(default=None)) for name, kind in fields[required:]]
        return make_dataclass(self._name("Record"), [*fields[:required], *optional])

    def _typed_dict(self, depth: int) -> Any:
        fields = {name: NotRequired[kind] if len(name) == 4 else kind for name, kind in self._fields(depth)}
        return TypedDict(self._name("Map"), fields)  # type: ignore[operator]

    def _row(self, depth: int) -> Any:
        return NamedTuple(self._name("Row"), self._fields(depth))  # type: ignore[misc]

    def _container(self, depth: int) -> Any:
        inner = self.draw(depth)
        scalar = self._random.choice((int, str, date, Literal["a", "b", "c"]))
        return self._random.choice(
            (
                *(list[inner], tuple[inner, self.draw(depth)], dict[str, inner], dict[int, inner], set[scalar]),
                Annotated[list[inner], MinLen(1), MaxLen(3)],
            )
        )

    def _union(self, depth: int) -> Any:
        return self.draw(depth) | self._random.choice((int, str, None))

    def _fields(self, depth: int) -> list[tuple[str, Any]]:
        names = self._random.sample(NAMES, self._random.randint(1, 4))
        return [(name, self.draw(depth)) for name in names]

    def _name(self, kind: str) -> str:
        return f"{kind}{next(self._numbers)}"


def test_every_answer_of_a_random_type_is_valid_at_the_first_request(nonsense: LlamaModel) -> None:
    types = Types(seed=32)
    results = [ReactAgent(nonsense, answer_type=types.draw()).run("Invent one.") for _ in range(50)]
    assert [result.stop_reason for result in results] == ["answered"] * 50
    assert [len(result.messages) for result in results] == [2] * 50


# --- SmolLM2 ---


@dataclass
class Person:
    """A person."""

    name: str
    age: int
    city: str


class Review(TypedDict):
    """A review."""

    sentiment: Literal["positive", "negative"]
    stars: Annotated[int, Ge(1), Le(5)]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


ASKED = [
    (Person, "Ann is 31 years old and lives in Oslo. Who is she?"),
    (Review, "I love this phone, it is great! How do I like it?"),
    (list[str], "Name three fruits."),
    (Color, "What colour is the sky?"),
]


@pytest.mark.parametrize(("kind", "question"), ASKED, ids=["record", "dict", "list", "choice"])
def test_an_answer_of_smollm2_is_of_the_type(model: LlamaModel, kind: Any, question: str) -> None:
    result = ReactAgent(model, answer_type=kind).run(question)
    assert (result.stop_reason, len(result.messages)) == ("answered", 2)


def test_an_answer_after_a_call_is_of_the_type(model: LlamaModel) -> None:
    def get_weather(city: str) -> str:
        """Get the weather of a city."""
        return f"18 degrees in {city}"

    class Weather(NamedTuple):
        city: str
        celsius: int

    result = ReactAgent(model, [get_weather], answer_type=Weather).run("What is the weather in Oslo?")
    assert ([call.name for call in result.steps[0].message.tool_calls], type(result.answer)) == (
        ["get_weather"],
        Weather,
    )


# --- what the model cannot write ---


def schema_of(kind: Any) -> dict[str, Any]:
    return OutputFormat(kind).schema


def test_an_answer_that_is_cut_off_is_asked_for_again_within_tighter_limits(nonsense: LlamaModel) -> None:
    wanted = OutputFormat(tuple[str, str, str, str])
    completion = nonsense.with_answer_schema(wanted.schema).complete("Invent one.")
    assert completion.finish_reason == "stop"
    assert completion.usage.requests > 1
    assert max(map(len, wanted.parse(completion.message.text))) <= 50


def test_an_answer_for_which_there_are_too_few_tokens_is_cut_off(write_model: Callable[..., Path]) -> None:
    with LlamaModel(write_model(), threads=1, context=512, max_tokens=4) as model:
        completion = model.with_answer_schema(schema_of(UUID)).complete("Invent one.")
    assert (completion.finish_reason, completion.usage.requests) == ("length", 4)


def test_an_answer_that_breaks_a_rule_no_decoder_knows_is_an_error(nonsense: LlamaModel) -> None:
    model = nonsense.with_answer_schema({"type": "object", "properties": {"a": {"not": {}}}, "required": ["a"]})
    with pytest.raises(ModelError, match=r"no valid answer in 4 attempts; in the last, \$\.a .*; use a larger model"):
        model.complete("Invent one.")


def test_a_reference_in_the_schema_of_an_answer_leads_into_that_schema(nonsense: LlamaModel) -> None:
    schema = {"type": "object", "properties": {"a": {"enum": ["yes"]}, "b": {"$ref": "#/properties/a"}}}
    model = nonsense.with_answer_schema({**schema, "required": ["a", "b"], "additionalProperties": False})
    assert json.loads(model.complete("Invent one.").message.text) == {"a": "yes", "b": "yes"}


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ('{"v": 1, "kids": [{"v": 2}]}', []),
        ('{"v": 1, "kids": [{"v": "2"}]}', ["$.kids[0].v"]),
        ('{"v": 1}, "x": {"v": 2}', ["$"]),
        ("null", []),
    ],
)
def test_the_whole_text_of_an_answer_is_checked_with_its_own_schema(text: str, problems: list[str]) -> None:
    schema = {"properties": {"v": {"type": "integer"}, "kids": {"items": {"$ref": "#"}}}, "required": ["v"]}
    assert [each.path for each in _answer_problems({"type": ["object", "null"], **schema})(text)] == problems


def test_an_answer_of_a_type_is_one_piece_and_a_model_without_a_type_answers_in_text(nonsense: LlamaModel) -> None:
    constrained = nonsense.with_answer_schema({"enum": ["yes"]})
    piece, last = constrained.stream("Invent one.")
    assert isinstance(last, Completion)
    assert (piece, last.message.text) == (Delta(content='"yes"'), '"yes"')
    assert nonsense.complete("Invent one.").message.text != '"yes"'


def test_closing_a_model_also_frees_what_its_answers_of_a_type_have_loaded(write_model: Callable[..., Path]) -> None:
    path = write_model()
    model = LlamaModel(path, threads=1, context=512, max_tokens=9)
    model.with_answer_schema({"enum": ["yes"]}).complete("Invent one.")
    loaded = server(Loading(path=path.resolve(), context=512, threads=1))
    model.close()
    assert server(Loading(path=path.resolve(), context=512, threads=1)) is not loaded

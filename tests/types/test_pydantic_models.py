from __future__ import annotations

import enum
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

import pydantic
import pytest
from pydantic import AliasChoices, AliasPath, BaseModel, ConfigDict, Field, RootModel, v1

from fcregistry import Executor, Problem
from fcregistry.types import EncodingError, Refusal, codec_of, schema_of, to_json_text

from .cases import assert_accepts, assert_refuses, assert_round_trip, schema_of_results, why_unsupported

T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"


class Song(BaseModel):
    """A song.

    Attributes:
        parts: What it is made of.
        title: Not this.
    """

    title: str = Field(min_length=1, description="What it is called.", title="Title", examples=["Yesterday", 3])
    seconds: int = Field(default=0, ge=0, alias="length", deprecated=True)
    parts: list[Song] = Field(default_factory=list)
    key: str | None = Field(default=None, validation_alias=AliasChoices(AliasPath("keys", 0), "tone", "key"))
    secret: str | None = Field(default=None, exclude=True)


class Ordered(BaseModel):
    low: int
    high: int

    @pydantic.field_validator("low")
    @classmethod
    def _positive(cls, low: int) -> int:
        if low < 0:
            raise ValueError("below zero")
        return low

    @pydantic.model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")

    name: str


class OpenForNumbers(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]

    name: str


class Ignoring(BaseModel):
    model_config = ConfigDict(extra="ignore")

    name: str


class Frozen(BaseModel, frozen=True):
    x: int


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    age: int


class Owner(BaseModel):
    pet: Cat | Dog = Field(discriminator="kind")


class Box(BaseModel, Generic[T]):
    content: T
    more: list[T] = []


class Strings(Box[str]):
    count: int = 0


class Kin(BaseModel):
    name: str
    children: list[Self] = []


class Upper(BaseModel):
    model_config = ConfigDict(alias_generator=str.upper, populate_by_name=True)

    name: str


class ByPath(BaseModel):
    first: int = Field(validation_alias=AliasPath("numbers", 0))


class Squared(BaseModel):
    side: int

    @pydantic.computed_field  # type: ignore[prop-decorator]  # as pydantic has it
    @property
    def area(self) -> int:
        return self.side**2


class Told(BaseModel):
    text: str

    @pydantic.model_serializer
    def _tell(self) -> str:
        return f"told: {self.text}"


class Valued(BaseModel):
    model_config = ConfigDict(use_enum_values=True)

    colour: Colour


class Added(BaseModel):
    numbers: list[Annotated[int, pydantic.AfterValidator(lambda number: number + 1)]]


# --- fields ------------------------------------------------------------------------------------------------------


def test_names_are_those_that_pydantic_accepts_and_texts_and_bounds_are_kept() -> None:
    schema = schema_of(Song)["$defs"]["Song"]
    assert schema["required"] == ["title"]
    assert schema["properties"]["title"] == {
        "type": "string",
        "minLength": 1,
        "title": "Title",
        "description": "What it is called.",
        "examples": ["Yesterday"],
    }
    assert schema["properties"]["length"] == {"type": "integer", "minimum": 0, "deprecated": True, "default": 0}
    assert schema["properties"]["parts"]["description"] == "What it is made of."
    assert list(schema["properties"]) == ["title", "length", "parts", "tone", "secret"]
    assert_refuses(Song, {"title": "a", "seconds": 1}, {"title": "a", "key": "C"}, {"title": ""}, {"length": 1})


def test_a_model_is_rebuilt_with_its_nested_models() -> None:
    encoded = {
        "title": "a",
        "length": 3,
        "parts": [{"title": "b", "length": 0, "parts": [], "tone": None}],
        "tone": "C",
    }
    decoded = codec_of(Song).decode(encoded)
    assert decoded == Song(title="a", length=3, parts=[Song(title="b")], tone="C")
    assert codec_of(Song).encode(decoded) == encoded


def test_an_excluded_field_can_be_passed_and_is_in_no_result() -> None:
    codec = codec_of(Song)
    assert codec.decode({"title": "a", "secret": "s"}).secret == "s"
    assert "secret" not in codec.encode(Song(title="a", secret="s"))
    assert "secret" not in schema_of_results(Song)["$defs"]["Song"]["properties"]
    assert codec.unsaid == ("Song: secret can be given, and is not in what is written of it",)


def test_a_refusal_by_a_validator_has_a_path_and_no_links_or_values() -> None:
    codec = codec_of(list[Ordered])
    assert_accepts(list[Ordered], [{"low": -1, "high": 2}])
    with pytest.raises(Refusal) as caught:
        codec.decode([{"low": 1, "high": 2}, {"low": -1, "high": 2}])
    assert caught.value.path == (1, "low")
    assert caught.value.reason == "Ordered refuses it: Value error, below zero"
    with pytest.raises(Refusal) as caught:
        codec.decode([{"low": 2, "high": 1}])
    assert caught.value.path == (0,)
    assert caught.value.reason == "Ordered refuses it: Value error, low is above high"


def test_the_message_of_a_refusal_names_only_what_is_wrong() -> None:
    def use(range: Ordered) -> None: ...

    result = Executor([use]).run({"name": "use", "arguments": {"range": {"low": 2, "high": 1}}})
    assert result.error is not None
    assert result.error.problems == (Problem("$.range", "Ordered refuses it: Value error, low is above high"),)


def test_other_names_are_refused_unless_the_model_allows_them() -> None:
    assert_refuses(Ignoring, {"name": "a", "more": 1})
    assert schema_of(Open)["additionalProperties"] is True
    assert_round_trip(Open, {"name": "a", "more": [1]}, Open(name="a", more=[1]))
    assert schema_of(OpenForNumbers)["additionalProperties"] == {"type": "integer"}
    assert_round_trip(OpenForNumbers, {"name": "a", "more": 1}, OpenForNumbers(name="a", more=1))
    assert_refuses(OpenForNumbers, {"name": "a", "more": "x"})


def test_an_alias_generator_gives_names_and_a_path_is_refused() -> None:
    assert_round_trip(Upper, {"NAME": "a"}, Upper(NAME="a"))
    assert_refuses(Upper, {"name": "a"})
    assert why_unsupported(ByPath) == (
        "field 'first' has the alias AliasPath(path=['numbers', 0]), which is not a name; use a string as its alias"
    )


def test_only_instances_of_a_frozen_model_can_be_in_a_set() -> None:
    assert_round_trip(set[Frozen], [{"x": 1}], {Frozen(x=1)})
    assert "are not hashable" in why_unsupported(set[Open])


# --- kinds of models ---------------------------------------------------------------------------------------------


def test_a_discriminator_distinguishes_models() -> None:
    assert_round_trip(Owner, {"pet": {"kind": "dog", "age": 3}}, Owner(pet=Dog(age=3)))
    assert_refuses(Owner, {"pet": {"kind": "bird", "age": 3}}, {"pet": {"kind": "cat", "age": 3}})
    assert codec_of(Owner).unsaid == ()
    parameter = Annotated[Cat | Dog, Field(discriminator="kind")]
    assert_round_trip(parameter, {"kind": "cat", "lives": 9}, Cat(lives=9))
    assert schema_of(parameter) == schema_of(Cat | Dog)


def test_a_function_that_selects_a_model_is_not_called_and_its_author_learns_of_it() -> None:
    def kind_of(value: Any) -> str:
        raise AssertionError(value)

    discriminator = pydantic.Discriminator(kind_of)
    tagged = Annotated[Cat, pydantic.Tag("cat")] | Annotated[Dog, pydantic.Tag("dog")]
    for annotation in (Annotated[tagged, discriminator], Annotated[tagged, Field(discriminator=discriminator)]):
        codec = codec_of(annotation)
        assert codec.decode({"kind": "dog", "age": 3}) == Dog(age=3)
        assert len(codec.unsaid) == 1
        assert codec.unsaid[0].endswith(" is not called: the first member that accepts a value is used")


def test_generic_models_are_read_with_their_arguments() -> None:
    assert_round_trip(Box[int], {"content": 1, "more": [2]}, Box[int](content=1, more=[2]))
    assert_refuses(Box[int], {"content": "a"})
    assert_round_trip(Strings, {"content": "a", "more": [], "count": 1}, Strings(content="a", count=1))
    assert list(schema_of(tuple[Box[int], Box[str], Box[int], Box[str]])["$defs"]) == ["Box_int", "Box_str"]


def test_models_may_refer_to_themselves() -> None:
    assert_round_trip(
        Kin, {"name": "a", "children": [{"name": "b", "children": []}]}, Kin(name="a", children=[Kin(name="b")])
    )


def test_a_model_whose_annotations_can_be_resolved_later_is_read_then() -> None:
    class Early(BaseModel):
        later: Later

    message = why_unsupported(Early)
    assert message.endswith("Early cannot be built: PydanticUndefinedAnnotation: name 'Later' is not defined")
    assert "http" not in message

    class Later(BaseModel):
        x: int

    assert_round_trip(Early, {"later": {"x": 1}}, Early(later=Later(x=1)))


def test_a_local_model_is_read_by_the_names_that_pydantic_knew() -> None:
    class Inner(BaseModel):
        x: int

    class Outer(BaseModel):
        inner: list[Inner]

    assert_round_trip(Outer, {"inner": [{"x": 1}]}, Outer(inner=[Inner(x=1)]))


def test_a_root_model_has_the_json_of_its_root() -> None:
    class Numbers(RootModel[Annotated[list[int], Field(min_length=1, description="Some.")]]):
        pass

    assert schema_of(Numbers) == {
        "type": "array",
        "items": {"type": "integer"},
        "minItems": 1,
        "description": "Some.",
    }
    assert_round_trip(Numbers, [1], Numbers([1]))
    assert_refuses(Numbers, [], ["a"])
    assert_round_trip(RootModel[dict[str, int]], {"a": 1}, RootModel[dict[str, int]]({"a": 1}))


def test_a_root_model_of_itself_is_refused() -> None:
    loop: Any = type("Loop", (RootModel["Loop | None"],), {"__module__": __name__})
    globals()["Loop"] = loop
    try:
        assert why_unsupported(loop) == "Loop refers to itself directly; put a list or a record between"
    finally:
        del globals()["Loop"]


def test_a_model_of_pydantic_1_is_refused_with_advice() -> None:
    class Old(v1.BaseModel):
        x: int

    assert why_unsupported(list[Old]).endswith(
        "Old is a model of pydantic 1 (pydantic.v1); derive it from pydantic.BaseModel"
    )


# --- what is written ---------------------------------------------------------------------------------------------


def test_a_model_is_written_field_by_field_and_its_author_learns_of_it() -> None:
    assert codec_of(Squared).encode(Squared(side=2)) == {"side": 2}
    assert_refuses(Squared, {"side": 2, "area": 4})
    assert codec_of(Squared).unsaid == ("Squared: area has no effect here: a model is written field by field",)


def test_a_model_with_a_serializer_is_encoded_by_it() -> None:
    codec = codec_of(Told)
    assert codec.decode({"text": "a"}) == Told(text="a")
    assert codec.encode(Told(text="a")) == "told: a"
    assert schema_of_results(Told) == {}
    assert codec.unsaid == (
        "Told: no schema describes what its model_serializer returns; the model may not accept these values",
    )


def test_a_field_with_a_value_of_another_type_is_encoded_by_that_type() -> None:
    assert codec_of(Valued).decode({"colour": "red"}).colour == "red"
    assert codec_of(Valued).encode(Valued(colour=Colour.RED)) == {"colour": "red"}


def test_validators_inside_of_a_model_run_once() -> None:
    assert codec_of(Added).decode({"numbers": [1]}).numbers == [2]
    assert codec_of(list[Annotated[int, pydantic.AfterValidator(lambda number: number + 1)]]).decode([1]) == [2]


class WithAlias(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True)

    count: int = Field(alias="n")


def test_an_extra_value_under_the_alias_of_a_field_is_not_encoded() -> None:
    value = WithAlias(count=1)  # type: ignore[call-arg]  # by its name
    value.n = 5  # type: ignore[attr-defined]  # an extra value
    with pytest.raises(EncodingError, match="two keys that both become 'n' in JSON"):
        to_json_text(value)

"""Types of pydantic's own, its `Field`, and its validators, on plain parameters and in records of other libraries."""

# ruff: noqa: B008  # a Field as a default is what is tested

from __future__ import annotations

import ipaddress
import warnings
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import pydantic
import pytest
from pydantic import BaseModel, Field, StringConstraints

from fcregistry import Executor, Tool, ToolCall
from fcregistry.errors import DefinitionError
from fcregistry.types import Refusal, codec_of, schema_of, to_json_text

from .cases import assert_accepts, assert_refuses, assert_round_trip, why_unsupported

FOUR = "3fa85f64-5717-4562-b3fc-2c963f66afa6"


@dataclass
class Login:
    token: pydantic.SecretStr
    page: pydantic.HttpUrl = "http://example.org/"  # type: ignore[assignment]  # as people write it


class Encoded(BaseModel):
    text: pydantic.Base64Str
    parts: list[pydantic.Base64Bytes] = []


class Parsed:
    """A class that tells pydantic how it is read."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            lambda text: cls(text) if isinstance(text, str) else text,
            core_schema.union_schema([core_schema.str_schema(), core_schema.is_instance_schema(cls)]),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda value: value.text),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        return {"type": "string"}


# --- types -------------------------------------------------------------------------------------------------------


def test_a_url_is_a_text_that_pydantic_reads() -> None:
    codec = codec_of(pydantic.HttpUrl)
    assert str(codec.decode("http://a.b/c")) == "http://a.b/c"
    assert codec.encode(codec.decode("http://a.b/c")) == "http://a.b/c"
    assert_refuses(pydantic.HttpUrl, 1, None)
    with pytest.raises(Refusal, match="refuses it: ") as caught:
        codec.decode("ftp://a.b")
    assert "http" in caught.value.reason
    assert "visit" not in caught.value.reason
    assert any("the schema cannot express" in sentence for sentence in codec.unsaid)


def test_an_address_has_the_version_of_its_text() -> None:
    assert_round_trip(pydantic.IPvAnyAddress, "1.2.3.4", ipaddress.ip_address("1.2.3.4"))
    assert_round_trip(pydantic.IPvAnyNetwork, "::/64", ipaddress.ip_network("::/64"))


def test_dates_of_pydantic_are_read_here_and_checked_by_pydantic() -> None:
    assert schema_of(pydantic.PastDate) == {"type": "string", "format": "date"}
    assert_round_trip(pydantic.PastDate, "2000-02-29", date(2000, 2, 29))
    assert_round_trip(Annotated[date, pydantic.PastDate], "2000-02-29", date(2000, 2, 29))
    assert_refuses(pydantic.PastDate, "2001-02-29", "951782400", 951782400)
    with pytest.raises(Refusal, match=r"^PastDate refuses it: Date should be in the past$"):
        codec_of(pydantic.PastDate).decode("9999-12-31")


def test_a_secret_is_written_as_asterisks_and_asterisks_are_refused() -> None:
    codec = codec_of(Login)
    made = codec.decode({"token": "hush"})
    assert made.token.get_secret_value() == "hush"
    assert to_json_text(made) == '{"token": "**********", "page": "http://example.org/"}'
    assert "hush" not in to_json_text([made.token])
    with pytest.raises(Refusal, match="must be the secret itself, not the asterisks"):
        codec.decode({"token": "**********"})
    assert schema_of(Login)["properties"] == {
        "token": {"type": "string"},
        "page": {"type": "string", "default": "http://example.org/"},
    }


def test_the_default_of_a_secret_is_in_no_schema() -> None:
    def login(token: pydantic.SecretStr = pydantic.SecretStr("hush")) -> None: ...

    assert Tool.from_function(login).parameters["properties"]["token"] == {"type": "string"}


def test_an_encoded_string_is_decoded_once_inside_a_model_too() -> None:
    assert_round_trip(pydantic.Base64Str, "SGkh", "Hi!")
    assert_round_trip(list[pydantic.Base64Bytes], ["AP8="], [b"\x00\xff"])
    assert_round_trip(Encoded, {"text": "SGkh", "parts": ["AP8="]}, Encoded(text="SGkh", parts=["AP8="]))
    for codec, value in ((codec_of(pydantic.Base64Str), "A"), (codec_of(Encoded), {"text": "A"})):
        with pytest.raises(Refusal):
            codec.decode(value)


def test_a_class_with_a_pydantic_core_schema_of_a_string_is_a_text() -> None:
    codec = codec_of(Parsed)
    assert codec.decode("a").text == "a"
    assert codec.encode(Parsed("a")) == "a"
    assert schema_of(list[Parsed]) == {"type": "array", "items": {"type": "string"}}


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            pydantic.ByteSize,
            "ByteSize is a type of pydantic's that is not a string in JSON; use the plain type, with Field(…) for its bounds",
        ),
        (
            pydantic.Json[list[int]],
            "Json of list[int]: a model would write JSON inside JSON; use the type of the value in it",
        ),
    ],
)
def test_a_type_of_pydantics_that_is_not_text_is_refused(annotation: Any, message: str) -> None:
    assert why_unsupported(annotation) == message


def test_a_model_cannot_make_pydantic_import_anything() -> None:
    for annotation in (pydantic.ImportString, pydantic.ImportString[Any], list[pydantic.ImportString]):
        assert "it imports any object that a model names" in why_unsupported(annotation)


def test_a_json_value_is_any() -> None:
    assert schema_of(dict[str, pydantic.JsonValue]) == {"type": "object"}
    assert codec_of(pydantic.JsonValue).unsaid == ()


# --- Field on a plain parameter ----------------------------------------------------------------------------------


def test_a_field_bounds_and_describes_a_parameter() -> None:
    def pick(
        n: Annotated[int, Field(ge=1, le=5, description="count", title="N", examples=[2], deprecated=True)] = 1,
        word: Annotated[str, StringConstraints(min_length=1, pattern="^[a-z]+$")] = "a",
        many: Annotated[list[int], Field(max_length=2)] = [1],  # noqa: B006  # a default that is published
    ) -> None:
        """Pick.

        Args:
            n: Not this.
        """

    properties = Tool.from_function(pick).parameters["properties"]
    assert properties["n"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 5,
        "title": "N",
        "description": "count",
        "examples": [2],
        "deprecated": True,
        "default": 1,
    }
    assert properties["word"] == {"type": "string", "minLength": 1, "pattern": "^[a-z]+$", "default": "a"}
    assert properties["many"] == {"type": "array", "items": {"type": "integer"}, "maxItems": 2, "default": [1]}
    result = Executor([pick]).run({"name": "pick", "arguments": {"n": 9}})
    assert result.error is not None
    assert [problem.path for problem in result.error.problems] == ["$.n"]


def pick(
    n: int = Field(3, ge=1, description="How many."),
    name: str = Field(default="x", max_length=2),
    notes: list[str] = Field(default_factory=list),
    page=Field(1, le=9),  # type: ignore[no-untyped-def]
    *,
    key: int = Field(...),
    limit: int = Field(le=5),
) -> list[Any]:
    """Return what a call passes."""
    notes.append("seen")
    return [n, name, notes, page, key, limit]


@pytest.mark.filterwarnings("ignore:.*'page' has the type of its default:fcregistry.errors.DefinitionWarning")
def test_a_field_as_a_default_is_the_annotation_and_the_default() -> None:
    tool = Tool.from_function(pick)
    assert tool.parameters["properties"] == {
        "n": {"type": "integer", "minimum": 1, "description": "How many.", "default": 3},
        "name": {"type": "string", "maxLength": 2, "default": "x"},
        "notes": {"type": "array", "items": {"type": "string"}},
        "page": {"type": "integer", "maximum": 9, "default": 1},
        "key": {"type": "integer"},
        "limit": {"type": "integer", "maximum": 5},
    }
    assert tool.parameters["required"] == ["key", "limit"]
    assert not [note for each in tool.signature.parameters for note in each.codec.unsaid]

    executor = Executor([tool])
    for _ in range(2):  # the factory makes a list for each call
        assert executor.call("pick", key=1, limit=5).unwrap() == [3, "x", ["seen"], 1, 1, 5]
    assert executor.run(ToolCall("pick", {"n": 4, "page": 2, "key": 1, "limit": 5})).value[:4:3] == [4, 2]
    assert not executor.call("pick", n=0, key=1, limit=5).ok


def test_a_field_as_the_default_of_a_positional_parameter_or_beside_a_schema_is_not_passed_on() -> None:
    def power(base: int, exponent: int = Field(2), /) -> int:
        return int(base**exponent)

    assert Executor([power]).call("power", base=3).unwrap() == 9
    schema = {"type": "object", "properties": {"base": {"type": "integer"}}}
    assert Executor([Tool.from_function(power, parameters=schema)]).call("power", base=3).unwrap() == 9


def test_a_field_whose_factory_takes_other_values_is_refused() -> None:
    def twice(n: int, m: int = Field(default_factory=lambda given: given["n"])) -> None: ...

    with pytest.raises(DefinitionError, match="'m': its default_factory takes the other values; use a function"):
        Tool.from_function(twice).parameters  # noqa: B018  # reading it defines it


def test_a_field_of_version_1_as_a_default_is_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pydantic warns of it on newer Pythons
        old = pytest.importorskip("pydantic.v1")

    def pick_old(n: int = old.Field(3)) -> None: ...

    with pytest.raises(DefinitionError, match="'n': its default is a Field of pydantic 1; import Field from"):
        Tool.from_function(pick_old).parameters  # noqa: B018  # as above


def test_options_of_field_that_only_models_use_are_noted() -> None:
    codec = codec_of(Annotated[int, Field(default=5, alias="n")])
    assert codec.unsaid == ("alias, default of Field has no effect on a parameter; write it in the signature itself",)


@pytest.mark.parametrize("extra", [{"examples": [2], "x-unit": "m"}, lambda schema: None])
def test_descriptions_of_a_json_schema_extra_are_taken_and_the_rest_is_noted(extra: Any) -> None:
    annotation = Annotated[int, Field(json_schema_extra=extra)]
    assert schema_of(annotation) == (
        {"type": "integer", "examples": [2]} if isinstance(extra, dict) else {"type": "integer"}
    )
    named = "x-unit" if isinstance(extra, dict) else "what a function writes"
    assert codec_of(annotation).unsaid == (f"{named} is not in the schema of int, although its author wrote it there",)


def test_digits_of_a_decimal_are_checked_by_pydantic() -> None:
    annotation = Annotated[Decimal, Field(max_digits=3, decimal_places=1)]
    assert_round_trip(annotation, "1.5", Decimal("1.5"))
    with pytest.raises(Refusal) as caught:
        codec_of(annotation).decode("1.55")
    assert caught.value.reason == (
        "Field(max_digits=3, decimal_places=1) refuses it: Decimal input should have no more than 1 decimal place"
    )


@pytest.mark.parametrize(
    "annotation",
    [pydantic.StrictInt, pydantic.conint(strict=True), Annotated[int, Field(strict=True)]],
)
def test_options_that_forbid_coercions_change_nothing(annotation: Any) -> None:
    assert schema_of(annotation) == {"type": "integer"}
    assert codec_of(annotation).unsaid == ()
    assert_refuses(annotation, "1", True)


def test_forbidding_infinities_changes_nothing() -> None:
    assert codec_of(Annotated[float, Field(allow_inf_nan=False)]).unsaid == ()
    assert codec_of(pydantic.FiniteFloat).unsaid == ()


# --- validators --------------------------------------------------------------------------------------------------


def doubled(number: int) -> int:
    return number * 2


def test_validators_run_on_the_decoded_value_and_may_change_it() -> None:
    annotation = Annotated[int, pydantic.BeforeValidator(doubled), pydantic.AfterValidator(doubled), Field(ge=1)]
    assert schema_of(annotation) == {"type": "integer", "minimum": 1}
    assert codec_of(annotation).decode(1) == 4
    assert_refuses(annotation, 0)
    unsaid = codec_of(annotation).unsaid
    assert [sentence.split(" does to")[0] for sentence in unsaid] == [
        "the schema cannot express what BeforeValidator",
        "the schema cannot express what AfterValidator",
    ]


def test_a_validator_gets_the_python_value_whatever_the_type() -> None:
    def opened(value: date) -> date:
        assert type(value) is date
        return value.replace(day=1)

    assert codec_of(Annotated[date, pydantic.AfterValidator(opened)]).decode("2024-05-17") == date(2024, 5, 1)


def test_a_validator_of_any_kind_runs() -> None:
    for validator in (
        pydantic.PlainValidator(doubled),
        pydantic.WrapValidator(lambda value, handler: handler(value) * 2),
    ):
        assert codec_of(Annotated[int, validator]).decode(3) == 6


def test_a_bound_after_a_validator_is_one_of_the_type() -> None:
    annotation = Annotated[bytes, pydantic.AfterValidator(lambda value: value * 2), Field(max_length=2)]
    assert schema_of(annotation) == schema_of(bytes)
    assert codec_of(annotation).decode("QQ==") == b"AA"
    with pytest.raises(Refusal, match=r"must satisfy MaxLen\(2\)"):
        codec_of(annotation).decode("QUE=")


def test_a_text_is_stripped_after_its_bounds_were_checked() -> None:
    annotation = Annotated[str, StringConstraints(strip_whitespace=True, to_upper=True, max_length=3)]
    assert codec_of(annotation).decode(" a ") == "A"
    assert_refuses(annotation, "  a ")


def test_a_path_is_checked_where_pydantic_says_so(tmp_path: Path) -> None:
    assert_round_trip(pydantic.DirectoryPath, str(tmp_path), tmp_path)
    assert_accepts(pydantic.FilePath, str(tmp_path))
    with pytest.raises(Refusal, match="Path does not point to a file"):
        codec_of(pydantic.FilePath).decode(str(tmp_path))


def test_a_uuid_of_another_version_is_refused() -> None:
    assert schema_of(pydantic.UUID4) == {"type": "string", "format": "uuid"}
    assert_round_trip(pydantic.UUID4, FOUR, UUID(FOUR))
    with pytest.raises(Refusal, match="UUID version 1 expected"):
        codec_of(pydantic.UUID1).decode(FOUR)


def test_a_serializer_has_no_effect_and_its_author_learns_of_it() -> None:
    codec = codec_of(Annotated[int, pydantic.PlainSerializer(str)])
    assert codec.encode(1) == 1
    assert codec.unsaid == ("PlainSerializer has no effect here: int is written as always",)


@pytest.mark.parametrize("value", [False, 3, None])
def test_a_value_that_is_not_a_string_in_json_is_of_another_member_of_a_union(value: bool | int | None) -> None:
    """Pydantic takes 0.0.0.0 for False, and 0.0.0.3 for 3."""
    codec = codec_of(pydantic.IPvAnyAddress | bool | int | None)
    assert codec.encode(value) is value
    assert codec.decode(value) is value

"""The descriptions and defaults of a record's fields, and the modules that resolve their annotations."""

from __future__ import annotations

import abc
import dataclasses
import sys
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar

import attr
import attrs
import msgspec
import pydantic
import pytest
import typing_extensions

from fcregistry import Executor, Tool
from fcregistry.types import Refusal, codec_of, schema_of, to_json_text

from . import other_module
from .cases import assert_round_trip, why_unsupported

T = TypeVar("T")


@dataclass
class Base:
    """A base.

    Attributes:
        a: From the base.
        b: From the base.
    """

    a: int
    b: int = 0


@dataclass
class Derived(Base):
    """One that derives.

    Attributes:
        b: From the class itself.
        c: Not this.
    """

    c: Annotated[int, "From the annotation."] = 0
    d: int = 0


class Keys(TypedDict):
    """Keys.

    Attributes:
        a: A key.
    """

    a: int


class Pair(NamedTuple):
    """A pair.

    Attributes:
        a (int): The first,
            over two lines.
    """

    a: int


@attrs.define
class WithAttrs:
    """With attrs.

    Attributes:
        _a: By its own name.
        b: By the name of its argument.
    """

    _a: int
    _b: int


@dataclass
class WithArgs(Base):
    """One that documents its arguments.

    Args:
        b: From the arguments.
        c: Not this.

    Attributes:
        c: From the attributes.
    """

    c: int = 0
    d: dataclasses.InitVar[int] = 0


@dataclass
class DerivedFromArgs(WithArgs):
    """One that derives from it.

    :param d: In reST.
    """


class NumpyKeys(Keys):
    """Keys.

    Parameters
    ----------
    b : int
        Another key.
    """

    b: int


class ExtensionKeys(typing_extensions.TypedDict, Generic[T]):
    """Keys.

    :param a: A key.
    """

    a: T


class DerivedKeys(ExtensionKeys[int], total=False):
    """Keys.

    Args:
        b: Another key.
    """

    b: int


@attr.s
class OldAttrs:
    """With attrs.

    :param a: By attrs alone.
    """

    a = attr.ib(type=int)


@attr.s
class DerivedAttrs(OldAttrs):
    b = attr.ib(type=int)


class WithMsgspec(msgspec.Struct, rename="camel"):
    """With msgspec.

    Attributes:
        long_name: By its own name.
    """

    long_name: int


class PydanticArgs(pydantic.BaseModel):
    """With pydantic.

    Args:
        a (int): From the arguments.
    """

    a: int


class DerivedPydantic(PydanticArgs):
    """One that derives.

    Parameters
    ----------
    b
        In NumPy's style.
    """

    b: int


class WithPydantic(pydantic.BaseModel):
    """With pydantic.

    Attributes:
        a: Not this.
        b: From the docstring.
    """

    a: int = pydantic.Field(description="From the field.")
    b: int


@dataclass
class Node(other_module.Node):
    """Shares its name with the class that it derives from, whose field names that one."""

    label: str = ""


@dataclass
class Sloppy:
    count: int = None  # type: ignore[assignment]  # as people write it
    names: list[str] = field(default_factory=list)


@dataclass
class Ring:
    next: Ring | None = None


@dataclass
class Shape(abc.ABC):
    size: int

    @abc.abstractmethod
    def area(self) -> int: ...


@dataclass
class Square(Shape):
    def area(self) -> int:
        return self.size**2


@dataclass
class Checked:
    inner: Any

    def __post_init__(self) -> None:
        WithPydantic(a="x", b=1)  # type: ignore[arg-type]  # which pydantic refuses


# --- descriptions ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "descriptions"),
    [
        (
            Derived,
            {
                "a": "From the base.",
                "b": "From the class itself.",
                "c": "From the annotation.",
                "d": None,
            },
        ),
        (
            WithArgs,
            {"a": "From the base.", "b": "From the arguments.", "c": "From the attributes.", "d": None},
        ),
        (
            DerivedFromArgs,
            {"a": "From the base.", "b": "From the arguments.", "c": "From the attributes.", "d": "In reST."},
        ),
        (Keys, {"a": "A key."}),
        pytest.param(
            NumpyKeys,
            {"a": "A key.", "b": "Another key."},
            marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="before, a TypedDict does not know its bases"),
        ),
        (DerivedKeys, {"a": "A key.", "b": "Another key."}),
        (DerivedAttrs, {"a": "By attrs alone.", "b": None}),
        (DerivedPydantic, {"a": "From the arguments.", "b": "In NumPy's style."}),
        (Pair, {"a": "The first,\nover two lines."}),
        (WithAttrs, {"a": "By its own name.", "b": "By the name of its argument."}),
        (WithMsgspec, {"longName": "By its own name."}),
        (WithPydantic, {"a": "From the field.", "b": "From the docstring."}),
    ],
)
def test_the_docstring_of_a_record_describes_fields_without_a_text_of_their_own(
    record: Any, descriptions: dict[str, str | None]
) -> None:
    properties = schema_of(record)["properties"]
    assert {name: each.get("description") for name, each in properties.items()} == descriptions


def test_the_text_of_a_parameter_takes_precedence_over_that_of_its_type() -> None:
    def use(
        a: Annotated[Base, "of the annotation"], b: Base, c: Annotated[Base, pydantic.Field(description="of Field")]
    ) -> None:
        """Use.

        Args:
            a: of the docstring
            b: of the docstring
            c: of the docstring
        """

    properties = Tool.from_function(use).parameters["properties"]
    assert [each["description"] for each in properties.values()] == [
        "of the annotation",
        "of the docstring",
        "of Field",
    ]
    assert "A base." not in str(properties)


# --- annotations of other modules --------------------------------------------------------------------------------


def test_the_annotations_of_each_class_are_those_of_its_own_module() -> None:
    encoded = {"value": 1, "next": {"value": 2, "next": None}, "label": "a"}
    assert_round_trip(Node, encoded, Node(1, other_module.Node(2), "a"))
    assert schema_of(Node)["properties"]["next"]["anyOf"][0] == {"$ref": "#/$defs/Node"}


def test_two_records_of_one_name_have_names_that_do_not_depend_on_their_order() -> None:
    first = schema_of(tuple[Node, Node, other_module.Node])
    second = schema_of(tuple[other_module.Node, Node, Node])
    assert sorted(first["$defs"]) == sorted(second["$defs"])
    assert len(first["$defs"]) == 2
    assert all(name.endswith("_Node") for name in first["$defs"])


# --- defaults ----------------------------------------------------------------------------------------------------


def test_a_default_without_json_is_left_out_and_the_parameter_stays_optional() -> None:
    ring, items = Ring(), []
    ring.next = ring
    items.append(items)

    def use(a: Ring = ring, b: list = items, c: Any = items, d: object = object(), e: float = float("inf")) -> str:  # type: ignore[assignment, type-arg]
        return "used"

    tool = Tool.from_function(use)
    assert all("default" not in each for each in tool.parameters["properties"].values())
    assert "required" not in tool.parameters
    assert Executor([use]).run({"name": "use", "arguments": {}}).value == "used"


def test_a_default_of_another_type_than_the_annotation_is_left_out() -> None:
    made = dataclasses.make_dataclass("Made", [("day", date, field(default="2024-01-01"))])
    assert schema_of(made)["properties"] == {"day": {"type": "string", "format": "date"}}


def test_a_field_with_a_value_of_another_type_is_encoded_by_that_type() -> None:
    assert codec_of(Sloppy).encode(Sloppy()) == {"count": None, "names": []}
    assert to_json_text([Sloppy(names=("a", date(2024, 1, 1)))]) == '[{"count": null, "names": ["a", "2024-01-01"]}]'  # type: ignore[arg-type]  # sloppy


# --- classes -----------------------------------------------------------------------------------------------------


def test_an_abstract_class_is_refused_and_one_that_derives_from_it_is_not() -> None:
    assert why_unsupported(list[Shape]).endswith("Shape is abstract (area); take a class that derives from it")
    assert_round_trip(Square, {"size": 2}, Square(2))


def test_a_pydantic_error_inside_another_class_is_worded_without_links() -> None:
    with pytest.raises(Refusal) as caught:
        codec_of(Checked).decode({"inner": 1})
    assert caught.value.reason.startswith("Checked refuses it: Input should be a valid integer")
    assert "http" not in caught.value.reason


def test_all_unsupported_fields_of_all_records_are_reported_with_their_places() -> None:
    inner = dataclasses.make_dataclass("Inner", [("a", complex), ("b", type)])
    outer = dataclasses.make_dataclass("Outer", [("inner", list[inner]), ("c", complex), ("fine", int)])
    message = why_unsupported(outer)
    assert message.count("complex: JSON has no complex numbers") == 2
    assert "field 'inner' of Outer: in list[types.Inner]: field 'b' of Inner: type: a model cannot write a class" in (
        message.replace("tests.types.test_fields.", "types.")
    )
    assert "'fine'" not in message

"""Annotations that docs/reference/types.md says are refused, and the errors."""

from __future__ import annotations

import abc
import collections
import collections.abc
import enum
from dataclasses import dataclass
from typing import Annotated, Any, Callable, Generic  # noqa: UP035  # both spellings of Callable are read

import pydantic
from pydantic import v1

from fcregistry.execution import CancellationToken

from .classes import T

Untyped = collections.namedtuple("Untyped", "a b")


class Permission(enum.Flag):
    READ = 1
    WRITE = 2


@dataclass
class Shape(abc.ABC):
    size: int

    @abc.abstractmethod
    def area(self) -> float: ...


@dataclass
class Metres:
    value: float


@dataclass
class Feet:
    value: Annotated[float, "in feet"]


@dataclass
class Ever(Generic[T]):
    more: Ever[list[T]] | None = None


class Old(v1.BaseModel):
    x: int


class Connection:
    """A class of which nobody said how it looks in JSON."""


def _nested(levels: int) -> Any:
    annotation: Any = int
    for _ in range(levels):
        annotation = list[annotation]
    return annotation


REFUSED: dict[str, tuple[tuple[Any, str], ...]] = {
    "`Callable[…]`, `type[T]`": (
        (Callable[[int], int], "Callable[[int], int]: a model cannot write a function; take a name (Literal[…])"),
        (collections.abc.Callable, "Callable: a model cannot write a function; take a name (Literal[…])"),
        (type, "type: a model cannot write a class; take a name (Literal[…]) and look the class up"),
        (type[int], "type[int]: a model cannot write a class; take a name (Literal[…]) and look the class up"),
    ),
    "`complex`": ((complex, "complex: JSON has no complex numbers; take two floats, or a dataclass of two"),),
    "`CancellationToken`": (
        (CancellationToken, "no model can give one; take a Context as a parameter, whose `cancellation` is the call's"),
        (CancellationToken | None, "no model can give one; take a Context as a parameter"),
    ),
    "a `Flag`": ((Permission, "Permission is a Flag, whose members combine; take set[…] of an Enum instead"),),
    "`collections.namedtuple`, which has no types": (
        (Untyped, "Untyped is a namedtuple without types; declare it as a class of typing.NamedTuple"),
    ),
    "an abstract class": ((Shape, "Shape is abstract (area); take a class that derives from it"),),
    "a set of items that are not hashable": (
        (set[list[int]], "its items are not hashable, so they cannot be in a set; take list[…] instead"),
        (set[Metres], "its items are not hashable, so they cannot be in a set; take list[…] instead"),
        (frozenset[bytearray], "its items are not hashable, so they cannot be in a set; take list[…] instead"),
    ),
    "keys of a dict that are not strings in JSON, such as `float`": tuple(
        (dict[key, str], f"the keys of a JSON object are strings; {shown} has another form. Take str or int")
        for key, shown in (
            (bool, "bool"),
            (float, "float"),
            (tuple[int, int], "tuple[int, int]"),
            (str | int, "str | int"),
        )
    ),
    "two records with the same fields in a union": (
        (
            Metres | Feet,
            "Metres and Feet have the same fields, so nothing in their JSON distinguishes them; give each a field such as `kind: ",
        ),
    ),
    "a pydantic model of version 1": (
        (Old, "Old is a model of pydantic 1 (pydantic.v1); derive it from pydantic.BaseModel"),
    ),
    "`Json`, `ImportString`, `Secret[T]` of pydantic": (
        (pydantic.Json, "Json: a model would write JSON inside JSON; use the type of the value in it"),
        (pydantic.Json[list[int]], "Json of list[int]: a model would write JSON inside JSON; use the type"),
        (pydantic.ImportString, "ImportString: it imports any object that a model names; use a name (Literal[…])"),
        (
            pydantic.ImportString[Any],
            "ImportString of Any: it imports any object that a model names; use a name (Literal[…])",
        ),
        (pydantic.Secret[int], "Secret[int]: the JSON of a secret is only asterisks; use SecretStr"),
    ),
    "types nested more than 150 levels deep, or that refer to new types without end": (
        (_nested(160), "its schema is nested 161 levels deep, and at most 150 can be checked"),
        (_nested(500), "it is nested too deeply, or refers to ever new types"),
        (Ever[int], "it is nested too deeply, or refers to ever new types"),
    ),
    "any other class that has no JSON form": (
        (
            Connection,
            (
                "Connection has no JSON form; use a dataclass, TypedDict, NamedTuple or Enum in its place, "
                "or give the tool a JSON Schema with parameters=…"
            ),
        ),
    ),
}
"""First cell of a row -> annotations, and what is said of each."""

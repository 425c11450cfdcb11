"""A plugin with a tool of every kind, as source text."""

MANY = '''
import datetime, decimal, enum, functools, uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import numpy
from fcregistry import Context, registry
from numpy.typing import NDArray
from pydantic import BaseModel, Field


class Unit(enum.Enum):
    C = "celsius"
    F = "fahrenheit"


@dataclass
class Place:
    """A place on a map.

    Attributes:
        name: What it is called.
    """

    name: str
    at: "tuple[float, float] | None" = None
    tags: list[str] = field(default_factory=list)


class Tree(BaseModel):
    label: str = Field(min_length=1, description="What stands on it: ä, 漢, \\u2028.")
    below: "list[Tree]" = []


class Pair(NamedTuple):
    left: int
    right: int = 2


class Point(TypedDict, total=False):
    x: float


class Deps:
    pass


class Cache:
    def __init__(self):
        self.kept = {}

    def get(self, key, default=None):
        return self.kept.get(key, default)

    def set(self, key, value):
        self.kept[key] = value


@fc_register("weather", title="The weather", aliases=["meteo", "wetter"], tags=("b", "a"), read_only=True, idempotent=True)
def get_weather(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit", days: int | None = None) -> dict:
    """Get the weather.

    Not more than a week ahead.

    Args:
        location: The city and state, e.g. San Francisco, CA.
        unit: The unit to use.
        days: How far ahead.

    Returns:
        What it is like.
    """
    return {"location": location, "unit": unit, "days": days}


@fc_register
def records(place: Place, tree: Tree, pair: Pair = Pair(1), point: Point | None = None, unit: Unit = Unit.C) -> list[Place]:
    "Records of many kinds."
    return [place, Place(tree.label)]


@fc_register
def scalars(day: datetime.date, price: decimal.Decimal, key: uuid.UUID, some: frozenset[int], raw: bytes = b"") -> str:
    return f"{day:%d} {price} {key.int} {sorted(some)} {raw!r}"


@fc_register("maths.arrays")
def total(values: NDArray[numpy.float64], scale: numpy.float32 = numpy.float32(1.5)) -> float:
    """Add up."""
    return float(values.sum() * scale)


SCHEMA = {"type": "object", "properties": {"q": {"type": "string", "minLength": 2}}, "required": ["q"]}


@fc_register(parameters=SCHEMA, description="Said elsewhere.", examples=[{"q": "ab"}], tags=["z", "y"], meta={"acme.team": {"n": [1, None]}})
def foreign(**arguments):
    return arguments["q"]


@fc_register(destructive=True, open_world=False, requires_approval=lambda call: call.get("force") is True)
def remove(name: str, force: bool = False) -> str:
    return f"{name} {force}"


@fc_register(requires_approval=True, deprecated="use remove", requires_env="ACME_KEY")
def erase() -> None:
    """Erase."""


@fc_register(reads=lambda name: f"file:{name}", writes=["log", "trace"], exclusive=True)
def read(name: str) -> str:
    return name


@fc_register(reads="one", timeout=2.5, blocking=False)
def read_one() -> str:
    return "one"


@fc_register(cache=True, timeout=1)
def cached(n: int) -> int:
    return n


@fc_register(cache=Cache())
def cached_there(n: int) -> int:
    return n


@fc_register
def contextual(context: Context[Deps], n: int) -> str:
    return f"{n}"


@fc_register
def reporting(context: Context, /, **rest: int) -> int:
    return sum(rest.values())


@fc_register
def counting(to: int, *more: int) -> Iterator[int]:
    yield from range(to)
    yield from more


@fc_register
async def slowly(word: str, *, times: Annotated[int, Field(ge=1, le=3)] = 1) -> str:
    return word * times


@fc_register
async def dripping(word: str) -> AsyncIterator[str]:
    for letter in word:
        yield letter


@fc_register(isolation="process", blocking="caller")
def apart(a: int) -> int:
    return a


@fc_register
def impossible(a: complex, b: "Nowhere") -> str:
    return ""


@fc_register
def nothing():
    return None


def scaled(by: int, a: int) -> int:
    """Scale."""
    return by * a


fc_register("maths", name="double")(functools.partial(scaled, 2))
fc_register("maths")(scaled, "triple-ish")


class Adder:
    def __init__(self, start: int) -> None:
        self.start = start

    def __call__(self, a: int) -> int:
        """Add to a start."""
        return self.start + a

    @fc_register(tags=["marked"])
    def subtract(self, a: int) -> int:
        """Take away."""
        return self.start - a


fc_register(Adder(3), name="add_three")
registry.register_object(Adder(10), prefix="ten_")


@fc_register(name="twice")
def twice() -> str:
    return "first"


@fc_register(name="twice", replace=True)
def twice_again() -> str:
    return "second"


def listed(a: int) -> int:
    "Named by an entry point."
    return a


LIST = [listed, Adder(5).subtract]
'''

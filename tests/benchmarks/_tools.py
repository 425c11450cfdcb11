"""The tools that are timed, with their calls: a simple one, and one with records, an Enum, a TypedDict and containers.

Peers are asked to run the same functions, so nothing here imports this package.
"""

import enum
import json
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

SIMPLE = '{"location": "Tokyo", "unit": "celsius"}'
WRONG = '{"location": "Tokyo", "unit": "kelvin"}'
ORDER = json.dumps(
    {
        "customer": {"name": "Ada", "address": {"street": "1 Main St", "city": "Tokyo"}},
        "items": [{"name": "pen", "quantity": 2}, {"name": "ink", "quantity": 1, "size": "l"}],
        "extras": {"gift": True},
    }
)


def get_current_weather(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit") -> str:
    """Get the current weather in a given location.

    Args:
        location: The city and state, e.g. San Francisco, CA.
        unit: The temperature unit to use.
    """
    return f"{location}: 20 {unit}"


async def get_weather_async(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit") -> str:
    """Get the current weather in a given location.

    Args:
        location: The city and state, e.g. San Francisco, CA.
        unit: The temperature unit to use.
    """
    return f"{location}: 20 {unit}"


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


@dataclass
class Address:
    street: str
    city: str


@dataclass
class Item:
    name: str
    quantity: int
    size: Size = Size.SMALL


@dataclass
class Customer:
    name: str
    address: Address


class Extras(TypedDict, total=False):
    note: str
    gift: bool


def place_order(
    customer: Customer, items: list[Item], extras: Extras, tags: dict[str, str] | None = None
) -> dict[str, Any]:
    """Place an order.

    Args:
        customer: Who orders.
        items: What is ordered.
        extras: What else there is to say.
        tags: Labels of the order.
    """
    return {"customer": type(customer).__name__, "item": type(items[1]).__name__, "items": len(items)}


async def place_order_async(
    customer: Customer, items: list[Item], extras: Extras, tags: dict[str, str] | None = None
) -> dict[str, Any]:
    """Place an order.

    Args:
        customer: Who orders.
        items: What is ordered.
        extras: What else there is to say.
        tags: Labels of the order.
    """
    return place_order(customer, items, extras, tags)


# The floor: what the work costs with nothing around it, written by hand for these two tools, and checking nothing.

_SIZES = {member.value: member for member in Size}


def weather_by_hand() -> str:
    return json.dumps(get_current_weather(**json.loads(SIMPLE)))


async def weather_by_hand_async() -> str:
    return json.dumps(await get_weather_async(**json.loads(SIMPLE)))


def order_by_hand() -> str:
    read = json.loads(ORDER)
    customer = read["customer"]
    read["customer"] = Customer(customer["name"], Address(**customer["address"]))
    read["items"] = [Item(item["name"], item["quantity"], _SIZES[item.get("size", "s")]) for item in read["items"]]
    return json.dumps(place_order(**read))


def wrong_by_hand() -> str:
    arguments, allowed = json.loads(WRONG), ("fahrenheit", "celsius")
    if arguments["unit"] in allowed:
        return json.dumps(get_current_weather(**arguments))
    return json.dumps({"path": "$.unit", "allowed": allowed, "given": arguments["unit"]})

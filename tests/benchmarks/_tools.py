"""Which tools are timed? A simple one, and one with records, an Enum, a TypedDict and containers."""

import enum
from dataclasses import dataclass
from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12


def get_current_weather(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit") -> str:
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
    return {"customer": customer.name, "items": len(items)}

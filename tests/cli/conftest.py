"""Two plugins with tools of each sort, in real distributions, for the tests of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Site
from tests.forking import ForkingSite

TOOLS = r'''
from __future__ import annotations

import datetime
import time
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal

from fcregistry import fc_register
from fcregistry.errors import ToolError


class Colour(Enum):
    DARK_RED = "dark_red"
    BLUE = "blue"


@dataclass
class Item:
    name: str
    count: int = 1


@fc_register(tags=("order",))
def order(
    customer: str,
    num_days: int = 3,
    ratio: float = 0.5,
    tags: list[str] | None = None,
    numbers: list[int] = (),
    express: bool = False,
    colour: Colour = Colour.BLUE,
    unit: Literal["a_b", "a-b", "c"] = "c",
    day: datetime.date | None = None,
    item: Item | None = None,
    items: list[Item] = (),
    level: Literal["low", 5, None] = None,
    mixed: int | str = 0,
    pair: tuple[int, str] | None = None,
) -> dict[str, Any]:
    """Order something.

    It is sent to the customer.

    Args:
        customer: Who pays for it.
        num_days: Within how many days.
    """
    return {name: repr(value) for name, value in locals().items()}


@fc_register
def odd(
    help: str = "",
    arg: int = 0,
    no_flag: bool = False,
    flag: bool = True,
    json: Any = 1,
    name: str = "",
    h: int = 0,
    Foo: int = 0,
    foo: int = 0,
    _hidden: int = 0,
    größe: int = 0,
    self_: int = 0,
) -> dict[str, Any]:
    """Has parameters of odd names."""
    return dict(locals())


@fc_register
def anything(*numbers: int, **more: str) -> dict[str, Any]:
    return {"numbers": numbers, "more": more}


@fc_register
def text(value: str = "hé ☃ 😀") -> str:
    """Return a text, été."""
    return value


@fc_register
def blob() -> bytes:
    """Return some bytes."""
    return b"\x00\xff\n"


@fc_register
def nested() -> dict[str, Any]:
    """Return an object."""
    return {"a": [1, {"b": None}]}


@fc_register
def nothing() -> None:
    """Return nothing."""


@fc_register
def fails(how: str = "error") -> str:
    """Fail in some way."""
    if how == "tool error":
        raise ToolError("the shop is closed")
    if how == "exit":
        raise SystemExit(0)
    raise RuntimeError("it broke \x1b[31mbadly\x07")


@fc_register
def unencodable() -> object:
    """Return what is no JSON."""
    return object()


@fc_register
def noisy() -> int:
    """Print something, and return 7."""
    print("noise")
    return 7


@fc_register
def evil(value: str = "plain") -> str:
    """Say \x1b[31mred\x1b[0m, \x9b31m and \u202eback\u202c.

    Args:
        value: With a \x07 bell.
    """
    return "\x1b[2J" + value + "\x9b31m\u202e"


@fc_register
def evil_object() -> dict[str, str]:
    """Return an object with control characters."""
    return {"a\x9b": "\x1b[2J\x9b31m\u202e"}


@fc_register(requires_approval=True)
def danger(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


@fc_register(requires_env="SHOP_KEY")
def secret() -> str:
    """Ask the shop."""
    return "asked"


@fc_register
def sleepy() -> str:
    """Sleep until it is interrupted."""
    print("sleeping", flush=True)
    time.sleep(60)
    return "woke up"


@fc_register
async def async_sleepy() -> str:
    """Sleep on a loop until it is interrupted."""
    import asyncio

    print("sleeping", flush=True)
    await asyncio.sleep(60)
    return "woke up"


@fc_register("search.web", deprecated="use text")
def lookup(query: str) -> str:
    """Look something up."""
    return query
'''

OTHER = '''
from fcregistry import fc_register


@fc_register("search.web")
def lookup(query: str) -> str:
    """Look something up elsewhere."""
    return f"other {query}"
'''


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory, dependencies: Path) -> Iterator[Site]:
    """A folder with both distributions, which no test changes; its commands are forked, where there are forks."""
    made = (ForkingSite if hasattr(os, "fork") else Site)(tmp_path_factory.mktemp("shop") / "site", dependencies)
    made.install("acme-shop", {"shop": "acme_shop.tools"}, {"acme_shop/tools.py": TOOLS}, version="1.2")
    made.install("other", {"o": "other_tools"}, {"other_tools.py": OTHER})
    yield made
    if isinstance(made, ForkingSite):
        made.close()

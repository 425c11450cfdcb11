"""What do importing, one call, and `list` cost beside what they would cost with nothing around them?"""

import asyncio
import json
from typing import Literal

from _clock import ROUNDS, compare, compare_processes, show
from _tools import Address, Customer, Item, Size, get_current_weather, place_order

from fcregistry import Executor, ToolCall

SIMPLE = '{"location": "Tokyo", "unit": "celsius"}'
ORDER = json.dumps(
    {
        "customer": {"name": "Ada", "address": {"street": "1 Main St", "city": "Tokyo"}},
        "items": [{"name": "pen", "quantity": 2}, {"name": "ink", "quantity": 1, "size": "l"}],
        "extras": {"gift": True},
    }
)


def order_by_hand() -> str:
    """Do what the executor does for an order, written by hand for this one tool, checking nothing."""
    read = json.loads(ORDER)
    customer, sizes = read["customer"], {member.value: member for member in Size}
    read["customer"] = Customer(customer["name"], Address(**customer["address"]))
    read["items"] = [Item(item["name"], item["quantity"], sizes[item.get("size", "s")]) for item in read["items"]]
    return json.dumps(place_order(**read))


def calls() -> list[tuple[str, float, float, str]]:
    """Time JSON text to result against json.loads, the call and json.dumps, and a bad call against validation by hand."""
    executor = Executor([get_current_weather, place_order])
    simple, order = ToolCall("get_current_weather", SIMPLE), ToolCall("place_order", ORDER)
    bad = ToolCall("get_current_weather", '{"location": "Tokyo", "unit": "kelvin"}')
    assert executor.run(simple).ok, executor.run(simple)
    assert executor.run(order).ok, executor.run(order)

    def by_hand() -> str:
        return json.dumps(get_current_weather(**json.loads(SIMPLE)))

    def bad_by_hand() -> str:
        unit = json.loads(bad.arguments)["unit"]  # type: ignore[arg-type]  # it is text
        return "" if unit in ("fahrenheit", "celsius") else f"unit must be one of fahrenheit, celsius, not {unit}"

    return [
        ("call: simple", *compare(by_hand, lambda: executor.run(simple)), "µs"),
        ("call: complex, records constructed", *compare(order_by_hand, lambda: executor.run(order)), "µs"),
        ("call: one argument wrong, with its message", *compare(bad_by_hand, lambda: executor.run(bad)), "µs"),
    ]


def async_calls() -> list[tuple[str, float, float, str]]:
    """Time an async tool through `arun` against awaiting it."""

    async def weather(location: str, unit: Literal["fahrenheit", "celsius"] = "fahrenheit") -> str:
        """Get the weather."""
        return f"{location}: 20 {unit}"

    executor, call = Executor([weather]), ToolCall("weather", SIMPLE)

    async def timed(times: int = 2000) -> tuple[float, float]:
        from time import perf_counter

        start = perf_counter()
        for _ in range(times):
            json.dumps(await weather(**json.loads(SIMPLE)))
        middle = perf_counter()
        for _ in range(times):
            await executor.arun(call)
        return (middle - start) / times, (perf_counter() - middle) / times

    pairs = sorted(asyncio.run(timed()) for _ in range(ROUNDS))
    return [("call: simple, async", *pairs[ROUNDS // 2], "µs")]


DECORATE = "from fcregistry import fc_register\n@fc_register('tool')\ndef f(a: int) -> int: return a"
HELLO = "import click\n@click.command()\ndef hello(): click.echo('hello')\nhello()"


def processes() -> list[tuple[str, float, float, str]]:
    """Time whole processes: an import with one decoration, and `list`."""
    return [
        ("import and one decoration (floor: bare Python)", *compare_processes(["-c", "pass"], ["-c", DECORATE]), "ms"),
        ("list (floor: a click hello-world)", *compare_processes(["-c", HELLO], ["-m", "fcregistry", "list"]), "ms"),
        (
            "--version (floor: a click hello-world)",
            *compare_processes(["-c", HELLO], ["-m", "fcregistry", "--version"]),
            "ms",
        ),
    ]


if __name__ == "__main__":
    show("In one process", [*calls(), *async_calls()])
    show("Whole processes", processes())

"""One defect a tool; everything else about it is right."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from acme_units import Doubled, Even, Misspelt, Numbered, Stripped, Unmarked
from annotated_types import Predicate

from acme_wrong import again
from fcregistry import fc_register

__all__ = ["again"]

TRACES = Path(os.environ.get("ACME_TRACES", os.devnull))


def ran(name: str) -> None:
    """Leave a trace of a function that was run."""
    with TRACES.open("a", encoding="utf-8") as traces:
        traces.write(f"{name}\n")


@fc_register("wrong")
def can_be_defined(callback: Callable[[int], int]) -> None:
    """Take what no model can write.

    Args:
        callback: A function.
    """
    ran("can_be_defined")


@fc_register("wrong")
def has_a_valid_schema(value: Misspelt) -> None:
    """Take a value whose schema names a type that there is not.

    Args:
        value: A value.
    """
    ran("has_a_valid_schema")


@fc_register("wrong")
def has_a_stable_schema(value: Numbered) -> None:
    """Take a value whose schema is another one each time.

    Args:
        value: A value.
    """
    ran("has_a_stable_schema")


@fc_register("wrong")
def documents_its_parameters(location: str) -> None:
    """Describe a parameter under another name.

    Args:
        lokation: Where.
    """
    ran("documents_its_parameters")


@fc_register("wrong")
def names_fit_every_provider(größe: int) -> None:  # noqa: PLC2401  # the defect
    """Take a parameter whose name not every provider takes.

    Args:
        größe: How large.
    """
    ran("names_fit_every_provider")


@fc_register("wrong")
def accepts_what_its_schema_says(count: Even) -> None:
    """Take whole numbers, says the schema, and only even ones, says the type.

    Args:
        count: How many.
    """
    ran("accepts_what_its_schema_says")


@fc_register("wrong")
def delivers_annotated_types(text: Unmarked) -> None:
    """Get a plain string where a marked one is annotated.

    Args:
        text: A text.
    """
    ran("delivers_annotated_types")


@fc_register("wrong")
def leaves_its_input_alone(settings: Stripped) -> None:
    """Take an object that is emptied while it is decoded.

    Args:
        settings: Names and numbers.
    """
    ran("leaves_its_input_alone")


@fc_register("wrong")
def gives_the_call_back(amount: Doubled) -> None:
    """Take a number that is written as twice itself.

    Args:
        amount: A number.
    """
    ran("gives_the_call_back")


@fc_register("wrong", examples=[{"days": 0}, {"days": "[1]"}])
def accepts_its_examples(days: Annotated[int, Predicate(lambda days: days > 0)]) -> None:
    """Show examples that are refused.

    Args:
        days: How many days.
    """
    ran("accepts_its_examples")


@fc_register("wrong", examples=[{"city": "Tokyo"}], read_only=True)
def answers_its_examples(city: str) -> int:
    """Return a text where a number is annotated.

    Args:
        city: Where.
    """
    ran("answers_its_examples")
    return f"sunny in {city}"  # type: ignore[return-value]  # the defect


@fc_register("wrong")
def has_its_name_alone(city: str) -> None:
    """Share its name with another.

    Args:
        city: Where.
    """
    ran("has_its_name_alone")


@fc_register("right", examples=[{"path": "/"}])
def delete_everything(path: str) -> None:
    """Do harm, if it is ever run.

    Args:
        path: What to delete.
    """
    ran("delete_everything")


@fc_register("right")
def takes_multiples_of_three(number: Annotated[int, Predicate(lambda number: number % 3 == 0)]) -> None:
    """Refuse some arguments for what no schema can say, which is no failure.

    Args:
        number: A multiple of three.
    """
    ran("takes_multiples_of_three")

"""Errors for annotations without a JSON form: what is wrong, and what to write instead."""

from __future__ import annotations

import collections.abc
import re
import typing
from typing import Any, Callable, ForwardRef  # noqa: UP035

import pytest

from fcregistry.types import UnsupportedType, codec_of

from .cases import why_unsupported


class Connection:
    pass


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (
            Callable[[int], int],
            "Callable[[int], int]: a model cannot write a function; take a name (Literal[…]) and look the function up",
        ),
        (
            collections.abc.Callable,
            "Callable: a model cannot write a function; take a name (Literal[…]) and look the function up",
        ),
        (type, "type: a model cannot write a class; take a name (Literal[…]) and look the class up"),
        (type[int], "type[int]: a model cannot write a class; take a name (Literal[…]) and look the class up"),
        (complex, "complex: JSON has no complex numbers; take two floats, or a dataclass of two"),
        ("Nope", "'Nope' cannot be resolved; define or import that name in the module of the function"),
        (
            ForwardRef("Nope"),
            "ForwardRef('Nope') cannot be resolved; define or import that name in the module of the function",
        ),
        (
            Connection,
            (
                "Connection has no JSON form; use a dataclass, TypedDict, NamedTuple or Enum in its place, "
                "or give the tool a JSON Schema with parameters=…"
            ),
        ),
        (
            re.Pattern[bytes],
            (
                "re.Pattern[bytes] has no JSON form; use a dataclass, TypedDict, NamedTuple or Enum in its place, "
                "or give the tool a JSON Schema with parameters=…"
            ),
        ),
    ],
)
def test_the_error_for_an_unsupported_annotation_says_what_to_do(annotation: Any, message: str) -> None:
    assert why_unsupported(annotation) == message


@pytest.mark.parametrize(
    "annotation",
    [
        *(5, [int], {}, ..., object(), typing.Protocol, typing.IO[str], typing.NoReturn, typing.Never),
        *(typing.Final, typing.Self, typing.ParamSpec("P"), typing.TypeVarTuple("Ts"), typing.TypeGuard[int]),
        *(typing.Awaitable[int], typing.Hashable, typing.Unpack[tuple[int]], tuple[int, *tuple[str, ...]]),
    ],
)
def test_any_object_as_an_annotation_is_read_or_refused_as_unsupported(annotation: Any) -> None:
    with pytest.raises(UnsupportedType):
        codec_of(annotation)


def test_the_place_of_an_inner_annotation_is_named_from_the_outside() -> None:
    assert why_unsupported(dict[str, list[complex | None]]).startswith(
        "in dict[str, list[complex | None]]: in list[complex | None]: in complex | None: complex: "
    )

"""Which repairs can be switched, and what is said of a name that is none?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fcregistry._json._loose import _SAID
from fcregistry.execution import REPAIRS
from fcregistry.execution._reading._repair_names import ALL_REPAIRS, allowed_repairs

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "choose-repairs.md"


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        (True, ALL_REPAIRS),
        (False, frozenset()),
        ((), frozenset()),
        (["fences", "comments"], {"fences", "comments"}),
        ({"wrapped-json"}, {"wrapped-json"}),
        (REPAIRS, ALL_REPAIRS),
        (ALL_REPAIRS - {"comments"}, ALL_REPAIRS - {"comments"}),
    ],
)
def test_repairs_are_all_or_none_or_some_by_name(given: Any, allowed: frozenset[str]) -> None:
    assert allowed_repairs(given) == allowed


def test_an_unknown_repair_is_named_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="there is no repair") as caught:
        allowed_repairs(["comments", "coments"])

    assert str(caught.value) == (
        "there is no repair 'coments'; the repairs are comments, empty-arguments, explicit-null, fences, python-literals, "
        "raw-control-characters, single-quotes, trailing-commas, unquoted-names, wrapped-json"
    )


@pytest.mark.parametrize(
    "given", ["comments", None, 1, {"comments"}.__iter__()], ids=["text", "none", "number", "iter"]
)
def test_what_is_no_collection_of_names_is_refused(given: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^repairs is True, False or a collection of names such as \{'comments'\}, not "
    ):
        allowed_repairs(given)


def test_every_repair_of_the_text_has_a_name_of_its_own() -> None:
    assert set(_SAID) == ALL_REPAIRS - {"empty-arguments", "explicit-null", "wrapped-json"}


def test_every_repair_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in REPAIRS if f"`{name}`" not in page] == []

"""Which repairs an executor makes, by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fcregistry import Executor, ToolCall
from fcregistry.execution import REPAIRS

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "choose-repairs.md"

SLIPS = {
    "comments": '{"text": "x"} // as asked',
    "empty-arguments": "",
    "explicit-null": '{"text": null}',
    "fences": '```\n{"text": "x"}\n```',
    "python-literals": '{"loud": True}',
    "raw-control-characters": '{"text": "\t"}',
    "single-quotes": "{'text': 'x'}",
    "trailing-commas": '{"text": "x",}',
    "unquoted-names": '{text: "x"}',
    "wrapped-json": '"{}"',
}


def take(text: str = "", loud: bool = False) -> None:
    """Take a text."""


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (True, set(REPAIRS)),
        (False, set()),
        ((), set()),
        (["fences", "comments"], {"fences", "comments"}),
        ({"wrapped-json"}, {"wrapped-json"}),
        (REPAIRS, set(REPAIRS)),
        (set(REPAIRS) - {"comments"}, set(REPAIRS) - {"comments"}),
    ],
)
def test_repairs_are_all_or_none_or_some_by_name(given: Any, made: set[str]) -> None:
    executor = Executor(take, repairs=given)
    assert {name for name, text in SLIPS.items() if executor.run(ToolCall("take", text)).ok} == made


def test_the_error_for_an_unknown_repair_lists_the_repairs() -> None:
    with pytest.raises(ValueError, match="there is no repair") as caught:
        Executor(take, repairs=["comments", "coments"])

    assert str(caught.value) == (
        "there is no repair 'coments'; the repairs are comments, empty-arguments, explicit-null, fences, python-literals, "
        "raw-control-characters, single-quotes, trailing-commas, unquoted-names, wrapped-json, missing-commas"
    )


@pytest.mark.parametrize(
    "given", ["comments", None, 1, {"comments"}.__iter__()], ids=["text", "none", "number", "iter"]
)
def test_a_value_that_is_not_a_collection_of_names_is_refused(given: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^repairs must be True, False or a collection of names such as \{'comments'\}, not "
    ):
        Executor(take, repairs=given)


def test_every_repair_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in REPAIRS if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "x"\n"b": true\n"c": null}', {"a": "x", "b": True, "c": None}),
        (
            '{"a": [1 2 [3] {"b": 4} "x"] "c": {"d": 1} "e": -1.5}',
            {"a": [1, 2, [3], {"b": 4}, "x"], "c": {"d": 1}, "e": -1.5},
        ),
        ("{'a': 'x' /* so */ b: True}", {"a": "x", "b": True}),
    ],
)
def test_missing_commas_are_added_only_where_the_repair_is_named(text: str, value: dict[str, Any]) -> None:
    def show(**table: Any) -> Any:
        """Show a table."""
        return table

    allowed = Executor([show], repairs={*REPAIRS, "missing-commas"}).run({"name": "show", "arguments": text})
    assert allowed.value == value
    assert "the arguments had no commas between some values: added" in allowed.repairs
    for repairs in (True, REPAIRS, False):
        refused = Executor([show], repairs=repairs).run({"name": "show", "arguments": text})
        assert refused.error is not None
        assert refused.error.code == "malformed_call"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1} {"b": 2}',
        '{"a": [1 2',
        '{"a": "x" "b"',
        '{"a": "say "hi" now"}',
        '{"a": 1 2}',
        '{"a" 1}',
        '{"a": x "b": 1}',
    ],
)
def test_text_that_is_not_valid_with_a_comma_added_is_refused(text: str) -> None:
    def show(**table: Any) -> Any:
        """Show a table."""
        return table

    result = Executor([show], repairs={*REPAIRS, "missing-commas"}).run({"name": "show", "arguments": text})
    assert result.error is not None
    assert result.error.code == "malformed_call"

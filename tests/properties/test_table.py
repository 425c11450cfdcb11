"""Every row of docs/reference/types.md is tested, and every family of types has a row.

A row without examples in `rows/`, or an example without a row, fails here; so does a family of the table that no row speaks of.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry.types import Codec, Refusal, TypeReader, UnsupportedType, codec_of, schema_of
from fcregistry.types._table import (  # the table itself is tested: order, completeness, and what is kept
    _CODECS,
    FAMILIES,
    forget_codecs,
)

from .rows.all import EXAMPLES, IDS, ROWS
from .rows.refused import REFUSED
from .rows.row import Example
from .samples import validators_of

if TYPE_CHECKING:
    from fcregistry.types._table import Family  # the table itself is tested: order, completeness, and what is kept

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "types.md"
EXTENSIONS_AND_REFUSALS = {"_read_by_extension", "_refuse"}
"""Families of the table that are no types of ours: what extensions bring, and what is refused."""


def rows_of_the_page(heading: str) -> list[str]:
    """Return the first cell of each row, of each table whose first column is headed so."""
    rows: list[str] = []
    of_types = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if not cells:
            of_types = False
        elif cells[0] == heading:
            of_types = True
        elif of_types and set(cells[0]) != {"-"}:
            rows.append(cells[0])
    return rows


def test_every_row_of_the_page_has_examples_and_every_example_a_row() -> None:
    rows = rows_of_the_page("annotation")
    assert len(rows) == len(set(rows))
    assert sorted(rows) == sorted(ROWS)


def test_every_row_of_what_is_refused_has_examples_and_every_example_a_row() -> None:
    assert sorted(rows_of_the_page("refused")) == sorted(REFUSED)


@pytest.mark.parametrize(("annotation", "message"), [each for examples in REFUSED.values() for each in examples])
def test_what_the_page_says_is_refused_is_refused_with_what_to_write_instead(annotation: Any, message: str) -> None:
    with pytest.raises(UnsupportedType) as caught:
        codec_of(annotation)
    assert message in str(caught.value)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_shows_what_is_accepted_and_what_is_refused(row: str) -> None:
    examples = ROWS[row]
    assert examples
    assert all(example.accepted for example in examples)
    takes_anything = all(example.schema == {} for example in examples)
    assert takes_anything or any(example.refused for example in examples)


def family_of(annotation: Any) -> str:
    """Return the family that reads an annotation: the name of its function."""
    read: list[str] = []

    def watched(family: Family) -> Family:
        def watching(annotation: Any, reader: TypeReader) -> Codec | None:
            codec = family(annotation, reader)
            if codec is not None:
                read.append(family.__name__)
            return codec

        return watching

    _CODECS.clear()  # of what is known, no family is asked
    try:
        TypeReader(families=map(watched, FAMILIES)).read(annotation)
    finally:
        forget_codecs()
    return read[-1]  # the others read its parts


def test_every_family_of_the_table_has_a_row() -> None:
    names = {family.__name__ for family in FAMILIES}
    assert len(names) == len(FAMILIES)
    assert {family_of(example.annotation) for example in EXAMPLES} == names - EXTENSIONS_AND_REFUSALS


# --- each example ------------------------------------------------------------------------------------------------

of_each_row = pytest.mark.parametrize("example", EXAMPLES, ids=IDS)


def takes(example: Example, value: Any) -> set[bool]:
    """Return what the codec and both validators say of a value."""
    validators = validators_of(example.annotation)
    return {codec_of(example.annotation).accepts(value), *(each.is_valid({"value": value}) for each in validators)}


@of_each_row
def test_the_schema_is_the_one_shown(example: Example) -> None:
    assert schema_of(example.annotation) == example.schema


@of_each_row
def test_what_is_accepted_is_decoded_to_the_value_shown(example: Example) -> None:
    codec = codec_of(example.annotation)
    for encoded, value in example.accepted:
        assert takes(example, encoded) == {True}, encoded
        decoded = codec.decode(json.loads(json.dumps(encoded)))
        assert decoded == value
        assert type(decoded) is type(value)


@of_each_row
def test_a_value_is_encoded_as_it_is_accepted(example: Example) -> None:
    codec: Codec = codec_of(example.annotation)
    for encoded, value in example.accepted:
        if example.comes_back:
            assert codec.handles(value)
            assert json.dumps(codec.encode(value)) == json.dumps(encoded)
        else:
            assert codec.encode(value) != encoded
            assert codec.unsaid


@of_each_row
def test_what_is_refused_is_refused_by_codec_and_validators(example: Example) -> None:
    for value in example.refused:
        assert takes(example, value) == {False}, value


@of_each_row
def test_what_no_schema_can_say_is_refused_after_decoding(example: Example) -> None:
    codec = codec_of(example.annotation)
    for value in example.unfit:
        assert takes(example, value) == {True}, value
        with pytest.raises(Refusal):
            codec.decode(value)

"""Both engines give the same verdict on any external schema, as plain jsonschema does."""

from __future__ import annotations

from typing import Any

import jsonschema
from hypothesis import given, note, settings
from hypothesis import strategies as st

from .both_engines import ENGINES, notes_of, of_argument, problems_by_both, tool_of
from .external_schemas import SCHEMAS, VALUES

UNREAD = ("(?=a)", r"(a)\\1")
"""Those of the patterns that are not enforced, as `repr` writes them."""


@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=5))
@settings(max_examples=400)
def test_both_engines_give_the_same_verdict_and_word_the_same_problems(
    schema: dict[str, Any], values: list[Any]
) -> None:
    for value in values:
        note(f"{schema} / {value!r}")
        assert all(": " in each for each in problems_by_both(of_argument(schema), {"value_": value}))


@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=5))
@settings(max_examples=200)
def test_the_record_says_what_plain_jsonschema_says_of_what_it_reads_alike(
    schema: dict[str, Any], values: list[Any]
) -> None:
    ours = {
        "multipleOf",
        "unevaluatedProperties",
        "dependencies",
        "format",
    }  # exact; mended; kept in all drafts; asserted
    if any(each in str(schema) for each in (*UNREAD, *(f"'{keyword}'" for keyword in ours))):
        return
    plain = jsonschema.validators.validator_for(schema)(schema)
    validator = tool_of(of_argument(schema)).validator("jsonschema")
    for value in values:
        if "\\n" not in repr(value):  # where Python's `$` matches before the end
            note(f"{schema} / {value!r}")
            said = validator.is_valid({"value_": value})
            try:
                assert said == plain.is_valid(value)
            except TypeError:  # its own: `items` of 2019-09 is true or false, beside `additionalItems`
                assert "'additionalItems'" in str(schema)


@given(SCHEMAS)
@settings(max_examples=200)
def test_any_external_schema_is_read(schema: dict[str, Any]) -> None:
    note(str(schema))
    schema = of_argument(schema)
    assert all(": " in each for each in notes_of(schema))
    for engine in ENGINES:
        assert tool_of(schema).validator(engine).is_valid({})

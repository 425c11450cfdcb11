"""Do both engines say the same of whatever others write, as do the engines' own authors?"""

from __future__ import annotations

from typing import Any

import jsonschema
from hypothesis import given, note, settings
from hypothesis import strategies as st

from fcregistry._schema.drafts import declared_draft
from fcregistry._schema.engine_rs import doubtful_patterns
from fcregistry._schema.foreign import schema_notes
from fcregistry._schema.validator import Validator

from .foreign import SCHEMAS, VALUES
from .told import ENGINES, told


@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=5))
@settings(max_examples=400)
def test_both_engines_give_the_same_verdict_and_word_the_same_problems(
    schema: dict[str, Any], values: list[Any]
) -> None:
    for value in values:
        note(f"{schema} / {value!r}")
        told(schema, value)


@given(SCHEMAS, st.lists(VALUES, min_size=1, max_size=5))
@settings(max_examples=200)
def test_the_record_says_what_plain_jsonschema_says_of_what_it_reads_alike(
    schema: dict[str, Any], values: list[Any]
) -> None:
    draft = declared_draft(schema)
    assert draft is not None
    ours = {
        "multipleOf",
        "unevaluatedProperties",
        "dependencies",
        "format",
    }  # exact; mended; kept in all drafts; asserted
    if doubtful_patterns(schema) or any(f"'{keyword}'" in str(schema) for keyword in ours):
        return
    plain = getattr(jsonschema, draft.engine)(schema)
    for value in values:
        if "\\n" not in repr(value):  # where Python's `$` matches before the end
            note(f"{schema} / {value!r}")
            said = Validator(schema, engine="jsonschema").is_valid(value)
            try:
                assert said == plain.is_valid(value)
            except TypeError:  # its own: `items` of 2019-09 is true or false, beside `additionalItems`
                assert "'additionalItems'" in str(schema)


@given(SCHEMAS)
@settings(max_examples=200)
def test_whatever_others_write_is_read(schema: dict[str, Any]) -> None:
    note(str(schema))
    assert all(": " in each for each in schema_notes(schema))
    for engine in ENGINES:
        Validator(schema, engine=engine).compile()

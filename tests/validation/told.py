"""What do both engines say of a value? The same, or the test fails."""

from __future__ import annotations

from typing import Any

from fcregistry._schema.drafts import DRAFTS
from fcregistry._schema.validator import Engine, Validator
from fcregistry.types._strings import STRING_FORMATS

ENGINES: tuple[Engine, ...] = ("jsonschema-rs", "jsonschema")
URIS = {draft.name: draft.uri for draft in DRAFTS}


def told(schema: dict[str, Any], value: Any) -> list[str]:
    """Return the problems of a value; both engines say them, and their verdicts agree."""
    by_gate, by_record = (Validator(schema, STRING_FORMATS, engine) for engine in ENGINES)
    assert by_gate.is_valid(value) == by_record.is_valid(value)
    problems = by_gate.problems(value)
    assert by_record.problems(value) == problems
    assert by_gate.is_valid(value) == (not problems)
    return [str(problem) for problem in problems]


def of(draft: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that says which draft it is of."""
    return {"$schema": URIS[draft], **schema}

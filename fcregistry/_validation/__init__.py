"""Validates JSON values against JSON Schemas.

`jsonschema-rs` says whether a value is valid; where it cannot (half a surrogate pair in a string), may not (`_trust.py` says why), or is not
installed, `jsonschema` does, some fifty times slower. What is wrong with an invalid value is found by a walk of our own, `_violations.py`.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry._validation._errors import SchemaError
    from fcregistry._validation._foreign import ForeignSchema, schema_notes, schema_problem
    from fcregistry._validation._validator import Engine, Validator
    from fcregistry._validation._violations import MOST_STEPS, TooManyStepsError

__all__ = [
    "MOST_STEPS",
    "Engine",
    "ForeignSchema",
    "SchemaError",
    "TooManyStepsError",
    "Validator",
    "schema_notes",
    "schema_problem",
]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "MOST_STEPS": "._violations",
    "Engine": "._validator",
    "ForeignSchema": "._foreign",
    "SchemaError": "._errors",
    "TooManyStepsError": "._violations",
    "Validator": "._validator",
    "schema_notes": "._foreign",
    "schema_problem": "._foreign",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

"""Is a JSON value valid against a schema?

`jsonschema` is the record; `jsonschema-rs` is the gate in front of it, some fifty times faster. Where the gate cannot say (half a surrogate
pair in a string), may not (`_trust.py` says why), or is not installed, `jsonschema` decides.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry._validation._errors import SchemaError
    from fcregistry._validation._foreign import ForeignSchema, schema_notes, schema_problem
    from fcregistry._validation._validator import Engine, Validator

__all__ = ["Engine", "ForeignSchema", "SchemaError", "Validator", "schema_notes", "schema_problem"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "Engine": "._validator",
    "ForeignSchema": "._foreign",
    "SchemaError": "._errors",
    "Validator": "._validator",
    "schema_notes": "._foreign",
    "schema_problem": "._foreign",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

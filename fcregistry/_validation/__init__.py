"""Is a JSON value valid against a schema?

`jsonschema` is the record; `jsonschema-rs` is the gate in front of it, some fifty times faster. Where the gate cannot say (half a surrogate
pair in a string), or is not installed, `jsonschema` decides.
"""

from fcregistry._validation._errors import SchemaError
from fcregistry._validation._validator import Engine, Validator, schema_problem

__all__ = ["Engine", "SchemaError", "Validator", "schema_problem"]

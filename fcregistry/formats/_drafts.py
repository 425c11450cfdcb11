"""How is a schema of an older draft said in JSON Schema 2020-12? Keyword by keyword, one schema at a time.

Source: JSON Schema, "Migrating from older drafts".
"""

from __future__ import annotations

from typing import Any, Final

_OF_DOCUMENTS: Final = frozenset(
    {"$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions"}
)
"""Keywords that say nothing of values: they identify a schema, or hold what others refer to."""


def modern(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a schema with the keywords of 2020-12, and without those that only identify it."""
    written = {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in _OF_DOCUMENTS or (keyword == "id" and not isinstance(value, str))
    }
    _tuple(written)
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        was_flag = isinstance(written.get(exclusive), bool)  # draft 4
        if was_flag and written.pop(exclusive) and bound in written:
            written[exclusive] = written.pop(bound)
    kind = written.get("type")
    if isinstance(kind, list) and len(kind) == 1:
        written["type"] = kind[0]
    return written


def _tuple(schema: dict[str, Any]) -> None:
    if isinstance(schema.get("items"), list):
        schema["prefixItems"] = schema.pop("items")
        if "additionalItems" in schema:
            schema["items"] = schema["additionalItems"]
    schema.pop("additionalItems", None)

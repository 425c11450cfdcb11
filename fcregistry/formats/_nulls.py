"""Does a schema accept `null`, and how is it said that one does?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fcregistry._schema.document import Place, References

_SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
_INFORMING: Final = ("title", "description", "deprecated")


def accepts_null(schema: Any, references: References, seen: frozenset[Place] = frozenset()) -> bool:
    """Tell whether a schema accepts `null`; a reference that leads nowhere might.

    Args:
        schema: A schema, rewritten or not.
        references: Those of the whole it belongs to.
        seen: The places of references that have been followed.
    """
    if not isinstance(schema, dict):
        return schema is not False
    kind = schema.get("type", "null")
    if kind != "null" and "null" not in (kind if isinstance(kind, list) else ()):
        return False
    if ("enum" in schema and None not in schema["enum"]) or schema.get("const") is not None:
        return False
    if "$ref" in schema:
        place = references.place(schema["$ref"])
        if (
            place is not None
            and place not in seen
            and not accepts_null(references.at(place), references, seen | {place})
        ):
            return False
    for keyword, enough in (("anyOf", any), ("oneOf", any), ("allOf", all)):
        if keyword in schema and not enough(accepts_null(each, references, seen) for each in schema[keyword]):
            return False
    return True


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that accepts `null` beside what a schema accepts that does not."""
    if "anyOf" in schema and "type" not in schema:
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    kind = schema.get("type")
    if (isinstance(kind, str) and kind in _SCALARS) or (isinstance(kind, list) and set(kind) <= _SCALARS):
        written = {**schema, "type": [kind, "null"] if isinstance(kind, str) else [*kind, "null"]}
        if "enum" in written:
            written["enum"] = [*written["enum"], None]
        return written
    informing: dict[str, Any] = {keyword: schema[keyword] for keyword in _INFORMING if keyword in schema}
    plain = {keyword: value for keyword, value in schema.items() if keyword not in informing}
    return {"anyOf": [plain, {"type": "null"}], **informing}

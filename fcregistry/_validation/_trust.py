"""What may the gate be asked of a schema: whether a value is valid, and why it is not?

Both engines say the same of all that our own schemas are made of, and property tests keep it so. Elsewhere they part:

- The gate compares numbers from 2**63 on by their text, Python by what they are: 1e23 is not 10**23. jsonschema decides. (That `uniqueItems`
  may meet both in one array is left: only the value tells, and the gate is asked first.)
- For the gate `contentEncoding` and `contentMediaType` are assertions in drafts 6 and 7; for jsonschema, and in all later drafts, they only
  describe. jsonschema decides.
- A schema inside a schema may name a draft of its own, and the gate looks at that only beside an `$id`. jsonschema decides.
- An empty `$ref` leads to the top of the schema; for the gate it is none. jsonschema decides.
- What is wrong, one engine may find elsewhere, or more often, than the other. So the gate says why for our own vocabulary only; of any other
  schema it tells whether a value is valid, and jsonschema why it is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry._validation._dialects import ENFORCED

if TYPE_CHECKING:
    from fcregistry._validation._dialects import Draft


def trusts_verdict(schema: dict[str, Any], draft: Draft) -> bool:
    """Tell whether the gate may say if a value is valid."""
    assertions = _CONTENT if draft.ref_stands_alone else frozenset()
    if assertions & schema.keys():
        return False
    waiting: list[Any] = list(schema.values())
    for value in waiting:  # which grows on the way
        kind = type(value)
        if kind is dict:
            if isinstance(value.get("$schema"), str) or value.get("$ref") == "" or assertions & value.keys():
                return False
            waiting += value.values()
        elif kind is list:
            waiting += value
        elif (kind is int or kind is float) and not -_COMPARED_ALIKE < value < _COMPARED_ALIKE:
            return False
    return True


def trusts_reasons(schema: dict[str, Any]) -> bool:
    """Tell whether the gate, which took the schema, may say why a value is not valid."""
    return "$schema" not in schema and _is_own(schema)


_CONTENT: Final = frozenset({"contentEncoding", "contentMediaType"})
_COMPARED_ALIKE: Final = 2**63


def _is_own(schema: Any) -> bool:
    """Tell whether a schema is of the vocabulary of those that we write."""
    return isinstance(schema, dict) and all(_is_own_keyword(keyword, value) for keyword, value in schema.items())


def _is_own_keyword(keyword: str, value: Any) -> bool:
    if keyword == "properties":
        return all(map(_is_own, value.values()))
    if keyword == "$defs":
        return all(map(_has_place, value)) and all(map(_is_own, value.values()))
    if keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        return all(map(_is_own, value))
    if keyword in ("additionalProperties", "items"):
        return isinstance(value, bool) or _is_own(value)
    if keyword == "propertyNames":
        return _is_own(value)
    if keyword in ("const", "enum"):
        return not any(isinstance(each, (dict, list)) for each in (value if keyword == "enum" else [value]))
    if keyword == "$ref":
        return value.startswith("#/$defs/")  # type: ignore[no-any-return]
    return keyword not in _FOREIGN


def _has_place(name: str) -> bool:
    """Tell whether the gate can say where a schema of a name stands: it leaves out `""`, and writes `"01"` as the position 1."""
    return name != "" and not name.lstrip("+").isdecimal()


_FOREIGN: Final = (ENFORCED | {"$id", "$anchor", "$dynamicAnchor", "definitions"}) - {
    "exclusiveMaximum", "exclusiveMinimum", "format", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
    "minLength", "minProperties", "minimum", "multipleOf", "pattern", "required", "type", "uniqueItems",
}  # fmt: skip

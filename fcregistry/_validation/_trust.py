"""The schemas for which the gate may not say whether a value is valid.

Both validators say the same of all that our own schemas are made of, and property tests keep it so. Elsewhere they part:

- The gate compares numbers from 2**63 on by their text, Python by what they are: 1e23 is not 10**23. jsonschema decides. (That `uniqueItems`
  may meet both in one array is left: only the value tells, and the gate is asked first.)
- For the gate `contentEncoding` and `contentMediaType` are assertions in drafts 6 and 7; for jsonschema, and in all later drafts, they only
  describe. jsonschema decides.
- A schema inside a schema may name a draft of its own, and the gate looks at that only beside an `$id`. jsonschema decides.
- An empty `$ref` leads to the top of the schema; for the gate it is none. jsonschema decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

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


_CONTENT: Final = frozenset({"contentEncoding", "contentMediaType"})
_COMPARED_ALIKE: Final = 2**63

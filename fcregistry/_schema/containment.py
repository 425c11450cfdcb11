"""Does one schema take everything that another takes?

`jsonschema-rs` proves it on its canonical form. Where that form cannot say, or the gate may not be asked (`_trust.py` says why), the answer is
None: nobody knows. What a finite schema (an `enum`, a `const`) takes is asked value by value instead, and so exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from fcregistry._schema.drafts import Draft, SchemaError
from fcregistry._schema.engine_rs import _rs
from fcregistry._schema.validator import Validator, trusts_verdict

Formats = Mapping[str, Callable[[str], bool]]

_OF_NAMES: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
_OF_VALUES: Final = frozenset({"const", "default", "enum", "examples"})


def takes_all_of(wider: Any, narrower: Any, draft: Draft, formats: Formats) -> bool | None:
    """Tell whether one schema takes every value that another takes.

    Args:
        wider: The one that is to take them: an object or a boolean, a document of its own.
        narrower: The other.
        draft: The draft that both are written in.
        formats: Format -> whether a string is of it: those that mean something else than the standard's, or that it has not.

    Returns:
        True if that is proven, False if there is a value that only the other takes, None if it cannot be told.
    """
    if wider is True or wider == {} or narrower is False:
        return True
    told = _value_by_value(wider, narrower, draft, formats)
    return _canonically(wider, narrower, draft, formats) if told is None else told


def _value_by_value(wider: Any, narrower: Any, draft: Draft, formats: Formats) -> bool | None:
    if not isinstance(narrower, dict) or not ("const" in narrower or "enum" in narrower):
        return None
    values = [narrower["const"]] if "const" in narrower else narrower["enum"]
    try:
        taken, also = (Validator(_document(each), formats) for each in (narrower, wider))
        return all(also.is_valid(value) for value in values if taken.is_valid(value))
    except (SchemaError, TypeError, ValueError, RecursionError):  # strangers' schemas: not one, or one without an end
        return None


def _canonically(wider: Any, narrower: Any, draft: Draft, formats: Formats) -> bool | None:
    rs = _rs()
    documents = [_document(each) for each in (wider, narrower)]
    if rs is None or not all(trusts_verdict(each, draft) for each in documents):
        return None
    options = {
        "draft": getattr(rs, draft.engine.removesuffix("Validator")),
        "pattern_options": rs.RegexOptions(),
        "validate_formats": True,
        "offline": True,
    }
    try:
        forms = [rs.canonicalize(_opaque(each, formats), **options) for each in documents]
        answer = str(forms[0].covers(forms[1]))
    except (rs.ReferencingError, ValueError, RecursionError):
        return None
    return {"yes": True, "no": False}.get(answer)


def _document(schema: Any) -> dict[str, Any]:
    """Return a schema as an object, without the `$schema` that has been read."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    return {keyword: value for keyword, value in schema.items() if keyword != "$schema"}


def _opaque(schema: Any, formats: Formats) -> Any:
    """Return a schema whose formats of ours have names that the canonical form knows nothing of: the standard's mean something else."""
    if isinstance(schema, list):
        return [_opaque(each, formats) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {keyword: _opaque_part(keyword, value, formats) for keyword, value in schema.items()}


def _opaque_part(keyword: str, value: Any, formats: Formats) -> Any:
    if keyword == "format" and isinstance(value, str):
        return f"fcregistry-{value}" if value in formats else value
    if keyword in _OF_VALUES:
        return value
    if keyword in _OF_NAMES and isinstance(value, dict):
        return {name: _opaque(each, formats) for name, each in value.items()}
    return _opaque(value, formats)

"""Whether one schema accepts everything that another accepts.

`jsonschema-rs` decides it on its canonical form. The answer is None where that form cannot decide, or where its verdicts may differ from jsonschema's
(see `rust_engine_agrees`). A finite schema (an `enum`, a `const`) is compared value by value instead, which is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from fcregistry._schema.drafts import Draft, SchemaError
from fcregistry._schema.engine_rs import load_engine
from fcregistry._schema.validator import Validator, rust_engine_agrees

Formats = Mapping[str, Callable[[str], bool]]


def accepts_all_of(wider: Any, narrower: Any, draft: Draft, formats: Formats) -> bool | None:
    """Return whether one schema accepts every value that another accepts.

    Args:
        wider: The schema that may accept more: an object or a boolean, a document of its own.
        narrower: The schema that may accept less.
        draft: The draft that both are written in.
        formats: Format -> its check, for the formats that the standard lacks or defines otherwise.

    Returns:
        True if that is proven, False if only the narrower schema accepts some value, None if neither can be decided.
    """
    if wider is True or wider == {} or narrower is False:
        return True
    answer = _compare_values(wider, narrower, draft, formats)
    return _compare_canonical_forms(wider, narrower, draft, formats) if answer is None else answer


def _compare_values(wider: Any, narrower: Any, draft: Draft, formats: Formats) -> bool | None:
    if not isinstance(narrower, dict) or not ("const" in narrower or "enum" in narrower):
        return None
    values = [narrower["const"]] if "const" in narrower else narrower["enum"]
    try:
        taken, also = (Validator(_as_document(each), formats) for each in (narrower, wider))
        return all(also.is_valid(value) for value in values if taken.is_valid(value))
    except (SchemaError, TypeError, ValueError, RecursionError):  # external schemas: malformed, or endless
        return None


def _compare_canonical_forms(wider: Any, narrower: Any, draft: Draft, formats: Formats) -> bool | None:
    rs = load_engine()
    documents = [_as_document(each) for each in (wider, narrower)]
    if rs is None or not all(rust_engine_agrees(each, draft) for each in documents):
        return None
    options = {
        "draft": getattr(rs, draft.engine.removesuffix("Validator")),
        "pattern_options": rs.RegexOptions(),
        "validate_formats": True,
        "offline": True,
    }
    try:
        forms = [rs.canonicalize(_rename_formats(each, formats), **options) for each in documents]
        answer = str(forms[0].covers(forms[1]))
    except (rs.ReferencingError, ValueError, RecursionError):
        return None
    return {"yes": True, "no": False}.get(answer)


def _as_document(schema: Any) -> dict[str, Any]:
    """Return a schema as an object, without its `$schema`: the draft is known."""
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    return {keyword: value for keyword, value in schema.items() if keyword != "$schema"}


def _rename_formats(schema: Any, formats: Formats) -> Any:
    """Return a schema with other names for the given formats, so that the canonical form does not take them for the standard's."""
    if isinstance(schema, list):
        return [_rename_formats(each, formats) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {keyword: _rename_formats_in(keyword, value, formats) for keyword, value in schema.items()}


def _rename_formats_in(keyword: str, value: Any, formats: Formats) -> Any:
    if keyword == "format" and isinstance(value, str):
        return f"fcregistry-{value}" if value in formats else value
    if keyword in _WITH_VALUES:
        return value
    if keyword in _SCHEMAS_BY_NAME and isinstance(value, dict):
        return {name: _rename_formats(each, formats) for name, each in value.items()}
    return _rename_formats(value, formats)


_SCHEMAS_BY_NAME: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)
_WITH_VALUES: Final = frozenset({"const", "default", "enum", "examples"})

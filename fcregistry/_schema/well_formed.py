"""Can a JSON Schema that a stranger tells of be walked? Each of its keywords has to hold what JSON Schema says that it holds.

Only the kinds are looked at, and in every draft's way: a schema is read so often that the whole of its rules would cost too much.

Source: JSON Schema 2020-12 and before, the meta-schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from fcregistry._base.messages import json_path

_Path: TypeAlias = "tuple[_Path, str | int] | None"
"""The last step, behind those before it: a tuple of all would be copied at each."""


def check_schemas(parameters: dict[str, Any], returns: dict[str, Any] | None, *, is_defined: bool) -> None:
    """Refuse what no tool's schemas hold, and whoever shows or compares them would stumble over.

    Args:
        parameters: That of its arguments.
        returns: That of its result, if it has one.
        is_defined: Whether it can be defined: one that cannot has no parameters.

    Raises:
        ValueError: In words that follow "what it says of the tool".
    """
    for field, schema in (("parameters", parameters), ("returns", returns or {})):
        if (place := malformed(schema)) is not None:
            raise ValueError(f"cannot be used: {field} is no JSON Schema: {place} holds what it cannot")
    if is_defined and not (parameters.get("type") == "object" and "properties" in parameters):
        raise ValueError("cannot be used: parameters is no schema of an object with properties")


def malformed(schema: object) -> str | None:
    """Return where a schema holds what it cannot, as a JSON path; None if it does so nowhere.

    Args:
        schema: JSON, nested however deep.
    """
    waiting: list[tuple[object, _Path]] = [(schema, None)]
    while waiting:
        value, path = waiting.pop()
        if type(value) is dict:
            for keyword, held in value.items():
                if keyword in _KINDS and not _KINDS[keyword](held):
                    return _written((path, keyword))
                waiting.extend(_schemas_in(keyword, held, (path, keyword)))
        elif type(value) is not bool:
            return _written(path)
    return None


def _schemas_in(keyword: str, held: Any, path: _Path) -> Iterator[tuple[object, _Path]]:
    """Yield the schemas that a keyword holds, with their paths."""
    if keyword in _BY_NAME:
        for name, each in held.items():
            if type(each) is not list:  # of `dependencies`, names
                yield each, (path, name)
    elif keyword in _LISTED or (keyword == "items" and type(held) is list):  # as it was before 2020-12
        for place, each in enumerate(held):
            yield each, (path, place)
    elif keyword in _SINGLE:
        yield held, path


def _written(path: _Path) -> str:
    steps: list[str | int] = []
    while path is not None:
        path, step = path
        steps.append(step)
    return json_path(reversed(steps))


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_number(value: object) -> bool:
    return type(value) in (int, float)


def _is_limit(value: object) -> bool:
    return _is_number(value) or type(value) is bool  # the exclusive ones of draft 4


def _is_list(value: object) -> bool:
    return type(value) is list


def _is_object(value: object) -> bool:
    return type(value) is dict


def _are_names(value: object) -> bool:
    return type(value) is list and all(map(_is_text, value))


def _is_type(value: object) -> bool:
    return _is_text(value) or _are_names(value)


_BY_NAME: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"}
)
_LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLE: Final = frozenset(
    {
        *("items", "additionalItems", "unevaluatedItems", "contains"),
        *("additionalProperties", "unevaluatedProperties", "propertyNames"),
        *("not", "if", "then", "else"),
    }
)
_KINDS: Final[dict[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("title", "description", "format", "pattern", "$ref", "$dynamicRef", "$schema"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _is_number),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), _is_limit),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_number),
    **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), _is_number),
    **dict.fromkeys((*_LISTED, "enum"), _is_list),
    **dict.fromkeys((*_BY_NAME, "dependentRequired"), _is_object),
    "required": _are_names,
    "type": _is_type,
}

"""Which keywords of a schema does a text leave out, and how are they told in words?"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from fcregistry._base.messages import json_path
from fcregistry._schema.document import Place, subschemas
from fcregistry._schema.shorthand import show_type
from fcregistry.formats._definition import Dropped

_LONGEST = 100
_NOT_TOLD: Final = frozenset(
    {
        *("additionalProperties", "unevaluatedProperties", "oneOf", "false", "$ref", "required", "discriminator"),
        *("title", "examples", "deprecated", "readOnly", "writeOnly", "contentSchema", "example"),
    }
)
_OF_DOCUMENTS: Final = frozenset({"$schema", "$id", "$anchor", "$comment", "$defs", "definitions"})


def unsaid(schema: dict[str, Any], said: Collection[str]) -> tuple[Dropped, ...]:
    """Return the keywords of a schema and of all inside it that are not among those that a text shows."""
    return tuple(
        Dropped(path=json_path(place), keyword=keyword, value=value, reason="the text does not show it")
        for place, each in _all(schema)
        for keyword, value in lost_keywords(each, said).items()
    )


def lost_keywords(schema: Mapping[str, Any], said: Collection[str]) -> dict[str, Any]:
    """Return the keywords of one schema that are not among those that are said, and do not follow from those."""
    return {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in said and keyword not in _OF_DOCUMENTS and not _follows(keyword, schema)
    }


def _all(schema: dict[str, Any]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield a schema and all inside it, outermost first, in the order they are written."""
    defs = {("$defs", name): each for name, each in schema.get("$defs", {}).items()}
    waiting: list[tuple[Place, Any]] = [*reversed(defs.items()), ((), schema)]
    while waiting:
        place, each = waiting.pop()
        if isinstance(each, dict):
            yield place, each
            waiting += [((*place, *inner), held) for inner, held in reversed(list(subschemas(each)))]


def _follows(keyword: str, schema: Mapping[str, Any]) -> bool:
    """Tell whether a keyword says what others say already: how many items a tuple has."""
    if keyword not in ("minItems", "maxItems") or schema.get("items") is not False:
        return False
    return bool(schema[keyword] == len(schema.get("prefixItems", ())))


def in_words(left_out: Mapping[str, Any]) -> str:
    """Return what keywords say, for a description: `minimum: 1, pattern: "[a-z]"`; nothing for those that inform people."""
    said = []
    for keyword, value in left_out.items():
        if keyword == "prefixItems":
            said.append(f"items in this order: {', '.join(map(show_type, value))}")
        elif keyword not in _NOT_TOLD:
            text = json.dumps(value, ensure_ascii=False)
            said += [f"{keyword}: {text}"] if len(text) <= _LONGEST else []
    return ", ".join(said)


def told_besides(description: object, left_out: Mapping[str, Any]) -> str:
    """Return a description with what keywords say after it."""
    text, words = str(description or ""), in_words(left_out)
    return f"{text} ({words})".strip() if words else text

"""What lies inside a JSON Schema, and what does one say?

Schemas may be anybody's, so nothing here recurses: a deep one is walked like a wide one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from fcregistry._schema.document import Place, References, subschemas

Path: TypeAlias = Place
"""Where in a schema; a place is one in the source here."""

_DEEPER: Final = frozenset(
    {"properties", "patternProperties", "items", "prefixItems", "additionalItems", "additionalProperties"}
)
"""Keywords below which other values are described: those inside the one at hand."""

_SAYS_NOTHING: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$id", "$schema"}
)
"""Keywords that no value breaks."""


class Inside(NamedTuple):
    """A schema that lies inside another: its path from there, and the keyword that holds it, `""` for the outermost."""

    path: Path
    keyword: str
    schema: Any


def walk(schema: Any) -> Iterator[Inside]:
    """Yield a schema and all that lie inside it, definitions included; a parent before its children, in their order."""
    stack = [Inside((), "", schema)]
    while stack:
        each = stack.pop()
        yield each
        below = [Inside((*each.path, *step), str(step[0]), inner) for step, inner in _children(each.schema)]
        stack.extend(reversed(below))


def _children(schema: Any) -> Iterator[tuple[Path, Any]]:
    if not isinstance(schema, dict):
        return
    yield from subschemas(schema)
    for keyword in ("$defs", "definitions"):
        held = schema.get(keyword)
        if isinstance(held, dict):
            yield from (((keyword, name), inner) for name, inner in held.items())


def takes_anything(schema: Any) -> bool:
    """Tell whether a schema accepts every value, as far as one sees at a glance."""
    return schema is True or (isinstance(schema, dict) and schema.keys() <= _SAYS_NOTHING)


def description(schema: Any) -> str:
    """Return what a schema says in words; nothing if it has none."""
    text = schema.get("description") if isinstance(schema, dict) else None
    return text.strip() if isinstance(text, str) else ""


def path_deeper_than(schema: dict[str, Any], limit: int) -> Path | None:
    """Return the path of a value that lies more than so many levels deep, or None: what recurs is counted once.

    The schema itself is level 0, its properties and items are level 1; `anyOf` and `$ref` add none.
    """
    references = References(schema)
    stack: list[tuple[Path, Any, int, frozenset[Path]]] = [((), schema, 0, frozenset())]
    deepest: dict[Path, int] = {}
    while stack:
        path, each, level, above = stack.pop()
        if level > limit:
            return path
        if not isinstance(each, dict):
            continue
        target = references.place(each.get("$ref"))
        if target is not None and target not in above and deepest.get(target, -1) < level:
            deepest[target] = level
            stack.append((path, references.at(target), level, above | {target}))
        stack.extend(
            ((*path, *step), inner, level + (step[0] in _DEEPER), above)
            for step, inner in reversed(list(subschemas(each)))
        )
    return None


def compact(value: Any) -> str:
    """Return JSON text without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

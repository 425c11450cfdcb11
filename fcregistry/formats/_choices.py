"""How are the types, choices and alternatives of a schema said to a provider that knows fewer ways to say them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from fcregistry.formats._node import distinct

if TYPE_CHECKING:
    from fcregistry.formats._node import Node
    from fcregistry.formats._rewriter import Rewriter

_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def infer_type(rewriter: Rewriter, node: Node) -> bool:
    """Give a choice, an object or an array that does not name its type the one that is meant, where one is wanted."""
    schema = node.schema
    if not rewriter.profile.closed or {"type", "anyOf", "oneOf"} & set(schema):
        return True
    values = [schema["const"]] if "const" in schema else schema.get("enum", ())
    kinds = list(dict.fromkeys(_type_of(value) for value in values))
    if not kinds and "properties" in schema:
        kinds = ["object"]
    elif not kinds and ("items" in schema or "prefixItems" in schema):
        kinds = ["array"]
    if kinds:
        schema["type"] = kinds[0] if len(kinds) == 1 else kinds
    return True


def write_choices(rewriter: Rewriter, node: Node) -> bool:
    """Say a constant as a choice of one, and choices that the provider has none of by their types."""
    schema, profile = node.schema, rewriter.profile
    if "const" in schema and "const" not in rewriter.keywords:
        _rename(schema, "const", "enum", [schema["const"]])
    kinds = {kind_of(value) for value in schema.get("enum", ())}
    if kinds & {"array", "object"}:
        if profile.closed:
            rewriter.problem(
                node.path, f"{profile.taker} has no choices of objects and arrays; give their type instead"
            )
        rewriter.drop(node, "enum", f"{profile.taker} has no choices of objects and arrays")
    elif not kinds <= profile.choices:
        _write_types(rewriter, node)
    return True


def _write_types(rewriter: Rewriter, node: Node) -> None:
    """Say those choices by their types that can be said in no other way: `null`, and both of `true` and `false`."""
    schema, allowed = node.schema, rewriter.profile.choices
    values = schema["enum"]
    others = [value for value in values if kind_of(value) not in allowed]
    if {value for value in others if isinstance(value, bool)} in ({True}, {False}) or "anyOf" in schema:
        node.lost["enum"] = values
        rewriter.record(node.path, "enum", values, f"{rewriter.profile.taker} has only choices of strings and numbers")
    alternatives: list[dict[str, Any]] = [{"type": kind} for kind in dict.fromkeys(map(_type_of, others))]
    if choices := [value for value in values if kind_of(value) in allowed]:
        kinds = list(dict.fromkeys(map(_type_of, choices)))
        alternatives.insert(0, {"type": kinds[0] if len(kinds) == 1 else kinds, "enum": choices})
    del schema["enum"]
    if "anyOf" not in schema:
        schema.pop("type", None)
        schema |= alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def write_branches(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the alternatives of a union; False where none of them has a value."""
    schema = node.schema
    if "oneOf" in schema and "oneOf" not in rewriter.keywords and "anyOf" not in schema:
        rewriter.record(
            node.path, "oneOf", schema["oneOf"], f"{rewriter.profile.taker} has no such keyword: it is said as anyOf"
        )
        _rename(schema, "oneOf", "anyOf", schema["oneOf"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema and keyword in rewriter.keywords and not _write_union(rewriter, node, keyword):
            return False
    return True


def _write_union(rewriter: Rewriter, node: Node, keyword: str) -> bool:
    schema = node.schema
    written = [rewriter.write(each, (*node.path, keyword, place)) for place, each in enumerate(schema[keyword])]
    branches = distinct(each for each in written if each is not None)
    schema[keyword] = branches
    if len(branches) == 1 and "$ref" not in branches[0] and set(branches[0]) & set(schema) <= {"description", "title"}:
        del schema[keyword]
        node.schema = {**branches[0], **schema}
    return bool(branches)


def _type_of(value: object) -> str:
    return _TYPES.get(type(value), "null")


def kind_of(value: object) -> str:
    """Return the kind of a JSON value: its type, which is `number` for integers too."""
    return "number" if type(value) is int else _type_of(value)


def _rename(schema: dict[str, Any], old: str, new: str, value: Any) -> None:
    """Put another keyword into the place of one."""
    items = [(new, value) if keyword == old else (keyword, held) for keyword, held in schema.items()]
    schema.clear()
    schema.update(items)

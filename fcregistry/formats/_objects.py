"""How is an object said to a provider that wants every name listed, or every listed name given?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry.formats._nulls import accepts_null, nullable

if TYPE_CHECKING:
    from fcregistry.formats._node import Node
    from fcregistry.formats._rewriter import Rewriter


def write_object(rewriter: Rewriter, node: Node) -> bool:
    """Rewrite the properties of an object; False where it needs one that no value can stand for."""
    if not node.is_a("object") and "properties" not in node.schema:
        return True
    schema, profile = node.schema, rewriter.profile
    if profile.closed:
        _close(rewriter, node)
    properties: dict[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    written: dict[str, Any] = {}
    for name, inner in properties.items():
        each = rewriter.write(inner, (*node.path, "properties", name))
        if each is None:
            if name in required:
                return False
            continue
        wants_null = profile.complete and name not in required and not accepts_null(inner, rewriter.references)
        written[name] = nullable(each) if wants_null else each
    if "properties" in schema or profile.closed:
        schema["properties"] = written
    _require(rewriter, node, written)
    _write_others(rewriter, node)
    return True


def _close(rewriter: Rewriter, node: Node) -> None:
    """Forbid all names but those that are listed; a problem where others are asked for."""
    schema, taker = node.schema, rewriter.profile.taker
    others = schema.get("additionalProperties", True)
    free = (
        isinstance(others, dict) or ("additionalProperties" in schema and others is True) or "properties" not in schema
    )
    if others is not False and schema.get("unevaluatedProperties") is False:
        free = bool(schema.get("patternProperties"))
        del schema["unevaluatedProperties"]
    elif schema.get("patternProperties") or (others is not False and free):
        rewriter.problem(
            node.path,
            f"any name may stand here, as with dict[str, …] or **kwargs, and {taker} wants each listed; "
            "list them in a dataclass or TypedDict, take a list of names with values, or do without strict",
        )
    elif others is not False:
        rewriter.record(node.path, "additionalProperties", True, f"{taker} takes only names that are listed")
    schema.pop("patternProperties", None)
    schema["additionalProperties"] = False


def _require(rewriter: Rewriter, node: Node, written: dict[str, Any]) -> None:
    schema = node.schema
    required = schema.get("required", ())
    if rewriter.profile.complete:
        schema["required"] = list(written)
    elif required:
        schema["required"] = [name for name in required if name in written]
    if unlisted := [name for name in required if name not in written]:
        if rewriter.profile.closed:
            rewriter.problem(
                node.path, f"{', '.join(map(repr, unlisted))} is required, and not among its properties; add it"
            )
        else:
            rewriter.record(
                node.path, "required", unlisted, f"{rewriter.profile.taker} takes only names that are listed"
            )


def _write_others(rewriter: Rewriter, node: Node) -> None:
    """Rewrite the schema of names that are not listed, where the provider knows such."""
    others = node.schema.get("additionalProperties")
    if isinstance(others, dict) and "additionalProperties" in rewriter.keywords:
        written = rewriter.write(others, (*node.path, "additionalProperties"))
        node.schema["additionalProperties"] = False if written is None else written

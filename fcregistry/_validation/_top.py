"""Which arguments does a foreign schema speak of? Those of its top, wherever references and `allOf` and their like say them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.messages import json_path
from fcregistry._validation._errors import SchemaError
from fcregistry._validation._graph import Node, graph_of
from fcregistry._validation._references import REFERENCES
from fcregistry._validation._texts import known_matcher

if TYPE_CHECKING:
    from fcregistry._validation._dialects import Draft

_ALWAYS: Final = (*REFERENCES, "allOf")
_SOMETIMES: Final = ("anyOf", "oneOf", "then", "else", "dependentSchemas", "dependencies")


class Arguments(NamedTuple):
    """The arguments that a schema speaks of.

    Attributes:
        names: Those that it names, in order.
        required: Those that every call must have.
        patterns: What other names may match.
        complete: Whether that is all: the standard's own schemas are not read.
    """

    names: tuple[str, ...]
    required: frozenset[str]
    patterns: tuple[str, ...]
    complete: bool

    def may_have(self, name: str) -> bool:
        """Tell whether a call may have an argument of a name, as far as the schema says."""
        matchers = [known_matcher(pattern) for pattern in self.patterns]
        return not self.complete or name in self.names or any(each is None or each(name) for each in matchers)


def spoken_of(schema: dict[str, Any], draft: Draft) -> Arguments:
    """Return the arguments that a schema speaks of, which has been read before."""
    if schema.keys() & {*_ALWAYS, *_SOMETIMES}:
        return arguments_of(graph_of(schema, draft)[0])
    return arguments_of(Node(schema=schema, draft=draft, path=()))


def arguments_of(top: Node) -> Arguments:
    """Return the arguments that a schema speaks of."""
    names: dict[str, None] = {}
    patterns: dict[str, None] = {}
    everywhere = _applied(top, (*_ALWAYS, *_SOMETIMES))
    for node in (each for each in everywhere if each.path is not None):
        properties = node.keywords.get("properties", {})
        names.update((name, None) for name, schema in properties.items() if schema is not False)
        patterns.update(dict.fromkeys(node.keywords.get("patternProperties", ())))
    required = {name for node in _applied(top, _ALWAYS) for name in node.keywords.get("required", ())}
    complete = all(node.path is not None for node in everywhere)
    return Arguments(tuple(names), frozenset(required), tuple(patterns), complete)


def _applied(top: Node, keywords: tuple[str, ...]) -> list[Node]:
    """Return a schema, and those that it applies to the same value by some keywords, each once."""
    found = {top: None}
    waiting = [top]
    while waiting:
        inner = [edge.node for edge in waiting.pop(0).edges if edge.keyword in keywords and edge.node not in found]
        found.update(dict.fromkeys(inner))
        waiting += inner
    return list(found)


def check_takes_objects(top: Node) -> None:
    """Look whether an object can be valid at all.

    Raises:
        SchemaError: None can.
    """
    refusing = _refusing(top, {})
    if refusing is not None:
        place = json_path(refusing.path or ())
        raise SchemaError(f"the parameters of a tool are an object, and the schema at {place} takes none")


def _refusing(node: Node, asked: dict[Node, Node | None]) -> Node | None:
    """Return the schema by which another takes no object, or None if it may take one."""
    if node not in asked:
        asked[node] = node if _refuses(node) else _refusing_inside(node, asked)
    return asked[node]


def _refuses(node: Node) -> bool:
    said = node.keywords
    kinds = said.get("type", "object")
    values = said.get("enum", [{}]) if "const" not in said or "const" not in node.draft.keywords else [said["const"]]
    return (
        node.schema is False
        or not ("object" in kinds if isinstance(kinds, list) else kinds == "object")
        or not any(isinstance(value, dict) for value in values)
    )


def _refusing_inside(node: Node, asked: dict[Node, Node | None]) -> Node | None:
    for edge in node.edges:
        if edge.keyword in _ALWAYS and (refusing := _refusing(edge.node, asked)):
            return refusing
    for keyword in ("anyOf", "oneOf"):
        branches = [_refusing(edge.node, asked) for edge in node.edges if edge.keyword == keyword]
        if branches and all(branches):
            return branches[0]
    return None

"""May a schema that others wrote be the schema of a tool's arguments?

MERGED: Which arguments does a foreign schema speak of? Those of its top, wherever references and `allOf` and their like say them.
MERGED: What of a foreign schema is accepted and not enforced?
MERGED: What do references to the whole of a schema mean, when its top is published as that of an object?

A top without a `type`, or with several, is published with `"type": "object"`: arguments are one. A reference to it from inside meant any value
that it takes, and still does: it leads to a copy of the top as it was given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.messages import json_path, show
from fcregistry._schema.drafts import DRAFTS, ENFORCED, NEWEST, Draft, SchemaError, declared_draft
from fcregistry._schema.engine_py import check_schema, is_schema
from fcregistry._schema.engine_rs import doubtful_patterns, is_installed, known_matcher, knows_format
from fcregistry._schema.graph import check_end, graph_of
from fcregistry._schema.references import REFERENCES, SchemaNode
from fcregistry.types._strings import STRING_FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# --- _validation._foreign ---

MOST_LEVELS: Final = 200
"""How deep its JSON may nest: far beyond any that is read by people, and within what both engines can walk."""


class ForeignSchema:
    """A JSON Schema of the arguments of a tool that its author, or a server, brought along.

    Attributes:
        schema: The schema as the tool publishes it: what was given, with `"type": "object"` (also in place of a list of types) and with
            `properties`. One that names no draft, and that only an older one takes, has the `$schema` of that draft. References to a top
            that takes more than objects lead to a copy of it in the definitions.
        arguments: The arguments that it speaks of.
    """

    __slots__ = ("_nodes", "arguments", "schema")

    def __init__(self, schema: dict[str, Any], nodes: list[SchemaNode]) -> None:
        self.schema = schema
        self.arguments: Arguments = arguments_of(nodes[0])
        self._nodes = nodes

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> ForeignSchema:
        """Read a schema.

        Raises:
            SchemaError: It is no JSON, no schema, or not one of an object; its references lead nowhere, or without end; or it has a pattern,
                and there is no engine for it.
        """
        copied = _json_copy(given)
        schema = _of_object(copied)
        draft = _draft_of(
            copied
        )  # as it was given: `_of_object` puts another type in place of a list that may hold anything
        if draft is not NEWEST and declared_draft(schema) is None:
            schema = {"$schema": draft.uri} | schema | {"$schema": draft.uri}
        nodes = graph_of(schema, draft)
        check_end(nodes)
        if copied.get("type") != "object" and refers_to_its_top(nodes):
            widen(nodes, copied, draft)
            nodes = graph_of(schema, draft)
        check_takes_objects(nodes[0])
        if not is_installed():
            doubtful_patterns(schema)  # any pattern needs the gate's engine, and says so
        return cls(schema, nodes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What of it is accepted and not enforced, a sentence each with its path."""
        return notes_of(self._nodes)


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """Return why a schema cannot be that of a tool's arguments, or None if it can."""
    try:
        ForeignSchema.read(schema)
    except SchemaError as error:
        return str(error)
    return None


def schema_notes(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what of a schema is accepted and not enforced, a sentence each with its path; nothing for one that has a problem."""
    try:
        return ForeignSchema.read(schema).notes
    except SchemaError:
        return ()


def _of_object(schema: Any) -> dict[str, Any]:
    """Return a schema that says that it is one of an object."""
    if not isinstance(schema, dict):
        raise SchemaError(f'the schema of the parameters is an object with "type": "object", not {json.dumps(schema)}')
    said = schema.get("type", "object")
    if said != "object" and not (isinstance(said, list) and "object" in said):
        raise SchemaError(
            f'the parameters of a tool are an object, so its schema says "type": "object", not {json.dumps(said)}'
        )
    return {"type": "object", "properties": {}, **schema} | {"type": "object"}


def _draft_of(schema: dict[str, Any]) -> Draft:
    """Return the draft that a schema names, or else the newest that takes it.

    Raises:
        SchemaError: It is no schema of that draft; or of none, and then it is told what is wrong by the newest.
    """
    declared = declared_draft(schema)
    taking = None if declared else next((draft for draft in DRAFTS if is_schema(schema, draft)), None)
    if taking is None:
        check_schema(schema, declared or NEWEST)
    return declared or taking or NEWEST


def _json_copy(given: Any) -> Any:
    """Return JSON as it would arrive elsewhere, sharing nothing with what was given.

    Raises:
        SchemaError: It is no JSON.
    """
    try:
        copied = _copy(given, ())
        json.dumps(copied, ensure_ascii=False).encode()
    except SchemaError:
        raise
    except UnicodeEncodeError:
        raise SchemaError("it is no JSON: it holds half of a surrogate pair, which no text can carry") from None
    except ValueError as error:  # a number of more digits than Python writes
        raise SchemaError(f"it is no JSON: {error}") from None
    return copied


def _copy(value: Any, path: tuple[str | int, ...]) -> Any:
    if len(path) > MOST_LEVELS:
        raise SchemaError(f"it is nested too deeply: at most {MOST_LEVELS} levels")
    if isinstance(value, Mapping):
        return {_name(name, path): _copy(each, (*path, _name(name, path))) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy(each, (*path, place)) for place, each in enumerate(value)]
    if value is None or type(value) in (bool, int, str) or (type(value) is float and value - value == 0):
        return value
    what = value if isinstance(value, float) else f"a Python {type(value).__name__}"
    raise SchemaError(f"it is no JSON: {json_path(path)} is {what}")


def _name(name: object, path: tuple[str | int, ...]) -> str:
    if not isinstance(name, str):
        raise SchemaError(f"it is no JSON: {json_path(path)} has a name that is no string: {name!r:.60}")
    return name


# --- _validation._top ---

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
    return arguments_of(SchemaNode(schema=schema, draft=draft, path=()))


def arguments_of(top: SchemaNode) -> Arguments:
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


def _applied(top: SchemaNode, keywords: tuple[str, ...]) -> list[SchemaNode]:
    """Return a schema, and those that it applies to the same value by some keywords, each once."""
    found = {top: None}
    waiting = [top]
    while waiting:
        inner = [edge.node for edge in waiting.pop(0).edges if edge.keyword in keywords and edge.node not in found]
        found.update(dict.fromkeys(inner))
        waiting += inner
    return list(found)


def check_takes_objects(top: SchemaNode) -> None:
    """Look whether an object can be valid at all.

    Raises:
        SchemaError: None can.
    """
    refusing = _refusing(top, {})
    if refusing is not None:
        place = json_path(refusing.path or ())
        raise SchemaError(f"the parameters of a tool are an object, and the schema at {place} takes none")


def _refusing(node: SchemaNode, asked: dict[SchemaNode, SchemaNode | None]) -> SchemaNode | None:
    """Return the schema by which another takes no object, or None if it may take one."""
    if node not in asked:
        asked[node] = node if _refuses(node) else _refusing_inside(node, asked)
    return asked[node]


def _refuses(node: SchemaNode) -> bool:
    said = node.keywords
    kinds = said.get("type", "object")
    values = said.get("enum", [{}]) if "const" not in said or "const" not in node.draft.keywords else [said["const"]]
    return (
        node.schema is False
        or not ("object" in kinds if isinstance(kinds, list) else kinds == "object")
        or not any(isinstance(value, dict) for value in values)
    )


def _refusing_inside(node: SchemaNode, asked: dict[SchemaNode, SchemaNode | None]) -> SchemaNode | None:
    for edge in node.edges:
        if edge.keyword in _ALWAYS and (refusing := _refusing(edge.node, asked)):
            return refusing
    for keyword in ("anyOf", "oneOf"):
        branches = [_refusing(edge.node, asked) for edge in node.edges if edge.keyword == keyword]
        if branches and all(branches):
            return branches[0]
    return None


# --- _validation._notes ---


def notes_of(nodes: Iterable[SchemaNode]) -> tuple[str, ...]:
    """Return what a schema says in vain, a sentence each with its path, sorted.

    Args:
        nodes: The schemas that it applies, itself first.
    """
    own = [node for node in nodes if isinstance(node.schema, dict) and node.path is not None]
    return tuple(sorted({*_of_dialect(own[0]), *(note for node in own for note in _of_schema(node))}))


def _of_dialect(top: SchemaNode) -> Iterator[str]:
    named = top.schema.get("$schema")
    if named is not None and declared_draft(top.schema) is None:
        yield f"{json_path(('$schema',))}: {show(named)} is no draft that is known; the schema is read as {top.draft.name}"


def _of_schema(node: SchemaNode) -> Iterator[str]:
    said = node.keywords
    for keyword, said_there in node.schema.items():
        place = json_path((*(node.path or ()), keyword))
        if keyword in ENFORCED and keyword not in said:
            yield f'{place}: is not enforced: draft {node.draft.name} ignores what stands beside "$ref"'
        elif keyword in ENFORCED and keyword not in node.draft.keywords:
            yield f"{place}: is not enforced: it is no keyword of draft {node.draft.name}"
        elif keyword in _WITHOUT and not _WITHOUT[keyword] & said.keys():
            yield f"{place}: is not enforced: there is no {show(min(_WITHOUT[keyword]))} beside it"
        elif keyword == "pattern" and known_matcher(said_there) is None:
            yield f"{place}: {show(said_there)} is not enforced: {_NOT_LINEAR}"
        elif keyword == "patternProperties":
            unknown = [pattern for pattern in said_there if known_matcher(pattern) is None]
            yield from (f"{place}: names like {show(each)} are not looked at: {_NOT_LINEAR}" for each in unknown)
        elif keyword == "format" and said_there not in STRING_FORMATS and not knows_format(said_there, node.draft):
            yield f"{place}: {show(said_there)} is not enforced: no such format is known"


_NOT_LINEAR: Final = "the linear-time engine does not take it (no look-around, no back-references)"
_WITHOUT: Final = {
    "else": {"if"},
    "maxContains": {"contains"},
    "minContains": {"contains"},
    "then": {"if"},
}
"""Keyword -> one of those that it says nothing without."""

# --- _validation._widening ---

_OF_THE_DOCUMENT: Final = frozenset({
    "$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "definitions", "id",
})  # fmt: skip
_NAME: Final = "anything"


def refers_to_its_top(nodes: list[SchemaNode]) -> bool:
    """Tell whether a schema that has been read refers to its own top."""
    return any(_leads_to_top(node, nodes[0]) for node in nodes)


def widen(nodes: list[SchemaNode], given: dict[str, Any], draft: Draft) -> None:
    """Let references to the top of a schema lead to a copy of it that says what it was given with.

    Args:
        nodes: The schema that is published, as it was read; it is changed.
        given: The top as it was given; objects in it are those of the schema that is published.
        draft: The draft that it is written in.
    """
    schema = nodes[0].schema
    holder = "definitions" if draft.ref_stands_alone else "$defs"
    definitions = schema.setdefault(holder, {})
    name = _NAME
    while name in definitions:
        name += "_"
    base = str(schema.get("id" if draft.name == "4" else "$id", "")).removesuffix("#")
    for node in nodes:
        if _leads_to_top(node, nodes[0]):
            node.schema["$ref"] = f"{base}#/{holder}/{name}"
    definitions[name] = {keyword: _copied(value) for keyword, value in given.items() if keyword not in _OF_THE_DOCUMENT}


def _leads_to_top(node: SchemaNode, top: SchemaNode) -> bool:
    return any(edge.keyword == "$ref" and edge.node is top for edge in node.edges)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copied(each) for name, each in value.items()}
    return [_copied(each) for each in value] if isinstance(value, list) else value

"""Schemas of arguments that fcregistry did not make: whether they can be used, and their notes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.messages import json_path, show
from fcregistry._schema.document import Place
from fcregistry._schema.drafts import DRAFTS, ENFORCED, NEWEST, Draft, SchemaError, declared_draft
from fcregistry._schema.engine_py import check_schema, is_schema
from fcregistry._schema.engine_rs import has_unenforced_patterns, is_installed, knows_format, matcher_or_none
from fcregistry._schema.graph import SchemaNode, build_graph, check_terminates
from fcregistry._schema.references import REFERENCES
from fcregistry.types import STRING_FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class ExternalSchema(NamedTuple):
    """A JSON Schema of a tool's arguments that the tool's author or a server wrote.

    Attributes:
        schema: The schema as the tool publishes it: the given one, with `"type": "object"` (also in place of a list of types) and with
            `properties`. If it names no draft and is valid only by an older one, it has the `$schema` of that draft. References to a top
            that accepts more than objects lead to a copy of it in the definitions.
        nodes: The graph of the schema.
    """

    schema: dict[str, Any]
    nodes: list[SchemaNode]

    @property
    def arguments(self) -> Arguments:
        """The arguments that it describes."""
        return _arguments_of_node(self.nodes[0])

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> ExternalSchema:
        """Read a schema.

        Raises:
            SchemaError: It is not JSON, not a schema, or not the schema of an object; its references lead nowhere or never end; or it has
                a pattern, and the engine for patterns is not installed.
        """
        copied = _copy_json(given)
        schema = _as_object_schema(copied)
        draft = _find_draft(copied)  # as given: `_as_object_schema` replaces a list of types, which may hold anything
        if draft is not NEWEST and declared_draft(schema) is None:
            schema = {"$schema": draft.uri} | schema | {"$schema": draft.uri}
        nodes = build_graph(schema, draft)
        check_terminates(nodes)
        if copied.get("type") != "object" and _refers_to_top(nodes):
            _redirect_top_references(nodes, copied, draft)
            nodes = build_graph(schema, draft)
        if refusing := _object_refusal(nodes[0]):
            place = json_path(refusing.path or ())
            raise SchemaError(f"the parameters of a tool are an object, and the schema at {place} accepts none")
        if not is_installed():
            has_unenforced_patterns(schema)  # any pattern needs that engine, and raises without it
        return cls(schema, nodes)

    @property
    def notes(self) -> tuple[str, ...]:
        """The parts of the schema that are accepted and not enforced, a sentence each with its path, sorted."""
        return _notes_of(self.nodes)


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """Return why a schema cannot be that of a tool's arguments, or None if it can."""
    try:
        ExternalSchema.read(schema)
    except SchemaError as error:
        return str(error)
    return None


def schema_notes(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the parts of a schema that are accepted and not enforced, a sentence each with its path.

    A schema that cannot be used has none.
    """
    try:
        return ExternalSchema.read(schema).notes
    except SchemaError:
        return ()


MOST_JSON_LEVELS: Final = 200
"""The most levels of its JSON: far more than people read, and within what both engines can walk."""


def _as_object_schema(schema: Any) -> dict[str, Any]:
    """Return a schema with `"type": "object"` and `properties`.

    Raises:
        SchemaError: It is not the schema of an object.
    """
    if not isinstance(schema, dict):
        raise SchemaError(f'the schema of the parameters is an object with "type": "object", not {json.dumps(schema)}')
    kinds = schema.get("type", "object")
    if kinds != "object" and not (isinstance(kinds, list) and "object" in kinds):
        raise SchemaError(
            f'the parameters of a tool are an object, so its schema says "type": "object", not {json.dumps(kinds)}'
        )
    return {"type": "object", "properties": {}, **schema} | {"type": "object"}


def _find_draft(schema: dict[str, Any]) -> Draft:
    """Return the draft that a schema names, or else the newest by which it is valid.

    Raises:
        SchemaError: It is not valid by that draft, or not by any; the message is then about the newest.
    """
    declared = declared_draft(schema)
    taking = None if declared else next((draft for draft in DRAFTS if is_schema(schema, draft)), None)
    if taking is None:
        check_schema(schema, declared or NEWEST)
    return declared or taking or NEWEST


def _copy_json(given: Mapping[str, Any]) -> Any:
    """Return a deep copy of a JSON value, as it would arrive in another process.

    Raises:
        SchemaError: It is not JSON.
    """
    copied = _copy_value(given, ())
    try:
        json.dumps(copied, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise SchemaError("it is not JSON: it has half of a surrogate pair, which no text can carry") from None
    except ValueError as error:  # a number of more digits than Python writes
        raise SchemaError(f"it is not JSON: {error}") from None
    return copied


def _copy_value(value: Any, path: Place) -> Any:
    if len(path) > MOST_JSON_LEVELS:
        raise SchemaError(f"it is nested too deeply: at most {MOST_JSON_LEVELS} levels")
    if isinstance(value, Mapping):
        if odd := [name for name in value if not isinstance(name, str)]:
            raise SchemaError(f"it is not JSON: {json_path(path)} has a name that is not a string: {odd[0]!r:.60}")
        return {name: _copy_value(each, (*path, name)) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copy_value(each, (*path, at)) for at, each in enumerate(value)]
    if value is None or type(value) in (bool, int, str) or (type(value) is float and isfinite(value)):
        return value
    what = value if isinstance(value, float) else f"a Python {type(value).__name__}"
    raise SchemaError(f"it is not JSON: {json_path(path)} is {what}")


# --- Arguments ---


class Arguments(NamedTuple):
    """The arguments that a schema describes.

    Attributes:
        names: The names of properties, in order.
        required: The names that every call must have.
        patterns: Patterns that other names may match.
        complete: Whether these are all: False if the schema refers to the standard's own, which are not read.
    """

    names: tuple[str, ...]
    required: frozenset[str]
    patterns: tuple[str, ...]
    complete: bool

    def may_have(self, name: str) -> bool:
        """Return whether the schema allows an argument of a name."""
        matchers = [matcher_or_none(pattern) for pattern in self.patterns]
        return not self.complete or name in self.names or any(each is None or each(name) for each in matchers)


def arguments_of_schema(schema: dict[str, Any], draft: Draft) -> Arguments:
    """Return the arguments that a schema describes; it must have been read before."""
    if schema.keys() & {*_ALWAYS, *_SOMETIMES}:
        return _arguments_of_node(build_graph(schema, draft)[0])
    return _arguments_of_node(SchemaNode(schema=schema, draft=draft, path=()))


def _arguments_of_node(top: SchemaNode) -> Arguments:
    """Return the arguments that a schema in a graph describes."""
    names: dict[str, None] = {}
    patterns: dict[str, None] = {}
    everywhere = _schemas_in_place(top, (*_ALWAYS, *_SOMETIMES))
    for node in (each for each in everywhere if each.path is not None):
        properties = node.keywords.get("properties", {})
        names.update((name, None) for name, schema in properties.items() if schema is not False)
        patterns.update(dict.fromkeys(node.keywords.get("patternProperties", ())))
    required = {name for node in _schemas_in_place(top, _ALWAYS) for name in node.keywords.get("required", ())}
    complete = all(node.path is not None for node in everywhere)
    return Arguments(tuple(names), frozenset(required), tuple(patterns), complete)


def _schemas_in_place(top: SchemaNode, keywords: tuple[str, ...]) -> list[SchemaNode]:
    """Return a schema and those that it applies to the same value by the given keywords, each once."""
    found = {top: None}
    waiting = [top]
    while waiting:
        inner = [edge.node for edge in waiting.pop(0).edges if edge.keyword in keywords and edge.node not in found]
        found.update(dict.fromkeys(inner))
        waiting += inner
    return list(found)


_ALWAYS: Final = (*REFERENCES, "allOf")
_SOMETIMES: Final = ("anyOf", "oneOf", "then", "else", "dependentSchemas", "dependencies")


def _object_refusal(node: SchemaNode) -> SchemaNode | None:
    """Return the schema because of which another accepts no object, or None if it may accept one."""
    keywords = node.keywords
    has_constant = "const" in keywords and "const" in node.draft.keywords
    values = [keywords["const"]] if has_constant else keywords.get("enum", [{}])
    takes_objects = "object" in keywords.get("type", "object") and any(isinstance(value, dict) for value in values)
    if node.schema is False or not takes_objects:
        return node
    for edge in node.edges:
        if edge.keyword in _ALWAYS and (refusing := _object_refusal(edge.node)):
            return refusing
    for keyword in ("anyOf", "oneOf"):
        branches = [_object_refusal(edge.node) for edge in node.edges if edge.keyword == keyword]
        if branches and all(branches):
            return branches[0]
    return None


# --- Notes on what is not enforced ---


def _notes_of(nodes: Iterable[SchemaNode]) -> tuple[str, ...]:
    """Return the parts of a schema that are not enforced.

    Args:
        nodes: The schemas that it applies, itself first.
    """
    own = [node for node in nodes if isinstance(node.schema, dict) and node.path is not None]
    return tuple(sorted({*_dialect_notes(own[0]), *(note for node in own for note in _keyword_notes(node))}))


def _dialect_notes(top: SchemaNode) -> Iterator[str]:
    named = top.schema.get("$schema")
    if named is not None and declared_draft(top.schema) is None:
        yield f"{json_path(('$schema',))}: {show(named)} is not a known draft; the schema is read as draft {top.draft.name}"


def _keyword_notes(node: SchemaNode) -> Iterator[str]:
    keywords = node.keywords
    for keyword, value in node.schema.items():
        place = json_path((*(node.path or ()), keyword))
        if keyword in ENFORCED and keyword not in keywords:
            yield f'{place}: is not enforced: draft {node.draft.name} ignores what is beside "$ref"'
        elif keyword in ENFORCED and keyword not in node.draft.keywords:
            yield f"{place}: is not enforced: it is not a keyword of draft {node.draft.name}"
        elif keyword in _NEEDED_BESIDE and not _NEEDED_BESIDE[keyword] & keywords.keys():
            yield f"{place}: is not enforced: there is no {show(min(_NEEDED_BESIDE[keyword]))} beside it"
        elif keyword == "pattern" and matcher_or_none(value) is None:
            yield f"{place}: {show(value)} is not enforced: {_NOT_LINEAR}"
        elif keyword == "patternProperties":
            unknown = [pattern for pattern in value if matcher_or_none(pattern) is None]
            yield from (f"{place}: names that match {show(each)} are not checked: {_NOT_LINEAR}" for each in unknown)
        elif keyword == "format" and value not in STRING_FORMATS and not knows_format(value, node.draft):
            yield f"{place}: {show(value)} is not enforced: no such format is known"


_NOT_LINEAR: Final = "the linear-time engine does not support it (no look-around, no back-references)"
_NEEDED_BESIDE: Final = {
    "else": {"if"},
    "maxContains": {"contains"},
    "minContains": {"contains"},
    "then": {"if"},
}
"""Keyword -> the keywords of which it needs one beside it."""


# --- References to the top ---


def _refers_to_top(nodes: list[SchemaNode]) -> bool:
    """Return whether a schema refers to its own top."""
    return any(_leads_to_top(node, nodes[0]) for node in nodes)


def _redirect_top_references(nodes: list[SchemaNode], given: dict[str, Any], draft: Draft) -> None:
    """Redirect references to the top of a schema to a copy of the top as it was given.

    A top without a `type`, or with several, is published with `"type": "object"`, because arguments are an object. A reference to it from
    inside the schema meant any value that the given top accepts, and still does.

    Args:
        nodes: The graph of the published schema, which is changed.
        given: The given top. Its objects are those of the published schema.
        draft: The draft that it is written in.
    """
    schema = nodes[0].schema
    holder = "definitions" if draft.ref_stands_alone else "$defs"
    definitions = schema.setdefault(holder, {})
    name = _COPY_NAME
    while name in definitions:
        name += "_"
    base = str(schema.get("id" if draft.name == "4" else "$id", "")).removesuffix("#")
    for node in nodes:
        if _leads_to_top(node, nodes[0]):
            node.schema["$ref"] = f"{base}#/{holder}/{name}"
    definitions[name] = {keyword: deepcopy(value) for keyword, value in given.items() if keyword not in _IDENTIFYING}


def _leads_to_top(node: SchemaNode, top: SchemaNode) -> bool:
    return any(edge.keyword == "$ref" and edge.node is top for edge in node.edges)


_IDENTIFYING: Final = frozenset({
    "$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "definitions", "id",
})  # fmt: skip
_COPY_NAME: Final = "anything"

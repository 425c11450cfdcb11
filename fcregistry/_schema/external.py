"""Schemas of arguments that fcregistry did not make: whether they can be used, what they apply, and their notes."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.wording import json_path, show
from fcregistry._schema.document import Place, References, subschemas
from fcregistry._schema.drafts import DRAFTS, ENFORCED, NEWEST, Draft, SchemaError, declared_draft, own_draft
from fcregistry._schema.engine_py import check_schema, is_schema
from fcregistry._schema.engine_rs import knows_format, matcher_or_none
from fcregistry._schema.references import REFERENCES, resolver_of, resource_of
from fcregistry.types import STRING_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


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
            SchemaError: It is not JSON, not a schema, or not the schema of an object; or its references lead nowhere or never end.
        """
        copied = _copy_json(given)
        schema = _as_object_schema(copied)
        draft = _find_draft(copied)  # as given: `_as_object_schema` replaces a list of types, which may hold anything
        schema = _with_draft(schema, draft)
        nodes = build_graph(schema, draft)
        check_terminates(nodes)
        if copied.get("type") != "object" and any(_leads_to_top(node, nodes[0]) for node in nodes):
            _redirect_top_references(nodes, copied, draft)
            nodes = build_graph(schema, draft)
        if refusing := _object_refusal(nodes[0]):
            place = json_path(refusing.path or ())
            raise SchemaError(f"the parameters of a tool are an object, and the schema at {place} accepts none")
        return cls(schema, nodes)

    @property
    def notes(self) -> tuple[str, ...]:
        """The parts of the schema that are accepted and not enforced, a sentence each with its path, sorted."""
        top = self.nodes[0]
        notes = {
            note
            for node in self.nodes
            if isinstance(node.schema, dict) and node.path is not None
            for note in _keyword_notes(node)
        }
        if "$schema" in top.schema and declared_draft(top.schema) is None:
            named = show(top.schema["$schema"])
            notes.add(f"$['$schema']: {named} is not a known draft; the schema is read as draft {top.draft.name}")
        return tuple(sorted(notes))


def read_result_schema(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of an external schema of results, which may be of any type, as the tool publishes it.

    Raises:
        SchemaError: It is not JSON, or not a schema; or its references lead nowhere or never end.
    """
    copied = _copy_json(given)
    if not isinstance(copied, dict):
        raise SchemaError(f"the schema of the results is an object, not {show(copied)}")
    draft = _find_draft(copied)
    schema = _with_draft(copied, draft)
    check_terminates(build_graph(schema, draft))
    return schema


def _with_draft(schema: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """Return `schema`, with the `$schema` of `draft` if that is not the newest and the schema names none."""
    if draft is NEWEST or declared_draft(schema) is not None:
        return schema
    return {"$schema": draft.uri} | schema | {"$schema": draft.uri}


def schema_problem(schema: Mapping[str, Any]) -> str | None:
    """Return the reason a schema cannot be that of a tool's arguments, or None if it can."""
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
    """Return a copy of `schema` with `properties`, and with `"type": "object"` in place of any `type`.

    Raises:
        SchemaError: It is not a JSON object, or its `type` does not allow objects.
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
    """Return the draft that a schema names, or else the newest draft by which it is valid.

    Raises:
        SchemaError: It names a draft before 4, or is not valid by the draft that it names, or by any; the message is then about the newest.
    """
    declared = declared_draft(schema)
    valid_by = None if declared else next((draft for draft in DRAFTS if is_schema(schema, draft)), None)
    if valid_by is None:
        check_schema(schema, declared or NEWEST)
    return declared or valid_by or NEWEST


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
    """Return a deep copy of `value`, a JSON value at `path`.

    Mappings become dicts, and tuples lists.

    Raises:
        SchemaError: It is not JSON, or is nested too deeply.
    """
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
    """Return the arguments that a schema in a graph describes.

    Names and patterns are those of all schemas that may apply to the same value, required names those of schemas that always do. Names whose
    schema is False are left out.
    """
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
    """Return the schemas that `top` applies to the same value by `keywords`, `top` first, each once.

    It applies them directly or through each other.
    """
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
    """Return the schema because of which `node` accepts no object; None if it may accept one.

    That schema is `node` itself, or one that it applies to the same value; of refusing `anyOf` or `oneOf` branches, the first one's.
    """
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


def _keyword_notes(node: SchemaNode) -> Iterator[str]:
    """Yield a sentence about each keyword, pattern and format of a schema that is not enforced."""
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
"""Keyword -> the keywords of which one must be beside it."""


# --- References to the top ---


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
    """Return whether `node` has a `$ref` that leads directly to `top`."""
    return any(edge.keyword == "$ref" and edge.node is top for edge in node.edges)


_IDENTIFYING: Final = frozenset({
    "$anchor", "$defs", "$dynamicAnchor", "$id", "$recursiveAnchor", "$schema", "$vocabulary", "definitions", "id",
})  # fmt: skip
_COPY_NAME: Final = "anything"


# --- The graph of the schemas that a schema applies ---

# It is walked from the top, by the keywords that the draft enforces and by references. Definitions that nothing refers to are not in it, nor
# is the inside of the standard's own schemas.


@dataclass(eq=False, slots=True, kw_only=True)
class SchemaNode:
    """A schema in the graph of a document.

    Attributes:
        schema: The schema: an object or a boolean.
        draft: The draft that it is written in.
        path: Its place in the document; None for one of the standard's schemas.
        edges: The schemas that it applies in turn.
    """

    schema: Any
    draft: Draft
    path: Place | None
    edges: Sequence[Edge] = ()

    @property
    def keywords(self) -> dict[str, Any]:
        """Its keywords, without those that are ignored beside a `$ref`."""
        if not isinstance(self.schema, dict):
            return {}
        alone = self.draft.ref_stands_alone and "$ref" in self.schema
        return {"$ref": self.schema["$ref"]} if alone else self.schema


class Edge(NamedTuple):
    """A schema that another applies, and the keyword by which it does."""

    keyword: str
    node: SchemaNode

    @property
    def in_place(self) -> bool:
        """Whether the schema is applied to the same value, and not to a part of it."""
        return self.keyword in _IN_PLACE


_IN_PLACE: Final = frozenset(REFERENCES) | {
    "allOf", "anyOf", "dependencies", "dependentSchemas", "else", "if", "not", "oneOf", "then",
}  # fmt: skip


def build_graph(schema: dict[str, Any], draft: Draft) -> list[SchemaNode]:
    """Return the schemas that `schema` applies, itself first.

    Definitions that nothing refers to are left out.

    Args:
        schema: A schema that is valid by its meta-schema, in which no dict occurs twice.
        draft: The draft that it is written in.

    Raises:
        SchemaError: A reference leads nowhere, out of the document, or to a value that is not a schema; or an `$id` is not a URI.
    """
    _check_id(schema, (), draft)
    places = cache(lambda: _places_in(schema))  # only for references that depend on a base URI
    root = SchemaNode(schema=schema, draft=draft, path=())
    nodes = {id(schema): root}
    waiting = deque([(root, resolver_of(schema, draft))])
    while waiting:
        node, resolver = waiting.popleft()
        if node.path is None:
            continue
        edges = []
        for keyword, inner, inner_resolver in (
            *_applied_by_keywords(node, resolver),
            *_applied_by_references(node, resolver, places),
        ):
            known = nodes.setdefault(id(inner.schema if isinstance(inner.schema, dict) else inner), inner)
            edges.append(Edge(keyword, known))
            if known is inner:
                waiting.append((inner, inner_resolver))
                if keyword in REFERENCES:
                    _check_target(inner, (*node.path, keyword))
        if edges:
            node.edges = edges
    return list(nodes.values())


def _places_in(document: dict[str, Any]) -> dict[int, Place]:
    """Return `id` -> place of each object (dict) in `document`, at any depth."""
    places: dict[int, Place] = {}
    waiting: list[tuple[Any, Place]] = [(document, ())]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, dict):
            places[id(value)] = path
        for segment, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(inner, (dict, list)):
                waiting.append((inner, (*path, segment)))
    return places


def _applied_by_keywords(node: SchemaNode, resolver: Any) -> Iterator[tuple[str, SchemaNode, Any]]:
    """Yield the subschemas that a schema applies by its own keywords, as far as its draft enforces them.

    Each comes as a triple: the keyword, the node of the subschema, and the resolver for its references.

    Raises:
        SchemaError: An `$id` is not a URI.
    """
    keywords = node.keywords
    for (keyword, *rest), schema in subschemas(keywords):
        ignored = keyword in ("then", "else") and "if" not in keywords
        if keyword in node.draft.keywords and not ignored and isinstance(schema, (bool, dict)):
            inner = _make_node(node, schema, (*(node.path or ()), keyword, *rest))
            has_base = isinstance(schema, dict) and ("$id" in schema or "id" in schema)
            if has_base and not isinstance(resolver, References):
                yield str(keyword), inner, resolver.in_subresource(resource_of(schema, inner.draft))
            else:
                yield str(keyword), inner, resolver


def _applied_by_references(
    node: SchemaNode, resolver: Any, places: Callable[[], dict[int, Place]]
) -> Iterator[tuple[str, SchemaNode, Any]]:
    """Yield the targets of the references of a schema.

    Each comes as a triple: the keyword, the node of the target, and the resolver for the target's references.

    Raises:
        SchemaError: A reference leads nowhere, out of the document, or to a value that is not a schema.
    """
    keywords = node.keywords
    for keyword in REFERENCES:
        if keyword in keywords and keyword in node.draft.keywords:
            reference = keywords[keyword]
            found = _look_up(reference, resolver, (*(node.path or ()), keyword), node.draft)
            is_local = isinstance(resolver, References)
            path = resolver.place(reference) if is_local else places().get(id(found.contents))
            yield keyword, _make_node(node, found.contents, path), found.resolver


def _make_node(node: SchemaNode, schema: Any, path: Place | None) -> SchemaNode:
    """Return the node of `schema`; its draft is the one that it names, or else that of `node`, around it.

    Raises:
        SchemaError: Its `$id` is not a URI.
    """
    draft = own_draft(schema) or node.draft
    if path is not None:
        _check_id(schema, path, draft)
    return SchemaNode(schema=schema, draft=draft, path=path)


def _check_id(schema: Any, path: Place, draft: Draft) -> None:
    """Check that the `$id` of `schema` (`id` in draft 4), if it has one, is a URI or part of a URI.

    Raises:
        SchemaError: It is not; the message names `path`, the place of the schema.
    """
    keyword = "id" if draft.name == "4" else "$id"
    if isinstance(schema, dict) and keyword in schema:
        from urllib.parse import urlsplit  # 3 ms, paid only for an external schema

        try:
            urlsplit(schema[keyword])
        except ValueError as error:
            place = json_path((*path, keyword))
            raise SchemaError(f"{place} is {show(schema[keyword])}, which is not a URI: {error}") from None


def _look_up(reference: Any, resolver: Any, place: Place, draft: Draft) -> Any:
    """Return the target of a reference, an object with `contents` and `resolver`, as `referencing` does.

    Args:
        reference: The value of the keyword.
        resolver: The resolver for the schema around it.
        place: The place of the keyword.
        draft: The draft of the schema around it.

    Raises:
        SchemaError: The reference leads nowhere, out of the document, or to a value that is not a schema.
    """
    unresolvable: Any = ()
    if not isinstance(resolver, References):
        from referencing.exceptions import Unresolvable  # loaded already, with the resolver

        unresolvable = Unresolvable
    problem = "there is no such place in the schema"
    try:
        found = resolver.lookup(reference)
        if isinstance(found.contents, (bool, dict)):
            return found
        problem = "what is there is not a schema"
    except unresolvable as error:
        if type(error) is unresolvable:  # a subclass means that the document was found, and the place in it was not
            holder = "definitions" if draft.ref_stands_alone else "$defs"
            problem = f'that is outside the schema and is not fetched: copy it under "{holder}", and refer to it there'
    except (AttributeError, LookupError, TypeError, ValueError):
        pass  # not a string, not a URI, or a pointer with a name where a list is
    raise SchemaError(f"{json_path(place)} is {show(reference)}, and {problem}")


def _check_target(node: SchemaNode, place: Place) -> None:
    """Check that `node`, the target of the reference at `place`, is valid by its meta-schema.

    It may be in a place that no meta-schema covers. Booleans and the standard's own schemas are not checked.

    Raises:
        SchemaError: It is not a schema.
    """
    if isinstance(node.schema, dict) and node.path is not None:
        try:
            check_schema(node.schema, node.draft)
        except SchemaError as error:
            target = json_path(node.path)
            raise SchemaError(f"{json_path(place)} leads to {target}, which is not a schema: {error}") from None


# --- Termination ---


MOST_APPLIED: Final = 100_000
"""The most schemas that may apply to one value: references that multiply could keep a validator busy for hours."""
MOST_APPLIED_LEVELS: Final = 100
"""The most levels of schemas that apply to one value: jsonschema recurses, and the interpreter's stack has room for so many."""


def check_terminates(nodes: Iterable[SchemaNode]) -> None:
    """Check that validation by the schemas of a graph ends, for every value and in reasonable time.

    Raises:
        SchemaError: A schema applies itself to the same value again, or too many schemas.
    """
    from graphlib import CycleError, TopologicalSorter  # only for external schemas

    applied = ((node, [edge.node for edge in node.edges if edge.in_place]) for node in nodes)
    inner = {node: found for node, found in applied if found}
    try:
        order = tuple(TopologicalSorter(inner).static_order())
    except CycleError as error:
        first = next(node for node in inner if node in error.args[1])
        raise SchemaError(
            f"{_node_text(first)} applies itself to the same value again, without end: "
            'what refers to itself does so below a keyword for parts of the value, such as "properties" or "items"'
        ) from None
    effort: dict[
        SchemaNode, tuple[int, int]
    ] = {}  # the number of schemas a node applies to one value, and of their levels
    for node in order:
        if node not in inner:
            continue
        found = [effort.get(each, (1, 1)) for each in inner[node]]
        count = 1 + sum(each for each, _ in found)
        levels = 1 + max(each for _, each in found)
        if count > MOST_APPLIED:
            raise SchemaError(
                f"{_node_text(node)} applies more than {MOST_APPLIED} schemas to one value, for its references multiply"
            )
        if levels > MOST_APPLIED_LEVELS:
            raise SchemaError(
                f"{_node_text(node)} refers to one that refers to another, and so on, more than {MOST_APPLIED_LEVELS} deep"
            )
        effort[node] = count, levels


def _node_text(node: SchemaNode) -> str:
    """Return the words for a schema in a message: `the schema at $.items`, or `the schema` for the top."""
    return f"the schema at {json_path(node.path)}" if node.path else "the schema"

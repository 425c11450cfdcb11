"""Which JSON values does a schema accept? Hypothesis strategies, by the keywords of JSON Schema and nothing else.

What can be constructed is constructed; for the rest (`not`, `if`, `contains`, `dependentRequired`, keywords that cannot be joined) values are
made of what the other keywords say, and filtered by a validator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from hypothesis import strategies as st

from fcregistry.testing import _numbers, _texts
from fcregistry.testing._keywords import TYPES, Node, item_schemas, json_identity, types_of
from fcregistry.testing._schemas import Document

_DEPTH: Final = 3
"""After how many references the shortest way out of a recursion is taken."""
_MORE: Final = 3
"""How many items or properties beyond the least there are."""
_MANY: Final = 24
"""From how many optional properties on only some are drawn at a time."""
_EXACT: Final = frozenset(
    {
        "type",
        "enum",
        "anyOf",
        "oneOf",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "minLength",
        "maxLength",
    }
    | {"items", "prefixItems", "additionalItems", "minItems", "maxItems"}
    | {"properties", "required", "additionalProperties", "minProperties"}
)
"""Keywords that are constructed just as they say; with any other, what was made is filtered."""

scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    _texts.texts(),
)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_texts.texts(), inner, max_size=3)),
    max_leaves=4,
)
"""Any JSON value."""
_names = st.one_of(st.sampled_from(["x", "extra", "1", "", "$ref", "self", "a b", "__class__"]), _texts.texts())


class Values:
    """The values that a schema and its parts accept.

    Args:
        document: The schema.
        formats: Format -> strings of it, beside and before those known here.
    """

    def __init__(self, document: Document, formats: Mapping[str, st.SearchStrategy[str]]) -> None:
        self._document = document
        self._formats = formats
        self._made: dict[tuple[int, int], tuple[Node, st.SearchStrategy[Any]]] = {}

    def of(self, node: Node, depth: int = 0) -> st.SearchStrategy[Any]:
        """Return the values of a part of the schema.

        Args:
            node: The part.
            depth: How many references lead to it.
        """
        key = id(node), depth
        if key not in self._made:
            self._made[key] = (node, self._values(node, depth))  # with the node, so that its id stays its own
        return self._made[key][1]

    def _values(self, node: Node, depth: int) -> st.SearchStrategy[Any]:
        if math.isinf(self._document.height(node)):
            return st.nothing()
        keywords, is_exact, follows = self._document.flat(node)
        if not keywords:
            return anything
        made = self._of_keywords(keywords, depth + follows)
        if is_exact and keywords.keys() <= _EXACT and not ("enum" in keywords or "oneOf" in keywords):
            return made
        return made.filter(self._document.validator_of(node))

    def _of_keywords(self, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
        for union in ("anyOf", "oneOf"):
            if union in keywords:
                rest = {key: value for key, value in keywords.items() if key != union}
                branches = [_and(rest, each) if rest else each for each in keywords[union]]
                return st.one_of([self.of(each, depth) for each in self._ways_out(branches, depth)])
        if "if" in keywords:
            branches = _conditional(keywords)
            return st.one_of([self.of(each, depth) for each in self._ways_out(branches, depth)])
        if "enum" in keywords:
            return st.sampled_from(keywords["enum"]) if keywords["enum"] else st.nothing()
        kinds = types_of(keywords.get("type")) or [kind for kind in TYPES if kind != "integer"]
        if depth >= _DEPTH:
            least = min(self._document.height({**keywords, "type": kind}) for kind in kinds)
            kinds = [kind for kind in kinds if self._document.height({**keywords, "type": kind}) == least]
        return st.one_of([self._of_kind(kind, keywords, depth) for kind in kinds])

    def _ways_out(self, nodes: Iterable[Node], depth: int) -> list[Node]:
        """Return the branches that have values; deep inside a recursion, those that end soonest."""
        heights = [(self._document.height(each), each) for each in nodes]
        least = min((height for height, _ in heights), default=0)
        most = least if depth >= _DEPTH else math.inf
        return [each for height, each in heights if height <= most and not math.isinf(height)]

    def _of_kind(self, kind: str, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
        makers: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
            "null": st.none,
            "boolean": st.booleans,
            "integer": lambda: _numbers.integers(keywords),
            "number": lambda: _numbers.numbers(keywords),
            "string": lambda: _texts.strings(keywords, self._formats),
            "array": lambda: self._arrays(keywords, depth),
            "object": lambda: self._objects(keywords, depth),
        }
        return makers[kind]() if kind in makers else anything

    # Arrays

    def _arrays(self, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[list[Any]]:
        first, rest = item_schemas(keywords)
        least, most = _ends(keywords, "Items")
        if rest is False or keywords.get("unevaluatedItems") is False:
            rest = False
            most = min(most, len(first))
        if least > most:
            return st.nothing()
        usual = least if depth >= _DEPTH else int(min(most, max(least, len(first)) + _MORE))

        @st.composite
        def arrays(draw: st.DrawFn) -> list[Any]:
            start = [
                draw(self.of(each, depth))
                for each in first[: draw(st.integers(min(least, len(first)), min(usual, len(first))))]
            ]
            if len(start) < len(first) or rest is False or usual == len(first):
                return start
            items = self.of(rest, depth)
            if "contains" in keywords:
                items = st.one_of(self.of({"allOf": [keywords["contains"], rest]}, depth), items)
            unique = json_identity if keywords.get("uniqueItems") else None
            size = max(0, least - len(start)), usual - len(start)
            return [*start, *draw(st.lists(items, min_size=size[0], max_size=size[1], unique_by=unique))]

        return arrays()

    # Objects

    def _objects(self, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[dict[str, Any]]:
        properties: dict[str, Node] = keywords.get("properties", {})
        required = [name for name in keywords.get("required", ()) if isinstance(name, str)]
        others = [] if depth >= _DEPTH else self._possible(properties, required)
        least, most = _ends(keywords, "Properties")
        extra = keywords.get("additionalProperties", True)

        @st.composite
        def objects(draw: st.DrawFn) -> dict[str, Any]:
            chosen = [*required, *draw(_some_of(others, least - len(required)))]
            value = {name: draw(self.of(properties.get(name, extra), depth)) for name in chosen}
            room = max(0, int(min(most, len(value) + _MORE)) - len(value))
            wanted = max(0, least - len(value))
            more = draw(self._extras(keywords, depth, wanted, max(wanted, 0 if depth >= _DEPTH else room)))
            return {**more, **value}

        return objects()

    def _possible(self, properties: Mapping[str, Node], required: Iterable[str]) -> list[str]:
        """Return the optional properties that a value can have at all."""
        taken = set(required)
        return [
            name
            for name, node in properties.items()
            if name not in taken and not math.isinf(self._document.height(node))
        ]

    def _extras(self, keywords: dict[str, Any], depth: int, least: int, most: int) -> st.SearchStrategy[dict[str, Any]]:
        """Return properties that the schema does not name."""
        known = keywords.get("properties", {})
        ways: list[tuple[st.SearchStrategy[str], Node]] = [
            (_texts.names(pattern), node) for pattern, node in keywords.get("patternProperties", {}).items()
        ]
        extra = keywords.get("additionalProperties", keywords.get("unevaluatedProperties", True))
        if not math.isinf(self._document.height(extra)) and keywords.get("propertyNames") is not False:
            ways.append((self._name_strategy(keywords.get("propertyNames"), depth), extra))
        if not ways or not most:
            return st.just({})
        pairs = st.one_of(
            [st.tuples(names.filter(lambda name: name not in known), self.of(node, depth)) for names, node in ways]
        )
        return st.lists(pairs, min_size=least, max_size=most, unique_by=lambda pair: pair[0]).map(dict)

    def _name_strategy(self, node: Node, depth: int) -> st.SearchStrategy[str]:
        if node is None or node is True:
            return _names
        return self.of({"allOf": [{"type": "string"}, node]}, depth)


def _ends(keywords: Mapping[str, Any], of: str) -> tuple[int, float]:
    """Return the least and the most of what a `min…` and a `max…` keyword count; JSON may write them as `2.0`."""
    most = keywords.get(f"max{of}")
    return int(keywords.get(f"min{of}", 0)), math.inf if most is None else int(most)


def _conditional(keywords: dict[str, Any]) -> list[Node]:
    """Return what a value may be asked for where there is an `if`: that and `then`, or `else`."""
    rest = {key: value for key, value in keywords.items() if key not in ("if", "then", "else")}
    return [_and(rest, keywords["if"], keywords.get("then", True)), _and(rest, keywords.get("else", True))]


def _and(keywords: Mapping[str, Any], *others: Node) -> Node:
    """Return what asks for keywords and others; what is unevaluated is so after all of them."""
    after = {key: value for key, value in keywords.items() if key.startswith("unevaluated")}
    return {**after, "allOf": [{key: value for key, value in keywords.items() if key not in after}, *others]}


@st.composite
def _some_of(draw: st.DrawFn, names: list[str], least: int) -> list[str]:
    """Draw some of the names, in their order; none comes first, when an example is made as small as it can be."""
    if len(names) <= _MANY:
        chosen = {name for name in names if draw(st.booleans())}
    else:
        chosen = set(draw(st.lists(st.sampled_from(names), unique=True, max_size=8)))
    missing = [name for name in names if name not in chosen][: max(0, least - len(chosen))]
    return [name for name in names if name in chosen or name in missing]

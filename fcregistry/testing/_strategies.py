"""Hypothesis strategies of values that a schema accepts, and of arguments wrong in one place.

Strategies are built from the keywords of JSON Schema and nothing else. What can be constructed is constructed. For the rest (`not`, `if`,
`contains`, `dependentRequired`, keywords that cannot be joined), values are made from the other keywords and filtered by a validator.
"""

from __future__ import annotations

import copy
import json
import math
import re
import string
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from fcregistry._schema.joining import types_of
from fcregistry._tools.tool import Tool
from fcregistry.testing._schemas import TYPES, Node, SchemaReader, constants, item_schemas
from fcregistry.types import json_key


def arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that a tool's schema accepts.

    They are made from the schema, keyword by keyword; the examples that the tool declares are among them. Names come in any order.

    Args:
        tool: The tool.
        formats: Format -> strategy of its strings, for formats of your own.
    """
    document = SchemaReader(tool.parameters)
    is_valid = tool.validator("jsonschema").is_valid
    made: st.SearchStrategy[dict[str, Any]] = Values(document, formats or {}).of(document.schema)
    examples = [dict(example) for example in tool.options.examples if is_valid(dict(example))]
    if examples:
        made = st.one_of(made, made, st.sampled_from(examples))
    return made.filter(is_valid).flatmap(_in_any_order)


def wrong_arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that a tool's schema refuses for one wrong place.

    Each is an accepted one with one change: another type, a missing or unknown name, an exceeded limit, a misspelt word.

    Args:
        tool: The tool.
        formats: Format -> strategy of its strings, for formats of your own.
    """
    is_valid = tool.validator("jsonschema").is_valid
    return nearly_arguments_of(tool, formats=formats).filter(lambda arguments: not is_valid(arguments))


def nearly_arguments_of(
    tool: Tool, *, formats: Mapping[str, st.SearchStrategy[str]] | None = None
) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of argument objects that differ in one place from valid ones; most are wrong."""
    return Mutations(tool.parameters).of(arguments_of(tool, formats=formats))


def _in_any_order(arguments: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of objects with the items of `arguments` in any order."""
    return st.permutations(list(arguments.items())).map(dict)


# --- Values of a schema ---

_DEPTH: Final = 3
"""The number of references after which a recursion ends as soon as it can."""
_MORE: Final = 3
"""The most items or properties beyond the required ones."""
_MANY: Final = 24
"""Above this number of optional properties, only some are drawn at a time."""
_CONSTRUCTED: Final = frozenset({
    "type", "enum", "anyOf", "oneOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
    "maxLength", "items", "prefixItems", "additionalItems", "minItems", "maxItems", "properties", "required",
    "additionalProperties", "minProperties",
})  # fmt: skip
"""Keywords whose values are constructed exactly; with any other keyword, the values are filtered."""


class Values:
    """The values that a schema and its parts accept.

    Args:
        document: The schema.
        formats: Format -> strategy of its strings; these come before the formats known here.
    """

    def __init__(self, document: SchemaReader, formats: Mapping[str, st.SearchStrategy[str]]) -> None:
        self._document = document
        self._formats = formats
        self._made: dict[tuple[int, int], tuple[Node, st.SearchStrategy[Any]]] = {}

    def of(self, node: Node, depth: int = 0) -> st.SearchStrategy[Any]:
        """Return a strategy of the values of a part of the schema, made once for each part and depth.

        Args:
            node: The part.
            depth: The number of references that lead to it.
        """
        key = id(node), depth
        if key not in self._made:
            self._made[key] = (node, self._values(node, depth))  # with the node, so that no other object gets its id
        return self._made[key][1]

    def _values(self, node: Node, depth: int) -> st.SearchStrategy[Any]:
        """Return a strategy of the values of `node`, filtered where they cannot be constructed exactly.

        It is empty if no value is possible.
        """
        if math.isinf(self._document.height(node)):
            return st.nothing()
        keywords, is_exact, follows = self._document.flat(node)
        if not keywords:
            return anything
        made = self._values_of_keywords(keywords, depth + follows)
        if is_exact and keywords.keys() <= _CONSTRUCTED and not ("enum" in keywords or "oneOf" in keywords):
            return made
        return made.filter(self._document.validator_of(node))

    def _values_of_keywords(self, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
        """Return a strategy of values that keywords, without references and conjunctions, accept.

        Some of them may be wrong, by keywords that the values are not constructed from. It may be empty.
        """
        for union in ("anyOf", "oneOf"):
            if union in keywords:
                rest = {key: value for key, value in keywords.items() if key != union}
                branches = [_and(rest, each) if rest else each for each in keywords[union]]
                return st.one_of([self.of(each, depth) for each in self._possible_branches(branches, depth)])
        if "if" in keywords:
            branches = _conditional(keywords)
            return st.one_of([self.of(each, depth) for each in self._possible_branches(branches, depth)])
        if "enum" in keywords:
            return st.sampled_from(keywords["enum"]) if keywords["enum"] else st.nothing()
        kinds = types_of(keywords.get("type")) or [kind for kind in TYPES if kind != "integer"]
        if depth >= _DEPTH:
            least = min(self._document.height({**keywords, "type": kind}) for kind in kinds)
            kinds = [kind for kind in kinds if self._document.height({**keywords, "type": kind}) == least]
        return st.one_of([self._values_of_type(kind, keywords, depth) for kind in kinds])

    def _possible_branches(self, nodes: Iterable[Node], depth: int) -> list[Node]:
        """Return the branches that have values; from `depth` 3 on, only those with the fewest references."""
        heights = [(self._document.height(each), each) for each in nodes]
        least = min((height for height, _ in heights), default=0)
        most = least if depth >= _DEPTH else math.inf
        return [each for height, each in heights if height <= most and not math.isinf(height)]

    def _values_of_type(self, kind: str, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
        """Return a strategy of values of the JSON type `kind`; of any value if the type is unknown."""
        makers: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
            "null": st.none,
            "boolean": st.booleans,
            "integer": lambda: integers(keywords),
            "number": lambda: numbers(keywords),
            "string": lambda: strings(keywords, self._formats),
            "array": lambda: self._arrays(keywords, depth),
            "object": lambda: self._objects(keywords, depth),
        }
        return makers[kind]() if kind in makers else anything

    # Arrays

    def _arrays(self, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[list[Any]]:
        """Return a strategy of arrays; an empty one if the limits of their length contradict each other.

        From `depth` 3 on, they are as short as the limits allow.
        """
        first, rest = item_schemas(keywords)
        least, most = _limits(keywords, "Items")
        if rest is False or keywords.get("unevaluatedItems") is False:
            rest = False
            most = min(most, len(first))
        if least > most:
            return st.nothing()
        usual = least if depth >= _DEPTH else int(min(most, max(least, len(first)) + _MORE))

        @st.composite
        def arrays(draw: st.DrawFn) -> list[Any]:
            """Draw the first items, and then the others."""
            start = [
                draw(self.of(each, depth))
                for each in first[: draw(st.integers(min(least, len(first)), min(usual, len(first))))]
            ]
            if len(start) < len(first) or rest is False or usual == len(first):
                return start
            items = self.of(rest, depth)
            if "contains" in keywords:
                items = st.one_of(self.of({"allOf": [keywords["contains"], rest]}, depth), items)
            unique = json_key if keywords.get("uniqueItems") else None
            size = max(0, least - len(start)), usual - len(start)
            return [*start, *draw(st.lists(items, min_size=size[0], max_size=size[1], unique_by=unique))]

        return arrays()

    # Objects

    def _objects(self, keywords: dict[str, Any], depth: int) -> st.SearchStrategy[dict[str, Any]]:
        """Return a strategy of objects; from `depth` 3 on, with as few properties as the limits allow."""
        properties: dict[str, Node] = keywords.get("properties", {})
        required = [name for name in keywords.get("required", ()) if isinstance(name, str)]
        others = [] if depth >= _DEPTH else self._possible_properties(properties, required)
        least, most = _limits(keywords, "Properties")
        extra = keywords.get("additionalProperties", True)

        @st.composite
        def objects(draw: st.DrawFn) -> dict[str, Any]:
            """Draw the required properties, some of the optional ones, and some that the schema does not name."""
            chosen = [*required, *draw(_some_of(others, least - len(required)))]
            value = {name: draw(self.of(properties.get(name, extra), depth)) for name in chosen}
            room = max(0, int(min(most, len(value) + _MORE)) - len(value))
            wanted = max(0, least - len(value))
            more = draw(self._extras(keywords, depth, wanted, max(wanted, 0 if depth >= _DEPTH else room)))
            return {**more, **value}

        return objects()

    def _possible_properties(self, properties: Mapping[str, Node], required: Iterable[str]) -> list[str]:
        """Return the names in `properties` that a value can have beside those in `required`.

        Properties whose schema has no value are left out.
        """
        taken = set(required)
        return [
            name
            for name, node in properties.items()
            if name not in taken and not math.isinf(self._document.height(node))
        ]

    def _extras(self, keywords: dict[str, Any], depth: int, least: int, most: int) -> st.SearchStrategy[dict[str, Any]]:
        """Return a strategy of objects of properties that the schema does not name.

        It has only `{}` if no such property is possible, or `most` is 0.

        Args:
            keywords: The keywords of the object.
            depth: The number of references that lead to it.
            least: The fewest properties.
            most: The most properties.
        """
        known = keywords.get("properties", {})
        ways: list[tuple[st.SearchStrategy[str], Node]] = [
            (_of_pattern(pattern, 0, None), node) for pattern, node in keywords.get("patternProperties", {}).items()
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
        """Return a strategy of names that `node`, the value of `propertyNames`, accepts; any for None or True."""
        if node is None or node is True:
            return _names
        return self.of({"allOf": [{"type": "string"}, node]}, depth)


def _limits(keywords: Mapping[str, Any], of: str) -> tuple[int, float]:
    """Return the values of `min…` and `max…`, such as `minItems` if `of` is `Items`.

    They are 0 and infinity if the keywords are missing. JSON may write them as `2.0`.
    """
    most = keywords.get(f"max{of}")
    return int(keywords.get(f"min{of}", 0)), math.inf if most is None else int(most)


def _conditional(keywords: dict[str, Any]) -> list[Node]:
    """Return the two alternatives of an `if` as schemas with all other keywords.

    The first has the `if` and the `then`, the second the `else`.
    """
    rest = {key: value for key, value in keywords.items() if key not in ("if", "then", "else")}
    return [_and(rest, keywords["if"], keywords.get("then", True)), _and(rest, keywords.get("else", True))]


def _and(keywords: Mapping[str, Any], *others: Node) -> Node:
    """Return the conjunction of `keywords` and `others`; `unevaluated…` keywords apply after all of them."""
    after = {key: value for key, value in keywords.items() if key.startswith("unevaluated")}
    return {**after, "allOf": [{key: value for key, value in keywords.items() if key not in after}, *others]}


@st.composite
def _some_of(draw: st.DrawFn, names: list[str], least: int) -> list[str]:
    """Return a strategy of lists of some of `names`, in their order: at least `least` of them, or all.

    Hypothesis shrinks the choice to the fewest names; of more than 24 names, at most eight are drawn if `least` allows that.
    """
    if len(names) <= _MANY:
        chosen = {name for name in names if draw(st.booleans())}
    else:
        chosen = set(draw(st.lists(st.sampled_from(names), unique=True, max_size=8)))
    missing = [name for name in names if name not in chosen][: max(0, least - len(chosen))]
    return [name for name in names if name in chosen or name in missing]


# --- Numbers ---

_LARGEST_EXACT: Final = 2**53
"""Every whole number up to here is a float too."""


def integers(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy of whole numbers, some as floats: `2.0` is an integer (JSON Schema 6.1.1)."""
    step = _step(schema)
    # A whole multiple of p/q, in lowest terms, is a multiple of p.
    unit = 1 if step is None else step.numerator
    low, high = _counts(schema, Fraction(unit))
    if low is not None and high is not None and low > high:
        return st.nothing()
    whole = st.integers(low, high).map(lambda count: count * unit)
    as_floats = whole.filter(lambda number: abs(number) < _LARGEST_EXACT).map(float)
    return st.one_of(whole, whole, whole, as_floats)


def numbers(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Return a strategy of the accepted numbers, whole ones and others."""
    step = _step(schema)
    if step is not None:
        low, high = _counts(schema, step)
        first = low if low is not None else -1000 if high is None else high - 2000
        last = high if high is not None else first + 2000
        multiples = st.integers(first, last).map(lambda count: float(count * step)) if first <= last else st.nothing()
        return st.one_of(integers(schema), multiples)
    least, most = _float_above(_bound(schema, 1)), -_float_above(_bound(schema, -1))
    if least > most or least == math.inf or most == -math.inf:
        return integers(schema)
    ends = [None if math.isinf(end) else end for end in (least, most)]
    return st.one_of(st.floats(*ends, allow_nan=False, allow_infinity=False), integers(schema))


class _Bound(NamedTuple):
    """A lower bound of numbers."""

    limit: Fraction
    is_excluded: bool


def _bound(schema: Mapping[str, Any], sign: int) -> _Bound | None:
    """Return the tightest lower bound, or with the `sign` -1 the upper one, negated; None without a bound."""
    inclusive, exclusive = ("minimum", "exclusiveMinimum") if sign > 0 else ("maximum", "exclusiveMaximum")
    limit, beyond = schema.get(inclusive), schema.get(exclusive)
    bounds = [] if limit is None else [_Bound(sign * Fraction(limit), beyond is True)]  # `true`: draft 4
    if beyond is not None and not isinstance(beyond, bool):
        bounds.append(_Bound(sign * Fraction(beyond), True))
    return max(bounds, default=None)


def _step(schema: Mapping[str, Any]) -> Fraction | None:
    """Return the value of `multipleOf` by its written digits, or None if it is missing or not positive."""
    step = schema.get("multipleOf")
    if step is None or step <= 0:
        return None
    return Fraction(repr(step)) if isinstance(step, float) else Fraction(step)


def _counts(schema: Mapping[str, Any], unit: Fraction) -> tuple[int | None, int | None]:
    """Return the least and the greatest `n` with `n * unit` within the bounds; None for a missing bound.

    The least may be above the greatest: then no multiple of `unit` is within the bounds.
    """
    low, high = (
        None
        if bound is None
        else math.floor(bound.limit / unit) + 1
        if bound.is_excluded
        else math.ceil(bound.limit / unit)
        for bound in (_bound(schema, 1), _bound(schema, -1))
    )
    return low, None if high is None else -high


def _float_above(bound: _Bound | None) -> float:
    """Return the smallest float within a lower bound; minus infinity without a bound.

    If the bound is beyond all floats, the infinity of its sign.
    """
    if bound is None:
        return -math.inf
    try:
        nearest = float(bound.limit)
    except OverflowError:
        return math.inf if bound.limit > 0 else -math.inf
    while Fraction(nearest) < bound.limit or (bound.is_excluded and Fraction(nearest) == bound.limit):
        nearest = math.nextafter(nearest, math.inf)
    return nearest


# --- Strings ---

LETTERS: Final = "abcXYZ019 _-.,:/\\'\"`{}[]<>%$#@*\t\n\x00\x1b\x7fßéİ\u0301\u200d\u202e\u2028京😀"
"""The characters of strings: plain ones, and such as break a parser, a shell, a terminal or a comparison."""
LOOKALIKES: Final = (
    *("https://acme.example/a?b=1", "a.b@acme.example", "192.0.2.1", "2001:db8::1", "10.0.0.0/8", "/tmp/a.txt", "UTC"),
    *("2024-02-29", "2024-02-29T12:30:00Z", "12:30", "PT1H", "00000000-0000-4000-8000-000000000000"),
    *("0", "-1.5", "1e3", "2/3", "true", "null", "[]", "{}", "red", "QQ=="),
)
"""Strings that other types read as their own: unions mix them up, and a type whose schema is only `string` may require them."""
_WORDS: Final = ("a", "b", "paris", "x1")
_LONGEST: Final = 4000


def texts(least: int = 0, most: int | None = None) -> st.SearchStrategy[str]:
    """Return a strategy of strings of a length; most are short."""
    if most is not None and most < least:
        return st.nothing()
    usual = least + 8 if most is None else min(most, least + 8)
    made: st.SearchStrategy[str] = st.lists(st.sampled_from(LETTERS), min_size=least, max_size=usual).map("".join)
    if most is not None and usual < most <= _LONGEST:
        made = st.one_of(made, made.map(lambda text: text + "a" * (most - len(text))))
    lookalikes = [text for text in LOOKALIKES if least <= len(text) and (most is None or len(text) <= most)]
    return st.one_of(made, made, st.sampled_from(lookalikes)) if lookalikes else made


def strings(schema: Mapping[str, Any], formats: Mapping[str, st.SearchStrategy[str]]) -> st.SearchStrategy[str]:
    """Return a strategy of strings for the keywords of a schema; with a pattern or a format, filter them.

    Args:
        schema: The keywords.
        formats: Format -> strategy of its strings; these come before the formats known here.
    """
    least = int(schema.get("minLength", 0))
    most = int(schema["maxLength"]) if "maxLength" in schema else None
    known = {**FORMATS, **formats}
    if "pattern" in schema:
        return _of_pattern(schema["pattern"], least, most)
    if schema.get("format") in known:
        return known[schema["format"]].filter(lambda text: least <= len(text) and (most is None or len(text) <= most))
    return texts(least, most)


def _of_pattern(pattern: str, least: int, most: int | None) -> st.SearchStrategy[str]:
    """Return a strategy of strings that match `pattern`, of a length within the limits.

    If Python cannot read the pattern, they match only by chance.
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return texts(least, most)
    letters = "".join(sorted({*LETTERS, *string.ascii_letters, *string.digits, *pattern}))
    # Without an alphabet, Hypothesis makes tables of all of Unicode: seconds, in a process that cannot keep them.
    made = st.from_regex(compiled, fullmatch=pattern.startswith("^") and pattern.endswith("$"), alphabet=letters)
    return made.filter(lambda text: least <= len(text) and (most is None or len(text) <= most))


# --- Any JSON value ---

scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    texts(),
)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts(), inner, max_size=3)),
    max_leaves=4,
)
"""Any JSON value."""
_names = st.one_of(st.sampled_from(["x", "extra", "1", "", "$ref", "self", "a b", "__class__"]), texts())


# --- Formats ---

_OFFSETS: Final = ("", "Z", "z", "+00:00", "+05:30", "-11:00", "+14:00")
_word = st.sampled_from(_WORDS)


def _with_offset(text: str, offset: str) -> str:
    """Return `text`, a time, with a UTC offset behind it."""
    return text + offset


def _joined(separator: str, part: st.SearchStrategy[str], least: int = 1) -> st.SearchStrategy[str]:
    """Return a strategy of texts: `least` to three texts of `part`, joined by `separator`."""
    return st.lists(part, min_size=least, max_size=3).map(separator.join)


_hosts = _joined(".", _word, 2)
_paths = _joined("/", _word, 0).map(lambda path: f"/{path}")
_uris = st.builds("https://{}{}?q={}#{}".format, _hosts, _paths, _word, _word)
_emails = st.builds("{}@{}".format, _joined(".", _word), _hosts)
_pointers = _joined("", st.sampled_from(["/a", "/0", "/x~0y", "/~1", "/"]), 0)
_moments = st.builds(
    _with_offset, st.datetimes().map(lambda moment: moment.isoformat()), st.sampled_from(_OFFSETS)
).map(lambda text: text.replace("T", "t") if text.endswith("z") else text)
_times = st.builds(_with_offset, st.times().map(lambda moment: moment.isoformat()), st.sampled_from(_OFFSETS))
_decimals = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    st.integers(0, 10**30),
    st.sampled_from(["", ".0", ".10", ".000000000000000000000001"]),
    st.sampled_from(["", "e5", "E-5", "e+20"]),
)
_durations = st.builds(
    "{}{}".format,
    st.sampled_from(["P", "-P", "P"]),
    st.one_of(
        st.builds("{}D".format, st.integers(0, 999)),
        st.builds("{}W".format, st.integers(0, 99)),
        st.builds("T{}H{}M".format, st.integers(0, 99), st.integers(0, 99)),
        st.builds("{}DT{}.{:06d}S".format, st.integers(0, 99), st.integers(0, 99), st.integers(0, 999_999)),
    ),
)

FORMATS: Final[dict[str, st.SearchStrategy[str]]] = {
    "byte": st.binary(max_size=12).map(lambda data: b64encode(data).decode()),
    "date": st.dates().map(lambda day: day.isoformat()),
    "date-time": _moments,
    "decimal": _decimals,
    "duration": _durations,
    "email": _emails,
    "fraction": st.builds(
        "{}{}".format, st.integers(-999, 999), st.sampled_from(["", "/1", "/3", "/07", "/1000000007"])
    ),
    "hostname": _hosts,
    "idn-email": _emails,
    "idn-hostname": _hosts,
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv4interface": st.builds("{}/{}".format, st.ip_addresses(v=4), st.integers(0, 32)),
    "ipv4network": st.integers(0, 255).map("10.{}.0.0/16".format),
    "ipv6": st.ip_addresses(v=6).map(str),
    "ipv6interface": st.builds("{}/{}".format, st.ip_addresses(v=6), st.integers(0, 128)),
    "ipv6network": st.integers(1, 65535).map("2001:{:x}::/32".format),
    "iri": _uris,
    "iri-reference": st.one_of(_uris, _paths),
    "json-pointer": _pointers,
    "regex": st.sampled_from(["", "a", "^a+$", "[0-9]{2}", "(x|y)*", "\\d"]),
    "relative-json-pointer": st.builds("{}{}".format, st.integers(0, 3), _pointers),
    "time": _times,
    "timezone": st.sampled_from(["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"]),
    "uri": _uris,
    "uri-reference": st.one_of(_uris, _paths),
    "uri-template": st.builds("https://{}/{{{}}}".format, _hosts, _word),
    "uuid": st.uuids().map(str),
}
"""JSON Schema format -> strategy of its strings: the formats of the standard (2020-12 validation, 7.3) and of the type table."""


# --- Arguments that are wrong in one place ---

Path = tuple[str | int, ...]

_ANOTHER_TYPE: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, -1, 1.0, 2.5, "", "a", "1", "true", [], [0], {}, {"a": 1},
)  # fmt: skip

_LONGEST_TRIED: Final = 5000
"""Length limits above this are not tried: such an example would be too long to read."""


class Mutations:
    """Changes a JSON object in one place.

    Args:
        schema: The schema, whose limits and words give values that are nearly right.
    """

    def __init__(self, schema: Node) -> None:
        found = list(constants(schema))
        limits = [each for each in found if not isinstance(each, str)]
        self._numbers = sorted({*limits}, key=lambda number: (abs(number), number))
        self._lengths = [each for each in self._numbers if isinstance(each, int) and 0 <= each <= _LONGEST_TRIED]
        self._words = sorted({each for each in found if isinstance(each, str)})

    def of(self, values: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
        """Return a strategy of objects that differ in one place from those of `values`."""

        @st.composite
        def changed(draw: st.DrawFn) -> dict[str, Any]:
            """Draw an object and a place in it, and change it there."""
            value = copy.deepcopy(draw(values))
            places = list(_places(value, ()))
            path = draw(st.sampled_from(places))
            if not path:
                return draw(st.one_of(self._object_changes(value)))
            holder: Any = value
            for segment in path[:-1]:
                holder = holder[segment]
            holder[path[-1]] = draw(st.one_of(self._changes(holder[path[-1]])))
            return value

        return changed()

    def _changes(self, value: Any) -> list[st.SearchStrategy[Any]]:
        """Return strategies of other values for the place of `value`, one for each kind of change."""
        ways: list[st.SearchStrategy[Any]] = [st.sampled_from(_ANOTHER_TYPE)]
        if isinstance(value, dict):
            ways += [*self._object_changes(value), st.just(json.dumps(value))]
        elif isinstance(value, list):
            ways += [*self._array_changes(value), st.just(json.dumps(value))]
        elif isinstance(value, str):
            ways.append(st.sampled_from(self._texts_near(value)))
        elif isinstance(value, bool):
            ways.append(st.sampled_from([int(value), str(value).lower()]))
        elif value is not None:
            ways += [st.sampled_from(self._numbers_near(value)), st.just(str(value))]
        return ways

    def _object_changes(self, value: dict[str, Any]) -> list[st.SearchStrategy[Any]]:
        """Return strategies of objects like `value` with a property added, left out or renamed to upper case."""
        taken = list(value)
        unknown = [name for name in (*self._words, *(f"{each}s" for each in taken), "unknown", "") if name not in value]
        ways: list[st.SearchStrategy[Any]] = [
            st.builds(lambda name, new: {**value, name: new}, st.sampled_from(unknown), st.sampled_from(_ANOTHER_TYPE))
        ]
        if taken:
            ways.append(
                st.sampled_from(taken).map(lambda left: {name: each for name, each in value.items() if name != left})
            )
            ways.append(
                st.sampled_from(taken).map(
                    lambda old: {(name.upper() if name == old else name): each for name, each in value.items()}
                )
            )
        return ways

    def _array_changes(self, value: list[Any]) -> list[st.SearchStrategy[Any]]:
        """Return strategies of arrays like `value` with items added, left out or in another order."""
        ways: list[st.SearchStrategy[Any]] = [st.sampled_from(_ANOTHER_TYPE).map(lambda new: [*value, new])]
        if value:
            ways.append(st.sampled_from([value[:-1], value[1:], [*value, value[0]], value[::-1]]))
            lengths = [each + more for each in self._lengths for more in (0, 1) if each + more > len(value)]
            ways += [st.sampled_from(lengths).map(lambda length: (value * length)[:length])] if lengths else []
        return ways

    def _texts_near(self, value: str) -> list[str]:
        """Return texts that differ little from `value`, or have a length near a limit of the schema.

        Words of the schema are among them, and `value` itself never is.
        """
        near = [f"{value}\n", f" {value}", f"{value}x", value[:-1], value.upper(), value.title(), *self._words]
        near += [(value or "a") * length for length in self._lengths if length < 100]
        near += [("a" * (length + more)) for length in self._lengths for more in (-1, 0, 1) if length + more >= 0]
        return list(dict.fromkeys(each for each in near if each != value)) or [f"{value}x"]

    def _numbers_near(self, value: int | float) -> list[Any]:
        """Return numbers that differ little from `value` or from a number in the schema.

        `value` itself may be among them, also as float for int and the other way round.
        """
        limits = [each + more for each in self._numbers for more in (-1, 0, 1, 0.5, -0.5) if abs(each) < 1e300]
        near: list[Any] = [value + 0.5 if abs(value) < 2**50 else 0.5, -value, value + 1, value + 0.001, *limits]
        if isinstance(value, float) and value.is_integer():
            near.append(int(value))
        elif not isinstance(value, float) and abs(value) < 2**53:
            near.append(float(value))
        return near


def _places(value: Any, above: Path) -> Iterator[Path]:
    """Yield the paths of `value`, which is at `above`, and of everything inside it, outermost first."""
    yield above
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _places(each, (*above, name))
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from _places(each, (*above, position))

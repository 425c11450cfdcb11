"""The differences between two JSON Schemas, and whether each narrows or widens what is accepted.

Both schemas are walked together, from the top. A table has a rule for each group of keywords: how its old and its new value compare. A
schema is a conjunction, so the new one accepts all that the old one accepts if each group of keywords does. Where no rule decides, the
effect is not known; it is never called compatible by mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest
from math import floor, inf
from typing import Any, Final, Literal

from fcregistry._base.wording import KINDS, json_path, show
from fcregistry.inspection._schema_document import SchemaDocument, enforced, is_same, json_text

Path = tuple[str, ...]
"""The segments of a path as text: `.name`, `[0]`, `[*]`, `.*`."""

Kind = Literal["constraint", "default", "description"]

Effect = tuple[bool | None, bool | None]
"""Whether a change narrows and whether it widens what is accepted; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between an old and a new schema.

    Attributes:
        path: The place in the value.
        message: What differs, in words.
        narrows: Whether the new schema refuses a value that the old one accepts; None if that is not known.
        widens: Whether the new schema accepts a value that the old one refuses; None if that is not known.
        kind: What differs: a constraint, the default, or another keyword that only describes.
    """

    path: Path
    message: str
    narrows: bool | None
    widens: bool | None
    kind: Kind = "constraint"


_MOST_PLACES: Final = 1_000
"""The most places to compare: a small schema from a stranger may have more of them than there is time."""


def schema_differences(old: dict[str, Any], new: dict[str, Any], verb: str = "accept") -> list[Difference]:
    """Return the differences between two schemas, in the order of the new one.

    Args:
        old: The old JSON Schema.
        new: The new JSON Schema.
        verb: What the schema's owner does with a valid value, for messages: `accept` or `return`.
    """
    try:
        return _Comparison(SchemaDocument(old), SchemaDocument(new), verb).run()
    except RecursionError:
        return [_unclear((), "the schema nests too deeply to be compared")]


# --- Rules: what a change of some keywords means ---

Constraints = Mapping[str, Any]
Rule = Callable[[Constraints, Constraints], Effect]


def _added_or_removed(*names: str) -> Rule:
    """Return the rule of keywords of which only the presence is compared: a changed value is unclear."""

    def _rule(old: Constraints, new: Constraints) -> Effect:
        """Return (None, None) if both have one of `names`; otherwise whether it was added, and removed."""
        before, after = (any(name in each for name in names) for each in (old, new))
        return (None, None) if before and after else (after, before)

    return _rule


def _least(name: str) -> Rule:
    """Return the rule of a keyword such as `minLength`: a greater value narrows; the default is 0."""
    return lambda old, new: (new.get(name, 0) > old.get(name, 0), new.get(name, 0) < old.get(name, 0))


def _most(name: str) -> Rule:
    """Return the rule of a keyword such as `maxLength`: a smaller value narrows; the default is infinite."""
    return lambda old, new: (new.get(name, inf) < old.get(name, inf), new.get(name, inf) > old.get(name, inf))


def _bound(name: str, exclusive: str, sign: int) -> Rule:
    """Return the rule of a lower bound (`sign` 1) or an upper one (-1): keywords `name` and `exclusive`."""

    def _effective(each: Constraints, integers: bool) -> tuple[float, bool]:
        """Return the tightest limit, times `sign`, and whether it is exclusive; minus infinity without one."""
        found = [(sign * each[name], False)] if name in each else []
        if exclusive in each:
            value = sign * each[exclusive]
            found.append((floor(value) + 1, False) if integers else (value, True))
        return max(found, default=(-inf, False))

    def _rule(old: Constraints, new: Constraints) -> Effect:
        """Return whether the bound became tighter, and whether looser."""
        integers = old.get("type") == new.get("type") == "integer"
        before, after = _effective(old, integers), _effective(new, integers)
        return after > before, after < before

    return _rule


def _multiple(old: Constraints, new: Constraints) -> Effect:
    """Return the effect of a changed `multipleOf`; not known (None) if both have one, and not both ints."""
    before, after = old.get("multipleOf"), new.get("multipleOf")
    if isinstance(before, int) and isinstance(after, int):
        return before % after != 0, after % before != 0
    return _added_or_removed("multipleOf")(old, new)


def _type(old: Constraints, new: Constraints) -> Effect:
    """Return the effect of a changed `type`: it narrows if an old type is gone, and widens if one is new."""
    before, after = _types(old), _types(new)
    return not before <= after, not after <= before


_TYPE: Final = ("type",)
RULES: Final[dict[tuple[str, ...], Rule]] = {
    _TYPE: _type,
    ("minimum", "exclusiveMinimum"): _bound("minimum", "exclusiveMinimum", 1),
    ("maximum", "exclusiveMaximum"): _bound("maximum", "exclusiveMaximum", -1),
    ("multipleOf",): _multiple,
    ("minLength",): _least("minLength"),
    ("maxLength",): _most("maxLength"),
    ("pattern",): _added_or_removed("pattern"),
    ("format",): _added_or_removed("format"),
    ("minItems",): _least("minItems"),
    ("maxItems",): _most("maxItems"),
    ("uniqueItems",): _least("uniqueItems"),
    ("contains", "minContains", "maxContains"): _added_or_removed("contains"),
    ("minProperties",): _least("minProperties"),
    ("maxProperties",): _most("maxProperties"),
    ("dependentRequired",): _added_or_removed("dependentRequired"),
    ("dependentSchemas",): _added_or_removed("dependentSchemas"),
    ("dependencies",): _added_or_removed("dependencies"),
    ("not",): _added_or_removed("not"),
    ("if", "then", "else"): _added_or_removed("if"),
}
"""Keywords that belong together -> what a change of them means. Other keywords have schemas inside, and a method of `_Comparison`."""

VALUES: Final = ("const", "enum")
JOINED: Final = ("allOf", "anyOf", "oneOf")
OBJECT_KEYWORDS: Final = ("properties", "required", "patternProperties", "additionalProperties", "propertyNames")
ARRAY_KEYWORDS: Final = ("items", "prefixItems", "additionalItems")
UNEVALUATED: Final = ("unevaluatedItems", "unevaluatedProperties")

_NUMERIC: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
_OF_TYPE: Final[dict[str, frozenset[str]]] = {
    "array": frozenset({*ARRAY_KEYWORDS, "contains", "maxContains", "maxItems", "minContains", "minItems", "unevaluatedItems", "uniqueItems"}),
    "boolean": frozenset(),
    "integer": _NUMERIC,
    "null": frozenset(),
    "number": _NUMERIC,
    "object": frozenset({
        *OBJECT_KEYWORDS, "dependencies", "dependentRequired", "dependentSchemas", "maxProperties", "minProperties", "unevaluatedProperties",
    }),
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
}  # fmt: skip
"""Type -> the keywords that constrain its values, and no others (JSON Schema Validation, 6)."""
_OF_ONE_TYPE: Final = frozenset().union(*_OF_TYPE.values())


def _types(schema: Any) -> set[str]:
    """Return the types by a schema's `type`: all without one, none for False; with number also integer."""
    if not isinstance(schema, dict):
        return set() if schema is False else set(_OF_TYPE)
    written = schema.get("type", list(_OF_TYPE))
    names = set(written) if isinstance(written, list) else {written}
    return names | {"integer"} if "number" in names else names


# --- The comparison ---


class _Comparison:
    """The comparison of two documents; `verb` is what their owner does with a valid value, for messages."""

    def __init__(self, old: SchemaDocument, new: SchemaDocument, verb: str) -> None:
        self._old = old
        self._new = new
        self._verb = verb
        self._same_definitions = old.definitions is not None and is_same(old.definitions, new.definitions)
        self._places = 0
        self._open: dict[tuple[str, str], int] = {}
        self._assumed: set[tuple[str, str]] = set()
        self._seen: dict[tuple[str, str], tuple[Path, list[Difference]]] = {}
        self._in_one_of = 0

    def run(self) -> list[Difference]:
        """Return all differences between the two documents."""
        old, new = self._old, self._new
        if is_same(old.schema, new.schema):
            return []
        if old.draft is not new.draft or not (old.is_plain and new.is_plain):
            return [_unclear((), "the schema changed in a way that is not followed: `$id`, anchors, or another draft")]
        if not (old.is_schema and new.is_schema):
            return [_unclear((), "the schema changed, and one of the two is not a valid JSON Schema")]
        return self._compare(old.schema, new.schema, ())

    def _is_same(self, old: Any, new: Any) -> bool:
        """Return whether two parts have the same text; if they have references, also all definitions must."""
        text = json_text(old)
        return text == json_text(new) and ('"$ref"' not in text or self._same_definitions)

    def _compare(self, old: Any, new: Any, path: Path) -> list[Difference]:
        """Return the differences between two parts at `path`; after a thousand places, one unclear difference."""
        old, new = _without_definitions(old), _without_definitions(new)
        if self._is_same(old, new):
            return []
        key = (json_text(old), json_text(new))
        if key in self._open:
            return self._nested_pair(key, path)
        if key in self._seen:
            return self._repeated_pair(key, path)
        self._places += 1
        if self._places > _MOST_PLACES:
            return [_unclear(path, "the schema is too large to be compared further")]
        self._open[key] = len(path)
        found = list(self._differences(old, new, path))
        del self._open[key]
        self._assumed.discard(key)
        if not self._assumed:
            self._seen[key] = (path, found)
        return found

    def _nested_pair(self, key: tuple[str, str], path: Path) -> list[Difference]:
        """Return no difference for a pair inside the same pair, whose differences are reported there.

        In a `oneOf`, or at the same path as the outer pair, return one unclear difference.
        """
        if self._open[key] == len(path):
            return [_unclear(path, "the schema refers to itself without an end")]
        if self._in_one_of:
            return [_unclear(path, "what it refers to changed")]  # in a `oneOf`, accepting more may mean accepting less
        self._assumed.add(key)
        return []

    def _repeated_pair(self, key: tuple[str, str], path: Path) -> list[Difference]:
        """Return the differences of a pair that was compared before.

        At another path, return one difference that refers to them, or none if they neither narrow nor widen.
        """
        first, found = self._seen[key]
        narrows, widens = _total(found)
        if first == path:
            return found
        if (narrows, widens) == (False, False):
            return []
        return [Difference(path, f"changed as {shown_path(first)} did", narrows, widens)]

    def _effect(self, old: Any, new: Any, path: Path) -> Effect:
        """Return the effect of a change from `old` to `new`, without reporting it."""
        seen = dict(self._seen)
        effect = _total(self._compare(old, new, path))
        self._seen = seen  # places that are not reported are not referred to
        return effect

    def _differences(self, old: Any, new: Any, path: Path) -> Iterator[Difference]:
        """Yield the differences of two parts with references followed; one unclear one if that fails."""
        before, after = self._old.resolved(old), self._new.resolved(new)
        if before is None or after is None:
            yield _unclear(path, "the schema changed in a way that is not followed")
        elif before is False or after is False:
            if after is not before:
                message = f"{self._verb}s values now" if before is False else f"{self._verb}s nothing any more"
                yield Difference(path, message, after is False, before is False)
        else:
            before, after = ({} if each is True else each for each in (before, after))
            yield from _description_differences(before, after, path)
            if any(name in each for name in VALUES for each in (before, after)):
                yield from self._value_differences((old, before), (new, after), path)
                return
            branches = _branches(before), _branches(after)
            if len(branches[0]) > 1 or len(branches[1]) > 1:
                yield from self._alternative_differences(*branches, path)
            else:
                yield from self._constraint_differences(_constraints(before), _constraints(after), path)

    def _constraint_differences(self, old: Constraints, new: Constraints, path: Path) -> Iterator[Difference]:
        """Yield the differences between the constraints of two parts that have no alternatives."""
        for names, rule in RULES.items():
            before, after = ({name: each[name] for name in names if name in each} for each in (old, new))
            if self._is_same(before, after):
                continue
            narrows, widens = rule(old, new)
            if narrows is not False or widens is not False:
                yield Difference(path, _words(names, before, after), narrows, widens)
            if names == _TYPE and narrows and widens:
                return  # an entirely different type: the old constraints do not matter any more
        for keyword in JOINED:
            yield from self._joined_differences(keyword, old, new, path)
        if any(name in each for name in OBJECT_KEYWORDS for each in (old, new)):
            yield from self._object_differences(old, new, path)
        if any(name in each for name in ARRAY_KEYWORDS for each in (old, new)):
            yield from self._array_differences(old, new, path)
        if any(name in each for name in UNEVALUATED for each in (old, new)):
            yield _unclear(path, "the keywords beside `unevaluatedProperties` or `unevaluatedItems` changed")

    # --- Listed values, which are validated one by one ---

    def _value_differences(self, old: tuple[Any, Any], new: tuple[Any, Any], path: Path) -> Iterator[Difference]:
        """Yield the differences between two parts of which one lists its values.

        Each part is a pair: the part as it is written, and with its references followed.
        """
        accepted, accepts = self._old.checker(old[0]), self._new.checker(new[0])
        if accepted is None or accepts is None:
            yield _unclear(path, "its listed values, or what it refers to, changed")
            return
        before, after = _values(old[1], accepted), _values(new[1], accepts)
        gone = [each for each in before or () if not accepts(each)]
        come = [each for each in after or () if not accepted(each)]
        if before is not None and gone:
            yield Difference(path, f"no longer {self._verb}s {listed(gone)}", True, False)
        if before is None and after is not None:
            yield Difference(path, f"{self._verb}s only {listed(after)} now", True, False)
        if come:
            yield Difference(path, f"{self._verb}s {listed(come)} now", False, True)
        if before is not None and after is None:
            what = _kind_of(new[1]) if gone else f"more than {listed(before)}"
            yield Difference(path, f"{self._verb}s {what} now", False, True)

    # --- Alternatives ---

    def _alternative_differences(self, old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
        """Yield the differences of two `anyOf` lists: of pairs, and of unpaired ones that others do not cover."""
        pairs, gone, come = self._matched(old, new)
        for one, other in pairs:
            yield from self._compare(one, other, path)
        for each in gone:
            effects = [self._effect(each, other, path)[0] for other in new]
            narrows = self._is_lost(each, self._old, effects, new, self._new)
            if narrows is not False:
                yield Difference(path, f"no longer {self._verb}s {_kind_of(each)}", narrows, False)
        for each in come:
            effects = [self._effect(other, each, path)[1] for other in old]
            widens = self._is_lost(each, self._new, effects, old, self._old)
            if widens is not False:
                yield Difference(path, f"{self._verb}s {_kind_of(each)} now", False, widens)

    @staticmethod
    def _is_lost(
        one: Any, document: SchemaDocument, effects: list[bool | None], others: list[Any], in_document: SchemaDocument
    ) -> bool | None:
        """Return whether the other document refuses some value of an alternative; None if that is not known.

        Args:
            one: The alternative.
            document: Its document.
            effects: For each of `others`, whether it refuses some value of the alternative; None if that is not known.
            others: The alternatives of the other document.
            in_document: The other document.
        """
        if False in effects:
            return False
        alternative, alternatives = document.resolved(one), [in_document.resolved(each) for each in others]
        rest = _types(alternative).difference(*map(_types, alternatives))
        possible = [
            effect for effect, each in zip(effects, alternatives, strict=True) if not _are_disjoint(alternative, each)
        ]
        return True if rest or possible in ([], [True]) else None

    def _matched(self, old: list[Any], new: list[Any]) -> tuple[list[tuple[Any, Any]], list[Any], list[Any]]:
        """Return the pairs of corresponding alternatives that differ, and the gone and the new ones.

        An old and a new alternative correspond if no other has their label, or else if no other without a partner has their type.
        """
        gone, come = [], list(new)
        for each in old:
            twin = next((place for place, other in enumerate(come) if self._is_same(each, other)), None)
            if twin is None:
                gone.append(each)
            else:
                del come[twin]
        pairs: list[tuple[Any, Any]] = []
        for feature in (_label, _type_text):
            olds = [feature(each, self._old.resolved(each)) for each in gone]
            news = [feature(each, self._new.resolved(each)) for each in come]
            shared = [each for each in olds if olds.count(each) == news.count(each) == 1]
            pairs += [(gone[olds.index(each)], come[news.index(each)]) for each in shared]
            gone = [each for each, name in zip(gone, olds, strict=True) if name not in shared]
            come = [each for each, name in zip(come, news, strict=True) if name not in shared]
        return pairs, gone, come

    def _joined_differences(self, keyword: str, old: Constraints, new: Constraints, path: Path) -> Iterator[Difference]:
        """Yield the differences of `keyword` (`allOf`, `anyOf` or `oneOf`); just one if one part lacks it."""
        before, after = old.get(keyword), new.get(keyword)
        if before is None or after is None:
            if before is not after:
                yield Difference(path, changed(keyword, old, new), before is None, after is None)
        elif keyword == "allOf":
            yield from self._all_of_differences(before, after, path)
        elif keyword == "anyOf" or (_are_exclusive(self._old, before) and _are_exclusive(self._new, after)):
            yield from self._alternative_differences(before, after, path)
        else:
            yield from self._one_of_differences(before, after, path)

    def _all_of_differences(self, old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
        """Yield the differences between two lists of `allOf`, in pairs; one more if some are gone or new."""
        pairs, gone, come = self._matched(old, new) if len(old) != len(new) else (zip(old, new, strict=True), [], [])
        for one, other in pairs:
            yield from self._compare(one, other, path)
        if gone or come:
            narrows, widens = (None, None) if gone and come else (bool(come), bool(gone))
            yield Difference(path, "the schemas in allOf changed", narrows, widens)

    def _one_of_differences(self, old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
        """Yield the differences between lists of alternatives of which exactly one has to accept a value.

        If one accepts less, the whole may accept more, so effects become unknown. Gone or new alternatives give one unclear difference.
        """
        pairs, gone, come = self._matched(old, new)
        if gone or come:
            yield _unclear(path, "the alternatives of oneOf changed")
            return
        self._in_one_of += 1
        for one, other in pairs:
            for each in self._compare(one, other, path):
                doubtful = replace(each, narrows=each.narrows or None, widens=each.widens or None)
                yield doubtful if each.kind == "constraint" else each
        self._in_one_of -= 1

    # --- Objects ---

    def _object_differences(self, old: Constraints, new: Constraints, path: Path) -> Iterator[Difference]:
        """Yield the differences of properties, in the new schema's order, then those of all other names."""
        before, after = _Object(old), _Object(new)
        for name in dict.fromkeys([*after.named, *before.named, *sorted(after.required | before.required)]):
            yield from self._property_differences(name, before, after, (*path, _segment(name)))
        if after.others is False and before.others is not False:
            yield Difference(path, f"no longer {self._verb}s other names", True, False)
        elif before.others is False and after.others is not False:
            yield Difference(path, f"{self._verb}s other names now", False, True)
        else:
            yield from self._compare(before.others, after.others, (*path, ".*"))
        narrows, widens = self._effect(before.names, after.names, path)
        if narrows is not False or widens is not False:
            yield Difference(path, changed("propertyNames", old, new), narrows, widens)
        if before.patterns.keys() != after.patterns.keys() or (
            before.patterns and before.named.keys() != after.named.keys()
        ):
            yield _unclear(path, "`patternProperties`, or the names beside them, changed")
            return
        for pattern, schema in after.patterns.items():
            yield from self._compare(before.patterns[pattern], schema, (*path, f"[/{pattern}/]"))

    def _property_differences(self, name: str, old: _Object, new: _Object, path: Path) -> Iterator[Difference]:
        """Yield the differences of the property `name`: new, gone, required or optional now, other schema."""
        is_named = name in new.named
        required = name in new.required and name not in old.required
        optional = name in old.required and name not in new.required
        if is_named == (name in old.named):
            if required:
                yield Difference(path, "is required now", True, False)
            if optional:
                yield Difference(path, "is optional now", False, True)
            for each in self._compare(old.named[name], new.named[name], path) if is_named else ():
                # If the property was required, no value relied on its default
                relied = each.kind != "default" or each.path != path or name not in old.required
                yield each if relied else replace(each, kind="description")
            return
        narrows, widens = self._effect(old.named.get(name, old.others), new.named.get(name, new.others), path)
        if is_named:
            message = f"is new, and {'required' if name in new.required else 'optional'}"
            if narrows is not False and not required:
                message += f"; {self._verb}ed {_kind_of(old.others)} under that name before"
        else:
            message = "is gone"
            if new.others is not False:
                message += f"; {self._verb}s {_kind_of(new.others)} under that name now"
        effect = _any([required, narrows]), _any([optional, widens])
        kind: Kind = "description" if effect == (False, False) else "constraint"
        yield Difference(path, message, effect[0], effect[1], kind)

    # --- Arrays ---

    def _array_differences(self, old: Constraints, new: Constraints, path: Path) -> Iterator[Difference]:
        """Yield the differences of the items of an array: first those with a schema for their position."""
        others = old.get("items", True), new.get("items", True)
        first = zip_longest(old.get("prefixItems", ()), new.get("prefixItems", ()))  # a schema is never None
        for place, (one, other) in enumerate(first):
            pair = (others[0] if one is None else one, others[1] if other is None else other)
            yield from self._compare(*pair, (*path, f"[{place}]"))
        yield from self._compare(*others, (*path, "[*]"))


class _Object:
    """The keywords of a schema about the properties of an object."""

    def __init__(self, schema: Constraints) -> None:
        self.named: dict[str, Any] = schema.get("properties", {})
        self.required = set(schema.get("required", ()))
        self.patterns: dict[str, Any] = schema.get("patternProperties", {})
        self.others: Any = schema.get("additionalProperties", True)
        self.names: Any = schema.get("propertyNames", True)


# --- Parts of a schema ---


def _without_definitions(part: Any) -> Any:
    """Return a part of a schema without the definitions and the `$schema` that it has itself."""
    if not isinstance(part, dict):
        return part
    return {name: value for name, value in part.items() if name not in ("$defs", "$schema", "definitions")}


def _constraints(schema: Constraints) -> dict[str, Any]:
    """Return the keywords of `schema` that constrain values of the types that it accepts."""
    types = _types(schema)
    return {
        name: value
        for name, value in enforced(schema).items()
        if name not in _OF_ONE_TYPE or any(name in _OF_TYPE[each] for each in types)
    }


def _branches(schema: dict[str, Any]) -> list[Any]:
    """Return the alternatives: those of an `anyOf` alone, one for each type, or all constraints as one."""
    constraints = _constraints(schema)
    if constraints.keys() == {"anyOf"}:
        return [each for branch in constraints["anyOf"] for each in _nested_branches(branch)]
    types = constraints.get("type")
    if isinstance(types, list) and constraints.keys() - {"type"} <= _OF_ONE_TYPE:
        return [
            {"type": each} | {name: constraints[name] for name in constraints if name in _OF_TYPE[each]}
            for each in types
        ]
    return [constraints | {name: schema[name] for name in ("title",) if name in schema}]


def _nested_branches(branch: Any) -> list[Any]:
    """Return the alternatives inside `branch`, or `branch` itself; a reference is not followed."""
    inner = _branches(branch) if isinstance(branch, dict) and "$ref" not in branch else []
    return inner if len(inner) > 1 else [branch]


def _label(part: Any, resolved: Any) -> str:
    """Return a text of the tag, title or `$ref` of `part`, and its type; of all of it if it is a boolean."""
    if not isinstance(part, dict) or not isinstance(resolved, dict):
        return json_text(part)
    return json_text([_tag(resolved) or resolved.get("title") or part.get("$ref"), resolved.get("type")])


def _type_text(part: Any, resolved: Any) -> str:
    """Return as JSON the `type` of `resolved` (null without one), or `part` if `resolved` is not a dict."""
    return json_text(resolved.get("type") if isinstance(resolved, dict) else part)


_ALL_VALUES: Final[dict[str, list[Any]]] = {"boolean": [False, True], "null": [None]}


def _values(schema: Any, accepts: Callable[[Any], bool]) -> list[Any] | None:
    """Return the values that `schema` lists and `accepts` takes; None if it lists none.

    A schema of a boolean or of null lists all its values.
    """
    if "const" in schema or "enum" in schema:
        return [each for each in ([schema["const"]] if "const" in schema else schema["enum"]) if accepts(each)]
    return _ALL_VALUES.get(str(schema.get("type")))


def _single_values(schema: Any) -> dict[str, Any]:
    """Return property -> its value, for the properties in `schema` that can have only one."""
    found = {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict) and "const" in each:
            found[name] = each["const"]
        elif isinstance(each, dict) and len(each.get("enum", ())) == 1:
            found[name] = each["enum"][0]
    return found


def _tag(schema: Any) -> tuple[str, Any] | None:
    """Return the first property that can have only one value, and that value; None if there is none."""
    return next(iter(_single_values(schema).items()), None)


def _are_disjoint(one: Any, other: Any, *, always: bool = False) -> bool:
    """Return whether two alternatives have different types or tags; False if one is None.

    With `always`, a tag counts only if both have the type `object` and require the tag.
    """
    if one is None or other is None:
        return False
    if not _types(one) & _types(other):
        return True
    tags = _single_values(one), _single_values(other)
    return any(
        not is_same(value, tags[1].get(name, value))
        and not (
            always
            and any(name not in each.get("required", ()) or each.get("type") != "object" for each in (one, other))
        )
        for name, value in tags[0].items()
    )


def _are_exclusive(document: SchemaDocument, alternatives: list[Any]) -> bool:
    """Return whether no value can be accepted by two of `alternatives`, which are parts of `document`."""
    return all(_are_disjoint(*pair, always=True) for pair in combinations(map(document.resolved, alternatives), 2))


# --- Effects and wording ---


def _unclear(path: Path, message: str) -> Difference:
    """Return a difference at `path` whose effect is not known."""
    return Difference(path, message, None, None)


def _any(values: Iterable[bool | None]) -> bool | None:
    """Return True if one value is True, False if all are False, and None otherwise."""
    seen = set(values)
    return True if True in seen else None if None in seen else False


def _total(differences: list[Difference]) -> Effect:
    """Return the effect of all `differences` together; (False, False) if there are none."""
    return _any(each.narrows for each in differences), _any(each.widens for each in differences)


def shown_path(path: Path) -> str:
    """Return a path as text: `$.address.zip`, `$.items[*]` for every item, `$.*` for every other name."""
    return f"${''.join(path)}"


_MOST_VALUES: Final = 10


def _segment(name: str) -> str:
    """Return a name as a segment of a path: `.name`, or `['odd name']`."""
    return json_path((name,))[1:]


def listed(values: Sequence[Any]) -> str:
    """Return JSON values in words; of many, the first ones."""
    texts = [show(value) for value in values[:_MOST_VALUES]]
    more = len(values) - len(texts)
    if more:
        return f"{', '.join(texts)} and {more} more"
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def _kind_of(schema: Any) -> str:
    """Return a few words for the values that a schema accepts: its title, name, values, tag or types."""
    if not isinstance(schema, dict) or not schema:
        return "nothing" if schema is False else "any value"
    if isinstance(schema.get("title"), str):
        return show(schema["title"])
    if isinstance(schema.get("$ref"), str):
        return show(schema["$ref"].rpartition("/")[2])
    if "const" in schema or isinstance(schema.get("enum"), list):
        return listed([schema["const"]] if "const" in schema else schema["enum"])
    if tag := _tag(schema):
        return f"an object with {tag[0]} {show(tag[1])}"
    return _types_in_words(schema.get("type"))


def _types_in_words(types: Any) -> str:
    """Return the value of the keyword `type` in words; `any value` for None or an unknown name."""
    names = types if isinstance(types, list) else [types]
    return " or ".join(KINDS.get(name, "any value") if isinstance(name, str) else "any value" for name in names)


def changed(name: str, old: Constraints, new: Constraints) -> str:
    """Return in words how the value of `name` differs between `old` and `new`."""
    if name not in old:
        return f"{name} {show(new[name])} is new"
    if name not in new:
        return f"{name} {show(old[name])} is gone"
    return f"{name} was {show(old[name])}, is {show(new[name])}"


def _words(names: tuple[str, ...], old: Constraints, new: Constraints) -> str:
    """Return in words how the keywords `names` differ; only those that do, or all if none does by itself."""
    if names == _TYPE:
        return f"was {_types_in_words(old.get('type'))}, is {_types_in_words(new.get('type'))}"
    there = [name for name in names if name in old or name in new]
    differing = [name for name in there if not is_same(old.get(name), new.get(name))]
    return "; ".join(changed(name, old, new) for name in differing or there)


def _description_differences(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield the differences of keywords that do not constrain values, such as descriptions and defaults."""
    constraints = enforced(old).keys() | enforced(new).keys()
    for name in dict.fromkeys([*new, *old]):
        if name not in constraints and (name not in old or name not in new or not is_same(old[name], new[name])):
            kind: Kind = "default" if name == "default" else "description"
            yield Difference(path, changed(name, old, new), False, False, kind)

"""The differences between two JSON Schemas, and whether each narrows or widens what is accepted.

Both schemas are walked together, from the top. A schema is a conjunction, so the new one accepts all that the old one accepts if each of its
groups of keywords does. The verdicts of parts are put together that way, and therefore the walk never reports that nothing is narrowed where
something is. At each place a proof of `jsonschema-rs`, where there is one, overrides what the parts say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Final, Literal

from fcregistry._base.messages import KINDS, json_path, show
from fcregistry.inspection._schema_document import Schema, SchemaDocument, covers, enforced, json_text, same

Path = tuple[str, ...]
"""The segments of a path as text: `.name`, `[0]`, `[*]`, `.*`."""

Kind = Literal["asked", "default", "said"]
"""What differs: a constraint (`asked`), the default, or a description (`said`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One difference between an old and a new schema.

    Attributes:
        path: The place in the value.
        message: What differs, in words.
        narrows: Whether the new schema refuses a value that the old one accepts; None if that is not known.
        widens: Whether the new schema accepts a value that the old one refuses; None if that is not known.
        kind: What differs.
    """

    path: Path
    message: str
    narrows: bool | None
    widens: bool | None
    kind: Kind = "asked"


UNEVALUATED: Final = ("unevaluatedItems", "unevaluatedProperties")
_MOST_PLACES: Final = 1_000
"""The most places to compare: a small schema from a stranger may have more of them than there is time."""


def schema_differences(old: dict[str, Any], new: dict[str, Any], taken: str = "taken") -> list[Difference]:
    """Return the differences between two schemas, in the order of the new one.

    Args:
        old: The old JSON Schema.
        new: The new JSON Schema.
        taken: The word for what happens to a valid value, for messages.
    """
    walk = Walk(SchemaDocument(old), SchemaDocument(new), taken)
    try:
        return walk.all_differences()
    except RecursionError:
        return [unclear((), "the schema nests too deeply to be compared")]


class Walk:
    """The comparison of two documents.

    Args:
        old: The old document.
        new: The new document.
        taken: The word for what happens to a valid value, for messages.
    """

    def __init__(self, old: SchemaDocument, new: SchemaDocument, taken: str) -> None:
        self.old = old
        self.new = new
        self.taken = taken
        self._places = 0
        self._open: dict[tuple[str, str], int] = {}
        self._assumed: set[tuple[str, str]] = set()
        self._seen: dict[tuple[str, str], tuple[Path, list[Difference]]] = {}

    def all_differences(self) -> list[Difference]:
        """Return every difference; add one of the whole if a proof about it shows more."""
        if same(self.old, self.old.schema, self.new, self.new.schema):
            return []
        if self.old.draft is not self.new.draft or not (self.old.is_plain and self.new.is_plain):
            return [unclear((), "the schema changed in a way that is not followed: `$id`, anchors, or another draft")]
        if not (self.old.is_schema and self.new.is_schema):
            return [unclear((), "the schema changed, and one of the two is no valid JSON Schema")]
        found = self.compare(self.old.schema, self.new.schema, ())
        if self.narrows(self.old.schema, self.new.schema) and not any(each.narrows for each in found):
            message = f"something that was {self.taken} is not {self.taken} any more"
            found.append(Difference(path=(), message=message, narrows=True, widens=False))
        if self.widens(self.old.schema, self.new.schema) and not any(each.widens for each in found):
            found.append(Difference(path=(), message=f"something more is {self.taken}", narrows=False, widens=True))
        return found

    def narrows(self, old: Schema, new: Schema) -> bool | None:
        """Return whether the old part accepts something that the new one refuses; None if nothing is proven."""
        return negated(covers(self.new, new, self.old, old))

    def widens(self, old: Schema, new: Schema) -> bool | None:
        """Return whether the new part accepts something that the old one refuses; None if nothing is proven."""
        return negated(covers(self.old, old, self.new, new))

    def same(self, old: Any, new: Any) -> bool:
        """Return whether two parts are the same, with all that they refer to."""
        return same(self.old, old, self.new, new)

    def compare(self, old: Any, new: Any, path: Path) -> list[Difference]:
        """Return the differences between two parts at one place."""
        if self.same(old, new):
            return []
        key = (_key(old), _key(new))
        if key in self._open:
            return self._nested_pair(key, path)
        if key in self._seen:
            return self._repeated_pair(key, path)
        self._places += 1
        if self._places > _MOST_PLACES:
            return [unclear(path, "the schema is too large to be compared further")]
        self._open[key] = len(path)
        found = self._differences_at(old, new, path)
        del self._open[key]
        self._assumed.discard(key)
        if not self._assumed:
            self._seen[key] = (path, found)
        return found

    def _nested_pair(self, key: tuple[str, str], path: Path) -> list[Difference]:
        """Return nothing for a pair inside itself, unless it is at the same value: then it has no end."""
        if self._open[key] == len(path):
            return [unclear(path, "the schema refers to itself without an end")]
        self._assumed.add(key)
        return []

    def _repeated_pair(self, key: tuple[str, str], path: Path) -> list[Difference]:
        first, found = self._seen[key]
        asked = [each for each in found if each.kind == "asked"]
        if not asked or first == path:
            return found if first == path else []
        message = f"changed as {shown_path(first)} did"
        narrows, widens = any_of(each.narrows for each in asked), any_of(each.widens for each in asked)
        return [Difference(path=path, message=message, narrows=narrows, widens=widens)]

    def _differences_at(self, old: Any, new: Any, path: Path) -> list[Difference]:
        before, after = self.old.resolved(old), self.new.resolved(new)
        if before is None or after is None:
            return [unclear(path, "the schema changed in a way that is not followed")]
        narrows, widens = self.narrows(before, after), self.widens(before, after)
        return bounded(self._differences(before, after, path), narrows, widens)

    def _differences(self, old: Schema, new: Schema, path: Path) -> Iterator[Difference]:
        old, new = ({} if each is True else each for each in (old, new))
        if old is False or new is False:
            yield self._refusal_difference(old, new, path)
            return
        assert isinstance(old, dict)
        assert isinstance(new, dict)
        yield from description_differences(old, new, path)
        before, after = branches_of(self.old, old), branches_of(self.new, new)
        if len(before) > 1 or len(after) > 1:
            yield from choice_differences(self, before, after, path)
        else:
            yield from self._constraint_differences(enforced(old), enforced(new), path)

    def _refusal_difference(self, old: Any, new: Any, path: Path) -> Difference:
        if new is False:
            return Difference(path=path, message=f"nothing is {self.taken} here any more", narrows=True, widens=False)
        return Difference(path=path, message=f"values are {self.taken} here now", narrows=False, widens=True)

    def _constraint_differences(self, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
        for group in GROUPS:
            found = list(group_differences(self, group, old, new, path))
            yield from found
            if group == TYPE and any(each.narrows is not False and each.widens is not False for each in found):
                return  # an entirely different type: the old constraints do not matter any more
        yield from joined_differences(self, old, new, path)
        yield from object_differences(self, old, new, path)
        yield from array_differences(self, old, new, path)
        if any(name in old or name in new for name in UNEVALUATED):
            yield unclear(path, "what stands beside `unevaluatedProperties` or `unevaluatedItems` changed")


def _key(part: Any) -> str:
    """Return the text that identifies a part, without its definitions."""
    if isinstance(part, dict):
        part = {name: value for name, value in part.items() if name not in ("$defs", "$schema", "definitions")}
    return json_text(part)


# --- Keywords that belong together ---

Group = tuple[str, ...]

TYPE: Final = ("type",)
VALUES: Final = ("const", "enum")
GROUPS: Final[tuple[Group, ...]] = (
    TYPE,
    VALUES,
    ("minimum", "exclusiveMinimum"),
    ("maximum", "exclusiveMaximum"),
    ("multipleOf",),
    ("minLength",),
    ("maxLength",),
    ("pattern",),
    ("format",),
    ("minItems",),
    ("maxItems",),
    ("uniqueItems",),
    ("contains", "minContains", "maxContains"),
    ("minProperties",),
    ("maxProperties",),
    ("propertyNames",),
    ("dependentRequired",),
    ("dependentSchemas",),
    ("dependencies",),
    ("not",),
    ("if", "then", "else"),
)
"""Keywords whose meaning depends on each other, and on no other keyword but the type."""


def group_differences(
    walk: Walk, group: Group, old: dict[str, Any], new: dict[str, Any], path: Path
) -> Iterator[Difference]:
    """Yield how the constraint of a group of keywords differs; nothing if the effect is the same."""
    before, after = ({name: each[name] for name in group if name in each} for each in (old, new))
    if walk.same(before, after):
        return
    values = (_values(before), _values(after)) if group == VALUES else (None, None)
    if values[0] is not None and values[1] is not None:
        yield from _value_differences(walk, values[0], values[1], path)
        return
    narrows, widens = _effect(walk, before, after, old, new)
    if narrows is not False or widens is not False:
        yield Difference(path=path, message=_words(walk, group, before, after), narrows=narrows, widens=widens)


def _effect(
    walk: Walk, before: dict[str, Any], after: dict[str, Any], old: dict[str, Any], new: dict[str, Any]
) -> tuple[bool | None, bool | None]:
    """Return whether a group narrows and widens what is accepted, among values of the accepted types."""
    narrows = walk.narrows(_typed(before, old), _typed(after, old))
    widens = walk.widens(_typed(before, new), _typed(after, new))
    if not after:  # a constraint is gone
        return False, True if widens is None else widens
    if not before:  # a constraint is new
        return True if narrows is None else narrows, False
    return _inferred(narrows, widens), _inferred(widens, narrows)


def _inferred(proven: bool | None, opposite: bool | None) -> bool | None:
    """Return what is proven of a group that differs; if it is proven not to do the opposite, it does this."""
    return True if proven is None and opposite is False else proven


def _typed(group: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    return group if "type" in group or "type" not in schema else {"type": schema["type"], **group}


def _values(group: dict[str, Any]) -> list[Any] | None:
    """Return the accepted values, if the keywords list them."""
    if "const" in group:
        return [group["const"]] if "enum" not in group else None
    values = group.get("enum")
    return values if isinstance(values, list) else None


def _value_differences(walk: Walk, old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
    before, after = {json_text(each) for each in old}, {json_text(each) for each in new}
    gone = [each for each in old if json_text(each) not in after]
    come = [each for each in new if json_text(each) not in before]
    if gone:
        message = f"{listed(gone)} {_verb(gone)} no longer {walk.taken}"
        yield Difference(path=path, message=message, narrows=True, widens=False)
    if come:
        yield Difference(
            path=path, message=f"{listed(come)} {_verb(come)} {walk.taken} now", narrows=False, widens=True
        )


def _verb(values: list[Any]) -> str:
    return "is" if len(values) == 1 else "are"


def _words(walk: Walk, group: Group, before: dict[str, Any], after: dict[str, Any]) -> str:
    if group == TYPE:
        return f"was {types_in_words(before.get('type'))}, is {types_in_words(after.get('type'))}"
    if group == VALUES and (values := _values(after)):
        return f"only {listed(values)} {_verb(values)} {walk.taken} now"
    if group == VALUES and (values := _values(before)):
        return f"no longer only {listed(values)} {_verb(values)} {walk.taken}"
    names = [name for name in group if json_text(before.get(name)) != json_text(after.get(name))] or list(group[:1])
    return "; ".join(changed(name, before, after) for name in names if name in before or name in after)


# --- Alternatives ---

_NUMERIC: Final = frozenset({"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"})
_OF_TYPE: Final[dict[str, frozenset[str]]] = {
    "array": frozenset({
        "additionalItems", "contains", "items", "maxContains", "maxItems", "minContains", "minItems", "prefixItems",
        "unevaluatedItems", "uniqueItems",
    }),
    "boolean": frozenset(),
    "integer": _NUMERIC,
    "null": frozenset(),
    "number": _NUMERIC,
    "object": frozenset({
        "additionalProperties", "dependencies", "dependentRequired", "dependentSchemas", "maxProperties", "minProperties",
        "patternProperties", "properties", "propertyNames", "required", "unevaluatedProperties",
    }),
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
}  # fmt: skip
"""Type -> the keywords that constrain its values, and no others (JSON Schema Validation, 6)."""
_OF_ONE_TYPE: Final = frozenset().union(*_OF_TYPE.values())


def branches_of(document: SchemaDocument, schema: dict[str, Any]) -> list[Any]:
    """Return the alternatives of a schema: of its `anyOf`, its types, or the schema itself."""
    constraints = enforced(schema)
    if constraints.keys() == {"anyOf"} and isinstance(constraints["anyOf"], list):
        return [each for branch in constraints["anyOf"] for each in _nested_branches(document, branch)]
    types = constraints.get("type")
    if (
        isinstance(types, list)
        and types
        and constraints.keys() - {"type"} <= _OF_ONE_TYPE
        and set(types) <= _OF_TYPE.keys()
    ):
        return [
            {"type": each} | {name: constraints[name] for name in constraints if name in _OF_TYPE[each]}
            for each in types
        ]
    return [schema]


def _nested_branches(document: SchemaDocument, branch: Any) -> list[Any]:
    """Return the alternatives inside an alternative; a reference is not followed."""
    if isinstance(branch, dict) and "$ref" not in branch:
        inner = branches_of(document, branch)
        return inner if len(inner) > 1 else [branch]
    return [branch]


def choice_differences(walk: Walk, old: list[Any], new: list[Any], path: Path) -> Iterator[Difference]:
    """Yield how alternatives differ: equal ones are skipped, and those that correspond are compared."""
    before = [each for each in old if not any(walk.same(each, other) for other in new)]
    after = [each for each in new if not any(walk.same(other, each) for other in old)]
    for one, other in _pairs(walk, before, after):
        before, after = ([each for each in left if each is not gone] for left, gone in ((before, one), (after, other)))
        yield from walk.compare(one, other, path)
    for each in before:
        narrows = walk.narrows(each, {"anyOf": new})
        message = f"{kind_of(each)} is no longer {walk.taken}"
        yield Difference(path=path, message=message, narrows=narrows, widens=False)
    for each in after:
        widens = walk.widens({"anyOf": old}, each)
        message = f"{kind_of(each)} is {walk.taken} now"
        yield Difference(path=path, message=message, narrows=False, widens=widens)


def _pairs(walk: Walk, old: list[Any], new: list[Any]) -> list[tuple[Any, Any]]:
    """Return the pairs of alternatives that correspond.

    Two correspond if no other alternative has their name, tag or type, or if they are the last ones and have one type.
    """
    if len(old) == len(new) == 1 and _type(walk.old, old[0]) == _type(walk.new, new[0]):
        return [(old[0], new[0])]
    names = [Counter(map(_name, each)) for each in (old, new)]
    known = {_name(each): each for each in new}
    return [
        (each, known[name]) for each in old if names[0][name := _name(each)] == names[1][name] == 1 and name in known
    ]


def _type(document: SchemaDocument, branch: Any) -> Any:
    resolved = document.resolved(branch)
    return resolved.get("type") if isinstance(resolved, dict) else resolved


def _name(branch: Any) -> str:
    if not isinstance(branch, dict):
        return str(branch)
    if "$ref" in branch or "title" in branch:
        return json_text([branch.get("$ref"), branch.get("title")])
    return json_text([tag_of(branch), branch.get("type")])


def joined_differences(walk: Walk, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield how `allOf`, `anyOf` and `oneOf` differ beside other keywords."""
    for keyword in ("allOf", "anyOf", "oneOf"):
        before, after = old.get(keyword), new.get(keyword)
        if not isinstance(before, list) or not isinstance(after, list):
            yield from group_differences(walk, (keyword,), old, new, path)
        elif keyword == "anyOf":
            yield from choice_differences(walk, before, after, path)
        elif keyword == "oneOf":
            yield from map(_of_one_of, choice_differences(walk, before, after, path))
        elif len(before) == len(after):
            for one, other in zip(before, after, strict=True):
                yield from walk.compare(one, other, path)
        else:
            yield from group_differences(walk, (keyword,), old, new, path)


def _of_one_of(difference: Difference) -> Difference:
    """Return the difference as one of a `oneOf`, where less may mean more and more may mean less."""
    if difference.kind != "asked":
        return difference
    return replace(difference, narrows=difference.narrows or None, widens=difference.widens or None)


# --- Objects ---

OBJECT_KEYWORDS: Final = ("properties", "required", "patternProperties", "additionalProperties")


class _Object:
    """What a schema requires of the properties of an object."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.named: dict[str, Any] = schema.get("properties", {})
        self.required = set(schema.get("required", ()))
        self.patterns: dict[str, Any] = schema.get("patternProperties", {})
        self.others: Any = schema.get("additionalProperties", True)


def object_differences(walk: Walk, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield how the properties of an object differ, in the order of the new schema."""
    if not any(name in old or name in new for name in OBJECT_KEYWORDS):
        return
    before, after = _Object(old), _Object(new)
    for name in dict.fromkeys([*after.named, *before.named, *sorted(after.required | before.required)]):
        yield from _property_differences(walk, name, before, after, (*path, segment(name)))
    yield from _other_name_differences(walk, before.others, after.others, path)
    yield from _pattern_differences(walk, before, after, path)


def _property_differences(walk: Walk, name: str, old: _Object, new: _Object, path: Path) -> Iterator[Difference]:
    if name in new.named and name not in old.named:
        yield _new_property(walk, name, old, new, path)
    elif name in old.named and name not in new.named:
        yield _removed_property(walk, name, old, new, path)
    else:
        yield from _requirement_differences(name, old, new, path)
        if name in new.named:
            for each in walk.compare(old.named[name], new.named[name], path):
                optional = each.kind != "default" or each.path != path or name not in old.required
                yield (
                    each if optional else replace(each, kind="said")
                )  # the property was required, so no value relied on its default


def _requirement_differences(name: str, old: _Object, new: _Object, path: Path) -> Iterator[Difference]:
    if name in new.required and name not in old.required:
        yield Difference(path=path, message="is required now", narrows=True, widens=False)
    if name in old.required and name not in new.required:
        yield Difference(path=path, message="is optional now", narrows=False, widens=True)


def _new_property(walk: Walk, name: str, old: _Object, new: _Object, path: Path) -> Difference:
    required = name in new.required and name not in old.required
    narrows = walk.narrows(old.others, new.named[name])
    widens = walk.widens(old.others, new.named[name])
    if old.others is False and widens is None:
        widens = True
    message = f"is new, and {'required' if name in new.required else 'optional'}"
    if narrows is not False and not required:
        message += f"; {kind_of(old.others)} was {walk.taken} under that name before"
    return _property_difference(
        path, message, any_of([required, narrows]), any_of([name in old.required and name not in new.required, widens])
    )


def _removed_property(walk: Walk, name: str, old: _Object, new: _Object, path: Path) -> Difference:
    optional = name in old.required and name not in new.required
    narrows = walk.narrows(old.named[name], new.others)
    widens = walk.widens(old.named[name], new.others)
    if new.others is False and narrows is None:
        narrows = True
    message = (
        "is gone" if new.others is False else f"is gone; {kind_of(new.others)} is {walk.taken} under that name now"
    )
    required = name in new.required and name not in old.required
    return _property_difference(path, message, any_of([required, narrows]), any_of([optional, widens]))


def _property_difference(path: Path, message: str, narrows: bool | None, widens: bool | None) -> Difference:
    """Return the difference of a property; it is reported even if the same values are accepted without it."""
    kind: Kind = "said" if narrows is False and widens is False else "asked"
    return Difference(path=path, message=message, narrows=narrows, widens=widens, kind=kind)


def _other_name_differences(walk: Walk, old: Any, new: Any, path: Path) -> Iterator[Difference]:
    if new is False and old is not False:
        yield Difference(path=path, message=f"other names are no longer {walk.taken}", narrows=True, widens=False)
    elif old is False and new is not False:
        yield Difference(path=path, message=f"other names are {walk.taken} now", narrows=False, widens=True)
    else:
        yield from walk.compare(old, new, (*path, ".*"))


def _pattern_differences(walk: Walk, old: _Object, new: _Object, path: Path) -> Iterator[Difference]:
    """Yield how properties that match a pattern differ; patterns decide which names are others."""
    if old.patterns.keys() != new.patterns.keys() or (old.patterns and old.named.keys() != new.named.keys()):
        yield unclear(path, "`patternProperties`, or the names beside them, changed")
        return
    for pattern, schema in new.patterns.items():
        yield from walk.compare(old.patterns[pattern], schema, (*path, f"[/{pattern}/]"))


# --- Arrays ---

ARRAY_KEYWORDS: Final = ("items", "prefixItems", "additionalItems")
_NONE: Final = object()


def array_differences(walk: Walk, old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield how the items of an array differ: those with a schema for their position, and all others."""
    if not any(name in old or name in new for name in ARRAY_KEYWORDS):
        return
    newest = walk.new.draft is not None and "prefixItems" in walk.new.draft.keywords
    (before, others_before), (after, others_after) = (_items(each, newest) for each in (old, new))
    for place, (one, other) in enumerate(zip_longest(before, after, fillvalue=_NONE)):
        pair = (others_before if one is _NONE else one, others_after if other is _NONE else other)
        yield from walk.compare(*pair, (*path, f"[{place}]"))
    yield from walk.compare(others_before, others_after, (*path, "[*]"))


def _items(schema: dict[str, Any], newest: bool) -> tuple[list[Any], Any]:
    """Return the schemas of the first items, one by one, and the schema of all items after them."""
    items = schema.get("items", True)
    if newest:
        return schema.get("prefixItems", []), items
    return (items, schema.get("additionalItems", True)) if isinstance(items, list) else ([], items)


# --- Differences ---


def said(path: Path, message: str, kind: Kind = "said") -> Difference:
    """Return a difference that does not change which values are accepted."""
    return Difference(path=path, message=message, narrows=False, widens=False, kind=kind)


def unclear(path: Path, message: str) -> Difference:
    """Return a difference whose effect is not known."""
    return Difference(path=path, message=message, narrows=None, widens=None)


def bounded(differences: Iterable[Difference], narrows: bool | None, widens: bool | None) -> list[Difference]:
    """Return differences, corrected by what is proven of all of them together.

    If it is proven that they do not narrow, none of them narrows. If it is proven that they narrow, and there is only one constraint whose
    effect was not known, that one narrows. The same holds for widening. A constraint that does neither is left out: it is another way to
    write the same.
    """
    found = list(differences)
    asked = [each for each in found if each.kind == "asked"]
    for name, proven in (("narrows", narrows), ("widens", widens)):
        if proven is False:
            found = [replace(each, **{name: False}) for each in found]  # type: ignore[arg-type]
        elif proven is True and len(asked) == 1 and getattr(asked[0], name) is None:
            found = [replace(each, **{name: True}) if each.kind == "asked" else each for each in found]  # type: ignore[arg-type]
    return [each for each in found if each.kind != "asked" or each.narrows is not False or each.widens is not False]


def negated(proven: bool | None) -> bool | None:
    """Return the opposite; None for None."""
    return None if proven is None else not proven


def any_of(values: Iterable[bool | None]) -> bool | None:
    """Return True if one value is True, False if all are False, and None otherwise."""
    seen = set(values)
    return True if True in seen else None if None in seen else False


# --- Wording ---


def shown_path(path: Path) -> str:
    """Return a path: `$.address.zip`, `$.items[*]` for every item, `$.*` for every other name."""
    return f"${''.join(path)}"


_NOT_COMPARED: Final = frozenset({"$comment", "$defs", "$schema", "definitions"})
_MOST_VALUES: Final = 10


def segment(name: str) -> str:
    """Return a name as a segment of a path: `.name`, or `['odd name']`."""
    return json_path((name,))[1:]


def listed(values: Sequence[Any]) -> str:
    """Return JSON values in words; of many, the first ones."""
    texts = [show(value) for value in values[:_MOST_VALUES]]
    more = len(values) - len(texts)
    if more:
        return f"{', '.join(texts)} and {more} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def kind_of(schema: Any) -> str:
    """Return in a few words which values a schema accepts."""
    if not isinstance(schema, dict) or not schema:
        return "nothing" if schema is False else "any value"
    if isinstance(schema.get("title"), str):
        return show(schema["title"])
    if isinstance(schema.get("$ref"), str):
        return show(schema["$ref"].rpartition("/")[2])
    if "const" in schema or isinstance(schema.get("enum"), list):
        return listed([schema["const"]] if "const" in schema else schema["enum"])
    if tag := tag_of(schema):
        return f"an object with {tag[0]} {show(tag[1])}"
    return types_in_words(schema.get("type"))


def types_in_words(types: Any) -> str:
    """Return the value of `type` in words."""
    names = types if isinstance(types, list) else [types]
    return " or ".join(KINDS.get(name, "any value") if isinstance(name, str) else "any value" for name in names)


def tag_of(schema: dict[str, Any]) -> tuple[str, Any] | None:
    """Return the property whose only value tells an object from its alternatives, and that value."""
    properties = schema.get("properties")
    for name, each in properties.items() if isinstance(properties, dict) else ():
        if isinstance(each, dict) and "const" in each:
            return name, each["const"]
        if isinstance(each, dict) and isinstance(each.get("enum"), list) and len(each["enum"]) == 1:
            return name, each["enum"][0]
    return None


def changed(name: str, old: dict[str, Any], new: dict[str, Any]) -> str:
    """Return how the value of a name differs between two objects."""
    if name not in old:
        return f"{name} {show(new[name])} is new"
    if name not in new:
        return f"{name} {show(old[name])} is gone"
    return f"{name} was {show(old[name])}, is {show(new[name])}"


def description_differences(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Difference]:
    """Yield the differences of keywords that do not constrain, such as descriptions and defaults."""
    skipped = enforced(old).keys() | enforced(new).keys() | _NOT_COMPARED
    for name in [*new, *(each for each in old if each not in new)]:
        if name not in skipped and (name not in old or name not in new or json_text(old[name]) != json_text(new[name])):
            yield said(path, changed(name, old, new), "default" if name == "default" else "said")

"""Which explicit nulls stand for a property that is left out? Those where the schema has no `null`, and the property is optional.

Providers that hold a model to a schema ask for every property, and for `null` in place of one that is left out: see the strict modes in
docs/reference/formats.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._schema.document import References

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._base.messages import Violation

Path: TypeAlias = tuple[str | int, ...]

_MOST_STEPS: Final = 5_000
"""How many violations and schemas are looked at, as often as branches of unions lead to them: with nested unions that grows exponentially."""


class OptionalProperties:
    """The properties of a schema, at every depth, that may be left out.

    Args:
        schema: The schema of a tool's parameters.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._references = References(schema)
        self._root = self._applied(schema)
        self._steps = 0

    def nulls(self, violations: Iterable[Violation]) -> list[Path]:
        """Return the paths of nulls that can only stand for what is left out.

        In a union that is a null in the one branch that has nothing else against the value; where dropping different nulls would make it
        valid in different ways, none is dropped. Nor is one in unions nested so deeply that there are too many ways to look at.

        Args:
            violations: What the arguments break.
        """
        self._steps = 0
        found = [self._of(violation, self._root, (), []) for violation in violations]
        if self._steps > _MOST_STEPS:
            return []
        return sorted(set().union(*(paths for paths in found if paths)), key=str)

    def _of(
        self, violation: Violation, schemas: list[dict[str, Any]], base: Path, outer: list[dict[str, Any]]
    ) -> frozenset[Path] | None:
        """Return the nulls whose dropping mends one violation; None if none does.

        Args:
            violation: One of the value at the base, or inside it.
            schemas: What applies to the value at the base.
            base: Its path.
            outer: What applies to it too, around the union of which those are a branch.
        """
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return None
        path = violation.path
        if violation.instance is None and len(path) > len(base):
            holders = self._at([*outer, *schemas], path[len(base) : -1])
            return frozenset({path}) if _may_be_left_out(path[-1], holders) else None
        if violation.keyword not in ("anyOf", "oneOf"):
            return None
        here = self._at(schemas, path[len(base) :])
        unions = [each[violation.keyword] for each in here if violation.keyword in each]
        if len(unions) != 1 or len(unions[0]) != len(violation.branches):
            return None
        around = [*self._at(outer, path[len(base) :]), *here]
        branches = zip(unions[0], violation.branches, strict=True)
        ways = {self._all(found, self._applied(each), path, around) for each, found in branches}
        ways.discard(None)
        return ways.pop() if len(ways) == 1 else None

    def _all(
        self, violations: Iterable[Violation], schemas: list[dict[str, Any]], base: Path, outer: list[dict[str, Any]]
    ) -> frozenset[Path] | None:
        """Return the nulls whose dropping mends all of several violations; None if something else is wrong too."""
        together: frozenset[Path] = frozenset()
        for violation in violations:
            paths = self._of(violation, schemas, base, outer)
            if paths is None:
                return None
            together |= paths
        return together

    def _at(self, schemas: list[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
        """Return the schemas that apply to what lies at a path below the value that some schemas apply to."""
        for segment in path:
            self._steps += len(schemas)
            if self._steps > _MOST_STEPS:
                return []
            inner = [each for schema in schemas for inner in _below(schema, segment) for each in self._applied(inner)]
            schemas = list({id(each): each for each in inner}.values())  # two that refer to one double at each level
        return schemas

    def _applied(self, schema: Any) -> list[dict[str, Any]]:
        """Return a schema with all that it refers to and joins by `allOf`: they apply to the same value."""
        found: list[dict[str, Any]] = []
        waiting = [schema]
        while waiting:
            each = waiting.pop()
            if not isinstance(each, dict) or any(each is other for other in found):
                continue
            found.append(each)
            place = self._references.place(each.get("$ref"))
            waiting += [*each.get("allOf", ()), *([] if place is None else [self._references.at(place)])]
        return found


def _may_be_left_out(name: str | int, holders: list[dict[str, Any]]) -> bool:
    is_known = any(name in each.get("properties", ()) for each in holders)
    return is_known and not any(name in each.get("required", ()) for each in holders)


def _below(schema: dict[str, Any], segment: str | int) -> Iterator[Any]:
    """Yield what a schema says of a property or item."""
    if isinstance(segment, str):
        properties = schema.get("properties", {})
        yield properties[segment] if segment in properties else schema.get("additionalProperties")
        return
    items = schema.get("items")
    first = items if isinstance(items, list) else schema.get("prefixItems", [])  # before draft 2020-12, and since
    yield first[segment] if segment < len(first) else items if items is not first else schema.get("additionalItems")

"""What do the references of a schema name, and which of them lead back to themselves?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Where in a schema: the names and positions that lead there from the top."""

_MAPS: Final = ("properties", "patternProperties", "dependentSchemas")
_LISTS: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLES: Final = (
    "items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else",
    "unevaluatedItems", "unevaluatedProperties", "contentSchema", "additionalItems",
)  # fmt: skip


def subschemas(schema: dict[str, Any]) -> Iterator[tuple[Place, Any]]:
    """Yield the schemas right inside a schema with their places; those of `$defs` only where something refers to them."""
    for keyword in _MAPS:
        held = schema.get(keyword)
        if isinstance(held, dict):
            yield from (((keyword, name), inner) for name, inner in held.items())
    for keyword in _LISTS:
        held = schema.get(keyword)
        if isinstance(held, list):
            yield from (((keyword, place), inner) for place, inner in enumerate(held))
    for keyword in _SINGLES:
        held = schema.get(keyword)
        if isinstance(held, list):  # `items` before draft 2020-12
            yield from (((keyword, place), inner) for place, inner in enumerate(held))
        elif isinstance(held, (dict, bool)):
            yield (keyword,), held


class References:
    """The references of one schema, which never leave it.

    Args:
        root: The whole schema.
    """

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._names: dict[Place, str] = {}
        self._anchors: dict[str, Place] | None = None

    def place(self, reference: object) -> Place | None:
        """Return the place that a `$ref` names, or None where there is no schema: it is remote, or leads nowhere."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        fragment = reference[1:]
        if "%" in fragment:
            from urllib.parse import unquote  # rarely needed, and 3 ms

            fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._anchored().get(fragment)
        segments = tuple(part.replace("~1", "/").replace("~0", "~") for part in fragment.split("/")[1:])
        found = self._walk(segments)
        return found if found is not None and isinstance(self.at(found), (dict, bool)) else None

    def at(self, place: Place) -> Any:
        """Return what stands at a place."""
        value: Any = self._root
        for segment in place:
            value = value[segment]
        return value

    def name(self, place: Place) -> str:
        """Return the name that `$defs` has for the schema at a place: its last segment, told apart where two share one."""
        if place not in self._names:
            name = str(place[-1]) if place else "root"
            while name in self._names.values():
                name += "_"
            self._names[place] = name
        return self._names[place]

    def recurring(self, *, required_only: bool = False) -> frozenset[Place]:
        """Return the places that refer to themselves, directly or by way of others.

        Args:
            required_only: Whether to follow only references that do not lie below a property that may be left out.
        """
        edges: dict[Place, list[Place]] = {}
        waiting: list[Place] = [()]
        while waiting:
            place = waiting.pop()
            if place not in edges:
                edges[place] = list(self._targets(self.at(place), required_only))
                waiting += self._targets(self.at(place), False)
        return _on_cycles(edges)

    def _targets(self, schema: Any, required_only: bool) -> Iterator[Place]:
        """Yield the places that a schema refers to."""
        waiting = [schema]
        while waiting:
            each = waiting.pop()
            if not isinstance(each, dict):
                continue
            target = self.place(each.get("$ref"))
            if target is not None:
                yield target
            required = each.get("required", ()) if required_only else ()
            waiting += [
                inner
                for place, inner in subschemas(each)
                if not (required_only and place[0] == "properties" and place[1] not in required)
            ]

    def _walk(self, segments: tuple[str, ...]) -> Place | None:
        value: Any = self._root
        walked: list[str | int] = []
        for segment in segments:
            key: str | int = (
                int(segment) if isinstance(value, list) and segment.isdecimal() and len(segment) < 10 else segment
            )
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
            walked.append(key)
        return tuple(walked)

    def _anchored(self) -> dict[str, Place]:
        if self._anchors is None:
            self._anchors = {}
            waiting: list[tuple[Place, Any]] = [((), self._root)]
            while waiting:
                place, schema = waiting.pop()
                if isinstance(schema, dict):
                    anchor = schema.get("$anchor")
                    if isinstance(anchor, str):
                        self._anchors.setdefault(anchor, place)
                    waiting += [((*place, *inner), each) for inner, each in subschemas(schema)]
                    waiting += [((*place, "$defs", name), each) for name, each in _defs(schema).items()]
        return self._anchors


def _defs(schema: dict[str, Any]) -> dict[str, Any]:
    held = schema.get("$defs")
    return held if isinstance(held, dict) else {}


def _on_cycles(edges: dict[Place, list[Place]]) -> frozenset[Place]:
    """Return the nodes of a graph that lie on a cycle: Tarjan's strongly connected components, without recursion."""
    order: dict[Place, int] = {}
    low: dict[Place, int] = {}
    stack: list[Place] = []
    stacked: set[Place] = set()
    found: set[Place] = set()
    for start, targets in edges.items():
        work = [(start, iter(targets))] if start not in order else []
        while work:
            node, following = work[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
                stacked.add(node)
            for target in following:
                if target not in order:
                    work.append((target, iter(edges[target])))
                    break
                if target in stacked:
                    low[node] = min(low[node], order[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    found.update(_component(node, stack, stacked, edges))
    return frozenset(found)


def _component(node: Place, stack: list[Place], stacked: set[Place], edges: dict[Place, list[Place]]) -> list[Place]:
    """Take the component of a node off the stack; nothing if it is one node that does not refer to itself."""
    component: list[Place] = []
    while node not in component[-1:]:
        component.append(stack.pop())
        stacked.discard(component[-1])
    return component if len(component) > 1 or node in edges[node] else []

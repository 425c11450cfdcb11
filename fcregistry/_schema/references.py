"""References of any form, and the scope in which they are followed.

References stay inside the document or lead to the standard's own schemas. Nothing is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._schema.document import References
from fcregistry._schema.drafts import own_draft

if TYPE_CHECKING:
    from fcregistry._schema.drafts import Draft
    from fcregistry._schema.engine_rs import TextChecker


REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


class Scope(NamedTuple):
    """How a subschema is interpreted during a walk through a value.

    Attributes:
        draft: The draft that it is written in.
        checker: Checks formats and patterns.
        resolver: Looks up its references.
        plans: The `id` of a subschema of this draft -> the checks that it asks for.
    """

    draft: Draft
    checker: TextChecker
    resolver: Any
    plans: dict[int, Any]

    @property
    def bases(self) -> tuple[str, ...]:
        """The base URIs of the documents that led here: what a `$dynamicRef` means depends on them."""
        if self.resolver.__class__ is References:
            return ()
        return tuple(dict.fromkeys(uri for uri, _ in self.resolver.dynamic_scope()))

    def opposite(self) -> Scope:
        """Return the scope below a `not`, in which `strict` is reversed.

        A pattern that is not enforced counts there as not matching, or below a second `not` as matching again.
        """
        opposite = self.checker.opposite
        return self if opposite is self.checker else self._replace(checker=opposite)

    def inside(self, schema: Any) -> Scope:
        """Return the scope of a subschema, which may have a draft and a base URI of its own."""
        if self.resolver.__class__ is References or not isinstance(schema, dict) or not _OF_RESOURCES & schema.keys():
            return self
        scope = self._of_draft(own_draft(schema))
        return scope._replace(resolver=self.resolver.in_subresource(resource_of(schema, scope.draft)))

    def follow(self, keyword: str, reference: str) -> tuple[Any, Scope]:
        """Return the subschema that a reference leads to, with its scope."""
        if keyword == "$recursiveRef":
            from referencing.jsonschema import lookup_recursive_ref  # loaded already, by `resolver_of`

            found: Any = lookup_recursive_ref(self.resolver)
        else:
            found = self.resolver.lookup(reference)
        if found.resolver is self.resolver:
            return found.contents, self
        return found.contents, self._of_draft(own_draft(found.contents))._replace(resolver=found.resolver)

    def _of_draft(self, draft: Draft | None) -> Scope:
        """Return this scope with another draft and no plans; itself if `draft` is None or the same."""
        return self if draft is None or draft is self.draft else self._replace(draft=draft, plans={})


_OF_RESOURCES: Final = frozenset({"$id", "$schema", "id"})
"""Keywords that give a subschema a draft or a base URI of its own."""


# --- Resolvers ---


def resolver_of(document: dict[str, Any], draft: Draft) -> Any:
    """Return a resolver for the references of `document`, which fetches nothing.

    It is a `References`, or a resolver of `referencing` if the document has a base URI, an anchor or another draft in it.
    """
    if _refers_locally({keyword: value for keyword, value in document.items() if keyword != "$schema"}):
        return References(document)
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # 60 ms, only for external schemas

    return REGISTRY.resolver_with_root(resource_of(document, draft))


def _refers_locally(value: Any) -> bool:
    """Return whether a document has no references except `#` and `#/…`.

    False, too, if there is a base URI, an anchor or a `$schema` in it.
    """
    if isinstance(value, list):
        return all(map(_refers_locally, value))
    if not isinstance(value, dict):
        return True
    reference = value.get("$ref", "#")
    if isinstance(reference, str) and reference != "#" and not reference.startswith("#/"):
        return False
    # A property may be called "id" too: its value is a schema.
    has_uri = any(isinstance(value[keyword], (bool, str)) for keyword in _WITH_URIS & value.keys())
    return not has_uri and all(map(_refers_locally, value.values()))


_WITH_URIS: Final = _OF_RESOURCES | {"$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"}


def resource_of(schema: Any, draft: Draft) -> Any:
    """Return a schema as a resource of `referencing`, with the `$id` and the anchors of its draft."""
    from referencing.jsonschema import specification_with  # loaded already

    return specification_with(draft.uri).create_resource(schema)

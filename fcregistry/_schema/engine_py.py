"""The reference engine, `jsonschema`: it decides where the fast one may not.

jsonschema is wrong or slow about some keywords: its patterns take exponential time, its `multipleOf` rounds, a reference that several branches of
a union follow is followed for each. Subschemas with such a keyword are decided by the walk of `violations.py`, which also finds the reasons.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.wording import Violation, word_problems
from fcregistry._schema.drafts import SchemaError, split_by_draft
from fcregistry._schema.engine_rs import TextChecker, is_schema_or_none
from fcregistry._schema.references import REFERENCES
from fcregistry._schema.violations import ViolationFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fcregistry._schema.drafts import Draft


def compile_schema(schema: dict[str, Any], draft: Draft, finder: ViolationFinder) -> Callable[[object], bool]:
    """Return a function that returns whether a value is valid.

    Args:
        schema: The schema.
        draft: The draft of the schema.
        finder: The finder of the schema's violations.

    Raises:
        SchemaError: The schema is malformed.
    """
    check_schema({**schema, "$schema": draft.uri}, draft)
    top = {keyword: value for keyword, value in schema.items() if keyword not in _OF_DOCUMENT}
    made = _validator_class(draft)

    def is_valid(value: object) -> bool:
        # jsonschema passes its format checker on to the validators of subschemas, so it carries the walk.
        return next(made(schema, format_checker=finder.start_walk()).descend(value, top), None) is None

    return is_valid


_OF_DOCUMENT: Final = frozenset({"$id", "$schema"})
"""Keywords at the top of a document that concern all of it."""


@cache
def _validator_class(draft: Draft) -> Any:
    """Return jsonschema's validator class of a draft, changed so that the walk decides some subschemas.

    It is cached.
    """
    import referencing  # noqa: F401  # all of it, before jsonschema imports a part of it: another thread may import it at the same time

    # isort: split
    import jsonschema  # 70 ms, paid only where the fast engine cannot decide
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    made: Any = extend(getattr(jsonschema, draft.engine))  # type: ignore[no-untyped-call]
    descend = made.descend

    def descend_or_walk(self: Any, instance: Any, schema: Any, *places: Any, **named: Any) -> Iterator[Any]:
        """Yield jsonschema's errors about a subschema.

        If the subschema has one of `_WALKED`, or a long `enum` or `anyOf`, the walk decides it: then yield one empty error if the value is not valid.
        """
        if not isinstance(schema, dict) or (
            _WALKED.isdisjoint(schema)
            and len(schema.get("enum", ())) <= _MOST_TRIED
            and len(schema.get("anyOf", ())) <= _MOST_TRIED
        ):
            yield from descend(self, instance, schema, *places, **named)
        elif not self.format_checker(schema, instance):
            yield ValidationError("")

    made.descend = descend_or_walk
    return made


_WALKED: Final = frozenset(REFERENCES) | {
    "$id", "$schema", "additionalItems", "contains", "dependencies", "format", "id", "if", "multipleOf", "not", "oneOf",
    "pattern", "patternProperties", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
}  # fmt: skip
"""The keywords of a subschema that the walk decides."""
_MOST_TRIED: Final = 100
"""The most values of an `enum`, and branches of an `anyOf`, that jsonschema tries: it compares each, and makes an error of each branch."""


# --- Schemas as values of their meta-schema ---


def is_schema(schema: dict[str, Any], draft: Draft) -> bool:
    """Return whether a schema is valid by the meta-schema of its draft."""
    return not any(_violations_of_part(part, of_draft) for part, of_draft in split_by_draft(schema, draft))


def check_schema(schema: dict[str, Any], draft: Draft) -> None:
    """Check that a schema is valid by the meta-schema of its draft.

    Raises:
        SchemaError: It is not; the message says what is wrong, and where.
    """
    for part, of_draft in split_by_draft(schema, draft):
        if violations := _violations_of_part(part, of_draft):
            raise SchemaError("; ".join(map(str, word_problems(violations)[:_MOST_PROBLEMS])))


def _violations_of_part(part: dict[str, Any], draft: Draft) -> list[Violation]:
    """Return the violations of the meta-schema of `draft` by `part`, a schema.

    An empty list means that it is valid; at least one violation means that it is not.
    """
    verdict = is_schema_or_none(part, draft)  # some five hundred times as fast as the walk
    if verdict is True:
        return []
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # 60 ms, paid only for a malformed schema

    meta_schema = REGISTRY.contents(draft.uri)
    finder = ViolationFinder(meta_schema, draft, TextChecker({}, None, False))
    if verdict is None and finder.start_walk()(meta_schema, part):
        return []
    return finder.find(part) or [Violation((), "schema", None, part)]


_MOST_PROBLEMS: Final = 5

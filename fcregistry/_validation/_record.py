"""What does `jsonschema` say of a value? The validator of record."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fcregistry._problems import Condition, Violation, worded
from fcregistry._validation._dialects import one_by_one, own_draft
from fcregistry._validation._errors import SchemaError
from fcregistry._validation._gate import takes_schema
from fcregistry._validation._keywords import KEYWORDS
from fcregistry._validation._texts import Texts, doubtful_patterns
from fcregistry._validation._unevaluated import within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fcregistry._validation._dialects import Draft


def record_of(schema: dict[str, Any], formats: Mapping[str, Callable[[str], bool]], draft: Draft) -> Any:
    """Return the validator of record for a schema.

    Raises:
        SchemaError: The schema is none.
    """
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # the standard's own schemas

    schema = {**schema, "$schema": draft.uri}  # what refers to it from a schema of another draft has to know
    check_schema(schema, draft)
    texts = Texts(formats, draft, doubtful_patterns(schema))
    # The registry is named, for the default one fetches what a remote `$ref` names.
    return record_class(draft)(schema, format_checker=texts, registry=REGISTRY)


def is_schema(schema: dict[str, Any], draft: Draft) -> bool:
    """Tell whether a schema is one by the meta-schema of its draft."""
    return all(_takes(part, of_draft) for part, of_draft in one_by_one(schema, draft))


def _takes(part: dict[str, Any], draft: Draft) -> bool:
    by_gate = takes_schema(part, draft)  # some five hundred times as fast
    return not any(_broken(part, draft)) if by_gate is None else by_gate


def check_schema(schema: dict[str, Any], draft: Draft) -> None:
    """Look whether a schema is one by the meta-schema of its draft.

    Raises:
        SchemaError: It is not; the message says what is wrong, where.
    """
    for part, of_draft in one_by_one(schema, draft):
        if not _takes(part, of_draft):
            problems = worded(violations_of(_broken(part, of_draft)))
            raise SchemaError("; ".join(map(str, problems[:_MOST_PROBLEMS])))


def _broken(part: dict[str, Any], draft: Draft) -> Iterator[Any]:
    made = record_class(draft)
    return made(made.META_SCHEMA, format_checker=Texts({}, None, False)).iter_errors(part)  # type: ignore[no-any-return]


_MOST_PROBLEMS = 5


@cache
def record_class(draft: Draft) -> Any:
    """Return the class of a draft's validators: jsonschema's own, extended where it would be wrong or slow, or say too little."""
    import referencing  # noqa: F401  # as a whole, before jsonschema imports a module of it, as another thread may at the same time

    # isort: split
    import jsonschema  # 70 ms, paid only where the gate cannot say
    from jsonschema.validators import extend

    keywords = {name: check for name, check in KEYWORDS.items() if name in draft.keywords}
    made: Any = extend(getattr(jsonschema, draft.engine), keywords)  # type: ignore[no-untyped-call]
    made.DRAFT = draft
    made.FIELDS = tuple((each.name, each.alias) for each in made.__attrs_attrs__ if each.init)
    made.evolve, made.descend = _evolve, _descending(made.descend)
    return made


def _evolve(self: Any, **changes: Any) -> Any:
    """Make a validator of another schema, still one of ours: jsonschema would take its own class for what names its `$schema`."""
    for name, alias in self.FIELDS:
        if alias not in changes:
            changes[alias] = getattr(self, name)
    draft = own_draft(changes["schema"])
    return (record_class(draft) if draft else type(self))(**changes)


def _descending(descend: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    """Return how to descend into a subschema, where jsonschema's way forgets something.

    That is the place where a subschema stands that is `false`, and the draft of one that names its own.
    """

    def descend_into(
        self: Any, instance: Any, schema: Any, path: Any = None, schema_path: Any = None, resolver: Any = None
    ) -> Iterator[Any]:
        if schema is False:
            return _with_place(descend(self, instance, schema), path, schema_path)
        if own_draft(schema) is None:
            return descend(self, instance, schema, path, schema_path, resolver)
        inner = within(self, schema) if resolver is None else self.evolve(schema=schema, _resolver=resolver)
        return _with_place(inner.iter_errors(instance), path, schema_path)

    return descend_into


def _with_place(errors: Iterator[Any], path: Any, schema_path: Any) -> Iterator[Any]:
    for error in errors:
        if path is not None:
            error.path.appendleft(path)
        if schema_path is not None:
            error.schema_path.appendleft(schema_path)
        yield error


def violations_of(errors: Iterable[Any], above: tuple[str | int, ...] = ()) -> Iterator[Violation]:
    """Yield what the errors of jsonschema say."""
    for error in errors:
        keyword, limit = error.validator, error.validator_value
        path = (*above, *error.relative_path)
        branches = _branches(error.context, path) if keyword in ("anyOf", "oneOf") else ()
        known, conditions = getattr(error, "known", ()), _conditions(error, path)
        yield Violation(path, keyword or "false schema", limit, error.instance, "", known, branches, conditions)


def _conditions(error: Any, path: tuple[str | int, ...]) -> tuple[Condition, ...]:
    """Return the conditions that an error stands under: each knows how far below it the error is."""
    conditions = getattr(error, "conditions", ())
    return tuple(Condition(path[: len(path) - depth], schema, holds) for depth, schema, holds in conditions)


def _branches(context: Iterable[Any], path: tuple[str | int, ...]) -> tuple[tuple[Violation, ...], ...]:
    by_branch: dict[int, list[Any]] = {}
    for error in context:
        by_branch.setdefault(error.relative_schema_path[0], []).append(error)
    return tuple(tuple(violations_of(errors, path)) for _, errors in sorted(by_branch.items()))

"""The validator of record, `jsonschema`: it says whether a value is valid, `_violations.py` why it is not."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fcregistry._base.messages import Violation, worded
from fcregistry._validation._dialects import one_by_one, own_draft
from fcregistry._validation._errors import SchemaError
from fcregistry._validation._gate import takes_schema
from fcregistry._validation._keywords import KEYWORDS, error
from fcregistry._validation._texts import Texts, doubtful_patterns
from fcregistry._validation._unevaluated import within
from fcregistry._validation._violations import ViolationFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fcregistry._validation._dialects import Draft


def record_of(
    schema: dict[str, Any], formats: Mapping[str, Callable[[str], bool]], draft: Draft
) -> Callable[[object], bool]:
    """Return what tells whether a value is valid.

    Raises:
        SchemaError: The schema is not valid.
    """
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # the standard's own schemas

    schema = {**schema, "$schema": draft.uri}  # what refers to it from a schema of another draft has to know
    check_schema(schema, draft)
    made, doubtful = record_class(draft), doubtful_patterns(schema)

    def is_valid(value: object) -> bool:
        texts = Texts(formats, draft, doubtful)  # they remember verdicts on parts of this value
        # The registry is named, for the default one fetches what a remote `$ref` names.
        return bool(made(schema, format_checker=texts, registry=REGISTRY).is_valid(value))

    return is_valid


def is_schema(schema: dict[str, Any], draft: Draft) -> bool:
    """Tell whether a schema is one by the meta-schema of its draft."""
    return all(_takes(part, of_draft) for part, of_draft in one_by_one(schema, draft))


def _takes(part: dict[str, Any], draft: Draft) -> bool:
    by_gate = takes_schema(part, draft)  # some five hundred times as fast
    if by_gate is not None:
        return by_gate
    made = record_class(draft)
    return bool(made(made.META_SCHEMA, format_checker=Texts({}, None, False)).is_valid(part))


def check_schema(schema: dict[str, Any], draft: Draft) -> None:
    """Look whether a schema is one by the meta-schema of its draft.

    Raises:
        SchemaError: It is not; the message says what is wrong, where.
    """
    for part, of_draft in one_by_one(schema, draft):
        if not _takes(part, of_draft):
            finder = ViolationFinder(record_class(of_draft).META_SCHEMA, of_draft, Texts({}, None, False))
            problems = worded(finder.find(part) or [Violation((), "schema", None, part)])
            raise SchemaError("; ".join(map(str, problems[:_MOST_PROBLEMS])))


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
    """Return how to descend into a subschema, where jsonschema's way is slow or forgets something.

    That is what a reference leads to, which is asked of each part of the value once, and the draft of a subschema that names its own.
    """

    def descend_into(
        self: Any, instance: Any, schema: Any, path: Any = None, schema_path: Any = None, resolver: Any = None
    ) -> Iterator[Any]:
        if resolver is not None and isinstance(schema, dict):  # jsonschema gives one for references alone
            return _once(self, instance, schema, resolver, descend)
        if own_draft(schema) is None:
            return descend(self, instance, schema, path, schema_path, resolver)
        return within(self, schema).iter_errors(instance)  # type: ignore[no-any-return]

    return descend_into


def _once(
    validator: Any, instance: Any, schema: dict[str, Any], resolver: Any, descend: Callable[..., Iterator[Any]]
) -> Iterator[Any]:
    """Yield an error where what a reference leads to does not hold.

    A part of the value is judged once, however many branches ask: otherwise nested unions take exponential time.
    """
    verdicts = validator.format_checker.verdicts
    bases = tuple(dict.fromkeys(uri for uri, _ in resolver.dynamic_scope()))  # a `$dynamicRef` depends on them
    key = (id(schema), id(instance), validator.format_checker.strict, bases)
    if key not in verdicts:
        inner = validator.evolve(schema=schema, _resolver=resolver) if own_draft(schema) else None
        errors = (
            descend(validator, instance, schema, resolver=resolver) if inner is None else inner.iter_errors(instance)
        )
        verdicts[key] = next(iter(errors), None) is None
    if not verdicts[key]:
        yield error()

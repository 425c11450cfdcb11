"""Validation of JSON values by `jsonschema-rs` where it may decide, otherwise by `jsonschema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base.forks import cached_attribute
from fcregistry._base.wording import Violation, word_problems
from fcregistry._schema.drafts import NEWEST, declared_draft
from fcregistry._schema.engine_py import compile_schema
from fcregistry._schema.engine_rs import TextChecker, has_unenforced_patterns, make_validator
from fcregistry._schema.external import Arguments, arguments_of_schema
from fcregistry._schema.violations import MOST_STEPS, ViolationFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._base.call import Problem
    from fcregistry._schema.drafts import Draft


Engine = Literal["jsonschema-rs", "jsonschema"]


class Validator:
    """Validates JSON values against one schema. It is compiled at first use.

    The draft is the one that `$schema` names, from 4 to 2020-12; without it, 2020-12. `schema_problem` of `external.py` checks that
    references lead somewhere and that validation ends.

    Args:
        schema: The schema.
        formats: Format -> its check, for formats beside those of the standard.
        engine: `jsonschema-rs` to use it where its verdicts are those of jsonschema, or `jsonschema` to do without it.
    """

    def __init__(
        self,
        schema: Mapping[str, Any],
        formats: Mapping[str, Callable[[str], bool]] | None = None,
        engine: Engine = "jsonschema-rs",
    ) -> None:
        self._schema = dict(schema)
        self._formats = dict(formats or {})
        self._engine = engine

    @cached_attribute
    def _draft(self) -> Draft:
        """The draft that the schema names; the newest if it names none, or an unknown one."""
        return declared_draft(self._schema) or NEWEST

    @cached_attribute
    def _rust(self) -> Any:
        """The compiled validator of jsonschema-rs; None if jsonschema decides.

        jsonschema decides if the author of the validator chose so, by `rust_engine_may_decide`, or if jsonschema-rs refuses the schema.
        """
        if self._engine == "jsonschema-rs" and rust_engine_may_decide(self._schema, self._draft):
            return make_validator(self._schema, self._formats, self._draft)
        return None

    @cached_attribute
    def _check_by_jsonschema(self) -> Callable[[object], bool]:
        """The function of jsonschema that returns whether a value is valid."""
        return compile_schema(self._schema, self._draft, self._finder)

    @cached_attribute
    def _finder(self) -> ViolationFinder:
        """The finder of the violations of a value."""
        checker = TextChecker(self._formats, self._draft, has_unenforced_patterns(self._schema))
        return ViolationFinder(self._schema, self._draft, checker)

    @cached_attribute
    def _arguments(self) -> Arguments:
        """The arguments that the schema describes."""
        return arguments_of_schema(self._schema, self._draft)

    def compile(self) -> None:
        """Compile now, rather than at the first value.

        Raises:
            SchemaError: The schema is malformed.
        """
        if self._rust is None:
            self._check_by_jsonschema  # noqa: B018  # makes and stores it

    @property
    def is_fast(self) -> bool:
        """Whether `jsonschema-rs` decides, and not `jsonschema`. Compiles the schema."""
        self.compile()
        return self._rust is not None

    def fastest_check(self) -> Callable[[Any], bool]:
        """Return the function to call instead of `is_valid` where each call counts.

        It may raise `ValueError` or `RecursionError` instead of giving a verdict; `is_valid` then gives one.
        """
        return self._rust.is_valid if self.is_fast else self.is_valid

    def is_valid(self, value: object) -> bool:
        """Return whether a JSON value is valid."""
        if self._rust is not None:
            try:
                return bool(self._rust.is_valid(value))
            except (ValueError, RecursionError):  # half a surrogate pair, or deeper nesting than this engine supports
                pass
        return self._check_by_jsonschema(value)

    def problems(self, value: object) -> tuple[Problem, ...]:
        """Return the problems of a JSON value, sorted by path; none for a valid one."""
        return () if self.is_valid(value) else word_problems(self.violations(value))

    def violations(self, value: object, most_steps: int = MOST_STEPS) -> list[Violation]:
        """Return the first hundred violations of an invalid JSON value, always at least one.

        They are not yet put into words.

        Args:
            value: The value.
            most_steps: How often subschemas may be applied to parts of it.

        Raises:
            TooManyStepsError: `most_steps` is below `MOST_STEPS`, and the value takes more.
        """
        return self._finder.find(value, most_steps) or [Violation((), "schema", None, value)]

    def accepts_part(self, part: Any, value: object) -> bool:
        """Return whether a subschema of this one, or a schema made of several, accepts a value.

        Args:
            part: The schema. It must exist as long as this validator. One with a reference that cannot be followed accepts every value.
            value: The value.
        """
        from referencing.exceptions import Unresolvable  # only the conformance kit asks

        try:
            return self._finder.start_walk()(part, value)
        except (LookupError, Unresolvable):
            return True

    @property
    def properties(self) -> frozenset[str]:
        """The properties that the schema names."""
        return frozenset(self._arguments.names)

    @property
    def required(self) -> frozenset[str]:
        """The properties that the value must have."""
        return self._arguments.required


def rust_engine_may_decide(schema: dict[str, Any], draft: Draft) -> bool:
    """Return whether jsonschema-rs may decide by a schema.

    jsonschema must decide the same, and compiling the schema must take little memory. Both agree on all that schemas made from annotations
    consist of, and property tests keep it so. They differ elsewhere, and jsonschema decides:

    - jsonschema-rs compares numbers from 2**63 on by their text, Python by their value: 1e23 is not 10**23. (An array with `uniqueItems` may
      contain both forms. That is left: only the value shows it, and jsonschema-rs is asked first.)
    - jsonschema-rs treats `contentEncoding` and `contentMediaType` as assertions in drafts 6 and 7; for jsonschema, and in later drafts, they
      only describe.
    - A subschema may name a draft of its own; jsonschema-rs respects that only beside an `$id`.
    - An empty `$ref` leads to the top of the schema; jsonschema-rs ignores it.

    jsonschema compiles nothing, and decides by three kinds of large schemas. The fast engine takes some 1 kB for each value in a schema. For each
    `unevaluatedProperties` or `unevaluatedItems`, it compiles all that applies beside it once more, the targets of references as often as they
    are referred to. Values of a long `enum` or `const` take memory for nothing, since the walk finds them by their hash.
    """
    assertions = _CONTENT_KEYWORDS if draft.ref_stands_alone else frozenset()
    if assertions & schema.keys():
        return False
    compiled, references, in_long_choices = 1, 0, 0
    counted: set[int] = set()  # the ids of values inside an `enum` or `const`
    waiting: list[Any] = [schema]
    for value in waiting:  # grows during the loop
        kind = type(value)
        if kind is dict:
            if value is not schema and isinstance(value.get("$schema"), str):
                return False
            if value.get("$ref") == "" or assertions & value.keys():
                return False
            compiled += len(_UNEVALUATED & value.keys())
            references += "$ref" in value
            for keyword in () if id(value) in counted else _CHOICES & value.keys():
                inside = _first_values_inside(value[keyword])
                in_long_choices += len(inside) if len(inside) > _LONG_CHOICE else 0
                if in_long_choices > _MOST_IN_CHOICES:
                    return False
                counted.update(map(id, inside))
            waiting += value.values()
        elif kind is list:
            waiting += value
        elif (kind is int or kind is float) and not -_COMPARED_ALIKE < value < _COMPARED_ALIKE:
            return False
        if compiled > 1 and (len(waiting) * compiled > _MOST_REPEATED or references > _MOST_REFERENCES):
            return False
        if len(waiting) > _MOST_COMPILED:
            return False
    return True


def _first_values_inside(choice: Any) -> list[Any]:
    """Return the values in a value of `enum` or `const`, at any depth, and the value itself.

    If they are more than `_MOST_IN_CHOICES`, some are left out, but not so many that the rest are fewer.
    """
    values = [choice]
    for value in values:  # grows during the loop
        if len(values) > _MOST_IN_CHOICES:
            break
        if type(value) in (dict, list):
            values += value.values() if type(value) is dict else value
    return values


_CONTENT_KEYWORDS: Final = frozenset({"contentEncoding", "contentMediaType"})
_UNEVALUATED: Final = frozenset({"unevaluatedItems", "unevaluatedProperties"})
_COMPARED_ALIKE: Final = 2**63
_CHOICES: Final = frozenset({"const", "enum"})
_MOST_COMPILED: Final = 200_000
"""The most values in a schema that jsonschema-rs compiles."""
_MOST_REPEATED: Final = 10_000
"""The most values that it compiles, counted as often as `_UNEVALUATED` may repeat them; it takes some 10 MB for them."""
_LONG_CHOICE: Final = 1_000
"""An `enum` or `const` of more values, at any depth, is long."""
_MOST_IN_CHOICES: Final = 10_000
"""The most values, in all long `enum`s and `const`s, that jsonschema-rs compiles."""
_MOST_REFERENCES: Final = 16
"""The most references in a schema with unevaluated properties or items, since they multiply."""

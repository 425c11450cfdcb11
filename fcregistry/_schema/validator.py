"""Validates JSON values against a schema.

MERGED: The schemas for which the gate may not say whether a value is valid.

Both validators say the same of all that our own schemas are made of, and property tests keep it so. Elsewhere they part:

- The gate compares numbers from 2**63 on by their text, Python by what they are: 1e23 is not 10**23. jsonschema decides. (That `uniqueItems`
  may meet both in one array is left: only the value tells, and the gate is asked first.)
- For the gate `contentEncoding` and `contentMediaType` are assertions in drafts 6 and 7; for jsonschema, and in all later drafts, they only
  describe. jsonschema decides.
- A schema inside a schema may name a draft of its own, and the gate looks at that only beside an `$id`. jsonschema decides.
- An empty `$ref` leads to the top of the schema; for the gate it is none. jsonschema decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from fcregistry._base.messages import Violation, word_problems
from fcregistry._schema.drafts import NEWEST, declared_draft
from fcregistry._schema.engine_py import compile_schema
from fcregistry._schema.engine_rs import Texts, doubtful_patterns, gate_of
from fcregistry._schema.foreign import Arguments, spoken_of
from fcregistry._schema.violations import MOST_STEPS, ViolationFinder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._base.call import Problem
    from fcregistry._schema.drafts import Draft

# --- _validation._validator ---

Engine = Literal["jsonschema-rs", "jsonschema"]


class Validator:
    """Validates JSON values against one schema. Compiled at first use, and kept.

    The schema is of the draft that its `$schema` names, from 4 to 2020-12; without one, of 2020-12. That it ends, and that its references lead
    somewhere, is `schema_problem`'s to say.

    Args:
        schema: The schema.
        formats: Format -> whether a string is of it, beside the formats of the standard.
        engine: `jsonschema-rs` for the gate, or `jsonschema` to do without it.
    """

    __slots__ = ("_arguments", "_engine", "_finder", "_formats", "_gate", "_record", "_schema")

    def __init__(
        self,
        schema: Mapping[str, Any],
        formats: Mapping[str, Callable[[str], bool]] | None = None,
        engine: Engine = "jsonschema-rs",
    ) -> None:
        self._schema = dict(schema)
        self._formats = dict(formats or {})
        self._engine = engine
        self._arguments: Arguments | None = None
        self._gate: Any = None
        self._record: Callable[[object], bool] | None = None
        self._finder: ViolationFinder | None = None

    def compile(self) -> None:
        """Compile now, rather than at the first value.

        Raises:
            SchemaError: The schema is none.
        """
        draft = declared_draft(self._schema) or NEWEST
        if self._engine == "jsonschema-rs" and trusts_verdict(self._schema, draft):
            self._gate = gate_of(self._schema, self._formats, draft)
        if self._gate is None:
            self._record_of()

    @property
    def is_fast(self) -> bool:
        """Whether `jsonschema-rs` decides, and not `jsonschema`. Compiles the schema."""
        if self._engine != "jsonschema-rs":
            return False
        if self._gate is None and self._record is None:
            self.compile()
        return self._gate is not None

    def is_valid(self, value: object) -> bool:
        """Tell whether a JSON value is valid."""
        if self._gate is not None:
            try:
                return bool(self._gate.is_valid(value))
            except (ValueError, RecursionError):  # half a surrogate pair, or nesting beyond the gate's own limit
                return self._record_of()(value)
        if self._record is None:
            self.compile()
            return self.is_valid(value)
        return self._record(value)

    def problems(self, value: object) -> tuple[Problem, ...]:
        """Return what is wrong with a JSON value, sorted by path; nothing for a valid one."""
        return () if self.is_valid(value) else word_problems(self.violations(value))

    def violations(self, value: object, most_steps: int = MOST_STEPS) -> list[Violation]:
        """Return what an invalid JSON value breaks, the first hundred, before it is worded; never nothing.

        Args:
            value: The value.
            most_steps: How many times a subschema is applied to a part of it.

        Raises:
            TooManyStepsError: With fewer steps than `MOST_STEPS`, for a value that takes more.
        """
        if self._finder is None:
            draft = declared_draft(self._schema) or NEWEST
            texts = Texts(self._formats, draft, doubtful_patterns(self._schema))
            self._finder = ViolationFinder(self._schema, draft, texts)
        return self._finder.find(value, most_steps) or [Violation((), "schema", None, value)]

    @property
    def properties(self) -> frozenset[str]:
        """The properties that the schema knows."""
        return frozenset(self._spoken_of().names)

    @property
    def required(self) -> frozenset[str]:
        """The properties that the value must have."""
        return self._spoken_of().required

    def _spoken_of(self) -> Arguments:
        if self._arguments is None:
            self._arguments = spoken_of(self._schema, declared_draft(self._schema) or NEWEST)
        return self._arguments

    def _record_of(self) -> Callable[[object], bool]:
        if self._record is None:
            self._record = compile_schema(self._schema, self._formats, declared_draft(self._schema) or NEWEST)
        return self._record


# --- _validation._trust ---


def trusts_verdict(schema: dict[str, Any], draft: Draft) -> bool:
    """Tell whether the gate may say if a value is valid."""
    assertions = _CONTENT if draft.ref_stands_alone else frozenset()
    if assertions & schema.keys():
        return False
    waiting: list[Any] = list(schema.values())
    for value in waiting:  # which grows on the way
        kind = type(value)
        if kind is dict:
            if isinstance(value.get("$schema"), str) or value.get("$ref") == "" or assertions & value.keys():
                return False
            waiting += value.values()
        elif kind is list:
            waiting += value
        elif (kind is int or kind is float) and not -_COMPARED_ALIKE < value < _COMPARED_ALIKE:
            return False
    return True


_CONTENT: Final = frozenset({"contentEncoding", "contentMediaType"})
_COMPARED_ALIKE: Final = 2**63

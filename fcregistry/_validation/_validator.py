"""Is a JSON value valid against a schema, and if not, why?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from fcregistry._problems import Violation, worded
from fcregistry._validation._dialects import NEWEST, declared_draft
from fcregistry._validation._gate import gate_of
from fcregistry._validation._gate import violations_of as gate_violations
from fcregistry._validation._record import record_of
from fcregistry._validation._record import violations_of as record_violations
from fcregistry._validation._top import Arguments, spoken_of
from fcregistry._validation._trust import trusts_reasons, trusts_verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._calls import Problem
    from fcregistry._validation._gate import Demands

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

    __slots__ = ("_arguments", "_demands", "_engine", "_formats", "_gate", "_gate_says_why", "_record", "_schema")

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
        self._gate_says_why: bool | None = None
        self._demands: Demands = {}
        self._record: Any = None

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

    def is_valid(self, value: object) -> bool:
        """Tell whether a JSON value is valid."""
        if self._gate is not None:
            try:
                return bool(self._gate.is_valid(value))
            except (ValueError, RecursionError):  # half a surrogate pair, or nesting beyond the gate's own limit
                return self._record_of().is_valid(value)  # type: ignore[no-any-return]
        if self._record is None:
            self.compile()
            return self.is_valid(value)
        return self._record.is_valid(value)  # type: ignore[no-any-return]

    def problems(self, value: object) -> tuple[Problem, ...]:
        """Return everything that is wrong with a JSON value, sorted by path; nothing for a valid one."""
        return worded(self.violations(value))

    def violations(self, value: object) -> list[Violation]:
        """Return what a JSON value breaks, before it is worded."""
        if self._gate is None and self._record is None:
            self.compile()
        if self._gate is not None:
            if self._gate_says_why is None:
                self._gate_says_why = trusts_reasons(self._schema)
            try:
                if self._gate_says_why:
                    return gate_violations(self._gate.iter_errors(value), self._schema, value, self._demands)
                if self._gate.is_valid(value):
                    return []
            except (ValueError, RecursionError):
                pass  # as in `is_valid`, or a path that can be read in two ways: jsonschema decides
        return list(record_violations(self._record_of().iter_errors(value)))

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

    def _record_of(self) -> Any:
        if self._record is None:
            self._record = record_of(self._schema, self._formats, declared_draft(self._schema) or NEWEST)
        return self._record

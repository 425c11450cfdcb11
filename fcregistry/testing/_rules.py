"""Which rules must a tool keep? One row a rule; docs/how-to/test-a-plugin.md lists the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._schema.foreign import schema_problem
from fcregistry._tools.tool import Tool
from fcregistry.testing import _definitions, _examples, _laws
from fcregistry.testing._acceptance import accepts_what_its_schema_says
from fcregistry.testing._case import Case, without_definition_warnings, without_records_of_calls
from fcregistry.testing._failures import ConformanceError, Report, Verdict, place_of

if TYPE_CHECKING:
    from fcregistry._registry import Registry


def _is_defined(tool: Tool) -> bool:
    return tool.definition_error is None


def _is_sound(tool: Tool) -> bool:
    """Tell whether calls of it can be validated at all."""
    return _is_defined(tool) and schema_problem(tool.parameters) is None


def _has_examples(tool: Tool) -> bool:
    return _is_sound(tool) and bool(tool.options.examples)


class Rule(NamedTuple):
    """One thing that must hold of every tool.

    Attributes:
        name: What it is called.
        try_on: Finds out whether a tool keeps it.
        applies: Whether it says anything of a tool.
    """

    name: str
    try_on: Callable[[Case], Verdict]
    applies: Callable[[Tool], bool] = _is_defined


RULES: Final[tuple[Rule, ...]] = (
    Rule("can-be-defined", _definitions.can_be_defined, lambda tool: True),
    Rule("has-a-valid-schema", _definitions.has_a_valid_schema),
    Rule("has-a-stable-schema", _definitions.has_a_stable_schema),
    Rule("documents-its-parameters", _definitions.documents_its_parameters),
    Rule("names-fit-every-provider", _definitions.names_fit_every_provider),
    Rule("accepts-what-its-schema-says", accepts_what_its_schema_says, _is_sound),
    Rule("delivers-annotated-types", _laws.delivers_annotated_types, _is_sound),
    Rule("leaves-its-input-alone", _laws.leaves_its_input_alone, _is_sound),
    Rule("gives-the-call-back", _laws.gives_the_call_back, _is_sound),
    Rule("accepts-its-examples", _examples.accepts_its_examples, _has_examples),
    Rule("answers-its-examples", _examples.answers_its_examples, _has_examples),
)


def rules_for(tool: Tool) -> list[Rule]:
    """Return the rules that say something of a tool, in their order."""
    with without_definition_warnings():
        return [rule for rule in RULES if rule.applies(tool)]


def report_of(case: Case, rules: Iterable[Rule]) -> Report:
    """Try rules on a tool, and return what came of each."""
    with without_definition_warnings(), without_records_of_calls():
        return Report(subject=case.tool.id, verdicts={rule.name: rule.try_on(case) for rule in rules})


def check_tool(
    tool: Tool | Callable[..., Any] | str,
    *,
    examples: int = 100,
    invoke: bool = False,
    without: Iterable[str] = (),
    registry: Registry | None = None,
) -> Report:
    """Check that a tool keeps every rule: that its schema, its types, its docstring and its examples agree.

    Its function is replaced by a recorder, so nothing that the tool would do is done. Only `answers-its-examples` runs it, with the
    examples that its author declared, and only where it is `read_only` or `invoke` is given.

    Args:
        tool: A tool, a function, or a tool's name.
        examples: How many argument objects each rule tries.
        invoke: Whether the function may be run with its declared examples though it is not `read_only`.
        without: Names of rules that are not to be tried.
        registry: Where a name or a function is looked up; the process's registry by default.

    Returns:
        What came of each rule: what was left out and why, and what is worth knowing.

    Raises:
        ConformanceError: It breaks rules; tells of all of them, each with the smallest arguments that show it.
        ToolNotFoundError: There is no tool of that name.
        ValueError: `without` names what is no rule.
    """
    left_out = set(without)
    if unknown := sorted(left_out - {rule.name for rule in RULES}):
        raise ValueError(f"there is no rule {unknown[0]!r}; the rules are {', '.join(rule.name for rule in RULES)}")
    found = _tool(tool, registry)
    case = Case(tool=found, examples=examples, invoke=invoke)
    report = report_of(case, [rule for rule in rules_for(found) if rule.name not in left_out])
    if not report.ok:
        raise ConformanceError(report, place_of(found))
    return report


def _tool(given: Tool | Callable[..., Any] | str, registry: Registry | None) -> Tool:
    if isinstance(given, Tool):
        return given
    from fcregistry._registry import registry as process_registry  # only where something is to be looked up

    source = process_registry if registry is None else registry
    if isinstance(given, str):
        return source.get(given)
    return source.tool_of(given) or process_registry.tool_of(given) or Tool.from_function(given)

"""The rules that every tool must keep, and `check_tool`, which checks a tool against them.

`RULES` lists all rules; so does the page "Test a plugin". This module defines the rules about a tool's definition and its declared examples.
`_call_rules.py` defines the rules that check how a tool receives generated arguments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry import formats
from fcregistry._base.call import ToolCall
from fcregistry._base.source import signature_of, underlying
from fcregistry._base.wording import json_path, show
from fcregistry._results.result import ToolResult
from fcregistry._schema.drafts import SchemaError
from fcregistry._schema.external import schema_problem
from fcregistry._tools.tool import Tool, definition_of
from fcregistry.errors import exception_message
from fcregistry.execution import Executor
from fcregistry.testing._call_rules import (
    accepts_what_its_schema_says,
    delivers_annotated_types,
    gives_the_call_back,
    leaves_its_input_alone,
)
from fcregistry.testing._case import Case, without_definition_warnings, without_records_of_calls
from fcregistry.testing._report import (
    REPORT,
    ConformanceError,
    Failure,
    Report,
    Verdict,
    exception_failure,
    place_of,
    python_text,
)
from fcregistry.types import show_type, to_json, write_non_finite

if TYPE_CHECKING:
    from fcregistry._registry import Registry
    from fcregistry.types import Codec


def check_tool(
    tool: Tool | Callable[..., Any] | str,
    *,
    examples: int = 100,
    invoke: bool = False,
    without: Iterable[str] = (),
    registry: Registry | None = None,
) -> Report:
    """Check that a tool keeps every rule: its schema, types, docstring and examples agree.

    The tool's function does not run: a recorder with the same signature receives the calls instead. Only the rule `answers-its-examples` runs
    the function, with the examples that the author declared, and only if the tool is `read_only` or `invoke` is true.

    Args:
        tool: A tool, a function, or a tool's name.
        examples: The number of argument objects with which each rule tries the tool.
        invoke: Whether the function may run with its declared examples even if the tool is not `read_only`.
        without: Names of rules to leave out.
        registry: The registry that finds the tool of a name or function; by default the registry of the process.

    Returns:
        The verdict of each rule: its failures, the reason if it was skipped, and notes.

    Raises:
        ConformanceError: The tool breaks rules. The message lists all of them, each with the smallest arguments that break it.
        ToolNotFoundError: There is no tool of that name.
        ValueError: `without` has a name that is not a rule.
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
    """Return the tool that the caller passed, by itself, by its name or by its function.

    A function without a tool in `registry`, or in that of the process, gets a new one.

    Raises:
        ToolNotFoundError: `registry`, or if it is None that of the process, has no tool of that name.
    """
    if isinstance(given, Tool):
        return given
    from fcregistry._registry import registry as process_registry  # only a name or a function needs it

    source = process_registry if registry is None else registry
    if isinstance(given, str):
        return source.get(given)
    return source.tool_of(given) or process_registry.tool_of(given) or Tool.from_function(given)


def rules_for(tool: Tool) -> list[KitRule]:
    """Return the rules that apply to a tool, in their order."""
    with without_definition_warnings():
        return [rule for rule in RULES if rule.applies(tool)]


def report_of(case: Case, rules: Iterable[KitRule]) -> Report:
    """Check a tool against some rules, and return their verdicts."""
    with without_definition_warnings(), without_records_of_calls():
        return Report(subject=case.tool.id, verdicts={rule.name: rule.verdict(case) for rule in rules})


# --- Definitions: schema, docstring and names, without calls ---


def can_be_defined(case: Case) -> Iterator[Failure]:
    """Check that fcregistry can make a schema from the tool's annotations."""
    error = case.tool.definition_error
    advice = "fix it there; until then, executors do not offer the tool to models"
    for each in () if error is None else error.problems or (str(error),):
        yield Failure(expected="a schema for its parameters", got=each, advice=advice)


def has_a_valid_schema(case: Case) -> Iterator[Failure]:
    """Check the schemas of arguments and result against the meta-schema of JSON Schema."""
    advice = f"correct it; {REPORT}"
    if problem := schema_problem(case.tool.parameters):
        yield Failure(expected="a valid JSON Schema of an object for its arguments", got=problem, advice=advice)
    results = case.tool.result_validator("jsonschema")
    try:
        if results is not None:
            results.compile()
    except SchemaError as error:
        yield Failure(expected="a valid JSON Schema for its result", got=str(error), advice=advice)


def has_a_stable_schema(case: Case) -> Iterator[Failure]:
    """Build the tool twice, and check that its schemas are the same as JSON text."""
    declaration, strict = definition_of(case.tool).declaration, definition_of(case.tool).strict
    one, other = (Tool(declaration, strict=strict) for _ in range(2))
    for which, first, second in (
        ("arguments", one.parameters, other.parameters),
        ("result", one.returns, other.returns),
    ):
        if json.dumps(first) != json.dumps(second):
            yield Failure(
                expected=f"the same schema of its {which} each time that fcregistry makes it",
                got=_difference(first, second),
                advice="a default, a description or a type differs each time; make it constant, and sort sets",
            )


def _difference(first: Any, second: Any, path: tuple[str | int, ...] = ()) -> str:
    """Return words for the first difference between two unlike JSON values: its path, and both values.

    Objects with other names, or names in another order, differ as a whole, and so do arrays of another length.
    """
    if isinstance(first, dict) and isinstance(second, dict) and list(first) == list(second):
        inner = next(name for name in first if json.dumps(first[name]) != json.dumps(second[name]))
        return _difference(first[inner], second[inner], (*path, inner))
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        place = next(place for place, each in enumerate(first) if json.dumps(each) != json.dumps(second[place]))
        return _difference(first[place], second[place], (*path, place))
    return f"at {json_path(path)}: {show(first)}, and then {show(second)}"


def documents_its_parameters(case: Case) -> Iterator[Failure]:
    """Check that the docstring describes every parameter of the function, and no others."""
    tool, documentation = case.tool, case.tool.signature.documentation
    own = [*signature_of(underlying(tool.function)).parameters]  # for a partial, also those that it fills in
    own += [each.name for each in tool.signature.parameters if each.name not in own]  # those of an unpacked TypedDict
    for name in documentation.parameters:
        if name.lstrip("*") not in own:
            yield Failure(
                expected="the docstring describes parameters that exist",
                got=f"it describes {name!r}, which does not exist",
                advice=f"correct the name, or delete the line; the parameters are: {', '.join(own) or 'none'}",
            )
    unread = [
        f"the docstring's line {line!r} cannot be read; write `name: What it is.`" for line in documentation.unread
    ]
    advice = "; ".join(unread) or "describe it under Args: in the docstring, or with Annotated[…, 'text']"
    stars = {each.name for each in tool.signature.parameters if each.kind.name.startswith("VAR_")}
    for name, schema in tool.parameters.get("properties", {}).items():
        if name not in stars and isinstance(schema, dict) and not schema.get("description"):
            yield Failure(
                expected="a description of every parameter, for the model", got=f"{name!r} has none", advice=advice
            )


def names_fit_every_provider(case: Case) -> Iterable[Failure]:
    """Check the names of tool and parameters against each provider's limits."""
    failures: dict[str, Failure] = {}  # by what is expected and got: a provider may have several formats
    for wanted in map(formats.get, formats.names()):
        for failure in (*_tool_name_failures(case.tool.name, wanted), *_parameter_name_failures(case.tool, wanted)):
            failures.setdefault(f"{failure.expected}: {failure.got}", failure)
    return failures.values()


def _parameter_name_failures(tool: Tool, wanted: formats.Format) -> Iterator[Failure]:
    """Yield a failure for each parameter whose name the provider of the format `wanted` refuses.

    A name may fail twice: in the format, and in its strict mode.
    """
    for profile in filter(None, (wanted.profile, wanted.strict_profile)):
        for name in tool.parameters.get("properties", {}):
            if profile.names is not None and re.fullmatch(profile.names, name) is None:
                rule = f"parameters whose names {profile.provider} accepts: {profile.names_rule}"
                yield Failure(expected=rule, got=repr(name), advice="rename the parameter")


def _tool_name_failures(name: str, wanted: formats.Format) -> Iterator[Failure]:
    """Yield a failure if the provider of the format `wanted` refuses `name`, the tool's.

    Checked is the name that the tool has in that format.
    """
    if wanted.alphabet is not None and not wanted.alphabet.fits(wire := wanted.alphabet.wire_name(name)):
        rule = f"a name that the format {wanted.name} accepts"
        yield Failure(expected=rule, got=repr(wire), advice="give the tool another name")


# --- Declared examples ---


def accepts_its_examples(case: Case) -> Iterator[Failure]:
    """Check that the executor accepts each declared example as a call, without repairs."""
    for example in case.tool.options.examples:
        try:
            result = case.stand_in.call(example).result
        except Exception as error:  # noqa: BLE001  # foreign code: a codec or a class of the author's may raise anything
            yield exception_failure(error, example)
            continue
        if not result.ok or result.repairs:
            yield Failure(
                arguments=example,
                expected="a declared example is a call that the tool accepts without repairs",
                got="; ".join(result.repairs) if result.ok else result.content,
                advice="correct the example, or the types of the parameters",
            )


def answers_its_examples(case: Case) -> Verdict:
    """Run the function with each declared example, and check that the result fits its return annotation."""
    if reason := _reason_not_to_run(case):
        return Verdict(skipped=reason)
    executor = Executor([case.tool], approve=lambda tool, call: True)
    results = [(each, executor.run(ToolCall(case.tool.name, each))) for each in case.tool.options.examples]
    return Verdict(failures=tuple(failure for each in results for failure in _result_failures(case, *each)))


def _reason_not_to_run(case: Case) -> str:
    """Return the reason the function does not run with its examples; empty if it does.

    The tool is unavailable here, needs an application or an installed distribution, or, without `case.invoke`, is not `read_only` or needs approval.
    """
    options = case.tool.options
    if unavailable := case.tool.unavailable:
        return f"{'the environment variable ' if case.tool.missing_env else ''}{unavailable}"
    context = case.tool.signature.context
    if context is not None and context.deps is not None:
        return f"its context needs an object of {show_type(context.deps)}, which only an application can pass"
    if options.isolation == "process" and ":" not in case.tool.id:
        return 'isolation="process" runs only tools of installed distributions, and this tool is not from one'
    if case.invoke:
        return ""
    if not options.read_only:
        return "it is not declared read_only=True, so its examples run only with --fcregistry-invoke (invoke=True)"
    if options.requires_approval:
        return "it requires approval, so its examples run only with --fcregistry-invoke (invoke=True)"
    return ""


def _result_failures(case: Case, example: Any, result: ToolResult) -> Iterator[Failure]:
    """Yield what is wrong with `result`, that of a call with the declared `example`: at most one failure.

    Nothing if the arguments were refused, which another rule reports, or if the result is right or has no schema.
    """
    if result.error is not None and result.error.code in ("malformed_call", "invalid_arguments"):
        return  # the function did not run; the rule `accepts-its-examples` reports why
    if not result.ok:
        yield Failure(
            arguments=example,
            expected="a declared example is a call that succeeds",
            got=result.content,
            advice="correct the example, or the function",
        )
        return
    results, returns = case.tool.result_validator("jsonschema"), case.tool.signature.returns
    if results is None:
        return
    try:
        value = _json_of_result(result.value, returns, nulls=case.tool.options.on_nan == "null")
    except Exception as error:  # noqa: BLE001  # foreign code: encoding a value reads its properties
        yield Failure(
            arguments=example,
            expected="a result that has a JSON form",
            got=f"{type(error).__name__}: {exception_message(error)}",
            advice="return what the annotation says",
        )
        return
    if problems := results.problems(value):
        yield Failure(
            arguments=example,
            expected=f"a result of its return annotation: {json.dumps(case.tool.returns)}",
            got=f"{python_text(result.value)}: {'; '.join(map(str, problems))}",
            advice="return what the annotation says, or annotate what the function returns",
        )


def _json_of_result(value: object, returns: Codec | None, *, nulls: bool) -> Any:
    """Return the JSON value of a result: by the codec of its return annotation if it is of that type, else by its own type.

    Args:
        value: The result.
        returns: The codec.
        nulls: Whether null is written for numbers that are not finite.

    Raises:
        EncodingError: It has no JSON form.
        Exception: Whatever the value's own code raises while it is read.
    """
    if nulls:
        with write_non_finite("null"):
            return to_json(_json_of_result(value, returns, nulls=False))
    return returns.encode(value) if returns is not None and returns.handles(value) else to_json(value)


# --- The table ---


def _is_defined(tool: Tool) -> bool:
    """Return whether the tool can be defined."""
    return tool.definition_error is None


def _is_sound(tool: Tool) -> bool:
    """Return whether the tool has a valid schema, without which no call of it can be validated."""
    return _is_defined(tool) and schema_problem(tool.parameters) is None


def _has_examples(tool: Tool) -> bool:
    """Return whether the tool has a valid schema and declares examples."""
    return _is_sound(tool) and bool(tool.options.examples)


class KitRule(NamedTuple):
    """One rule that tools must keep.

    Attributes:
        name: The rule's name in reports, in `without` and in the ids of pytest.
        try_on: Checks a tool, and returns the failures or the verdict.
        applies: Returns whether the rule can check a tool.
    """

    name: str
    try_on: Callable[[Case], Iterable[Failure] | Verdict]
    applies: Callable[[Tool], bool] = _is_defined

    def verdict(self, case: Case) -> Verdict:
        """Check a tool, and return the verdict."""
        outcome = self.try_on(case)
        return outcome if isinstance(outcome, Verdict) else Verdict(failures=tuple(outcome))


RULES: Final[tuple[KitRule, ...]] = (
    KitRule("can-be-defined", can_be_defined, lambda tool: True),
    KitRule("has-a-valid-schema", has_a_valid_schema),
    KitRule("has-a-stable-schema", has_a_stable_schema),
    KitRule("documents-its-parameters", documents_its_parameters),
    KitRule("names-fit-every-provider", names_fit_every_provider),
    KitRule("accepts-what-its-schema-says", accepts_what_its_schema_says, _is_sound),
    KitRule("delivers-annotated-types", delivers_annotated_types, _is_sound),
    KitRule("leaves-its-input-alone", leaves_its_input_alone, _is_sound),
    KitRule("gives-the-call-back", gives_the_call_back, _is_sound),
    KitRule("accepts-its-examples", accepts_its_examples, _has_examples),
    KitRule("answers-its-examples", answers_its_examples, _has_examples),
)

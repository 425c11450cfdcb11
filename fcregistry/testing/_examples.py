"""Do the declared examples hold: as arguments, and, where the function may be run, by their results?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fcregistry._base.call import ToolCall
from fcregistry._results.result import ToolResult
from fcregistry.errors import said_by
from fcregistry.execution import Executor
from fcregistry.testing._case import Case
from fcregistry.testing._failures import Failure, Verdict, python_text, raised
from fcregistry.types import to_json
from fcregistry.types._codec import show_type


def accepts_its_examples(case: Case) -> Verdict:
    """Try each declared example as a call: it is taken as it stands."""
    failures = []
    for example in case.tool.options.examples:
        try:
            trial = case.stand_in.call(example)
        except Exception as error:  # noqa: BLE001  # foreign code: a codec or a class of the author's may raise anything
            failures.append(raised(error, example))
            continue
        if not trial.result.ok or trial.result.repairs:
            said = trial.result.content if not trial.result.ok else "; ".join(trial.result.repairs)
            failures.append(
                Failure(
                    arguments=example,
                    expected="a declared example is a call that the tool takes as it stands",
                    got=said,
                    advice="correct the example, or the types of the parameters",
                )
            )
    return Verdict(failures=tuple(failures))


def answers_its_examples(case: Case) -> Verdict:
    """Run the function itself with each declared example: the result has JSON, of its return annotation's schema."""
    if reason := _why_not_run(case):
        return Verdict(skipped=reason)
    executor = Executor([case.tool], approve=lambda tool, call: True)
    failures: list[Failure] = []
    for example in case.tool.options.examples:
        result = executor.run(ToolCall(case.tool.name, example))
        failures += _result_failures(case, example, result)
    return Verdict(failures=tuple(failures))


def _why_not_run(case: Case) -> str:
    options = case.tool.options
    if missing := case.tool.missing_env:
        return f"the environment variable {', '.join(missing)} is not set"
    context = case.tool.signature.context
    if context is not None and context.deps is not None:
        return f"its context asks for {show_type(context.deps)}, which only an application has"
    if options.isolation == "process" and ":" not in case.tool.id:
        return 'isolation="process" runs tools of installed distributions only, and this is none'
    if case.invoke:
        return ""
    if not options.read_only:
        return "it is not declared read_only=True, so its examples run with --fcregistry-invoke (invoke=True) only"
    if options.requires_approval:
        return "it requires approval, so its examples run with --fcregistry-invoke (invoke=True) only"
    return ""


def _result_failures(case: Case, example: Any, result: ToolResult) -> Iterator[Failure]:
    if result.error is not None and result.error.code in ("malformed_call", "invalid_arguments"):
        return  # it was not run, and the rule above says why
    if not result.ok:
        yield Failure(
            arguments=example,
            expected="a declared example is a call that succeeds",
            got=result.content,
            advice="correct the example, or the function",
        )
        return
    results = case.tool.result_validator("jsonschema")
    if results is None:
        return
    try:
        value = _as_json(case, result.value)
    except Exception as error:  # noqa: BLE001  # foreign code: encoding a value reads its properties
        yield Failure(
            arguments=example,
            expected="a result that has JSON",
            got=f"{type(error).__name__}: {said_by(error)}",
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


def _as_json(case: Case, value: Any) -> Any:
    returns = case.tool.signature.returns
    return returns.encode(value) if returns is not None and returns.handles(value) else to_json(value)

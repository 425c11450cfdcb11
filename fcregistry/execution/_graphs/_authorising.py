"""May all calls of an expression run? That is settled before any of them does: whoever approves sees where results of others are to stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fcregistry._base.call import CallError, Problem, ToolCall
from fcregistry._base.messages import json_path
from fcregistry._results.result import ToolResult
from fcregistry.errors import PluginError
from fcregistry.execution._approving._asking import Ask
from fcregistry.execution._approving._decisions import Approval, Approve
from fcregistry.execution._approving._questions import Question, edited
from fcregistry.execution._graphs._wording import beside_refused
from fcregistry.execution._reading._repairs import repaired
from fcregistry.execution._steps import Step
from fcregistry.execution._wording import approval_required, invalid_arguments, not_to_be_had, unavailable, unknown_tool
from fcregistry.execution._writing._outcome import failure
from fcregistry.expressions import Reference
from fcregistry.expressions._nodes import MARK
from fcregistry.types._scalars import ANY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from fcregistry.execution._approving._approval import Gate
    from fcregistry.execution._effects import Course
    from fcregistry.execution._graphs._nodes import Node
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._run import Run


class Authorised(NamedTuple):
    """A call that may run, once it has the results that it needs.

    Attributes:
        step: The call; one that needs results is neither validated whole nor decoded yet.
        references: Where results are to stand.
        approval: How it was approved; None where nobody was asked.
    """

    step: Step
    references: tuple[Reference, ...] = ()
    approval: Approval | None = None


def authorised(pipeline: Pipeline, nodes: list[Node], run: Run) -> Course[list[Authorised | ToolResult]]:
    """Return the course of settling whether calls may run; ends with those that may, and with the results of the others.

    An expression of which one call is refused does not run at all.
    """
    settled: list[Authorised | ToolResult] = [_prepared(pipeline, node) for node in nodes]
    refused = {node.expression for node, each in zip(nodes, settled, strict=True) if isinstance(each, ToolResult)}
    for place, (node, each) in enumerate(zip(nodes, settled, strict=True)):
        if node.expression not in refused and isinstance(each, Authorised):
            settled[place] = yield from _asked(pipeline, node, each, run)
            if isinstance(settled[place], ToolResult):
                refused.add(node.expression)
    return _all_or_none(nodes, settled)


def _all_or_none(nodes: list[Node], settled: list[Authorised | ToolResult]) -> list[Authorised | ToolResult]:
    refused: dict[int, list[ToolResult]] = {}
    for node, each in zip(nodes, settled, strict=True):
        if isinstance(each, ToolResult):
            refused.setdefault(node.expression, []).append(each)
    return [
        failure(node.call, beside_refused(node.call.name, refused[node.expression]), each.step.bound.tool)
        if isinstance(each, Authorised) and node.expression in refused
        else each
        for node, each in zip(nodes, settled, strict=True)
    ]


def _prepared(pipeline: Pipeline, node: Node) -> Authorised | ToolResult:
    if node.references:
        return _with_marks(pipeline, node.call, node.references)
    step = pipeline.prepare(node.call)
    return step if isinstance(step, ToolResult) else Authorised(step)


def _with_marks(pipeline: Pipeline, call: ToolCall, references: tuple[Reference, ...]) -> Authorised | ToolResult:
    """Return a call in which results are missing: all else of it is validated."""
    try:
        bound = pipeline.bound(call.name)
    except PluginError as error:
        return failure(call, not_to_be_had(error), pipeline.find(call.name))
    if bound is None:
        return failure(call, unknown_tool(call.name, pipeline.tools))
    if bound.needs_env and bound.tool.missing_env:
        return failure(call, unavailable(bound.tool), bound.tool)
    given: Any = call.arguments
    arguments, repairs, problems = repaired(given, bound.tool, bound.validator, pipeline.settings.repairs)
    if problems := _elsewhere(problems, references):
        return failure(call, invalid_arguments(call.name, problems), bound.tool, repairs)
    return Authorised(Step(call, bound, arguments, {}, repairs), references)


def _elsewhere(problems: Iterable[Problem], references: tuple[Reference, ...]) -> tuple[Problem, ...]:
    """Return the problems that no result can mend: those that are not where one is to stand, in it or around it."""
    places = [json_path(each.path) for each in references]
    return tuple(each for each in problems if not any(_touch(each.path, place) for place in places))


def _touch(path: str, place: str) -> bool:
    if path == "$":
        return True
    shorter, longer = sorted((path, place), key=len)
    return longer == shorter or longer.startswith((f"{shorter}.", f"{shorter}["))


def _asked(pipeline: Pipeline, node: Node, call: Authorised, run: Run) -> Course[Authorised | ToolResult]:
    """Return the course of asking whether a call may run."""
    step = call.step
    tool = step.bound.tool
    judged = None if step.bound.is_open else _judged(pipeline.gate, call)
    if isinstance(judged, Question) and pipeline.gate.approve is None:
        judged = approval_required(tool.name)
    if judged is None:
        return call
    if isinstance(judged, CallError):
        return failure(step.call, judged, tool, step.repairs)
    answer: CallError | Approve | None = yield Ask(judged, run.cancellation)
    approval = Approval(
        approved=not isinstance(answer, CallError), rule=judged.reason, edited=isinstance(answer, Approve)
    )
    if isinstance(answer, CallError):
        return failure(step.call, answer, tool, step.repairs).with_approval(approval)
    changed: Authorised | ToolResult = call if answer is None else _edited(pipeline, node, call, answer)
    return changed.with_approval(approval) if isinstance(changed, ToolResult) else changed._replace(approval=approval)


def _judged(gate: Gate, call: Authorised) -> CallError | Question | None:
    step = call.step
    if not call.references or not callable(step.bound.tool.options.requires_approval):
        return gate.weigh(step)
    if (error := gate.forbids(step.bound.tool)) is not None:
        return error
    return Question(gate, step, "the tool may require approval, which depends on results that are not known yet")


def _edited(pipeline: Pipeline, node: Node, call: Authorised, answer: Approve) -> Authorised | ToolResult:
    """Return a call with the arguments that its approver put in place of the model's; a mark that was left in them stays one."""
    arguments = answer.arguments
    codecs = {each.path: each.codec for each in call.references}
    references = tuple(
        Reference(path=path, call=call_id, codec=codecs.get(path, ANY))
        for path, call_id in _marks(arguments, node.needs)
    )
    if not (references and isinstance(arguments, dict)):
        references = ()

    def prepared(edited_call: ToolCall) -> Step | ToolResult:
        if not references:
            return pipeline.prepare(edited_call)
        known = _with_marks(pipeline, edited_call, references)
        return known if isinstance(known, ToolResult) else known.step

    step = edited(call.step, answer, prepared)
    return step if isinstance(step, ToolResult) else Authorised(step, references)


def _marks(
    value: Any, ids: Mapping[str, int], path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where the marks of some calls stand in a JSON value, and whose each is."""
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(call_id := value.get(MARK), str) and call_id in ids:
            yield path, call_id
            return
        for name, inner in value.items():
            yield from _marks(inner, ids, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _marks(inner, ids, (*path, place))

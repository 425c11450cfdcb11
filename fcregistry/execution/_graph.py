"""Calls within calls: reading a model's expressions, and running their calls.

Each call runs as soon as it has the results that it needs; calls that do not need each other's results run at the same time. Before any call
of an expression runs, all of its calls are authorised: approvers see a placeholder where the result of another call is going to be. An
expression that is not valid gives a failed result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fcregistry._base.call import CallError, Problem, ToolCall
from fcregistry._base.wording import json_path
from fcregistry._results.result import Approval, ToolResult
from fcregistry.errors import PluginError
from fcregistry.execution import _call_errors as call_errors
from fcregistry.execution._approval import Approve, apply_edit, ask_approver
from fcregistry.execution._batch import Batch, run_batch
from fcregistry.execution._pipeline import load_plugins
from fcregistry.execution._result import failed_result
from fcregistry.execution._step import CallStep
from fcregistry.execution._suspended import ResumedCall
from fcregistry.expressions import (
    RESULT_KEY,
    CallGraph,
    ExpressionError,
    Reference,
    encode_value,
    fill_results,
    name_spellings,
    parse_call,
    parse_calls,
)
from fcregistry.types import ANY_CODEC, EncodingError, to_json, write_non_finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from fcregistry._tools.tool import Tool
    from fcregistry.execution._batch import PreparedCall
    from fcregistry.execution._invoke import Effects
    from fcregistry.execution._pipeline import Pipeline
    from fcregistry.execution._settings import CallsContext
    from fcregistry.expressions import AllowedFunctions, ExpressionContext
    from fcregistry.types import Codec


Expressions: TypeAlias = "str | Iterable[Parsed]"


def run_expressions(
    pipeline: Pipeline,
    given: Expressions,
    names: ExpressionContext | None,
    allow: AllowedFunctions | None,
    context: CallsContext,
    *,
    one: bool,
) -> Effects[list[ToolResult]]:
    """Read expressions, run their calls, and return the result of each outermost call.

    Args:
        pipeline: Runs calls.
        given: The text, or what `parse_call` returned.
        names: The names and values that the text may use; see `parse_call`.
        allow: The functions that the text may call in addition to tools; see `parse_call`.
        context: The token and `deps` of the caller.
        one: Whether the text must be one call.

    Raises:
        TypeError: `given` is neither a text nor a list of expressions.
    """
    if isinstance(given, str):
        if pipeline.has_unloaded_tools:
            named = [tool for tool in pipeline.tools.values() if _names_unloaded(given, tool)]
            yield from load_plugins(named)
        try:
            if one:
                parsed: list[Parsed] = [parse_call(given, tools=pipeline.tools, context=names, allow=allow)]
            else:
                parsed = parse_calls(given, tools=pipeline.tools, context=names, allow=allow)
        except (ExpressionError, PluginError) as error:
            return [failed_result(None, unreadable_expression(error))]
    else:
        parsed = check_expressions(given)
    if not any(isinstance(each, CallGraph) for each in parsed):
        return (yield from run_batch(pipeline, parsed, context))
    nodes = call_nodes(parsed)
    results = yield from run_nodes(pipeline, nodes, context)
    return [result for node, result in zip(nodes, results, strict=True) if node.is_outermost]


def _names_unloaded(text: str, tool: Tool) -> bool:
    """Return whether `tool`'s plugin is not imported yet, and `text` has a spelling of the tool's name."""
    return not tool.is_loaded and any(name in text for name in name_spellings(tool))


# --- Running the calls ---


def run_nodes(pipeline: Pipeline, nodes: list[CallNode], context: CallsContext) -> Effects[list[ToolResult]]:
    """Run the calls of expressions, each once it has the results that it needs; return all results.

    The results are in the order of `nodes`. A call waits only for earlier calls, so some call can always run.
    """
    authorised = yield from authorise_nodes(pipeline, nodes, context)

    def make_ready(place: int, inner: dict[int, ToolResult]) -> PreparedCall:
        """Return the call with the index `place`, its needed results filled in, or its failed result.

        If an approver was asked, it has the approval.

        Args:
            place: The index.
            inner: The results that it needs, by the indexes of their calls.
        """
        call = authorised[place]
        if isinstance(call, ToolResult):
            return call
        step: CallStep | ToolResult = call.step
        if call.references:
            results = {call_id: inner[need] for call_id, need in nodes[place].needs.items()}
            step = _fill_results(pipeline, call, results)
        if call.approval is None:
            return step
        return step.with_approval(call.approval) if isinstance(step, ToolResult) else ResumedCall(step, call.approval)

    needs = [tuple(node.needs.values()) for node in nodes]
    steps = [each if isinstance(each, ToolResult) else each.step for each in authorised]
    results: list[ToolResult] = yield Batch(pipeline, steps, context, needs, make_ready)
    return results


def _fill_results(pipeline: Pipeline, call: AuthorisedCall, results: dict[str, ToolResult]) -> CallStep | ToolResult:
    """Return a call with the results of other calls in place of its placeholders, or a failed result.

    Each result is encoded by the codec of its place, and all arguments are validated. It fails if one of the results
    has failed or cannot be encoded, or the arguments are not valid.

    Args:
        pipeline: Prepares the call.
        call: The call.
        results: The results, by the ids of their calls.
    """
    step = call.step
    name, tool = step.call.name, step.bound.tool
    values: dict[tuple[str | int, ...], Any] = {}
    for each in call.references:
        result = results[each.call]
        if not result.ok:
            return failed_result(step.call, inner_call_failed(name, result), tool, step.repairs)
        try:
            values[each.path] = _encode_result(result, each.codec, nulls=pipeline.settings.writes_null(result.tool))
        except EncodingError as error:
            inner = "the inner call" if result.call is None else result.call.name
            problem = Problem(json_path(each.path), f"the result of {inner} cannot be used here: {error}")
            return failed_result(step.call, call_errors.invalid_arguments(name, (problem,)), tool, step.repairs)
    ready = pipeline.prepare(ToolCall(name, fill_results(step.arguments, values), step.call.id), from_application=True)
    return ready if isinstance(ready, ToolResult) else ready._replace(repairs=step.repairs + ready.repairs)


def _encode_result(result: ToolResult, codec: Codec, *, nulls: bool) -> Any:
    """Return the value of a result as JSON, by the codec of its place; with `nulls`, NaN and infinity become null.

    Raises:
        EncodingError: It has no JSON form.
    """
    if not nulls:
        return encode_value(result.value, codec)
    with write_non_finite("null"):
        return to_json(encode_value(result.value, codec))


# --- Authorising calls ---


class AuthorisedCall(NamedTuple):
    """A call that may run once it has the results that it needs.

    Attributes:
        step: The call. If it needs results, it is not fully validated, and not decoded.
        references: The places of the results in its arguments.
        approval: How it was approved; None if no approver was asked.
    """

    step: CallStep
    references: tuple[Reference, ...] = ()
    approval: Approval | None = None


def authorise_nodes(
    pipeline: Pipeline, nodes: list[CallNode], context: CallsContext
) -> Effects[list[AuthorisedCall | ToolResult]]:
    """Decide whether calls may run; return each call, or a failed result for a call that may not.

    If one call of an expression is refused, no call of that expression may run.
    """
    authorised = [_prepare(pipeline, node.call, node.references) for node in nodes]
    refused: dict[int, list[ToolResult]] = {}
    for node, each in zip(nodes, authorised, strict=True):
        if isinstance(each, ToolResult):
            refused.setdefault(node.expression, []).append(each)
    for place, (node, each) in enumerate(zip(nodes, authorised, strict=True)):
        if isinstance(each, AuthorisedCall) and node.expression not in refused:
            authorised[place] = asked = yield from _ask_approval(pipeline, node, each, context)
            if isinstance(asked, ToolResult):
                refused[node.expression] = [asked]
    for place, (node, each) in enumerate(zip(nodes, authorised, strict=True)):
        if isinstance(each, AuthorisedCall) and node.expression in refused:
            error = refused_with_others(node.call.name, refused[node.expression])
            authorised[place] = failed_result(node.call, error, each.step.bound.tool)
    return authorised


def _prepare(pipeline: Pipeline, call: ToolCall, references: tuple[Reference, ...]) -> AuthorisedCall | ToolResult:
    """Return a call validated except at its placeholders, `references`, with these; or a failed result."""
    step = pipeline.prepare(call, pending=[json_path(each.path) for each in references])
    return step if isinstance(step, ToolResult) else AuthorisedCall(step, references)


def _ask_approval(
    pipeline: Pipeline, node: CallNode, call: AuthorisedCall, context: CallsContext
) -> Effects[AuthorisedCall | ToolResult]:
    """Ask the approver about a call, if needed; return it, with the approver's edits, or a failed result.

    A coroutine of effects, see `Effect`. If the approver was asked, what is returned has the approval. It fails if the
    call is denied or its edit is not valid.
    """
    step, pending = call.step, bool(call.references)
    answer, approval = yield from ask_approver(pipeline.rules, step, context.cancellation, pending=pending)
    changed: AuthorisedCall | ToolResult = call
    if isinstance(answer, CallError):
        changed = failed_result(step.call, answer, step.bound.tool, step.repairs)
    elif answer is not None:
        changed = _apply_edit(pipeline, node, call, answer)
    if approval is None:
        return changed
    return changed.with_approval(approval) if isinstance(changed, ToolResult) else changed._replace(approval=approval)


def _apply_edit(
    pipeline: Pipeline, node: CallNode, call: AuthorisedCall, answer: Approve
) -> AuthorisedCall | ToolResult:
    """Return a call with its approver's arguments, or a failed result if they are not valid.

    Placeholders in the approver's arguments still stand for results; other parts are validated now.
    """
    arguments = answer.arguments
    codecs = {each.path: each.codec for each in call.references}
    references = tuple(
        Reference(path=path, call=call_id, codec=codecs.get(path, ANY_CODEC))
        for path, call_id in _placeholders(arguments, node.needs)
    )
    pending = [json_path(each.path) for each in references]
    step = apply_edit(call.step, answer, lambda edited: pipeline.prepare(edited, pending=pending))
    return step if isinstance(step, ToolResult) else AuthorisedCall(step, references)


def _placeholders(
    value: Any, ids: Mapping[str, int], path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the path of each placeholder in a JSON value, and the id of its call, in the value's order.

    A placeholder is an object with the key `RESULT_KEY` alone, whose value is in `ids`; any other object is searched.

    Args:
        value: The value.
        ids: The ids of the calls that placeholders may stand for.
        path: The path of the value, with which the paths begin.
    """
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(call_id := value.get(RESULT_KEY), str) and call_id in ids:
            yield path, call_id
            return
        for name, inner in value.items():
            yield from _placeholders(inner, ids, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _placeholders(inner, ids, (*path, place))


# --- The calls of expressions, as nodes ---

Parsed: TypeAlias = "ToolCall | CallGraph"


class CallNode(NamedTuple):
    """One call of an expression.

    Attributes:
        call: The call, with a placeholder for each result of another call.
        references: The places of the placeholders.
        needs: The places, in the list of nodes, of the calls whose results it needs, by their ids.
        expression: Which expression it belongs to, from 0.
        is_outermost: Whether its result is that of the expression.
    """

    call: ToolCall
    references: tuple[Reference, ...]
    needs: Mapping[str, int]
    expression: int
    is_outermost: bool


def check_expressions(expressions: object) -> list[Parsed]:
    """Return parsed expressions as a list.

    Raises:
        TypeError: `expressions` is not an iterable of what `parse_call` returns.
    """
    given: list[Parsed] = []
    if isinstance(expressions, (ToolCall, CallGraph, Mapping)) or not isinstance(expressions, Iterable):
        raise TypeError(
            f"give a text or a list of what parse_call returned, not {expressions!r:.80}; for one, use run_expression"
        )
    for each in expressions:
        if not isinstance(each, (ToolCall, CallGraph)):
            raise TypeError(f"an expression is a text, or what parse_call returned, not {each!r:.80}")
        given.append(each)
    return given


def call_nodes(expressions: Iterable[Parsed]) -> list[CallNode]:
    """Return all calls in `expressions` as one list of nodes, each after the nodes whose results it needs."""
    nodes: list[CallNode] = []
    for number, expression in enumerate(expressions):
        if isinstance(expression, ToolCall):
            nodes.append(CallNode(expression, (), {}, number, True))
        else:
            nodes += _graph_nodes(expression, number, len(nodes))
    return nodes


def _graph_nodes(graph: CallGraph, number: int, first: int) -> Iterable[CallNode]:
    """Yield the calls of one expression as nodes, in their order.

    Args:
        graph: The expression.
        number: The index of the expression.
        first: The index of its first call among the calls of all expressions.
    """
    places: dict[str, int] = {}
    for place, call in enumerate(graph.calls, first):
        references = graph.references.get(call.id or "", ())
        needs = {each.call: places[each.call] for each in references}
        yield CallNode(call, references, needs, number, call is graph.call)
        places[call.id or ""] = place


# --- What a model reads ---


def unreadable_expression(error: ExpressionError | PluginError) -> CallError:
    """Return the error for an expression that is not a call, or whose plugin does not load."""
    if isinstance(error, PluginError):
        return call_errors.plugin_unavailable(error)
    problems = tuple(
        Problem(each.path, f"{each.message} (line {each.line}, column {each.column})") for each in error.problems
    )
    return CallError(error.code, "the expression is not a valid call; nothing was run:", problems)


def inner_call_failed(name: str, inner: ToolResult) -> CallError:
    """Return the error for a call that needs the result of `inner`, a call that failed."""
    error = _error_of(inner)
    return call_errors.reworded(
        error, f"{name} was not run, because it needs the result of {_name(inner)}, which failed: {error.text}"
    )


def refused_with_others(name: str, refused: Sequence[ToolResult]) -> CallError:
    """Return the error for a call of an expression in which the calls of `refused` were refused."""
    first = _error_of(refused[0])
    if len(refused) == 1:
        why = f"{_name(refused[0])} in the same expression was refused: {first.text}"
    else:
        lines = (f"- {_name(each)}: {_error_of(each).text}" for each in refused)
        why = "\n".join(["these calls in the same expression were refused:", *lines])
    return call_errors.reworded(first, f"{name} was not run, because {why}")


def _name(result: ToolResult) -> str:
    """Return the name of the called tool for an error; `another call` if the call is not known."""
    return "another call" if result.call is None else result.call.name


def _error_of(result: ToolResult) -> CallError:
    """Return the error of a failed result; if it has none, a `malformed_call` without text."""
    return result.error or CallError("malformed_call", "")

"""What is to be carried out of some expressions? Their calls in one row, each behind those that it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from fcregistry._base.call import ToolCall
from fcregistry.expressions import CallGraph

if TYPE_CHECKING:
    from fcregistry.expressions import Reference

Parsed: TypeAlias = "ToolCall | CallGraph"


class Node(NamedTuple):
    """One call of an expression.

    Attributes:
        call: The call; where results of others are to stand, there is a mark.
        references: Where these are.
        needs: The places, in the row, of the calls whose results it needs, by their ids.
        expression: Which expression it belongs to, from 0.
        is_outermost: Whether it is the one whose result is that of the expression.
    """

    call: ToolCall
    references: tuple[Reference, ...]
    needs: Mapping[str, int]
    expression: int
    is_outermost: bool


def checked(expressions: object) -> list[Parsed]:
    """Return expressions that were read before, as a list.

    Raises:
        TypeError: One of them is none, or they are no list.
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


def nodes_of(expressions: Iterable[Parsed]) -> list[Node]:
    """Return the calls of expressions in one row."""
    nodes: list[Node] = []
    for number, expression in enumerate(expressions):
        if isinstance(expression, ToolCall):
            nodes.append(Node(expression, (), {}, number, True))
        else:
            nodes += _of_graph(expression, number, len(nodes))
    return nodes


def _of_graph(graph: CallGraph, number: int, first: int) -> Iterable[Node]:
    places: dict[str, int] = {}
    for place, call in enumerate(graph.calls, first):
        references = graph.references.get(call.id or "", ())
        needs = {each.call: places[each.call] for each in references}
        yield Node(call, references, needs, number, call is graph.call)
        places[call.id or ""] = place

"""Calls that a model writes as Python does, read without running them.

`parse_call(text, tools=…)` reads `add(a=1, b=multiply(a=2, b=3))` without `eval`, and returns a `ToolCall`, or a `CallGraph` of several.
`render(…)` writes what it reads; `prompt(…)` tells a model how to write it. `Executor.run_expression` executes it.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.expressions._encode import encode_value as encode_value
    from fcregistry.expressions._guard import CutOff as CutOff
    from fcregistry.expressions._guard import last_fenced_block as last_fenced_block
    from fcregistry.expressions._guard import parse_call_nodes as parse_call_nodes
    from fcregistry.expressions._guard import strip_fence as strip_fence
    from fcregistry.expressions._names import AllowedFunctions as AllowedFunctions
    from fcregistry.expressions._names import ExpressionContext as ExpressionContext
    from fcregistry.expressions._names import ExpressionScope as ExpressionScope
    from fcregistry.expressions._names import name_spellings as name_spellings
    from fcregistry.expressions._names import tools_by_name as tools_by_name
    from fcregistry.expressions._nodes import RESULT_KEY as RESULT_KEY
    from fcregistry.expressions._nodes import CallGraph, ExpressionError, ExpressionProblem, Reference
    from fcregistry.expressions._nodes import fill_results as fill_results
    from fcregistry.expressions._parse import parse_call, parse_calls
    from fcregistry.expressions._render import describe_names as describe_names
    from fcregistry.expressions._render import prompt, render

__all__ = [
    "CallGraph",
    "ExpressionError",
    "ExpressionProblem",
    "Reference",
    "parse_call",
    "parse_calls",
    "prompt",
    "render",
]

_MODULES = {
    "._encode": ("encode_value",),
    "._guard": ("CutOff", "last_fenced_block", "parse_call_nodes", "strip_fence"),
    "._names": ("AllowedFunctions", "ExpressionContext", "ExpressionScope", "name_spellings", "tools_by_name"),
    "._nodes": ("CallGraph", "ExpressionError", "ExpressionProblem", "RESULT_KEY", "Reference", "fill_results"),
    "._parse": ("parse_call", "parse_calls"),
    "._render": ("describe_names", "prompt", "render"),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)

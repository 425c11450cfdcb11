"""How does a model write calls as Python does, and how are they read without running them?

`parse_call(text, tools=…)` reads `add(a=1, b=multiply(a=2, b=3))` without `eval`, and returns a `ToolCall`, or a `CallGraph` of several.
`render(…)` writes what it reads; `prompt(…)` tells a model how to write it. `Executor.run_expression` carries it out.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.expressions._nodes import CallGraph, ExpressionError, ExpressionProblem, Reference
    from fcregistry.expressions._parse import parse_call, parse_calls
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

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "CallGraph": "._nodes",
    "ExpressionError": "._nodes",
    "ExpressionProblem": "._nodes",
    "Reference": "._nodes",
    "parse_call": "._parse",
    "parse_calls": "._parse",
    "prompt": "._render",
    "render": "._render",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

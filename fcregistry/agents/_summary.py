"""How is what came of a call told in a text of the application's own?"""

from __future__ import annotations

from collections.abc import Callable
from string import Formatter
from typing import TYPE_CHECKING, Final, TypeAlias

from fcregistry.models._messages import arguments_text

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._results.result import ToolResult

Summary: TypeAlias = "str | Callable[[ToolCall, ToolResult], str]"
"""A template, or a function of a call and its result."""

_PLACEHOLDERS: Final = ("tool_name", "arguments", "result")


def summarizer(summary: Summary) -> Callable[[ToolCall, ToolResult], str]:
    """Return what tells of a call.

    Args:
        summary: A function, or a template with `{tool_name}`, `{arguments}` (JSON text) and `{result}`; `{{` and `}}` are braces.

    Raises:
        TypeError: It is neither.
        ValueError: The template has another placeholder, or a brace that is none.
    """
    if isinstance(summary, str):
        _check(summary)
        template = summary
        return lambda call, result: template.format(
            tool_name=call.name, arguments=arguments_text(call), result=result.content
        )
    if not callable(summary):
        raise TypeError(f"summary takes a template or a function of a call and its result, not {summary!r:.80}")
    tell = summary

    def told(call: ToolCall, result: ToolResult) -> str:
        said = tell(call, result)
        if not isinstance(said, str):
            raise TypeError(f"the function given as summary returns text, not {said!r:.80}")
        return said

    return told


def _check(template: str) -> None:
    try:
        pieces = list(Formatter().parse(template))
    except ValueError as error:
        raise ValueError(f"the template {template!r:.80} cannot be read: {error}; write {{{{ for a brace") from None
    for _, name, form, conversion in pieces:
        if name is not None and (name not in _PLACEHOLDERS or form or conversion):
            known = ", ".join(f"{{{each}}}" for each in _PLACEHOLDERS)
            raise ValueError(f"the template {template!r:.80} has a placeholder that is none of {known}: {name!r:.40}")

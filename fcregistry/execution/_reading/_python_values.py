"""Which call is it that gives a tool these Python values?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fcregistry._base.call import Problem, ToolCall
from fcregistry.errors import PluginError
from fcregistry.execution._wording import invalid_arguments
from fcregistry.execution._writing._outcome import failure
from fcregistry.types import EncodingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry._results.result import ToolResult
    from fcregistry._tools.tool import Tool


def call_with(tool: Tool, name: str, arguments: Mapping[str, Any]) -> ToolCall | ToolResult:
    """Return the call that a model would have written for Python values, or why there is none.

    Args:
        tool: The tool; the plugin of a described one is imported.
        name: What it is called by.
        arguments: The values, by parameter name; a `*args` parameter takes a list.
    """
    try:
        binding = tool.signature.binding
    except PluginError:
        return ToolCall(name, {})  # whose result says why
    encoded: dict[str, Any] = {}
    for parameter, value in arguments.items():
        try:
            encoded[parameter] = binding.encode_argument(parameter, value)
        except EncodingError as error:
            problem = Problem(f"$.{parameter}", str(error))
            return failure(ToolCall(name), invalid_arguments(name, (problem,)), tool)
    return ToolCall(name, encoded)

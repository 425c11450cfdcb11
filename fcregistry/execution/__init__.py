"""How is a tool call carried out? Parse, validate, decode, approve, bind, invoke, encode: one pipeline, in `_executor.py`."""

from fcregistry._results import CallError
from fcregistry.errors import ToolError
from fcregistry.execution._executor import Executor

__all__ = ["CallError", "Executor", "ToolError"]

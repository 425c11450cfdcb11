"""How is a tool call carried out? Parse, validate, decode, approve, bind, invoke, encode: one pipeline, in `_pipeline.py`.

Names are resolved when they are first used: whoever writes a tool that returns `Content` does not import the executor for it.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry._base.call import CallError, CancellationToken
    from fcregistry._base.secrets import Secrets
    from fcregistry._results.content import Content, ToolOutput
    from fcregistry._results.result import Approval
    from fcregistry._tools.tool import Toolset
    from fcregistry.errors import ToolError
    from fcregistry.execution._approval import Approve, Deny
    from fcregistry.execution._arguments import REPAIRS
    from fcregistry.execution._cache import Cache, MemoryCache
    from fcregistry.execution._executor import Executor
    from fcregistry.execution._policy import Policy
    from fcregistry.execution._progress import Partial, Progress
    from fcregistry.execution._retry import Retry
    from fcregistry.execution._suspended import PreparedCalls, WaitingCall

__all__ = [
    "REPAIRS",
    "Approval",
    "Approve",
    "Cache",
    "CallError",
    "CancellationToken",
    "Content",
    "Deny",
    "Executor",
    "MemoryCache",
    "Partial",
    "Policy",
    "PreparedCalls",
    "Progress",
    "Retry",
    "Secrets",
    "ToolError",
    "ToolOutput",
    "Toolset",
    "WaitingCall",
]

# Public name -> the module it lives in.
_HOMES: dict[str, str] = {
    "REPAIRS": "fcregistry.execution._arguments",
    "Approval": "fcregistry._results.result",
    "Approve": "fcregistry.execution._approval",
    "Cache": "fcregistry.execution._cache",
    "CallError": "fcregistry._base.call",
    "CancellationToken": "fcregistry._base.call",
    "Content": "fcregistry._results.content",
    "Deny": "fcregistry.execution._approval",
    "Executor": "fcregistry.execution._executor",
    "MemoryCache": "fcregistry.execution._cache",
    "Partial": "fcregistry.execution._progress",
    "Policy": "fcregistry.execution._policy",
    "PreparedCalls": "fcregistry.execution._suspended",
    "Progress": "fcregistry.execution._progress",
    "Retry": "fcregistry.execution._retry",
    "Secrets": "fcregistry._base.secrets",
    "ToolError": "fcregistry.errors",
    "ToolOutput": "fcregistry._results.content",
    "Toolset": "fcregistry._tools.tool",
    "WaitingCall": "fcregistry.execution._suspended",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

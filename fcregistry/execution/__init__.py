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
    from fcregistry._tools.tool import Toolset
    from fcregistry.errors import ToolError
    from fcregistry.execution._approving._decisions import Approval, Approve, Deny
    from fcregistry.execution._approving._policy import Policy
    from fcregistry.execution._approving._prepared import PreparedCalls, WaitingCall
    from fcregistry.execution._channel import Partial, Progress
    from fcregistry.execution._executor import Executor
    from fcregistry.execution._reading._repair_names import REPAIRS
    from fcregistry.execution._repeating._caches import Cache, MemoryCache
    from fcregistry.execution._repeating._retries import Retry

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
    "REPAIRS": "fcregistry.execution._reading._repair_names",
    "Approval": "fcregistry.execution._approving._decisions",
    "Approve": "fcregistry.execution._approving._decisions",
    "Cache": "fcregistry.execution._repeating._caches",
    "CallError": "fcregistry._base.call",
    "CancellationToken": "fcregistry._base.call",
    "Content": "fcregistry._results.content",
    "Deny": "fcregistry.execution._approving._decisions",
    "Executor": "fcregistry.execution._executor",
    "MemoryCache": "fcregistry.execution._repeating._caches",
    "Partial": "fcregistry.execution._channel",
    "Policy": "fcregistry.execution._approving._policy",
    "PreparedCalls": "fcregistry.execution._approving._prepared",
    "Progress": "fcregistry.execution._channel",
    "Retry": "fcregistry.execution._repeating._retries",
    "Secrets": "fcregistry._base.secrets",
    "ToolError": "fcregistry.errors",
    "ToolOutput": "fcregistry._results.content",
    "Toolset": "fcregistry._tools.tool",
    "WaitingCall": "fcregistry.execution._approving._prepared",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

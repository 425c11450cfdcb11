"""Running tool calls: parse, validate, decode, approve, bind, invoke, encode.

One pipeline does it, in `_pipeline.py`.

Names are resolved when they are first used, so that the author of a tool that returns `Content` does not import the executor for it.
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
    from fcregistry.execution._approval import Approver as Approver
    from fcregistry.execution._arguments import REPAIRS
    from fcregistry.execution._batch import list_calls as list_calls
    from fcregistry.execution._cache import Cache, MemoryCache
    from fcregistry.execution._executor import Executor
    from fcregistry.execution._graph import CallNode as CallNode
    from fcregistry.execution._graph import call_nodes as call_nodes
    from fcregistry.execution._graph import run_nodes as run_nodes
    from fcregistry.execution._graph import unreadable_expression as unreadable_expression
    from fcregistry.execution._hooks import CallHook as CallHook
    from fcregistry.execution._hooks import ClosedHooks as ClosedHooks
    from fcregistry.execution._hooks import HookChain as HookChain
    from fcregistry.execution._invoke import Effects as Effects
    from fcregistry.execution._invoke import adrive as adrive
    from fcregistry.execution._invoke import drive as drive
    from fcregistry.execution._messages import scrub as scrub
    from fcregistry.execution._messages import unknown_tool as unknown_tool
    from fcregistry.execution._observability import log_failure as log_failure
    from fcregistry.execution._policy import Policy
    from fcregistry.execution._result import failed_result as failed_result
    from fcregistry.execution._retry import Retry
    from fcregistry.execution._settings import CallHooks as CallHooks
    from fcregistry.execution._settings import CallsContext as CallsContext
    from fcregistry.execution._settings import ToolLike as ToolLike
    from fcregistry.execution._settings import calls_context as calls_context
    from fcregistry.execution._settings import toolset_of as toolset_of
    from fcregistry.execution._streaming import Partial, Progress
    from fcregistry.execution._suspended import RUN_STATE as RUN_STATE
    from fcregistry.execution._suspended import Decision as Decision
    from fcregistry.execution._suspended import PreparedCalls, WaitingCall
    from fcregistry.execution._suspended import sign_state as sign_state
    from fcregistry.execution._suspended import verify_state as verify_state
    from fcregistry.execution._threads import NoThreadError as NoThreadError
    from fcregistry.execution._threads import background_loop as background_loop
    from fcregistry.execution._threads import blocking_threads as blocking_threads
    from fcregistry.execution._threads import running_loop as running_loop

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
    "REPAIRS": "._arguments",
    "Approval": "fcregistry._results.result",
    "Approve": "._approval",
    "Cache": "._cache",
    "CallError": "fcregistry._base.call",
    "CancellationToken": "fcregistry._base.call",
    "Content": "fcregistry._results.content",
    "Deny": "._approval",
    "Executor": "._executor",
    "MemoryCache": "._cache",
    "Partial": "._streaming",
    "Policy": "._policy",
    "PreparedCalls": "._suspended",
    "Progress": "._streaming",
    "Retry": "._retry",
    "Secrets": "fcregistry._base.secrets",
    "ToolError": "fcregistry.errors",
    "ToolOutput": "fcregistry._results.content",
    "Toolset": "fcregistry._tools.tool",
    "WaitingCall": "._suspended",
}

# What other rooms use; not public.
_FOR_OTHER_ROOMS: dict[str, str] = {
    "Approver": "._approval",
    "CallHook": "._hooks",
    "CallHooks": "._settings",
    "CallNode": "._graph",
    "CallsContext": "._settings",
    "ClosedHooks": "._hooks",
    "Decision": "._suspended",
    "Effects": "._invoke",
    "HookChain": "._hooks",
    "NoThreadError": "._threads",
    "RUN_STATE": "._suspended",
    "ToolLike": "._settings",
    "adrive": "._invoke",
    "background_loop": "._threads",
    "blocking_threads": "._threads",
    "call_nodes": "._graph",
    "calls_context": "._settings",
    "drive": "._invoke",
    "failed_result": "._result",
    "list_calls": "._batch",
    "log_failure": "._observability",
    "run_nodes": "._graph",
    "running_loop": "._threads",
    "scrub": "._messages",
    "sign_state": "._suspended",
    "toolset_of": "._settings",
    "unknown_tool": "._messages",
    "unreadable_expression": "._graph",
    "verify_state": "._suspended",
}

lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})

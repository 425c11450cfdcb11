"""Running tool calls: parse, validate, decode, approve, bind, invoke, encode.

One pipeline does it, in `_pipeline.py`.

Names are resolved when they are first used, so that the author of a tool that returns `Content` does not import the executor for it.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry._base.call import CallError, CancellationToken
    from fcregistry._base.certificates import tls_problem
    from fcregistry._base.secrets import Secrets
    from fcregistry._results.content import Content, ToolOutput
    from fcregistry._results.result import Approval
    from fcregistry._tools.tool import Toolset
    from fcregistry.errors import ToolError
    from fcregistry.execution._approval import Approve, Deny, Policy
    from fcregistry.execution._approval import Approver as Approver
    from fcregistry.execution._arguments import REPAIRS
    from fcregistry.execution._arguments import allowed_repairs as allowed_repairs
    from fcregistry.execution._batch import finished_results as finished_results
    from fcregistry.execution._batch import list_calls as list_calls
    from fcregistry.execution._cache import Cache, MemoryCache
    from fcregistry.execution._call_errors import scrub as scrub
    from fcregistry.execution._call_errors import unknown_tool as unknown_tool
    from fcregistry.execution._executor import Executor
    from fcregistry.execution._executor import kept_results_of as kept_results_of
    from fcregistry.execution._executor import limit_seconds as limit_seconds
    from fcregistry.execution._executor import open_pipeline as open_pipeline
    from fcregistry.execution._executor import pipeline_of as pipeline_of
    from fcregistry.execution._executor import run_listening as run_listening
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
    from fcregistry.execution._limits import KeptResults as KeptResults
    from fcregistry.execution._observability import log_failure as log_failure
    from fcregistry.execution._result import failed_result as failed_result
    from fcregistry.execution._settings import CallHooks as CallHooks
    from fcregistry.execution._settings import CallsContext as CallsContext
    from fcregistry.execution._settings import Retry
    from fcregistry.execution._settings import ToolLike as ToolLike
    from fcregistry.execution._settings import calls_context as calls_context
    from fcregistry.execution._settings import toolset_of as toolset_of
    from fcregistry.execution._streaming import Partial, Progress
    from fcregistry.execution._suspended import RUN_STATE as RUN_STATE
    from fcregistry.execution._suspended import Decision as Decision
    from fcregistry.execution._suspended import PreparedCalls, WaitingCall
    from fcregistry.execution._suspended import is_resumed as is_resumed
    from fcregistry.execution._suspended import read_waiting_calls as read_waiting_calls
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
    "tls_problem",
]

_MODULES = {
    "fcregistry._base.call": ("CallError", "CancellationToken"),
    "fcregistry._base.certificates": ("tls_problem",),
    "fcregistry._base.secrets": ("Secrets",),
    "fcregistry._results.content": ("Content", "ToolOutput"),
    "fcregistry._results.result": ("Approval",),
    "fcregistry._tools.tool": ("Toolset",),
    "fcregistry.errors": ("ToolError",),
    "._approval": ("Approve", "Approver", "Deny", "Policy"),
    "._arguments": ("REPAIRS", "allowed_repairs"),
    "._batch": ("finished_results", "list_calls"),
    "._cache": ("Cache", "MemoryCache"),
    "._executor": ("Executor", "kept_results_of", "limit_seconds", "open_pipeline", "pipeline_of", "run_listening"),
    "._graph": ("CallNode", "call_nodes", "run_nodes", "unreadable_expression"),
    "._hooks": ("CallHook", "ClosedHooks", "HookChain"),
    "._invoke": ("Effects", "adrive", "drive"),
    "._limits": ("KeptResults",),
    "._call_errors": ("scrub", "unknown_tool"),
    "._observability": ("log_failure",),
    "._result": ("failed_result",),
    "._settings": ("CallHooks", "CallsContext", "Retry", "ToolLike", "calls_context", "toolset_of"),
    "._streaming": ("Partial", "Progress"),
    "._suspended": (
        "Decision",
        "PreparedCalls",
        "RUN_STATE",
        "WaitingCall",
        "is_resumed",
        "read_waiting_calls",
        "sign_state",
        "verify_state",
    ),
    "._threads": ("NoThreadError", "background_loop", "blocking_threads", "running_loop"),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)

"""`Context`, which gives a tool the call that it is running for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fcregistry._base.call import CancellationToken

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable

    from typing_extensions import TypeVar as TypeVarWithDefault

    from fcregistry._base.call import ToolCall
    from fcregistry._tools.tool import Tool

    Deps = TypeVarWithDefault("Deps", default=Any)
else:
    Deps = TypeVar("Deps")


class Context(Generic[Deps]):
    """The call that a tool is running for.

    The executor fills in a parameter with this annotation; models never see it.

        @fc_register("tool")
        def orders(context: Context[Shop], customer: str) -> list[str]:
            return context.deps.orders_of(customer)

    A test makes its own: `orders(Context(Shop(…)), "Ada")`.

    Args:
        deps: The object that the tool depends on, such as a client or a session.
        call: The call.
        tool: The tool.
        cancellation: Shows whether the call was cancelled.
        report: Called with progress: a number from 0 to 1, and a message.
    """

    __slots__ = ("_call", "_cancellation", "_deps", "_report", "_tool")

    def __init__(
        self,
        deps: Deps | None = None,
        *,
        call: ToolCall | None = None,
        tool: Tool | None = None,
        cancellation: CancellationToken | None = None,
        report: Callable[[float, str], object] | None = None,
    ) -> None:
        self._deps = deps
        self._call = call
        self._tool = tool
        self._cancellation = cancellation
        self._report = report

    @property
    def deps(self) -> Deps:
        """The object of the annotated type, as in `Context[Shop]`.

        It is one of those given to the executor or the call.
        """
        return self._deps  # type: ignore[return-value]  # the executor checks that it was given

    @property
    def call(self) -> ToolCall | None:
        """The call, with its arguments as the model wrote them."""
        return self._call

    @property
    def call_id(self) -> str | None:
        """The id that the provider gave the call."""
        return None if self._call is None else self._call.id

    @property
    def tool(self) -> Tool | None:
        """The tool that is running."""
        return self._tool

    @property
    def cancellation(self) -> CancellationToken:
        """Shows whether the call was cancelled, or took too long; see `CancellationToken`."""
        if self._cancellation is None:
            self._cancellation = CancellationToken()
        return self._cancellation

    def progress(self, fraction: float, message: str = "") -> None:
        """Report progress to the caller, if it streams the call.

        Args:
            fraction: From 0 to 1; a number outside is moved to the nearer of the two.
            message: The step that the tool is at.
        """
        if self._report is not None:
            self._report(min(max(float(fraction), 0.0), 1.0), str(message))

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """The logger `fcregistry.tools.NAME`, whose records carry `tool` and `call_id`."""
        import logging  # only if a tool logs

        name = "unknown" if self._tool is None else self._tool.declared_name
        extra = {"tool": None if self._tool is None else self._tool.id, "call_id": self.call_id}
        return logging.LoggerAdapter(logging.getLogger(f"fcregistry.tools.{name}"), extra)

    def __repr__(self) -> str:
        return f"<Context of {'no call' if self._call is None else repr(self._call)}>"

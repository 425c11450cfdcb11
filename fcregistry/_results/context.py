"""`Context`, which gives a tool its call and dependencies, and reports its progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

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
    """The context of a call: the call, the tool, its dependencies, its cancellation, and its progress.

    If a tool has a parameter with this annotation, the executor passes the context of the call. Models never see this parameter.

        @fc_register("tool")
        def orders(context: Context[Shop], customer: str) -> list[str]:
            return context.deps.orders_of(customer)

    In a test, make a context yourself: `orders(Context(Shop(…)), "Ada")`.

    Args:
        deps: The object that the tool depends on, such as a client or a session.
        call: The call that the tool is carrying out.
        tool: The tool.
        cancellation: The token that shows whether the call was cancelled.
        report: The function that `progress` calls, with a number from 0 to 1 and a message.
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
        """The object that the tool depends on.

        For a parameter with the annotation `Context[Shop]`, it is a `Shop`.

        The application passes such objects as `deps` to the executor, or with a call.
        """
        return self._deps  # type: ignore[return-value]  # the executor checks that it was given

    @property
    def call(self) -> ToolCall | None:
        """The call, with its arguments as the model wrote them."""
        return self._call

    @property
    def call_id(self) -> str | None:
        """The id of the call, from the provider."""
        return None if self._call is None else self._call.id

    @property
    def tool(self) -> Tool | None:
        """The tool that is running."""
        return self._tool

    @property
    def cancellation(self) -> CancellationToken:
        """The `CancellationToken` of the call.

        It shows whether the call was cancelled or has exceeded its timeout.
        """
        if self._cancellation is None:
            self._cancellation = CancellationToken()
        return self._cancellation

    def progress(self, fraction: float, message: str = "") -> None:
        """Report progress to the caller, if it streams the call.

        Args:
            fraction: A number from 0 to 1, such as 0.5 for half of the work.
            message: What the tool is doing, such as `"2 of 5 files"`.

        Raises:
            TypeError: `fraction` is not a number.
            ValueError: It is not from 0 to 1. (A rounding error, as of `sum([0.05] * 20)`, is allowed.)
        """
        done, text = _checked_fraction(fraction), str(message)  # a tool works the same if no caller follows
        if self._report is not None:
            self._report(done, text)

    @property
    def logger(self) -> logging.LoggerAdapter[logging.Logger]:
        """The logger `fcregistry.tools.NAME`, whose records have the attributes `tool` and `call_id`."""
        import logging  # only if a tool logs

        name = "unknown" if self._tool is None else self._tool.declared_name
        extra = {"tool": None if self._tool is None else self._tool.id, "call_id": self.call_id}
        return logging.LoggerAdapter(logging.getLogger(f"fcregistry.tools.{name}"), extra)

    def __repr__(self) -> str:
        return f"<Context of {'no call' if self._call is None else repr(self._call)}>"


_ROUNDING: Final = 1e-6
"""How far outside 0 to 1 a fraction may be: the sum of many steps has a rounding error."""


def _checked_fraction(fraction: object) -> float:
    """Return `fraction` as a float from 0 to 1, without its rounding error.

    Raises:
        TypeError: It is not a number.
        ValueError: It is not from 0 to 1, or not a number (NaN).
    """
    takes = f"context.progress takes a fraction from 0 to 1, such as 0.5, not {fraction!r:.80}"
    if not hasattr(fraction, "__float__"):  # `float` would read a text
        raise TypeError(takes)
    try:
        done = float(fraction)
    except OverflowError:  # an int that is too large for a float
        raise ValueError(takes) from None
    if -_ROUNDING <= done <= 1 + _ROUNDING:  # false for NaN
        return min(max(done, 0.0), 1.0)
    raise ValueError(takes + (f"; for percent, divide by 100: progress({done / 100:g})" if 1 < done <= 100 else ""))

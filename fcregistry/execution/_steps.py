"""What is a call on its way: a tool that is ready to be called, and a call that is valid and not run yet?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from fcregistry.execution._digits import DigitsValidator
from fcregistry.execution._invoke import Invocation

if TYPE_CHECKING:
    from fcregistry._calls import ToolCall
    from fcregistry._signature import Signature
    from fcregistry._tool import Tool
    from fcregistry._validation import Engine, Validator


class Bound(NamedTuple):
    """A tool with what each of its calls needs, looked up once."""

    tool: Tool
    signature: Signature
    validator: Validator
    needs_env: bool
    needs_approval: bool | Callable[[Mapping[str, Any]], bool]
    exact: bool
    results: Validator | None

    @classmethod
    def of(cls, tool: Tool, engine: Engine, check_results: bool = False) -> Bound:
        """Return a tool made ready."""
        options, signature = tool.options, tool.signature
        validator, exact = tool.validator(engine), signature.exact
        if exact:
            validator = DigitsValidator(validator)
        results = tool.result_validator(engine) if check_results else None
        return cls(tool, signature, validator, bool(options.requires_env), options.requires_approval, exact, results)


class Step(NamedTuple):
    """A call that is valid: decoded, and not run yet."""

    call: ToolCall
    bound: Bound
    arguments: dict[str, Any]
    decoded: dict[str, Any]
    repairs: tuple[str, ...]

    def invocation(self) -> Invocation:
        """Return the function with its arguments as Python takes them."""
        signature = self.bound.signature
        args, kwargs = signature.binding.bind(self.decoded)
        return Invocation(self.bound.tool.function, args, kwargs, signature.kind)

    @property
    def needs_thread(self) -> bool:
        """Whether it would hold up an event loop."""
        return self.bound.signature.kind in ("sync", "generator") and self.bound.tool.options.blocking is True

"""A tool that is ready to be called (`Bound`), and a valid call that has not run yet (`CallStep`).

If a tool has `Decimal` parameters, the numbers in its arguments are parsed as `ExactFloat`s, which keep all digits. Validators do not
support `ExactFloat`, so `DigitsValidator` gives them plain floats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.json import with_plain_floats
from fcregistry._schema.validator import Validator
from fcregistry._schema.violations import MOST_STEPS
from fcregistry.execution._invoke import Dispatch, dispatch_of

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._base.wording import Violation
    from fcregistry._tools.signature import Signature
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._cache import Cache
    from fcregistry.execution._invoke import RemoteRunner
    from fcregistry.execution._settings import Settings


QUICK_STEPS: Final = 5_000
"""How many steps the search for errors in arguments may take on the caller's thread or event loop: about 10 ms."""


class Bound(NamedTuple):
    """A tool with everything that its calls need, looked up once.

    Attributes:
        tool: The tool.
        signature: Its signature.
        validator: The validator of its arguments.
        needs_env: Whether each call must first check that the tool is available here (`requires_env`, `available`).
        needs_no_approval: Whether its calls never need approval.
        exact: Whether numbers in its arguments keep all their digits.
        results: The validator of its results; None if the executor does not check results.
        dispatch: Where its function runs.
        timeout: The time limit of a call in seconds; None for no limit.
        cache: The cache for its results; None if they are not cached.
        runner: Runs its calls in another process; None if they run in this one.
        nulls: Whether null is written for numbers that are not finite in its results.
        touches: Whether it has an option such as `writes` or `output_files`, so that a call may wait for others in its batch.
    """

    tool: Tool
    signature: Signature
    validator: Validator
    needs_env: bool
    needs_no_approval: bool
    exact: bool
    results: Validator | None
    dispatch: Dispatch
    timeout: float | None
    cache: Cache | None
    runner: RemoteRunner | None
    nulls: bool
    touches: bool

    @classmethod
    def of(cls, tool: Tool, settings: Settings, needs_no_approval: bool = True) -> Bound:
        """Return a tool, ready to be called.

        Args:
            tool: The tool.
            settings: The executor's settings.
            needs_no_approval: Whether its calls never need approval.
        """
        signature = tool.signature  # first: it imports the plugin of a described tool, whose options are then its own
        options = tool.options
        validator, exact = tool.validator(settings.engine), signature.exact
        runner, nulls = settings.remote_runners.get(tool.name), settings.writes_null(tool)
        return cls(
            tool,
            signature,
            DigitsValidator(validator) if exact else validator,
            bool(options.requires_env or options.available)
            and runner is None,  # a worker has an environment of its own
            needs_no_approval,
            exact,
            tool.result_validator(settings.engine, nulls=nulls) if settings.check_results else None,
            dispatch_of(signature.kind, options.blocking) if runner is None else "remote",
            settings.timeout if options.timeout is None else options.timeout,
            # With `cache=True`, that of the executor: a result may depend on who calls the tool. An empty cache of the tool's own may be false.
            None if options.cache is False else settings.cache if options.cache is True else options.cache,
            runner,
            nulls,
            options.exclusive
            or any(each != () for each in (options.reads, options.writes, options.input_files, options.output_files)),
        )


class CallStep(NamedTuple):
    """A call with validated and decoded arguments, which has not run yet."""

    call: ToolCall
    bound: Bound
    arguments: dict[str, Any]
    decoded: dict[str, Any]
    repairs: tuple[str, ...]


class DigitsValidator(Validator):
    """Validates arguments that contain `ExactFloat`s.

    Args:
        validator: Validates the same arguments with plain floats.
    """

    __slots__ = ("_plain",)

    def __init__(self, validator: Validator) -> None:
        self._plain = validator  # which is compiled for the schema once

    @property
    def properties(self) -> frozenset[str]:
        return self._plain.properties

    @property
    def required(self) -> frozenset[str]:
        return self._plain.required

    @property
    def is_fast(self) -> bool:
        return self._plain.is_fast

    def is_valid(self, value: object) -> bool:
        return self._plain.is_valid(with_plain_floats(value))

    def violations(self, value: object, most_steps: int = MOST_STEPS) -> list[Violation]:
        return self._plain.violations(with_plain_floats(value), most_steps)

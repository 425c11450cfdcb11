"""A tool that is ready to be called (`Bound`), and a valid call that has not run yet (`CallStep`).

Numbers of a tool with `Decimal` parameters keep the digits that they were written with: they are read as `ExactFloat`s. Validators do not
know these, and are shown plain floats.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.json import ExactFloat, with_plain_floats
from fcregistry._schema.validator import Validator
from fcregistry._schema.violations import MOST_STEPS
from fcregistry.execution._cache import Cache
from fcregistry.execution._invoke import Dispatch, dispatch_of

if TYPE_CHECKING:
    from fcregistry._base.call import ToolCall
    from fcregistry._base.messages import Violation
    from fcregistry._tools.signature import Signature
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._invoke import RemoteRunner
    from fcregistry.execution._settings import Settings


QUICK_STEPS: Final = 5_000
"""Steps that finding out what is wrong with arguments may take on the caller's thread or loop: some 10 ms."""


class Bound(NamedTuple):
    """A tool with what each of its calls needs, looked up once.

    Attributes:
        tool: The tool.
        signature: Its signature.
        validator: The validator of its arguments.
        needs_env: Whether it requires environment variables.
        needs_no_approval: Whether no call of it ever needs approval.
        exact: Whether numbers in its arguments keep their digits.
        results: The validator of its results, if the executor checks results.
        dispatch: Where it runs.
        timeout: Seconds that a call of it may take; None for any time.
        cache: The cache for its results, if they are cached.
        runner: Runs its calls, if they run in another process.
        touches: Whether it says what it touches, so that a call of it may have to wait for others of its batch.
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
    touches: bool

    @classmethod
    def of(cls, tool: Tool, settings: Settings, needs_no_approval: bool = True) -> Bound:
        """Return a tool, ready to be called.

        Args:
            tool: The tool.
            settings: The executor's settings.
            needs_no_approval: Whether no call of it ever needs approval.
        """
        signature = tool.signature  # first: it imports the plugin of a described tool, whose options are then its own
        options = tool.options
        validator, exact = tool.validator(settings.engine), signature.exact
        runner = settings.remote_runners.get(tool.name)
        return cls(
            tool,
            signature,
            DigitsValidator(validator) if exact else validator,
            bool(options.requires_env or options.available)
            and runner is None,  # a worker has an environment of its own
            needs_no_approval,
            exact,
            tool.result_validator(settings.engine) if settings.check_results else None,
            dispatch_of(signature.kind, options.blocking) if runner is None else "remote",
            settings.timeout if options.timeout is None else options.timeout,
            cache_of(tool, settings.cache),
            runner,
            options.exclusive or options.reads != () or options.writes != (),
        )


class CallStep(NamedTuple):
    """A call that is valid and decoded, and has not run yet."""

    call: ToolCall
    bound: Bound
    arguments: dict[str, Any]
    decoded: dict[str, Any]
    repairs: tuple[str, ...]


def cache_of(tool: Tool, own: Cache) -> Cache | None:
    """Return the cache for a tool's results, or None if they are not cached.

    Args:
        tool: The tool.
        own: The executor's cache, which `cache=True` means. It is not the process's: what tools return may depend on who runs them.
    """
    given = tool.options.cache
    if given is None or given is False:
        return None
    if given is True:
        return own
    assert isinstance(given, Cache)  # see check_caches
    return given


class DigitsValidator(Validator):
    """A validator of arguments whose numbers keep their digits.

    Args:
        validator: The validator of plain JSON.
    """

    __slots__ = ("_plain",)

    def __init__(self, validator: Validator) -> None:
        self._plain = validator  # it has the schema, and is compiled once

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


def copy_json(value: Any) -> Any:
    """Return a JSON value that shares no object or array with another; numbers keep their digits."""
    if isinstance(value, dict):
        return {name: copy_json(item) for name, item in value.items()}
    return [copy_json(item) for item in value] if isinstance(value, list) else value


def exact_text(value: Any) -> str:
    """Return the text of a JSON value; numbers keep the digits they were written with.

    Raises:
        ValueError: A number has more digits than Python writes.
    """
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{exact_text(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(exact_text, value)) + "]"
    return value.text if isinstance(value, ExactFloat) else json.dumps(value)

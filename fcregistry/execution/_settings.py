"""What was an executor told that all of its calls share?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from fcregistry._base.json import LONGEST
from fcregistry.execution._reading._repair_names import ALL_REPAIRS
from fcregistry.execution._repeating._caches import Cache, MemoryCache
from fcregistry.execution._repeating._retries import Retry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fcregistry._schema.validator import Engine
    from fcregistry.execution._elsewhere._places import Place
    from fcregistry.execution._hooks import CallHooks
    from fcregistry.execution._writing._limits import Limits

Exposure: TypeAlias = Literal["all", "tool-errors"]
"""Which exceptions of tools a model reads: all, or only those that are a `ToolError`."""

_QUICK_LENGTH: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What was an executor told; its docstring says what each is.

    Raises:
        TypeError, ValueError: One of them cannot be.
    """

    engine: Engine = "jsonschema-rs"
    check_results: bool = False
    timeout: float | None = None
    max_concurrency: int = 64
    expose_errors: Exposure = "all"
    deps: tuple[Any, ...] = ()
    repairs: frozenset[str] = ALL_REPAIRS
    max_argument_characters: int | None = LONGEST
    limits: Limits | None = None
    cache: Cache = field(default_factory=MemoryCache)
    retry: Retry | None = None
    hooks: CallHooks | None = None
    places: Mapping[str, Place] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if type(self.max_concurrency) is not int or self.max_concurrency < 1:
            raise ValueError(f"max_concurrency is a whole number of at least 1, not {self.max_concurrency!r}")
        longest = self.max_argument_characters
        if longest is not None and (type(longest) is not int or longest < 1):
            raise ValueError(f"max_argument_characters is a whole number of at least 1, or None, not {longest!r}")
        if self.timeout is not None and not (type(self.timeout) in (int, float) and 0 < self.timeout < float("inf")):
            raise ValueError(f"timeout is seconds, a finite number above 0, or None, not {self.timeout!r}")
        if self.expose_errors not in ("all", "tool-errors"):
            raise ValueError(f'expose_errors is "all" or "tool-errors", not {self.expose_errors!r}')
        if self.engine not in ("jsonschema-rs", "jsonschema"):
            raise ValueError(f'validator is "jsonschema-rs" or "jsonschema", not {self.engine!r}')
        if not isinstance(self.check_results, bool):
            raise TypeError(f"check_results is a bool, not {self.check_results!r}")
        if self.retry is not None and not isinstance(self.retry, Retry):
            raise TypeError(f"retry is a Retry, such as Retry(attempts=3), not {self.retry!r}")

    @property
    def quick_length(self) -> int:
        """How many characters of arguments are read where the call is made; longer ones could hold up an event loop."""
        longest = self.max_argument_characters
        return _QUICK_LENGTH if longest is None else min(longest, _QUICK_LENGTH)

    @property
    def is_plain(self) -> bool:
        """Whether no call needs more than its tool does."""
        return self.limits is None and self.retry is None and self.hooks is None

"""What was a tool declared with, defaults included?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a tool was declared with; see docs/reference/options.md for each."""

    title: str | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    deprecated: bool | str = False
    meta: Mapping[str, Any] = field(default_factory=dict)
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    requires_approval: bool | Callable[[Mapping[str, Any]], bool] = False
    requires_env: tuple[str, ...] = ()
    timeout: float | None = None
    isolation: str | None = None
    blocking: bool | str = True
    reads: Any = ()
    writes: Any = ()
    exclusive: bool = False
    cache: Any = None
    replace: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """Return given options, checked before, with defaults for the others."""
        known = {name: value for name, value in given.items() if name in _OPTION_NAMES}
        for name in ("tags", "aliases", "requires_env"):
            if name in known:
                value = known[name]
                known[name] = (
                    (value,) if isinstance(value, str) else tuple(sorted(set(value)) if name == "tags" else value)
                )
        if "examples" in known:
            known["examples"] = tuple(known["examples"])
        return cls(**known)

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, in the order above: what `show` shows."""
        return {
            each.name: value for each in fields(self) if (value := getattr(self, each.name)) != _DEFAULTS[each.name]
        }


_OPTION_NAMES: Final = frozenset(each.name for each in fields(Options))
_DEFAULTS: Final = {each.name: getattr(Options(), each.name) for each in fields(Options)}

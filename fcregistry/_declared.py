"""What was a tool declared with, defaults included?"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class Options(NamedTuple):
    """What a tool was declared with; see docs/reference/options.md for each."""

    title: str | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    deprecated: bool | str = False
    meta: Mapping[str, Any] = MappingProxyType({})
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
        known = {name: value for name, value in given.items() if name in _DEFAULTS}
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
        return {name: value for name, value in self._asdict().items() if value != _DEFAULTS[name]}


_DEFAULTS: Final = Options()._asdict()

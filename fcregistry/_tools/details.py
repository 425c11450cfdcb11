"""The origin of a tool, its version, and its options with their defaults.

Listing tools needs none of it, so this module is imported at first use.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fcregistry._tools.declaration import Owner


# --- Origin ---


class Origin(NamedTuple):
    """Where a tool came from.

    Attributes:
        module: The module that declared it.
        qualname: The function's qualified name.
        distribution: The installed distribution that ships it; None for the application itself.
        version: That distribution's version.
        entry_point: The name of the entry point.
        file: The function's source file, where there is one.
        line: Its line there.
        source: What has the tool, if that is neither the application nor a distribution, in words: `the MCP server notes`.
    """

    module: str
    qualname: str
    distribution: str | None = None
    version: str | None = None
    entry_point: str | None = None
    file: str | None = None
    line: int | None = None
    source: str | None = None

    @classmethod
    def of(
        cls,
        owner: Owner | None,
        module: str,
        qualname: str,
        file: str | None,
        line: int | None,
        source: str | None = None,
    ) -> Origin:
        """Return the origin of a function; `owner` is the plugin or source, or None for the application."""
        if owner is None:
            return cls(module, qualname, file=file, line=line, source=source)
        return cls(module, qualname, owner.distribution, owner.version, owner.entry_point, file, line, source)

    def __str__(self) -> str:
        if self.source:
            return self.source
        owner = f"{self.distribution} {self.version}" if self.distribution else "the application"
        if self.entry_point:
            owner += f"[{self.entry_point}]"
        place = f" ({self.file}:{self.line})" if self.file else ""
        return f"{owner}, {self.module}.{self.qualname}{place}"


class Provenance(NamedTuple):
    """Which tool a call ran, in which version: for audits.

    Attributes:
        id: The canonical id.
        distribution: The installed distribution that ships it; None for the application itself.
        version: That distribution's version.
        schema_digest: The SHA-256 of its parameters' schema, in hexadecimal. A different one means different arguments.
    """

    id: str
    distribution: str | None
    version: str | None
    schema_digest: str


# --- Options ---


class Options(NamedTuple):
    """The options of a tool; `help(fc_register)` describes each."""

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
    assume_hints: str | None = None
    requires_approval: bool | Callable[[Mapping[str, Any]], bool] = False
    always_ask: Callable[[Mapping[str, Any]], str | None] | None = None
    requires_env: tuple[str | tuple[str, ...], ...] = ()
    available: Callable[[], bool] | None = None
    timeout: float | None = None
    isolation: str | None = None
    blocking: bool | str = True
    reads: Any = ()
    writes: Any = ()
    input_files: tuple[str, ...] = ()
    output_files: tuple[str, ...] = ()
    exclusive: bool = False
    on_nan: str | None = None
    cache: Any = None
    replace: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """Return the valid options `given`, with defaults for all others; unknown names are ignored."""
        return cls(
            **{name: _CONVERTERS.get(name, _unchanged)(value) for name, value in given.items() if name in _DEFAULTS}
        )

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of all environment variables in `requires_env`."""
        return tuple(name for each in self.requires_env for name in ((each,) if isinstance(each, str) else each))

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, in the order of `fcregistry show`."""
        return {name: value for name, value in self._asdict().items() if value != _DEFAULTS[name]}


def _unchanged(value: Any) -> Any:
    """Return `value` itself: the reader of options that need none."""
    return value


def _read_variables(given: Any) -> tuple[str | tuple[str, ...], ...]:
    """Return the option `requires_env` as a tuple of names, and of tuples of alternative names.

    Args:
        given: A name, or a collection of names and lists of alternative names.
    """
    names = (given,) if isinstance(given, str) else given
    return tuple(each if isinstance(each, str) else tuple(each) for each in names)


_CONVERTERS: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("aliases", "examples", "input_files", "output_files"), tuple),
    "requires_env": _read_variables,
    "tags": lambda tags: tuple(sorted(set(tags))),
}
"""Option -> the function that converts the given value to the one that a tool has; other options keep the given value."""

_DEFAULTS: Final = Options()._asdict()

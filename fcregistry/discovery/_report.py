"""What became of a plugin, or of an extension?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from fcregistry.execution._hooks import CallHook
    from fcregistry.types._reader import Family


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPlugin:
    """A plugin that was imported.

    Attributes:
        plugin: What was found.
        seconds: How long its import took; close to 0 where something else had imported it before.
        outdated: What happened to its distribution since, such as an upgrade: the process runs the old code, and has to be restarted.
            None if nothing did.
    """

    plugin: FoundPlugin
    seconds: float
    outdated: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPlugin:
    """A plugin that could not be imported.

    Attributes:
        plugin: What was found.
        seconds: How long it took to fail.
        error: What it raised.
        traceback: Where, as text.
        recorded: The reason and the advice, where the error does not tell them: another process imported it, or it was not to be imported.
    """

    plugin: FoundPlugin
    seconds: float
    error: BaseException = field(compare=False)
    traceback: str = field(repr=False)
    recorded: tuple[str, str] | None = None

    @classmethod
    def of_record(cls, plugin: FoundPlugin, record: Mapping[str, Any]) -> FailedPlugin:
        """Return the failure of a plugin that was imported by another process, as that wrote it down."""
        reason, advice = str(record["failure"]), str(record["advice"])
        return cls(
            plugin=plugin,
            seconds=record["seconds"],
            error=PluginError(f"{plugin.label} does not load: {reason}"),
            traceback=record["detail"],
            recorded=(reason, advice),
        )

    @property
    def reason(self) -> str:
        """The error's type and message, in one line."""
        return self.recorded[0] if self.recorded else _reason(self.error)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return self.recorded[1] if self.recorded else _advice(self.plugin, self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedPlugin:
    """A plugin whose tools are known without importing it.

    Attributes:
        plugin: What was found.
        seconds: How long its import took when it was described.
        by: Who described it: a `worker` process, a `program` that had imported it, or its own `manifest`.
    """

    plugin: FoundPlugin
    seconds: float
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisabledPlugin:
    """A plugin that is not to be imported.

    Attributes:
        plugin: What was found.
        reason: What says so.
    """

    plugin: FoundPlugin
    reason: str


Outcome = LoadedPlugin | DescribedPlugin | FailedPlugin | DisabledPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """What became of every plugin, each part sorted by distribution and entry point.

    Attributes:
        loaded: The ones that were imported.
        failed: The ones that could not be.
        disabled: The ones that are not to be.
        described: The ones that are known without that.
    """

    loaded: tuple[LoadedPlugin, ...] = ()
    failed: tuple[FailedPlugin, ...] = ()
    disabled: tuple[DisabledPlugin, ...] = ()
    described: tuple[DescribedPlugin, ...] = ()

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> LoadReport:
        """Return the report of what became of each plugin, in the order given."""
        told = tuple(outcomes)
        return cls(
            loaded=tuple(each for each in told if isinstance(each, LoadedPlugin)),
            failed=tuple(each for each in told if isinstance(each, FailedPlugin)),
            disabled=tuple(each for each in told if isinstance(each, DisabledPlugin)),
            described=tuple(each for each in told if isinstance(each, DescribedPlugin)),
        )

    @property
    def ok(self) -> bool:
        """Whether no plugin failed."""
        return not self.failed

    def raise_failures(self) -> None:
        """Raise one error for all plugins that failed, if any did.

        Raises:
            PluginError: Names each of them, and why; the first one's exception is its cause.
        """
        if self.failed:
            lines = [f"  - {each.plugin.label}: {each.reason}" for each in self.failed]
            raise PluginError("\n".join(["these plugins do not load:", *lines])) from self.failed[0].error

    def __iter__(self) -> Iterator[Outcome]:
        yield from self.loaded
        yield from self.described
        yield from self.failed
        yield from self.disabled


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedExtension:
    """An extension that was loaded.

    Attributes:
        extension: What was found.
        families: What it reads annotations with, in the order in which they are asked.
        call_hook: What it has to say about calls, if anything.
        resolve_model: Returns the model of a name, or None, if it has models.
    """

    extension: FoundExtension
    families: tuple[Family, ...]
    call_hook: CallHook | None = None
    resolve_model: Callable[[str], object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedExtension:
    """An extension that could not be loaded.

    Attributes:
        extension: What was found.
        error: What it raised, or what was wrong with it.
        traceback: Where, as text.
    """

    extension: FoundExtension
    error: BaseException = field(compare=False)
    traceback: str = field(repr=False)

    @property
    def reason(self) -> str:
        """The error's type and message, in one line."""
        return _reason(self.error)

    @property
    def advice(self) -> str:
        """What to do about it."""
        return _advice(self.extension, self.error)


def _reason(error: BaseException) -> str:
    try:
        message = " ".join(str(error).split())
    except Exception:  # foreign code: an exception that cannot be shown must not hide that there is one  # noqa: BLE001
        message = "(its message cannot be shown)"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _advice(found: FoundEntryPoint, error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing, own = error.name, found.module
        if own == missing or own.startswith(f"{missing}."):
            return (
                "its entry point names a module that is not there: correct "
                f'{found.entry_point} = "{found.value}" in its pyproject.toml and install it again, or tell its authors'
            )
        if own.partition(".")[0] == missing.partition(".")[0]:
            return f"{missing}, a part of its own, is not there; reinstall {found.distribution}"
        return f"install what provides the module {missing}, or reinstall {found.distribution} with its dependencies"
    if isinstance(error, SystemExit):
        return f"it ends the process when it is imported; report this to the authors of {found.distribution}"
    return f"report this to the authors of {found.distribution}, or set FCREGISTRY_DISABLE={found.label}"

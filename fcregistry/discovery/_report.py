"""The outcomes of loading plugins and extensions, and the report of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.discovery._found import FoundEntryPoint, FoundExtension, FoundPlugin
from fcregistry.errors import PluginError

if TYPE_CHECKING:
    from fcregistry.execution import CallHook
    from fcregistry.types import Family


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPlugin:
    """A plugin that was imported.

    Attributes:
        plugin: The plugin.
        seconds: How long its import took; close to 0 if the program had imported it before.
        outdated: How its distribution has changed since, such as by an upgrade: the process runs the old code, and has to be restarted.
            None if it has not changed.
    """

    plugin: FoundPlugin
    seconds: float
    outdated: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPlugin:
    """A plugin that could not be imported.

    Attributes:
        plugin: The plugin.
        seconds: How long it took to fail.
        error: The exception that it raised.
        traceback: The traceback, as text.
        recorded: The reason and the advice, if they do not follow from the error: another process imported the plugin, or it must not be
            imported.
    """

    plugin: FoundPlugin
    seconds: float
    error: BaseException = field(compare=False)
    traceback: str = field(repr=False)
    recorded: tuple[str, str] | None = None

    @classmethod
    def of_record(cls, plugin: FoundPlugin, record: Mapping[str, Any]) -> FailedPlugin:
        """Return the failure of a plugin that another process imported.

        Args:
            plugin: The plugin.
            record: The record that the process wrote: seconds, failure, advice and detail.
        """
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
        plugin: The plugin.
        seconds: How long its import took when it was described.
        by: The maker of the description: a `worker` process, a `program` that had imported it, or its own `manifest`.
    """

    plugin: FoundPlugin
    seconds: float
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisabledPlugin:
    """A plugin that must not be imported.

    Attributes:
        plugin: The plugin.
        reason: The reason, which names the file or variable that disables it.
    """

    plugin: FoundPlugin
    reason: str


Outcome = LoadedPlugin | DescribedPlugin | FailedPlugin | DisabledPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """The outcome of every plugin, each part sorted by distribution and entry point.

    Attributes:
        loaded: The plugins that were imported.
        failed: The plugins that could not be imported.
        disabled: The plugins that must not be imported.
        described: The plugins whose tools are known without an import.
    """

    loaded: tuple[LoadedPlugin, ...] = ()
    failed: tuple[FailedPlugin, ...] = ()
    disabled: tuple[DisabledPlugin, ...] = ()
    described: tuple[DescribedPlugin, ...] = ()

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> LoadReport:
        """Return the report of some outcomes.

        Args:
            outcomes: The outcomes, in the order in which the report gives them.
        """
        every = tuple(outcomes)
        return cls(
            loaded=tuple(each for each in every if isinstance(each, LoadedPlugin)),
            failed=tuple(each for each in every if isinstance(each, FailedPlugin)),
            disabled=tuple(each for each in every if isinstance(each, DisabledPlugin)),
            described=tuple(each for each in every if isinstance(each, DescribedPlugin)),
        )

    @property
    def ok(self) -> bool:
        """Whether no plugin failed."""
        return not self.failed

    def raise_failures(self) -> None:
        """Raise one error for all plugins that failed, if any did.

        Raises:
            PluginError: Names each of them, with the reason; the first one's exception is its cause.
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
        extension: The extension.
        families: The families of types that it reads, in the order in which they are tried.
        call_hook: The hook that calls pass, if it has one.
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
        extension: The extension.
        error: The exception that it raised, or that names its mistake.
        traceback: The traceback, as text.
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
            return f"{missing}, a module of the plugin itself, is not there; reinstall {found.distribution}"
        return f"install what provides the module {missing}, or reinstall {found.distribution} with its dependencies"
    if isinstance(error, SystemExit):
        return f"it ends the process when it is imported; report this to the authors of {found.distribution}"
    return f"report this to the authors of {found.distribution}, or set FCREGISTRY_DISABLE={found.label}"

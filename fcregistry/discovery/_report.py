"""The outcome of loading each plugin, extension or command, and the report of all plugins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fcregistry.discovery._found import FoundCommand, FoundEntryPoint, FoundExtension, FoundPlugin
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
        outdated: How the distribution has changed since the import, for example by an upgrade. The process still runs the old code until it is
            restarted. None if the distribution has not changed.
    """

    plugin: FoundPlugin
    seconds: float
    outdated: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPlugin:
    """A plugin that could not be imported.

    Attributes:
        plugin: The plugin.
        seconds: How long the import took until it failed.
        error: The exception that the import raised.
        traceback: The traceback, as text.
        recorded: The texts of `reason` and `advice`, if they cannot be derived from `error`. This is so if another process tried to import the
            plugin and wrote down why it failed, or if the plugin must not be imported. Otherwise None.
    """

    plugin: FoundPlugin
    seconds: float
    error: BaseException = field(compare=False)
    traceback: str = field(repr=False)
    recorded: tuple[str, str] | None = None

    @classmethod
    def of_record(cls, plugin: FoundPlugin, record: Mapping[str, Any]) -> FailedPlugin:
        """Return the failure of a plugin that another process tried to import.

        Args:
            plugin: The plugin.
            record: The record that this process wrote: seconds, failure, advice and detail.
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
        """What the user can do about the failure."""
        return self.recorded[1] if self.recorded else _advice(self.plugin, self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedPlugin:
    """A plugin whose tools fcregistry knows from a description, without importing the plugin.

    Attributes:
        plugin: The plugin.
        seconds: How long the import took when the plugin was described.
        by: What made the description: `worker`, a worker process; `program`, a program that had imported the plugin; or `manifest`, the
            plugin's own manifest.
    """

    plugin: FoundPlugin
    seconds: float
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DisabledPlugin:
    """A plugin that the configuration forbids to import.

    Attributes:
        plugin: The plugin.
        reason: The reason, with the file or the environment variable that disables the plugin.
    """

    plugin: FoundPlugin
    reason: str


Outcome = LoadedPlugin | DescribedPlugin | FailedPlugin | DisabledPlugin


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadReport:
    """The outcome for every plugin. Each attribute is sorted by distribution and entry point.

    Attributes:
        loaded: The plugins that were imported.
        failed: The plugins that could not be imported.
        disabled: The plugins that the configuration forbids to import.
        described: The plugins whose tools fcregistry knows from descriptions, without importing the plugins.
    """

    loaded: tuple[LoadedPlugin, ...] = ()
    failed: tuple[FailedPlugin, ...] = ()
    disabled: tuple[DisabledPlugin, ...] = ()
    described: tuple[DescribedPlugin, ...] = ()

    @classmethod
    def of(cls, outcomes: Collection[Outcome]) -> LoadReport:
        """Return the report of some outcomes.

        Args:
            outcomes: The outcomes, sorted as the report is to list them.
        """
        return cls(
            loaded=tuple(each for each in outcomes if isinstance(each, LoadedPlugin)),
            failed=tuple(each for each in outcomes if isinstance(each, FailedPlugin)),
            disabled=tuple(each for each in outcomes if isinstance(each, DisabledPlugin)),
            described=tuple(each for each in outcomes if isinstance(each, DescribedPlugin)),
        )

    @property
    def ok(self) -> bool:
        """Whether no plugin failed."""
        return not self.failed

    def raise_failures(self) -> None:
        """Raise one error for all plugins that failed, if any did.

        Raises:
            PluginError: Plugins failed. The message lists each with its reason; the exception of the first is the cause.
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
        families: The families of types that the extension reads, in the order in which fcregistry tries them.
        call_hook: The extension's hooks before and after calls, if it has any.
        resolve_model: The extension's function that returns the model of a name, or None for a name that it does not know. None if the
            extension provides no models.
    """

    extension: FoundExtension
    families: tuple[Family, ...]
    call_hook: CallHook | None = None
    resolve_model: Callable[[str], object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedEntryPoint:
    """An extension, or a command of a package, that could not be loaded.

    Attributes:
        found: The entry point of the extension or command.
        error: The exception that its module raised, or one that says what is wrong with the entry point.
        traceback: The traceback, as text.
    """

    found: FoundExtension | FoundCommand
    error: BaseException = field(compare=False)
    traceback: str = field(repr=False)

    @property
    def reason(self) -> str:
        """The error's type and message, in one line."""
        return _reason(self.error)

    @property
    def advice(self) -> str:
        """What the user can do about the failure."""
        return _advice(self.found, self.error)


def _reason(error: BaseException) -> str:
    """Return the type and message of `error` in one line; only the type if there is no message.

    If the message cannot be shown, since `str` raises an exception, the line says that.
    """
    try:
        message = " ".join(str(error).split())
    except Exception:  # foreign code: an exception that cannot be shown must not hide that there is one  # noqa: BLE001
        message = "(its message cannot be shown)"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _advice(found: FoundEntryPoint, error: BaseException) -> str:
    """Return what a user can do about an entry point whose import raised `error`, as part of a message.

    It depends on whether a module is missing (that of the entry point, another of its package, or one of another package), and on `SystemExit`.
    """
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing, own = error.name, found.module
        project = found.project_file
        if own == missing or own.startswith(f"{missing}."):
            where = (
                f"{project or 'its pyproject.toml'} and install it again{'' if project else ', or tell its authors'}"
            )
            return f'its entry point names a module that does not exist: correct {found.entry_point} = "{found.value}" in {where}'
        if own.partition(".")[0] == missing.partition(".")[0]:
            fix = found.how_to_fix if project else f"reinstall {found.distribution}"
            return f"{missing}, a module of the plugin itself, does not exist; {fix}"
        if project:
            return f"install the package with the module {missing}, and add it to dependencies in {project}"
        return f"install the package with the module {missing}, or reinstall {found.distribution} with its dependencies"
    if isinstance(error, SystemExit):
        return f"it ends the process when it is imported; {found.how_to_fix}"
    return f"{found.how_to_fix}, or set FCREGISTRY_DISABLE={found.label}"

"""Tools on the command line: their names and tables, what is missing, the description of plugins, and `-m`.

Worker processes import plugins to describe them, so that a plugin that hangs or crashes stops only its own process.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from fnmatch import fnmatchcase
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from fcregistry._base.paths import CACHE_DIR, cache_folder
from fcregistry._config.settings import other_variables
from fcregistry._registry import catalogue_of, registry
from fcregistry._tools.catalogue import HiddenTool, hidden_text, listed_tools
from fcregistry._tools.declaration import listed_summary, log
from fcregistry._tools.selectors import normalized, parse_selector, parse_selectors
from fcregistry._tools.tool import Tool, definition_of, distribution_of, owner_of
from fcregistry.cli._output import counted, program, remark, table
from fcregistry.discovery import FoundPlugin, broken_tools, current, names_starting_with
from fcregistry.errors import SelectorError, ToolNotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fcregistry._tools.declaration import Owner
    from fcregistry.discovery import FoundEntryPoint, FreshDescription, ToolLine

FC = TypeVar("FC", bound="Callable[..., Any] | click.Command")
"""A function or a command, which an option may decorate."""

# --- Tools ---


def complete_tools(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names that begin with the typed text: plain names, or canonical ids once it has a colon."""
    begin_completion(ctx)
    return sorted(names_starting_with(incomplete))


def complete_tools_and_distributions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of tools, and of distributions with plugins, that begin with the typed text."""
    tools = complete_tools(ctx, param, incomplete)
    return tools + sorted({each.distribution for each in current().plugins if each.distribution.startswith(incomplete)})


def selector_option(flag: str, name: str, help: str) -> Callable[[FC], FC]:
    """Return a decorator that adds an option whose values are selectors."""
    many = f"{help} May be given several times."
    return click.option(flag, name, multiple=True, metavar="SELECTOR", shell_complete=complete_tools, help=many)


_LONGEST: Final = 1e8
"""The most seconds that a timer can count on every platform: three years."""


def timeout_option(help: str) -> Callable[[FC], FC]:
    """Return a decorator that adds the option `--timeout`."""
    return click.option("--timeout", type=float, callback=_seconds, metavar="SECONDS", help=help)


def _seconds(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    """Return the value of `--timeout`, in seconds, or None if it is not given.

    Raises:
        BadParameter: It is not above 0, or above the limit.
    """
    if value is not None and not 0 < value <= _LONGEST:
        raise click.BadParameter(f"must be a number of seconds above 0, and at most {_LONGEST:.0f}")
    return value


def tool_named(name: str) -> Tool:
    """Return the tool with the name `name`.

    Raises:
        UsageError: The name is a pattern.
        FcregistryError: No tool, or several tools, have this name.
    """
    check_name(name)
    return registry.get(name)


def find_listed(selectors: Iterable[str] = ()) -> tuple[list[Tool], list[HiddenTool]]:
    """Return the tools that selectors name, sorted by name and id, and those of them that are hidden.

    Args:
        selectors: The selectors; see `Registry.find`, also for the errors. Without any, the result has all tools.
    """
    catalogue = catalogue_of(registry)
    shown, hidden = listed_tools(catalogue, selectors)
    return [*map(catalogue.tool, shown)], hidden


def expand_distributions(names: Iterable[str]) -> list[str]:
    """Return selectors with `NAME:*` in place of the name of a distribution, unless a tool has it.

    Args:
        names: Selectors, and names of distributions as `list` shows them.
    """
    return [f"{each}:*" if _is_distribution(each.removeprefix("!")) else each for each in names]


def _is_distribution(name: str) -> bool:
    """Return whether a distribution with plugins has the name `name`, and no tool has it."""
    if ":" in name or not any(each.project == normalized(name) for each in current().plugins):
        return False
    return name not in names_starting_with(name)


def check_name(name: str) -> None:
    """Check that a text can be the name of one tool.

    Raises:
        UsageError: The text is a pattern.
        SelectorError: The text is not a valid selector.
    """
    selector = parse_selector(name)
    if selector.excludes or not selector.is_exact:
        raise click.UsageError(
            f"{name!r} is a pattern: name one tool; {program()} list {name!r} shows which it matches"
        )


def local_name(tool: Tool) -> str:
    """Return a tool's name with its group, without its distribution."""
    return tool.id.rpartition(":")[2]


def tool_table(lines: Sequence[ToolLine]) -> None:
    """Write a table of tools."""
    if "" in map(itemgetter(1), lines):  # only with `-m`
        lines = [(name, distribution or "(application)", summary) for name, distribution, summary in lines]
    table(lines, ("NAME", "FROM", "SUMMARY"))


def tool_line(tool: Tool) -> ToolLine:
    """Return the line of a tool, as `tool_lines` makes it."""
    return local_name(tool), distribution_of(tool) or "", listed_summary(tool.summary, bool(tool.options.deprecated))


def tool_json(tool: Tool) -> dict[str, Any]:
    """Return a tool as JSON: its id, the plugin that ships it, and its record."""
    from fcregistry._tools.indexed import record_of  # makes and checks records, which a list does not need

    return {"id": tool.id, **plugin_json(owner_of(tool)), **record_of(tool)}


def plugin_json(owner: Owner | None) -> dict[str, str | None]:
    """Return a plugin as JSON; nulls for the application."""
    return {name: getattr(owner, name, None) for name in ("distribution", "version", "entry_point")}


def only_in_an_application(tool: Tool) -> str | None:
    """Return the reason that `tool` cannot be called from the command line, or None if it can be."""
    from fcregistry._tools.indexed import record_of  # see `tool_json`

    deps = record_of(tool)["deps"]
    return (
        None if deps is None else f"{tool.name} needs {deps}, which only an application has: it cannot be called here"
    )


# --- What is missing ---


def mention_what_is_missing(selectors: Iterable[str] = ()) -> None:
    """Write to stderr which plugins are not used, and which tools cannot be defined.

    Args:
        selectors: The selectors of the command; if all of them name distributions, other distributions are ignored.
    """
    wanted = _named_distributions(selectors)
    mention_failed_plugins(selectors)
    ids = [each for distribution, each in broken_tools() if _is_wanted(distribution, wanted)]
    if ids:
        remark(f"{counted(len(ids), 'tool')} cannot be defined: {', '.join(ids)} (see: {program()} doctor)")
    if current().plugins and cache_folder() is None:
        remark(
            f"Each command imports all plugins, since this user has no home folder: {CACHE_DIR} names a folder for the index of tools"
        )


def mention_hidden(tools: Iterable[HiddenTool]) -> None:
    """Write to stderr which tools are hidden, and why, in one line; of many only their number, and nothing if there are none."""
    found = list(tools)
    text = hidden_text(found) if len(found) <= _MOST_MENTIONED else f"{len(found)} tools are hidden"
    if text:
        remark(f"{text} (see: {program()} doctor)")


_MOST_MENTIONED: Final = 3
"""The most hidden tools that a command mentions by name."""


def mention_failed_plugins(selectors: Iterable[str] = ()) -> None:
    """Write to stderr which plugins failed or are not used; `doctor` explains it.

    Args:
        selectors: The selectors of the command; if all of them name distributions, other distributions are ignored.
    """
    wanted = _named_distributions(selectors)
    labels = [each.label for each in current().failing() if _is_wanted(each.distribution, wanted)]
    unused = [each for each in current().index.projects_left_out() if _is_wanted(each, wanted)]
    missing = [f"{counted(len(labels), 'plugin')} did not load: {', '.join(labels)}"] if labels else []
    if unused:
        missing.append(f"{counted(len(unused), 'distribution')} cannot be used: {', '.join(unused)}")
    if missing:
        remark(f"{'; '.join(missing)} (see: {program()} doctor)")
    if not current().permission().is_open:
        _mention_unused(wanted)


def mention_doubtful_settings() -> None:
    """Write to stderr which setting has probably not the intended effect, and how many more there are."""
    if current().permission().is_open and not other_variables():
        return
    from fcregistry.inspection import doubtful_settings  # only where something is configured

    if found := tuple(doubtful_settings()):
        more = f" ({len(found) - 1} more: {program()} doctor)" if len(found) > 1 else ""
        remark(f"{found[0]}{more}")


def mention_why_missing(error: ToolNotFoundError) -> None:
    """Write to stderr the reason that a distribution's plugins are not used, unless `error` says it."""
    report = current().report()
    with suppress(SelectorError):
        is_of_one = parse_selector(error.name).distribution is not None
        reasons = [*(each.reason for each in report.failed), *(each.reason for each in report.disabled)]
        if is_of_one and not any(reason in str(error) for reason in reasons):
            mention_failed_plugins([error.name])


def _named_distributions(selectors: Iterable[str]) -> list[str] | None:
    """Return the patterns of the distributions that `selectors` name; None if there is no limit.

    There is none if no selector includes tools, or one that does names no distribution. Selectors that exclude tools do not count.
    """
    named = [each.distribution for each in parse_selectors(selectors) if not each.excludes]
    return [each for each in named if each is not None] if named and None not in named else None


def _is_wanted(distribution: str | None, wanted: list[str] | None) -> bool:
    """Return whether a distribution, in any spelling, matches a pattern in `wanted`.

    Always True if `wanted` is None, and otherwise False if `distribution` is None.
    """
    return wanted is None or (
        distribution is not None and any(fnmatchcase(normalized(distribution), each) for each in wanted)
    )


def no_tools_text() -> str:
    """Return the message for an environment without usable tools."""
    if current().plugins:
        return "There are no tools that can be used here."
    return "There are no tools: install a package that ships some, or name a module of yours with -m MODULE."


_MOST_NAMES: Final = 3
"""The most names to show: doctor shows them all."""


def _mention_unused(wanted: list[str] | None) -> None:
    """Write to stderr which plugins are not used, or which tools are hidden, and the reason for the first.

    Nothing is written if there are none. A user who disables a plugin knows it. It is news that a lock refuses one, or that nothing is left at all:
    without `wanted`, plugins that are disabled for other reasons are mentioned only if no tool is visible, and hidden tools only then.

    Args:
        wanted: The patterns of the distributions that the command names; None if it names none.
    """
    noun = "plugin"
    is_empty = wanted is None and not any(current().described()) and not catalogue_of(registry).visible_of(log)
    refused = [each for each in current().report().disabled if _is_wanted(each.plugin.distribution, wanted)]
    if wanted is None and not is_empty:
        from fcregistry._config.lock import without_locks  # only where something is configured

        with without_locks():
            refused = [each for each in refused if current().permission().to_describe(each.plugin) is None]
    reasons = {each.plugin.label: each.reason for each in refused}
    if is_empty and not reasons:
        from fcregistry.inspection import shipped_tools  # only where something is configured

        noun, see = "tool", current().permission().to_see
        found = ((tool.id, see(definition_of(tool).declaration, plugin)) for plugin, tool in shipped_tools())
        reasons = {each: reason for each, reason in found if reason}
    if reasons:
        shown = ", ".join([*reasons][:_MOST_NAMES]) + (", …" if len(reasons) > _MOST_NAMES else "")
        be = "is" if len(reasons) == 1 else "are"
        reason = next(iter(reasons.values()))
        remark(f"{counted(len(reasons), noun)} {be} not used: {shown} (see: {program()} doctor). {reason}")


# --- Describing plugins ---

_WORTH_A_BAR: Final = 10
"""The least number of plugins for a progress bar."""

_PATIENCE: Final = 2.0
"""Seconds of silence before a remark says what is going on."""

_MOST_WHILE_TYPING: Final = 20
_SECONDS_WHILE_TYPING: Final = 2.0
"""The limits for a completion, for which a user waits: how many plugins are described, and how long each may take."""


def describe_in_workers() -> None:
    """Have worker processes describe the plugins that are not described yet."""
    current().describe = _describe


def begin_completion(ctx: click.Context) -> None:
    """Prepare for the completion of a word: the shell asks for it before any command runs.

    Worker processes describe new plugins, if they are few and quick. The modules that the user named are imported.
    """
    current().describe = _describe_few
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stderr(nowhere):  # noqa: PTH123  # as in `import_modules`
        for module in ctx.find_root().params.get("modules") or ():
            with suppress(click.UsageError):
                import_modules([module])


def mention_index_problems() -> None:
    """Write to stderr what was wrong with the index."""
    for each in dict.fromkeys(current().index.remarks):  # once each: it is tried for each plugin
        remark(each)


@contextmanager
def progress(label: str, plugins: Sequence[FoundPlugin]) -> Iterator[Callable[[FoundPlugin], None]]:
    """Show the progress of work on plugins on a terminal, inside the block.

    It is shown as a bar or, if there are few plugins, as one line that appears after a delay.

    Args:
        label: The work, as the user reads it.
        plugins: The plugins to work on.

    Yields:
        A function to call with each plugin that is finished.
    """
    if not sys.stderr.isatty():
        yield lambda plugin: None
    elif len(plugins) >= _WORTH_A_BAR:
        with click.progressbar(length=len(plugins), label=label, file=sys.stderr) as bar:
            yield lambda plugin: bar.update(1)
    else:
        from threading import Timer  # not needed if no plugin is new

        left = {each.key: each.label for each in plugins}

        def done(plugin: FoundPlugin) -> None:
            left.pop(plugin.key, None)

        # A tuple, since other threads remove plugins meanwhile
        timer = Timer(_PATIENCE, lambda: remark(f"{label}: {', '.join(tuple(left.values()))} …"))
        timer.daemon = True
        timer.start()
        try:
            yield done
        finally:
            timer.cancel()


def _describe(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    on_described: Callable[[FreshDescription], None],
) -> None:
    """Describe plugins in worker processes, with a progress bar.

    Args:
        plugins: The plugins.
        installed: All installed entry points.
        on_described: Called with each description, also that of a failure, when it is made.
    """
    from fcregistry.discovery import describe_in_workers  # not needed if all are described

    with progress("Looking into plugins", plugins) as done:

        def keep(made: FreshDescription) -> None:
            on_described(made)
            done(made.plugin)

        describe_in_workers(plugins, installed, seconds=seconds_for_a_plugin(), on_described=keep)


def _describe_few(
    plugins: Sequence[FoundPlugin],
    installed: Sequence[FoundEntryPoint],
    on_described: Callable[[FreshDescription], None],
) -> None:
    """Describe plugins in worker processes for a completion; do nothing if they are more than 20.

    Args:
        plugins: The plugins.
        installed: All installed entry points.
        on_described: Called with each description when it is made, except those of failures.
    """
    from fcregistry.discovery import describe_in_workers  # not needed if all are described

    def keep(made: FreshDescription) -> None:
        if made.record["failure"] is None:  # a plugin that was too slow has more time in another command
            on_described(made)

    if len(plugins) <= _MOST_WHILE_TYPING:
        describe_in_workers(plugins, installed, seconds=_SECONDS_WHILE_TYPING, on_described=keep)


def seconds_for_a_plugin() -> float:
    """Return the time limit for importing a plugin, which the environment may set."""
    from fcregistry._config.settings import IMPORT_SECONDS_VARIABLE
    from fcregistry.discovery import IMPORT_SECONDS
    from fcregistry.errors import ConfigurationError

    text = os.environ.get(IMPORT_SECONDS_VARIABLE, "")
    try:
        seconds = float(text) if text else IMPORT_SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 86_400:
        raise ConfigurationError(f"{IMPORT_SECONDS_VARIABLE} must be a number of seconds above 0, not {text!r}")
    return seconds


# --- The modules that a user names with `-m` ---


def import_modules(modules: Iterable[str]) -> None:
    """Import modules: those that are installed, and those in the working folder.

    Raises:
        UsageError: A module cannot be imported, is hidden by an installed one, or is named like a file.
    """
    sys.path.append(os.getcwd())  # noqa: PTH109  # pathlib would be the one import of its kind on the way to most commands
    for module in modules:
        _import(module)


def _import(module: str) -> None:
    """Import a module that the user named; what it prints goes to stderr.

    Raises:
        UsageError: `module` is a file or no valid name, an installed module hides it, or its import fails.
    """
    if not all(part.isidentifier() for part in module.split(".")) or module.endswith(".py"):
        parts = module.removesuffix(".py").replace(os.sep, "/").split("/")
        name = ".".join(part for part in parts if part.isidentifier())
        raise click.UsageError(f"-m takes the name of a module, not a file: -m {name or 'MODULE'}, not -m {module}")
    from fcregistry._base.stdout import prints_to_stderr  # with importlib.metadata, which --help does not need

    if hiding := _hiding(module.partition(".")[0]):
        raise click.UsageError(
            f"-m {module} means {hiding}, which is installed and hides the module of that name in this folder: rename the module here"
        )
    try:
        with prints_to_stderr():
            importlib.import_module(module)
    except (Exception, SystemExit) as error:  # the user's own code: whatever it raises on import, say where and stop
        what = f"{type(error).__name__}: {error}{_place(error)}"
        raise click.UsageError(f"the module {module!r} cannot be imported: {what}") from error


def _hiding(name: str) -> str | None:
    """Return the origin of an installed module that hides a module of the working folder.

    The result is None if the folder has no module or package `name`, or if Python finds that itself, or nothing with an origin.

    Args:
        name: The name of a top-level module.
    """
    here = os.getcwd()  # noqa: PTH109  # likewise
    own = next((path for path in (f"{here}/{name}/__init__.py", f"{here}/{name}.py") if os.path.exists(path)), None)  # noqa: PTH110  # likewise
    if own is None:
        return None
    from importlib.util import find_spec

    try:
        origin = getattr(find_spec(name), "origin", None)
    except (ImportError, ValueError):  # a module without a place
        return None
    return origin if origin and os.path.realpath(origin) != os.path.realpath(own) else None


def _place(error: BaseException) -> str:
    """Return the place where an import failed, in parentheses, or where the module was looked for.

    The result is empty if the error's own message says the place, as that of a `SyntaxError` does.
    """
    from traceback import extract_tb  # only on the way to an error

    last = extract_tb(error.__traceback__)[-1]
    if "importlib" in last.filename and not isinstance(error, ModuleNotFoundError):
        return ""  # the file was found; the text of a SyntaxError says the place
    if "importlib" in last.filename:
        return f" (looked in what is installed, and in {sys.path[-1]})"
    return f" ({last.filename}:{last.lineno})"

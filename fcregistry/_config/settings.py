"""The configuration: layers of settings from files and environment variables, and the lists of selectors in them.

Without any file, reading it only asks the system for each: this runs at the start of every command. `policy.py` puts the layers together.
"""

# ruff: noqa: PTH109, PTH116, PTH118, PTH120, PTH123
# since pathlib takes longer to import than all of this
from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from stat import S_ISCHR, S_ISFIFO
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from fcregistry._base.paths import home_folder, path_beside, system_folder, user_folder
from fcregistry._tools.selectors import SelectorSubject, normalized, parse_selector
from fcregistry.errors import ConfigurationError, SelectorError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fcregistry._tools.selectors import Selector


# --- Layers ---


def configuration() -> tuple[Layer, ...]:
    """Return the layers of the current configuration, the highest first, without empty ones.

    They are the files of the system, the user and the project, the file of `FCREGISTRY_CONFIG`, and the variables. A file is read again
    when its time or size has changed. For a missing file, the only cost is to ask the system for it.

    Raises:
        ConfigurationError: One of them cannot be read.
    """
    system, user, named = f"{system_folder()}/{FILE}", user_folder(), os.environ.get(CONFIG)
    try:
        everyone = _read_file(system)
    except OSError as error:  # the operator's rules must not be ignored because the folder is closed
        raise ConfigurationError(f"the system does not say whether {system} exists: {error.strerror}") from error
    layers = [
        everyone,
        None if user is None else _read_if_reachable(f"{user}/{FILE}"),
        _project_layer(),
    ]
    if named:
        layers.append(_read_if_reachable(os.path.join(working_folder() or "", named)))
        if layers[-1] is None:
            raise ConfigurationError(f"{CONFIG} names {named}, which does not exist; correct or unset it")
    layers.append(_environment_layer())
    return tuple(layer for layer in layers if layer is not None)


def project_lock() -> str:
    """Return the path of the project's lock, which need not exist.

    It is the one that the project's file names, or else the one beside that file. Without such a file, it is the nearest one in the working
    folder or above, or else one in the working folder.

    Raises:
        ConfigurationError: The project's file cannot be read.
    """
    project = _project_layer()
    if project is not None and project.lock is not None:
        return project.lock
    locks = (f"{folder}{LOCK}" for folder in _project_folders())
    return next(filter(_exists, locks), None) or os.path.join(working_folder() or "", LOCK)


def call_hook_items() -> tuple[tuple[str, str], ...]:
    """Return the extensions with mandatory call hooks, each once, as pairs of source and name.

    Those of higher layers come first.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    named: dict[str, str] = {}
    for layer in configuration():
        for source, name in layer.call_hooks:
            named.setdefault(name, source)
    return tuple((source, name) for name, source in named.items())


Mode: TypeAlias = Literal["open", "allow", "locked"]

MODES: Final[tuple[Mode, ...]] = ("open", "allow", "locked")
"""The trust modes, the loosest first."""


class Layer(NamedTuple):
    """The settings of one file, or of all variables.

    Higher layers come before lower ones, which can only tighten them.

    Attributes:
        path: The file; empty for the environment.
        mode: The trust mode; None if the layer sets none.
        mode_source: Where the mode is set, for messages.
        allow: What may be used; None if the layer does not restrict it.
        deny: What may not be used.
        disable: What is not offered.
        ask: The tools whose calls need approval.
        precedence: Distributions, normalised, the first of which wins a name that several ship.
        call_hooks: Extensions with mandatory call hooks, as pairs of source and name.
        lock: The lock that the mode `locked` refers to; None for the project's.
        model: The model of `fcregistry ask`; None if the layer sets none.
        threads: How many threads `fcregistry ask` gives a model on this machine; None if the layer sets none.
        max_tokens: The most tokens of an answer of such a model; None if the layer sets none.
    """

    path: str = ""
    mode: Mode | None = None
    mode_source: str = ""
    allow: Rules | None = None
    deny: Rules | None = None
    disable: Rules | None = None
    ask: Rules | None = None
    precedence: tuple[str, ...] = ()
    call_hooks: tuple[tuple[str, str], ...] = ()
    lock: str | None = None
    model: str | None = None
    threads: int | None = None
    max_tokens: int | None = None


# --- Files ---


FILE: Final = "fcregistry.toml"
PYPROJECT: Final = "pyproject.toml"
LOCK: Final = "fcregistry.lock"


def _project_layer() -> Layer | None:
    """Return the layer of the project's file, the nearest one, or None if there is none.

    The search goes from the working folder upwards to the root of a repository or the home folder. A pyproject.toml without
    `[tool.fcregistry]` does not count.
    """
    for folder in _project_folders():
        own = _read_if_reachable(folder + FILE, is_untrusted=True)
        shared = _read_if_reachable(folder + PYPROJECT, is_untrusted=True)
        if own is not None and shared is not None:
            raise ConfigurationError(
                f"{folder} has both {FILE} and [tool.fcregistry] in {PYPROJECT}; keep one of them, so that all of it is read"
            )
        if own is not None or shared is not None:
            return own or shared
    return None


def _project_folders() -> Iterator[str]:
    """Yield the folders that may hold a project's file, the nearest first, each with a slash at its end."""
    working = working_folder()
    if working is None:
        return
    home = home_folder()
    while True:
        folder = working if working.endswith(os.sep) else working + os.sep
        yield folder
        above = os.path.dirname(working)
        if above == working or working == home or _exists(folder + ".git"):
            return
        working = above


def working_folder() -> str | None:
    """Return the working folder, or None if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _exists(path: str) -> bool:
    return os.access(path, os.F_OK)  # a third of the time of an exception


def _read_if_reachable(path: str, *, is_untrusted: bool = False) -> Layer | None:
    """Return the layer of a file; None if it does not exist, or its folder is closed to this process.

    Home folders are closed to services.
    """
    try:
        return _read_file(path, is_untrusted=is_untrusted) if _exists(path) else None
    except OSError:
        return None


def _read_file(path: str, *, is_untrusted: bool = False) -> Layer | None:
    """Return the layer of a file, or None if it does not exist.

    Raises:
        OSError: The system does not tell whether it exists.
        ConfigurationError: It cannot be read.
    """
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if is_untrusted and (S_ISCHR(found.st_mode) or S_ISFIFO(found.st_mode)):  # reading it might never end
        raise ConfigurationError(f"{path} is not a regular file")
    return _parse_file(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _parse_file(path: str, _modified: int, _size: int) -> Layer | None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    in_project = path.endswith(PYPROJECT)
    if in_project and not _may_have_table(content):
        return None
    import tomllib  # only if there is a file

    try:
        table: Any = tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        why = "its rules are not known, so nothing can be used until it is correct"
        raise ConfigurationError(f"{path} is not valid TOML: {error}; {why}") from error
    if in_project:
        tools = table.get("tool")
        table = tools.get("fcregistry") if isinstance(tools, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            raise ConfigurationError(f"tool.fcregistry in {path} is a table, [tool.fcregistry], not {table!r}")
    return read_layer(table, path, "tool.fcregistry." if in_project else "")


def _may_have_table(content: bytes) -> bool:
    """Return whether a pyproject.toml may have the table `tool.fcregistry`.

    Without the cost of TOML, this finds whether `fcregistry` may be a key. In most requirements, it is not.
    """
    if b"fcregistry" not in content:
        return False
    import re  # few projects need it

    return re.search(rb"""fcregistry["']?[ \t]*[\].=]""", content) is not None


# --- Keys ---


def read_layer(table: Mapping[str, Any], path: str, prefix: str) -> Layer:
    """Return the layer of a file.

    Args:
        table: The keys and values of its table.
        path: The file.
        prefix: The prefix of the keys in messages: `tool.fcregistry.` in pyproject.toml.

    Raises:
        ConfigurationError: Some keys are unknown or some values invalid; the message names all of them.
    """
    read: dict[str, Any] = {"path": path, "mode_source": "", "lock": path_beside(path, LOCK)}
    problems = []
    for key, value in table.items():
        source = f"{prefix}{key} in {path}"
        try:
            read[key] = _READERS[key](value, source)
        except KeyError:
            from fcregistry._tools.selectors import did_you_mean, nearest  # only on the way to an error

            near = did_you_mean(nearest(key.replace("-", "_"), _READERS)) or f"; the keys are {', '.join(_READERS)}"
            where = f"[{prefix.rstrip('.')}] of {path}" if prefix else path
            problems.append(f"{where} has the key {key!r}, which does not exist{near}")
        except ConfigurationError as error:
            problems.append(str(error))
    if problems:
        raise ConfigurationError("\n".join(problems))
    read["mode_source"] = f'{prefix}mode = "{read.get("mode")}" in {path}'
    return Layer(**read)


_WITH_PLUGINS: Final = ("deny", "disable")


def _read_mode(value: object, source: str) -> str:
    if value not in MODES:
        raise ConfigurationError(f'{source} is "open", "allow" or "locked", not {value!r}')
    return str(value)


def _read_strings(value: object, source: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise ConfigurationError(f'{source} must be a list of strings, such as ["acme-weather"], not {value!r}')
    return tuple(each.strip() for each in value)


def _rules_reader(key: str) -> Callable[[object, str], Rules]:
    def read(value: object, source: str) -> Rules:
        try:
            return Rules.of(_read_strings(value, source), source, plugins=key in _WITH_PLUGINS)
        except SelectorError as error:
            raise ConfigurationError(f"{source}: {error}") from error

    return read


def _read_distributions(value: object, source: str) -> tuple[str, ...]:
    for name in (names := _read_strings(value, source)):
        if not all(each.isalnum() or each in "-_." for each in name):
            raise ConfigurationError(f'{source} lists distributions, such as ["acme-weather"], and {name!r} is not one')
    return tuple(map(normalized, names))


def _read_text(value: object, source: str, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{source} is {what}, not {value!r}")
    return value.strip()


def _read_lock_path(value: object, source: str) -> str:
    return path_beside(source.partition(" in ")[2], _read_text(value, source, f'the path of a file, such as "{LOCK}"'))


def _read_count(value: object, source: str) -> int:
    if type(value) is not int or value < 1:
        raise ConfigurationError(f"{source} is a whole number from 1, not {value!r}")
    return value


_READERS: Final[dict[str, Callable[[object, str], object]]] = {
    "mode": _read_mode,
    "allow": _rules_reader("allow"),
    "deny": _rules_reader("deny"),
    "ask": _rules_reader("ask"),
    "disable": _rules_reader("disable"),
    "precedence": _read_distributions,
    "call_hooks": lambda value, source: tuple((source, name) for name in _read_strings(value, source)),
    "lock": _read_lock_path,
    "model": lambda value, source: _read_text(value, source, 'the name of a model, such as "openai:gpt-5"'),
    "threads": _read_count,
    "max_tokens": _read_count,
}


# --- Environment variables ---


DISABLE: Final = "FCREGISTRY_DISABLE"
"""The variable that lists plugins (`distribution[entry point]`) and tools (selectors) to disable, separated by commas or space."""

CALL_HOOKS: Final = "FCREGISTRY_CALL_HOOKS"
"""The variable that lists extensions with mandatory call hooks, separated by commas or space."""

MODE: Final = "FCREGISTRY_MODE"
"""The variable that holds the trust mode: `open`, `allow` or `locked`."""

ALLOW: Final = "FCREGISTRY_ALLOW"
"""The variable that lists what may be used, as selectors."""

DENY: Final = "FCREGISTRY_DENY"
"""The variable that lists what may not be used, as selectors and plugins."""

ASK: Final = "FCREGISTRY_ASK"
"""The variable that lists the tools whose calls need approval, as selectors."""

CONFIG: Final = "FCREGISTRY_CONFIG"
"""The variable that names one more configuration file, a layer below the project's."""

MODEL: Final = "FCREGISTRY_MODEL"
"""The variable that names the model of `fcregistry ask`, as `models.resolve` takes it."""

_VARIABLES: Final = {
    "mode": MODE,
    "allow": ALLOW,
    "deny": DENY,
    "ask": ASK,
    "disable": DISABLE,
    "call_hooks": CALL_HOOKS,
}
"""Key -> the variable that sets it."""


def _environment_layer() -> Layer | None:
    """Return the layer of the variables, or None if none is set."""
    read: dict[str, Any] = {}
    for key, variable in _VARIABLES.items():
        if items := os.environ.get(variable, "").replace(",", " ").split():
            read[key] = _READERS[key](" ".join(items) if key == "mode" else items, variable)
    return Layer(mode_source=f"{MODE}={read.get('mode')}", **read) if read else None


def model_variable() -> str | None:
    """Return the value of `FCREGISTRY_MODEL`, or None if it is not set or empty."""
    return os.environ.get(MODEL, "").strip() or None


# --- Lists of selectors ---


class Rules(NamedTuple):
    """A list of selectors, applied in order.

    One with `!` excludes tools from what precedes it, or, if it comes first, from everything.

    Attributes:
        source: Where the list is, for messages: `deny in FILE`, or a variable.
        selectors: The selectors.
        plugins: The plugins and extensions that it names, as pairs of the normalised distribution and the entry point.
    """

    source: str
    selectors: tuple[Selector, ...]
    plugins: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, items: Iterable[str], source: str, *, plugins: bool) -> Rules:
        """Parse a list.

        Args:
            items: Its items.
            source: Where the list is.
            plugins: Whether it may name plugins, as `distribution[entry point]`.

        Raises:
            SelectorError: An item is not a selector, and not a plugin where plugins are allowed.
        """
        named, selectors = set(), []
        for item in items:
            plugin = _parse_plugin(item) if plugins else None
            if plugin is not None:
                named.add(plugin)
            else:
                selectors.append(parse_selector(item))
        return cls(source=source, selectors=tuple(selectors), plugins=frozenset(named))

    def names(self, subject: SelectorSubject, *, broadly: bool) -> str | None:
        """Return why a tool is named, or None if it is not.

        Args:
            subject: The tool.
            broadly: Whether an item also names a tool by its aliases, and `distribution:name` a tool of any group, as in `deny` and `ask`:
                a tool must not run because the user wrote another of its names. An exception (`!`) never does.
        """
        reason = self._all_but
        for selector in self.selectors:
            if _names(selector, subject, broadly=broadly and not selector.excludes):
                reason = None if selector.excludes else f"{self.source} names {selector.text}"
        return reason

    def entry_point_reason(self, distribution: str, entry_point: str, *, ships_tools: bool) -> str | None:
        """Return why a plugin (and so each of its tools) or an extension is named, or None if it is not.

        Args:
            distribution: Its distribution.
            entry_point: The name of its entry point.
            ships_tools: Whether it is a plugin. For an extension, which other tools may need, only its own name or that of its whole
                distribution counts.
        """
        if (normalized(distribution), entry_point) in self.plugins:
            return f"{self.source} names {distribution}[{entry_point}]"
        reason = self._all_but if ships_tools else None
        anything = SelectorSubject(name="*", group="*", distribution=distribution)
        for selector in self.selectors:  # the plugin of a tool that a later selector excepts is loaded
            if selector.distribution is None and not ships_tools:
                continue
            named = selector if selector.distribution is None else selector._replace(name="*", group=None)
            if selector.excludes and (selector.distribution is None or named.matches(anything)):
                reason = None
            elif not selector.excludes and _names_everything(selector) and selector.matches(anything):
                reason = f"{self.source} names {selector.text}"
        return reason

    def names_distribution(self, distribution: str, *, itself: bool) -> bool:
        """Return whether some tool of a distribution may be named.

        Args:
            distribution: The distribution.
            itself: Whether only selectors that name the distribution count, not those of tools of any distribution.
        """
        reached = self._all_but is not None
        anything = SelectorSubject(name="*", group="*", distribution=distribution)
        for selector in self.selectors:
            if selector.distribution is not None and not selector._replace(name="*", group=None).matches(anything):
                continue
            if not selector.excludes:
                reached = reached or not itself or selector.distribution is not None
            elif _names_everything(selector):
                reached = False
        return reached

    def unmatched(
        self, subjects: Collection[SelectorSubject], plugins: Collection[tuple[str, str]], *, broadly: bool
    ) -> list[str]:
        """Return the items that name none of the given tools and plugins.

        Args:
            subjects: The tools.
            plugins: The plugins, as pairs of the normalised distribution and the entry point.
            broadly: Whether an item also names a tool by its aliases, and `distribution:name` a tool of any group.
        """
        unmatched = [f"{name}[{entry_point}]" for name, entry_point in self.plugins - set(plugins)]
        return unmatched + [
            each.text
            for each in self.selectors
            if not any(_names(each, subject, broadly=broadly and not each.excludes) for subject in subjects)
        ]

    @property
    def _all_but(self) -> str | None:
        """Why everything is named at the start: the first selector is an exception. Otherwise None."""
        if not self.selectors or not self.selectors[0].excludes:
            return None
        return f"{self.source} names everything but {', '.join(each.text for each in self.selectors if each.excludes)}"


def _names(selector: Selector, subject: SelectorSubject, *, broadly: bool) -> bool:
    """Return whether a selector names a tool; `broadly` as for `Rules.names`."""
    if not broadly:
        return selector.matches(subject)
    known_as = (subject, *(subject._replace(name=alias) for alias in subject.aliases))
    return any(map((selector.in_any_group() or selector).matches, known_as))


def _names_everything(selector: Selector) -> bool:
    return selector.name == "*" and selector.group is None


def _parse_plugin(item: str) -> tuple[str, str] | None:
    distribution, bracket, entry_point = item.partition("[")
    if bracket and entry_point.endswith("]") and ":" not in item and "*" not in item:
        return normalized(distribution), entry_point[:-1]
    return None

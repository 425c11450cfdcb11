"""Which keys does a configuration file have, and what may stand there?

MERGED: What do all layers say, and which stands above which?
MERGED: Which configuration files are there, and what do they say?

Where there is none, all that happens is that the system is asked for each: this runs at the start of every command.
MERGED: What has the environment to say?
MERGED: What does one file, or the environment, say?
"""

# ruff: noqa: PTH109, PTH116, PTH118, PTH120, PTH123
# since pathlib takes longer to import than all of this

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from stat import S_ISCHR, S_ISFIFO
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

from fcregistry._base.paths import home_folder, path_beside, system_folder, user_folder
from fcregistry._config.rules import Rules
from fcregistry._tools.selectors import normalized
from fcregistry.errors import ConfigurationError, SelectorError

if TYPE_CHECKING:
    from collections.abc import Iterator

# --- _config._keys ---

_WITH_PLUGINS: Final = ("deny", "disable")


def rules(key: str, items: Sequence[str], said: str) -> Rules:
    """Return the rules of a list that stands under a key, or in a variable.

    Raises:
        ConfigurationError: An item is no selector, and no plugin where one may stand.
    """
    try:
        return Rules.of(items, said, plugins=key in _WITH_PLUGINS)
    except SelectorError as error:
        raise ConfigurationError(f"{said}: {error}") from error


def layer_of(table: Mapping[str, Any], path: str, prefix: str) -> Layer:
    """Return what the table of a file says.

    Args:
        table: Key to value, as TOML has them.
        path: The file.
        prefix: What stands before the keys there: `tool.fcregistry.` in pyproject.toml.

    Raises:
        ConfigurationError: A key that there is not, or a value that cannot stand there; names all of them.
    """
    read: dict[str, Any] = {"path": path, "mode_said": "", "lock": path_beside(path, LOCK)}
    problems = []
    for key, value in table.items():
        said = f"{prefix}{key} in {path}"
        try:
            read[key] = _READERS[key](value, said)
        except KeyError:
            problems.append(_unknown(key, prefix, path))
        except ConfigurationError as error:
            problems.append(str(error))
    if problems:
        raise ConfigurationError("\n".join(problems))
    read["mode_said"] = f'{prefix}mode = "{read.get("mode")}" in {path}'
    return Layer(**read)


def _unknown(key: str, prefix: str, path: str) -> str:
    from fcregistry._tools.names import did_you_mean, nearest  # only on the way to an error

    near = did_you_mean(nearest(key.replace("-", "_"), _READERS)) or f"; the keys are {', '.join(_READERS)}"
    where = f"[{prefix.rstrip('.')}] of {path}" if prefix else path
    return f"{where} has the key {key!r}, which means nothing{near}"


def _keys_mode(value: object, said: str) -> str:
    if value not in MODES:
        raise ConfigurationError(f'{said} is "open", "allow" or "locked", not {value!r}')
    return str(value)


def _strings(value: object, said: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise ConfigurationError(f'{said} is a list of strings, such as ["acme-weather"], not {value!r}')
    return tuple(each.strip() for each in value)


def _rules(key: str) -> Callable[[object, str], Rules]:
    return lambda value, said: rules(key, _strings(value, said), said)


def _names(value: object, said: str) -> tuple[str, ...]:
    for name in (names := _strings(value, said)):
        if not all(each.isalnum() or each in "-_." for each in name):
            raise ConfigurationError(f'{said} lists distributions, such as ["acme-weather"], and {name!r} is none')
    return tuple(map(normalized, names))


def _hooks(value: object, said: str) -> tuple[tuple[str, str], ...]:
    return tuple((said, name) for name in _strings(value, said))


def _lock(value: object, said: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f'{said} is the path of a file, such as "{LOCK}", not {value!r}')
    return path_beside(said.partition(" in ")[2], value)


def _model(value: object, said: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f'{said} is the name of a model, such as "openai:gpt-5", not {value!r}')
    return value.strip()


_READERS: Final[dict[str, Callable[[object, str], object]]] = {
    "mode": _keys_mode,
    "allow": _rules("allow"),
    "deny": _rules("deny"),
    "ask": _rules("ask"),
    "disable": _rules("disable"),
    "precedence": _names,
    "call_hooks": _hooks,
    "lock": _lock,
    "model": _model,
}

# --- _config._layers ---


def configuration() -> tuple[Layer, ...]:
    """Return what files and variables say now, those that say anything: system, user, project, the file of `FCREGISTRY_CONFIG`, variables.

    A file is read again when its time or size has changed; where there is none, this asks the system whether it is there, and no more.

    Raises:
        ConfigurationError: One of them cannot be read.
    """
    named = os.environ.get(CONFIG)
    layers = (
        system_layer(),
        user_layer(),
        project_layer(),
        named_layer(named, CONFIG) if named else None,
        environment_layer(),
    )
    return tuple(layer for layer in layers if layer is not None)


def project_lock() -> str:
    """Return the path of the project's lock, whether it is there or not.

    It is the one that the project's file names, or else stands beside that. Without such a file, it is the nearest one above the working
    folder, or would stand there.

    Raises:
        ConfigurationError: The project's file cannot be read.
    """
    project = project_layer()
    return nearest_lock() if project is None or project.lock is None else project.lock


def call_hook_items() -> tuple[tuple[str, str], ...]:
    """Return the extensions whose hooks every call has to pass, the higher layers' first, each once, with where it is named.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    named: dict[str, str] = {}
    for layer in configuration():
        for said, name in layer.call_hooks:
            named.setdefault(name, said)
    return tuple((said, name) for name, said in named.items())


def call_hook_names() -> tuple[str, ...]:
    """Return the same without where it is named."""
    return tuple(name for _, name in call_hook_items())


# --- _config._files ---

FILE: Final = "fcregistry.toml"
PYPROJECT: Final = "pyproject.toml"
LOCK: Final = "fcregistry.lock"


def system_layer() -> Layer | None:
    """Return what the file for all users says, or None if there is none.

    Raises:
        ConfigurationError: It cannot be read.
    """
    path = f"{system_folder()}/{FILE}"
    try:
        return _read(path)
    except OSError as error:  # the operator's word stands also where nobody may look at it
        raise ConfigurationError(f"{path} cannot be looked for: {error.strerror}") from error


def user_layer() -> Layer | None:
    """Return what the user's file says, or None if there is none.

    Raises:
        ConfigurationError: It cannot be read.
    """
    folder = user_folder()
    return None if folder is None else _read_if_reachable(f"{folder}/{FILE}")


def named_layer(path: str, said: str) -> Layer:
    """Return what a file says that somebody named.

    Raises:
        ConfigurationError: It is not there, or cannot be read.
    """
    layer = _read_if_reachable(os.path.join(_working_folder() or "", path))
    if layer is None:
        raise ConfigurationError(f"{said} names {path}, which is not there; correct or unset it")
    return layer


def project_layer() -> Layer | None:
    """Return what the project's file says, which is the nearest one, or None if there is none.

    It is looked for from the working folder upwards, as far as the root of a repository or the home folder. A pyproject.toml without
    `[tool.fcregistry]` is passed over.

    Raises:
        ConfigurationError: It cannot be read, or there are two in one folder.
    """
    for folder in _project_folders():
        if (layer := _of_folder(folder)) is not None:
            return layer
    return None


def nearest_lock() -> str:
    """Return the path of the nearest lock, looked for as the project's file is; of one in the working folder, where there is none."""
    locks = (f"{folder}{LOCK}" for folder in _project_folders())
    return next(filter(_is_there, locks), None) or os.path.join(_working_folder() or "", LOCK)


def _project_folders() -> Iterator[str]:
    """Yield the folders that may be a project's, the nearest first, each with a slash at its end."""
    working = _working_folder()
    if working is None:
        return
    home = home_folder()
    while True:
        folder = working if working.endswith(os.sep) else working + os.sep
        yield folder
        above = os.path.dirname(working)
        if above == working or working == home or _is_there(folder + ".git"):
            return
        working = above


def _of_folder(folder: str) -> Layer | None:
    own = _read_if_reachable(folder + FILE, of_strangers=True)
    shared = _read_if_reachable(folder + PYPROJECT, of_strangers=True)
    if own is not None and shared is not None:
        raise ConfigurationError(
            f"{folder} has both {FILE} and [tool.fcregistry] in {PYPROJECT}; keep one of them, so that all of it is read"
        )
    return own or shared


def _working_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return None


def _is_there(path: str) -> bool:
    return os.access(path, os.F_OK)  # which takes a third of the time of an exception


def _read_if_reachable(path: str, *, of_strangers: bool = False) -> Layer | None:
    """Return what a file says; None also where we are kept out of its folder, as services are kept out of homes."""
    try:
        return _read(path, of_strangers=of_strangers) if _is_there(path) else None
    except OSError:
        return None


def _read(path: str, *, of_strangers: bool = False) -> Layer | None:
    """Return what a file says, or None if it is not there.

    Raises:
        OSError: Whether it is there cannot be told.
        ConfigurationError: It cannot be read.
    """
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if of_strangers and (S_ISCHR(found.st_mode) or S_ISFIFO(found.st_mode)):  # a link to what never ends
        raise ConfigurationError(f"{path} is no regular file")
    return _parsed(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=64)
def _parsed(path: str, _modified: int, _size: int) -> Layer | None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    in_project = path.endswith(PYPROJECT)
    if in_project and b"fcregistry" not in content:
        return None  # and nobody pays for TOML
    table = _toml(content, path)
    if in_project:
        tools = table.get("tool")
        table = tools.get("fcregistry") if isinstance(tools, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            raise ConfigurationError(f"tool.fcregistry in {path} is a table, [tool.fcregistry], not {table!r}")
    return layer_of(table, path, "tool.fcregistry." if in_project else "")


def _toml(content: bytes, path: str) -> Any:
    import tomllib  # only where there is a file

    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is no TOML: {error}; mend it, for what it says cannot be known") from error


# --- _config._environment ---

DISABLE: Final = "FCREGISTRY_DISABLE"
"""The variable that names plugins (`distribution[entry point]`) and tools (selectors) not to be used, separated by commas or space."""

CALL_HOOKS: Final = "FCREGISTRY_CALL_HOOKS"
"""The variable that names extensions whose hooks every call has to pass, separated likewise."""

MODE: Final = "FCREGISTRY_MODE"
"""The variable that says how far installed plugins are trusted: `open`, `allow` or `locked`."""

ALLOW: Final = "FCREGISTRY_ALLOW"
"""The variable that names what may be used, as selectors."""

DENY: Final = "FCREGISTRY_DENY"
"""The variable that names what may not, as selectors and plugins."""

ASK: Final = "FCREGISTRY_ASK"
"""The variable that names the tools whose calls have to be approved, as selectors."""

CONFIG: Final = "FCREGISTRY_CONFIG"
"""The variable that names one more configuration file, which stands below the project's."""

MODEL: Final = "FCREGISTRY_MODEL"
"""The variable that names the model that `fcregistry ask` asks, as `models.resolve` takes it."""

_LISTS: Final = {"allow": ALLOW, "deny": DENY, "ask": ASK, "disable": DISABLE}


def disabled_items() -> tuple[str, ...]:
    """Return what `FCREGISTRY_DISABLE` names, in its order."""
    return _items(DISABLE)


def model_variable() -> str | None:
    """Return what `FCREGISTRY_MODEL` names, or None if it names nothing."""
    return os.environ.get(MODEL, "").strip() or None


def environment_layer() -> Layer | None:
    """Return what the variables say together, or None if they say nothing.

    Raises:
        ConfigurationError: One of them cannot be read.
    """
    lists = {key: items for key, variable in _LISTS.items() if (items := _items(variable))}
    mode = os.environ.get(MODE, "").strip()
    hooks = _items(CALL_HOOKS)
    if not (lists or mode or hooks):
        return None
    read = {key: rules(key, items, _LISTS[key]) for key, items in lists.items()}
    return Layer(
        mode=_environment_mode(mode) if mode else None,
        mode_said=f"{MODE}={mode}",
        allow=read.get("allow"),
        deny=read.get("deny"),
        ask=read.get("ask"),
        disable=read.get("disable"),
        call_hooks=tuple((CALL_HOOKS, name) for name in hooks),
    )


def _environment_mode(text: str) -> Mode:
    for mode in MODES:
        if mode == text:
            return mode
    raise ConfigurationError(f"{MODE} is {', '.join(MODES[:-1])} or {MODES[-1]}, not {text!r}")


def _items(variable: str) -> tuple[str, ...]:
    text = os.environ.get(variable)
    return tuple(text.replace(",", " ").split()) if text else ()


# --- _config._layer ---

Mode: TypeAlias = Literal["open", "allow", "locked"]

MODES: Final[tuple[Mode, ...]] = ("open", "allow", "locked")
"""The loosest first."""


class Layer(NamedTuple):
    """What one file says, or the variables do together. Higher layers stand before lower ones.

    Attributes:
        path: The file; empty for the environment.
        mode: How far installed plugins are trusted; None where it does not say.
        mode_said: Where that is said, for messages.
        allow: What may be used; None where anything may.
        deny: What may not.
        disable: What is not wanted.
        ask: Whose calls have to be approved.
        precedence: Distributions, normalised, the first of which wins a name that several ship.
        call_hooks: Extensions whose hooks every call has to pass, each with where that is said.
        lock: The lock that it means by `locked`; None where that is the project's.
        model: The model that `fcregistry ask` asks; None where it does not say.
    """

    path: str = ""
    mode: Mode | None = None
    mode_said: str = ""
    allow: Rules | None = None
    deny: Rules | None = None
    disable: Rules | None = None
    ask: Rules | None = None
    precedence: tuple[str, ...] = ()
    call_hooks: tuple[tuple[str, str], ...] = ()
    lock: str | None = None
    model: str | None = None

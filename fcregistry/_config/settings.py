"""The configuration: layers of settings from files and environment variables, and the lists of selectors in them.

Without any file, reading it only asks the system for each: this runs at the start of every command. `policy.py` puts the layers together.
"""

# ruff: noqa: PTH109, PTH118, PTH120
# since pathlib takes longer to import than all of this
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from fcregistry._base.paths import CACHE_DIR, home_folder, path_beside, system_folder, user_folder
from fcregistry._config.files import doubt_about, is_there, read_file
from fcregistry._config.layers import MODES, Layer, Origin, Rules, Setting
from fcregistry._tools.selectors import normalized
from fcregistry.errors import ConfigurationError, SelectorError

if TYPE_CHECKING:
    from collections.abc import Iterator


# --- Layers ---


def configuration() -> tuple[Layer, ...]:
    """Return the layers of the current configuration, the highest first, without empty ones.

    They are the files of the system, the user and the project, the file of `FCREGISTRY_CONFIG`, and the variables. Rules of a
    project's and a named file that were in force before stay in force (`kept.py`). For a missing file, the only cost is to ask the system for it.

    Raises:
        ConfigurationError: One of them cannot be read.
    """
    user, named = user_folder(), os.environ.get(CONFIG)
    highest = [
        # The operator's rules must not be ignored because the folder is closed; the homes of users are closed to services
        _read_layer_of(f"{system_folder()}/{FILE}", "system", in_open_folder=True),
        None if user is None else _read_layer_of(f"{user}/{FILE}", "user"),
    ]
    lower = [_project_layer()]
    if named:
        lower.append(_read_layer_of(os.path.join(working_folder() or "", named), "named"))
        if lower[-1] is None:
            raise ConfigurationError(f"{CONFIG} names {named}, which does not exist; correct or unset it")
    above = tuple(layer for layer in highest if layer is not None)
    below = [layer for layer in lower if layer is not None]
    variables = () if (layer := _environment_layer()) is None else (layer,)
    if not below and not kept:
        return (*above, *variables)
    from fcregistry._config.kept import keep_rules  # most commands find nothing configured

    return (*above, *keep_rules(kept, (*above, *variables), below), *variables)


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
    return next(filter(is_there, locks), None) or os.path.join(working_folder() or "", LOCK)


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


kept: Final[dict[tuple[str, tuple[Setting, ...]], Layer]] = {}
"""The rules of projects and named files that were in force in this process, by path and `Layer.rules`: see `kept.py`."""


# --- Files ---


FILE: Final = "fcregistry.toml"
PYPROJECT: Final = "pyproject.toml"
LOCK: Final = "fcregistry.lock"


def _project_layer() -> Layer | None:
    """Return the layer of the nearest file of a project, or None if there is none.

    It has no defaults if others than the user may have written the file. The search goes from the working folder upwards to the root of a
    repository or the home folder. A pyproject.toml without `[tool.fcregistry]` does not count.

    Raises:
        ConfigurationError: The file cannot be read, or one folder has two such files.
    """
    for folder in _project_folders():
        own, shared = (_read_layer_of(folder + name, "project") for name in (FILE, PYPROJECT))
        if own is not None and shared is not None:
            raise ConfigurationError(
                f"{folder} has both {FILE} and [tool.fcregistry] in {PYPROJECT}; keep one of them, so that all of it is read"
            )
        if (found := own or shared) is not None:
            return _without_doubtful_defaults(found)
    return None


def _without_doubtful_defaults(layer: Layer) -> Layer:
    """Return `layer`, a project's, without its defaults if others than the user may have written them.

    Otherwise return it unchanged. Its rules stay, since they can only restrict. The log gets a warning once.
    """
    if layer.rules == layer.given or not (doubt := doubt_about(layer.path)):
        return layer
    layer = layer.without_defaults(doubt)
    if (layer.path, layer.unused) not in _reported:
        _reported.add((layer.path, layer.unused))
        from logging import getLogger  # only if there is such a file

        message = "%s: %s, so only its rules are used, and not its %s"
        getLogger("fcregistry").warning(message, layer.path, doubt, ", ".join(layer.unused))
    return layer


_reported: Final[set[object]] = set()
"""The files, and their unused defaults, that the log has a warning about."""


def _project_folders() -> Iterator[str]:
    """Yield the folders that may hold a project's file, the nearest first, each with a slash at its end.

    They are the working folder and those above it, up to the first with `.git`, the home folder or the root. There are none if the working folder
    was removed.
    """
    working = working_folder()
    if working is None:
        return
    home = home_folder()
    last = () if home is None else (home, _real_path(home))  # the working folder has no links in its path
    while True:
        folder = working if working.endswith(os.sep) else working + os.sep
        yield folder
        above = os.path.dirname(working)
        if above == working or working in last or is_there(folder + ".git"):
            return
        working = above


@lru_cache(maxsize=4)
def _real_path(path: str) -> str:
    """Return `path` with its links resolved, cached."""
    return os.path.realpath(path)


def working_folder() -> str | None:
    """Return the working folder, or None if it was removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def _read_layer_of(path: str, origin: Origin, *, in_open_folder: bool = False) -> Layer | None:
    """Return the layer of a file; None if it does not exist.

    None, too, for a pyproject.toml without `[tool.fcregistry]`.

    Args:
        path: The file.
        origin: Which layer it is.
        in_open_folder: Whether it is an error if the folder is closed to this process.

    Raises:
        ConfigurationError: It cannot be read, or is not valid.
    """
    content = read_file(path, in_project=origin == "project", in_open_folder=in_open_folder)
    return None if content is None else _parse_file(path, content, origin)


@lru_cache(maxsize=64)
def _parse_file(path: str, content: bytes, origin: Origin) -> Layer | None:
    """Return the layer of a file with `content`, from a cache.

    None for a pyproject.toml without `[tool.fcregistry]`.

    Raises:
        ConfigurationError: It is not valid TOML, or a key or value is not valid.
    """
    in_project = path.endswith(PYPROJECT)
    if in_project and not _may_have_table(content):
        return None
    table = _parse_toml(path, content)
    if in_project:
        tools = table.get("tool")
        table = tools.get("fcregistry") if isinstance(tools, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            raise ConfigurationError(f"tool.fcregistry in {path} is a table, [tool.fcregistry], not {table!r}")
    return read_layer(table, path, "tool.fcregistry." if in_project else "", origin)


def _parse_toml(path: str, content: bytes) -> Any:
    """Return the table of a TOML text, which is parsed only if that does not take long.

    Raises:
        ConfigurationError: It is not valid TOML, or has too many or too long keys.
    """
    import tomllib  # only if there is a file

    unknown = "its rules are not known, so nothing can be used until it is correct"
    if why := _too_many_keys(content):
        raise ConfigurationError(f"{path} has {why}; {unknown}")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}; {unknown}") from error


MOST_KEYS: Final = 5000
MOST_PARTS: Final = 32
"""The most keys of a file, and the most parts of a dotted key. tomllib takes a time that grows with the square of their number."""

_TEXTS: Final = (
    rb'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"{0,5}'  # of several lines; without its end, up to the end of the file
    rb"|'''(?:[^']|'{1,2}(?!'))*+'{0,5}"
    rb'|"(?:[^"\\\n]|\\.)*+"?'
    rb"|'[^'\n]*+'?"
    rb"|#[^\n]*+"
)
"""Matches a string or comment of TOML. It reads a text as TOML's grammar does, as far as the text is valid."""


def _too_many_keys(content: bytes) -> str | None:
    """Return what a TOML text has too much of, such as `more than 5000 keys`; None if nothing.

    The other limit is 32 parts of a dotted key.
    """
    import re  # as tomllib does

    text = re.sub(_TEXTS, b"a", content, flags=re.DOTALL)
    if text.count(b"=") + text.count(b"\n[") > MOST_KEYS:
        return f"more than {MOST_KEYS} keys"
    if re.search(rb"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){%d}" % MOST_PARTS, text):
        return f"a key of more than {MOST_PARTS} parts"
    return None


def _may_have_table(content: bytes) -> bool:
    """Return whether a pyproject.toml may have the table `tool.fcregistry`; if False, it surely has not.

    Without the cost of TOML, this finds whether `fcregistry` may be a key. In most requirements, it is not.
    """
    if b"fcregistry" not in content:
        return False
    import re  # few projects need it

    return re.search(rb"""fcregistry["']?[ \t]*[\].=]""", content) is not None


# --- Keys ---


def read_layer(table: Mapping[str, Any], path: str, prefix: str, origin: Origin = "project") -> Layer:
    """Return the layer of a file.

    Args:
        table: The keys and values of its table.
        path: The file.
        prefix: The prefix of the keys in messages: `tool.fcregistry.` in pyproject.toml.
        origin: Which layer it is.

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
    return Layer(origin=origin, given=_settings_in(table), **read)


def _settings_in(table: Mapping[str, Any]) -> tuple[Setting, ...]:
    """Return the known keys of a table with their values, in the order of the documentation.

    Lists become tuples; unknown keys are left out.
    """
    given = ((key, table[key]) for key in _READERS if key in table)
    return tuple((key, tuple(value) if isinstance(value, list) else value) for key, value in given)


_WITH_PLUGINS: Final = ("deny", "disable")


def _read_mode(value: object, source: str) -> str:
    """Return `value`, a trust mode: `open`, `allow` or `locked`.

    Raises:
        ConfigurationError: It is not a trust mode; the message says that it is set at `source`.
    """
    if value not in MODES:
        raise ConfigurationError(f'{source} is "open", "allow" or "locked", not {value!r}')
    return str(value)


def _read_strings(value: object, source: str) -> tuple[str, ...]:
    """Return the texts of `value`, a list, without spaces at their ends.

    Raises:
        ConfigurationError: It is not a list of texts that are not empty.
    """
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise ConfigurationError(f'{source} must be a list of strings, such as ["acme-weather"], not {value!r}')
    return tuple(each.strip() for each in value)


def _rules_reader(key: str) -> Callable[[object, str], Rules]:
    """Return a function that reads the list of the key `key` as `Rules`.

    Only the lists of `deny` and `disable` may name plugins.
    """

    def read(value: object, source: str) -> Rules:
        """Return the rules of `value`, which is set at `source`.

        Raises:
            ConfigurationError: It is not a list of selectors.
        """
        try:
            return Rules.of(_read_strings(value, source), source, plugins=key in _WITH_PLUGINS)
        except SelectorError as error:
            raise ConfigurationError(f"{source}: {error}") from error

    return read


def _read_distributions(value: object, source: str) -> tuple[str, ...]:
    """Return the distributions in `value`, a list of names, normalised, in the same order.

    Raises:
        ConfigurationError: It is not a list of names of distributions.
    """
    for name in (names := _read_strings(value, source)):
        if not all(each.isalnum() or each in "-_." for each in name):
            raise ConfigurationError(f'{source} lists distributions, such as ["acme-weather"], and {name!r} is not one')
    return tuple(map(normalized, names))


def _read_text(value: object, source: str, what: str) -> str:
    """Return `value`, a text, without space around it.

    Raises:
        ConfigurationError: It is empty or not a text; `what` says what it should be.
    """
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{source} is {what}, not {value!r}")
    return value.strip()


def _read_lock_path(value: object, source: str) -> str:
    """Return the absolute path of `value`, which is relative to the file in `source` (`KEY in FILE`).

    Raises:
        ConfigurationError: It is empty or not a text.
    """
    return path_beside(source.partition(" in ")[2], _read_text(value, source, f'the path of a file, such as "{LOCK}"'))


def _read_count(value: object, source: str) -> int:
    """Return `value`, a whole number from 1; a boolean is not one.

    Raises:
        ConfigurationError: It is not such a number.
    """
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

IMPORT_SECONDS_VARIABLE: Final = "FCREGISTRY_IMPORT_SECONDS"
"""The variable that holds the most seconds that the import of a plugin may take, where a command describes it."""

VARIABLES: Final = {
    "mode": MODE,
    "allow": ALLOW,
    "deny": DENY,
    "ask": ASK,
    "disable": DISABLE,
    "call_hooks": CALL_HOOKS,
}
"""Key -> the variable that sets it."""


def _environment_layer() -> Layer | None:
    """Return the layer of the variables, or None if none is set.

    Raises:
        ConfigurationError: The value of a variable is not valid.
    """
    read: dict[str, Any] = {}
    given: dict[str, Any] = {}
    for key, variable in VARIABLES.items():
        if items := os.environ.get(variable, "").replace(",", " ").split():
            given[key] = " ".join(items) if key == "mode" else items
            read[key] = _READERS[key](given[key], variable)
    source = f"{MODE}={read.get('mode')}"
    return Layer(origin="variables", given=_settings_in(given), mode_source=source, **read) if read else None


PREFIX: Final = "FCREGISTRY_"
"""The beginning of the names of fcregistry's variables, and of those of its plugins."""

OWN_VARIABLES: Final = frozenset({*VARIABLES.values(), CONFIG, MODEL, CACHE_DIR, IMPORT_SECONDS_VARIABLE})
"""The variables that fcregistry itself reads."""


def other_variables() -> list[str]:
    """Return the variables with fcregistry's prefix that fcregistry itself does not read, sorted."""
    return sorted(name for name in os.environ if name.startswith(PREFIX) and name not in OWN_VARIABLES)


def model_variable() -> str | None:
    """Return the value of `FCREGISTRY_MODEL`, or None if it is not set or empty."""
    return os.environ.get(MODEL, "").strip() or None

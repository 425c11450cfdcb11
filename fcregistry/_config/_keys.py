"""Which keys does a configuration file have, and what may stand there?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from fcregistry._base.paths import beside
from fcregistry._config._files import LOCK
from fcregistry._config._layer import MODES, Layer
from fcregistry._config._rules import Rules
from fcregistry._tools.selectors import normalized
from fcregistry.errors import ConfigurationError, SelectorError

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
    read: dict[str, Any] = {"path": path, "mode_said": "", "lock": beside(path, LOCK)}
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


def _mode(value: object, said: str) -> str:
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
    return beside(said.partition(" in ")[2], value)


def _model(value: object, said: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f'{said} is the name of a model, such as "openai:gpt-5", not {value!r}')
    return value.strip()


_READERS: Final[dict[str, Callable[[object, str], object]]] = {
    "mode": _mode,
    "allow": _rules("allow"),
    "deny": _rules("deny"),
    "ask": _rules("ask"),
    "disable": _rules("disable"),
    "precedence": _names,
    "call_hooks": _hooks,
    "lock": _lock,
    "model": _model,
}

"""What has the environment to say?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from fcregistry.errors import ConfigurationError

if TYPE_CHECKING:
    from fcregistry._config._layer import Layer, Mode

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
    from fcregistry._config._keys import rules  # only where there is something to read
    from fcregistry._config._layer import Layer

    read = {key: rules(key, items, _LISTS[key]) for key, items in lists.items()}
    return Layer(
        mode=_mode(mode) if mode else None,
        mode_said=f"{MODE}={mode}",
        allow=read.get("allow"),
        deny=read.get("deny"),
        ask=read.get("ask"),
        disable=read.get("disable"),
        call_hooks=tuple((CALL_HOOKS, name) for name in hooks),
    )


def _mode(text: str) -> Mode:
    from fcregistry._config._layer import MODES

    for mode in MODES:
        if mode == text:
            return mode
    raise ConfigurationError(f"{MODE} is {', '.join(MODES[:-1])} or {MODES[-1]}, not {text!r}")


def _items(variable: str) -> tuple[str, ...]:
    text = os.environ.get(variable)
    return tuple(text.replace(",", " ").split()) if text else ()

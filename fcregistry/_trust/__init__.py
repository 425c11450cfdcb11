"""May a plugin be imported, may a tool be used, has anybody to be asked? What the configuration says, all layers together."""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry._trust._trust import OPEN, Trust, trust

__all__ = ["OPEN", "Trust", "trust"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "OPEN": "._trust",
    "Trust": "._trust",
    "trust": "._trust",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

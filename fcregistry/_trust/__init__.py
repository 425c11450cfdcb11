"""May a plugin be imported, may a tool be used, has anybody to be asked? What the configuration says, all layers together."""

from fcregistry._trust._trust import OPEN, Trust, trust

__all__ = ["OPEN", "Trust", "trust"]

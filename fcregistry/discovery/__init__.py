"""Which plugins are installed, and what became of each when it was loaded?

Split by moment: `_finder.py` finds entry points and imports nothing, `_loader.py` imports one plugin, `_outcomes.py` has what can
come of that, `_discovery.py` keeps what became of all.
"""

from fcregistry.discovery._discovery import current, load_plugins
from fcregistry.discovery._finder import FoundPlugin, find_plugins, near_miss_groups
from fcregistry.discovery._outcomes import DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport

__all__ = [
    "DisabledPlugin",
    "FailedPlugin",
    "FoundPlugin",
    "LoadReport",
    "LoadedPlugin",
    "current",
    "find_plugins",
    "load_plugins",
    "near_miss_groups",
]

"""Which plugins and extensions are installed, and what became of each when it was loaded?

Split by moment: `_finder.py` finds entry points and imports nothing, `_loader.py` imports one plugin and `_extension_loader.py` one extension,
`_outcomes.py` has what can come of that, `_discovery.py` and `_extensions.py` keep what became of all. `_hookspecs.py` has the hooks that an
extension may implement.
"""

from fcregistry.discovery._discovery import current, load_plugins
from fcregistry.discovery._families import TypeFamilies
from fcregistry.discovery._finder import (
    FoundExtension,
    FoundPlugin,
    find_extensions,
    find_plugins,
    near_miss_groups,
)
from fcregistry.discovery._outcomes import DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport

__all__ = [
    "DisabledPlugin",
    "FailedPlugin",
    "FoundExtension",
    "FoundPlugin",
    "LoadReport",
    "LoadedPlugin",
    "TypeFamilies",
    "current",
    "find_extensions",
    "find_plugins",
    "load_plugins",
    "near_miss_groups",
]

"""Which plugins and extensions are installed, and what became of each when it was loaded?

Split by moment: `_finder.py` finds entry points and imports nothing, `_index` knows what they ship without importing them, `_loader.py` imports
one plugin and `_extension_loader.py` one extension, `_outcomes.py` has what can come of that. `_installed.py`, `_imported.py` and `_known.py`
are what a process knows of its plugins, each standing on the one before; `_discovery.py` is all of it, and `_extensions.py` the same of
extensions. `_permission.py` says what the configuration allows, `_hookspecs.py` has the hooks that an extension may implement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.discovery._discovery import current, load_plugins
    from fcregistry.discovery._finder import find_extensions, find_plugins
    from fcregistry.discovery._found import FoundExtension, FoundPlugin, near_miss_groups
    from fcregistry.discovery._hookspecs import TypeFamilies
    from fcregistry.discovery._report import DescribedPlugin, DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport

__all__ = [
    "DescribedPlugin",
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

# Public name -> the module it lives in; what listing tools does not need is imported when it is used.
_HOMES: Final = {
    "DescribedPlugin": "._report",
    "DisabledPlugin": "._report",
    "FailedPlugin": "._report",
    "FoundExtension": "._found",
    "FoundPlugin": "._found",
    "LoadReport": "._report",
    "LoadedPlugin": "._report",
    "TypeFamilies": "._hookspecs",
    "current": "._discovery",
    "find_extensions": "._finder",
    "find_plugins": "._finder",
    "load_plugins": "._discovery",
    "near_miss_groups": "._found",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

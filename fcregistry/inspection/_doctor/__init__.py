"""What keeps a tool from being there, or from being what its author meant?

Nothing of plugins is imported in a command's own process: `_accounts.py` tells what is known of each, from whoever imported it. Split by what
findings are about: `_plugins.py`, `_manifests.py`, `_extensions.py`, `_tools.py`, `_settings.py` (what is installed and configured around them).
`_diagnosis.py` puts them together, `_missing.py` says why a tool is not there, `_probing.py` tries each plugin in a process of its own.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.inspection._doctor._diagnosis import diagnose
    from fcregistry.inspection._doctor._finding import Finding
    from fcregistry.inspection._doctor._missing import diagnose_name
    from fcregistry.inspection._doctor._tools import tools_by_plugin, tools_of

__all__ = ["Finding", "diagnose", "diagnose_name", "tools_by_plugin", "tools_of"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "Finding": "._finding",
    "diagnose": "._diagnosis",
    "diagnose_name": "._missing",
    "tools_by_plugin": "._tools",
    "tools_of": "._tools",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

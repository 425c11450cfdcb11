"""Packages of plugins: a new one from templates, and the manifest that lets its tools be listed without importing it.

`_scaffold.py` starts a package. `_build.py` makes its manifest, which `_worker.py` finds out in a process of its own, and says how it differs
from the one that is there; `_hatch.py` is the build hook of hatchling that puts the manifest into what is built.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.packaging._build import BuiltManifest, build_manifests, manifest_differences
    from fcregistry.packaging._project import search_path, target_distribution
    from fcregistry.packaging._scaffold import create_plugin, package_name

__all__ = [
    "BuiltManifest",
    "build_manifests",
    "create_plugin",
    "manifest_differences",
    "package_name",
    "search_path",
    "target_distribution",
]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "BuiltManifest": "._build",
    "build_manifests": "._build",
    "create_plugin": "._scaffold",
    "manifest_differences": "._build",
    "package_name": "._scaffold",
    "search_path": "._project",
    "target_distribution": "._project",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

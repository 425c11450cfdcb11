"""Packages of plugins: creating one from templates, and building its manifest.

`_scaffold.py` creates a package. `_build.py` builds its manifest, and compares it with the one in the project. `_hatch.py` is the build hook of
hatchling that puts the manifest into an archive. `_project.py` says which distribution a command works on.
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

_MODULES = {
    "._build": ("BuiltManifest", "build_manifests", "manifest_differences"),
    "._project": ("search_path", "target_distribution"),
    "._scaffold": ("create_plugin", "package_name"),
}
"""Module, imported on first use -> its names."""

lazy_names(globals(), {name: module for module, names in _MODULES.items() for name in names})

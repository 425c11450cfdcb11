"""Packages of plugins: creating one from templates, and building its manifest.

`_scaffold.py` creates a package. `_build.py` builds its manifest, and compares it with the one in the project. `_hatch.py` is the build hook of
hatchling that puts the manifest into an archive.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.packaging._build import (
        BuiltManifest,
        build_manifests,
        manifest_differences,
        search_path,
        target_distribution,
    )
    from fcregistry.packaging._scaffold import create_plugin, package_name
    from fcregistry.packaging._scaffold import install_steps as install_steps

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
    "._build": ("BuiltManifest", "build_manifests", "manifest_differences", "search_path", "target_distribution"),
    "._scaffold": ("create_plugin", "install_steps", "package_name"),
}

lazy_names(globals(), _MODULES)

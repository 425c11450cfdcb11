"""The hatchling build hook `fcregistry`, which adds a plugin's manifests to its wheels and source distributions.

The hook stops the build if a manifest does not match the code. It does not import the plugin, because the plugin's dependencies are not
installed in the environment where hatchling builds it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl


class ManifestHook(BuildHookInterface[BuilderConfig]):
    """Adds a plugin's manifests to a wheel or source distribution that hatchling builds.

    The table `[tool.hatch.build.hooks.fcregistry]` in pyproject.toml enables it.
    """

    PLUGIN_NAME = "fcregistry"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Check the manifests against the sources, and add those that hatchling would leave out.

        Args:
            version: The kind of build. An `editable` install needs no manifest, so the hook does nothing.
            build_data: The data of the build; the hook adds manifests to its `force_include`.

        Raises:
            SystemExit: A manifest is missing or does not match; a message on standard error says what to do.
        """
        if version == "editable":
            return
        # hatchling imports every installed hook in every build, so only builds that use this hook import the rest
        from fcregistry.packaging._build import PackagingError, verify

        included = self.build_config.builder.recurse_included_files()
        files = {Path(each.distribution_path).as_posix(): Path(each.path) for each in included}
        metadata = self.metadata.core
        try:
            manifests = verify(metadata.raw_name, metadata.entry_points.get("fcregistry", {}), files)
        except PackagingError as error:
            self.app.abort(str(error))  # a traceback would hide what to do
        for name, path in manifests.items():
            if name not in files:  # version control ignores it, or no pattern of the build includes it
                build_data["force_include"][str(path)] = name


@hookimpl
def hatch_register_build_hook() -> type[ManifestHook]:
    """Return the class of the hook, which hatchling asks for."""
    return ManifestHook

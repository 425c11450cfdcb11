"""The build hook `fcregistry` of hatchling, which includes a plugin's manifest in what is built.

It refuses a manifest that does not match the code.

The hook imports nothing of the plugin: where wheels are built, what the plugin depends on is not installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.plugin import hookimpl


class ManifestHook(BuildHookInterface[BuilderConfig]):
    """The build hook `[tool.hatch.build.hooks.fcregistry]`, for wheels and source distributions."""

    PLUGIN_NAME = "fcregistry"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Refuse a manifest that does not match the sources, and include one that would be left out.

        Args:
            version: `editable` for an editable install, which needs no manifest yet.
            build_data: What hatchling adds to the build; the manifests are added to it.

        Raises:
            SystemExit: A manifest is missing or does not match; standard error says what to do.
        """
        if version == "editable":
            return
        # hatchling imports every installed hook in every build, so only builds that use this hook import the rest
        from fcregistry.packaging._build import verify
        from fcregistry.packaging._project import PackagingError

        included = self.build_config.builder.recurse_included_files()
        files = {Path(each.distribution_path).as_posix(): Path(each.path) for each in included}
        metadata = self.metadata.core
        try:
            manifests = verify(metadata.raw_name, metadata.entry_points.get("fcregistry", {}), files)
        except PackagingError as error:
            self.app.abort(str(error))  # a traceback would hide what to do
        for name, path in manifests.items():
            if name not in files:  # ignored by version control, or a file that no pattern names
                build_data["force_include"][str(path)] = name


@hookimpl
def hatch_register_build_hook() -> type[ManifestHook]:
    """Return the hook to hatchling."""
    return ManifestHook

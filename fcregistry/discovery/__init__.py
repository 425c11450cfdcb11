"""Installed plugins and extensions: finding, describing and importing them, with an outcome for each.

`_discovery.py` is what one process knows of its plugins: `_installed.py` what was found, `_imports.py` the outcomes of imports, `_sources.py` the
tools that no plugin ships. `_extensions.py` is what it knows of extensions, `_commands.py` of the commands that packages add; `_listing.py` lists
tools. Below them, by moment:

- find: `_finder.py` finds entry points (`_found.py`) without importing them, `_identity.py` checks that the metadata are genuine,
  `_permission.py` and `_locks.py` say what the configuration allows.
- describe: `_index.py` holds the descriptions of plugins that are not imported, `_index_store.py` reads and writes its file. A description
  comes from a manifest (`_manifest.py`), from worker processes (`_worker_pool.py` starts them, `_worker.py` runs in them) or from a program that
  imported the plugin (`_describe.py`); `_fingerprint.py` tells whether it is still true.
- load: `_loader.py` imports a plugin, `_hookspecs.py` an extension, whose hooks it defines; `_report.py` has the outcomes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry._base.paths import cache_folder
    from fcregistry.discovery._commands import listed_commands as listed_commands
    from fcregistry.discovery._commands import load_command as load_command
    from fcregistry.discovery._describe import FreshDescription as FreshDescription
    from fcregistry.discovery._describe import IndexRow as IndexRow
    from fcregistry.discovery._describe import describe_by_manifests as describe_by_manifests
    from fcregistry.discovery._discovery import Discovery as Discovery
    from fcregistry.discovery._discovery import current, load_plugins
    from fcregistry.discovery._extensions import ModelExtension as ModelExtension
    from fcregistry.discovery._extensions import disable_advice as disable_advice
    from fcregistry.discovery._finder import find_extensions, find_plugins
    from fcregistry.discovery._finder import impostor_entry_points as impostor_entry_points
    from fcregistry.discovery._finder import scan_path as scan_path
    from fcregistry.discovery._finder import unused_entry_points as unused_entry_points
    from fcregistry.discovery._found import COMMAND_GROUP as COMMAND_GROUP
    from fcregistry.discovery._found import EXTENSION_GROUP as EXTENSION_GROUP
    from fcregistry.discovery._found import GROUP as GROUP
    from fcregistry.discovery._found import FoundCommand as FoundCommand
    from fcregistry.discovery._found import FoundEntryPoint as FoundEntryPoint
    from fcregistry.discovery._found import FoundExtension, FoundPlugin, near_miss_groups
    from fcregistry.discovery._found import PluginKey as PluginKey
    from fcregistry.discovery._found import distribution_name as distribution_name
    from fcregistry.discovery._found import distribution_version as distribution_version
    from fcregistry.discovery._found import project_name as project_name
    from fcregistry.discovery._found import unreadable_plugins as unreadable_plugins
    from fcregistry.discovery._hookspecs import TypeFamilies
    from fcregistry.discovery._hookspecs import hookimpl as hookimpl
    from fcregistry.discovery._identity import TWIN as TWIN
    from fcregistry.discovery._identity import doubt_about as doubt_about
    from fcregistry.discovery._index import StoredRow as StoredRow
    from fcregistry.discovery._index import ToolLine as ToolLine
    from fcregistry.discovery._index_store import line_of_row as line_of_row
    from fcregistry.discovery._listing import broken_tools as broken_tools
    from fcregistry.discovery._listing import names_starting_with as names_starting_with
    from fcregistry.discovery._listing import searchable_texts as searchable_texts
    from fcregistry.discovery._listing import tool_lines as tool_lines
    from fcregistry.discovery._locks import altered_files as altered_files
    from fcregistry.discovery._locks import files_digest as files_digest
    from fcregistry.discovery._manifest import MANIFEST_FILE as MANIFEST_FILE
    from fcregistry.discovery._manifest import MANIFEST_FORMAT as MANIFEST_FORMAT
    from fcregistry.discovery._manifest import MAX_MANIFEST_BYTES as MAX_MANIFEST_BYTES
    from fcregistry.discovery._manifest import Manifest as Manifest
    from fcregistry.discovery._manifest import ManifestContent as ManifestContent
    from fcregistry.discovery._manifest import ManifestPlugin as ManifestPlugin
    from fcregistry.discovery._manifest import ManifestProblem as ManifestProblem
    from fcregistry.discovery._manifest import PackageLocation as PackageLocation
    from fcregistry.discovery._manifest import changed_sources as changed_sources
    from fcregistry.discovery._manifest import location_in as location_in
    from fcregistry.discovery._manifest import location_of as location_of
    from fcregistry.discovery._manifest import manifest_drift as manifest_drift
    from fcregistry.discovery._manifest import manifest_of as manifest_of
    from fcregistry.discovery._manifest import manifest_text as manifest_text
    from fcregistry.discovery._manifest import parse_external_json as parse_external_json
    from fcregistry.discovery._manifest import parse_manifest as parse_manifest
    from fcregistry.discovery._manifest import read_bounded as read_bounded
    from fcregistry.discovery._manifest import read_manifest as read_manifest
    from fcregistry.discovery._manifest import source_digest as source_digest
    from fcregistry.discovery._report import DescribedPlugin, DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport
    from fcregistry.discovery._report import FailedEntryPoint as FailedEntryPoint
    from fcregistry.discovery._report import Outcome as Outcome
    from fcregistry.discovery._sources import Shipper as Shipper
    from fcregistry.discovery._sources import SourceOwner as SourceOwner
    from fcregistry.discovery._worker_pool import IMPORT_SECONDS as IMPORT_SECONDS
    from fcregistry.discovery._worker_pool import describe_in_workers as describe_in_workers

__all__ = [
    "DescribedPlugin",
    "DisabledPlugin",
    "FailedPlugin",
    "FoundExtension",
    "FoundPlugin",
    "LoadReport",
    "LoadedPlugin",
    "TypeFamilies",
    "cache_folder",
    "current",
    "find_extensions",
    "find_plugins",
    "load_plugins",
    "near_miss_groups",
]

_MODULES: Final = {
    "._commands": ("listed_commands", "load_command"),
    "._describe": ("FreshDescription", "IndexRow", "describe_by_manifests"),
    "._discovery": ("Discovery", "cache_folder", "current", "load_plugins"),
    "._extensions": ("ModelExtension", "disable_advice"),
    "._finder": ("find_extensions", "find_plugins", "impostor_entry_points", "scan_path", "unused_entry_points"),
    "._found": (
        *("COMMAND_GROUP", "EXTENSION_GROUP", "GROUP"),
        *("FoundCommand", "FoundEntryPoint", "FoundExtension", "FoundPlugin", "PluginKey"),
        *("distribution_name", "distribution_version", "near_miss_groups", "project_name", "unreadable_plugins"),
    ),
    "._hookspecs": ("TypeFamilies", "hookimpl"),
    "._identity": ("TWIN", "doubt_about"),
    "._index": ("StoredRow", "ToolLine"),
    "._index_store": ("line_of_row",),
    "._listing": ("broken_tools", "names_starting_with", "searchable_texts", "tool_lines"),
    "._locks": ("altered_files", "files_digest"),
    "._manifest": (
        *("MANIFEST_FILE", "MANIFEST_FORMAT", "MAX_MANIFEST_BYTES"),
        *("Manifest", "ManifestContent", "ManifestPlugin", "ManifestProblem", "PackageLocation"),
        *("changed_sources", "location_in", "location_of", "manifest_drift", "manifest_of"),
        *("manifest_text", "parse_external_json", "parse_manifest", "read_bounded", "read_manifest"),
        *("source_digest",),
    ),
    "._report": (
        *("DescribedPlugin", "DisabledPlugin", "FailedEntryPoint", "FailedPlugin", "LoadReport"),
        *("LoadedPlugin", "Outcome"),
    ),
    "._sources": ("Shipper", "SourceOwner"),
    "._worker_pool": ("IMPORT_SECONDS", "describe_in_workers"),
}
"""Module, imported on first use -> its names for users and, if they are not in `__all__`, for other rooms."""

lazy_names(globals(), _MODULES)

"""Installed plugins and extensions: finding, describing and importing them, with an outcome for each.

`_discovery.py` is what one process knows of its plugins, `_extensions.py` of its extensions; `_listing.py` lists tools. Below them, by moment:

- find: `_finder.py` finds entry points (`_found.py`) without importing them, `_identity.py` checks that the metadata are genuine,
  `_permission.py` and `_locks.py` say what the configuration allows.
- describe: `_index.py` holds the descriptions of plugins that are not imported, `_index_store.py` reads and writes its file. A description
  comes from a manifest (`_manifest.py`), from worker processes (`_workers.py` starts them, `_worker.py` runs in them) or from a program that
  imported the plugin (`_describe.py`); `_fingerprint.py` tells whether it is still true.
- load: `_loader.py` imports a plugin, `_hookspecs.py` an extension, whose hooks it defines; `_report.py` has the outcomes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._lazy import lazy_names

if TYPE_CHECKING:
    from fcregistry.discovery._describe import FreshDescription as FreshDescription
    from fcregistry.discovery._discovery import Discovery as Discovery
    from fcregistry.discovery._discovery import current, load_plugins
    from fcregistry.discovery._extensions import disable_advice as disable_advice
    from fcregistry.discovery._finder import find_extensions, find_plugins
    from fcregistry.discovery._finder import impostor_entry_points as impostor_entry_points
    from fcregistry.discovery._finder import scan_path as scan_path
    from fcregistry.discovery._finder import unused_entry_points as unused_entry_points
    from fcregistry.discovery._found import EXTENSION_GROUP as EXTENSION_GROUP
    from fcregistry.discovery._found import GROUP as GROUP
    from fcregistry.discovery._found import FoundEntryPoint as FoundEntryPoint
    from fcregistry.discovery._found import FoundExtension, FoundPlugin, near_miss_groups
    from fcregistry.discovery._found import PluginKey as PluginKey
    from fcregistry.discovery._found import distribution_name as distribution_name
    from fcregistry.discovery._found import distribution_version as distribution_version
    from fcregistry.discovery._found import unreadable_plugins as unreadable_plugins
    from fcregistry.discovery._hookspecs import TypeFamilies
    from fcregistry.discovery._hookspecs import hookimpl as hookimpl
    from fcregistry.discovery._identity import TWIN as TWIN
    from fcregistry.discovery._identity import doubt_about as doubt_about
    from fcregistry.discovery._identity import project_name as project_name
    from fcregistry.discovery._listing import ToolLine as ToolLine
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
    from fcregistry.discovery._permission import Permission as Permission
    from fcregistry.discovery._report import DescribedPlugin, DisabledPlugin, FailedPlugin, LoadedPlugin, LoadReport
    from fcregistry.discovery._report import FailedExtension as FailedExtension
    from fcregistry.discovery._report import Outcome as Outcome
    from fcregistry.discovery._workers import IMPORT_SECONDS as IMPORT_SECONDS
    from fcregistry.discovery._workers import IMPORT_SECONDS_VARIABLE as IMPORT_SECONDS_VARIABLE
    from fcregistry.discovery._workers import describe_in_workers as describe_in_workers

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

# Public name -> its module, imported when the name is used.
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

# What other rooms use; not public.
_FOR_OTHER_ROOMS: Final = {
    "Discovery": "._discovery",
    "EXTENSION_GROUP": "._found",
    "FailedExtension": "._report",
    "FoundEntryPoint": "._found",
    "FreshDescription": "._describe",
    "GROUP": "._found",
    "IMPORT_SECONDS": "._workers",
    "IMPORT_SECONDS_VARIABLE": "._workers",
    "MANIFEST_FILE": "._manifest",
    "MANIFEST_FORMAT": "._manifest",
    "MAX_MANIFEST_BYTES": "._manifest",
    "Manifest": "._manifest",
    "ManifestContent": "._manifest",
    "ManifestPlugin": "._manifest",
    "ManifestProblem": "._manifest",
    "Outcome": "._report",
    "PackageLocation": "._manifest",
    "Permission": "._permission",
    "PluginKey": "._found",
    "TWIN": "._identity",
    "ToolLine": "._listing",
    "altered_files": "._locks",
    "broken_tools": "._listing",
    "changed_sources": "._manifest",
    "describe_in_workers": "._workers",
    "disable_advice": "._extensions",
    "distribution_name": "._found",
    "distribution_version": "._found",
    "doubt_about": "._identity",
    "files_digest": "._locks",
    "hookimpl": "._hookspecs",
    "impostor_entry_points": "._finder",
    "location_in": "._manifest",
    "location_of": "._manifest",
    "manifest_drift": "._manifest",
    "manifest_of": "._manifest",
    "manifest_text": "._manifest",
    "names_starting_with": "._listing",
    "parse_external_json": "._manifest",
    "parse_manifest": "._manifest",
    "project_name": "._identity",
    "read_bounded": "._manifest",
    "read_manifest": "._manifest",
    "scan_path": "._finder",
    "searchable_texts": "._listing",
    "source_digest": "._manifest",
    "tool_lines": "._listing",
    "unreadable_plugins": "._found",
    "unused_entry_points": "._finder",
}

__getattr__, __dir__ = lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})

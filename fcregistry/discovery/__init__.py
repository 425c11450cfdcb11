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
    from fcregistry.discovery._describe import DeclarationOwners as DeclarationOwners
    from fcregistry.discovery._describe import FreshDescription as FreshDescription
    from fcregistry.discovery._describe import describe_plugin as describe_plugin
    from fcregistry.discovery._discovery import current, load_plugins
    from fcregistry.discovery._extensions import disable_advice as disable_advice
    from fcregistry.discovery._finder import find_entry_points as find_entry_points
    from fcregistry.discovery._finder import find_extensions, find_plugins
    from fcregistry.discovery._finder import impostor_entry_points as impostor_entry_points
    from fcregistry.discovery._finder import scan_path as scan_path
    from fcregistry.discovery._finder import unused_entry_points as unused_entry_points
    from fcregistry.discovery._fingerprint import ImportTracker as ImportTracker
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
    from fcregistry.discovery._index import Index as Index
    from fcregistry.discovery._listing import ToolLine as ToolLine
    from fcregistry.discovery._listing import broken_tools as broken_tools
    from fcregistry.discovery._listing import names_starting_with as names_starting_with
    from fcregistry.discovery._listing import searchable_texts as searchable_texts
    from fcregistry.discovery._listing import tool_lines as tool_lines
    from fcregistry.discovery._loader import load_plugin as load_plugin
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
    from fcregistry.discovery._providers import call_hooks as call_hooks
    from fcregistry.discovery._providers import resolve_model as resolve_model
    from fcregistry.discovery._providers import unusable_call_hooks as unusable_call_hooks
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

# What other rooms use; not public.
_FOR_OTHER_ROOMS: Final = {
    "DeclarationOwners": "._describe",
    "EXTENSION_GROUP": "._found",
    "FailedExtension": "._report",
    "FoundEntryPoint": "._found",
    "FreshDescription": "._describe",
    "GROUP": "._found",
    "IMPORT_SECONDS": "._workers",
    "IMPORT_SECONDS_VARIABLE": "._workers",
    "ImportTracker": "._fingerprint",
    "Index": "._index",
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
    "call_hooks": "._providers",
    "changed_sources": "._manifest",
    "describe_in_workers": "._workers",
    "describe_plugin": "._describe",
    "disable_advice": "._extensions",
    "distribution_name": "._found",
    "distribution_version": "._found",
    "doubt_about": "._identity",
    "files_digest": "._locks",
    "find_entry_points": "._finder",
    "hookimpl": "._hookspecs",
    "impostor_entry_points": "._finder",
    "load_plugin": "._loader",
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
    "resolve_model": "._providers",
    "scan_path": "._finder",
    "searchable_texts": "._listing",
    "source_digest": "._manifest",
    "tool_lines": "._listing",
    "unreadable_plugins": "._found",
    "unusable_call_hooks": "._providers",
    "unused_entry_points": "._finder",
}

__getattr__, __dir__ = lazy_names(globals(), {**_HOMES, **_FOR_OTHER_ROOMS})

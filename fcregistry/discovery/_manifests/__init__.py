"""What does a package say of its own tools, in a file that it ships?

`_content.py` says what stands in a manifest, `_places.py` where it stands, `_sources.py` which state of the code it describes,
`_reading.py` reads one without importing anything, `_drift.py` words how it differs from the code. `fcregistry.packaging` writes it.
"""

from __future__ import annotations

from fcregistry._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fcregistry.discovery._manifests._drift import drift
    from fcregistry.discovery._manifests._reading import Manifest, ManifestProblem, manifest_of

__all__ = ["Manifest", "ManifestProblem", "drift", "manifest_of"]

# Name -> the module it lives in, imported when it is used.
_HOMES: dict[str, str] = {
    "Manifest": "._reading",
    "ManifestProblem": "._reading",
    "drift": "._drift",
    "manifest_of": "._reading",
}

__getattr__, __dir__ = lazy_names(globals(), _HOMES)

"""What does a package say of its own tools, in a file that it ships?

`_content.py` says what stands in a manifest, `_places.py` where it stands, `_sources.py` which state of the code it describes,
`_reading.py` reads one without importing anything, `_drift.py` words how it differs from the code. `fcregistry.packaging` writes it.
"""

from fcregistry.discovery._manifests._drift import drift
from fcregistry.discovery._manifests._reading import Manifest, ManifestProblem, manifest_of

__all__ = ["Manifest", "ManifestProblem", "drift", "manifest_of"]

"""What changed between two versions of tools, and does that break their callers?

Split by question: `_sources.py` and `_wheels.py` read versions, `_pairing.py` says which tool is which, `_tools.py` and `_options.py` what changed
in one, `_walk.py` what in its schemas, with `_groups.py`, `_choices.py`, `_objects.py` and `_arrays.py` for what they are made of; `_bump.py`
judges the version.
"""

from fcregistry.inspection._diff._core import VERDICTS, Change, Verdict
from fcregistry.inspection._diff._run import Diff, DistributionDiff, diff
from fcregistry.inspection._diff._sources import LOCK, Source, installed_like, read_source

__all__ = [
    "LOCK",
    "VERDICTS",
    "Change",
    "Diff",
    "DistributionDiff",
    "Source",
    "Verdict",
    "diff",
    "installed_like",
    "read_source",
]

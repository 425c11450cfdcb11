"""What of a thing that travels can another process read? The rest is left out, so that it holds back nothing else."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def picklable(value: T) -> T | None:
    """Return a value that pickle writes and reads again; None in place of any other.

    A function within another has no name to be found by, and many exceptions cannot be made again from what they were told.
    """
    import pickle  # which few need

    try:
        pickle.loads(pickle.dumps(value))
    except Exception:  # noqa: BLE001  # foreign code: making and reading it may raise anything
        return None
    return value

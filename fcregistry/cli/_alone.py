"""How does standard output hold the result alone, whatever a tool writes?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from fcregistry._base.stdout import prints_to_stderr

_OUT, _ERR = 1, 2


@contextmanager
def result_alone() -> Iterator[None]:
    """Send to stderr what is printed, and what a tool's programs and libraries in C write, which know no `sys.stdout`.

    For a process of our own only: the descriptor is everybody's. Where it is closed, nobody reads it.
    """
    out = None
    with suppress(OSError):
        out = os.dup(_OUT)
        os.dup2(_ERR, _OUT)
    try:
        with prints_to_stderr():
            yield
    finally:
        if out is not None:
            os.dup2(out, _OUT)
            os.close(out)

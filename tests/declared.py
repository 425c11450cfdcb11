"""Declarations of tests in the process, which are removed after each test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fcregistry._tools.declaration import log  # `registry.remove` takes a name, which several modules may have declared


@contextmanager
def forgotten() -> Iterator[None]:
    """Forget at the end what was declared meanwhile."""
    before = set(log)
    yield
    for declaration in set(log) - before:
        log.remove(declaration)

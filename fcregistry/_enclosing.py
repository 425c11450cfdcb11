"""Which classes do the string annotations of a function name that was written inside of another, and is given as it is?

A decorator is called where the function is written, and looks there. Here the functions that were written around it are looked for
among those that are running, as they are where a test or a notebook's cell defines a class, a function that takes it, and an executor.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fcregistry._base.source import underlying
from fcregistry._decorator import named_locals

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def enclosing_locals(function: Callable[..., Any]) -> dict[str, Any] | None:
    """Return the locals of the functions in which one was written, if its string annotations name some; an inner one's go before.

    None where the innermost is not running any more: a name may be one of its own, whatever others mean by it.
    """
    source = underlying(function)
    qualname = getattr(source, "__qualname__", None) or ""
    innermost, within, _ = qualname.rpartition(".<locals>.")
    if not within:
        return None
    scope = getattr(source, "__globals__", None)
    found: dict[str, Any] | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        place = frame.f_code.co_qualname
        if frame.f_globals is scope and (
            place == innermost if found is None else qualname.startswith(f"{place}.<locals>.")
        ):
            found = {**(named_locals(function, frame) or {}), **(found or {})}
        frame = frame.f_back
    return found or None

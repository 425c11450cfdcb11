"""Texts of each family as its publications show them, and their content."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Golden:
    """One text, and its content.

    Attributes:
        text: What a model wrote.
        source: The publication whose format it follows.
        calls: Name and arguments of each call.
        content: The words for people.
        reasoning: The thoughts.
        tools: The definitions of the tools; None if they are not known.
    """

    text: str
    source: str
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()
    content: str = ""
    reasoning: str = ""
    tools: Sequence[Mapping[str, Any]] | None = field(default=None)


def goldens() -> dict[str, list[Golden]]:
    """Return the cases of every dialect, by its name."""
    found: dict[str, list[Golden]] = {}
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        found |= importlib.import_module(module.name).GOLDENS
    return found

"""Functions that a lower room calls and a higher one provides.

A room imports only from lower rooms. For anything from above it calls a slot, and states with a Protocol or a type of its own what the slot
returns. `fcregistry/_wiring.py` fills every slot when the package is imported; a function that fills one imports its room when it is called.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

discovery: Callable[[], Any]
"""Return the process's discovery."""

registered_tool: Callable[[str, str, str | None], Any]
"""Return the tool of a canonical id from the process's registry, with a wire name and, unless None, another description."""

describe_tool: Callable[[Any, str, bool, str], Any]
"""Render one tool in a named format. Arguments: the tool, the format, whether strictly, what to do with a type that refers to itself."""

codec_of_class: Callable[[type], Any]
"""Return the codec that encodes values of a class, or None."""

families_of_extensions: Callable[[str], tuple[Any, ...]]
"""Return the families that an installed extension has for types of a top-level module, such as ``numpy``."""

pattern_matcher: Callable[[str], Callable[[str], bool]]
"""Return a function that checks in linear time whether a text matches a pattern of JSON Schema."""

call_hooks: Callable[[object], Any]
"""Return the hooks that the environment names, and those that an executor is given; None if there are none."""

resolve_model: Callable[[str, str], object | None]
"""Return the model that an installed extension has for a prefix and the name after it; None if no extension has that prefix."""

model_prefixes: Callable[[], tuple[str, ...]]
"""Return the names of installed extensions that may have models, sorted."""

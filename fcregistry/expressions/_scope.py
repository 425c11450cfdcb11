"""What may an expression name, beside the types of its tools' parameters?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fcregistry.expressions._tools import ToolNames, Tools, toolset_of

if TYPE_CHECKING:
    from typing import Self

Context = Mapping[str, Any]
Allowed = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an expression may name.

    Attributes:
        tools: The tools.
        context: Values by name, and types.
        allow: Functions that may be called while the expression is read, by name.
    """

    tools: ToolNames
    context: Context
    allow: Allowed

    @classmethod
    def of(cls, tools: Tools, context: Context | None, allow: Allowed | None) -> Self:
        """Return what a caller gave.

        Raises:
            TypeError: Something of it cannot be.
        """
        for what, given in (("context", context), ("allow", allow)):
            if not (given is None or _is_by_name(given)):
                raise TypeError(f"{what} is a dict from names, not {given!r:.80}")
        for name, function in (allow or {}).items():
            if not callable(function):
                raise TypeError(
                    f"allow[{name!r}] is a function or a class, not {function!r:.80}; values stand in context"
                )
        return cls(tools=ToolNames(toolset_of(tools)), context=context or {}, allow=allow or {})


def _is_by_name(given: object) -> bool:
    return isinstance(given, Mapping) and all(isinstance(name, str) for name in given)

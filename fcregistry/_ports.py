"""What may a lower layer ask of a higher one?

The modules below import nothing above them. Where one needs something from above, it asks here, and `fcregistry/__init__.py`
has put the answer here: a function that imports the higher module when it is first called.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, Protocol

    from fcregistry._declarations import Declaration
    from fcregistry._tool import Tool
    from fcregistry.execution._hooks import CallHooks
    from fcregistry.formats import Definition, TextDefinition
    from fcregistry.types._reader import Family

    class Owner(Protocol):
        """The plugin that ships a declaration."""

        @property
        def distribution(self) -> str: ...
        @property
        def version(self) -> str: ...
        @property
        def entry_point(self) -> str: ...

    class Discovery(Protocol):
        """What the registry asks of discovery: whose a declaration is, and to load what is installed."""

        def owner(self, declaration: Declaration) -> Owner | None:
            """Return the plugin that ships the declaration, or None for the application."""

        def hidden(self, declaration: Declaration, owner: Owner | None) -> str | None:
            """Return why the declaration is not to be seen (failed, disabled), or None."""

        def load(self, distribution: str | None = None) -> None:
            """Import the plugins of one distribution, or all of them; failures are recorded, not raised."""

        def distributions(self) -> tuple[str, ...]:
            """Return the names of the distributions that ship plugins, sorted."""


discovery: Callable[[], Discovery]
"""Return the process's discovery."""

describe: Callable[[Tool, str, bool, Literal["refuse", "cut"]], Definition | TextDefinition]
"""Render one tool in a named format: whether strictly, and what to do with a type that refers to itself."""

foreign_types: Callable[[str], tuple[Family, ...]]
"""Return the families that an installed extension has for types of a top-level module, such as `numpy`; none if there is none."""

call_hooks: Callable[[object], CallHooks | None]
"""Return the hooks that the environment names, and those that an executor is given; None where there are none."""

pattern_matcher: Callable[[str], Callable[[str], bool]]
"""Return whether a text matches a pattern of JSON Schema, told in linear time."""

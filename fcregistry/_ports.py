"""What may a lower layer ask of a higher one?

The modules below import nothing above them. Where one needs something from above, it asks here, and `fcregistry/__init__.py`
has put the answer here: a function that imports the higher module when it is first called.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal, Protocol

    from fcregistry._tools.declaration import Declaration
    from fcregistry._tools.indexed import Described
    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._hooks import CallHooks
    from fcregistry.formats import Definition, TextDefinition
    from fcregistry.types._reader import Family

    class Permission(Protocol):
        """What the configuration says at one moment."""

        def preferred(self, distributions: Iterable[str]) -> str | None:
            """Return which of some distributions has precedence, or None."""

    class Owner(Protocol):
        """The plugin that ships a declaration."""

        @property
        def distribution(self) -> str: ...
        @property
        def project(self) -> str: ...
        @property
        def version(self) -> str: ...
        @property
        def entry_point(self) -> str: ...

    class Discovery(Protocol):
        """What the registry asks of discovery: whose a declaration is, and to load what is installed."""

        def owner(self, declaration: Declaration) -> Owner | None:
            """Return the plugin that ships the declaration, or None for the application."""

        def hidden(
            self, declaration: Declaration, owner: Owner | None, permission: Permission | None = None
        ) -> str | None:
            """Return why the declaration is not to be seen (failed, disabled, denied), or None."""

        def permission(self) -> Permission:
            """Return what the configuration says now."""

        def know(self, distribution: str | None = None) -> None:
            """Have the tools known of the plugins of one distribution, or of all: described, or imported; failures are recorded, not raised."""

        def described(self, name: str | None = None) -> Iterable[tuple[Described, Owner]]:
            """Return the tools that are described and whose plugins are not imported: of that name, or all."""

        def aliased(self, name: str) -> Iterable[tuple[Described, Owner]]:
            """Return the tools among these that have that alias."""

        def ranked(self, words: str, made: list[Tool]) -> Iterable[Tool | tuple[Described, Owner]]:
            """Return what has to do with some words, best first: of these tools, and of those that are described."""

        def why_hidden(self, name: str) -> str | None:
            """Return why a described tool of a plain name is there and not to be seen, or None."""

        def why_refused(self, distribution: str) -> str | None:
            """Return why a plugin of a distribution is not to be described, so that nobody knows its tools, or None."""

        def record(self, described: Described) -> ToolRecord:
            """Return all that is known of a described tool."""

        def real(self, described: Described) -> Declaration:
            """Import the plugin of a described tool, and return its declaration; raises `PluginError` where there is none."""

        def forget(self, described: Described) -> None:
            """Have the plugin of a described tool described anew, since it ships something else."""

        def distributions(self) -> tuple[str, ...]:
            """Return the names of the distributions that ship plugins, sorted."""


discovery: Callable[[], Discovery]
"""Return the process's discovery."""

registered: Callable[[str, str, str | None], Tool]
"""Return the tool of a canonical id from the process's registry, under a wire name and with a description, if it was given another: what a
plugin's tool is where it is unpickled."""

describe: Callable[[Tool, str, bool, Literal["refuse", "cut"]], Definition | TextDefinition]
"""Render one tool in a named format: whether strictly, and what to do with a type that refers to itself."""

foreign_types: Callable[[str], tuple[Family, ...]]
"""Return the families that an installed extension has for types of a top-level module, such as `numpy`; none if there is none."""

call_hooks: Callable[[object], CallHooks | None]
"""Return the hooks that the environment names, and those that an executor is given; None where there are none."""

resolve_model: Callable[[str, str], object | None]
"""Return what an installed extension has for a prefix and the name after it; None if no extension is called so."""

model_prefixes: Callable[[], tuple[str, ...]]
"""Return the names of installed extensions that may have models, sorted."""

pattern_matcher: Callable[[str], Callable[[str], bool]]
"""Return whether a text matches a pattern of JSON Schema, told in linear time."""

"""`Registry`, tools by name, group and owner, and `Group`, a view of one group.

`registry` is the process's own.

A registry reads a log of declarations. The process's own reads what `fc_register` wrote; discovery gives it the owner of each declaration and
the tools of plugins that are not imported. Nothing is imported while a lock is held.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, overload

from fcregistry._base.source import is_same_or_equal
from fcregistry._tools.catalogue import Catalogue, select_tools
from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration, DeclarationLog, log
from fcregistry._tools.decorator import bound_methods, declare
from fcregistry._tools.definition import is_strict
from fcregistry._tools.options import check_options, group_problem
from fcregistry._tools.selectors import Owned, by_key, clash_text, did_you_mean, effective, nearest
from fcregistry._tools.tool import Tool, Toolset
from fcregistry.errors import (
    AmbiguousToolError,
    DefinitionError,
    DuplicateToolError,
    GroupNotFoundError,
    ToolNotFoundError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import TypeVar

    from typing_extensions import Unpack

    from fcregistry._tools.decorator import Declarable, Decorator
    from fcregistry._tools.options import SharedOptions

    F = TypeVar("F", bound=Declarable)


class Registry:
    """Tools by name, in groups.

    `registry` is the process's own; an isolated one has a log of its own, knows no plugins, and can adopt declarations.

    Args:
        default_group: The group of a tool that `register` is given without one.
        strict: The policy for a parameter without a type: True or `"error"` for an error, False or `"warn"` for a warning.

    Raises:
        DefinitionError: `default_group` is not a valid name of a group, or `strict` is not one of these policies.
    """

    def __init__(self, *, default_group: str = DEFAULT_GROUP, strict: bool | Literal["error", "warn"] = False) -> None:
        if problem := group_problem(default_group):
            raise DefinitionError(problem)
        self.default_group = default_group
        self._read(DeclarationLog(), discovers=False, strict=is_strict(strict, "strict"))

    def _read(self, declarations: DeclarationLog, *, discovers: bool, strict: bool) -> None:
        """Make this the registry of a log of declarations; see `Catalogue` for the arguments."""
        self._log = declarations
        self._catalogue = Catalogue(declarations, discovers=discovers, strict=strict)

    @classmethod
    def _of_process(cls) -> Registry:
        """Return a new registry of the process's declarations, with the tools of installed plugins."""
        made = cls()
        made._read(log, discovers=True, strict=False)
        return made

    # Declare

    @overload
    def register(
        self, function: F, name: str | None = None, *, group: str | None = None, **options: Unpack[SharedOptions]
    ) -> F: ...

    @overload
    def register(
        self, *, name: str | None = None, group: str | None = None, **options: Unpack[SharedOptions]
    ) -> Decorator: ...

    def register(
        self, function: Any = None, name: str | None = None, *, group: str | None = None, **options: Any
    ) -> Any:
        """Declare a function as a tool, directly or as a decorator, and return it unchanged.

            @registry.register
            @registry.register(name="add_numbers", tags=("math",))

        Args:
            function: A function or another callable object, as `fc_register` takes it; also a `Tool`, a toolset, or a list of these and
                functions. Without it, a decorator is returned.
            name: The tool's name, if not the function's or the `Tool`'s.
            group: The group, if not that of the `Tool`, or the default one.
            **options: The options of `fc_register`, with the same meaning; `help(fc_register)` describes each.

        Raises:
            DefinitionError: The name, the group or an option is invalid.
            DuplicateToolError: Another function of the same module has that name in that group already.
        """
        check_options(options, "a tool" if function is None else function)
        if function is not None:
            return declare(function, name, group, options, sys._getframe(1), self._log, self.default_group)
        given_name = name

        def decorate(function: Any, name: str | None = None, /) -> Any:
            return declare(
                function, name or given_name, group, options, sys._getframe(1), self._log, self.default_group
            )

        return decorate

    def register_object(
        self,
        instance: object,
        *,
        prefix: str = "",
        group: str | None = None,
        available: Callable[[], bool] | None = None,
    ) -> tuple[str, ...]:
        """Declare the marked methods of an instance, bound to it.

        Args:
            instance: An object whose class has methods decorated with `fc_register`.
            prefix: The beginning of each name, so that several instances can be registered.
            group: The group of all of them, in place of the one that each was marked with.
            available: A function without arguments that returns whether the tools can be used here, for all of them, as the option of
                `fc_register`. A method that was marked with that option needs both to return True.

        Returns:
            The names of the tools, sorted.

        Raises:
            DefinitionError: No method is marked, the prefix or group makes a name that is not valid, or `available` cannot be called.
            DuplicateToolError: Another function has one of the names already; none of the methods is registered then.
        """
        made = bound_methods(instance, prefix, group, available)
        self._log.add_all(made)
        return tuple(sorted(declaration.name for declaration in made))

    def adopt(self, module: str | ModuleType) -> int:
        """Add the tools that `fc_register` declared in a module and its submodules to this registry.

        Args:
            module: The module, or its name.

        Returns:
            The number of tools added.

        Raises:
            DuplicateToolError: Another tool of this registry has one of the names; no tool was added.
        """
        name = module if isinstance(module, str) else module.__name__
        adopted = [each for each in log if each.module == name or each.module.startswith(f"{name}.")]
        self._log.add_all(
            Declaration(each.function, each.name, each.group, each.module, each.options, each.locals)
            for each in adopted
        )
        return len(adopted)

    def remove(self, name: str) -> None:
        """Remove a tool.

        Args:
            name: Its name: plain, `group.name`, or canonical (`distribution:name`).

        Raises:
            ToolNotFoundError: No tool has that name.
            AmbiguousToolError: Several tools have it.
        """
        declaration = self._catalogue.resolve(name).declaration
        self._log.remove(self._catalogue.resolved(declaration))

    # Look up

    def get(self, name: str) -> Tool:
        """Return the tool of a name: plain, `group.name`, or canonical (`distribution:name`).

        If the application has no tool of that name, the index of installed plugins is searched; only the plugin of the tool is imported, when
        the tool is called. A plugin that the index does not describe yet is imported and described.

        Args:
            name: The name.

        Raises:
            ToolNotFoundError: No tool has that name; the message has the nearest names.
            AmbiguousToolError: Several tools have it; the message has their ids.
            DuplicateToolError: Two modules of one owner declare it.
        """
        return self._catalogue.tool(self._catalogue.resolve(name))

    def __getitem__(self, group: str) -> Group:
        """Return a group by its dotted name.

        Raises:
            GroupNotFoundError: No group has that name; the message has the nearest names.
            TypeError: The name is not a string.
        """
        if not isinstance(group, str):
            raise TypeError(f"the name of a group is a string, not {group!r:.80}")
        if not self._group_exists(group):
            self._catalogue.load()
        if not self._group_exists(group):
            is_tool = any(each.declaration.name == group for each in self._catalogue.visible())
            meant = f"; that is a tool: use get({group!r})" if is_tool else did_you_mean(nearest(group, self.groups()))
            raise GroupNotFoundError(f"there is no group {group!r}{meant}")
        return Group(self, group)

    def _group_exists(self, group: str) -> bool:
        """Return whether `group` is the default group of this registry, or a visible tool is in it or below."""
        names = self._groups()
        return group == self.default_group or group in names or any(name.startswith(f"{group}.") for name in names)

    def groups(self) -> tuple[str, ...]:
        """Return the names of all groups that hold tools, sorted."""
        self._catalogue.load()
        return self._groups()

    def _groups(self) -> tuple[str, ...]:
        """Return the groups of the visible tools, sorted, each once, without importing plugins."""
        return tuple(sorted({each.declaration.group for each in self._catalogue.visible()}))

    def find(self, *selectors: str) -> tuple[Tool, ...]:
        """Return every tool that the selectors name, sorted by name and id; without any, all there are.

        Unlike `select`, it may return several tools of one name. Patterns skip tools that cannot be defined, or whose required
        environment variables are not set; a tool that is named exactly is returned.

        Args:
            *selectors: Names and patterns, such as `search.*`, `tag=read` or `!acme-weather:*`.

        Raises:
            SelectorError: One is not a selector.
            ToolNotFoundError: A selector that does not exclude tools matches nothing.
            AmbiguousToolError: Several tools have a plain name.
        """
        return tuple(self._catalogue.tool(owned) for owned, _ in select_tools(self._catalogue, selectors))

    def search(self, words: str, *selectors: str, limit: int = 10) -> tuple[Tool, ...]:
        """Return the tools whose names, descriptions and parameters match some words, best first.

        Args:
            words: Any text; it has no operators.
            *selectors: Search only the tools that these selectors name.
            limit: How many tools at most.

        Raises:
            SelectorError: One is not a selector.
            ToolNotFoundError: A selector that does not exclude tools matches nothing.
            AmbiguousToolError: Several tools have a plain name.
            MissingDependencyError: This Python's SQLite was built without full-text search.
        """
        if selectors:
            from fcregistry._tools.search import search_tools  # and SQLite, which only a search needs

            return search_tools(self.find(*selectors), words, limit)
        self._catalogue.load()
        return tuple(islice(self._catalogue.searched(words), limit))

    def select(self, *selectors: str) -> Toolset:
        """Return the tools that the selectors name, as a toolset sorted by name; without any, all there are.

        If a pattern matches a tool of the application and one of a plugin of the same name, the result has only the application's.

        Args:
            *selectors: Names and patterns, such as `search.*`, `tag=read` or `!acme-weather:*`.

        Raises:
            SelectorError: One is not a selector.
            ToolNotFoundError: A selector that does not exclude tools matches nothing.
            AmbiguousToolError: Several tools have a plain name.
            DuplicateToolError: Two of the tools have one name.
        """
        return Toolset(map(self._catalogue.tool, _without_overridden(select_tools(self._catalogue, selectors))))

    def tool_of(self, function: Callable[..., Any]) -> Tool | None:
        """Return the tool that a function was declared as here, or None.

        If there are several, that is the one with the function's own name, or else the first by name.

        Args:
            function: The function.

        Raises:
            ToolNotFoundError: The tool is hidden; the message says why.
        """
        declared = [each for each in self._log if is_same_or_equal(each.function, function)]
        if not declared:
            return None
        own_name = getattr(function, "__name__", "")
        ordered = sorted(
            self._catalogue.visible_of(declared), key=lambda each: (each.declaration.name != own_name, each.full_name)
        )
        if not ordered:
            raise self._catalogue.not_found(declared[0].name)
        return self._catalogue.tool(ordered[0])

    def everything(self) -> tuple[Tool, ...]:
        """Return all tools, sorted by id.

        The result includes hidden tools, and tools with an error in their declaration.

        This imports no plugin.
        """
        return tuple(sorted(map(self._catalogue.tool, self._catalogue.visible()), key=lambda tool: tool.id))

    def broken(self) -> tuple[Tool, ...]:
        """Return the tools that cannot be defined, sorted by id. Imports nothing."""
        return tuple(sorted(self._catalogue.broken(), key=lambda tool: tool.id))

    def clashes(self) -> tuple[str, ...]:
        """Return a message for each name whose lookup raises `DuplicateToolError`, sorted."""
        all_candidates = by_key(self._catalogue.visible()).values()
        return tuple(sorted(clash_text(candidates) for candidates in all_candidates if len(effective(candidates)) > 1))

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self._catalogue.resolve(name)
        except (ToolNotFoundError, AmbiguousToolError, DuplicateToolError) as error:
            return isinstance(error, AmbiguousToolError) or name in self._groups()
        return True

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.find())

    def __len__(self) -> int:
        return len(self.find())

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for each in self._catalogue.visible():
            counts[each.declaration.group] = counts.get(each.declaration.group, 0) + 1
        return f"<Registry {', '.join(f'{group}: {count}' for group, count in sorted(counts.items())) or 'empty'}>"


class Group(Mapping[str, Tool]):
    """The tools of one group, by name, without those of groups below it.

    Args:
        registry: The registry it is a view of.
        name: Its dotted name.
    """

    def __init__(self, registry: Registry, name: str) -> None:
        self._registry = registry
        self.name = name

    def __getitem__(self, name: str) -> Tool:
        return self._registry.get(f"{self.name}.{name}")

    def __iter__(self) -> Iterator[str]:
        tools = self._registry.find()
        return iter(sorted({tool.declared_name for tool in tools if tool.group == self.name}))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<Group {self.name}: {', '.join(self) or 'empty'}>"


def _without_overridden(found: Sequence[tuple[Owned, bool]]) -> Iterator[Owned]:
    """Yield the tools in `found` without those of plugins that patterns match and that have the name of an application's tool.

    Args:
        found: Tools, each with whether a selector names it exactly.
    """
    own = {owned.declaration.name for owned, _ in found if owned.owner is None}
    for owned, exact in found:
        if exact or owned.owner is None or owned.declaration.name not in own:
            yield owned


def tools_to_bind(registry: Registry, selectors: Iterable[str], taken: Set[str] = frozenset()) -> list[Tool]:
    """Return the tools that an executor binds for some selectors, those that are not available here included.

    A tool that is not available, and that only a pattern matches, gives way to every other tool of its name. Of several such tools of one name,
    the application's is returned; if there is none, none of them is.

    Args:
        registry: The registry in which names are looked up.
        selectors: The selectors; see `Registry.select`, also for the errors.
        taken: The names of the other tools of the executor.
    """
    catalogue = registry._catalogue
    found = select_tools(catalogue, selectors, with_unavailable=True)
    unavailable = {owned.declaration for owned, exact in found if not exact and not catalogue.is_available(owned)}
    bound = list(_without_overridden([each for each in found if each[0].declaration not in unavailable]))
    names = taken | {owned.declaration.name for owned in bound}
    left = [each for each in found if each[0].declaration in unavailable and each[0].declaration.name not in names]
    by_name: dict[str, list[Owned]] = {}
    for owned in _without_overridden(left):
        by_name.setdefault(owned.declaration.name, []).append(owned)
    bound += [each[0] for each in by_name.values() if len(each) == 1]
    return list(map(catalogue.tool, bound))


def group_tools_to_bind(group: Group) -> list[Tool]:
    """Return the tools of a group that an executor binds, those that are not available here included; may be empty."""
    try:
        return tools_to_bind(group._registry, [f"group={group.name}"])
    except ToolNotFoundError:
        return []


def catalogue_of(registry: Registry) -> Catalogue:
    """Return the catalogue in which a registry looks tools up, for other rooms."""
    return registry._catalogue


registry: Registry = Registry._of_process()
"""The process's registry."""

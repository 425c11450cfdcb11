"""Which tools are there, by name, group and owner?

A registry reads a log of declarations. The process's one reads what `fc_register` wrote, knows from discovery whose each declaration is, and
loads plugins when a name is looked up that the application does not have. Nothing is imported while a lock is held.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fcregistry import _ports
from fcregistry._declarations import DEFAULT_GROUP, Declaration, DeclarationLog, declare, log, marked_methods
from fcregistry._groups import Group
from fcregistry._naming import Owned, by_key, clash_text, did_you_mean, nearest, only_one, standing
from fcregistry._options import checked, group_problem
from fcregistry._selectors import Selector, Subject, parse_selector, parse_selectors
from fcregistry._tool import Tool, Toolset
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

    from fcregistry._options import SharedOptions

    F = TypeVar("F", bound=Callable[..., Any])

STRICT = "FCREGISTRY_STRICT"
"""A module, or a package above it, that sets this to True asks for strictness for its own tools."""


class Registry:
    """Tools by name, in groups.

    `registry` is the process's own; an isolated one has a log of its own, knows no plugins, and can adopt declarations.

    Args:
        default_group: Where `register` puts a tool without a group.
        strict: Whether a parameter without a type is an error rather than a warning.
    """

    def __init__(self, *, default_group: str = DEFAULT_GROUP, strict: bool = False) -> None:
        if problem := group_problem(default_group):
            raise DefinitionError(problem)
        self.default_group = default_group
        self.strict = strict
        self._log = DeclarationLog()
        self._discovers = False

    @classmethod
    def _of_process(cls) -> Registry:
        made = cls()
        made._log = log
        made._discovers = True
        return made

    # Declare

    def register(
        self, function: F, name: str | None = None, *, group: str | None = None, **options: Unpack[SharedOptions]
    ) -> F:
        """Declare a function as a tool; it is returned unchanged, so this is a decorator too.

        Args:
            function: What `fc_register` takes.
            name: The tool's name, if not the function's.
            group: The group, if not the default one.
            **options: As for `fc_register`.

        Raises:
            DefinitionError: A name, group or option that cannot be.
            DuplicateToolError: Another function of the same module has that name in that group already.
        """
        given = dict(options)
        checked(given, f"{function!r}")
        declare(function, name, group or self.default_group, given, sys._getframe(1), self._log)
        return function

    def register_object(self, instance: object, *, prefix: str = "", group: str | None = None) -> tuple[str, ...]:
        """Declare the marked methods of an instance, bound to it.

        Args:
            instance: An object whose class has methods decorated with `fc_register`.
            prefix: Put before each name, so that several instances can stand side by side.
            group: A group for all of them, in place of the one that each was marked with.

        Returns:
            The names of the tools, sorted.

        Raises:
            DefinitionError: No method is marked.
            DuplicateToolError: Another function has one of the names already; none is registered then.
        """
        marked = marked_methods(instance)
        if not marked:
            raise DefinitionError(f"{type(instance).__qualname__} has no method that is decorated with @fc_register")
        made = [
            Declaration(
                getattr(instance, attribute),
                prefix + mark.name,
                group or mark.group,
                mark.module,
                mark.options,
                mark.locals,
            )
            for attribute, mark in marked
        ]
        done: list[Declaration] = []
        try:
            for declaration in made:
                self._log.add(declaration)
                done.append(declaration)
        except DuplicateToolError:
            for declaration in done:
                self._log.remove(declaration)
            raise
        return tuple(sorted(declaration.name for declaration in made))

    def adopt(self, module: str | ModuleType) -> int:
        """Take over what was declared with `fc_register` in a module and below it.

        Args:
            module: The module, or its name.

        Returns:
            How many declarations there were.

        Raises:
            DuplicateToolError: One of them has a name that is taken here.
        """
        name = module if isinstance(module, str) else module.__name__
        adopted = [each for each in log if each.module == name or each.module.startswith(f"{name}.")]
        for each in adopted:
            self._log.add(Declaration(each.function, each.name, each.group, each.module, each.options, each.locals))
        return len(adopted)

    def remove(self, name: str) -> None:
        """Forget a tool, named as for `get`.

        Raises:
            ToolNotFoundError: There is none of that name.
            AmbiguousToolError: There are several.
        """
        self._log.remove(self._resolve(name).declaration)

    # Look up

    def get(self, name: str) -> Tool:
        """Return the tool of a name: plain, `group.name`, or canonical (`distribution:name`).

        A name that the application does not have is looked for in the installed plugins, which are imported for that.

        Raises:
            ToolNotFoundError: There is none; names the nearest.
            AmbiguousToolError: Several tools have the name; names their ids.
            DuplicateToolError: Two modules of one owner claim it.
        """
        return self._tool(self._resolve(name))

    def __getitem__(self, group: str) -> Group:
        """Return a group by its dotted name.

        Raises:
            GroupNotFoundError: There is none; names the nearest.
        """
        if not self._group_exists(group):
            self._load(None)
        if not self._group_exists(group):
            raise GroupNotFoundError(f"there is no group {group!r}{did_you_mean(nearest(group, self.groups()))}")
        return Group(self, group)

    def _group_exists(self, group: str) -> bool:
        names = self._groups()
        return group == self.default_group or group in names or any(name.startswith(f"{group}.") for name in names)

    def groups(self) -> tuple[str, ...]:
        """Return the names of all groups that hold tools, sorted."""
        self._load(None)
        return self._groups()

    def _groups(self) -> tuple[str, ...]:
        return tuple(sorted({each.declaration.group for each in self._visible()}))

    def find(self, *selectors: str) -> tuple[Tool, ...]:
        """Return every tool that the selectors name, sorted by name and id; without any, all there are.

        Unlike `select`, it may return several tools of one name. Patterns pass over tools that cannot be defined, or whose required
        environment is not set; a tool that is named exactly is returned.

        Raises:
            SelectorError: One is no selector.
            ToolNotFoundError: One, an excluding one apart, matches nothing.
            AmbiguousToolError: A plain name that several tools have.
        """
        parsed = parse_selectors(selectors)
        self._load_for(parsed)
        chosen: dict[int, Tool] = {}
        if not parsed or parsed[0].excludes:
            chosen = {id(tool._definition): tool for tool in self._offered()}
        for selector in parsed:
            if selector.excludes:
                chosen = {key: tool for key, tool in chosen.items() if not selector.matches(_subject(tool))}
                continue
            for tool in self._matching(selector):
                chosen[id(tool._definition)] = tool
        return tuple(sorted(chosen.values(), key=lambda tool: (tool.name, tool.id)))

    def select(self, *selectors: str) -> Toolset:
        """Return the tools that the selectors name, as a toolset sorted by name; without any, all there are.

        Where the application and a plugin have a tool of one name, the application's own is taken.

        Raises:
            SelectorError: One is no selector.
            ToolNotFoundError: One, an excluding one apart, matches nothing.
            AmbiguousToolError: A plain name that several tools have.
            DuplicateToolError: Two of the tools have one name.
        """
        found = self.find(*selectors)
        own = {tool.name for tool in found if tool._owner is None}
        return Toolset(tool for tool in found if tool._owner is None or tool.name not in own)

    def tool_of(self, function: Callable[..., Any]) -> Tool | None:
        """Return the tool that a function was declared as here, or None; the first by name if there are several."""
        declared = [each for each in self._log if each.function is function or each.function == function]
        if not declared:
            return None
        own_name = getattr(function, "__name__", "")
        ordered = sorted(self._visible(declared), key=lambda each: (each.declaration.name != own_name, each.full_name))
        return self._tool(ordered[0]) if ordered else None

    def everything(self) -> tuple[Tool, ...]:
        """Return all tools, sorted by id: those that cannot be defined or are hidden too. Loads nothing."""
        return tuple(sorted(map(self._tool, self._visible()), key=lambda tool: tool.id))

    def clashes(self) -> tuple[str, ...]:
        """Return the collisions within one owner, worded, sorted: the names that raise `DuplicateToolError`."""
        rivalries = by_key(self._visible()).values()
        return tuple(sorted(clash_text(rivals) for rivals in rivalries if len(standing(rivals)) > 1))

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self._resolve(name)
        except (ToolNotFoundError, AmbiguousToolError, DuplicateToolError) as error:
            return isinstance(error, AmbiguousToolError) or name in self._groups()
        return True

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.find())

    def __len__(self) -> int:
        return len(self.find())

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for each in self._visible():
            counts[each.declaration.group] = counts.get(each.declaration.group, 0) + 1
        return f"<Registry {', '.join(f'{group}: {count}' for group, count in sorted(counts.items())) or 'empty'}>"

    # How it does it

    def _visible(self, declarations: Iterable[Declaration] | None = None) -> list[Owned]:
        """Return declarations with their owners, without those of disabled or failed plugins."""
        everything = self._log if declarations is None else declarations
        if not self._discovers:
            return [Owned(declaration, None) for declaration in everything]
        discovery = _ports.discovery()
        owned = (Owned(declaration, discovery.owner(declaration)) for declaration in everything)
        return [each for each in owned if discovery.hidden(*each) is None]

    def _load(self, distribution: str | None) -> None:
        if self._discovers:
            _ports.discovery().load(distribution)

    def _load_for(self, selectors: Iterable[Selector]) -> None:
        """Load what the selectors may name: one distribution where all of them say so, otherwise everything."""
        wanted = [selector for selector in selectors if not selector.excludes]
        names = {selector.distribution for selector in wanted}
        if wanted and None not in names and not any("*" in (name or "") for name in names):
            for name in sorted(filter(None, names)):
                self._load(name)
        elif not (wanted and all(selector.is_exact for selector in wanted)):
            self._load(None)  # exact names load for themselves, if they have to

    def _tool(self, owned: Owned) -> Tool:
        declaration, owner = owned
        if declaration.tool is None or declaration.tool._owner is not owner:
            declaration.tool = Tool(declaration, owner, strict=self.strict or _asks_for_strictness(declaration.module))
        return declaration.tool

    def _offered(self) -> Iterator[Tool]:
        """Yield what patterns may match: each key once, defined, with its environment."""
        for rivals in by_key(self._visible()).values():
            if len(standing(rivals)) == 1:
                tool = self._tool(standing(rivals)[0])
                if not tool.missing_env and tool.definition_error is None:
                    yield tool

    def _matching(self, selector: Selector) -> list[Tool]:
        if selector.is_exact:
            return [self.get(selector.text)]
        matching = [tool for tool in self._offered() if selector.matches(_subject(tool))]
        if not matching:
            near = did_you_mean(nearest(selector.text, self._names()))
            raise ToolNotFoundError(f"the selector {selector.text!r} matches no tool{near}", name=selector.text)
        return matching

    def _names(self) -> list[str]:
        return sorted({each.declaration.name for each in self._visible()})

    def _resolve(self, name: str) -> Owned:
        selector = parse_selector(name)
        if not selector.is_exact or selector.excludes:
            raise ToolNotFoundError(f"{name!r} is a pattern, not a tool's name; use select({name!r})", name=name)
        if selector.distribution is None:
            own = only_one(name, (each for each in self._candidates(selector) if each.owner is None))
            if own is not None:
                return own
        self._load(selector.distribution)
        found = only_one(name, self._candidates(selector))
        if found is None:
            raise self._not_found(name)
        return found

    def _candidates(self, selector: Selector) -> list[Owned]:
        """Return what a name may mean: the tools of that name, or else those that have it as an alias."""
        assert selector.name is not None
        for declarations in (self._log.named(selector.name), self._log.aliased(selector.name)):
            found = [
                each
                for each in self._visible(declarations)
                if selector.distribution in (None, each.key[0]) and selector.group in (None, each.declaration.group)
            ]
            if found:
                return found
        return []

    def _not_found(self, name: str) -> ToolNotFoundError:
        names = [each.full_name if ":" in name else each.local_name for each in self._visible()]
        near = nearest(name, sorted([*names, *(() if ":" in name else self._names())]))
        message = f"there is no tool {name!r}{self._why_hidden(name)}{did_you_mean(near)}"
        if self._discovers:
            message += f" (`fcregistry doctor {name}` says why it may be missing)"
        return ToolNotFoundError(message, name=name, candidates=near)

    def _why_hidden(self, name: str) -> str:
        """Return why a tool of that plain name is there and not to be seen; nothing if there is none."""
        if not self._discovers:
            return ""
        discovery = _ports.discovery()
        plain = name.rpartition(":")[2].rpartition(".")[2]
        for declaration in (*self._log.named(plain), *self._log.aliased(plain)):
            if reason := discovery.hidden(declaration, discovery.owner(declaration)):
                return f": {reason}"
        return ""


def _subject(tool: Tool) -> Subject:
    declared = tool._definition.declaration
    return Subject(
        name=declared.name,
        group=declared.group,
        distribution=tool._owner.distribution if tool._owner else None,
        tags=frozenset(tool.options.tags),
    )


def _asks_for_strictness(module: str) -> bool:
    while module:
        if getattr(sys.modules.get(module), STRICT, False):
            return True
        module = module.rpartition(".")[0]
    return False


registry = Registry._of_process()
"""The process's registry."""

"""Which of the declared tools may be seen, and which one does a name mean?

What a registry reads its declarations through: whose each is, what is hidden, and what has to be imported before an answer can be given.
Nothing is imported while a lock is held.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Final

from fcregistry import _ports
from fcregistry._declarations import Declaration, DeclarationLog
from fcregistry._naming import Owned, by_key, did_you_mean, nearest, only_one, standing
from fcregistry._selectors import Selector, Subject, is_glob, normalized, parse_selector
from fcregistry._tool import Tool
from fcregistry.errors import SelectorError, ToolNotFoundError

STRICT: Final = "FCREGISTRY_STRICT"
"""A module, or a package above it, that sets this to True asks for strictness for its own tools."""


class Catalogue:
    """The tools of a log, as a registry sees them.

    Args:
        log: The declarations.
        discovers: Whether installed plugins count: only in the process's own registry.
        strict: Whether a parameter without a type is an error rather than a warning.
    """

    def __init__(self, log: DeclarationLog, *, discovers: bool, strict: bool) -> None:
        self._log = log
        self._discovers = discovers
        self._strict = strict

    def visible(self, declarations: Iterable[Declaration] | None = None) -> list[Owned]:
        """Return declarations, by default all, with their owners; without those of disabled or failed plugins."""
        everything = self._log if declarations is None else declarations
        if not self._discovers:
            return [Owned(declaration, None) for declaration in everything]
        discovery = _ports.discovery()
        owned = (Owned(declaration, discovery.owner(declaration)) for declaration in everything)
        return [each for each in owned if discovery.hidden(*each) is None]

    def load(self, distribution: str | None = None) -> None:
        """Import the plugins of one distribution, or all."""
        if self._discovers:
            _ports.discovery().load(distribution)

    def load_for(self, selectors: Iterable[Selector]) -> None:
        """Import what the selectors may name: one distribution where all of them say so, otherwise everything."""
        wanted = [selector for selector in selectors if not selector.excludes]
        names = {selector.distribution for selector in wanted}
        if wanted and None not in names and not any(is_glob(name or "") for name in names):
            for name in sorted(filter(None, names)):
                self.load(name)
        elif not (wanted and all(selector.is_exact for selector in wanted)):
            self.load()  # exact names import for themselves, if they have to

    def tool(self, owned: Owned) -> Tool:
        """Return the tool of a declaration; made once, and kept with it."""
        declaration, owner = owned
        if declaration.tool is None or declaration.tool._owner != owner:
            strict = self._strict or _asks_for_strictness(declaration.module)
            declaration.tool = Tool(declaration, owner, strict=strict)
        return declaration.tool

    def offered(self) -> Iterator[Tool]:
        """Yield what patterns may match: each key once, if it can be defined, and has the environment it requires."""
        for rivals in by_key(self.visible()).values():
            if len(standing(rivals)) == 1:
                tool = self.tool(standing(rivals)[0])
                if not tool.missing_env and tool.definition_error is None:
                    yield tool

    def matching(self, selector: Selector) -> list[Tool]:
        """Return what one selector names.

        Raises:
            ToolNotFoundError: Nothing.
            AmbiguousToolError: An exact name that several tools have.
        """
        if selector.is_exact:
            return [self.tool(self.resolve(selector.text))]
        found = [tool for tool in self.offered() if selector.matches(subject(tool))]
        if not found:
            near = did_you_mean(nearest(selector.text, self._names()))
            raise ToolNotFoundError(f"the selector {selector.text!r} matches no tool{near}", name=selector.text)
        return found

    def resolve(self, name: str) -> Owned:
        """Return the declaration that a name means: plain, with its group, or canonical.

        Raises:
            ToolNotFoundError: None.
            AmbiguousToolError: Several.
            DuplicateToolError: One key that several modules of its owner claim.
        """
        try:
            selector = parse_selector(name)
        except SelectorError:
            if not isinstance(name, str):
                raise
            raise self.not_found(name) from None  # no name that a tool could have
        if not selector.is_exact or selector.excludes:
            raise ToolNotFoundError(f"{name!r} is a pattern, not a tool's name; use select({name!r})", name=name)
        if selector.distribution is None:
            own = only_one(name, self._own(self._named(selector)))
            if own is not None:
                return own
        self.load(selector.distribution)
        found = only_one(name, self._named(selector))
        if found is None:  # an alias, only where nothing that could be loaded has the name
            aliased = self._aliased(selector)
            found = only_one(name, self._own(aliased)) or only_one(name, aliased)
        if found is None:
            raise self.not_found(name)
        return found

    def _named(self, selector: Selector) -> list[Owned]:
        return self._fitting(selector, self._log.named(selector.name or ""))

    def _aliased(self, selector: Selector) -> list[Owned]:
        return self._fitting(selector, self._log.aliased(selector.name or ""))

    def _fitting(self, selector: Selector, declarations: Iterable[Declaration]) -> list[Owned]:
        return [
            each
            for each in self.visible(declarations)
            if selector.distribution in (None, each.key[0]) and selector.group in (None, each.declaration.group)
        ]

    @staticmethod
    def _own(found: Iterable[Owned]) -> list[Owned]:
        """Return the application's own, which it takes before any plugin's."""
        return [each for each in found if each.owner is None]

    def _names(self) -> list[str]:
        return sorted({each.declaration.name for each in self.visible()})

    def not_found(self, name: str) -> ToolNotFoundError:
        """Return the error for a name that is not there: the nearest ones, and why it may be hidden."""
        names = [each.full_name if ":" in name else each.local_name for each in self.visible()]
        near = nearest(name, sorted([*names, *(() if ":" in name else self._names())]))
        meant = self._distribution_hint(name) or did_you_mean(near)
        message = f"there is no tool {name!r}{self._why_hidden(name)}{meant}"
        if self._discovers:
            message += f" (`fcregistry doctor {name}` says why it may be missing)"
        return ToolNotFoundError(message, name=name, candidates=near)

    def _distribution_hint(self, name: str) -> str:
        names = [normalized(each) for each in _ports.discovery().distributions()] if self._discovers else []
        return f"; that is a distribution, and its tools are '{name}:*'" if normalized(name) in names else ""

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


def subject(tool: Tool) -> Subject:
    """Return what selectors look at in a tool."""
    options = tool.options
    return Subject(
        name=tool.declared_name,
        group=tool.group,
        distribution=tool.origin.distribution,
        tags=frozenset(options.tags),
        read_only=options.read_only,
        destructive=options.destructive,
        idempotent=options.idempotent,
        open_world=options.open_world,
    )


def _asks_for_strictness(module: str) -> bool:
    while module:
        if getattr(sys.modules.get(module), STRICT, False):
            return True
        module = module.rpartition(".")[0]
    return False

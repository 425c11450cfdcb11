"""The catalogue of a registry: which declared and described tools are visible, and which of them names and selectors mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from fcregistry._base import slots
from fcregistry._tools.declaration import Declaration, DeclarationLog
from fcregistry._tools.definition import wanted_strictness
from fcregistry._tools.described import BROKEN, Described
from fcregistry._tools.selectors import (
    Owned,
    Selector,
    by_key,
    did_you_mean,
    effective,
    is_glob,
    nearest,
    normalized,
    only_one,
    parse_selector,
    parse_selectors,
    subject_of,
)
from fcregistry._tools.tool import Tool
from fcregistry.errors import SelectorError, ToolNotFoundError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Protocol

    from fcregistry._tools.declaration import Owner
    from fcregistry._tools.described import IndexedPlugins

    class Permission(Protocol):
        """The rules of the configuration at one moment."""

        def preferred(self, distributions: Iterable[str]) -> str | None:
            """Return which of `distributions` has precedence, or None if none has."""

    class Discovery(IndexedPlugins, Protocol):
        """The part of discovery that the registry needs: owners, and the tools of installed plugins."""

        def owner(self, declaration: Declaration) -> Owner | None:
            """Return the plugin or source that ships `declaration`, or None if the application does."""

        def hidden(
            self, declaration: Declaration, owner: Owner | None, permission: Permission | None = None
        ) -> str | None:
            """Return the reason `declaration` is hidden (failed, disabled, denied), or None if it is visible."""

        def permission(self) -> Permission:
            """Return the present rules of the configuration."""

        def describe_all(self, distribution: str | None = None) -> None:
            """Learn the tools of the plugins of `distribution`, or of all plugins, from the index or by import.

            Failures are recorded, not raised.
            """

        def described(self, name: str | None = None) -> Iterable[tuple[Described, Owner]]:
            """Return the described tools of plugins that are not imported: those called `name`, or all."""

        def aliased(self, name: str) -> Iterable[tuple[Described, Owner]]:
            """Return the described tools with the alias `name`, of plugins that are not imported."""

        def ranked(self, words: str, made: Iterable[Tool]) -> Iterable[Tool | tuple[Described, Owner]]:
            """Return the tools that match `words`, best first, among `made` and the described tools."""

        def why_hidden(self, name: str) -> str | None:
            """Return the reason a described tool with the plain name `name` is hidden, or None if none is."""

        def failing(self) -> Iterable[Owner]:
            """Return the plugins that are known not to load, sorted."""

        def why_refused(self, distribution: str) -> str | None:
            """Return the reason a plugin of `distribution` may not be described, or None.

            The tools of such a plugin are hidden.
            """

        def distributions(self) -> tuple[str, ...]:
            """Return the names of the distributions that ship plugins, sorted."""


class HiddenTool(NamedTuple):
    """A tool that is not available here.

    Attributes:
        name: Its name, with its group.
        reason: The reason, such as that a variable of its `requires_env` is not set.
    """

    name: str
    reason: str


_MOST_HIDDEN: Final = 3
"""The most names of hidden tools, and the most reasons, to show: doctor shows all."""


def hidden_text(tools: Iterable[HiddenTool]) -> str:
    """Return a phrase that says how many tools are hidden, which and why; empty if there are none."""
    names: dict[str, list[str]] = {}
    for tool in tools:
        names.setdefault(tool.reason, []).append(tool.name)
    count = sum(map(len, names.values()))
    if not count:
        return ""
    shown = [
        f"{', '.join(each[:_MOST_HIDDEN])}{', …' * (len(each) > _MOST_HIDDEN)} ({reason})"
        for reason, each in islice(names.items(), _MOST_HIDDEN)
    ]
    more = ", …" * (len(names) > _MOST_HIDDEN)
    return f"{count} {'tool is' if count == 1 else 'tools are'} hidden: {', '.join(shown)}{more}"


class Catalogue:
    """The tools of a log of declarations, with their owners, without the hidden ones.

    Nothing is imported while a lock is held.

    Args:
        log: The declarations.
        discovers: Whether to include installed plugins: only in the process's own registry.
        strict: Whether a parameter without a type is an error rather than a warning.
    """

    def __init__(self, log: DeclarationLog, *, discovers: bool, strict: bool) -> None:
        self._log = log
        self._discovers = discovers
        self._strict = strict

    def visible(self) -> list[Owned]:
        """Return all visible declarations, recorded or described by the index, with their owners."""
        if not self._discovers:
            return [Owned(declaration, None) for declaration in self._log]
        return self._with_declared(_discovery().described(), self._log)

    def _with_declared(
        self, described: Iterable[tuple[Described, Owner]], declarations: Iterable[Declaration]
    ) -> list[Owned]:
        """Return the visible `declarations`, then those of `described` with another owner or key.

        `described` is read first: if another thread loads a plugin meanwhile, its tools are in both, and are returned
        once.
        """
        indexed = [Owned(*each) for each in described]
        declared = self.visible_of(declarations)
        if not declared:
            return indexed
        keys = {(each.owner, each.key) for each in declared if each.owner is not None}
        return [*declared, *(each for each in indexed if (each.owner, each.key) not in keys)]

    def visible_of(self, declarations: Iterable[Declaration]) -> list[Owned]:
        """Return those of `declarations` that are not hidden, with their owners."""
        if not self._discovers:
            return [Owned(declaration, None) for declaration in declarations]
        discovery = _discovery()
        owned = (Owned(declaration, discovery.owner(declaration)) for declaration in declarations)
        permission = discovery.permission()
        return [each for each in owned if discovery.hidden(*each, permission) is None]

    def load(self, distribution: str | None = None) -> None:
        """Learn the tools of the plugins of `distribution`, or of all plugins."""
        if self._discovers:
            _discovery().describe_all(distribution)

    def load_for(self, selectors: Iterable[Selector]) -> None:
        """Learn the tools that `selectors` may match.

        If every selector names a distribution, only the plugins of these distributions are read.
        """
        wanted = [selector for selector in selectors if not selector.excludes]
        names = {selector.distribution for selector in wanted}
        if wanted and None not in names and not any(is_glob(name or "") for name in names):
            for name in sorted(filter(None, names)):
                self.load(name)
        elif not (wanted and all(selector.is_exact for selector in wanted)):
            self.load()  # for exact names, `resolve` loads what it needs

    def tool(self, owned: Owned) -> Tool:
        """Return the tool of a declaration. It is made once, and stored in the declaration."""
        declaration, owner = owned
        if declaration.tool is None or declaration.tool._owner != owner:
            if isinstance(declaration, Described):
                from fcregistry._tools.indexed import DescribedDefinition  # which listing does not need

                declaration.tool = Tool._of(DescribedDefinition(declaration), declaration.name, owner)
            else:
                strict = self._strict or wanted_strictness(declaration.module)
                declaration.tool = Tool(declaration, owner, strict=strict)
        tool: Tool = declaration.tool
        return tool

    def offered(self, *, with_unavailable: bool = False) -> Iterator[Owned]:
        """Yield the tools that patterns may match: one for each key.

        A tool is left out if it cannot be defined, or is not available here, and so are all tools of a name that clashes.

        Args:
            with_unavailable: Whether tools that are not available here are yielded, too.
        """
        for candidates in by_key(self.visible()).values():
            left = effective(candidates)
            if len(left) == 1 and self._is_usable(left[0], if_available=not with_unavailable):
                yield left[0]

    def _is_usable(self, owned: Owned, *, if_available: bool = True) -> bool:
        """Return whether a tool can be defined, and with `if_available` is available here; may import its plugin."""
        declaration = owned.declaration
        if isinstance(declaration, Described) and not _may_be_unavailable(declaration):
            return not declaration.flags & BROKEN  # the usual case, which needs no tool
        tool = self.tool(owned)
        return not (if_available and tool.unavailable) and tool.definition_error is None

    def is_available(self, owned: Owned) -> bool:
        """Return whether a tool is available here now."""
        return not _may_be_unavailable(owned.declaration) or not self.tool(owned).unavailable

    def hidden_tool(self, owned: Owned) -> HiddenTool:
        """Return the name of a tool and the reason that it is not available here."""
        return HiddenTool(owned.local_name, self.tool(owned).unavailable)

    def searched(self, words: str, *, with_unavailable: bool = False) -> Iterator[Tool]:
        """Yield the tools that match `words`, best first.

        Args:
            words: Any text.
            with_unavailable: Whether tools that are not available here are yielded, too.
        """
        made = tuple(self.tool(each) for each in self.visible_of(self._log))
        if not self._discovers:
            from fcregistry._tools.search import search_tools  # and SQLite, which only a search needs

            yield from search_tools(made, words, len(made))
            return
        for found in _discovery().ranked(words, made):
            if isinstance(found, Tool):
                if with_unavailable or not found.unavailable:
                    yield found
            elif (
                self._is_usable(owned := Owned(*found), if_available=not with_unavailable)
                and len(effective(self._candidates(owned))) == 1
            ):
                yield self.tool(owned)

    def _candidates(self, owned: Owned) -> list[Owned]:
        """Return all visible declarations with the key of `owned` (project, group, name), itself included."""
        name = owned.declaration.name
        everything = self._with_declared(tuple(_discovery().described(name)), self._log.named(name))
        return [each for each in everything if each.key == owned.key]

    def broken(self) -> Iterator[Tool]:
        """Yield the tools that cannot be defined."""
        for owned in self.visible():
            declaration = owned.declaration
            if not isinstance(declaration, Described) or declaration.flags & BROKEN:
                tool = self.tool(owned)
                if tool.definition_error is not None:
                    yield tool

    @staticmethod
    def resolved(declaration: Declaration) -> Declaration:
        """Return the declaration of a described tool's imported plugin; return any other unchanged."""
        return _discovery().resolved(declaration) if isinstance(declaration, Described) else declaration

    def resolve(self, name: str) -> Owned:
        """Return the declaration that `name` means: a plain name, one with its group, or a canonical id.

        Raises:
            ToolNotFoundError: No tool has the name.
            AmbiguousToolError: Several tools have it.
            DuplicateToolError: Several modules of one owner declare the name.
        """
        try:
            selector = parse_selector(name)
        except SelectorError:
            if not isinstance(name, str):
                raise
            raise self.not_found(name) from None  # not a possible name
        if not selector.is_exact or selector.excludes:
            raise ToolNotFoundError(f"{name!r} is a pattern, not a tool's name; use select({name!r})", name=name)
        if selector.distribution is None:  # the application's own tools are found without the index
            declared = self._in_scope(selector, self.visible_of(self._log.named(selector.name or "")))
            if own := only_one(name, [each for each in declared if each.owner is None]):
                return own
        self.load(selector.distribution)
        for each_selector in filter(None, (selector, selector.in_any_group())):
            for by_alias in (False, True):  # aliases count only if nothing that could be loaded has the name
                found = self._found(each_selector, by_alias=by_alias)
                own = only_one(name, [each for each in found if each.owner is None])
                if meant := own or self._preferred(name, found):
                    return meant
        raise self.not_found(name)

    def _preferred(self, name: str, found: list[Owned]) -> Owned | None:
        """Return the one declaration among `found` that `name` means, or None if `found` is empty.

        If they are of several distributions, and the configuration gives one of these precedence, only its
        declarations count.

        Raises:
            AmbiguousToolError: They have several keys.
            DuplicateToolError: They have one key, and several modules of its owner declare it.
        """
        owners = {each.owner.distribution for each in found if each.owner is not None}
        winner = _discovery().permission().preferred(owners) if len(owners) > 1 else None
        if winner is not None:
            found = [each for each in found if each.owner is not None and each.owner.distribution == winner]
        return only_one(name, found)

    def _found(self, selector: Selector, *, by_alias: bool) -> list[Owned]:
        """Return the visible declarations with the name, or with `by_alias` the alias, in an exact `selector`.

        Only those in the selector's distribution and group, if it names them; empty if there are none.
        """
        name = selector.name or ""
        described: tuple[tuple[Described, Owner], ...] = ()
        if self._discovers:
            discovery = _discovery()
            described = tuple(discovery.aliased(name) if by_alias else discovery.described(name))
        declared = self._log.aliased(name) if by_alias else self._log.named(name)
        return self._in_scope(selector, self._with_declared(described, declared))

    @staticmethod
    def _in_scope(selector: Selector, found: Iterable[Owned]) -> list[Owned]:
        """Return those of `found` in the distribution and the group of `selector`; all if it names neither."""
        return [
            each
            for each in found
            if selector.distribution in (None, each.key[0]) and selector.group in (None, each.declaration.group)
        ]

    def not_found(self, name: str) -> ToolNotFoundError:
        """Return the error for an unknown name, with the nearest names, or the reason the tool is hidden."""
        if ":" in name:
            names = {each.full_name for each in self.visible()}
        else:  # one name for each tool: with its group if one was asked for
            names = {each.local_name if "." in name else each.declaration.name for each in self.visible()}
        near = nearest(name, sorted(names)) or self._near_distributions(name)
        if meant := self._distribution_hint(name) or self._group_hint(name):
            return ToolNotFoundError(f"there is no tool {name!r}{meant}", name=name, candidates=near)
        reason = self._why_hidden(name)
        message = f"there is no tool {name!r}{f': {reason}' if reason else did_you_mean(near)}"
        if self._discovers:
            more = "says more" if reason else f"looks for the reason; {_OWN_MODULES}"
            failing = "" if reason else _failing_text()
            message += f" ({failing}`fcregistry doctor {name}` {more})"
        return ToolNotFoundError(message, name=name, candidates=near, reason=reason)

    def nothing_matches(self, selector: str, hidden: Iterable[Owned] = ()) -> ToolNotFoundError:
        """Return the error for a pattern that matches no tool that is available here, with near names or a reason.

        Args:
            selector: The pattern.
            hidden: The tools that it matches, which are not available here.
        """
        if text := hidden_text(map(self.hidden_tool, hidden)):
            more = " (`fcregistry doctor` says more)" if self._discovers else ""
            message = f"the selector {selector!r} matches no tool that is available here: {text}{more}"
            return ToolNotFoundError(message, name=selector, reason=text)
        distribution, colon, rest = selector.partition(":")
        names = nearest(selector, sorted({each.declaration.name for each in self.visible()}))
        if colon:
            names = tuple(f"{each}:{rest}" for each in self._near_distributions(distribution)) or names
        near = did_you_mean(names)
        reason = self._why_hidden(selector)
        failing = _failing_text() if self._discovers else ""
        if colon and not reason and normalized(distribution) in self._distributions():  # others do not matter
            near, failing = f"{near} (`fcregistry doctor {distribution}` shows what its plugins declare)", ""
        detail = f": {reason}" if reason else f"{near} ({failing}`fcregistry doctor` says why)" if failing else near
        return ToolNotFoundError(f"the selector {selector!r} matches no tool{detail}", name=selector, reason=reason)

    def _distribution_hint(self, name: str) -> str:
        """Return a phrase, `: it is …`, if `name` is a distribution with plugins, in any spelling; else empty.

        Empty, too, for a registry that does not discover plugins.
        """
        return (
            f": it is a distribution, and its tools are '{name}:*'" if normalized(name) in self._distributions() else ""
        )

    def _near_distributions(self, name: str) -> tuple[str, ...]:
        """Return the distributions with plugins whose names are like `name`; none if one has that name."""
        known = self._distributions()
        return () if normalized(name) in known else nearest(normalized(name), known)

    def _distributions(self) -> list[str]:
        """Return the normalized names of the distributions with plugins; none for a registry that does not discover plugins."""
        return [normalized(each) for each in _discovery().distributions()] if self._discovers else []

    def _group_hint(self, name: str) -> str:
        """Return a phrase, `: it is …`, if a visible tool is in the group `name` or below it; else empty."""
        groups = {each.declaration.group for each in self.visible()}
        is_one = any(f"{group}.".startswith(f"{name}.") for group in groups)
        return f": it is a group, and its tools are '{name}.*'" if is_one else ""

    def _why_hidden(self, name: str) -> str:
        """Return the reason a tool is hidden whose name or alias is the last part of `name`; empty if none is.

        If only the distribution in `name` is refused, the reason is that. Empty, too, for a registry that does not
        discover plugins.
        """
        if not self._discovers:
            return ""
        discovery = _discovery()
        plain = name.rpartition(":")[2].rpartition(".")[2]
        for declaration in (*self._log.named(plain), *self._log.aliased(plain)):
            if reason := discovery.hidden(declaration, discovery.owner(declaration)):
                return str(reason)
        return discovery.why_hidden(plain) or discovery.why_refused(name.rpartition(":")[0]) or ""


def _may_be_unavailable(declaration: Declaration) -> bool:
    """Return whether a tool may not be available here; of a described tool, the options are searched without reading them."""
    if not isinstance(declaration, Described):
        return True
    return declaration.may_have("requires_env") or declaration.may_have("available")


_OWN_MODULES: Final = "import the module of yours that declares it, or give a command -m MODULE"

_MOST_FAILING = 3
"""The most plugins to name in an error: doctor names them all."""


def _failing_text() -> str:
    """Return a phrase that names the plugins that do not load, with `; ` at its end; empty if all load."""
    labels = [each.label for each in _discovery().failing()]
    if not labels:
        return ""
    named = ", ".join(labels[:_MOST_FAILING]) + (", …" if len(labels) > _MOST_FAILING else "")
    plural = len(labels) > 1
    return f"the plugin{'s' if plural else ''} {named} {'do' if plural else 'does'} not load; "


def select_tools(
    catalogue: Catalogue, selectors: Iterable[str], *, with_unavailable: bool = False
) -> list[tuple[Owned, bool]]:
    """Return the tools that `selectors` choose, each with whether a selector names it exactly.

    They are sorted by name and id. Without selectors, all tools are returned.

    Args:
        catalogue: The tools.
        selectors: The selectors.
        with_unavailable: Whether patterns match tools that are not available here, too.

    Raises:
        SelectorError: A text is not a selector.
        ToolNotFoundError: A selector that does not exclude tools matches nothing.
        AmbiguousToolError: A selector is a plain name that several tools have.
    """
    found = _matched_tools(catalogue, selectors, with_unavailable=with_unavailable)
    return [each for each in found if with_unavailable or each[1] or catalogue.is_available(each[0])]


def listed_tools(catalogue: Catalogue, selectors: Iterable[str]) -> tuple[list[Owned], list[HiddenTool]]:
    """Return the tools that `select_tools` returns, and those of the tools that `selectors` match that are hidden.

    A tool that a selector names exactly is in both.

    Args:
        catalogue: The tools.
        selectors: The selectors; see `select_tools`, also for the errors.
    """
    found = _matched_tools(catalogue, selectors, with_unavailable=False)
    hidden = {owned.declaration for owned, _ in found if not catalogue.is_available(owned)}
    shown = [owned for owned, exact in found if exact or owned.declaration not in hidden]
    return shown, [catalogue.hidden_tool(owned) for owned, _ in found if owned.declaration in hidden]


def _matched_tools(
    catalogue: Catalogue, selectors: Iterable[str], *, with_unavailable: bool
) -> list[tuple[Owned, bool]]:
    """Return the tools that `selectors` choose, those that are not available here included; see `select_tools`.

    Args:
        catalogue: The tools.
        selectors: The selectors.
        with_unavailable: Whether it is enough that a pattern matches tools that are not available here.
    """
    parsed = parse_selectors(selectors)
    catalogue.load_for(parsed)
    found: dict[Declaration, tuple[Owned, bool]] = {}
    if not parsed or parsed[0].excludes:
        found = {owned.declaration: (owned, False) for owned in catalogue.offered(with_unavailable=True)}
    for selector in parsed:
        if selector.excludes:
            for each_selector in filter(None, (selector, selector.in_any_group())):
                excluded = [each for each, (owned, _) in found.items() if each_selector.matches(subject_of(*owned))]
                if excluded:
                    break
            for declaration in excluded:
                del found[declaration]
            continue
        for owned in _matching(catalogue, selector, with_unavailable=with_unavailable):
            known = owned.declaration in found and found[owned.declaration][1]
            found[owned.declaration] = (owned, known or selector.is_exact)
    return sorted(found.values(), key=lambda each: (each[0].declaration.name, each[0].id))


def _matching(catalogue: Catalogue, selector: Selector, *, with_unavailable: bool) -> list[Owned]:
    """Return the tools that `selector` matches: one for an exact name, else all that can be defined.

    Raises:
        ToolNotFoundError: It matches nothing or, without `with_unavailable`, only tools that are not available here.
        AmbiguousToolError: It is a plain name that several tools have.
        DuplicateToolError: It is exact, and several modules declare the tool.
    """
    if selector.is_exact:
        return [catalogue.resolve(selector.text)]
    found = [each for each in catalogue.offered(with_unavailable=True) if selector.matches(subject_of(*each))]
    if not (found if with_unavailable else any(map(catalogue.is_available, found))):
        raise catalogue.nothing_matches(selector.text, found)
    return found


def _discovery() -> Discovery:
    """Return the process's discovery."""
    found: Discovery = slots.discovery()
    return found

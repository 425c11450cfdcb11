"""Declarations of tools, their log, and collisions between them.

A declaration is cheap: a function, its options and the module that declared it. Everything else is made when the tool is first used.
"""

from __future__ import annotations

from _thread import RLock

from fcregistry._base.source import is_redefinition, place_text
from fcregistry.errors import DuplicateToolError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Protocol

    class Owner(Protocol):
        """The plugin, or the source of tools, that ships a declaration."""

        @property
        def distribution(self) -> str: ...
        @property
        def project(self) -> str: ...
        @property
        def version(self) -> str: ...
        @property
        def entry_point(self) -> str: ...
        @property
        def label(self) -> str: ...


DEFAULT_GROUP = "tool"
MARK = "__fc_declarations__"
"""The attribute of a method in a class body that holds its declarations, until `register_object` binds them."""


def local_name(name: str, group: str) -> str:
    """Return `group.name`, or `name` alone if `group` is the default group."""
    return name if group == DEFAULT_GROUP else f"{group}.{name}"


def listed_summary(summary: str, is_deprecated: bool) -> str:
    """Return `summary` as lists of tools show it: marked if the tool is deprecated."""
    return f"(deprecated) {summary}" if is_deprecated else summary


def canonical_id(declaration: Declaration, owner: Owner | None) -> str:
    """Return the canonical id of a tool; `owner` is the plugin or source, or None for the application."""
    local = local_name(declaration.name, declaration.group)
    return local if owner is None else f"{owner.distribution}:{local}"


class Declaration:
    """A function that was declared as a tool, with its options and the module that declared it."""

    __slots__ = ("function", "group", "locals", "module", "name", "options", "plugin", "tool")

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        group: str,
        module: str,
        options: dict[str, Any],
        names: dict[str, Any] | None = None,
        plugin: tuple[str, str] | None = None,
    ) -> None:
        self.function: Callable[..., Any] = function
        self.name: str = name
        self.group: str = group
        self.module: str = module
        self.options: dict[str, Any] = options
        self.locals: dict[str, Any] | None = names
        self.plugin: tuple[str, str] | None = (
            plugin  # (distribution, entry point) of a function that an entry point names itself
        )
        self.tool: Any = None  # the Tool that the catalogue made of it; `Tool` is above this module

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        # Without the tool, which is made again, and without the locals: a nested function cannot be pickled by name anyway.
        return type(self), (self.function, self.name, self.group, self.module, self.options, None, self.plugin)

    @property
    def place(self) -> str:
        """`module.qualname (file:line)`, as far as known."""
        return place_text(self.function, self.module)

    @property
    def instance(self) -> str | None:
        """The class name of the instance that the function is bound to, or None if it is not a bound method."""
        return type(self.function.__self__).__qualname__ if hasattr(self.function, "__self__") else None

    def __repr__(self) -> str:
        return f"<Declaration {self.group}.{self.name} by {self.place}>"


class DeclarationLog:
    """All declarations of a registry, by name. Thread-safe; nothing is imported while its lock is held."""

    def __init__(self) -> None:
        self._lock = RLock()  # reentrant: comparing the closures of two functions may run external code
        self._all: list[Declaration] = []  # in the order in which they were recorded
        self._by_name: dict[str, tuple[Declaration, ...]] = {}
        self._by_alias: dict[str, tuple[Declaration, ...]] = {}
        self._renews_lock = False

    def _renew_lock_after_forks(self) -> None:
        """Have each forked child begin with a new lock; called at the first declaration."""
        from fcregistry._base.forks import after_fork  # at the first declaration, because nothing happens on import

        self._renews_lock = True
        after_fork(self, DeclarationLog._renew_lock)

    def _renew_lock(self) -> None:
        """Set a new lock, for a forked child."""
        self._lock = RLock()

    def add(self, declaration: Declaration) -> None:
        """Record `declaration`, in place of the earlier one that it redefines or replaces, if there is one.

        Raises:
            DuplicateToolError: Another function of the same module has that name in that group already.
        """
        name = declaration.name
        if not self._renews_lock:
            self._renew_lock_after_forks()
        with self._lock:
            same_name = self._by_name.get(name)
            if same_name is None:
                self._by_name[name] = (declaration,)
            else:
                earlier = self._replaced(same_name, declaration)
                self._by_name[name] = (*(d for d in same_name if d not in earlier), declaration)
                for old in earlier:
                    self._all.remove(old)
                    self._forget_aliases(old)
            self._all.append(declaration)
            if declaration.options:
                for alias in declaration.options.get("aliases", ()):
                    self._by_alias[alias] = (*self._by_alias.get(alias, ()), declaration)

    def add_all(self, declarations: Iterable[Declaration]) -> None:
        """Record `declarations`, all of them or none.

        Raises:
            DuplicateToolError: Another function of the same module has one of the names in its group already; nothing is recorded.
        """
        if not self._renews_lock:
            self._renew_lock_after_forks()
        with self._lock:
            before = self._all.copy(), dict(self._by_name), dict(self._by_alias)
            try:
                for declaration in declarations:
                    self.add(declaration)
            except DuplicateToolError:
                self._all, self._by_name, self._by_alias = before
                raise

    @staticmethod
    def _replaced(same_name: tuple[Declaration, ...], new: Declaration) -> list[Declaration]:
        """Return those of `same_name` that `new` replaces: all of its group, module and plugin; may be empty.

        Raises:
            DuplicateToolError: `new` neither has the option `replace` nor redefines the function of one of them.
        """
        candidates = [
            old for old in same_name if (old.group, old.module, old.plugin) == (new.group, new.module, new.plugin)
        ]
        for old in candidates:
            if not (new.options.get("replace") or is_redefinition(old.function, new.function)):
                raise DuplicateToolError(duplicate_text(old, new))
        return candidates

    def _forget_aliases(self, declaration: Declaration) -> None:
        """Remove `declaration` from the table of aliases; other declarations with the same aliases stay."""
        for alias in declaration.options.get("aliases", ()):
            self._by_alias[alias] = tuple(d for d in self.aliased(alias) if d is not declaration)

    def remove(self, declaration: Declaration) -> None:
        """Remove `declaration` if it is recorded; otherwise do nothing."""
        with self._lock:
            if declaration not in self.named(declaration.name):
                return
            self._all.remove(declaration)
            left = tuple(d for d in self.named(declaration.name) if d is not declaration)
            if left:
                self._by_name[declaration.name] = left
            else:
                self._by_name.pop(declaration.name, None)
            self._forget_aliases(declaration)

    def named(self, name: str) -> tuple[Declaration, ...]:
        """Return the declarations whose plain name is `name`, in the order in which they were recorded."""
        return self._by_name.get(name, ())

    def aliased(self, name: str) -> tuple[Declaration, ...]:
        """Return the declarations that have the alias `name`."""
        return self._by_alias.get(name, ())

    def __iter__(self) -> Iterator[Declaration]:
        return iter(self._all.copy())  # in one step: others may add meanwhile

    def __reversed__(self) -> Iterator[Declaration]:
        return reversed(self._all.copy())


def duplicate_text(old: Declaration, new: Declaration) -> str:
    """Return the message for two declarations of one name, with both places and the fix."""
    if old.place == new.place and (kind := new.instance):
        return f"{new.group}.{new.name} is registered already by another instance of {kind}: give prefix=… or group=…"
    return (
        f"{new.group}.{new.name} is registered already by {old.place}; {new.place} cannot have the same name. "
        "Give one of them name=… or another group, or pass replace=True"
    )


log = DeclarationLog()
"""The process's declarations: what `fc_register` writes and the process's registry reads."""

"""Which tools does a selector name? One grammar for the registry, executors, agents, the command line and configuration.

get_weather              the tool of that plain name
search.lookup  search.*  in a group; everything in a group and below
weather_*                a glob over names, in every group
acme-weather:*           a distribution's tools (names compare normalised, as on PyPI)
tag=read   group=search  by tag; by group, and that group alone
destructive=true         by what its author says of it: true, false or unset; so read_only, idempotent and open_world
!acme-weather:delete_*   taken away from what stands before it (from everything, if it stands first)
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from fcregistry._tools.declaration import DEFAULT_GROUP
from fcregistry.errors import SelectorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._tools.declaration import Declaration, Owner
    from fcregistry._tools.tool import Tool

HINTS: Final = ("read_only", "destructive", "idempotent", "open_world")
"""What an author may say of a tool, and a selector may ask for."""

_HINT_VALUES: Final = {"true": True, "false": False, "unset": None}


def is_glob(text: str) -> bool:
    """Tell whether a part of a selector is a pattern."""
    return "*" in text or "?" in text or "[" in text


@lru_cache(maxsize=4096)  # a thousand names, each asked for as often as it has tools, while a person waits
def normalized(distribution: str) -> str:
    """Return a distribution's name as PyPI compares names (packaging specification, name normalization)."""
    name = distribution.lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name


class SelectorSubject(NamedTuple):
    """What a selector looks at: the known facts of one tool."""

    name: str
    group: str
    distribution: str | None
    tags: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None


def subject(tool: Tool) -> SelectorSubject:
    """Return what selectors look at in a tool."""
    return subject_of(tool._definition.declaration, tool._owner)


def subject_of(declaration: Declaration, owner: Owner | None) -> SelectorSubject:
    """Return what selectors look at in a declaration that an owner ships, or the application, where that is None."""
    options = declaration.options
    return SelectorSubject(
        name=declaration.name,
        group=declaration.group,
        distribution=owner.distribution if owner else None,
        tags=frozenset(options.get("tags", ())),
        aliases=tuple(options.get("aliases", ())),
        read_only=options.get("read_only"),
        destructive=options.get("destructive"),
        idempotent=options.get("idempotent"),
        open_world=options.get("open_world"),
    )


class Selector(NamedTuple):
    """One selector, read.

    Attributes:
        text: As it was written, without the `!`.
        excludes: Whether it takes away.
        distribution: The distribution it names, normalised; None for any.
        group: The group or glob of groups it names; None for any.
        name: The name or glob of names; None for any.
        tag: The tag it asks for.
        hint: The hint it asks for, and its value; None for one that is not set.
    """

    text: str
    excludes: bool = False
    distribution: str | None = None
    group: str | None = None
    name: str | None = None
    tag: str | None = None
    hint: tuple[str, bool | None] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether it names one tool, rather than a pattern that may match any number."""
        parts = (self.name, self.group, self.distribution)
        return self.name is not None and not any(part is not None and is_glob(part) for part in parts)

    def matches(self, subject: SelectorSubject) -> bool:
        """Tell whether a tool is among those it names; aliases are not looked at."""
        if self.distribution is not None and not self._distribution_matches(subject.distribution):
            return False
        if self.tag is not None:
            return self.tag in subject.tags
        if self.hint is not None:
            name, value = self.hint
            return getattr(subject, name) is value
        return self._group_matches(subject.group) and (self.name is None or _fits(subject.name, self.name))

    def _distribution_matches(self, distribution: str | None) -> bool:
        assert self.distribution is not None
        return distribution is not None and _fits(normalized(distribution), self.distribution)

    def _group_matches(self, group: str) -> bool:
        if self.group is None:
            return True
        if _fits(group, self.group):
            return True
        # `search.*` means all below as well; `search.lookup` and `group=search` mean that group alone.
        return self.name is not None and is_glob(self.name) and _fits(group, f"{self.group}.*")


def _fits(text: str, pattern: str) -> bool:
    """Tell whether a text is what a part of a selector says, or like it."""
    if not is_glob(pattern):
        return text == pattern
    from fnmatch import fnmatchcase  # which a tool's plain name does not need

    return fnmatchcase(text, pattern)


def parse_selector(text: str) -> Selector:
    """Read one selector.

    Raises:
        SelectorError: It is empty, or no selector.
    """
    if not isinstance(text, str):
        raise SelectorError(f"{text!r} is no selector: a selector is a string")
    written = text.strip()
    excludes = written.startswith("!")
    body = written[1:].strip() if excludes else written
    if not body or body.startswith("!") or any(character.isspace() for character in body):
        raise SelectorError(
            f"{text!r} is no selector: write a tool's name, a glob, distribution:name, tag=…, group=…, a hint such as read_only=true, "
            "or one of these after '!'"
        )
    if "=" in body:
        return _by_property(body, excludes)
    distribution, colon, local = body.rpartition(":")
    if colon and not (distribution and local):
        raise SelectorError(f"{text!r} is no selector: write distribution:name, such as acme-weather:*")
    group, dot, name = local.rpartition(".")
    if dot and not (group and name):
        raise SelectorError(f"{text!r} is no selector: write group.name, such as search.lookup or search.*")
    return Selector(
        text=body,
        excludes=excludes,
        distribution=normalized(distribution) if colon else None,
        # In a canonical id, a name without a group is one in the default group; a glob there is one over every group.
        group=group or (DEFAULT_GROUP if colon and not is_glob(name) else None),
        name=name,
    )


def _by_property(body: str, excludes: bool) -> Selector:
    key, _, value = body.partition("=")
    if key in HINTS:
        if value not in _HINT_VALUES:
            raise SelectorError(f"{body!r} is no selector: {key} is true, false or unset")
        return Selector(text=body, excludes=excludes, hint=(key, _HINT_VALUES[value]))
    if key not in ("tag", "group") or not value:
        hints = "=…, ".join(HINTS)
        raise SelectorError(f"{body!r} is no selector: only tag=…, group=… and the hints {hints}=… have an equals sign")
    if key == "tag":
        return Selector(text=body, excludes=excludes, tag=value)
    return Selector(text=body, excludes=excludes, group=value)


def parse_selectors(texts: Iterable[str]) -> tuple[Selector, ...]:
    """Read selectors in order.

    Raises:
        SelectorError: One of them is no selector.
    """
    if isinstance(texts, str):
        raise SelectorError(f"give selectors as a list, not as the one string {texts!r}")
    return tuple(parse_selector(text) for text in texts)

"""Selectors, which name tools by patterns, and the comparison of tools by name.

One grammar serves the registry, executors, agents, the command line and configuration:

get_weather              the tool of that plain name
search.lookup  search.*  in a group; everything in a group and below
weather_*                a glob over names, in every group
acme-weather:*           a distribution's tools (names are compared normalised, as on PyPI)
tag=read   group=search  by tag; by group, and that group alone
destructive=true         by what its author declares: true, false or unset; so read_only, idempotent and open_world
!acme-weather:delete_*   excluded from what precedes it (from everything, if it comes first)
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from fcregistry._tools.declaration import DEFAULT_GROUP, Declaration, canonical_id, duplicate_text, local_name
from fcregistry.errors import AmbiguousToolError, DuplicateToolError, SelectorError

if TYPE_CHECKING:
    from fcregistry._tools.declaration import Owner


HINTS: Final = ("read_only", "destructive", "idempotent", "open_world")
"""The options that selectors can ask for, as in `read_only=true`."""

_HINT_VALUES: Final = {"true": True, "false": False, "unset": None}


def parse_selectors(texts: Iterable[str]) -> tuple[Selector, ...]:
    """Parse selectors in order.

    Raises:
        SelectorError: One of them is not a selector.
    """
    if isinstance(texts, str):
        raise SelectorError(f"give selectors as a list, not as the one string {texts!r}")
    return tuple(parse_selector(text) for text in texts)


def parse_selector(text: str) -> Selector:
    """Parse one selector.

    Raises:
        SelectorError: It is empty, or not a selector.
    """
    if not isinstance(text, str):
        raise SelectorError(f"{text!r} is not a selector: a selector is a string")
    written = text.strip()
    excludes = written.startswith("!")
    body = written[1:].strip() if excludes else written
    if not body or body.startswith("!") or any(character.isspace() for character in body):
        raise SelectorError(
            f"{text!r} is not a selector: write a tool's name, a glob, distribution:name, tag=…, group=…, a hint such as read_only=true, "
            "or one of these after '!'"
        )
    if "=" in body:
        return _by_property(body, excludes)
    distribution, colon, local = body.rpartition(":")
    if colon and not (distribution and local):
        raise SelectorError(f"{text!r} is not a selector: write distribution:name, such as acme-weather:*")
    group, dot, name = local.rpartition(".")
    if dot and not (group and name):
        raise SelectorError(f"{text!r} is not a selector: write group.name, such as search.lookup or search.*")
    return Selector(
        text=body,
        excludes=excludes,
        distribution=normalized(distribution) if colon else None,
        # In a canonical id, a name without a group is in the default group; a glob without a group means every group.
        group=group or (DEFAULT_GROUP if colon and not is_glob(name) else None),
        name=name,
    )


def _by_property(body: str, excludes: bool) -> Selector:
    """Return the selector in `body`, `key=value`, where the key is `tag`, `group` or a hint.

    Raises:
        SelectorError: The key is another, a hint is not `true`, `false` or `unset`, or a tag or group is empty.
    """
    key, _, value = body.partition("=")
    if key in HINTS:
        if value not in _HINT_VALUES:
            raise SelectorError(f"{body!r} is not a selector: {key} is true, false or unset")
        return Selector(text=body, excludes=excludes, hint=(key, _HINT_VALUES[value]))
    if key not in ("tag", "group") or not value:
        hints = "=…, ".join(HINTS)
        raise SelectorError(
            f"{body!r} is not a selector: only tag=…, group=… and the hints {hints}=… have an equals sign"
        )
    if key == "tag":
        return Selector(text=body, excludes=excludes, tag=value)
    return Selector(text=body, excludes=excludes, group=value)


class Selector(NamedTuple):
    """One parsed selector.

    Attributes:
        text: As it was written, without the `!`.
        excludes: Whether it excludes tools, as one with `!` does.
        distribution: The distribution it names, normalised; None for any.
        group: The group or glob of groups it names; None for any.
        name: The name or glob of names; None for any.
        tag: The tag it asks for, or None.
        hint: The hint it asks for and its value, which is None for a hint that must be unset; None if it asks for none.
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
        """Whether it names one tool, and is not a pattern."""
        parts = (self.name, self.group, self.distribution)
        return self.name is not None and not any(part is not None and is_glob(part) for part in parts)

    def in_any_group(self) -> Selector | None:
        """Return this selector for any group if it is a plain `distribution:name`, or None if it is not.

        Callers use it if the default group of the distribution has no such tool.
        """
        is_plain = self.distribution is not None and self.is_exact and "." not in self.text.rpartition(":")[2]
        return self._replace(group=None) if is_plain else None

    def matches(self, subject: SelectorSubject) -> bool:
        """Return whether it matches the tool with the facts `subject`; aliases and `excludes` are ignored."""
        if self.distribution is not None and not self.names_distribution(subject.distribution):
            return False
        if self.tag is not None:
            return self.tag in subject.tags
        if self.hint is not None:
            name, value = self.hint
            return getattr(subject, name) is value
        return self._group_matches(subject.group) and (self.name is None or _fits(subject.name, self.name))

    def names_distribution(self, distribution: str | None) -> bool:
        """Return whether it names a distribution, by its name or a pattern.

        Args:
            distribution: The name of the distribution. The application has none, so the result for None is False.
        """
        pattern = self.distribution
        return distribution is not None and pattern is not None and _fits(normalized(distribution), pattern)

    def _group_matches(self, group: str) -> bool:
        """Return whether the selector's group matches `group`; True if the selector has none.

        If the selector's name is a glob, its group also matches the groups below it.
        """
        if self.group is None:
            return True
        if _fits(group, self.group):
            return True
        # `search.*` includes the groups below; `search.lookup` and `group=search` mean that group alone.
        return self.name is not None and is_glob(self.name) and _fits(group, f"{self.group}.*")


def _fits(text: str, pattern: str) -> bool:
    """Return whether `text` equals `pattern`, or, if that is a glob, matches it; case matters."""
    if not is_glob(pattern):
        return text == pattern
    from fnmatch import fnmatchcase  # which a tool's plain name does not need

    return fnmatchcase(text, pattern)


def is_glob(text: str) -> bool:
    """Return whether a part of a selector is a pattern."""
    return "*" in text or "?" in text or "[" in text


@lru_cache(maxsize=4096)  # a listing asks for the name of each distribution as often as it has tools
def normalized(distribution: str) -> str:
    """Return a distribution's name as PyPI compares names (packaging specification, name normalization)."""
    name = distribution.lower().replace("_", "-").replace(".", "-")
    while "--" in name:
        name = name.replace("--", "-")
    return name


class SelectorSubject(NamedTuple):
    """The facts of one tool that selectors look at."""

    name: str
    group: str
    distribution: str | None
    tags: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    assume_hints: str | None = None

    def with_assumed_hints(self) -> SelectorSubject:
        """Return the facts as policies and the configuration see them.

        Hints that are not given have the values that the option `assume_hints` assumes.

        Source: Model Context Protocol, tool annotations: a tool without hints is destructive and open-world, and
        `destructiveHint` means nothing for a tool that only reads.
        """
        if self.assume_hints is None:
            return self
        reads = self.read_only is True or self.assume_hints == "mcp-read-only"
        return self._replace(
            destructive=not reads if self.destructive is None else self.destructive,
            open_world=True if self.open_world is None else self.open_world,
        )


def subject_of(declaration: Declaration, owner: Owner | None) -> SelectorSubject:
    """Return the facts of a declaration that selectors look at.

    Args:
        declaration: The declaration.
        owner: The plugin or source that ships it, or None for the application.
    """
    options = declaration.options
    return SelectorSubject(
        name=declaration.name,
        group=declaration.group,
        distribution=owner.distribution if owner else None,
        tags=frozenset(options.get("tags", ())),
        aliases=tuple(options.get("aliases", ())),
        **{hint: options.get(hint) for hint in HINTS},
        assume_hints=options.get("assume_hints"),
    )


# --- Tools of one name ---


Key: TypeAlias = tuple[str | None, str, str]
"""Owner, group and name: tools with the same key are candidates for it."""


class Owned(NamedTuple):
    """A declaration and the plugin or source that ships it, or None for the application."""

    declaration: Declaration
    owner: Owner | None

    @property
    def key(self) -> Key:
        """The project of the owner, the group and the name; only one tool of a key can be looked up."""
        declaration, owner = self
        return (owner.project if owner else None, declaration.group, declaration.name)

    @property
    def local_name(self) -> str:
        """Its name with its group, without the default one."""
        declared = self.declaration
        return local_name(declared.name, declared.group)

    @property
    def id(self) -> str:
        """The canonical id of its tool."""
        return canonical_id(*self)

    @property
    def full_name(self) -> str:
        """An unambiguous name: the canonical id, or `group.name` for a tool of the application."""
        if self.owner is None:
            return f"{self.declaration.group}.{self.declaration.name}"
        return self.id


def by_key(everything: Iterable[Owned]) -> dict[Key, list[Owned]]:
    """Return declarations by key; several under one key are candidates for it."""
    keys: dict[Key, list[Owned]] = {}
    for owned in everything:
        keys.setdefault(owned.key, []).append(owned)
    return keys


def effective(candidates: list[Owned]) -> list[Owned]:
    """Return the last of `candidates` with `replace=True` and those after it, or all if none has it."""
    if len(candidates) == 1:
        return candidates
    last = max((place for place, each in enumerate(candidates) if each.declaration.options.get("replace")), default=0)
    return candidates[last:]


def clash_text(candidates: list[Owned]) -> str:
    """Return the message for candidates for a key of which more than one is effective."""
    first, second, *_ = effective(candidates)
    return duplicate_text(first.declaration, second.declaration)


def only_one(name: str, found: Iterable[Owned]) -> Owned | None:
    """Return the only effective declaration among `found`, or None if `found` is empty.

    Args:
        name: The name by which they were found, for messages.
        found: The declarations.

    Raises:
        AmbiguousToolError: They have several keys.
        DuplicateToolError: They have one key, and several modules of its owner declare it.
    """
    keys = by_key(found)
    if len(keys) > 1:
        ids = tuple(sorted(each.full_name for candidates in keys.values() for each in candidates))
        raise AmbiguousToolError(f"{name!r} may be any of {', '.join(ids)}; name one of these", candidates=ids)
    for candidates in keys.values():
        if len(effective(candidates)) > 1:
            raise DuplicateToolError(clash_text(candidates))
        return effective(candidates)[0]
    return None


# --- Suggestions ---


def nearest(name: str, names: Iterable[str], *, most: int = 3) -> tuple[str, ...]:
    """Return up to `most` of `names` that a caller who wrote `name` may have meant.

    Names with the same last part, in any case, come first, and then names that are spelled alike.
    """
    from difflib import get_close_matches  # only on the way to an error

    known = list(dict.fromkeys(names))
    last = _last_part(name)
    same = get_close_matches(name, [each for each in known if _last_part(each) == last], n=most, cutoff=0)
    return tuple(dict.fromkeys([*same, *get_close_matches(name, known, n=most, cutoff=0.6)]))[:most]


def _last_part(name: str) -> str:
    """Return `name` without what is before its last `:` and `.` (distribution and group), case-folded."""
    return name.rpartition(":")[2].rpartition(".")[2].casefold()


def did_you_mean(near: tuple[str, ...]) -> str:
    """Return the phrase that suggests the names `near`; empty if there are none."""
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""


def unknown_argument(owner: type, name: str) -> str:
    """Return the message of the error for an argument that a class does not have, with those that have similar names.

    Args:
        owner: The class.
        name: The argument.
    """
    return f"{owner.__name__}() has no argument {name!r}{did_you_mean(nearest(name, arguments_of(owner)))}"


def arguments_of(owner: type) -> frozenset[str]:
    """Return the names of the arguments that a class and its bases take by name."""
    from inspect import Parameter, signature  # only on the way to an error

    several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    made = [signature(vars(base)["__init__"]) for base in owner.__mro__ if "__init__" in vars(base)]
    taken = (each for one in made for each in one.parameters.values() if each.kind not in several)
    return frozenset(each.name for each in taken) - {"self"}

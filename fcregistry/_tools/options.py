"""Which options may a tool be declared with, and what values may they take?

This module is imported by every plugin author's decorator, so it imports nothing; the checks run only for options that are given.

MERGED: What was a tool declared with, defaults included?
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final, NamedTuple

from fcregistry.errors import DefinitionError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal, TypedDict

    Keys = str | Sequence[str] | Callable[..., str | Sequence[str]]

    class SharedOptions(TypedDict, total=False):
        """The options of a tool, its name apart."""

        title: str
        description: str
        parameters: Mapping[str, Any]
        examples: Sequence[Mapping[str, Any]]
        tags: Sequence[str]
        aliases: Sequence[str]
        deprecated: bool | str
        meta: Mapping[str, Any]
        read_only: bool
        destructive: bool
        idempotent: bool
        open_world: bool
        requires_approval: bool | Callable[[Mapping[str, Any]], bool]
        requires_env: str | Sequence[str]
        timeout: float
        isolation: Literal["process"]
        blocking: bool | Literal["caller"]
        reads: Keys
        writes: Keys
        exclusive: bool
        cache: Any
        replace: bool

    class ToolOptions(SharedOptions, total=False):
        """Everything `fc_register` takes beside the group."""

        name: str

# --- _options ---


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_texts(value: object) -> bool:
    return isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(item, str) for item in value)


def _is_keys(value: object) -> bool:
    return isinstance(value, str) or callable(value) or _is_texts(value)


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def _is_seconds(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf")


def _is_meta(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) and "." in key for key in value)


CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "name": (_is_text, "a string"),
    "title": (_is_text, "a string"),
    "description": (_is_text, "a string"),
    "parameters": (_is_mapping, "a JSON Schema as a dict"),
    "examples": (
        lambda value: isinstance(value, (list, tuple)) and all(map(_is_mapping, value)),
        "a list of argument dicts",
    ),
    "tags": (_is_texts, "a sequence of strings"),
    "aliases": (_is_texts, "a sequence of strings"),
    "deprecated": (lambda value: isinstance(value, (bool, str)), "a bool, or a string that says what to use instead"),
    "meta": (_is_meta, 'a dict with dotted keys, such as {"acme.team": "maps"}'),
    "read_only": (_is_bool, "a bool"),
    "destructive": (_is_bool, "a bool"),
    "idempotent": (_is_bool, "a bool"),
    "open_world": (_is_bool, "a bool"),
    "requires_approval": (
        lambda value: isinstance(value, bool) or callable(value),
        "a bool, or a predicate of the arguments",
    ),
    "requires_env": (
        lambda value: _is_text(value) or _is_texts(value),
        "the name of a variable, or a sequence of names",
    ),
    "timeout": (_is_seconds, "seconds: a finite number above 0"),
    "isolation": (lambda value: value == "process", '"process"'),
    "blocking": (lambda value: isinstance(value, bool) or value == "caller", 'a bool or "caller"'),
    "reads": (_is_keys, "a key, a sequence of keys, or a function of the arguments"),
    "writes": (_is_keys, "a key, a sequence of keys, or a function of the arguments"),
    "exclusive": (_is_bool, "a bool"),
    "cache": (lambda value: value is not None, "True or a cache"),
    "replace": (_is_bool, "a bool"),
}
"""Option -> its check, and what it takes in words. One row an option; docs/reference/options.md lists the same rows."""


def option_problems(options: Mapping[str, object]) -> list[str]:
    """Return what is wrong with the given options, a sentence each, in the order given."""
    problems: list[str] = []
    if not options:  # as with most tools
        return problems
    for name, value in options.items():
        if name not in CHECKS:
            problems.append(f"unknown option {name!r}{_suggestion(name)}")
        elif not CHECKS[name][0](value):
            problems.append(f"option {name!r} takes {CHECKS[name][1]}, not {value!r}")
    if options.get("blocking") == "caller" and options.get("timeout") is not None:
        problems.append(
            'blocking="caller" and timeout exclude each other: the caller\'s own thread cannot be left. '
            "Drop one of them"
        )
    aliases = options.get("aliases")
    if _is_texts(aliases):
        problems += [f"alias: {problem}" for alias in aliases if (problem := name_problem(alias))]  # type: ignore[attr-defined]
    return problems


def _suggestion(name: str) -> str:
    if name == "group":
        return ': the group is the first argument, as in fc_register("search.web")'
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, CHECKS, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; the options are {', '.join(CHECKS)}"


def name_problem(name: object) -> str | None:
    """Return why a name cannot be a tool's, with the fix, or None for a good one (`^[A-Za-z0-9_-]{1,64}$`)."""
    if not isinstance(name, str):
        return f"a name is a string, not {name!r}"
    if (
        name.isascii()
        and len(name) <= 64
        and (name.isidentifier() or name.replace("_", "a").replace("-", "a").isalnum())
    ):
        return None
    if not name:
        return "the name is empty; a tool needs a name of 1 to 64 letters, digits, '_' and '-'"
    group, dot, last = name.rpartition(".")
    if dot and not group_problem(group) and not name_problem(last):
        return f"{name!r} holds a dot; names have none, groups do: register {last!r} in the group {group!r}"
    legal = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)[:64]
    return (
        f"{name if len(name) <= 80 else name[:80] + '…'!r} is no tool name: 1 to 64 ASCII letters, digits, '_' and '-' "
        f"({len(name)} character{'' if len(name) == 1 else 's'} here); name={legal!r} would do"
    )


def group_problem(group: object) -> str | None:
    """Return why a group name cannot be one, or None: segments `^[A-Za-z_][A-Za-z0-9_-]*$`, joined by dots."""
    if not isinstance(group, str):
        return f"a group's name is a string, not {group!r}"
    for segment in group.split("."):
        plain = segment.replace("_", "a").replace("-", "a")
        if not (plain.isascii() and plain.isalnum() and not plain[0].isdigit()) or segment.startswith("-"):
            return (
                f"{group!r} is no group name: dotted segments of ASCII letters, digits, '_' and '-', "
                "none of them empty or beginning with a digit or '-'"
            )
    return None


def checked(options: Mapping[str, object], where: str) -> None:
    """Raise one `DefinitionError` for all that is wrong with the options of one declaration."""
    if problems := option_problems(options):
        raise DefinitionError(f"{where} cannot be registered:", tuple(problems))


# --- _declared ---


class Options(NamedTuple):
    """What a tool was declared with; see docs/reference/options.md for each."""

    title: str | None = None
    examples: tuple[Mapping[str, Any], ...] = ()
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    deprecated: bool | str = False
    meta: Mapping[str, Any] = MappingProxyType({})
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    requires_approval: bool | Callable[[Mapping[str, Any]], bool] = False
    requires_env: tuple[str, ...] = ()
    timeout: float | None = None
    isolation: str | None = None
    blocking: bool | str = True
    reads: Any = ()
    writes: Any = ()
    exclusive: bool = False
    cache: Any = None
    replace: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Options:
        """Return given options, checked before, with defaults for the others."""
        known = {name: value for name, value in given.items() if name in _DEFAULTS}
        for name in ("tags", "aliases", "requires_env"):
            if name in known:
                value = known[name]
                known[name] = (
                    (value,) if isinstance(value, str) else tuple(sorted(set(value)) if name == "tags" else value)
                )
        if "examples" in known:
            known["examples"] = tuple(known["examples"])
        return cls(**known)

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, in the order above: what `show` shows."""
        return {name: value for name, value in self._asdict().items() if value != _DEFAULTS[name]}


_DEFAULTS: Final = Options()._asdict()

"""The options of a tool, and checks of their values and of names.

Every plugin author's decorator imports this module, so it imports nothing; the checks run only for options that are given.
"""

from __future__ import annotations

from fcregistry.errors import DefinitionError

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Literal, TypedDict

    Keys = str | Sequence[str] | Callable[..., str | Sequence[str]]

    class SharedOptions(TypedDict, total=False):
        """The options of a tool except its name."""

        title: str
        description: str
        parameters: Mapping[str, Any]
        returns: Mapping[str, Any] | Callable[[], Mapping[str, Any] | None]
        examples: Sequence[Mapping[str, Any]]
        tags: Sequence[str]
        aliases: Sequence[str]
        deprecated: bool | str
        meta: Mapping[str, Any]
        read_only: bool
        destructive: bool
        idempotent: bool
        open_world: bool
        assume_hints: Literal["mcp", "mcp-read-only"]
        requires_approval: bool | Callable[[Mapping[str, Any]], bool]
        always_ask: Callable[[Mapping[str, Any]], str | None]
        requires_env: str | Sequence[str | tuple[str, ...]]
        available: Callable[[], bool]
        timeout: float
        isolation: Literal["process"]
        blocking: bool | Literal["caller"]
        reads: Keys
        writes: Keys
        input_files: Sequence[str]
        output_files: Sequence[str]
        exclusive: bool
        on_nan: Literal["refuse", "null"]
        cache: Any
        replace: bool

    class ToolOptions(SharedOptions, total=False):
        """The options of `fc_register`."""

        name: str


def _is_string(value: object) -> bool:
    return isinstance(value, str)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _is_strings(value: object) -> bool:
    """Return whether a value is a list, tuple or set of strings; it may be empty."""
    return isinstance(value, (list, tuple, set, frozenset)) and all(isinstance(item, str) for item in value)


def _is_keys(value: object) -> bool:
    """Return whether a value is a string, a list, tuple or set of strings, or callable."""
    return isinstance(value, str) or callable(value) or _is_strings(value)


def _is_mapping(value: object) -> bool:
    """Return whether a value is a dict whose keys are strings; it may be empty."""
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def _is_variable(value: object) -> bool:
    """Return whether a value is a printable string, not empty, without white space and `=`."""
    return isinstance(value, str) and value.isprintable() and value.split() == [value] and "=" not in value


def _is_variables(value: object) -> bool:
    """Return whether a value is the name of a variable, or a list, tuple or set of names, also empty.

    An item may also be a list or tuple of alternative names that is not empty.
    """
    if not isinstance(value, (list, tuple, set, frozenset)):
        return _is_variable(value)
    return all(
        bool(each) and all(map(_is_variable, each)) if isinstance(each, (list, tuple)) else _is_variable(each)
        for each in value
    )


def _is_seconds(value: object) -> bool:
    """Return whether a value is a finite int or float above 0; False for a bool."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf")


def _is_meta(value: object) -> bool:
    """Return whether a value is a dict whose keys are strings with a dot; it may be empty."""
    return isinstance(value, dict) and all(isinstance(key, str) and "." in key for key in value)


CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    **dict.fromkeys(("name", "title", "description"), (_is_string, "a string")),
    "parameters": (_is_mapping, "a JSON Schema as a dict"),
    "returns": (
        lambda value: _is_mapping(value) or callable(value),
        "a JSON Schema as a dict, or a function that returns one",
    ),
    "examples": (
        lambda value: isinstance(value, (list, tuple)) and all(map(_is_mapping, value)),
        "a list of argument dicts",
    ),
    **dict.fromkeys(("tags", "aliases"), (_is_strings, "a sequence of strings")),
    "deprecated": (lambda value: isinstance(value, (bool, str)), "a bool, or a string that says what to use instead"),
    "meta": (_is_meta, 'a dict with dotted keys, such as {"acme.team": "maps"}'),
    **dict.fromkeys(("read_only", "destructive", "idempotent", "open_world"), (_is_bool, "a bool")),
    "assume_hints": (lambda value: value in ("mcp", "mcp-read-only"), '"mcp" or "mcp-read-only"'),
    "requires_approval": (
        lambda value: isinstance(value, bool) or callable(value),
        "a bool, or a predicate of the arguments",
    ),
    "always_ask": (callable, "a function of the arguments that returns a reason or None"),
    "requires_env": (
        _is_variables,
        "the name of an environment variable, or a list of names, in which a tuple has alternatives",
    ),
    "available": (callable, "a function without arguments that returns True or False"),
    "timeout": (_is_seconds, "seconds: a finite number above 0"),
    "isolation": (lambda value: value == "process", '"process"'),
    "blocking": (lambda value: isinstance(value, bool) or value == "caller", 'a bool or "caller"'),
    **dict.fromkeys(("reads", "writes"), (_is_keys, "a key, a sequence of keys, or a function of the arguments")),
    **dict.fromkeys(("input_files", "output_files"), (_is_strings, "a sequence of names of parameters")),
    "exclusive": (_is_bool, "a bool"),
    "on_nan": (lambda value: value in ("refuse", "null"), '"refuse" or "null"'),
    "cache": (lambda value: value is not None, "True or a cache"),
    "replace": (_is_bool, "a bool"),
}
"""Option -> the check of its value, and the valid values in words. The page "Options of a tool" lists the same rows."""


def option_problems(options: Mapping[str, object]) -> list[str]:
    """Return the problems of `options`, a sentence each, in the order of the options."""
    problems: list[str] = []
    if not options:  # the usual case
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
    if _is_strings(aliases):
        problems += [f"alias: {problem}" for alias in aliases if (problem := name_problem(alias))]  # type: ignore[attr-defined]
    return problems


def _suggestion(name: str) -> str:
    """Return the end of the error for an unknown option: the nearest option, or all if none is near.

    For `group`, it says that the group is the first argument; for `strict`, where it belongs.
    """
    if name == "group":
        return ': the group is the first argument, as in fc_register("search.web")'
    if name == "strict":
        return ": for types, write FCREGISTRY_STRICT = True in the module; for a format, pass strict=True to definition or describe"
    from difflib import get_close_matches  # only on the way to an error

    close = get_close_matches(name, CHECKS, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; the options are {', '.join(CHECKS)}"


def name_problem(name: object) -> str | None:
    """Return the reason `name` is not a valid tool name, with the fix, or None if it is valid.

    Names that match `^[A-Za-z0-9_-]{1,64}$` are valid.
    """
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
        f"{name if len(name) <= 80 else name[:80] + '…'!r} is not a tool name: 1 to 64 ASCII letters, digits, '_' and '-' "
        f"({len(name)} character{'' if len(name) == 1 else 's'} here); name={legal!r} would do"
    )


def group_problem(group: object) -> str | None:
    """Return the reason `group` is not a valid group name, or None if it is valid.

    Segments that match `^[A-Za-z_][A-Za-z0-9_-]*$`, joined by dots, are valid.
    """
    if not isinstance(group, str):
        return f"a group's name is a string, not {group!r}"
    for segment in group.split("."):
        plain = segment.replace("_", "a").replace("-", "a")
        if not (plain.isascii() and plain.isalnum() and not plain[0].isdigit()) or segment.startswith("-"):
            return (
                f"{group!r} is not a group name: dotted segments of ASCII letters, digits, '_' and '-', "
                "none of them empty or beginning with a digit or '-'"
            )
    return None


def check_options(options: Mapping[str, object], subject: object) -> None:
    """Check the options of a declaration.

    Args:
        options: The options.
        subject: What is declared, for the message: a text, or the object itself, whose `repr` only an error needs.

    Raises:
        DefinitionError: Some options are not valid; the message names all problems.
    """
    if problems := option_problems(options):
        shown = subject if isinstance(subject, str) else f"{subject!r:.80}"
        raise DefinitionError(f"{shown} cannot be registered:", tuple(problems))


class AllChecks:
    """A check for the option `available` that makes several checks, up to the first one that does not return True.

    Args:
        *checks: The functions, in order.
    """

    __slots__ = ("checks",)

    def __init__(self, *checks: Callable[[], bool]) -> None:
        self.checks = checks

    def __call__(self) -> bool:
        return all(check() is True for check in self.checks)


def checks_of(available: Callable[[], bool]) -> tuple[Callable[[], bool], ...]:
    """Return the functions that the value of the option `available` calls: several for `AllChecks`, else itself."""
    return available.checks if isinstance(available, AllChecks) else (available,)


def missing_variables(required: Any) -> tuple[str, ...]:
    """Return the variables of `requires_env` that are not set or are empty.

    Alternatives of which none is set are one text, such as `A or B`.

    Args:
        required: The option, as the tool's author gave it or as JSON.
    """
    if not required:
        return ()
    from os import environ  # this module is imported by each plugin's decorator

    names = (
        [(required,)]
        if isinstance(required, str)
        else [(each,) if isinstance(each, str) else each for each in required]
    )
    return tuple(" or ".join(each) for each in names if not any(map(environ.get, each)))


def not_set_text(missing: tuple[str, ...]) -> str:
    """Return the reason that a tool is hidden whose variables `missing` are not set, such as `A, B are not set`."""
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set"

"""What does a call touch? The keys that its tool says it reads and writes.

A key is a path of names: `mail/inbox` lies below `mail`. Keys are compared as texts; nothing is looked up on a disk.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._tools.parameters import EMPTY
from fcregistry.errors import DefinitionError

if TYPE_CHECKING:
    from fcregistry._tools.tool import Tool
    from fcregistry.execution._step import CallStep

KeyPath: TypeAlias = "tuple[str, ...]"
"""A key, taken apart: `("mail", "inbox")`; `()` is what all others lie below."""

MOST_CHARACTERS: Final = 4096
"""How long a key may be: as long as a path on Linux."""

MOST_LEVELS: Final = 100
"""How deep a key may lie."""

MOST_KEYS: Final = 1000
"""How many keys a function may give for one call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Accesses:
    """What a call touches.

    Attributes:
        reads: The keys that it reads.
        writes: The keys that it changes.
        exclusive: Whether it runs alone, whatever its keys are.
    """

    reads: frozenset[KeyPath] = frozenset()
    writes: frozenset[KeyPath] = frozenset()
    exclusive: bool = False


ALONE: Final = Accesses(exclusive=True)
"""What is said of a call that runs alone."""


def accesses(step: CallStep) -> Accesses | None:
    """Return what a call touches, or None where its tool says nothing of it.

    A call whose keys cannot be computed may touch anything: it runs alone, and the log says why.
    """
    options = step.bound.tool.options
    if options.exclusive:
        return ALONE
    reads, writes = options.reads, options.writes
    if reads == () and writes == ():  # as with most tools
        return None
    try:
        return Accesses(reads=_paths(reads, step), writes=_paths(writes, step))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # foreign code: whatever a function of keys raises, it has not said what is touched
        from logging import getLogger  # only on the way to an error

        message = "what a call of %s touches could not be told, so it runs alone"
        getLogger("fcregistry").warning(message, step.bound.tool.name, exc_info=error)
        return ALONE


def check_keys(tools: Iterable[Tool]) -> None:
    """See that the keys that tools were declared with are keys; those that are computed show at their calls.

    Raises:
        DefinitionError: Some are not; names each tool, and what is wrong.
    """
    problems = []
    for tool in tools:
        for option in ("reads", "writes"):
            given = getattr(tool.options, option)
            if callable(given):
                continue
            try:
                _checked(given)
            except ValueError as error:
                problems.append(f"{tool.name}: {option}={given!r:.80}: {error}")
    if problems:
        raise DefinitionError("the keys of these tools cannot be:", tuple(problems))


def _paths(given: Any, step: CallStep) -> frozenset[KeyPath]:
    """Return the keys of an option: those that it is, or those that it computes for a call."""
    if callable(given):
        given = given(_shown(step))
        if inspect.iscoroutine(given):
            given.close()  # or Python would complain, later and elsewhere, that nobody awaited it
            raise ValueError("keys are computed by a plain function, not by a coroutine function")
    return _checked(given)


def _shown(step: CallStep) -> dict[str, Any]:
    """Return the arguments for a function of keys, defaults included: copies, since what was validated is what runs."""
    signature = step.bound.signature
    defaults = {each.name: deepcopy(each.default) for each in signature.parameters if each.default is not EMPTY}
    return defaults | signature.binding.decode(deepcopy(step.arguments))


def _checked(given: object) -> frozenset[KeyPath]:
    """Return keys, taken apart.

    Raises:
        ValueError: They are none, or too many.
    """
    if isinstance(given, (list, tuple, set, frozenset)):
        if len(given) > MOST_KEYS:
            raise ValueError(f"{len(given)} keys are too many: at most {MOST_KEYS}")
        return frozenset(map(path_of, given))
    return frozenset((path_of(given),))


def path_of(key: object) -> KeyPath:
    """Take a key apart.

    Args:
        key: Names with `/` between them, or a path of `pathlib`. Slashes at either end, double ones and `.` say nothing; `..` takes
            back the name before it. `/` and `.` are what all other keys lie below.

    Raises:
        ValueError: It is no key: empty, too long, too deep, or `..` leads out of it.
    """
    text = key if isinstance(key, str) else _posix(key)
    if not text:
        raise ValueError("a key is empty; '/' is what all others lie below, and () are no keys")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a key has {len(text)} characters; it may have {MOST_CHARACTERS}")
    names: list[str] = []
    for name in text.split("/"):
        if name == "..":
            if not names:
                raise ValueError(f"the key {text[:60]!r} leads out of everything with '..'")
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    if len(names) > MOST_LEVELS:
        raise ValueError(f"a key has {len(names)} levels; it may have {MOST_LEVELS}")
    return tuple(names)


def _posix(key: object) -> str:
    from pathlib import PurePath  # which a program with such keys has imported

    if isinstance(key, PurePath):
        return key.as_posix()
    raise ValueError(f"a key is a string or a path, not a {type(key).__name__}; give one, or a list of them")

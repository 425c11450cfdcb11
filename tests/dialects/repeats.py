"""Finds repeats in a regular expression that make it read the same text again and again.

Python's `re` goes back to where it could have matched otherwise. Two shapes of a pattern make that quadratic:

- Two repeats one after the other that can match the same characters, `\\s*\\s*x`: wherever the first one ends, the second one reads the rest.
- A repeat in each turn of a loop that may be in vain, `(?:\\w*:|\\w)*`: each turn reads the rest, and takes one character of it. `search` is
  such a loop, too: it begins at each character, so `\\s*x` is quadratic where it is searched for, and linear where it is matched at a place.

Repeats with a limit are not looked at: they make a text cost some times as much, however long it is. A limit of more than `MANY` turns
is none for a loop. Nor are searches that begin with a repeat of several parts, such as strings and commas: a search that begins within a string
of an earlier one takes the inside of strings for the outside, so the two end soon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from re import _compiler, _parser  # type: ignore[attr-defined]  # the only parser of Python's own syntax
from typing import Any, TypeAlias

MANY = 20
"""The most turns of a loop that counts as bounded."""

UNLIMITED = int(_parser.MAXREPEAT)

Characters: TypeAlias = int
"""A set of characters: a bit for each of `ALPHABET`."""

ALPHABET = "".join(map(chr, range(128))) + "\x85\xa0é漢１\u2028｜▁✿◁▷Ġ\ud800"
ALL: Characters = (1 << len(ALPHABET)) - 1
LINE_END: Characters = 1 << ALPHABET.index("\n")


@dataclass(frozen=True, slots=True, eq=False)
class One:
    """One of some characters."""

    characters: Characters


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Parts, one after the other."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of some parts, the first that matches."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Repeat:
    """A part several times; `gives_back` says whether it tries fewer times, if what follows does not match."""

    part: Node
    least: int
    most: int
    gives_back: bool


@dataclass(frozen=True, slots=True, eq=False)
class Atomic:
    """A part that is not tried otherwise, once it has matched."""

    part: Node


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place, such as the beginning of a line, or one where another part matches.

    Attributes:
        part: What is looked for there; None for a place such as `$`.
        follows: Whether the part is looked for behind the place: 1; before it: -1.
        is_other: Whether the part must not match there.
        after: The characters one of which the place must follow.
    """

    part: Node | None = None
    follows: int = 1
    is_other: bool = False
    after: Characters = ALL


Node: TypeAlias = "One | Series | Choice | Repeat | Atomic | Place"

# --- Reading a pattern ---


def read_pattern(pattern: str, flags: int = 0) -> Node:
    """Return the parts of a pattern."""
    parsed = _parser.parse(pattern, flags & ~re.DEBUG)
    return _series(parsed, parsed.state.flags)


def _series(parsed: Any, flags: int) -> Node:
    parts = tuple(_node(operation, value, flags) for operation, value in parsed)
    return parts[0] if len(parts) == 1 else Series(parts)


def _node(operation: Any, value: Any, flags: int) -> Node:
    match str(operation):
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
            return One(_characters(operation, value if not isinstance(value, list) else tuple(value), flags))
        case "BRANCH":
            return Choice(tuple(_series(each, flags) for each in value[1]))
        case "SUBPATTERN":
            return _series(value[3], (flags | value[1]) & ~value[2])
        case "ATOMIC_GROUP":
            return Atomic(_series(value, flags))
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT" as kind:
            least, most, part = value
            return Repeat(_series(part, flags), int(least), int(most), kind != "POSSESSIVE_REPEAT")
        case "ASSERT" | "ASSERT_NOT" as kind:
            return Place(_series(value[1], flags), value[0], kind == "ASSERT_NOT")
        case "AT":
            is_begin = str(value) in ("AT_BEGINNING", "AT_BEGINNING_STRING")
            return Place(after=(LINE_END if flags & re.MULTILINE else 0) if is_begin else ALL)
        case "GROUPREF" | "GROUPREF_EXISTS" | "FAILURE":
            return One(ALL)
    raise NotImplementedError(f"{operation} of a regular expression")


@cache
def _characters(operation: Any, value: Any, flags: int) -> Characters:
    state = _parser.State()
    state.str, state.flags = "", flags
    one = _parser.SubPattern(state, [(operation, list(value) if isinstance(value, tuple) else value)])
    matches = _compiler.compile(one, flags).match
    return sum(1 << place for place, character in enumerate(ALPHABET) if matches(character))


# --- What a part matches ---


@cache
def characters_of(node: Node) -> Characters:
    """Return the characters that a part can take."""
    match node:
        case One():
            return node.characters
        case Place():
            return 0
        case Repeat() | Atomic():
            return characters_of(node.part)
        case Choice() | Series():
            return _joined(node.parts)


def _joined(parts: Sequence[Node]) -> Characters:
    found = 0
    for each in parts:
        found |= characters_of(each)
    return found


def passes(node: Node, allowed: Characters) -> bool:
    """Return whether a part can match text of some characters, or none."""
    match node:
        case One():
            return bool(node.characters & allowed)
        case Place():
            return bool(node.after & allowed)
        case Repeat():
            return not node.least or passes(node.part, allowed)
        case Atomic():
            return passes(node.part, allowed)
        case Choice():
            return any(passes(each, allowed) for each in node.parts)
        case Series():
            return all(passes(each, allowed) for each in node.parts)


def first_characters(nodes: Sequence[Node]) -> list[Characters]:
    """Return what the first characters of some parts can be, as far as each is one, or a place says what it must be."""
    found = [ALL]
    for node in _flat(nodes):
        match node:
            case One():
                found[-1] &= node.characters
                found.append(ALL)
            case Place(One() as one, 1, is_other):
                found[-1] &= ALL & ~one.characters if is_other else one.characters
            case Choice(parts) if not all(isinstance(each, Place) for each in parts):
                break
            case Repeat() | Atomic():
                break
    return found


def _flat(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, Series):
            yield from _flat(node.parts)
        else:
            yield node


def begin_alike(first: Sequence[Node], second: Sequence[Node]) -> bool:
    """Return whether two parts may match at one place, as far as their first characters show that."""
    pairs = zip(first_characters(first), first_characters(second), strict=False)
    return all(one & other for one, other in pairs)


@cache
def may_fail(node: Node) -> bool:
    """Return whether a part does not match everywhere."""
    match node:
        case One() | Place():
            return True
        case Repeat():
            return bool(node.least) and may_fail(node.part)
        case Atomic():
            return may_fail(node.part)
        case Choice():
            return all(map(may_fail, node.parts))
        case Series():
            return any(map(may_fail, node.parts))


# --- What is quadratic ---


@dataclass(frozen=True, slots=True)
class Step:
    """A part on the way from the whole pattern to one of its repeats, and where the next one is in it."""

    node: Node
    place: int = 0

    @property
    def before(self) -> tuple[Node, ...]:
        return self.node.parts[: self.place] if isinstance(self.node, Series) else ()

    @property
    def after(self) -> tuple[Node, ...]:
        return self.node.parts[self.place + 1 :] if isinstance(self.node, Series) else ()


Way: TypeAlias = tuple[Step, ...]


def repeats(node: Node, way: Way = ()) -> Iterator[tuple[Repeat, Way]]:
    """Yield the unbounded repeats in a part, with the way to each."""
    if isinstance(node, Repeat) and node.most == UNLIMITED:
        yield node, way
    inside = node.parts if isinstance(node, (Series, Choice)) else () if isinstance(node, One) else (node.part,)
    for place, each in enumerate(inside):
        if each is not None:
            yield from repeats(each, (*way, Step(node, place)))


def quadratic_repeats(pattern: str, flags: int = 0, *, is_searched: bool = True, is_whole: bool = False) -> list[str]:
    """Return what makes a pattern quadratic, in words; nothing if it is linear.

    Args:
        pattern: The pattern.
        flags: Its flags.
        is_searched: Whether it is searched for, and not only matched at a place.
        is_whole: Whether it must match up to the end of a text.
    """
    root = read_pattern(pattern, flags)
    found = []
    for repeat, way in repeats(root):
        if repeat.gives_back:
            found += _neighbours(repeat, way, is_whole)
        found += [
            f"a repeat of {shown(repeat)} in each turn of one of {shown(step.node)}"
            for place, step in enumerate(way)
            if isinstance(step.node, Repeat) and step.node.most > MANY and _is_in_vain(repeat, way[place + 1 :])
        ]
        if is_searched and isinstance(repeat.part, One) and _is_searched_in_vain(repeat, way):
            found.append(f"a repeat of {shown(repeat)} from each place of a search")
    return found


def shown(node: Node) -> str:
    """Return the characters of a part, for messages."""
    characters = characters_of(node)
    return "".join(each for place, each in enumerate(ALPHABET) if characters >> place & 1)


def _neighbours(repeat: Repeat, way: Way, is_whole: bool) -> list[str]:
    """Return the repeats that read again what one gives back."""
    following: list[Node] = []
    for step in reversed(way):
        following += step.after
        if isinstance(step.node, (Atomic, Place)):
            break
        if isinstance(step.node, Repeat):
            if not step.node.gives_back:
                break
            if step.node.most > 1:
                following.append(Repeat(step.node.part, 0, step.node.most, gives_back=True))
    else:
        following += [Place()] * is_whole
    if not any(map(may_fail, following)):
        return []
    own = characters_of(repeat)
    found = []
    for place, node in enumerate(following):
        for other, inside in repeats(node):
            both = own & characters_of(other)
            between = [*following[:place], *(each for step in inside for each in step.before)]
            if both and all(passes(each, both) for each in (*between, other.part)):
                found.append(f"a repeat of {shown(repeat)} before one of {shown(other)}")
    return found


def _is_in_vain(repeat: Repeat, way: Way) -> bool:
    """Return whether a turn of a loop may read what a repeat in it matches, and take only a bit of that.

    Args:
        repeat: The repeat.
        way: The way to it from the part that the loop repeats.
    """
    own = characters_of(repeat)
    if not all(passes(each, own) for step in way for each in step.before):
        return False
    for place, step in enumerate(way):
        rest = [each for other in reversed(way[: place + 1]) for each in other.after]
        before = [each for other in way[: place + 1] for each in other.before]
        fails = any(may_fail(each) for other in way[place + 1 :] for each in other.after)
        match step.node:
            case Place():
                others: list[list[Node]] = [rest]
            case Choice() if fails or any(map(may_fail, rest)):
                others = [[each, *rest] for each in step.node.parts[step.place + 1 :]]
            case Repeat() if fails:
                others = [([step.node.part] if step.node.least else []) + rest]
            case _:
                continue
        tried = [each for other in way[place + 1 :] for each in other.before]
        for other in others:
            if begin_alike(tried, other) and _takes_a_bit([*before, *other], [*before, *tried], own):
                return True
    return False


def _takes_a_bit(parts: list[Node], tried: list[Node], characters: Characters) -> bool:
    """Return whether parts can match text of some characters without matching as much of it as there is.

    Args:
        parts: The parts.
        tried: The parts before the repeat. Its text in one turn is taken in other turns, and so are these.
        characters: The characters of the repeat.
    """
    takes_all = any(
        isinstance(each, Repeat) and not each.gives_back and each.most > MANY and not characters & ~characters_of(each)
        for each in parts
    )
    taken = _joined(parts)
    due = [each.characters for each in tried if isinstance(each, One)]
    return (
        not takes_all
        and all(each & taken for each in (*due, characters))
        and all(passes(each, characters) for each in parts)
    )


def _is_searched_in_vain(repeat: Repeat, way: Way) -> bool:
    """Return whether a search reads what a repeat matches again from the next place on."""
    own = characters_of(repeat)
    fails = any(may_fail(each) for step in way for each in step.after) or any(
        isinstance(step.node, Place) for step in way
    )
    return fails and all(passes(each, own) for step in way for each in step.before)

"""Arguments of a call: reading the JSON object that a model wrote, and repairing its mistakes.

A mistake is repaired only where its meaning is certain.

Text that is not a JSON object, or that can be read in several ways, is refused. Two repairs go by the schema alone: an array or object that
is wrapped into a string where no string may be, and an explicit `null` for an optional property that takes no `null`. Providers that hold a
model to a schema ask for every property, and for `null` in place of one that is left out: see the strict modes in
the page "Formats". Each repair is recorded, and nothing is guessed: a number in quotes stays a string.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fcregistry._base.call import UnreadArguments
from fcregistry._base.json import MAX_DEPTH, ArgumentsError, ExactFloat, NotJsonError, read_lenient_json, too_deep_error
from fcregistry._base.wording import json_path, word_problems
from fcregistry._schema.document import References
from fcregistry._schema.violations import MOST_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fcregistry._base.call import Problem
    from fcregistry._base.wording import Violation
    from fcregistry._schema.validator import Validator
    from fcregistry._tools.tool import Tool


# --- Names of repairs ---

REPAIRS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "comments": "comments (`//`, `#`, `/* */`) are left out",
        "empty-arguments": 'empty text, `null`, `""`, `[]` and `{}""` are taken as no arguments',
        "explicit-null": "`null` for what may be left out, and takes no `null`, is taken as left out",
        "fences": "a Markdown code fence around the arguments is left out",
        "python-literals": "`True`, `False` and `None` are taken as `true`, `false` and `null`",
        "raw-control-characters": "line ends, tabs and other control characters in a string are taken as escaped",
        "single-quotes": "strings in single quotes are taken as strings, and `\\'` as a single quote",
        "trailing-commas": "a comma after the last item or property is left out",
        "unquoted-names": "names of properties without quotes are taken as quoted",
        "wrapped-json": "JSON text in a string is taken as the array or object, where one is due and no string",
    }
)
"""What each repair does, by its name."""

ALL_REPAIRS: Final = frozenset(REPAIRS)
_IF_NAMED: Final = ("missing-commas",)
"""Repairs that are made only if the application names them: they are less certain to be what the model meant."""


def allowed_repairs(given: bool | Collection[str], repairs: Collection[str] = ALL_REPAIRS) -> frozenset[str]:
    """Return the names of the repairs that are allowed.

    Args:
        given: True for all of `repairs`, False for none, or the names of some.
        repairs: The names of the repairs that there are, without those that are made only if they are named.

    Raises:
        ValueError: A name is not that of a repair.
        TypeError: `given` is neither a bool nor a collection of names.
    """
    if isinstance(given, bool):
        return frozenset(repairs) if given else frozenset()
    if isinstance(given, str) or not isinstance(given, Collection):
        raise TypeError(f"repairs must be True, False or a collection of names such as {{'comments'}}, not {given!r}")
    known = (*sorted(repairs), *_IF_NAMED)
    unknown = sorted(repr(name) for name in given if name not in known)
    if unknown:
        raise ValueError(f"there is no repair {unknown[0]}; the repairs are {', '.join(known)}")
    return frozenset(given)


# --- Reading ---


class TooLongError(ArgumentsError):
    """The arguments have more characters than the executor reads."""


def read_arguments(
    raw: Mapping[str, Any] | str | None,
    exact: bool = False,
    allowed: Collection[str] = ALL_REPAIRS,
    longest: int | None = None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments as a new JSON object, and a sentence for each repair.

    Args:
        raw: JSON text as the model wrote it, a mapping, or None for no arguments.
        exact: Whether numbers keep the digits they are written with, as `ExactFloat`s.
        allowed: The names of the repairs that may be made.
        longest: How many characters the arguments may have; None for any number. A mapping is counted by its names, texts and values.

    Raises:
        TooLongError: The arguments are too long.
        ArgumentsError: They are not a JSON object: malformed, cut off, nested too deeply, with a name twice or a number that is not finite.
    """
    if isinstance(raw, str):
        if isinstance(raw, UnreadArguments):
            raise ArgumentsError(raw.reason)
        if longest is not None and len(raw) > longest:
            raise _too_long(longest, f"have {len(raw)} characters")
        if not raw or raw.isspace():
            return _no_arguments("empty", allowed)
        try:
            value, repairs = read_lenient_json(raw, exact, allowed, "the arguments")
        except NotJsonError:
            if "empty-arguments" in allowed and _EMPTY_TWICE.fullmatch(raw):
                return _no_arguments("an empty object and an empty string", allowed)
            raise
        return (value, repairs) if type(value) is dict else _unwrapped_object(value, repairs, exact, allowed)
    if raw is None:
        return {}, ()
    if not isinstance(raw, Mapping):
        raise ArgumentsError(f"the arguments must be a JSON object, not a Python {type(raw).__name__}")
    try:
        copied: dict[str, Any] = _Copier(longest).copy(raw, 0, ())
    except ArgumentsError:
        raise
    except Exception as error:  # foreign code: a mapping of any class may raise anything
        raise ArgumentsError(f"the arguments cannot be read: {type(error).__name__}") from error
    return copied, ()


_EMPTY_TWICE: Final = re.compile(r'[ \t\n\r]*\{[ \t\n\r]*\}[ \t\n\r]*""[ \t\n\r]*')
"""What some servers make of streamed arguments that are empty."""


def _unwrapped_object(
    value: Any, repairs: tuple[str, ...], exact: bool, allowed: Collection[str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the arguments that `value`, no JSON object, stands for, and `repairs` with those added here.

    Null, an empty array and an empty string stand for `{}`, and another string for the object that it contains as JSON text.

    Args:
        value: The value.
        repairs: The repairs that were made to read the value.
        exact: Whether numbers keep all their digits.
        allowed: The names of the repairs that may be made.

    Raises:
        ArgumentsError: The value is of another kind, the string contains no object, or the repair is not allowed.
    """
    if value is None or value == [] or (isinstance(value, str) and not value.strip()):
        written = "null" if value is None else "an empty array" if value == [] else "an empty string"
        arguments, more = _no_arguments(written, allowed)
        return arguments, (*repairs, *more)
    if isinstance(value, str) and "wrapped-json" in allowed:
        try:
            inner, more = read_lenient_json(value, exact, allowed, "the text of the arguments")
        except ArgumentsError:
            inner = None
        if type(inner) is dict:
            repair = "the arguments were JSON text in a string: taken as the object that it holds"
            return inner, (*repairs, repair, *more)
    raise ArgumentsError(f"the arguments must be a JSON object, got {_json_kind(value)}")


def _no_arguments(written: str, allowed: Collection[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return `{}`, and a sentence about the repair; `written` is what the model wrote, such as `null`.

    Raises:
        ArgumentsError: The repair `empty-arguments` is not in `allowed`.
    """
    if "empty-arguments" not in allowed:
        raise ArgumentsError(f"the arguments are {written}: send a JSON object, {{}} if there are none")
    return {}, (f"the arguments were {written}: taken as no arguments",)


def _too_long(longest: int, length: str) -> TooLongError:
    """Return the error for arguments of more than `longest` characters; `length` is its verb phrase."""
    return TooLongError(
        f"the arguments {length}; the limit is {longest}. The tool was not run: send less, in several calls if necessary"
    )


class _Copier:
    """Copies a JSON value, so that the caller's objects are not changed.

    Args:
        longest: How many characters the value may have; None for any number.
    """

    __slots__ = ("_left", "_longest")

    def __init__(self, longest: int | None) -> None:
        self._longest = longest
        self._left = longest

    def copy(self, value: Any, depth: int, path: tuple[str | int, ...]) -> Any:
        """Return a deep copy of `value`, of plain JSON types.

        Args:
            value: The value, or a value inside it.
            depth: How deep it is nested.
            path: Its path, for messages.

        Raises:
            ArgumentsError: It is not a JSON value, nested too deeply, or too long.
        """
        kind = type(value)
        if kind is str:
            self._count(len(value))
            return value
        if value is None or kind is bool or kind is int:
            return value
        if kind is float:
            if value - value == 0:
                return value
            raise ArgumentsError(
                f"the arguments must be valid JSON: {json_path(path)} is {value}, which is not a JSON number"
            )
        if depth > MAX_DEPTH:
            raise too_deep_error()
        if isinstance(value, Mapping):
            return self._copy_mapping(value, depth, path)
        if isinstance(value, (list, tuple)):
            self._count(2 * len(value))  # a value and a comma
            return [self.copy(item, depth + 1, (*path, place)) for place, item in enumerate(value)]
        for plain, bare in _PLAIN_VALUES:
            if isinstance(value, plain):
                return self.copy(bare(value), depth, path)
        raise ArgumentsError(f"the arguments must be valid JSON: {json_path(path)} is a Python {kind.__name__}")

    def _copy_mapping(self, value: Mapping[Any, Any], depth: int, path: tuple[str | int, ...]) -> dict[str, Any]:
        """Return `value` as a new dict with deep copies of its values, and count its characters.

        Raises:
            ArgumentsError: A name is not a string, or what `copy` raises for a value.
            TooLongError: The arguments have too many characters.
        """
        self._count(5 * len(value))  # quotes, a colon, a value and a comma
        for name in value:
            if not isinstance(name, str):
                raise ArgumentsError(
                    f"the arguments must be valid JSON: {json_path(path)} has the name {name!r:.60}, which is not a string"
                )
            self._count(len(name))
        return {
            str.__str__(name): self.copy(item, depth + 1, (*path, str.__str__(name))) for name, item in value.items()
        }

    def _count(self, characters: int) -> None:
        """Subtract `characters` from those that the arguments may still have; do nothing if there is no limit.

        Raises:
            TooLongError: The result is negative.
        """
        if self._left is not None and self._longest is not None:
            self._left -= characters
            if self._left < 0:
                raise _too_long(self._longest, f"have more than {self._longest} characters")


_PLAIN_VALUES: Final[tuple[tuple[type, Any], ...]] = ((str, str.__str__), (int, int.__int__), (float, float.__float__))
"""Type -> the function that converts a value of a subclass to the type; `str(…)` would give the name of an Enum's member, not its value."""


def _json_kind(value: object) -> str:
    """Return the JSON type of `value` with its article, such as `an array`, or `null` for any other type."""
    return {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}.get(
        type(value), "null"
    )


# --- Parts, copies and texts of arguments that were read ---


def paths_in(arguments: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return the strings that are arguments of the parameters `names`, or in their lists, each once."""
    given = (arguments.get(name) for name in names)
    texts = [text for value in given for text in (value if isinstance(value, list) else (value,))]
    return list(dict.fromkeys(text for text in texts if isinstance(text, str)))


def copy_json(value: Any) -> Any:
    """Return a deep copy of a JSON value; numbers keep their digits."""
    if isinstance(value, dict):
        return {name: copy_json(item) for name, item in value.items()}
    return [copy_json(item) for item in value] if isinstance(value, list) else value


def exact_text(value: Any, *, sort: bool = False) -> str:
    """Return the text of a JSON value; numbers keep the digits they were written with.

    Args:
        value: The value.
        sort: Whether names are sorted.

    Raises:
        ValueError: An integer has more digits than Python converts to text.
    """
    if isinstance(value, dict):
        items = sorted(value.items()) if sort else value.items()
        return "{" + ",".join(f"{json.dumps(name)}:{exact_text(item, sort=sort)}" for name, item in items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(exact_text(item, sort=sort) for item in value) + "]"
    return value.text if isinstance(value, ExactFloat) else json.dumps(value)


# --- Repairing by the schema ---

_ROUNDS = 3
"""The most levels of arrays in strings, in arrays in strings, …, that are unwrapped."""


def repair_arguments(
    arguments: dict[str, Any],
    tool: Tool,
    validator: Validator,
    allowed: Collection[str] = ALL_REPAIRS,
    most_steps: int = MOST_STEPS,
) -> tuple[dict[str, Any], tuple[str, ...], tuple[Problem, ...]]:
    """Return invalid arguments, repaired where that is certain, the repairs and the remaining problems.

    Args:
        arguments: The arguments as the model wrote them; they are not changed.
        tool: The tool that was called.
        validator: The validator of its arguments, which did not accept them.
        allowed: The names of the repairs that may be made.
        most_steps: How many steps the search for violations may take.

    Raises:
        TooManyStepsError: The search takes more steps.
    """
    violations = validator.violations(arguments, most_steps)
    repairs: list[str] = []
    if _may_be_repaired(violations, allowed):
        arguments = copy.deepcopy(arguments)
        for _ in range(_ROUNDS):
            done = list(_unwrap_texts(arguments, violations, tool, allowed))
            if "explicit-null" in allowed:
                done += _drop_nulls(arguments, violations, tool, validator)
            if not done:
                break
            repairs += done
            violations = [] if validator.is_valid(arguments) else validator.violations(arguments, most_steps)
    return arguments, tuple(sorted(set(repairs))) if repairs else (), word_problems(violations)


def _may_be_repaired(violations: list[Violation], allowed: Collection[str]) -> bool:
    """Return whether one of `violations` or of their branches looks repairable by a repair in `allowed`."""
    return any(_looks_repairable(each, allowed) for each in _with_branches(violations))


def _looks_repairable(violation: Violation, allowed: Collection[str]) -> bool:
    """Return whether the value is null, or a string with `[` or `{`, and its repair is in `allowed`."""
    value = violation.instance
    if value is None:
        return "explicit-null" in allowed
    return isinstance(value, str) and "wrapped-json" in allowed and ("[" in value or "{" in value)


def _with_branches(violations: Iterable[Violation]) -> Iterator[Violation]:
    """Yield `violations`, then those in the branches of their unions, at any depth; each union once.

    A branch that does not accept the type of the value is skipped.
    """
    waiting = list(violations)
    seen: set[int] = set()  # branches of nested unions share violations
    for each in waiting:  # which grows meanwhile
        if not each.branches:
            yield each
        elif id(each) not in seen:
            seen.add(id(each))
            yield each
            for branch in each.branches:
                if not any(inner.keyword == "type" and inner.path == each.path for inner in branch):
                    waiting += branch


def _unwrap_texts(
    arguments: dict[str, Any], violations: list[Violation], tool: Tool, allowed: Collection[str]
) -> Iterator[str]:
    """Replace strings in `arguments` by the JSON arrays and objects in them; yield sentences about it.

    Only strings are replaced where `violations` show that an array or object is expected, and no string. A string that
    is not such JSON is left. Yields nothing if the repair `wrapped-json` is not allowed.
    """
    if "wrapped-json" not in allowed:
        return
    for violation in _with_branches(violations):
        text = _wrapped_text(arguments, violation)
        if text is None:
            continue
        path = json_path(violation.path)
        try:
            value, slips = read_lenient_json(text, tool.signature.exact, allowed, f"the text of {path}")
        except ArgumentsError:
            continue
        if isinstance(value, (list, dict)):
            _container(arguments, violation.path)[violation.path[-1]] = value
            yield f"{path} was JSON text: taken as the {'array' if isinstance(value, list) else 'object'} that it holds"
            yield from slips


def _wrapped_text(arguments: dict[str, Any], violation: Violation) -> str | None:
    """Return the string at the path of `violation` if an array or object is expected there, and no string.

    Otherwise return None, also for the arguments as a whole, and for a value that is not a string (any more).
    """
    path, expected = violation.path, _expected_kinds(violation)
    if not path or not expected & {"array", "object"} or "string" in expected:
        return None
    text = _container(arguments, path)[path[-1]]  # another violation may have repaired it already
    return text if isinstance(text, str) else None


def _drop_nulls(
    arguments: dict[str, Any], violations: list[Violation], tool: Tool, validator: Validator
) -> Iterator[str]:
    """Delete from `arguments` optional properties whose null is not valid; yield a sentence about each.

    Deeper nulls are deleted as `OptionalProperties.nulls` finds them.
    """
    nulls = [each for each in _with_branches(violations) if each.instance is None]
    if not nulls:
        return
    optional = validator.properties - validator.required
    paths: list[tuple[str | int, ...]] = [
        each.path for each in violations if each.instance is None and len(each.path) == 1 and each.path[0] in optional
    ]
    if len(paths) < len(nulls):
        paths += OptionalProperties(tool.parameters).nulls(violations)
    for path in dict.fromkeys(paths):
        del _container(arguments, path)[path[-1]]
        yield f"{json_path(path)} was null: taken as left out"


def _container(arguments: dict[str, Any], path: tuple[str | int, ...]) -> Any:
    """Return the object or array in `arguments` that contains the value at `path`."""
    container: Any = arguments
    for segment in path[:-1]:
        container = container[segment]
    return container


def _expected_kinds(violation: Violation) -> set[str]:
    """Return the JSON types that the schema accepts in place of the violation's value; may be empty.

    It is empty if only the value, not its type, is wrong. A union's branch that gives no type counts as `string`.
    """
    if violation.keyword == "type":
        return {violation.limit} if isinstance(violation.limit, str) else set(violation.limit)
    if violation.keyword in ("enum", "const", "format", "pattern", "minimum", "maximum"):
        return set()
    expected: set[str] = set()
    for branch in violation.branches:
        kinds = [_expected_kinds(inner) for inner in branch if inner.path == violation.path]
        # A branch that rejects the value for another reason may accept strings
        expected |= set().union(*kinds) if any(kinds) else {"string"}
    return expected


# --- Nulls for what may be left out ---

Path: TypeAlias = tuple[str | int, ...]

_MOST_STEPS: Final = 5_000
"""The most visits of violations and schemas. A branch of a union visits them again, so their number grows exponentially with nested unions."""


class OptionalProperties:
    """The properties of a schema, at every depth, that may be left out.

    Args:
        schema: The schema of a tool's parameters.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self._references = References(schema)
        self._root = self._applied(schema)
        self._steps = 0

    def nulls(self, violations: Iterable[Violation]) -> list[Path]:
        """Return the paths of nulls that can only mean that a property is left out.

        In a union, that is a null in the only branch that rejects nothing else in the value. If dropping different nulls would make the value
        valid in different ways, none is dropped; nor is any in unions that are nested too deeply to visit all branches.

        Args:
            violations: The violations of the arguments.
        """
        self._steps = 0
        found = [self._nulls_for(violation, self._root, (), []) for violation in violations]
        if self._steps > _MOST_STEPS:
            return []
        return sorted(set().union(*(paths for paths in found if paths)), key=str)

    def _nulls_for(
        self, violation: Violation, schemas: list[dict[str, Any]], base: Path, outer: list[dict[str, Any]]
    ) -> frozenset[Path] | None:
        """Return the paths of the nulls to drop to fix `violation`, or None if that does not fix it.

        None, too, if a union can be fixed in several ways, or after too many steps.

        Args:
            violation: A violation of the value at the path `base`, or of a value in it.
            schemas: The schemas that apply to the value at `base`.
            base: The path.
            outer: If `schemas` are in a branch of a union, the schemas outside the union that apply to that value too.
        """
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return None
        path = violation.path
        if violation.instance is None and len(path) > len(base):
            containers = self._schemas_at([*outer, *schemas], path[len(base) : -1])
            return frozenset({path}) if _may_be_left_out(path[-1], containers) else None
        if violation.keyword not in ("anyOf", "oneOf"):
            return None
        here = self._schemas_at(schemas, path[len(base) :])
        unions = [each[violation.keyword] for each in here if violation.keyword in each]
        if len(unions) != 1 or len(unions[0]) != len(violation.branches):
            return None
        around = [*self._schemas_at(outer, path[len(base) :]), *here]
        branches = zip(unions[0], violation.branches, strict=True)
        ways = {self._nulls_for_all(found, self._applied(each), path, around) for each, found in branches}
        ways.discard(None)
        return ways.pop() if len(ways) == 1 else None

    def _nulls_for_all(
        self, violations: Iterable[Violation], schemas: list[dict[str, Any]], base: Path, outer: list[dict[str, Any]]
    ) -> frozenset[Path] | None:
        """Return the paths of the nulls to drop to fix all of `violations`, or None if one cannot be fixed so."""
        together: frozenset[Path] = frozenset()
        for violation in violations:
            paths = self._nulls_for(violation, schemas, base, outer)
            if paths is None:
                return None
            together |= paths
        return together

    def _schemas_at(self, schemas: list[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
        """Return the schemas that apply at `path` below a value to which `schemas` apply, each once.

        The list is empty if there are none, or after too many steps.
        """
        for segment in path:
            self._steps += len(schemas)
            if self._steps > _MOST_STEPS:
                return []
            inner = [
                each for schema in schemas for inner in _schemas_below(schema, segment) for each in self._applied(inner)
            ]
            schemas = list(
                {id(each): each for each in inner}.values()
            )  # or two references to one schema would double at each level
        return schemas

    def _applied(self, schema: Any) -> list[dict[str, Any]]:
        """Return `schema` and those it reaches by `$ref` and `allOf`, each once; empty if it is not an object."""
        found: list[dict[str, Any]] = []
        waiting = [schema]
        while waiting:
            each = waiting.pop()
            if not isinstance(each, dict) or any(each is other for other in found):
                continue
            found.append(each)
            waiting += [*each.get("allOf", ()), self._references.target(each.get("$ref"))]
        return found


def _may_be_left_out(name: str | int, schemas: list[dict[str, Any]]) -> bool:
    """Return whether one of `schemas` has the property `name`, and none requires it."""
    is_known = any(name in each.get("properties", ()) for each in schemas)
    return is_known and not any(name in each.get("required", ()) for each in schemas)


def _schemas_below(schema: dict[str, Any], segment: str | int) -> Iterator[Any]:
    """Yield once: the schema (a dict or bool) that `schema` has for a property or an array index, or None.

    A property or item without a schema of its own gets that of `additionalProperties`, `items` or `additionalItems`.
    """
    if isinstance(segment, str):
        properties = schema.get("properties", {})
        yield properties[segment] if segment in properties else schema.get("additionalProperties")
        return
    items = schema.get("items")
    first = items if isinstance(items, list) else schema.get("prefixItems", [])  # before draft 2020-12, and since
    yield first[segment] if segment < len(first) else items if items is not first else schema.get("additionalItems")

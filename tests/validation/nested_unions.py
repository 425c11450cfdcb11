"""Calls tools with unions nested in unions, and prints the outcome of each call. A test runs it within limits.

Each case was one that took exponential time: wrong at the bottom, through schemas of both kinds and both validators; with what a repair looks
for at the bottom; or valid, and decoded and encoded by members that only a close look tells apart.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

from fcregistry import Executor, Tool


@dataclass
class Lit:
    kind: Literal["lit"]
    value: int


@dataclass
class Add:
    kind: Literal["add"]
    left: Expr
    right: Expr


@dataclass
class Neg:
    kind: Literal["neg"]
    of: Expr


@dataclass
class Abs:
    kind: Literal["abs"]
    of: Expr


Expr = Lit | Add | Neg | Abs


class Left(TypedDict):
    of: Side
    to: Literal["left"]


class Right(TypedDict):
    of: Side
    to: Literal["right"]


@dataclass
class Up:
    of: Height
    up: int = 0


@dataclass
class Down:
    of: Height
    down: int = 0


Side = int | Left | Right
Height = int | Up | Down


def evaluate(e: Expr) -> str:
    """Evaluate an expression."""
    return "evaluated"


def turn(e: Side) -> Side:
    """Turn."""
    return e


def climb(e: Height) -> Height:
    """Climb."""
    return e


def take(**arguments: Any) -> str:
    """Take anything."""
    return "taken"


def by_hand(keyword: str) -> Tool:
    """Return a tool whose schema has branches that no tag distinguishes."""
    inner = {"type": "object", "required": ["of"], "properties": {"of": {"$ref": "#/$defs/e"}}}
    branches = [{"type": "integer"}, inner, {**inner, "maxProperties": 1}, {**inner, "minProperties": 1}]
    schema = {"type": "object", "properties": {"e": {"$ref": "#/$defs/e"}}, "$defs": {"e": {keyword: branches}}}
    return Tool.from_function(take, name=keyword, parameters=schema)


def joined() -> Tool:
    """Return a tool whose schema joins one record twice, as inheritance does."""
    e = {"$ref": "#/$defs/e"}
    twice = {"allOf": [{"properties": {"of": e}}, {"properties": {"of": {"allOf": [e, e]}, "to": {"type": "string"}}}]}
    schema = {"properties": {"e": e}, "$defs": {"e": {"type": ["integer", "object"], **twice}}}
    return Tool.from_function(take, name="joined", parameters=schema)


def nested(depth: int, bottom: object, *layers: dict[str, object]) -> object:
    """Return a value inside so many layers, which alternate."""
    for level in range(depth):
        bottom = {"of": bottom, **layers[level % len(layers)]}
    return bottom


def report(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def main() -> None:
    depth = int(sys.argv[1])
    tools = [evaluate, turn, climb, by_hand("anyOf"), by_hand("oneOf"), joined()]
    for engine in ("jsonschema-rs", "jsonschema"):
        executor = Executor(tools, validator=engine, check_results=True)
        for bottom in ("x", None, '{"kind": "lit", "value": 1}', "\ud800"):
            wrong = nested(depth, {"kind": "lit", "value": bottom}, {"kind": "neg"}, {"kind": "abs"})
            for name, value in (
                ("evaluate", wrong),
                ("turn", nested(depth, bottom, {"to": "left"}, {"to": "right"})),
                ("climb", nested(depth, bottom, {"up": 1}, {"down": 1})),
                ("anyOf", nested(depth, bottom, {})),
                ("oneOf", nested(depth, bottom, {})),
                ("joined", nested(depth, bottom, {})),
                ("joined", nested(depth, {"to": bottom or 1}, {})),
            ):
                result = executor.run({"name": name, "arguments": json.dumps({"e": value})})
                report(engine, name, result.error and result.error.code, len(result.content) < 1_000)
        for name, value in (
            ("evaluate", nested(depth, {"kind": "lit", "value": 1}, {"kind": "neg"}, {"kind": "abs"})),
            ("turn", nested(depth, 1, {"to": "left"}, {"to": "right"})),
            ("climb", nested(depth, 1, {"up": 1}, {"down": 1})),
            ("joined", nested(depth, {"to": None}, {})),  # a null for what may be left out
        ):
            result = executor.run({"name": name, "arguments": json.dumps({"e": value})})
            report(
                engine,
                name,
                result.error and result.error.code,
                name in ("evaluate", "joined") or json.loads(result.content) == value,
            )


if __name__ == "__main__":
    import resource  # not on Windows, where a benchmark imports this module as well

    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
    main()

"""Large schemas: the memory that reading and validating takes, and the verdicts where jsonschema-rs does not decide."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from fcregistry import Executor, Tool

from .both_engines import ENGINES, of_argument, tool_of

PEAK = """
import json, sys
schema, arguments = sys.stdin.read().split("\\n")
{work}
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(line.split()[1])
"""
PARSE = "json.loads(schema), json.loads(arguments)"
REFUSE = """
from fcregistry import Executor, Tool
tool = Tool.from_function(lambda **given: None, name="take", description="Take.", parameters=json.loads(schema))
assert Executor([tool]).run({"name": "take", "arguments": arguments}).error.code == "invalid_arguments"
"""


def peak_of(work: str, schema: dict[str, Any], arguments: dict[str, Any]) -> int:
    """Return the most kilobytes of memory that a fresh process had that read both texts and did the work."""
    program = PEAK.replace("{work}", work)
    given = f"{json.dumps(schema)}\n{json.dumps(arguments)}"
    done = subprocess.run(
        [sys.executable, "-c", program], input=given, capture_output=True, text=True, check=True, timeout=120
    )
    return int(done.stdout)


def unions(count: int, branches: int, shared: int) -> dict[str, Any]:
    """Return a schema of several unions, whose branches have properties of their own and shared ones, and no others."""
    base = {
        "properties": {f"shared{i}": {"type": "string", "description": f"The shared text {i}"} for i in range(shared)}
    }
    return {
        "type": "object",
        "properties": {
            f"p{i}": {
                "anyOf": [
                    {
                        "$ref": "#/$defs/base",
                        "properties": {f"own{i}_{j}": {"description": f"The own value {i} of branch {j}"}},
                        "unevaluatedProperties": False,
                    }
                    for j in range(branches)
                ]
            }
            for i in range(count)
        },
        "$defs": {"base": base},
    }


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (unions(60, 600, 10_000), {f"p{i}": {"x": 1, "y": 2} for i in range(60)}),
        (
            of_argument({"enum": [{"id": i, "name": f"n{i}"} for i in range(80_000)]}),
            {"value_": {"id": -1, "name": "n"}},
        ),
        (of_argument({"const": [{"id": i, "name": f"n{i}"} for i in range(80_000)]}), {"value_": 1}),
    ],
    ids=["unions", "enum", "const"],
)
def test_refusing_a_call_takes_at_most_three_times_the_memory_of_parsing(schema: Any, arguments: Any) -> None:
    """The schemas are so large that what is imported, which differs between builds of Python, counts for little."""
    assert peak_of(REFUSE, schema, arguments) <= 3 * peak_of(PARSE, schema, arguments)


CHOICES = [*range(5_000), 0.5, True, None, "text", *({"id": i, "of": [i, "a"]} for i in range(3_000)), [1, 2]]


@pytest.mark.parametrize(
    ("value", "is_valid"),
    [
        (7.0, True), (0.5, True), (True, True), (False, False), (None, True), ("text", True), ("7", False), (5_000, False),
        ({"of": [7.0, "a"], "id": 7}, True), ({"id": 7, "of": [8, "a"]}, False), ({"id": True, "of": [True, "a"]}, False),
        ([1, 2.0], True), ([2, 1], False), ([True, 2], False), ({}, False), ([], False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("engine", ENGINES)
def test_a_long_enum_is_compared_as_json(engine: Any, value: Any, is_valid: bool) -> None:
    tool = tool_of(of_argument({"enum": CHOICES}))
    assert not tool.validator().is_fast
    assert tool.validator(engine).is_valid({"value_": value}) is is_valid


def test_the_fast_engine_decides_by_a_union_of_many_branches() -> None:
    branches = [
        {"type": "object", "properties": {"k": {"const": f"k{i}"}, "v": {"type": "integer"}}, "required": ["k", "v"]}
        for i in range(3_000)
    ]
    validator = tool_of(of_argument({"type": "array", "items": {"anyOf": branches}})).validator()
    assert validator.is_fast
    assert validator.is_valid({"value_": [{"k": f"k{i}", "v": i} for i in range(0, 3_000, 100)]})
    assert not validator.is_valid({"value_": [{"k": "k2999", "v": "1"}]})


@pytest.mark.parametrize(
    ("schema", "is_fast"),
    [
        ({"enum": list(range(1_000))}, True),
        ({"anyOf": [{"enum": list(range(i, i + 900))} for i in range(0, 18_000, 900)]}, True),
        ({"anyOf": [{"enum": list(range(i, i + 1_500))} for i in range(0, 18_000, 1_500)]}, False),
        ({"examples": [0] * 190_000}, True),
        ({"examples": [0] * 200_000}, False),
    ],
    ids=["short enum", "many short enums", "long enums", "large", "too large"],
)
def test_the_size_of_a_schema_decides_about_the_engine(schema: dict[str, Any], is_fast: bool) -> None:
    assert tool_of(of_argument(schema)).validator().is_fast is is_fast


def test_a_large_union_is_decided_as_a_small_one() -> None:
    tool = tool_of(unions(3, 150, 3_500))
    assert not tool.validator().is_fast
    assert tool_of(unions(3, 15, 10)).validator().is_fast is False  # compiled again for each branch
    assert tool_of(unions(1, 5, 10)).validator().is_fast
    for count, branches, shared in ((3, 150, 3_500), (3, 15, 10), (1, 5, 10)):
        validator = tool_of(unions(count, branches, shared)).validator()
        assert validator.is_valid({"p0": {"own0_4": 1, "shared7": "a"}})
        assert not validator.is_valid({"p0": {"own0_4": 1, "own0_3": 1}})
        assert not validator.is_valid({"p0": {"own0_4": 1, "shared7": 1}})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", ["oneOf", "if"])
def test_each_subschema_of_nested_ones_is_applied_once(form: str, engine: Any) -> None:
    inner: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    value: Any = {"n": 1}
    wrong: Any = {"n": "1"}
    for _ in range(40):
        if form == "oneOf":
            inner = {"oneOf": [{"type": "object", "properties": {"a": inner}, "required": ["a"]}, {"type": "null"}]}
            value, wrong = {"a": value}, {"a": wrong}
        else:
            inner = {"if": inner, "then": {"maxProperties": 1}, "else": False}
    validator = tool_of(of_argument(inner)).validator(engine)
    assert validator.is_valid({"value_": value})
    assert not validator.is_valid({"value_": wrong})
    assert validator.violations({"value_": wrong})


def test_unknown_names_of_many_branches_are_compared_within_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    import difflib

    compared: list[int] = []
    real = difflib.get_close_matches

    def count(word: str, possibilities: Any, **options: Any) -> list[str]:
        compared.append(len(possibilities))
        return real(word, possibilities, **options)

    monkeypatch.setattr(difflib, "get_close_matches", count)
    tool = Tool.from_function(lambda **given: None, name="take", description="Take.", parameters=unions(20, 50, 40))
    arguments = {f"p{i}": {f"x{j}": 1 for j in range(30)} for i in range(20)}
    content = Executor([tool]).run({"name": "take", "arguments": arguments}).content
    assert "is not a known name" in content
    assert "there are none" not in content
    assert 0 < sum(compared) <= 22_000  # 10,000, and those of the last violation that still is given some

"""Wire names: a tool's own name where the provider accepts it, and never the same name for two tools."""

from __future__ import annotations

import keyword
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Executor, Tool
from fcregistry.formats._format import Alphabet  # an alphabet that no provider has yet
from fcregistry.formats.gemini import NAMES as GEMINI
from fcregistry.formats.python import NAMES as PYTHON
from fcregistry.formats.typescript import NAMES as TYPESCRIPT

ALPHABETS = {"gemini": GEMINI, "python": PYTHON, "typescript": TYPESCRIPT}
TINY = Alphabet(first="[A-Za-z_]", rest="[A-Za-z0-9_]", longest=20, reserved=frozenset({"class"}))

# The names of ours, with what a rewritten one is made of turning up often.
names = st.lists(
    st.sampled_from([*"abxXz019_-", "_x2d_", "_x", "_xz", "x2d_", "0123456789", "class", "in", "function"]), min_size=1
).map(lambda parts: "".join(parts)[:64]) | st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)


def undone(wire: str) -> str:
    """Return the name that a rewritten one stands for, where it was not cut."""
    return re.sub("_x([0-9a-f]{2})_", lambda match: chr(int(match[1], 16)), wire)


@pytest.mark.parametrize(
    ("format_name", "name", "wire"),
    [
        ("gemini", "get_weather", "get_weather"),
        ("gemini", "get-weather", "get-weather"),
        ("gemini", "9lives", "_x39_lives"),
        ("gemini", "-a", "_x2d_a"),
        ("gemini", "x_x2d_a", "x__x78_2d_a"),
        ("python", "get-weather", "get_x2d_weather"),
        ("python", "class", "_x63_lass"),
        ("python", "class_", "class_"),
        ("python", "function", "function"),
        ("python", "get_xml", "get_xml"),
        ("typescript", "function", "_x66_unction"),
        ("typescript", "string", "_x73_tring"),
        ("typescript", "9-", "_x39__x2d_"),
    ],
)
def test_a_name_that_fits_stays_and_any_other_is_rewritten(format_name: str, name: str, wire: str) -> None:
    assert ALPHABETS[format_name].wire_name(name) == wire


def test_a_name_that_becomes_too_long_is_cut_and_kept_apart_by_its_hash() -> None:
    first, second = (GEMINI.wire_name("9" + "a" * 62 + end) for end in "ab")

    assert first == "_x39_" + "a" * 46 + "_xz4369eafc56"
    assert first[:51] == second[:51]
    assert first != second
    assert len(first) == len(second) == 64


@given(names, st.sampled_from([GEMINI, PYTHON, TYPESCRIPT, TINY]))
@settings(max_examples=500, deadline=None, database=None)
def test_every_name_fits_its_provider_and_can_be_read_back(name: str, alphabet: Alphabet) -> None:
    wire = alphabet.wire_name(name)

    assert alphabet.fits(wire)
    assert len(wire) <= (alphabet.longest or 64 * 5)
    assert wire == alphabet.wire_name(name)
    if not re.search("_xz[0-9a-f]{10}$", wire):
        assert undone(wire) == name


@given(st.lists(names, min_size=2, max_size=12, unique=True), st.sampled_from([GEMINI, PYTHON, TYPESCRIPT, TINY]))
@settings(max_examples=500, deadline=None, database=None)
def test_no_two_names_become_one(several: list[str], alphabet: Alphabet) -> None:
    assert len({alphabet.wire_name(name) for name in several}) == len(several)


@given(names)
@settings(max_examples=200, deadline=None, database=None)
def test_python_and_typescript_get_identifiers(name: str) -> None:
    assert PYTHON.wire_name(name).isidentifier()
    assert not keyword.iskeyword(PYTHON.wire_name(name))
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", TYPESCRIPT.wire_name(name))


@pytest.mark.parametrize(
    "format_name", ["anthropic", "bedrock", "json-schema", "mcp", "openai", "openai-responses", "text", "yaml"]
)
def test_other_formats_take_every_name_of_fcregistry(format_name: str) -> None:
    for name in ("9lives", "-a", "class", "x_x2d_a", "a" * 64):
        assert name in str(Tool.from_function(print_it, name=name).definition(format_name))


def print_it(text: str) -> str:
    """Print it."""
    return f"printed {text}"


@pytest.mark.parametrize("name", ["9lives", "get-weather", "class", "function", "9" + "a" * 63, "print_it"])
@pytest.mark.parametrize("format_name", ["gemini", "python", "typescript"])
def test_a_call_that_comes_back_by_its_wire_name_finds_its_tool(name: str, format_name: str) -> None:
    executor = Executor([Tool.from_function(print_it, name=name), Tool.from_function(print_it, name="other")])
    wire = ALPHABETS[format_name].wire_name(name)

    assert wire in str(executor.describe(format_name))
    for called in (wire, name):
        result = executor.run({"name": called, "arguments": {"text": "x"}})
        assert (result.value, result.call and result.call.name, result.tool and result.tool.name) == (
            "printed x",
            called,
            name,
        )


def test_the_tools_own_name_precedes_one_of_the_wire() -> None:
    def first() -> str:
        return "first"

    def second() -> str:
        return "second"

    executor = Executor([Tool.from_function(first, name="a-b"), Tool.from_function(second, name="a_x2d_b")])

    assert executor.run({"name": "a_x2d_b"}).value == "second"
    assert executor.run({"name": "a__x78_2d_b"}).value == "second"
    assert executor.run({"name": "a-b"}).value == "first"


def test_an_unknown_name_is_still_unknown() -> None:
    result = Executor([Tool.from_function(print_it, name="9lives")]).run({"name": "_x39_live"})

    assert result.error is not None
    assert result.error.code == "unknown_tool"


def test_a_batch_finds_tools_by_the_names_of_the_wire() -> None:
    executor = Executor([Tool.from_function(print_it, name="get-it", blocking="caller")])
    calls = [{"name": "get_x2d_it", "arguments": {"text": text}} for text in "ab"]

    assert [result.value for result in executor.run_all(calls)] == ["printed a", "printed b"]

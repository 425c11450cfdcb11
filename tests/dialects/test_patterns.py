"""The regular expressions that read models' texts: none reads the same text again and again."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .repeats import quadratic_repeats

PROGRAM = Path(__file__).with_name("patterns_in_use.py")
SEARCHES = {"search", "finditer", "findall", "sub", "subn", "split"}


def test_no_pattern_reads_a_text_again_and_again() -> None:
    """A match holds the interpreter, so that neither a time limit nor Ctrl-C ends it: one quadratic pattern is enough to stop a program."""
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, check=True, timeout=100, text=True)
    patterns = json.loads(done.stdout)
    rooms = {where.partition("/")[0] for _, _, where, _ in patterns}
    assert rooms == {"_base", "dialects", "expressions", "prompts"}
    assert len(patterns) > 200
    quadratic = {
        f"{where}: {pattern[:200]}": found
        for pattern, flags, where, uses in patterns
        # one of which no use is known may be searched for
        if (
            found := quadratic_repeats(
                pattern, flags, is_searched=not uses or not SEARCHES.isdisjoint(uses), is_whole="fullmatch" in uses
            )
        )
    }
    assert not quadratic


@pytest.mark.parametrize(
    "pattern",
    [
        r"\s*\s*x",
        r"\s*(?:a|)\s*+x",
        r"\w*[^\W\d]\w*;",
        r"(?:a+b?)*c",
        r"(?:(?>[\w\s]*+[:,])|\s)*+x",
        r"(?:(?>\w*+:)?\w)*+x",
        r"(?:(?!\w*+:)\w)*+x",
        r"<(?:(?:\w*+>|\w)*+;)",
    ],
)
def test_a_quadratic_pattern_is_found(pattern: str) -> None:
    assert quadratic_repeats(pattern, is_searched=False)


@pytest.mark.parametrize("pattern", [r"\s*x", r"\s*+x", r"a[^b]*b", r"A\w*!", r"[ \t]*$", r"(?=\s*x)"])
def test_a_pattern_that_is_quadratic_where_it_is_searched_for_is_found(pattern: str) -> None:
    assert quadratic_repeats(pattern)
    assert not quadratic_repeats(pattern, is_searched=False)


@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+",
        r"\s*+\s*+x",
        r"\s*=\s*x",
        r"<[^<>]*>",
        r"(?m:^[ \t]*x)",
        r'"(?>[^"\\]+|\\.)*+"',
        r"(?>[\w\s]*+[:,])*+\s*+(?:/\*[^*]*+\*/(?>[\w\s]*+[:,])*+\s*+)*+x",
        r"(?:'''[^']*+'''|'(?!')[^']*+'|''(?=[^']))*+",
    ],
)
def test_a_linear_pattern_is_not(pattern: str) -> None:
    assert not quadratic_repeats(pattern, is_searched=pattern[0] in '\\"<(' and r"\s*" not in pattern)

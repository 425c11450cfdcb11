"""No text takes long, or much memory, before it is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from textwrap import dedent

import pytest

pytest.importorskip("resource", reason="only POSIX says how much memory a process has had")

MEGABYTES = 50

# What hostile models write, or text that they were shown. Each is refused.
ATTACKS = {
    "dunder access": "echo(obj.__class__.__base__.__subclasses__())",
    "globals of a tool": "echo(v=echo.__globals__['os'].getcwd())",
    "import": "echo(__import__('os').system('id'))",
    "a walk through the context": "echo(obj" + ".a" * 40 + ")",
    "a long walk": "echo(obj" + ".a" * 90_000 + ")",
    "comprehension": "echo([c for c in ().__class__.__base__.__subclasses__()])",
    "generator": "echo(x for x in x)",
    "lambda": "echo((lambda: 1)())",
    "lambdas": "echo(" + "lambda a,a:" * 10_000 + "1)",
    "f-string": "echo(f'{obj.__class__}')",
    "f-strings": "echo(" + "f'{" * 20_000 + ")",
    "format": "echo('{0.__class__}'.format(obj))",
    "percent format": "echo('%1000000000d' % 1)",
    "walrus": "echo((a := 1))",
    "await": "await echo(1)",
    "yield": "echo((yield))",
    "star arguments": "echo(*[*[*[1]]])",
    "many star arguments": "echo(" + "*[1]," * 40_000 + ")",
    "star of a number": "echo(*10**9)",
    "double stars": "echo(**{**{**{}}})",
    "huge power": "echo(9**9**9**9)",
    "powers": "echo([" + "2**4096," * 1_500 + "])",
    "huge shift": "echo(1 << 10**9)",
    "huge product": "echo(" + "9" * 1_299 + "*9" * 30 + "*" + "9" * 1_299 + ")",
    "huge number": "echo(" + "9" * 190_000 + ")",
    "huge hexadecimal number": "echo(0x" + "f" * 190_000 + ")",
    "repeated text": "echo('a' * 10**9)",
    "repeated list": "echo([0] * 10**9)",
    "joined text": "echo([" + "big + big," * 1_900 + "])",
    "doubled text": "echo(" + "big + " * 30 + "big)",
    "open brackets": "(" * 190_000,
    "closed brackets": "echo(" + "[" * 90_000 + "]" * 90_000 + ")",
    "brackets and an error": "echo(" + "{1:[(" * 20 + "1 1" + ")]}" * 20 + ")",
    "nested calls": "echo(" * 10_000 + ")" * 10_000,
    "many calls": "echo([" + "echo(1)," * 1_900 + "])",
    "signs": "echo(" + "-" * 190_000 + "1)",
    "inversions": "echo(" + "~" * 90 + "1)",
    "sums": "echo(" + "1+" * 90_000 + "1)",
    "chained calls": "echo" + "()" * 90_000,
    "chained subscripts": "echo(x" + "[0]" * 30 + ")",
    "unknown names": "echo([" + "y," * 4_900 + "])",
    "a set of numbers of one hash": "echo({" + ",".join(str(number * (2**61 - 1)) for number in range(4_900)) + "})",
    "a dict of numbers of one hash": "echo({" + ",".join(f"{number * (2**61 - 1)}:1" for number in range(2_400)) + "})",
    "numbers": "1," * 90_000,
    "statements": "echo(1);" * 1_900,
    "assignments": "a=" * 90_000 + "1",
    "decorators": "@" * 90_000,
    "quotes": "'" * 190_001,
    "triple quotes": "'''" + "''" * 90_000,
    "backslashes": "\\" * 190_000,
    "null": "echo('\0')",
    "surrogate": "echo('\ud800')",
    "match": "match x:\n case 1:\n  echo(1)",
    "a fence and blanks": "```\n" + " " * 190_000 + "x",
    "a fence of blanks": "```" + " " * 190_000 + "x",
    "too long": "echo('" + "a" * 10_000_000 + "')",
    "time": "echo(timedelta(days=10**30))",
    "fraction": "echo(Fraction('1e999999999'))",
    "a function of the application": "echo(boom(1))",
}

TRY = dedent("""
    import json, resource, sys
    from fcregistry import Tool
    from fcregistry.expressions import ExpressionError, parse_call

    def echo(v: object = None) -> None:
        "Take anything."

    tool = Tool.from_function(echo)
    context = {"x": 3, "big": "a" * 40_000, "obj": object()}

    def is_refused(text):
        try:
            parse_call(text, tools=tool, context=context)
        except ExpressionError:
            return True
        return False

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1 if sys.platform != "darwin" else 1024)

    attacks = json.load(sys.stdin)
    is_refused("echo(1 1)")
    before = peak()
    read = [name for name, text in attacks.items() if not is_refused(text)]
    json.dump({"read": read, "kilobytes": peak() - before}, sys.stdout)
""")


def test_an_attack_is_refused_in_little_memory() -> None:
    """The test measures the peak memory of a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TRY],
        input=json.dumps(ATTACKS),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)
    assert measured["read"] == [], "these were not refused"
    assert measured["kilobytes"] < MEGABYTES * 1024

"""Files and lines are found, with ripgrep and without it, and the answers are the same."""

from __future__ import annotations

import codecs
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fcregistry_files import file_tools

RG = shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))


@pytest.fixture(scope="module", params=["our own engine", "ripgrep"])
def engine(request: pytest.FixtureRequest) -> str:
    if request.param == "ripgrep" and RG is None:
        pytest.skip("ripgrep is not installed")
    return request.param


@pytest.fixture(autouse=True)
def path_of_engine(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What ripgrep is on the path decides."""
    monkeypatch.setenv("PATH", str(Path(RG).parent) if RG and engine == "ripgrep" else "")


@pytest.fixture
def tree(place: Any) -> Any:
    for path in [
        "a.csv",
        "b.md",
        "data/c.csv",
        "data/deep/er/d.csv",
        "data/deep/e.txt",
        ".hidden/f.csv",
        "data.csv/g.txt",
    ]:
        place.write(path, f"this is {path}\nsecond line\n")
    return place


@pytest.mark.parametrize(
    ("pattern", "path", "found"),
    [
        ("*.csv", ".", ["a.csv"]),
        ("**/*.csv", ".", [".hidden/f.csv", "a.csv", "data/c.csv", "data/deep/er/d.csv"]),
        ("*.{csv,md}", ".", ["a.csv", "b.md"]),
        ("data/**", ".", ["data/c.csv", "data/deep/e.txt", "data/deep/er/d.csv"]),
        ("**/deep/**/*", ".", ["data/deep/e.txt", "data/deep/er/d.csv"]),
        ("**/d*/*", ".", ["data.csv/g.txt", "data/c.csv", "data/deep/e.txt"]),
        ("data*/?.[ct]*", ".", ["data.csv/g.txt", "data/c.csv"]),
        ("*", "data", ["data/c.csv"]),
        ("./*.csv", "data/deep/er/", ["data/deep/er/d.csv"]),
        ("**", "data/deep", ["data/deep/e.txt", "data/deep/er/d.csv"]),
        ("[!a]*", ".", ["b.md"]),
    ],
)
def test_files_are_found_by_a_pattern(tree: Any, call: Any, pattern: str, path: str, found: list[str]) -> None:
    assert sorted(call("find_files", pattern=pattern, path=path).unwrap().paths) == found


def test_a_search_for_files_says_what_it_left_out(tree: Any, call: Any) -> None:
    result = call("find_files", pattern="*.txt").unwrap()
    assert result.note == "No file in this folder has such a name; '**/*.txt' looks in the folders below too."
    result = call("find_files", pattern="**/*", limit=2).unwrap()
    assert len(result.paths) == 2
    assert result.note == "There are more than 2; use a narrower pattern, or a path."
    assert "is not relative" in call("find_files", pattern="/etc/*").content
    assert "'nothing' is not in the root folder" in call("find_files", pattern="*", path="nothing").content


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"pattern": "second"}, 7),
        ({"pattern": "^this .*md$"}, 1),
        ({"pattern": "SECOND"}, 0),
        ({"pattern": "SECOND", "ignore_case": True}, 7),
        ({"pattern": "second", "files": "**/*.csv"}, 4),
        ({"pattern": "second", "path": "data"}, 3),
        ({"pattern": "second", "path": "data/c.csv"}, 1),
        ({"pattern": r"(?<=this )is"}, 7),
        ({"pattern": r"(\w)\1"}, 3),
    ],
)
def test_lines_are_found(tree: Any, call: Any, arguments: dict[str, Any], found: int) -> None:
    assert len(call("search_files", **arguments).unwrap().matches) == found


def test_a_search_for_lines_says_what_it_left_out(tree: Any) -> None:
    tree.write("large.txt", "second" * 100)
    executor = Executor(file_tools(tree.root, max_bytes=200))
    result = executor.call("search_files", pattern="second").value
    assert result.note == "1 files were not searched: they have more than 200 bytes."
    result = executor.call("search_files", pattern="second", limit=3).value
    assert [(each.path, each.line, each.text) for each in result.matches] == [
        (".hidden/f.csv", 2, "second line"),
        ("a.csv", 2, "second line"),
        ("b.md", 2, "second line"),
    ]
    assert result.note == "There are more than 3 lines; use a narrower pattern, files or path."
    assert executor.call("search_files", pattern="a(").content == (
        "the pattern 'a(' is not a regular expression: missing ) at position 2. A backslash makes a character plain."
    )


def test_a_long_line_is_shown_around_the_match(place: Any, call: Any) -> None:
    place.write("a.txt", "x" * 1_000 + "here" + "y" * 1_000)
    (match,) = call("search_files", pattern="here").unwrap().matches
    assert match.text == "…" + "x" * 100 + "here" + "y" * 196 + "…"


def test_a_search_that_takes_too_long_is_stopped(place: Any) -> None:
    place.write("a.txt", "a" * 40 + "b")
    assert Executor(file_tools(place.root)).call("search_files", pattern="a").ok, "the process has started"
    executor = Executor(file_tools(place.root, search_seconds=0.5))
    assert executor.call("search_files", pattern="^(a|a)*$").content == (
        "the search was stopped after 0.5 seconds, at 'a.txt': use a simpler pattern, or fewer files"
    )


def test_text_of_all_kinds_is_searched(place: Any, call: Any) -> None:
    """Also of an encoding that nobody knows: there, what is not ASCII is any character."""
    place.write("utf8.txt", "grün 5\r\n")
    place.write("mark.txt", codecs.BOM_UTF8 + "grün 5\n".encode())
    place.write("utf16.txt", codecs.BOM_UTF16_LE + "grün 5\r\n".encode("utf-16-le"))
    place.write("latin.txt", "grün 5\n".encode("latin-1"))
    place.write("binary.bin", b"gr\x00n 5 gr.n 5\n")
    result = call("search_files", pattern=r"^gr.n \d$").unwrap()
    assert [each.path for each in result.matches] == ["latin.txt", "mark.txt", "utf16.txt", "utf8.txt"]
    assert result.matches[3].text == "grün 5"


LINES = [
    "def test_one(self):",
    "  total: 1.200,50 €",
    "İstanbul \u0131s\u0131 IsI iSi Kelvin \u212a \u017fharp ß ẞ",
    "a\tb\x0bc\x1cd\x85e\u2028f",
    "emoji 👩‍👩‍👧 \U0001e5d0\U00011de0 \u0378",
    "日本語 の テキスト",
    "(parens) [brackets] {braces} a+b*c?d^e$f|g\\h",
    "",
    "\r",
    "x" * 400,
]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Executor:
    """Tools of a folder with one file for each line, in two encodings, and one with all."""
    root = tmp_path_factory.mktemp("mixed")
    for number, line in enumerate(LINES):
        (root / f"{number}.txt").write_bytes(line.encode())
        (root / f"{number}.crlf").write_bytes(f"first\r\n{line}\r\nlast\r\n".encode())
        (root / f"{number}.latin").write_bytes(line.encode("latin-1", "replace"))
    (root / "all.txt").write_text("\n".join(LINES), encoding="utf-8")
    return Executor(file_tools(root))


PIECES = st.sampled_from(
    [
        *"aeiksIKSİß.^$|日€\u017f",
        *(r"\.", r"\(", r"\d", r"\w", r"\s", r"\b", r"\B", r"\W", r"\D", r"\S", r"\w+", r"\s*?", r"\bi", r"[\w.]"),
        *("[a-z]", "[^a-z]", "[İ-\u017f]", "(?:a|b)", "(s)", "a+", ".*", "x{2,}", "(?i:k)", "(?=s)", "total"),
    ]
)


@pytest.mark.skipif(RG is None, reason="ripgrep is not installed")
@given(pieces=st.lists(PIECES, min_size=1, max_size=6), ignore_case=st.booleans())
@example(pieces=["İ"], ignore_case=True)
@example(pieces=["i"], ignore_case=True)
@example(pieces=[r"\w+", "$"], ignore_case=False)
@example(pieces=["^", "$"], ignore_case=False)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_answers_are_the_same_with_ripgrep(
    mixed: Executor, pieces: list[str], ignore_case: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RG is not None
    answers = []
    for path in ("", str(Path(RG).parent)):
        monkeypatch.setenv("PATH", path)
        result = mixed.call("search_files", pattern="".join(pieces), ignore_case=ignore_case, limit=1000)
        answers.append(result.content)
    assert answers[0] == answers[1]

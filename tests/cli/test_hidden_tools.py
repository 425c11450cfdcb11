"""Commands say which tools are hidden, and why, in one remark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site

TOOLS = '''
from fcregistry import fc_register


@fc_register
def find_books(words: str) -> str:
    """Find books in the catalogue."""
    return words


@fc_register(requires_env="CATALOGUE_KEY")
def find_abroad(words: str) -> str:
    """Find books in catalogues abroad."""
    return words


@fc_register("loans", requires_env="CATALOGUE_KEY")
def lend(book: str) -> str:
    """Lend a book."""
    return book


@fc_register
def greet() -> str:
    """Say hello."""
    return "hello"


@fc_register
def opens_at(day: str) -> str:
    """Say when the doors open."""
    return day


@fc_register
def pay_fine(amount: int) -> str:
    """Pay a fine."""
    return "paid"
'''

BOTH = "2 tools are hidden: find_abroad, loans.lend (CATALOGUE_KEY is not set)"
ONE = "1 tool is hidden: find_abroad (CATALOGUE_KEY is not set)"
SEE = "(see: fcregistry doctor)"


@pytest.fixture
def library(site: Site) -> Site:
    site.install("library", {"x": "library_tools"}, {"library_tools.py": TOOLS})
    return site


@pytest.mark.parametrize(
    ("words", "remark"),
    [
        (["list"], f"{BOTH} {SEE}"),
        (["list", "--json"], f"{BOTH} {SEE}"),
        (["list", "library"], f"{BOTH} {SEE}"),
        (["list", "find_*", "--json"], f"{ONE} {SEE}"),
        (["list", "!loans.*"], f"{ONE} {SEE}"),
        (["list", "find_books"], ""),
        (["list", "find_abroad"], f"{ONE} {SEE}"),
        (["groups"], f"{BOTH} {SEE}"),
        (["show", "library", "--json"], f"{BOTH} {SEE}"),
        (["show", "find_abroad", "--format", "openai"], f"{ONE} {SEE}"),
        (["show", "find_books", "--json"], ""),
        (["search", "catalogue", "abroad"], f"{ONE} {SEE}"),
        (["search", "catalogue"], ""),
        (["search", "catalogue", "--limit", "1"], ""),
        (["search", "catalogue", "--in", "find_*"], f"{ONE} {SEE}"),
    ],
)
def test_one_remark_names_the_hidden_tools_and_the_reason(library: Site, words: list[str], remark: str) -> None:
    for _ in range(2):  # the plugin is described first, and then read from the index
        done = library.cli(*words)
        assert (done.returncode, done.stderr) == (0, f"{remark}\n" if remark else "")
    assert library.cli(*words, env={"CATALOGUE_KEY": "x"}).stderr == ""


def test_a_pattern_that_matches_only_hidden_tools_says_so(library: Site) -> None:
    done = library.cli("list", "loans.*")
    text = "1 tool is hidden: loans.lend (CATALOGUE_KEY is not set)"
    message = f"the selector 'loans.*' matches no tool that is available here: {text}"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: {message} (`fcregistry doctor` says more)\n"
    found = library.ask(
        """
        from fcregistry import registry
        from fcregistry.errors import ToolNotFoundError
        try:
            registry.select("loans.*")
        except ToolNotFoundError as error:
            answer = [str(error), error.reason]
        """
    )
    assert found == [f"{message} (`fcregistry doctor` says more)", text]


def test_search_says_that_only_hidden_tools_match(library: Site) -> None:
    done = library.cli("search", "lend")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == f"1 tool is hidden: loans.lend (CATALOGUE_KEY is not set) {SEE}"


def test_doctor_says_that_a_named_tool_is_hidden(library: Site) -> None:
    """Also if several tools of its plugin are hidden for one reason, which is one note for all."""
    for name in ("find_abroad", "library:loans.lend"):
        (finding,) = json.loads(library.cli("doctor", name, "--json").stdout)
        assert (finding["kind"], finding["message"]) == ("note", "is hidden: CATALOGUE_KEY is not set")
    assert "find_books is there" in library.cli("doctor", "find_books").stdout


def test_many_hidden_tools_are_counted(site: Site) -> None:
    tools = [
        f"@fc_register(requires_env='KEY_{key}')\ndef tool_{key}_{number}() -> None:\n    'Do it.'\n"
        for key in "abcd"
        for number in range(4)
    ]
    site.install(
        "many", {"x": "many_tools"}, {"many_tools.py": "from fcregistry import fc_register\n" + "".join(tools)}
    )
    assert site.cli("list").stderr.splitlines()[-1] == f"16 tools are hidden {SEE}"

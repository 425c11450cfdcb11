"""Output and exit codes of `fcregistry lint`."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Site

CLEAN = '''
from fcregistry import fc_register


@fc_register
def clean(a: int) -> int:
    """Do it.

    Args:
        a: A number.
    """
    return a
'''
NOTED = CLEAN.replace("@fc_register", "@fc_register(deprecated=True)").replace("clean", "noted")
WARNED = CLEAN.replace("        a: A number.\n", "        b: A number.\n").replace("clean", "warned")
BROKEN = CLEAN.replace("int", "complex").replace("clean", "broken")


@pytest.fixture(scope="module")
def linted(make_site: Callable[[], Site]) -> Site:
    """A distribution for each severity."""
    site = make_site()
    for name, text in (("clean", CLEAN), ("noted", NOTED), ("warned", WARNED), ("broken", BROKEN)):
        site.install(f"acme-{name}", {"x": f"acme_{name}"}, {f"acme_{name}.py": text})
    return site


def line_of(text: str, module: str) -> int:
    """Return the line of a module's text that holds a text."""
    return next(number for number, line in enumerate(module.splitlines(), start=1) if text in line)


def test_lint_takes_the_names_of_distributions(linted: Site) -> None:
    """As `list` shows them; also if none of the distribution's tools can be defined."""
    for given, selectors in (
        (["acme-warned"], ["acme-warned:*"]),
        (["acme-noted", "Acme.Broken"], ["acme-noted:*", "acme-broken:*"]),
        (["acme-*:*", "!acme_warned"], ["acme-*:*", "!acme-warned:*"]),
    ):
        named, selected = (linted.cli("lint", *words) for words in (given, selectors))
        assert (named.returncode, named.stdout, named.stderr) == (
            selected.returncode,
            selected.stdout,
            selected.stderr,
        )
        assert "acme-" in named.stdout


def test_a_finding_is_a_line_that_editors_can_jump_to_and_one_of_advice(linted: Site) -> None:
    """As other linters write it; what is counted goes to stderr."""
    done = linted.cli("lint", "acme-warned:*")
    assert done.returncode == 1
    assert done.stdout == (
        f"acme_warned.py:{line_of('def warned', WARNED)}: warning undocumented-parameter: acme-warned:warned: "
        "the parameter 'a' has no description\n"
        '    describe it in the docstring\'s Args, or as Annotated[…, "…"]\n'
        f"acme_warned.py:{line_of('b: A', WARNED)}: warning unknown-parameter: acme-warned:warned: "
        "its docstring describes 'b', which is not a parameter\n"
        "    correct the name, or remove the entry\n"
    )
    assert done.stderr == "2 warnings in 1 tool.\n"


def test_a_path_in_the_working_folder_is_relative(linted: Site, tmp_path: Path) -> None:
    inside = linted.cli("lint", "warned").stdout
    outside = linted.cli("lint", "warned", cwd=tmp_path).stdout
    assert inside.startswith("acme_warned.py:")
    assert outside.startswith(f"{linted.folder}/acme_warned.py:")


@pytest.mark.parametrize(
    ("words", "status", "summary"),
    [
        (["clean"], 0, "Nothing found in 1 tool."),
        (["noted"], 0, "1 note in 1 tool."),
        (["noted", "--fail-on", "note"], 1, "1 note in 1 tool."),
        (["warned"], 1, "2 warnings in 1 tool."),
        (["warned", "--fail-on", "error"], 0, "2 warnings in 1 tool."),
        (
            ["warned", "--ignore", "unknown-parameter", "--ignore", "undocumented-parameter"],
            0,
            "Nothing found in 1 tool.",
        ),
        (["acme-broken:broken", "--fail-on", "error"], 1, "1 error in 1 tool."),
        (["clean", "noted"], 0, "1 note in 2 tools."),
        ([], 1, "1 error, 2 warnings, 1 note in 4 tools."),
        (["!acme-warned:*", "!*broken*"], 0, "1 note in 2 tools."),
        (["clean", "!*"], 0, "There are no tools to check."),
    ],
)
def test_the_status_says_whether_there_is_a_failure(linted: Site, words: list[str], status: int, summary: str) -> None:
    """Errors and warnings are one, notes are not; the line can be moved."""
    done = linted.cli("lint", *words)
    assert (done.returncode, done.stderr) == (status, f"{summary}\n")


def test_json_has_every_field_of_a_finding(linted: Site) -> None:
    done = linted.cli("lint", "broken", "--json")
    assert (done.returncode, done.stderr) == (1, "1 error in 1 tool.\n")
    (finding,) = json.loads(done.stdout)
    message, advice = finding.pop("message"), finding.pop("advice")
    assert finding == {
        "rule": "undefinable",
        "severity": "error",
        "tool": "acme-broken:broken",
        "path": "$.properties.a",
        "file": f"{linted.folder}/acme_broken.py",
        "line": line_of("def broken", BROKEN),
    }
    assert message.startswith("it cannot be defined: parameter 'a': complex: ")
    assert advice
    assert linted.cli("lint", "clean", "--json").stdout == "[]\n"


def test_a_format_can_be_asked_for(linted: Site) -> None:
    done = linted.cli("lint", "clean", "--format", "openai", "--format", "mcp", "--strict")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing_like_it"], "there is no tool 'nothing_like_it'"),
        (["nothing_*"], "the selector 'nothing_*' matches no tool"),
        (["a b"], "'a b' is not a selector"),
        (["--format", "xml"], "'xml' is not one of 'anthropic', "),
        (["--ignore", "nonsense"], "'nonsense' is not one of 'changing-default', "),
        (["--fail-on", "never"], "'never' is not one of 'error', 'warning', 'note'"),
    ],
)
def test_wrong_usage_is_an_error(linted: Site, words: list[str], message: str) -> None:
    """Status 2, nothing on stdout."""
    done = linted.cli("lint", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_described_is_linted_without_importing_it(site: Site) -> None:
    """What only the docstring shows is left out; the place is the function's."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": WARNED})
    site.cli("list")
    done = site.run("-X", "importtime", "-m", "fcregistry", "lint", "--cached")
    assert "acme_tools" not in done.stderr
    assert done.returncode == 1
    assert "undocumented-parameter: acme:warned: the parameter 'a' has no description" in done.stdout
    assert "unknown-parameter" not in done.stdout
    assert done.stdout.startswith(f"acme_tools.py:{line_of('@fc_register', WARNED)}: ")
    assert "unknown-parameter" in site.cli("lint").stdout


def test_a_plugin_that_does_not_load_is_mentioned(site: Site) -> None:
    """On stderr, with who explains it, as `list` does; the others are looked at."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": NOTED})
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "1 / 0"})
    done = site.cli("lint")
    assert done.returncode == 0
    assert done.stderr == "1 plugin did not load: bad[x] (see: fcregistry doctor)\n1 note in 1 tool.\n"
    only = site.cli("lint", "acme:*")
    assert only.stderr == "1 note in 1 tool.\n"


def test_tools_of_the_application_are_looked_at_too(site: Site) -> None:
    site.write({"own.py": CLEAN})
    assert site.cli("-m", "own", "lint").stderr == "Nothing found in 1 tool.\n"
    assert site.cli("lint").stderr == "There are no tools to check.\n"


def test_tools_whose_environment_is_not_set_are_looked_at_too(site: Site) -> None:
    secret = WARNED.replace("@fc_register", "@fc_register(requires_env='ACME_KEY')")
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": secret})
    assert site.cli("lint").stderr == "2 warnings in 1 tool.\n"


def test_what_strangers_write_stays_on_its_line_and_off_the_terminal(site: Site) -> None:
    evil = WARNED.replace("b: A number.", "b\\x1b[31m (x): A\\nnumber.").replace('"""Do', '"""\\x1b[31mDo')
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": evil})
    done = site.cli("lint")
    assert "\x1b" not in done.stdout
    assert all(line.startswith(("acme_tools.py:", "    ")) for line in done.stdout.splitlines())


def test_definition_warnings_are_not_shown_beside_the_findings(site: Site) -> None:
    """They would say the same again; Python is told to make errors of them, and lint is not moved by that either."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": CLEAN.replace("a: int", "a")})
    done = site.cli("lint")
    assert done.stderr == "1 warning in 1 tool.\n"
    assert "untyped-parameter" in done.stdout


def test_a_reader_that_goes_away_ends_it(linted: Site) -> None:
    """As every command: 141, and nothing about it on stderr."""
    many = "".join(WARNED.replace("warned", f"warned{number}") for number in range(300))
    linted.write({"many_tools.py": many})
    words = " ".join(f"'{word}'" for word in linted.command("-m", "fcregistry", "-m", "many_tools", "lint"))
    done = subprocess.run(
        ["bash", "-c", f"{words} | head -n 1; echo ${{PIPESTATUS[0]}}"],
        env=linted.environment(),
        cwd=linted.folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.splitlines()[-1] == "141"
    assert done.stderr == ""


def test_it_can_be_interrupted(site: Site) -> None:
    """While a plugin is imported, say: status 130, and no traceback."""
    site.install(
        "slow", {"x": "slow_tools"}, {"slow_tools.py": "import time\nopen('importing', 'w').close()\ntime.sleep(60)"}
    )
    process = site.started("lint")
    while not (site.folder / "importing").exists():
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    process.communicate()


def test_selectors_are_completed(linted: Site) -> None:
    for words, expected in (("lint cl", "clean"), ("lint --ignore missing", "missing-description")):
        line = f"fcregistry {words}"
        env = {"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
        assert linted.cli(env=env).stdout == f"plain,{expected}\n"

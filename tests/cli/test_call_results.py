"""Results and exit codes of `fcregistry call`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from fcregistry.cli._output import result_alone  # an interrupt at an exact moment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


@pytest.mark.parametrize(
    ("tool", "stdout"),
    [
        ("text", '"hé ☃ 😀"\n'),
        ("nested", '{"a": [1, {"b": null}]}\n'),
        ("nothing", "null\n"),
        ("blob", '"AP8K"\n'),
    ],
)
def test_a_pipe_gets_json(shop: Site, tool: str, stdout: str) -> None:
    """One line of it, text and bytes too; so does whoever says --json."""
    for words in (["call", tool], ["call", "--json", tool]):
        done = shop.cli(*words)
        assert (done.returncode, done.stdout, done.stderr) == (0, stdout, "")


@pytest.mark.parametrize(
    ("tool", "content"),
    [
        ("text", "hé ☃ 😀\n".encode()),
        ("nested", b'{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}\n'),
        ("blob", b"\x00\xff\n"),
    ],
)
def test_output_writes_the_result_to_a_file(shop: Site, tmp_path: Path, tool: str, content: bytes) -> None:
    """Bytes as they are, text as text, anything else as JSON; what was there is replaced, and stdout stays empty."""
    file = tmp_path / "result"
    file.write_text("something longer that was there before, and is not wanted any more")
    done = shop.cli("call", "--output", "result", tool, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere/result", "--output: there is no folder nowhere"),
        (".", "is a directory"),
        ("/proc/nothing/here", "--output: there is no folder /proc/nothing"),
    ],
)
def test_a_file_that_cannot_be_written_is_an_error_before_the_tool_runs(
    shop: Site, tmp_path: Path, path: str, message: str
) -> None:
    """Not after it, when its result would be lost."""
    done = shop.cli("call", "--output", path, "noisy", cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "noise" not in done.stderr


def test_a_file_that_cannot_be_written_after_the_call_is_an_error(shop: Site) -> None:
    """A full disk, for one: the tool ran, and the message says so."""
    done = shop.cli("call", "--output", "/dev/full", "text")
    assert done.returncode == 1
    assert (
        done.stderr == "Error: the tool ran, but its result cannot be written to /dev/full: No space left on device\n"
    )


def test_a_failed_call_leaves_the_file_alone(shop: Site, tmp_path: Path) -> None:
    """There is no result to write."""
    (tmp_path / "result").write_text("kept")
    assert shop.cli("call", "--output", "result", "fails", cwd=tmp_path).returncode == 1
    assert (tmp_path / "result").read_text() == "kept"


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["fails"], 1, "RuntimeError: it broke badly"),
        (["fails", "--how", "tool error"], 1, "the shop is closed"),
        (["fails", "--how", "exit"], 1, "SystemExit: 0"),
        (["unencodable"], 1, "unencodable ran, but its result cannot be shown"),
        (["secret"], 1, "secret is not available here: the environment variable SHOP_KEY is not set"),
        (["ordre"], 2, "there is no tool 'ordre'; did you mean 'order'?"),
        (["lookup"], 2, "'lookup' may be any of acme-shop:search.web.lookup, other:search.web.lookup"),
        (["acme-shop:nix"], 2, "there is no tool 'acme-shop:nix'"),
        (
            ["text", '{"value": 5}'],
            2,
            "the arguments of text are not valid",
        ),
        (["danger", "--path", "x"], 3, "danger requires approval"),
    ],
)
def test_the_status_says_whose_fault_it_is(shop: Site, words: list[str], status: int, message: str) -> None:
    """1 the tool's, 2 the caller's, 3 nobody could be asked; the reason is on stderr, in one sentence, and stdout is empty."""
    done = shop.cli("call", *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(f"Error: {message}")
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr


SLOW = """
import time, fcregistry

@fcregistry.fc_register(timeout=0.05)
def slow() -> None:
    "Take longer than it may."
    time.sleep(60)
"""


def test_a_time_out_has_a_status_of_its_own(site: Site) -> None:
    site.write({"own.py": SLOW})
    done = site.cli("-m", "own", "call", "slow")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("Error: ")
    assert "0.05 s" in done.stderr


@pytest.mark.parametrize("word", ["[1]", "{"])
def test_arguments_that_cannot_be_read_are_the_callers_fault(shop: Site, word: str) -> None:
    done = shop.cli("call", "text", word)
    assert (done.returncode, done.stdout) == (2, "")
    assert "arguments" in done.stderr


def test_the_help_of_call_tells_the_statuses(shop: Site) -> None:
    """What a script relies on is written where one looks for it."""
    text = " ".join(shop.cli("call", "--help").stdout.split())
    assert "Exits with 0 if the tool succeeded, 1 if it failed" in text
    assert (
        "2 for wrong usage or invalid arguments, 3 if the call needs approval and there is no terminal to ask on, 4 if time ran out"
        in text
    )


def test_the_traceback_of_a_tool_that_fails_is_shown_with_verbose(shop: Site) -> None:
    """From the line of the tool on; without -v, how to see it."""
    plain, verbose = shop.cli("call", "fails"), shop.cli("call", "-v", "fails")
    assert shop.cli("-v", "call", "fails").stderr == verbose.stderr
    assert plain.returncode == verbose.returncode == 1
    assert plain.stderr == "Error: RuntimeError: it broke badly\n(call -v shows the traceback)\n"
    _, _, first, *_ = verbose.stderr.splitlines()
    assert verbose.stderr.startswith("Error: RuntimeError: it broke badly\nTraceback (most recent call last):\n")
    assert 'acme_shop/tools.py", line ' in first
    assert "(call -v" not in verbose.stderr
    assert "\x1b" not in verbose.stderr
    assert (plain.stdout, verbose.stdout) == ("", "")


def test_what_a_tool_means_to_say_has_no_traceback(shop: Site) -> None:
    """A ToolError is an answer; nor has a call that was not run any."""
    for words in (["fails", "--how", "tool error"], ["-v", "fails", "--how", "tool error"]):
        assert shop.cli("call", *words).stderr == "Error: the shop is closed\n"
    for words in (["text", '{"value": 5}'], ["secret"], ["danger", "--path", "x"]):
        assert "traceback" not in shop.cli("call", *words).stderr


def test_the_error_for_a_call_that_needs_approval_says_how_to_give_it(shop: Site) -> None:
    """Where nobody can be asked."""
    assert shop.cli("call", "danger", "--path", "x").stderr.endswith(
        "\n(to approve it: fcregistry call --yes danger …)\n"
    )


def test_approval_can_be_given_beforehand(shop: Site) -> None:
    """Arguments in JSON cannot give it."""
    done = shop.cli("call", "--yes", "danger", "--path", "x")
    assert (done.returncode, done.stdout) == (0, '"deleted x"\n')
    for words in (
        ["danger", '{"path": "x", "yes": true}'],
        ["danger", "--path", "x", "--arg", "yes=true"],
    ):
        assert shop.cli("call", *words).returncode == 2


def test_what_a_tool_prints_goes_to_stderr(shop: Site) -> None:
    """Stdout is for its result."""
    done = shop.cli("call", "noisy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", "noise\n")


def test_what_a_program_that_a_tool_starts_prints_goes_to_stderr(site: Site) -> None:
    """It knows the descriptor of stdout only, as libraries in C do."""
    source = "import os, fcregistry\n@fcregistry.fc_register\ndef run() -> int:\n    return os.system('echo noise')\n"
    site.write({"own.py": source})
    for words in (["run"], ["--batch"]):
        done = site.cli("-m", "own", "call", *words, stdin='{"name": "run"}')
        assert (done.returncode, done.stderr) == (0, "noise\n")
        assert "noise" not in done.stdout


def test_stdout_is_what_it_was_once_there_is_a_result(capfd: pytest.CaptureFixture[str]) -> None:
    """Also after a tool that was interrupted."""

    def interrupted() -> None:
        with result_alone():
            os.write(1, b"noise\n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    os.write(1, b"result\n")
    assert capfd.readouterr() == ("result\n", "noise\n")


def test_a_canonical_name_is_called_without_importing_anything_else(shop: Site, site: Site) -> None:
    """A broken plugin is not even looked at."""
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "print('imported')"})
    site.install(
        "good",
        {"x": "good_tools"},
        {"good_tools.py": "from fcregistry import fc_register\n@fc_register\ndef fine() -> int:\n    return 1\n"},
    )
    done = site.cli("call", "good:fine")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_an_encoding_that_lacks_characters_loses_none(shop: Site) -> None:
    """JSON escapes them and stays JSON; text for people shows their code points; no error."""
    ascii_only = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    called = shop.cli("call", "text", env=ascii_only)
    assert called.returncode == 0
    assert called.stdout == '"h\\u00e9 \\u2603 \\ud83d\\ude00"\n'
    assert json.loads(called.stdout) == "hé ☃ 😀"
    shown = shop.cli("show", "text", env=ascii_only)
    assert "Return a text, \\xe9t\\xe9." in shown.stdout
    listed = shop.cli("list", "--json", "text", env=ascii_only)
    assert json.loads(listed.stdout)[0]["description"] == "Return a text, été."


def test_arguments_that_are_no_text_are_passed_on_without_a_crash(shop: Site) -> None:
    """A byte of an argument that is no UTF-8 comes back as JSON can carry it."""
    done = shop.cli("call", "text", "--value", os.fsdecode(b"a\xffb"))
    assert done.returncode == 0
    assert json.loads(done.stdout) == "a\udcffb"


def test_a_dash_for_the_output_file_is_standard_output(shop: Site) -> None:
    """Bytes come as they are, so that another program can read them."""
    with shop.started("call", "--output", "-", "blob") as running:
        assert running.communicate(timeout=60)[0] == b"\x00\xff\n"
    assert shop.cli("call", "--output", "-", "text", "--value", "plain").stdout == "plain\n"


def test_problems_of_options_name_the_options(shop: Site) -> None:
    """Paths are for who wrote JSON."""
    assert "- --num-days: " not in shop.cli("call", "order", '{"customer": "x", "num_days": "y"}').stderr
    said = shop.cli("call", "order", "--customer", "x", "--arg", 'num_days="y"').stderr
    assert '- --num-days: must be an integer, not "y"' in said


def test_json_that_a_user_cut_off_is_worded_for_users(shop: Site) -> None:
    """Only a model can send a shorter call."""
    done = shop.cli("call", "fails", '{"number": 1')
    assert done.stderr.startswith(
        "Error: the arguments are cut off: the JSON ends at character 12 before it is complete\n("
    )

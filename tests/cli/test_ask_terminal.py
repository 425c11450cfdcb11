"""`fcregistry ask` on real pseudo-terminals."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from .asking import office_of
from .test_terminal import ENOUGH, Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

DUMB = {"TERM": "dumb"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder of its own, for a tool makes a file where it runs."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def office(make_site: Callable[[], Site]) -> Site:
    """A site with the tools and the models."""
    return office_of(make_site)


def asked(site: Site, model: str, *words: str, env: dict[str, str] | None = None) -> Terminal:
    """Ask a model that may call all there is."""
    tools = ("--tool", "multiply", "--tool", "danger", "--tool", "sleepy", "--tool", "evil")
    return Terminal(site, "ask", "Do it", "--model", f"script:{model}", *tools, *words, env=env)


def untimed(terminal: Terminal) -> str:
    """Return what is shown, without how long it took."""
    return re.sub(r"\d+\.\d\d s", "…", terminal.shown)


def test_a_person_sees_what_is_thought_called_and_returned(office: Site) -> None:
    """In plain lines where the terminal can do no more, which say what is waited for; the answer last, and once."""
    terminal = asked(office, "multiplier", env=DUMB)

    assert terminal.finish() == 0
    assert untimed(terminal).splitlines() == [
        "loading script:multiplier …",
        "a model is made",
        "asking script:multiplier …",
        "thinking: Let me \\x1b[2Jthink.",
        "I call\\x1b[2J 1.",
        'call multiply {"a": 12, "b": 13}',
        "noise",
        "  multiply (…): 156",
        "asking script:multiplier …",
        "thinking: Let me \\x1b[2Jthink.",
        "It is 156.",
    ]


def test_without_rich_the_lines_are_plain(office: Site, tmp_path: Path) -> None:
    """It is an extra. Words that were shown as they came are not repeated as the answer."""
    (tmp_path / "rich.py").write_text("raise ImportError('there is no rich')", encoding="utf-8")
    path = os.pathsep.join(map(str, (tmp_path, *office.path)))
    terminal = asked(office, "multiplier", "--stream", env={"PYTHONPATH": path})

    assert terminal.finish() == 0
    assert 'call multiply {"a": 12, "b": 13}\n' in terminal.shown
    assert terminal.shown.count("It is 156.\n") == 1
    assert "\x1b" not in terminal.shown


def test_with_rich_only_the_screen_colours_text(office: Site) -> None:
    """What strangers wrote clears no screen and turns no text round; the clock leaves nothing behind."""
    pytest.importorskip("rich")
    terminal = asked(office, "evil")

    assert terminal.finish() == 0
    assert "asking script:evil" in terminal.shown
    assert "\x1b[36mcall evil {" in terminal.shown
    assert "call none of\\x1b[2Jthese {}" in terminal.shown
    assert not [each for each in ("\x1b[2J", "\x9b", "\u202e") if each in terminal.shown]
    assert terminal.shown.rindex("\x1b[?25h") > terminal.shown.rindex("\x1b[?25l")


@pytest.mark.parametrize(("typed", "result"), [("y", "danger (…): removed /x"), ("", "danger (denied):")])
def test_approval_is_asked_for_with_all_that_is_to_be_decided(office: Site, typed: str, result: str) -> None:
    """What was typed before the question is no answer to it. A call that is denied does not keep the model from answering."""
    terminal = asked(office, "both", env=DUMB)
    terminal.type("y\n")
    question = 'acme-tools:danger {"path": "/x\\r\\u001b[2Ksafe"}\n  the tool requires approval\nCall it? [y/N]: '
    terminal.read_until(question)
    terminal.type("sure\n")
    terminal.read_until("Answer y or yes, or n or no; an empty answer means no.\n")
    terminal.read_until("Call it? [y/N]: ")
    terminal.type(f"{typed}\n")

    assert terminal.finish() == 0
    assert result in untimed(terminal)
    assert "  multiply (…): 6\n" in untimed(terminal)
    assert "\x1b" not in terminal.shown


def test_the_question_shows_characters_that_nobody_sees(office: Site) -> None:
    terminal = asked(office, "hidden", env=DUMB)
    arguments = r'{"path": "/x\u200b\u2062\xad\U000e0041\ufe0f"}'
    terminal.read_until(f"acme-tools:danger {arguments}\n  the tool requires approval\nCall it? [y/N]: ")
    terminal.type("n\n")

    assert terminal.finish() == 0
    assert not {"\u200b", "\u2062", "\u00ad", "\U000e0041", "\ufe0f"} & {*terminal.shown}


@pytest.mark.parametrize("there", ["stdin", "stderr"])
def test_without_a_terminal_to_read_and_type_on_no_question_is_asked(office: Site, there: str) -> None:
    """It takes a terminal to read it on, and one to answer it from; otherwise the calls wait."""
    master, terminal = pty.openpty()
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, there: terminal}
    words = office.command("-m", "fcregistry", "ask", "Do it", "--model", "script:both", "--tool", "danger")
    done = subprocess.run(words, env=office.environment(DUMB), timeout=ENOUGH, **streams)
    os.close(terminal)
    os.close(master)

    assert (done.returncode, done.stdout) == (3, b"")


def test_leaving_the_question_runs_nothing(office: Site) -> None:
    terminal = asked(office, "both")
    terminal.read_until("[y/N]: ")
    terminal.interrupt()

    assert terminal.finish() == 130
    assert "Error: interrupted" in terminal.shown
    assert not [each for each in ("removed", "noise", "Traceback") if each in terminal.shown]


@pytest.mark.parametrize(("model", "until"), [("sleeper", "call sleepy {}"), ("stubborn", "I go on")])
def test_an_interrupt_ends_a_run(office: Site, model: str, until: str) -> None:
    """At once while a tool blocks, and soon where a model does not let itself be cancelled. One is enough."""
    terminal = asked(office, model, env=DUMB)
    terminal.read_until(until)
    terminal._process.send_signal(signal.SIGINT)

    assert terminal.finish() == 130
    assert "Error: interrupted" in terminal.shown
    assert "Traceback" not in terminal.shown

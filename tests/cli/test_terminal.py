"""Commands on real pseudo-terminals."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

ENOUGH = 60
"""Seconds after which a session on a terminal is given up: a failure, not a pace."""


class Terminal:
    """A command of ours on a terminal of its own."""

    def __init__(self, site: Site, *arguments: str, stdin_too: bool = True, env: dict[str, str] | None = None) -> None:
        self._master, slave = pty.openpty()
        self._process = subprocess.Popen(
            site.command("-m", "fcregistry", *arguments),
            stdin=slave if stdin_too else subprocess.DEVNULL,
            stdout=slave,
            stderr=slave,
            env=site.environment({"TERM": "xterm", **(env or {})}),
            start_new_session=True,
        )
        os.close(slave)
        self._read_so_far = b""

    @property
    def shown(self) -> str:
        """What is on the screen; a terminal writes a line end as two characters."""
        return self._read_so_far.decode("utf-8", "backslashreplace").replace("\r\n", "\n")

    def read_until(self, text: str) -> None:
        """Read until a text is there."""
        while text not in self.shown:
            assert self._read(), self.shown

    def type(self, text: str) -> None:
        """Type something."""
        os.write(self._master, text.encode())

    def interrupt(self) -> None:
        """Interrupt it, until it says something; Python loses a signal that comes between its prompt and its reading."""
        for _ in range(ENOUGH):
            self._process.send_signal(signal.SIGINT)
            if select.select([self._master], [], [], 1)[0]:
                return

    def finish(self) -> int:
        """Read to the end, and return the status."""
        while self._read():
            pass
        os.close(self._master)
        return self._process.wait(ENOUGH)

    def _read(self) -> bool:
        if not select.select([self._master], [], [], ENOUGH)[0]:
            self._process.kill()
            raise AssertionError(f"nothing more comes after: {self.shown}")
        try:
            read = os.read(self._master, 65536)
        except OSError:  # how Linux says that nobody has the terminal open any more
            return False
        self._read_so_far += read
        return bool(read)


def on_terminal(site: Site, *arguments: str, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run a command that asks nothing."""
    terminal = Terminal(site, *arguments, env=env)
    return terminal.finish(), terminal.shown


def test_a_person_reads_text_as_text_and_json_indented(shop: Site) -> None:
    """With --json, both as a program would get them."""
    assert on_terminal(shop, "call", "text") == (0, "hé ☃ 😀\n")
    assert on_terminal(shop, "call", "nested") == (0, '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}\n')
    assert on_terminal(shop, "call", "--json", "text") == (0, '"hé ☃ 😀"\n')
    assert on_terminal(shop, "call", "--json", "nested") == (0, '{"a": [1, {"b": null}]}\n')


def test_bytes_are_not_written_to_a_terminal(shop: Site) -> None:
    """How many, and what to do with them."""
    assert on_terminal(shop, "call", "blob") == (0, "3 bytes; --output FILE writes them to a file\n")


def test_an_image_is_named_to_a_person(shop: Site, tmp_path: Path) -> None:
    """And how to get it."""
    module = "from fcregistry import fc_register\nfrom fcregistry.execution import Content\n"
    tool = "@fc_register\ndef picture() -> Content:\n    return Content.image(b'GIF89a')\n"
    (tmp_path / "pictures.py").write_text(module + tool)
    env = {"PYTHONPATH": os.pathsep.join(map(str, (*shop.path, tmp_path)))}

    assert on_terminal(shop, "-m", "pictures", "call", "picture", env=env) == (
        0,
        "[image: image/gif, 6 bytes]\n(--output FILE writes it to a file)\n",
    )


def test_a_list_fits_the_terminal(shop: Site) -> None:
    """A line that is too long is cut, and shows that it is."""
    status, shown = on_terminal(shop, "list", env={"COLUMNS": "40", "SHOP_KEY": "x"})
    assert status == 0
    assert all(len(line) <= 40 for line in shown.splitlines())
    assert any(line.endswith("…") for line in shown.splitlines())


EVIL = [
    ["list"],
    ["list", "--json"],
    ["show", "evil"],
    ["show", "evil", "--json"],
    ["show", "evil", "--format", "text"],
    ["show", "evil", "--format", "openai"],
    ["call", "evil"],
    ["call", "--json", "evil"],
    ["call", "evil_object"],
    ["call", "--json", "evil_object"],
    ["call", "evil", "--help"],
    ["call", "fails"],
    ["call", "nix\x1b[31m\x9b"],
    ["call", "evil", "--va\x1b[31m\x9b", "x"],
    ["call", "evil", "--arg", "\x1b[31m\x9b"],
    ["list", "\x1b[31m\x9b*"],
    ["doctor", "\x1b[31m\x9b"],
    ["\x1b[31m\x9b"],
]


@pytest.mark.parametrize("words", EVIL, ids=[" ".join(words).encode("unicode_escape").decode() for words in EVIL])
def test_no_control_character_reaches_a_terminal(shop: Site, words: list[str]) -> None:
    """Names, descriptions, results and errors are data from strangers: none of it moves the cursor, colours, rings or turns text round."""
    _, shown = on_terminal(shop, *words)
    assert shown
    controls = {character for character in shown if ord(character) < 32 or 127 <= ord(character) < 160} - {"\n", "\t"}
    assert not controls | ({"\u202e", "\u202c"} & set(shown))


SLOW = """
import pathlib, threading
while not pathlib.Path(__file__).with_name("enough").exists():
    threading.Event().wait(0.01)
"""


def test_a_line_says_which_plugins_the_user_waits_for(site: Site) -> None:
    """After a while without an answer: which plugins are being imported; not those that have answered."""
    site.install("quick", {"x": "quick_tools"}, {"quick_tools.py": ""})
    site.install("slow", {"x": "slow_tools"}, {"slow_tools.py": SLOW})
    terminal = Terminal(site, "list")
    terminal.read_until("Looking into plugins: slow[x] …\n")
    (site.folder / "enough").touch()
    assert terminal.finish() == 0


def test_approval_is_asked_for_with_the_call_that_is_meant(shop: Site) -> None:
    """What is typed decides: yes runs it, no is a denial, and nothing typed is no."""
    for typed, status, shown in (("y\n", 0, "deleted /x"), ("n\n", 1, "was denied"), ("\n", 1, "was denied")):
        terminal = Terminal(shop, "call", "danger", "--path", "/x")
        terminal.read_until('acme-shop:danger requires approval. Call it with {"path": "/x"}? [y/N]: ')
        terminal.type(typed)
        assert terminal.finish() == status
        assert shown in terminal.shown
        assert "Traceback" not in terminal.shown


def test_the_question_shows_what_is_called_and_cannot_be_forged(shop: Site) -> None:
    """Arguments that would erase the line, or show it the other way round, are shown as what they are."""
    terminal = Terminal(shop, "call", "danger", "--path", "/x\r\x1b[2K\u202esafe\x9b\u200b\u2062\u00ad\U000e0041!")
    terminal.read_until("[y/N]: ")
    assert r"safe\x9b\u200b\u2062\xad\U000e0041!" in terminal.shown
    assert "\x1b" not in terminal.shown
    assert "\u202e" not in terminal.shown
    assert "\x9b" not in terminal.shown
    assert "\\r" in terminal.shown
    terminal.type("n\n")
    assert terminal.finish() == 1


@pytest.mark.parametrize("how", ["end of input", "Ctrl-C"])
def test_leaving_the_question_runs_nothing(shop: Site, how: str) -> None:
    """It is no answer, so it is no denial that a script would take for the tool's failure."""
    terminal = Terminal(shop, "call", "danger", "--path", "/x")
    terminal.read_until("[y/N]: ")
    if how == "end of input":
        terminal.type("\x04")
    else:
        terminal.interrupt()
    assert terminal.finish() == 130
    assert "Error: interrupted" in terminal.shown
    assert "deleted" not in terminal.shown
    assert "Traceback" not in terminal.shown


def test_without_a_terminal_to_type_on_no_question_is_asked(shop: Site) -> None:
    """A terminal to write to is not enough."""
    terminal = Terminal(shop, "call", "danger", "--path", "/x", stdin_too=False)
    assert terminal.finish() == 3
    assert "danger requires approval, and there is no approver" in terminal.shown


@pytest.mark.parametrize("tool", ["sleepy", "async_sleepy"])
def test_an_interrupt_ends_a_call_without_a_traceback(shop: Site, tool: str) -> None:
    """At once, with the status that shells know."""
    process = subprocess.Popen(
        shop.command("-m", "fcregistry", "call", tool),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shop.environment(),
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "sleeping\n"
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=ENOUGH)
    assert (process.returncode, stdout, stderr) == (130, "", "\nError: interrupted\n")


def test_an_interrupt_ends_a_batch_and_an_import(shop: Site, site: Site) -> None:
    """Neither leaves a traceback or hangs."""
    site.install(
        "slow", {"x": "slow_tools"}, {"slow_tools.py": "import time\nopen('here', 'w').close()\ntime.sleep(60)"}
    )
    calls = b'{"name": "sleepy"}\n{"name": "async_sleepy"}\n'
    for where, words, given in ((shop, ["call", "--batch"], calls), (site, ["list"], b"")):
        process = subprocess.Popen(
            where.command("-m", "fcregistry", *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=where.environment(),
            cwd=where.folder,
        )
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(given)
        process.stdin.close()
        process.stdin = None
        if given:
            assert process.stderr.readline() == b"sleeping\n"
        else:  # a worker imports it, whose words are nobody's
            while not (site.folder / "here").exists():
                assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=ENOUGH)
        assert process.returncode == 130, (words, stderr)
        # The other of the two may still have begun: its line stands before, between or after.
        assert stderr.replace(b"sleeping\n", b"", 1) == b"\nError: interrupted\n"

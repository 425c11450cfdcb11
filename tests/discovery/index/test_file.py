"""An index that is missing, damaged, another user's, or cannot be written. It is made anew, or done without, and every command answers."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
from contextlib import closing
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool
from tests.forking import RUN, WARM

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


@pytest.fixture
def two(site: Site) -> Site:
    """Two plugins that are described."""
    install(site, "one")
    install(site, "two", tool("say_two", says="Say two."))
    assert answers(site) == ANSWERS
    assert len(imported(site)) == 2
    return site


ANSWERS = {"one:say_one": "Answer.", "two:say_two": "Say two."}


def answers(site: Site) -> dict[str, str]:
    """Return the description of every tool, as a command tells them."""
    done = site.cli("list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return {each["id"]: each["description"] for each in json.loads(done.stdout)}


def files(site: Site) -> list[str]:
    """Return what lies in the folder of the index."""
    folder = site.folder.parent / "cache"
    return sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []


def index_of(site: Site) -> Path:
    """Return the index."""
    return next((site.folder.parent / "cache").glob("index-*.sqlite"))


def _removed(path: Path) -> None:
    path.unlink()


def _emptied(path: Path) -> None:
    path.write_bytes(b"")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _replaced_by_garbage(path: Path) -> None:
    path.write_bytes(b"\x00garbage" * 3000)


def _made_of_another_kind(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE tools", b"CREATE TABLE stool"))


def _made_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _made_writable_for_all(path: Path) -> None:
    path.chmod(0o666)


def _left_to_others(path: Path) -> None:
    os.chown(path, 12345, 12345)


def _linked_to_a_file_of_others(path: Path) -> None:
    other = path.with_name("other")
    path.rename(other)
    other.chmod(0o666)
    path.symlink_to(other)


DAMAGES = (
    _removed,
    _emptied,
    _cut,
    _replaced_by_garbage,
    _made_of_another_kind,
    _made_writable_for_all,
    *([_left_to_others] if hasattr(os, "getuid") and os.getuid() == 0 else []),  # only root gives files away
    _linked_to_a_file_of_others,
)


def test_an_index_that_cannot_be_trusted_is_made_anew(two: Site) -> None:
    """At the next command; and the one after that imports nothing again."""
    for damage in DAMAGES:
        damage(index_of(two))
        assert answers(two) == ANSWERS
        assert sorted(imported(two)) == ["one_tools", "two_tools"], damage
        assert answers(two) == ANSWERS
        assert imported(two) == [], damage
        assert index_of(two).stat().st_mode & 0o777 == 0o600


def test_an_index_whose_words_alone_are_damaged_is_made_anew_by_whoever_searches(two: Site) -> None:
    """Nobody else reads them."""
    index = index_of(two)
    with closing(sqlite3.connect(index)) as connection, connection:
        connection.execute("UPDATE words_config SET v = 99 WHERE k = 'version'")
    damaged = index.stat()
    for _ in range(2):
        done = two.cli("search", "two")
        assert (done.returncode, done.stderr) == (0, "")
        assert "say_two" in done.stdout
    assert index.stat().st_ino != damaged.st_ino


def test_what_is_wrong_with_another_tool_is_no_damage_of_the_index(two: Site) -> None:
    code = """
    from fcregistry import registry
    from fcregistry.discovery import current

    class Bad:
        definition_error, id, name, declared_name, description, parameters = None, "bad", "bad", "bad", "", {}

        @property
        def options(self):
            raise RuntimeError("mine")

    registry.find()
    index = current().index
    try:
        answer = list(index.ranked("two", [Bad()]))
    except RuntimeError as error:
        answer = [str(error), index.remarks]
    """
    kept = index_of(two).stat()
    assert two.ask(code) == ["mine", []]
    assert index_of(two).stat() == kept


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_the_place_of_the_index_is_not_waited_for(two: Site) -> None:
    index = index_of(two)
    index.unlink()
    os.mkfifo(index, 0o600)
    assert answers(two) == ANSWERS
    assert index.is_file()


def test_where_no_index_can_be_written_all_is_described_each_time(two: Site) -> None:
    """A folder stands in its place; a file stands where its folder should be."""
    _made_a_folder(index_of(two))
    for _ in range(2):
        assert answers(two) == ANSWERS
        assert sorted(imported(two)) == ["one_tools", "two_tools"]
    nowhere = {"FCREGISTRY_CACHE_DIR": str(two.folder / "one_tools.py" / "cache")}
    for arguments in (["list"], ["show", "say_one"], ["plugins"], ["search", "two"], ["call", "say_two"]):
        done = two.cli(*arguments, env=nowhere)
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert "two" in done.stdout or arguments[-1] == "say_one"
    code = "from fcregistry import registry\nanswer = [registry.get('say_one')(), len(registry.find())]"
    assert two.ask(code, env=nowhere) == ["say_one", 2]


def test_every_page_of_the_index_may_be_damaged(two: Site) -> None:
    """Whichever it is, no command shows less than there is, or fails: a child process for each."""
    code = """
    import os
    from pathlib import Path

    index = next(Path(os.environ["FCREGISTRY_CACHE_DIR"]).glob("index-*.sqlite"))
    sound = index.read_bytes()
    page = int.from_bytes(sound[16:18], "big")

    def said(arguments):
        read, write = os.pipe()
        if os.fork() == 0:
            os.dup2(write, 1)
            code = 99
            try:
                code = run(arguments)
            finally:
                os._exit(code)
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            text = stream.read().decode()
        return [os.waitstatus_to_exitcode(os.wait()[1]), text]

    COMMANDS = [["list", "--json"], ["show", "say_two", "--json"]]
    expected = [said(arguments) for arguments in COMMANDS]
    answer = []
    for number in range(1, len(sound) // page):
        damaged = bytearray(sound)
        damaged[number * page : (number + 1) * page] = os.urandom(page)
        index.unlink(missing_ok=True)
        index.write_bytes(damaged)
        index.chmod(0o600)
        now = said(COMMANDS[number % 2])
        if now != expected[number % 2]:
            answer.append([number, COMMANDS[number % 2], now])
    """
    assert two.ask(RUN + WARM + dedent(code)) == []


@pytest.mark.parametrize(
    "change", ["UPDATE pieces SET content = X'00' WHERE name = 'lines'", "DELETE FROM records WHERE id = 1"]
)
def test_what_does_not_fit_together_is_made_anew(two: Site, change: str) -> None:
    """The lines that are kept for lists, and the records: no list shows less than there is."""
    with closing(sqlite3.connect(index_of(two))) as connection, connection:
        connection.execute(change)
    assert answers(two) == ANSWERS
    done = two.cli("-v", "list")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["NAME", "say_one", "say_two"]
    assert done.stderr == ""


def test_twenty_processes_that_begin_at_once_all_answer_right(site: Site) -> None:
    """What they leave is sound, and whole: the next command imports nothing. Beside it lies no more than the lock."""
    names = ["p0", "p1", "p2"]
    for name in names:
        install(site, name)
    code = """
    import os

    begin, go = os.pipe()
    answers = []
    for _ in range(20):
        read, write = os.pipe()
        if os.fork() == 0:
            os.close(go)
            os.read(begin, 1)  # ends when the last one is there
            os.dup2(write, 1)
            os.dup2(write, 2)
            os._exit(run(["list", "--json"]))
        os.close(write)
        answers.append(read)
    os.close(go)
    said = {os.fdopen(read).read() for read in answers}
    codes = {os.wait()[1] for _ in answers}
    answer = [sorted(said), sorted(codes)]
    """
    said, codes = site.ask(RUN + WARM + dedent(code))
    assert (len(said), codes) == (1, [0]), said
    assert [each["id"] for each in json.loads(said[0])] == [f"{name}:say_{name}" for name in names]
    imported(site)
    assert site.cli("list", "--json").stdout == said[0]
    assert imported(site) == []
    assert [name.rpartition(".")[2] for name in files(site)] == ["sqlite", "lock"]


def test_a_writer_that_is_killed_leaves_the_index_as_it_was(two: Site) -> None:
    """Before it has taken the old one's place, nobody sees the new one; what was left aside is cleared away by the next writer."""
    code = """
    import os, signal
    os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
    from fcregistry import registry
    registry.find()
    """
    install(two, "three")
    killed = two.run("-c", code.replace("\n    ", "\n"))
    assert killed.returncode == -signal.SIGKILL
    assert any(name.endswith(".new") for name in files(two))
    imported(two)
    assert answers(two) == {**ANSWERS, "three:say_three": "Answer."}
    assert imported(two) == ["three_tools"]
    assert [name.rpartition(".")[2] for name in files(two)] == ["sqlite", "lock"]


WRITING = """
import os, signal, sqlite3, sys
from fcregistry.discovery import _index_store
from fcregistry import registry
made = _index_store.make_tables
def killed(connection):
    made(connection)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO records VALUES (1, 'x')")
    os.kill(os.getpid(), signal.SIGKILL)
_index_store.make_tables = killed
registry.find()
"""


def test_a_writer_that_is_killed_within_a_transaction_leaves_no_journal(site: Site) -> None:
    install(site, "one")
    assert site.run("-c", WRITING).returncode == -signal.SIGKILL
    left = files(site)
    assert any(name.endswith(".new") for name in left)
    assert not any(name.endswith(".new-journal") for name in left)  # that of the lock SQLite removes with the next
    imported(site)
    assert answers(site) == {"one:say_one": "Answer."}
    assert [name.rpartition(".")[2] for name in files(site)] == ["sqlite", "lock"]


def test_a_writer_that_stands_still_holds_up_nobody_who_reads(two: Site) -> None:
    """Its lock is for writers."""
    code = """
    import sys
    from fcregistry._base.paths import cache_folder
    from fcregistry.discovery._index_store import IndexFile, index_path
    with IndexFile(index_path(cache_folder())).locked():
        print("locked", flush=True)
        sys.stdin.read()
    """
    words = two.command("-c", code.replace("\n    ", "\n"))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=two.environment()) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"locked\n"
        assert answers(two) == ANSWERS
        writer.communicate()

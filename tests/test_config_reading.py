"""Configuration files that are links, that change while they are read, that are too large, or that others may have written."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from fcregistry._config import files
from fcregistry._config.settings import configuration
from fcregistry.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links, owners and modes are those of POSIX")


class Machine:
    """A machine without configuration: the folders in which it is looked for."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.system, self.home, self.project = folder / "system", folder / "home", folder / "home" / "project"
        self.user = self.home / ".config" / "fcregistry"
        for made in (self.system, self.user, self.project / ".git"):
            made.mkdir(parents=True)
        for variable in [name for name in os.environ if name.startswith("FCREGISTRY")]:
            monkeypatch.delenv(variable)
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(self.user.parent))
        monkeypatch.setattr("fcregistry._config.settings.system_folder", lambda: str(self.system))
        monkeypatch.chdir(self.project)

    def file(self, layer: str) -> Path:
        folder: Path = getattr(self, layer)
        return folder / "fcregistry.toml"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def denied() -> list[str]:
    """Return what the layers deny."""
    return [each.text for layer in configuration() if layer.deny is not None for each in layer.deny.selectors]


LAYERS = pytest.mark.parametrize("layer", ["system", "user", "project"])


# --- Links ---


@LAYERS
def test_a_link_to_a_missing_file_is_an_error(machine: Machine, layer: str) -> None:
    """The rules in the missing file are not known."""
    path = machine.file(layer)
    path.symlink_to("gone.toml")
    with pytest.raises(ConfigurationError) as caught:
        configuration()
    assert str(caught.value) == f"{path} is a link to a file that does not exist; correct or remove it"
    path.with_name("gone.toml").write_text('deny = ["a"]')
    assert denied() == ["a"]


@LAYERS
def test_a_loop_of_links_is_an_error(machine: Machine, layer: str) -> None:
    path = machine.file(layer)
    path.symlink_to("other")
    path.with_name("other").symlink_to(path.name)
    with pytest.raises(ConfigurationError, match=f"^{path} cannot be read: Too many levels of symbolic links$"):
        configuration()


@pytest.mark.parametrize("layer", ["system", "user"])
def test_a_folder_that_is_a_link_to_a_missing_folder_is_an_error(machine: Machine, layer: str) -> None:
    """It may be on a disk that is not mounted yet."""
    folder = machine.file(layer).parent
    folder.rmdir()
    folder.symlink_to("gone")
    with pytest.raises(ConfigurationError) as caught:
        configuration()
    assert str(caught.value) == f"{folder} is a link to a folder that does not exist; correct or remove it"


def test_a_pyproject_that_is_a_link_to_a_missing_file_is_an_error(machine: Machine) -> None:
    (machine.project / "pyproject.toml").symlink_to("gone.toml")
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml is a link to a file that does not exist"):
        configuration()


def test_a_home_that_is_a_link_ends_the_search(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder then has another path, without the link."""
    (machine.project / ".git").rmdir()
    (machine.home.parent / "fcregistry.toml").write_text('deny = ["above"]')
    (machine.home.parent / "link").symlink_to(machine.home)
    monkeypatch.setenv("HOME", str(machine.home.parent / "link"))
    assert denied() == []
    (machine.home / "fcregistry.toml").write_text('deny = ["home"]')
    assert denied() == ["home"]


# --- Changes ---


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of the process, which does not pass."""
    now = [100.0]
    monkeypatch.setattr(files, "monotonic", lambda: now[0])
    return now


def age(path: Path, seconds: float = 60) -> None:
    """Set the last change of a file or folder to some seconds ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def change(path: Path, text: str | None) -> None:
    """Change or remove a file at the present time, however long the test takes."""
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    age(path.parent if text is None else path, -3600)


@LAYERS
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("part", ["", 'deny = ["b"]\n'])
def test_a_file_that_is_empty_while_it_is_rewritten_loses_no_rule(machine: Machine, layer: str, part: str) -> None:
    """The content that was read before counts until the file stays unchanged."""
    path = machine.file(layer)
    path.write_text('deny = ["a"]')
    assert denied() == ["a"]
    change(path, part)
    for _ in range(3):
        assert denied() == ["a"]
    change(path, 'deny = ["c"]')
    assert denied() == ["a"]
    age(path)
    assert denied()[-1] == "c"


@LAYERS
@pytest.mark.usefixtures("clock")
def test_a_file_that_is_missing_while_it_is_replaced_loses_no_rule(machine: Machine, layer: str) -> None:
    path = machine.file(layer)
    path.write_text('deny = ["a"]')
    assert denied() == ["a"]
    change(path, None)
    for _ in range(3):
        assert denied() == ["a"]
    path.write_text('deny = ["b"]')
    age(path)
    assert denied()[-1] == "b"


def test_a_file_that_stays_empty_or_away_loses_its_rules(machine: Machine) -> None:
    """Rules of the user's file end with the file, unlike those of a project."""
    path = machine.file("user")
    path.write_text('deny = ["a"]')
    assert denied() == ["a"]
    path.write_text("")
    age(path)
    assert denied() == []
    path.write_text('deny = ["b"]')
    age(path)
    assert denied() == ["b"]
    path.unlink()
    age(path.parent)
    assert denied() == []


@pytest.mark.parametrize("text", ['deny = ["b"]', None])
def test_a_change_counts_where_clocks_differ(machine: Machine, clock: list[float], text: str | None) -> None:
    """The clock of a file server may be ahead: then the time between two snapshots counts."""
    path = machine.file("user")
    path.write_text('deny = ["a"]')
    assert denied() == ["a"]
    change(path, text)
    assert denied() == ["a"]
    clock[0] += files.SETTLED
    assert denied() == ([] if text is None else ["b"])


class Sleeps:
    """The changes to a file while the process waits for it, one for each sleep."""

    def __init__(self, *steps: Callable[[], object]) -> None:
        self.steps = list(steps)

    def __call__(self, seconds: float) -> None:
        if self.steps:
            self.steps.pop(0)()


@LAYERS
@pytest.mark.parametrize("part", ["", 'deny = ["a"]\n'])
def test_a_file_that_is_incomplete_when_a_program_starts_is_read_again(
    machine: Machine, layer: str, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = machine.file(layer)
    change(path, part)
    whole = 'deny = ["a"]\nask = ["b"]\n'
    nothing = [lambda: None] * (8 if part == "" else 0)
    monkeypatch.setattr(files, "sleep", Sleeps(*nothing, lambda: change(path, whole)))
    [read] = configuration()
    assert (read.deny is not None, read.ask is not None) == (True, True)


@LAYERS
def test_the_rules_of_a_file_that_changes_all_the_time_are_not_known(
    machine: Machine, layer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = machine.file(layer)
    change(path, "")
    texts = [f'deny = ["b{number}"]' for number in range(100)]
    monkeypatch.setattr(files, "sleep", lambda seconds: change(path, texts.pop()))
    with pytest.raises(ConfigurationError, match=f"^{path} changes while it is read; its rules are not known until"):
        configuration()


@LAYERS
def test_a_file_of_the_same_size_and_time_is_read_again(machine: Machine, layer: str) -> None:
    path = machine.file(layer)
    path.write_text('deny = ["a"]')
    os.utime(path, (1, 1))
    assert denied() == ["a"]
    path.write_text('deny = ["b"]')
    os.utime(path, (1, 1))
    assert denied()[-1] == "b"


# --- Limits ---

LARGE = {
    "has more than 256 KiB, the most that is read; its rules are not known": "#" * (1 << 18) + "\n",
    "has a key of more than 32 parts; its rules are not known": ".".join("a" * 40) + " = 1",
    "has more than 5000 keys; its rules are not known": "\n".join(f"a{number} = 1" for number in range(5001)),
}
TRICKS = {
    "in a header": "[" + " . ".join("a" * 40) + "]",
    "with quotes": ".".join(['"a=#b"', "'c\"'"] * 20) + " = 1",
    "after a text": 'a = ["""\n# """, {' + ".".join("a" * 40) + "=1}]",
    "after a text with quotes": 'a = [""""#""""", {' + ".".join("a" * 40) + "=1}]",
    "after an escape": 'a = ["\\"#", {' + ".".join("a" * 40) + "=1}]",
    "after a literal": "a = ['''\n#''', {" + ".".join("a" * 40) + "=1}]",
}


@pytest.mark.parametrize("why", LARGE)
@pytest.mark.parametrize("name", ["fcregistry.toml", "pyproject.toml"])
def test_a_file_that_is_too_large_is_refused(machine: Machine, name: str, why: str) -> None:
    path = machine.project / name
    path.write_text(f"{LARGE[why]}\n[tool.fcregistry]\n")
    with pytest.raises(ConfigurationError) as caught:
        configuration()
    assert str(caught.value).startswith(f"{path} {why}")


@pytest.mark.parametrize("text", TRICKS.values(), ids=TRICKS)
def test_long_keys_are_found_wherever_they_are(machine: Machine, text: str) -> None:
    (machine.file("project")).write_text(text)
    with pytest.raises(ConfigurationError, match="has a key of more than 32 parts"):
        configuration()


@pytest.mark.parametrize(
    "text",
    [
        "# " + "a." * 100,
        "description = '" + "a." * 100 + "'",
        'description = """\n' + "a.\n" * 100 + "a." * 100 + '"""',
        "description = '''" + "= " * 6000 + "'''",
    ],
)
def test_dots_in_texts_and_comments_are_not_keys(machine: Machine, text: str) -> None:
    (machine.project / "pyproject.toml").write_text(f"{text}\n[tool.fcregistry]\ndeny = ['a']")
    assert denied() == ["a"]


def test_a_large_project_without_fcregistrys_table_is_skipped(machine: Machine) -> None:
    (machine.project / "pyproject.toml").write_text("\n".join(f"a{number} = 1" for number in range(6000)))
    assert configuration() == ()


# --- Whose a file is ---


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Give a file to another user, and return that user's number."""
    if os.geteuid() == 0:
        os.chown(path, 12345, -1)
    else:
        monkeypatch.setattr("os.geteuid", lambda: 12346)  # to this user, all files are another's
    return path.stat().st_uid


SETTINGS = """
deny = ["a"]
precedence = ["acme"]
model = "llama:evil"
threads = 1
max_tokens = 2
"""


@pytest.mark.parametrize("case", ["the file's owner", "the folder's owner", "a file's mode", "a folder's mode", "/tmp"])
def test_only_the_rules_of_a_file_that_others_may_have_written_are_used(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, case: str
) -> None:
    path = machine.file("project")
    path.write_text(SETTINGS)
    if "owner" in case:
        of_folder = case.startswith("the folder")
        owner = give_away(machine.project if of_folder else path, monkeypatch)
        doubt = f"belongs to another user ({owner})"
        doubt = f"the folder {machine.project} {doubt}" if of_folder and os.geteuid() == 0 else f"it {doubt}"
    elif case == "a file's mode":
        path.chmod(0o666)
        doubt = "it can be written by other users"
    else:
        machine.project.chmod(0o1777 if case == "/tmp" else 0o777)
        doubt = f"the folder {machine.project} can be written by other users"
    [layer] = configuration()
    assert (layer.model, layer.precedence, layer.threads, layer.max_tokens) == (None, (), None, None)
    assert denied() == ["a"]
    assert [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING] == [
        f"{path}: {doubt}, so only its rules are used, and not its precedence, model, threads, max_tokens"
    ]


def test_a_link_to_a_file_that_others_may_write_is_not_trusted(machine: Machine) -> None:
    shared = machine.home / "shared"
    shared.mkdir()
    (shared / "rules.toml").write_text(SETTINGS)
    machine.file("project").symlink_to(shared / "rules.toml")
    assert configuration()[0].model == "llama:evil"
    shared.chmod(0o777)
    assert configuration()[0].model is None


def test_files_of_root_in_folders_of_root_are_used(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.file("project")
    path.write_text(SETTINGS)
    if os.geteuid() == 0:
        monkeypatch.setattr("os.geteuid", lambda: 12346)
    assert configuration()[0].model == "llama:evil"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root gives files to groups")
def test_a_file_that_a_shared_group_may_write_is_not_trusted(machine: Machine) -> None:
    """Where each user has a group of its own, folders are writable by that group."""
    path = machine.file("project")
    path.write_text(SETTINGS)
    machine.project.chmod(0o775)
    assert configuration()[0].model == "llama:evil"
    os.chown(machine.project, -1, 54321)
    assert configuration()[0].model is None


def test_files_of_the_user_and_named_ones_are_used_wherever_they_are(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user has named them."""
    path = machine.project / "named.toml"
    path.write_text(SETTINGS)
    path.chmod(0o666)
    monkeypatch.setenv("FCREGISTRY_CONFIG", str(path))
    assert configuration()[0].model == "llama:evil"

"""Configuration files: which are read, from where, and the errors of those that cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from fcregistry._config.settings import call_hook_items, configuration, project_lock
from fcregistry.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Machine:
    """The folders in which configuration is looked for."""

    system: Path
    user: Path
    project: Path


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    """A machine without any configuration."""
    made = Machine(
        tmp_path / "system", tmp_path / "home" / ".config" / "fcregistry", tmp_path / "home" / "work" / "project"
    )
    for folder in (made.system, made.user, made.project / ".git"):
        folder.mkdir(parents=True)
    for variable in [name for name in os.environ if name.startswith("FCREGISTRY")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(made.user.parent))
    monkeypatch.setattr(
        "fcregistry._config.settings.system_folder", lambda: str(made.system)
    )  # it is the machine's, and not ours
    monkeypatch.setattr("fcregistry._config.files.SETTLED", 0)  # a change counts at once
    monkeypatch.chdir(made.project)
    return made


def modes() -> list[str | None]:
    return [layer.mode for layer in configuration()]


def test_nothing_is_configured_without_a_file(machine: Machine) -> None:
    assert configuration() == ()
    assert project_lock() == str(machine.project / "fcregistry.lock")


def test_layers_are_in_order(machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The order is: system, user, project, the file that a variable names, variables."""
    named = tmp_path / "named.toml"
    for number, path in enumerate([machine.system / "fcregistry.toml", machine.user / "fcregistry.toml", named]):
        path.write_text(f'precedence = ["number-{number}"]')
    (machine.project / "pyproject.toml").write_text('[tool.fcregistry]\nprecedence = ["project"]')
    monkeypatch.setenv("FCREGISTRY_CONFIG", str(named))
    monkeypatch.setenv("FCREGISTRY_MODE", "allow")
    said = [(layer.precedence, layer.mode) for layer in configuration()]
    assert said == [
        (("number-0",), None),
        (("number-1",), None),
        (("project",), None),
        (("number-2",), None),
        ((), "allow"),
    ]


def test_the_nearest_file_of_a_project_is_read(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pyproject.toml without the table is skipped, such as those of a repository's packages."""
    inner = machine.project / "packages" / "one"
    inner.mkdir(parents=True)
    (inner / "pyproject.toml").write_text('[project]\nname = "fcregistry-something"')
    (machine.project / "fcregistry.toml").write_text('mode = "allow"')
    monkeypatch.chdir(inner)
    assert modes() == ["allow"]


def test_a_nearer_file_is_read_instead(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = machine.project / "packages" / "one"
    inner.mkdir(parents=True)
    (machine.project / "fcregistry.toml").write_text('mode = "allow"')
    (inner / "fcregistry.toml").write_text('mode = "open"')
    monkeypatch.chdir(inner)
    assert modes() == ["open"]


@pytest.mark.parametrize("where", ["repository", "home"])
def test_the_search_for_a_project_file_ends_at_a_repository_or_home(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    """The folders above may belong to other users."""
    (tmp_path / "fcregistry.toml").write_text('mode = "allow"')
    (machine.project.parent / "fcregistry.toml").write_text('mode = "locked"')
    monkeypatch.chdir(machine.project if where == "repository" else tmp_path / "home")
    assert modes() == []
    (machine.project / ".git").rmdir()
    monkeypatch.chdir(machine.project)
    assert modes() == ["locked"]


def test_a_file_is_read_again_when_it_changed(machine: Machine) -> None:
    path = machine.user / "fcregistry.toml"
    path.write_text('mode = "allow"')
    assert configuration() is not configuration()
    assert configuration()[0] is configuration()[0]
    path.write_text('mode = "locked"')
    assert modes() == ["locked"]
    path.unlink()
    assert modes() == []


def test_the_lock_is_beside_the_projects_file(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or it is where the file says; without a file, it is the nearest one."""
    inner = machine.project / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    assert project_lock() == str(inner / "fcregistry.lock")
    (machine.project / "fcregistry.lock").touch()
    assert project_lock() == str(machine.project / "fcregistry.lock")
    (machine.project / "pyproject.toml").write_text('[tool.fcregistry]\nlock = "locks/tools.lock"')
    assert project_lock() == str(machine.project / "locks" / "tools.lock")


def test_call_hooks_of_higher_layers_come_first_and_each_once(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.user / "fcregistry.toml").write_text('call_hooks = ["audit", "limit"]')
    monkeypatch.setenv("FCREGISTRY_CALL_HOOKS", "limit, trace")
    path = machine.user / "fcregistry.toml"
    assert call_hook_items() == (
        (f"call_hooks in {path}", "audit"),
        (f"call_hooks in {path}", "limit"),
        ("FCREGISTRY_CALL_HOOKS", "trace"),
    )


WRONG = {
    'mode = "lockd"': 'mode in FILE is "open", "allow" or "locked", not \'lockd\'',
    "mode = 1": 'mode in FILE is "open", "allow" or "locked", not 1',
    'alow = ["acme:*"]': "FILE has the key 'alow', which does not exist; did you mean 'allow'?",
    "call-hooks = []": "FILE has the key 'call-hooks', which does not exist; did you mean 'call_hooks'?",
    "colour = 1": "FILE has the key 'colour', which does not exist; the keys are mode, allow, deny, ask, disable, precedence, "
    "call_hooks, lock, model, threads, max_tokens",
    'deny = "acme:*"': "deny in FILE must be a list of strings, such as [\"acme-weather\"], not 'acme:*'",
    "deny = [1]": 'deny in FILE must be a list of strings, such as ["acme-weather"], not [1]',
    'ask = ["a b"]': "ask in FILE: 'a b' is not a selector: write a tool's name, a glob, distribution:name, tag=…, group=…, a hint such as "
    "read_only=true, or one of these after '!'",
    'precedence = ["acme:*"]': "precedence in FILE lists distributions, such as [\"acme-weather\"], and 'acme:*' is not one",
    "lock = 3": 'lock in FILE is the path of a file, such as "fcregistry.lock", not 3',
    'mode = "x"\nlock = 3': 'mode in FILE is "open", "allow" or "locked", not \'x\'\n'
    'lock in FILE is the path of a file, such as "fcregistry.lock", not 3',
}


@pytest.mark.parametrize("text", WRONG)
@pytest.mark.parametrize("layer", ["system", "user", "project"])
def test_a_file_that_cannot_be_read_raises(machine: Machine, layer: str, text: str) -> None:
    """The message names file, key and fix. If the file were skipped, its rules would not apply."""
    path = getattr(machine, layer) / "fcregistry.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        configuration()
    assert str(caught.value) == WRONG[text].replace("FILE", str(path))


def test_a_file_that_is_not_toml_raises(machine: Machine) -> None:
    (machine.project / "fcregistry.toml").write_text('mode = "locked')
    with pytest.raises(
        ConfigurationError,
        match=r"fcregistry\.toml is not valid TOML: .+; its rules are not known, so nothing can be used until it is correct",
    ):
        configuration()


@pytest.mark.skipif(os.name != "posix", reason="there are no devices")
@pytest.mark.parametrize("name", ["fcregistry.toml", "pyproject.toml"])
def test_a_file_that_is_a_link_to_a_device_is_not_read(machine: Machine, name: str) -> None:
    """Reading a device may never end, and a repository may contain such a link."""
    (machine.project / name).symlink_to("/dev/null")
    with pytest.raises(ConfigurationError, match=f"{name} is not a regular file$"):
        configuration()


def test_errors_in_pyproject_name_the_table(machine: Machine) -> None:
    path = machine.project / "pyproject.toml"
    path.write_text("[tool.fcregistry]\nmod = 1\nask = 2")
    with pytest.raises(ConfigurationError) as caught:
        configuration()
    assert str(caught.value).splitlines() == [
        f"[tool.fcregistry] of {path} has the key 'mod', which does not exist; did you mean 'mode' or 'model'?",
        f'tool.fcregistry.ask in {path} must be a list of strings, such as ["acme-weather"], not 2',
    ]
    path.write_text("[tool]\nfcregistry = 1")
    with pytest.raises(ConfigurationError, match=r"tool\.fcregistry in .* is a table, \[tool\.fcregistry\], not 1"):
        configuration()


@pytest.mark.parametrize(
    "text",
    [
        '[tool.fcregistry]\nmode = "allow"',
        '[ tool . "fcregistry" ]\nmode = "allow"',
        "[tool.'fcregistry' ]\nmode = \"allow\"",
        '[tool]\nfcregistry = { mode = "allow" }',
        '[tool]\n"fcregistry"\t.mode = "allow"',
        'tool.fcregistry.mode = "allow"',
        'tool = { fcregistry.mode = "allow" }',
    ],
)
def test_each_way_to_write_the_table_is_read(machine: Machine, text: str) -> None:
    (machine.project / "pyproject.toml").write_text(text, encoding="utf-8")
    assert [layer.mode for layer in configuration()] == ["allow"]


def test_a_project_that_only_requires_fcregistry_has_no_table(machine: Machine) -> None:
    """Its pyproject.toml is not even read as TOML."""
    text = '[project]\ndependencies = ["fcregistry>=0.1", "fcregistry-mcp", "fcregistry[cli]", "x"\n'
    (machine.project / "pyproject.toml").write_text(text, encoding="utf-8")
    assert configuration() == ()


def test_a_project_has_one_file(machine: Machine) -> None:
    """Of two files, one would be skipped silently."""
    (machine.project / "fcregistry.toml").touch()
    (machine.project / "pyproject.toml").write_text("[tool.fcregistry]")
    with pytest.raises(
        ConfigurationError, match=r"has both fcregistry\.toml and \[tool\.fcregistry\] in pyproject\.toml; keep one"
    ):
        configuration()


def test_a_file_that_is_a_folder_or_binary_raises(machine: Machine) -> None:
    path = machine.user / "fcregistry.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match="is not valid TOML: 'utf-8' codec can't decode"):
        configuration()
    path.unlink()
    path.mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read: "):
        configuration()


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("FCREGISTRY_MODE", "close", 'FCREGISTRY_MODE is "open", "allow" or "locked", not \'close\''),
        (
            "FCREGISTRY_DENY",
            "a:",
            "FCREGISTRY_DENY: 'a:' is not a selector: write distribution:name, such as acme-weather:*",
        ),
        (
            "FCREGISTRY_CONFIG",
            "gone.toml",
            "FCREGISTRY_CONFIG names gone.toml, which does not exist; correct or unset it",
        ),
    ],
)
def test_a_variable_that_cannot_be_read_raises(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError) as caught:
        configuration()
    assert str(caught.value) == message


def test_a_home_folder_without_permission_has_no_file(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Services have no permission for home folders. For the system's folder, the same is an error."""
    closed = (str(machine.user), str(machine.system))
    access, lstat = os.access, os.lstat

    def no_access(path: str, *more: int, **named: bool) -> bool:
        return not path.startswith(closed) and access(path, *more, **named)

    def kept_out(path: str) -> os.stat_result:
        if path.startswith(closed):
            raise PermissionError(13, "Permission denied", path)
        return lstat(path)

    monkeypatch.setattr("os.access", no_access)  # root, which tests may run as, is kept out of nothing
    monkeypatch.setattr("os.supports_follow_symlinks", {no_access})
    monkeypatch.setattr("os.lstat", kept_out)
    with pytest.raises(
        ConfigurationError, match=r"the system does not say whether .*system.fcregistry\.toml exists: Permission"
    ):
        configuration()
    monkeypatch.setattr("fcregistry._config.settings.system_folder", lambda: "/nowhere")
    assert configuration() == ()


def test_nothing_is_imported_if_nothing_is_configured(machine: Machine) -> None:
    """This runs at the start of every command."""
    code = (
        "import sys; from fcregistry._config.policy import trust\n"
        "assert trust().is_open\n"
        "print(sorted({'tomllib', 'json', 'pathlib', 'platformdirs', 'dataclasses', 're'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=machine.project,
        env={"HOME": str(machine.project), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.stdout.strip() in ("[]", "['re']"), done.stderr  # typing's, on some Pythons

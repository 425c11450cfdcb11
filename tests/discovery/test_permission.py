"""The configuration holds for what is found. Nothing that it closes is imported, listed or called."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from ..recorded import install  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

MODULE = '''
from fcregistry import fc_register

@fc_register(aliases=("peek",))
def look() -> str:
    """Look."""
    return __name__

@fc_register(destructive=True)
def delete_NAME() -> str:
    """Delete."""
    return __name__
'''

ASK = """
import fcregistry
from fcregistry import Executor, errors, registry

def told(name):
    try:
        return registry.get(name).id
    except errors.FcregistryError as error:
        return str(error).partition(" (`fcregistry doctor")[0]

def called(name):
    try:
        result = Executor([name]).call(name.rpartition(':')[2])
    except errors.FcregistryError as error:
        return str(error).partition(" (`fcregistry doctor")[0]
    return result.value if result.ok else result.error.message
"""
IMPORTED = "sorted(name for name in sys.modules if name.startswith('trusted_'))"


@pytest.fixture
def two(site: Site) -> Site:
    """Two distributions that ship a tool of one name."""
    for name in ("one", "two"):
        write(site, name, MODULE)
    return site


def write(site: Site, name: str, module: str, version: str = "1.0") -> None:
    for old in site.folder.glob(f"trusted_{name}-*.dist-info"):
        shutil.rmtree(old)
    file = f"trusted_{name}.py"
    install(
        site, f"trusted-{name}", {"tools": f"trusted_{name}"}, {file: module.replace("NAME", name)}, version=version
    )


def configure(site: Site, text: str) -> Path:
    path = site.folder / "fcregistry.toml"
    path.write_text(text)
    return path


def ask(site: Site, answer: str, **env: str) -> Any:
    return site.ask(f"{ASK}\nanswer = {answer}", env={"FCREGISTRY_CACHE_DIR": str(site.folder.parent / "cache"), **env})


def lock(site: Site) -> Path:
    done = site.cli(
        "lock", "--file", "fcregistry.lock", env={"FCREGISTRY_CACHE_DIR": str(site.folder.parent / "cache")}
    )
    assert done.returncode == 0, done.stderr
    return site.folder / "fcregistry.lock"


def test_only_what_is_allowed_is_imported(two: Site) -> None:
    """Neither to list its tools, nor to load all plugins."""
    path = configure(two, 'mode = "allow"\nallow = ["trusted-two:*"]')
    ids, names, disabled = ask(
        two,
        f"[[tool.id for tool in registry.find()], (fcregistry.load_plugins(), {IMPORTED})[1], "
        "[each.reason for each in fcregistry.load_plugins().disabled]]",
    )
    assert (ids, names) == (["trusted-two:delete_two", "trusted-two:look"], ["trusted_two"])
    assert disabled == [f"allow in {path} names nothing of trusted-one"]


def test_a_denied_tool_is_not_found_and_the_file_is_named(two: Site) -> None:
    """By a name, a hint or an alias, for a canonical id too."""
    path = configure(two, 'deny = ["destructive=true", "trusted-one:peek"]')
    assert ask(two, "[told('trusted-one:delete_one'), told('trusted-one:look'), told('look')]") == [
        f"there is no tool 'trusted-one:delete_one': deny in {path} names destructive=true",
        f"there is no tool 'trusted-one:look': deny in {path} names trusted-one:peek",
        "trusted-two:look",
    ]


def test_precedence_gives_a_plain_name_to_one_of_several(two: Site) -> None:
    """By its alias too; each keeps its canonical id."""
    assert "may be any of" in ask(two, "told('look')")
    configure(two, 'precedence = ["nobody", "Trusted.Two", "trusted-one"]')
    assert ask(two, "[told('look'), told('peek'), told('trusted-one:look'), called('look')]") == [
        "trusted-two:look",
        "trusted-two:look",
        "trusted-one:look",
        "trusted_two",
    ]


def test_a_distribution_that_differs_from_its_lock_is_not_imported(two: Site) -> None:
    """An upgrade, and a file that was edited; what is as it was goes on."""
    path = lock(two)
    file = configure(two, 'mode = "locked"')
    assert ask(two, "[called('trusted-one:look'), called('trusted-two:look')]") == ["trusted_one", "trusted_two"]
    write(two, "one", MODULE, version="1.1")
    (two.folder / "trusted_two.py").write_text(
        MODULE.replace("NAME", "two").replace("return __name__", "return 'evil'")
    )
    first, second, names = ask(two, f"[called('trusted-one:look'), called('trusted-two:look'), {IMPORTED}]")
    assert f'mode = "locked" in {file}, and {path} has 1.0 of trusted-one, not 1.1' in first
    assert "trusted_two.py of trusted-two has changed since it was installed: reinstall trusted-two" in second
    assert names == []


def test_a_tool_whose_description_differs_from_the_lock_is_not_used(two: Site) -> None:
    """The others of its plugin are."""
    path = lock(two)
    text = json.loads(path.read_text())
    text["distributions"]["trusted-one"]["tools"][0]["digest"] = "0" * 64
    path.write_text(json.dumps(text))
    configure(two, 'mode = "locked"')
    first, second = ask(two, "[called('delete_one'), called('trusted-one:look')]")
    assert f"it is not what {path} says" in first
    assert second == "trusted_one"


def test_locked_without_a_lock_uses_nothing(two: Site) -> None:
    """And says how to make one. The application's own functions are its own."""
    path = configure(two, 'mode = "locked"')
    said = ask(two, f"[told('look'), [tool.id for tool in registry.find()], {IMPORTED}]")
    assert said == ["there is no tool 'look'", [], []]
    done = two.cli("doctor", "trusted-one:look", env={"FCREGISTRY_CACHE_DIR": str(two.folder.parent / "cache")})
    assert f"`fcregistry lock --file {path.with_name('fcregistry.lock')}` makes it" in done.stdout


def test_a_configuration_that_cannot_be_read_allows_nothing(two: Site) -> None:
    path = configure(two, 'mode = "lockd"')
    assert ask(two, f"[told('trusted-one:look'), {IMPORTED}]") == [
        f'mode in {path} is "open", "allow" or "locked", not \'lockd\'',
        [],
    ]

"""What a locked distribution imports is compared with the lock when it is imported. Real files, byte code and processes."""

from __future__ import annotations

import importlib
import json
import os
import py_compile
import subprocess
import sys
import threading
from importlib.util import cache_from_source
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry.discovery._locks import (  # the guard of imports is tried without processes
    Locked,
    LockedImports,
    has_digest,
)

from ..recorded import install, record  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Site


TOOLS = """
from fcregistry import fc_register

@fc_register
def look() -> str:
    from MODULE import answer
    return answer()
"""
GOOD = "def answer() -> str:\n    return 'good'\n"
EVIL = "def answer() -> str:\n    return 'evil'\n"
assert len(GOOD) == len(EVIL)

CALL = """
from fcregistry import Executor
from fcregistry.errors import FcregistryError

def call():
    try:
        result = Executor(["look"]).call("look")
    except FcregistryError as error:
        return str(error)
    return result.value if result.ok else result.error.message
"""


def lock(site: Site) -> None:
    done = site.cli("lock")
    assert done.returncode == 0, done.stderr
    (site.folder / "fcregistry.toml").write_text('mode = "locked"\n')


def ask(site: Site, code: str) -> Any:
    return site.ask(f"{CALL}\n{dedent(code)}")


@pytest.fixture
def package(site: Site) -> Site:
    """A locked package, a tool of which imports a module of it when it is called."""
    files = {"acme_pkg/tools.py": TOOLS.replace("MODULE", "acme_pkg.late"), "acme_pkg/late.py": GOOD}
    install(site, "acme", {"x": "acme_pkg.tools"}, files)
    lock(site)
    return site


def test_unchanged_modules_of_a_locked_package_are_imported(package: Site) -> None:
    code = """
    import inspect
    answer = [call()]
    import acme_pkg.late
    answer += [inspect.getsource(acme_pkg.late), acme_pkg.late.__file__, acme_pkg.__path__, len(sys.meta_path)]
    """
    value, source, file, path, _ = ask(package, code)
    folder = package.folder / "acme_pkg"
    assert (value, source, file, path) == ("good", GOOD, str(folder / "late.py"), [str(folder)])


def test_a_module_that_was_edited_before_it_is_imported_does_not_run(package: Site) -> None:
    """The plugin was looked at and imported before; the file is of the same length."""
    late = package.folder / "acme_pkg" / "late.py"
    code = f"""
    from fcregistry import load_plugins
    assert load_plugins().ok
    with open({str(late)!r}, "w") as file:
        file.write({EVIL!r})
    answer = [call()]
    with open({str(late)!r}, "w") as file:
        file.write({GOOD!r})
    answer += [call()]
    """
    refused, value = ask(package, code)
    assert (
        f"the content of {late} differs from the locked content of acme: reinstall acme, and restart the program"
        in refused
    )
    assert value == "good"


def test_a_module_that_was_put_into_a_locked_package_does_not_run(site: Site) -> None:
    """RECORD does not list it, and a package that tries to import it goes on without."""
    files = {"acme_pkg/tools.py": TOOLS.replace("MODULE", "acme_pkg.local")}
    install(site, "acme", {"x": "acme_pkg.tools"}, files)
    lock(site)
    local = site.folder / "acme_pkg" / "local.py"
    local.write_text(EVIL)
    assert f"{local} is not a file of acme" in ask(site, "answer = call()")
    local.unlink()
    py_compile.compile(str(site.folder / "acme_pkg" / "tools.py"), str(local.with_suffix(".pyc")))
    assert f"{local.with_suffix('.pyc')} is not a file of acme" in ask(site, "answer = call()")


def test_byte_code_is_not_what_runs(package: Site) -> None:
    """Python believes a file in `__pycache__` whose time and size fit the source; here it is of another source."""
    late = package.folder / "acme_pkg" / "late.py"
    time = late.stat().st_mtime_ns
    late.write_text(EVIL)
    os.utime(late, ns=(time, time))
    planted = py_compile.compile(str(late), cache_from_source(str(late)))
    assert planted is not None
    late.write_text(GOOD)
    os.utime(late, ns=(time, time))
    without = "sys.path.insert(0, 'x')\nfrom acme_pkg.late import answer as said\nanswer = said()"
    assert package.ask(without) == "evil", "or this tests nothing"
    assert ask(package, "answer = call()") == "good"


def test_a_worker_that_describes_locked_plugins_runs_no_planted_byte_code(site: Site) -> None:
    install(site, "acme", {"x": "acme_tools"}, {"acme_tools.py": TOOLS + "\nSIZE = 1\n"})
    lock(site)
    source = site.folder / "acme_tools.py"
    text, time = source.read_text(), source.stat().st_mtime_ns
    source.write_text(text.replace("SIZE = 1", "1 // 0  ", 1))
    os.utime(source, ns=(time, time))
    assert py_compile.compile(str(source), cache_from_source(str(source))) is not None
    source.write_text(text)
    os.utime(source, ns=(time, time))
    told = json.loads(site.cli("doctor", "--probe", "acme", "--json").stdout)
    assert [each["kind"] for each in told] == ["note"], told


@pytest.mark.parametrize("hashes", [True, False])
def test_a_second_module_at_the_top_that_is_hidden_by_another_is_refused(
    site: Site, tmp_path: Path, hashes: bool
) -> None:
    """It is in RECORD, which need not say what it holds, and no entry point names it."""
    files = {"acme_tools.py": TOOLS.replace("MODULE", "acme_helpers"), "acme_helpers.py": GOOD}
    info = install(site, "acme", {"x": "acme_tools"}, files)
    if not hashes:
        lines = (info / "RECORD").read_text().splitlines()
        (info / "RECORD").write_text("".join(f"{line.partition(',')[0]},,\n" for line in lines))
    lock(site)
    assert ask(site, "answer = call()") == "good"
    early = tmp_path / "early"
    early.mkdir()
    (early / "acme_helpers.py").write_text(EVIL)
    code = f"sys.path.insert(0, {str(early)!r})\nanswer = call()"
    refused = ask(site, code)
    assert f"Python would import {early}/acme_helpers.py instead of an installed file of acme: remove it" in refused
    late = f"from fcregistry import load_plugins\nload_plugins()\n{code}"
    assert f"{early}/acme_helpers.py is not a file of acme" in ask(site, late), (
        "the path was changed after the plugin was looked at"
    )
    (site.folder / "acme_helpers.py").write_text(EVIL)
    changed = (
        "acme_helpers.py of acme has changed since it was installed"
        if hashes
        else "the files of acme 1.0 are not those of"
    )
    assert changed in ask(site, "answer = call()")


@pytest.mark.parametrize("known", ["mentioned in its code", "in top_level.txt"])
def test_a_second_module_of_an_editable_install_is_locked(site: Site, tmp_path: Path, known: str) -> None:
    """Its files are in no RECORD. What nothing speaks of, such as the tests beside it, is not locked."""
    project = tmp_path / "project"
    project.mkdir()
    module = "acme_helpers" if known == "mentioned in its code" else "acme_' 'helpers"
    tools = TOOLS.replace("from MODULE import answer", f"answer = __import__('{module}').answer")
    (project / "acme_tools.py").write_text(tools)
    (project / "acme_helpers.py").write_text(GOOD)
    (project / "conftest.py").write_text("")
    info = install(site, "acme", {"x": "acme_tools"}, {})
    (info / "direct_url.json").write_text(json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}}))
    (site.folder / "_acme.pth").write_text(f"{project}\n")
    if known == "in top_level.txt":
        (info / "top_level.txt").write_text("acme_helpers\nacme_tools\n")
    record(site, info, {"_acme.pth": ""})
    site.path.append(project)
    lock(site)
    (project / "conftest.py").write_text("changed = 1\n")
    assert ask(site, "answer = call()") == "good"
    (project / "acme_helpers.py").write_text(EVIL)
    assert "the files of acme 1.0 are not those of" in ask(site, "answer = call()")


def test_without_a_lock_no_finder_is_added(package: Site) -> None:
    (package.folder / "fcregistry.toml").write_text('mode = "allow"\nallow = ["acme:*"]\n')
    assert ask(package, "before = len(sys.meta_path)\nanswer = [call(), len(sys.meta_path) - before]") == ["good", 0]


# The finder itself


@pytest.fixture
def finder() -> Iterator[LockedImports]:
    made = LockedImports()
    yield made
    made.remove()


@pytest.fixture
def locked(tmp_path: Path, finder: LockedImports, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes a module, and has it locked as it is."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names: list[str] = []

    def make(name: str, text: str) -> Path:
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        importlib.invalidate_caches()
        finder.add(Locked(name, "said", frozenset([name]), {os.path.realpath(path): _hash(path)}))
        names.append(name)
        return path

    yield make
    for name in names:
        sys.modules.pop(name, None)


def _hash(path: Path) -> str:
    import hashlib
    from base64 import urlsafe_b64encode

    return "sha256=" + urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()


def test_a_finder_that_is_removed_compares_nothing(finder: LockedImports, locked: Callable[..., Path]) -> None:
    path = locked("guarded_one", "value = 1\n")
    path.write_text("value = 2\n")
    with pytest.raises(ImportError, match="differs from the locked content of guarded_one"):
        importlib.import_module("guarded_one")
    assert finder in sys.meta_path
    finder.remove()
    assert finder not in sys.meta_path
    assert importlib.import_module("guarded_one").value == 2


def test_a_module_is_compared_again_when_it_is_reloaded(locked: Callable[..., Path]) -> None:
    path = locked("guarded_two", "value = 1\n")
    module = importlib.import_module("guarded_two")
    path.write_text("value = 2\n")
    with pytest.raises(ImportError, match="differs from the locked content"):
        importlib.reload(module)
    assert module.value == 1


def test_threads_may_add_while_others_import(locked: Callable[..., Path]) -> None:
    """Nothing is lost, and no import fails."""
    names = [f"guarded_many_{number}" for number in range(40)]
    wrong: list[BaseException] = []

    def work(mine: list[str]) -> None:
        try:
            for name in mine:
                locked(name, "value = 1\n")
                assert importlib.import_module(name).value == 1
        except BaseException as error:  # noqa: BLE001  # looked at by the test
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(names[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("text", ["", "sha256", "sha256=", "sha256=!", "shake_128=abcd", "nothing=abcd", "sha256=é"])
def test_an_invalid_digest_matches_no_content(text: str) -> None:
    assert not has_digest(b"", text)


def test_an_extension_module_is_compared(tmp_path: Path) -> None:
    """Here it is no library at all: it is refused before the system loads it."""
    from importlib.machinery import EXTENSION_SUFFIXES

    path = tmp_path / f"guarded_native{EXTENSION_SUFFIXES[0]}"
    path.write_bytes(b"edited")
    code = f"""
import os, sys
sys.path.insert(0, {str(tmp_path)!r})
from fcregistry.discovery._locks import Locked, locked_imports
locked_imports.add(Locked("acme", "said", frozenset(["guarded_native"]), {{os.path.realpath({str(path)!r}): "sha256=eA"}}))
try:
    import guarded_native
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert (
        done.stdout
        == f"said, and the content of {path} differs from the locked content of acme: reinstall acme, and restart the program\n"
    )

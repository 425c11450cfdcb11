"""Whether an installed distribution is the one that was locked. Real folders of metadata, with and without RECORD."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

from fcregistry._config.lock import Lock, read_lock
from fcregistry._config.policy import OPEN, Trust
from fcregistry._config.settings import read_layer
from fcregistry.discovery import altered_files, files_digest, find_plugins
from fcregistry.discovery._locks import lock_drift  # the whole reason, without loading the plugin

from ..recorded import install, record  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fcregistry.discovery import FoundPlugin
    from tests.conftest import Site

FILES = {"locked_acme/tools.py": "tool = 1\n", "locked_acme/words.txt": "words\n"}
ENTRY = {"weather": "locked_acme.tools"}


@pytest.mark.skipif(os.name != "posix", reason="there are no devices")
def test_a_lock_that_is_a_link_to_a_device_is_not_read(tmp_path: Path) -> None:
    """It may never end; a repository may hold such a link."""
    (tmp_path / "fcregistry.lock").symlink_to("/dev/null")
    lock = read_lock(str(tmp_path / "fcregistry.lock"))
    assert lock.problem == "cannot be read: it is not a regular file"


@pytest.fixture
def found(site: Site, monkeypatch: pytest.MonkeyPatch) -> Callable[[], FoundPlugin]:
    """Returns the one plugin of the folder, as it is found now."""
    monkeypatch.syspath_prepend(str(site.folder))

    def find() -> FoundPlugin:
        sys.path_importer_cache.clear()
        (plugin,) = (each for each in find_plugins() if each.folder == str(site.folder))
        return plugin

    return find


def operator(path: Path, plugin: FoundPlugin, **said: str) -> Trust:
    """Write a lock that has a plugin's distribution, and return who is held to it."""
    pin = {"version": plugin.version, "files": files_digest(plugin.source), "tools": [], **said}
    path.write_text(json.dumps({"fcregistry_lock": 1, "distributions": {plugin.distribution: pin}}))
    return held(read_lock(str(path)))


def held(lock: Lock) -> Trust:
    layer = read_layer({"mode": "locked"}, "/x.toml", "")
    return Trust((layer,), ((layer.mode_source, lock),))


def test_the_digest_is_of_what_record_lists(site: Site, found: Callable[[], FoundPlugin]) -> None:
    """The same in every environment that a wheel is installed in; another one for other contents."""
    info = install(site, "Locked.Acme", ENTRY, FILES)
    first = files_digest(found().source)
    assert first.startswith("sha256:")
    (info / "INSTALLER").write_text("another\n")
    (info / "REQUESTED").touch()
    (info / "direct_url.json").write_text("{}")
    text = (info / "RECORD").read_text().replace("program,sha256=abc", "program,sha256=def")
    lines = [*text.splitlines(), "locked_acme/__pycache__/tools.cpython-311.pyc,,", f"{info.name}/REQUESTED,sha256=x,0"]
    (info / "RECORD").write_text("\r\n".join(reversed(lines)))
    assert files_digest(found().source) == first
    site.write({"locked_acme/words.txt": "other words\n"})
    record(site, info, FILES)
    assert files_digest(found().source) != first


def test_an_unchanged_distribution_is_not_refused(site: Site, found: Callable[[], FoundPlugin], tmp_path: Path) -> None:
    install(site, "locked-acme", ENTRY, FILES)
    assert lock_drift(found(), operator(tmp_path / "a.lock", found())) is None
    assert lock_drift(found(), OPEN) is None


def test_another_version_is_refused(site: Site, found: Callable[[], FoundPlugin], tmp_path: Path) -> None:
    install(site, "locked-acme", ENTRY, FILES, version="1.1")
    path = tmp_path / "a.lock"
    assert lock_drift(found(), operator(path, found(), version="1.0")) == (
        f'mode = "locked" in /x.toml, and {path} has 1.0 of locked-acme, not 1.1: '
        f"`fcregistry lock --upgrade locked-acme --file {path}` accepts it"
    )


def test_other_files_of_the_same_version_are_refused(
    site: Site, found: Callable[[], FoundPlugin], tmp_path: Path
) -> None:
    """A wheel that was built again, or an edit that was recorded."""
    info = install(site, "locked-acme", ENTRY, FILES)
    path = tmp_path / "a.lock"
    trusted = operator(path, found())
    site.write({"locked_acme/tools.py": "tool = 2\n"})
    record(site, info, FILES)
    for contents in (True, False):
        assert lock_drift(found(), trusted, contents=contents) == (
            f'mode = "locked" in /x.toml, and the files of locked-acme 1.0 are not those of {path}: '
            f"`fcregistry lock --upgrade locked-acme --file {path}` accepts it"
        )


@pytest.mark.parametrize("change", ["edited", "removed"])
def test_files_that_record_is_wrong_about_are_refused(
    site: Site, found: Callable[[], FoundPlugin], tmp_path: Path, change: str
) -> None:
    """RECORD says what was installed; what is imported is what the files hold, of the same length too."""
    install(site, "locked-acme", ENTRY, FILES)
    trusted = operator(tmp_path / "a.lock", found())
    if change == "edited":
        site.write({"locked_acme/tools.py": "tool = 2\n", "locked_acme/words.txt": "WORDS\n"})
    else:
        (site.folder / "locked_acme" / "tools.py").unlink()
    more = " and 1 more" if change == "edited" else ""
    assert lock_drift(found(), trusted) == (
        f'mode = "locked" in /x.toml, and locked_acme/tools.py{more} of locked-acme has changed since it was installed: reinstall locked-acme'
    )
    assert lock_drift(found(), trusted, contents=False) is None
    assert altered_files(found().source)[0] == "locked_acme/tools.py"


def test_a_distribution_that_is_not_in_the_lock_is_refused(
    site: Site, found: Callable[[], FoundPlugin], tmp_path: Path
) -> None:
    install(site, "locked-acme", ENTRY, FILES)
    path = tmp_path / "a.lock"
    path.write_text('{"fcregistry_lock": 1, "distributions": {}}')
    refusal = (
        f'mode = "locked" in /x.toml, and {path} does not have locked-acme: '
        f"`fcregistry lock --upgrade locked-acme --file {path}` adds it"
    )
    assert lock_drift(found(), held(read_lock(str(path)))) == refusal
    assert held(read_lock(str(path))).refusal("locked-acme", "weather", ships_tools=True) == refusal


@pytest.mark.parametrize("record_lists", [None, "metadata alone"])
@pytest.mark.parametrize("package", ["locked_src", "locked_names.inner.locked_src"])
def test_the_digest_of_an_editable_install_is_of_its_sources(
    site: Site,
    found: Callable[[], FoundPlugin],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_lists: str | None,
    package: str,
) -> None:
    """It lists none of them. Nothing of it is imported for that, and in a namespace only its own part counts."""
    sources = tmp_path / "sources"
    folder = sources / package.replace(".", "/")
    (folder / "data").mkdir(parents=True)
    for name in ("__init__.py", "tools.py", "data/table.py"):
        (folder / name).write_text("raise SystemExit('imported')\n")
    (sources / "locked_names" / "elsewhere").mkdir(parents=True, exist_ok=True)
    monkeypatch.syspath_prepend(str(sources))
    info = site.install("locked-acme", {"weather": f"{package}.tools"})
    if record_lists:
        record(site, info, {})
    trusted = operator(tmp_path / "a.lock", found())
    first = files_digest(found().source)
    assert first.startswith("sources-sha256:")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "tools.cpython-311.pyc").touch()
    (folder / "notes.txt").touch()
    (sources / "locked_names" / "elsewhere" / "theirs.py").touch()
    assert lock_drift(found(), trusted) is None
    (folder / "data" / "table.py").write_text("changed\n")
    assert "the files of locked-acme 1.0 are not those of" in str(lock_drift(found(), trusted))
    (folder / "data" / "table.py").write_text("raise SystemExit('imported')\n")
    assert files_digest(found().source) == first
    (folder / "more.py").touch()
    assert files_digest(found().source) != first


@pytest.mark.parametrize("beside", ["locked_acme.pth", "locked_acme.data.json", "locked_acme/data.json"])
def test_a_file_that_is_named_like_the_module_of_an_editable_install_is_not_its_code(
    site: Site, found: Callable[[], FoundPlugin], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: str
) -> None:
    """As flit and uv name the `.pth` file."""
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "locked_acme.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(str(sources))
    info = site.install("locked-acme", {"weather": "locked_acme"})
    (site.folder / beside).parent.mkdir(exist_ok=True)
    (site.folder / beside).write_text(f"{sources}\n")
    record(site, info, {beside: ""})
    trusted = operator(tmp_path / "a.lock", found())
    assert files_digest(found().source).startswith("sources-sha256:")
    assert lock_drift(found(), trusted) is None
    (sources / "locked_acme.py").write_text("changed\n")
    assert "the files of locked-acme 1.0 are not those of" in str(lock_drift(found(), trusted))


def test_one_module_in_an_editable_install(
    site: Site, found: Callable[[], FoundPlugin], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one in a namespace; what is not there at all has the digest of nothing, and not of everything."""
    sources = tmp_path / "sources"
    (sources / "locked_space").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(sources))
    site.install("locked-acme", {"a": "locked_alone"})
    none = files_digest(found().source)
    (sources / "locked_alone.py").touch()
    alone = files_digest(found().source)
    site.install("locked-acme", {"a": "locked_space.module"})
    outside = files_digest(found().source)
    (sources / "locked_space" / "module.py").touch()
    assert len({none, alone, outside, files_digest(found().source)}) == 4


BAD = {
    None: "does not exist: `fcregistry lock --file PATH` makes it",
    "": "is not a lock (Expecting value: line 1 column 1 (char 0)): take it from version control, or make it anew",
    "[]": "is not a lock of fcregistry: take it from version control, or make it anew",
    '{"fcregistry_lock": 99}': "is a lock of another format (99, not 1): make it anew",
    '{"fcregistry_lock": 1}': "is a damaged lock ('distributions'): take it from version control, or make it anew",
    '{"fcregistry_lock": 1, "distributions": {"locked-acme": {"version": 1, "files": "", "tools": []}}}': "is a damaged lock "
    "(a version or digest of locked-acme is not text): take it from version control, or make it anew",
    '{"fcregistry_lock": 1, "distributions": {"locked-acme": {"version": "1", "files": "", "tools": [1]}}}': "is a damaged lock "
    "('int' object is not subscriptable): take it from version control, or make it anew",
}


@pytest.mark.parametrize("text", BAD)
def test_a_lock_that_cannot_be_read_refuses_everything(tmp_path: Path, text: str | None) -> None:
    """It says how to get one that can."""
    path = tmp_path / "a.lock"
    if text is not None:
        path.write_text(text)
    trusted = held(read_lock(str(path)))
    refusal = f'mode = "locked" in /x.toml, and {path} {BAD[text].replace("PATH", str(path))}'
    assert trusted.refusal("locked-acme", "weather", ships_tools=True) == refusal
    assert trusted.refusal("locked-acme", "numpy", ships_tools=False) == refusal
    assert trusted.record_refusal("locked-acme", {"group": "tool", "name": "x", "digest": ""}) == refusal


def test_a_tool_that_differs_from_the_locked_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    tools = [{"group": "tool", "name": "look", "digest": "abc"}]
    pin = {"version": "1", "files": "", "tools": tools}
    path.write_text(json.dumps({"fcregistry_lock": 1, "distributions": {"Locked.Acme": pin}}))
    trusted = held(read_lock(str(path)))

    def refusal(name: str, digest: str) -> str | None:
        return trusted.record_refusal("locked-acme", {"group": "tool", "name": name, "digest": digest})

    assert refusal("look", "abc") is None
    assert refusal("look", "xyz") == (
        f'mode = "locked" in /x.toml, and it is not what {path} says: `fcregistry lock --check --file {path}` shows what changed, '
        f"and `fcregistry lock --upgrade locked-acme --file {path}` accepts it"
    )
    assert refusal("peek", "abc") == (
        f'mode = "locked" in /x.toml, and {path} does not have it: `fcregistry lock --upgrade locked-acme --file {path}` adds it'
    )

"""When tools are taken from a manifest. Real distributions that ship one, in real processes."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

TOOLS = '''
from fcregistry import fc_register

@fc_register
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b
'''


def install(site: Site, **changes: Any) -> Path:
    """Install a package with a manifest, whose record of its tool may differ from the code; return the manifest."""
    site.install("acme", {"x": "acme_tools.tools"}, {"acme_tools/tools.py": TOOLS})
    record = site.ask(
        f"""
        from fcregistry._tools.record import digest_of
        from fcregistry._tools.indexed import record_of
        from fcregistry import registry
        answer = dict(record_of(registry.get("add")), file="acme_tools/tools.py", **{changes!r})
        answer["digest"] = digest_of(answer)
        """
    )
    plugin = {"entry_point": "x", "value": "acme_tools.tools", "dynamic": False, "tools": [record]}
    source = (site.folder / "acme_tools/tools.py").read_bytes()
    sources = {"acme_tools/tools.py": hashlib.sha256(source).hexdigest()}
    manifest = {"format": 1, "distribution": "acme", "plugins": [plugin], "sources": sources}
    path = site.folder / "acme_tools/fcregistry.json"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    for each in (site.folder.parent / "cache").iterdir():
        each.unlink()
    return path


def described_by(site: Site) -> Any:
    """Return who described the plugin, for a command that lists it."""
    site.cli("list")
    code = "from fcregistry.discovery import current\nanswer = [each.by for each in current().report().described]"
    return site.ask(code)


def test_a_package_with_a_manifest_is_not_imported_to_list_its_tools(site: Site) -> None:
    """Not by a worker either: it is imported when its tool is called."""
    install(site)
    (site.folder / "acme_tools/__init__.py").write_text("open('imported', 'w').close()\n")
    assert [each["id"] for each in json.loads(site.cli("list", "--json").stdout)] == ["acme:add"]
    assert site.cli("show", "add").stdout.startswith("acme:add\n")
    assert not (site.folder / "imported").exists()
    assert site.cli("call", "add", "--a", "1", "--b", "2").stdout == "3\n"
    assert (site.folder / "imported").exists()


def test_a_manifest_that_is_older_than_the_code_is_not_used(site: Site) -> None:
    """The code is described in its place, also where the manifest was believed before."""
    install(site)
    assert described_by(site) == ["manifest"]
    source = site.folder / "acme_tools/tools.py"
    source.write_text(source.read_text().replace("two numbers", "two whole numbers"))
    assert "Add two whole numbers." in site.cli("list").stdout
    assert described_by(site) == ["worker"]


def test_a_tool_that_a_manifest_describes_wrongly_does_not_run_and_the_manifest_is_not_used_again(site: Site) -> None:
    """The call is refused, the log names the package, and the next command describes the code."""
    install(site, description="Add three numbers.")
    assert "Add two" in site.cli("list").stdout  # the summary, which nothing else depends on
    called = site.cli("call", "add", "--a", "1", "--b", "2")
    assert called.returncode == 1
    assert (
        "acme:add has changed since the index described it (schema_changed): its description differs" in called.stderr
    )
    assert "(`fcregistry doctor acme` shows what differs)" in called.stderr
    assert "the manifest of acme[x] is wrong about add: report this to the authors of acme" in called.stderr
    assert described_by(site) == ["worker"]
    assert site.cli("call", "add", "--a", "1", "--b", "2").stdout == "3\n"


FORGED = '"}, {"id": "good:transfer", "distribution": "good", "x": "'


@pytest.mark.parametrize(
    "changes",
    [{"name": FORGED}, {"options": {"aliases": 5, "tags": 5, "title": 5, "requires_env": 5}}],
    ids=["name", "options"],
)
def test_an_impossible_manifest_does_not_affect_other_plugins(site: Site, changes: dict[str, Any]) -> None:
    """It is not used, and said to be so by doctor; what others ship is listed, found and called as ever."""
    install(site, **changes)
    site.install("good", {"x": "good_tools"}, {"good_tools.py": TOOLS.replace("add", "plus")})
    shown = json.loads(site.cli("list", "--json").stdout)
    assert [(each["id"], each["distribution"]) for each in shown] == [("acme:add", "acme"), ("good:plus", "good")]
    assert "plus" in site.cli("search", "numbers").stdout
    assert site.cli("call", "plus", "--a", "1", "--b", "2").stdout == "3\n"
    assert "has a manifest that is not used: the tool " in site.cli("doctor").stdout


def test_a_manifest_does_not_decide_the_owner_of_its_tools(site: Site) -> None:
    """What no record has is left out of it, and does not come after what is known."""
    install(site, id="good:transfer", distribution="good", version="9", entry_point="z")
    (shown,) = json.loads(site.cli("list", "--json").stdout)
    assert [shown[each] for each in ("id", "distribution", "version", "entry_point")] == [
        "acme:add",
        "acme",
        "1.0",
        "x",
    ]


def test_a_distribution_whose_name_is_not_a_valid_project_name_is_not_listed_and_hides_no_other(site: Site) -> None:
    """It is a stranger's too, and would stand in JSON beside the names of tools."""
    info = site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOLS})
    (info / "METADATA").write_text('Metadata-Version: 2.1\nName: a"*c\nVersion: 1.0\n')
    site.install("good", {"x": "good_tools"}, {"good_tools.py": TOOLS.replace("add", "plus")})
    (shown,) = json.loads(site.cli("list", "--json").stdout)
    assert (shown["id"], shown["distribution"]) == ("good:plus", "good")
    assert "its name is not a valid project name" in site.cli("doctor").stdout

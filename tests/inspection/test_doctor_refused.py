"""What doctor says of a plugin that was locked and has changed since, and of one that calls itself another. Neither is imported for that."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ..recorded import install  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from tests.conftest import Site

TOOL = "from fcregistry import fc_register\n\n@fc_register\ndef {name}() -> str:\n    return ''\n"
RAN = "open('ran', 'w').close()\n"


def findings(site: Site, *words: str) -> tuple[int, list[tuple[str, str, str]]]:
    """Return the status, and kind, subject and message of what doctor finds."""
    done = site.cli("doctor", "--json", *words)
    return done.returncode, [(each["kind"], each["subject"], each["message"]) for each in json.loads(done.stdout)]


@pytest.fixture
def altered(site: Site) -> Site:
    """A site with two plugins that are locked, one of which was altered afterwards."""
    install(site, "acme", {"x": "acme_tools"}, {"acme_tools.py": TOOL.format(name="double")})
    install(site, "fine", {"x": "fine_tools"}, {"fine_tools.py": TOOL.format(name="one")})
    assert site.cli("lock").returncode == 0
    (site.folder / "fcregistry.toml").write_text('mode = "locked"\n')
    (site.folder / "acme_tools.py").write_text(RAN + TOOL.format(name="double"))
    return site


def test_a_plugin_that_was_altered_after_it_was_locked_is_a_problem_and_not_imported(altered: Site) -> None:
    """Nor is it tried, nor a manifest made of it: none of that is asked of what may not be imported."""
    refusal = f'mode = "locked" in {altered.folder}/fcregistry.toml, and acme_tools.py of acme has changed since it was installed: reinstall acme'
    wrong = ("problem", "acme[x]", f"is not loaded: {refusal}")
    assert findings(altered) == (1, [wrong])
    status, told = findings(altered, "double")
    assert (status, told[0][1], told[1:]) == (1, "double", [wrong])
    status, told = findings(altered, "--probe")
    assert (status, told[0], [each[:2] for each in told[1:]]) == (1, wrong, [("note", "fine[x]")])
    assert findings(altered, "--probe", "acme") == (1, [wrong])
    built = altered.cli("manifest", "build", "acme", "--check")
    assert built.returncode != 0
    assert f"acme[x] may not be imported: {refusal}" in built.stderr
    assert not (altered.folder / "ran").exists()


def test_what_is_described_and_may_not_be_imported_now_is_a_problem(altered: Site) -> None:
    """Its description does not depend on the file that has changed, so it is listed, and no call would come through."""
    install(altered, "acme", {"x": "acme_tools"}, {"acme_tools.py": TOOL.format(name="double"), "acme_data.py": ""})
    assert altered.cli("lock").returncode == 0
    assert "double" in altered.cli("list").stdout
    (altered.folder / "acme_data.py").write_text("changed = 1\n")
    assert "double" in altered.cli("list").stdout
    status, ((kind, subject, message),) = findings(altered)
    assert (status, kind, subject) == (1, "problem", "acme[x]")
    assert message.endswith("acme_data.py of acme has changed since it was installed: reinstall acme")


def test_a_distribution_that_calls_itself_another_is_reported(site: Site) -> None:
    """What it ships is neither listed nor imported, whatever the other may."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOL.format(name="double")})
    impostor = site.install("aaa-evil", {"x": "evil_tools"}, {"evil_tools.py": RAN + TOOL.format(name="steal")})
    (impostor / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    assert findings(site) == (
        1,
        [
            (
                "problem",
                str(impostor),
                "has the name acme in its METADATA, but acme has another metadata folder: fcregistry uses no plugins from this one",
            )
        ],
    )
    assert not (site.folder / "ran").exists()

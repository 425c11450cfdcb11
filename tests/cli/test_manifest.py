"""Output and exit codes of `fcregistry manifest`, run as an author runs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Site

TOOLS = '''
from fcregistry import fc_register

print("noise")


@fc_register
def aim(degrees: float = 0.1) -> None:
    """Aim somewhere."""
'''


def test_a_project_gets_its_manifest_and_check_finds_it_out_of_date(site: Site) -> None:
    """Build, check, show; in its folder, without being installed. What the plugin prints is not shown."""
    site.write(
        {
            "pyproject.toml": '[project]\nname = "acme-sky"\n[project.entry-points.fcregistry]\nsky = "acme_sky"\n',
            "acme_sky.py": TOOLS,
        }
    )
    missing = site.cli("manifest", "build", "--check")
    assert missing.returncode == 1
    assert (
        missing.stdout
        == "acme_sky.fcregistry.json differs from the code:\n  the file does not exist or cannot be read\n"
    )
    assert missing.stderr == "Error: run: fcregistry manifest build\n"
    built = site.cli("manifest", "build")
    assert (built.returncode, built.stdout, built.stderr) == (0, "wrote acme_sky.fcregistry.json: 1 tool\n", "")
    shown = site.cli("manifest", "show")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout == (
        "acme-sky[sky]: acme_sky.fcregistry.json is up to date\nNAME  GROUP  SUMMARY\naim   tool   Aim somewhere.\n"
    )
    site.write({"acme_sky.py": TOOLS.replace("0.1", "0.2")})
    stale = site.cli("manifest", "show", "--json")
    assert (stale.returncode, stale.stderr) == (1, "")
    (told,) = json.loads(stale.stdout)
    assert told["state"] == "is older than the code, and is not used (acme_sky.py changed)"


def test_an_installed_copy_is_shown_and_not_written_to(site: Site) -> None:
    """Nor is one that is not there."""
    site.install("acme-sky", {"sky": "acme_sky"}, {"acme_sky.py": TOOLS})
    shown = site.cli("manifest", "show", "Acme.Sky")
    assert (shown.returncode, shown.stderr) == (1, "")
    assert shown.stdout == "acme-sky[sky]: has no manifest (write it in its project: fcregistry manifest build)\n"
    refused = site.cli("manifest", "build", "acme_sky")
    assert refused.returncode == 2
    assert f"Error: {site.folder} is an installed copy" in refused.stderr
    disabled = site.cli("manifest", "build", "acme_sky", env={"FCREGISTRY_DISABLE": "acme-sky:*"})
    assert "acme-sky[sky] may not be imported: FCREGISTRY_DISABLE names acme-sky:*" in disabled.stderr
    absent = site.cli("manifest", "show", "acme-none")
    assert (absent.returncode, absent.stdout) == (2, "")
    assert "Error: no distribution 'acme-none' with plugins is installed here" in absent.stderr

"""Output of `fcregistry models`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

GROUP = "fcregistry.extensions"
MODELS = """
import pathlib, sys
from fcregistry import hookimpl

print("imported", __name__)
pathlib.Path(__file__).with_suffix(".imported").touch()

@hookimpl
def fc_resolve_model(name):
    return None
"""
TYPES = "from fcregistry import hookimpl\n\n@hookimpl\ndef fc_register_types(types):\n    pass\n"
VARIABLES = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    *("OLLAMA_HOST", "VLLM_BASE_URL", "LMSTUDIO_BASE_URL"),
)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's keys and servers out."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bare(make_site: Callable[[Path], Site], dependencies: Path, tmp_path: Path) -> Site:
    """A site without the packages of providers."""
    beside = tmp_path / "beside"
    beside.mkdir()
    for each in dependencies.iterdir():
        if not each.name.startswith(("openai", "anthropic")):
            (beside / each.name).symlink_to(each.resolve())
    return make_site(beside)


def rows(site: Site, **env: str) -> dict[str, dict[str, object]]:
    """Return the prefixes by their names."""
    done = site.cli("models", "--json", env=env)
    assert done.returncode == 0, done.stderr
    return {each["prefix"]: each for each in json.loads(done.stdout)["prefixes"]}


def test_prefixes_are_listed_with_what_each_needs(site: Site) -> None:
    done = site.cli("models", env={"OPENAI_API_KEY": "sk-secret", "OLLAMA_HOST": "http://me:hidden@box:99"})
    assert done.returncode == 0
    assert [" ".join(line.split()) for line in done.stdout.splitlines()] == [
        "PREFIX STATE NEEDS",
        "anthropic: no key anthropic, ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN",
        "llama: not installed fcregistry-llama",
        "lmstudio: installed openai, a server at http://localhost:1234/v1",
        "ollama: installed openai, a server at http://box:99/v1",
        "openai: installed openai, OPENAI_API_KEY",
        "openai-responses: installed openai, OPENAI_API_KEY",
        "vllm: installed openai, a server at http://localhost:8000/v1",
        "anthropic: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN",
        "llama: pip install fcregistry-llama",
    ]
    assert done.stderr == "No model is downloaded.\n"


def test_a_package_that_is_missing_has_the_command_that_installs_it(bare: Site) -> None:
    (bare.folder / "openai").mkdir()  # a folder without a module is not the package
    found = rows(bare, OPENAI_API_KEY="x")
    assert [each["state"] for each in found.values()] == ["not installed"] * 7
    assert found["vllm"]["reason"] == found["openai"]["reason"]
    assert str(found["openai"]["reason"]).strip("\"'").endswith("fcregistry[openai]")
    assert bare.cli("models").stdout.count("\nlmstudio, ollama, openai, openai-responses, vllm: pip install ") == 1


def test_a_server_of_the_users_own_needs_no_key(site: Site) -> None:
    """The password in its address is shown to nobody."""
    found = rows(
        site, OPENAI_BASE_URL="https://me:hidden@here/v1?key=hidden", VLLM_BASE_URL="http://[x", OLLAMA_HOST="a:b"
    )
    assert {key: found["openai"][key] for key in ("variables", "address", "state", "reason")} == {
        "variables": [],
        "address": "https://here/v1",
        "state": "installed",
        "reason": None,
    }
    assert found["vllm"]["address"] == found["ollama"]["address"] == "an address that is not a valid URL"


def test_no_package_of_a_provider_is_imported(site: Site) -> None:
    code = (
        "import contextlib, sys, fcregistry.cli\nwith contextlib.suppress(SystemExit): fcregistry.cli.main(['models'])"
    )
    done = site.run(
        "-c", f"{code}\nprint(sorted({{'openai', 'anthropic', 'rich', 'asyncio.tasks'}} & {{*sys.modules}}))"
    )
    assert done.stdout.splitlines()[-1] in ("[]", "['asyncio.tasks']")


def test_extensions_with_models_are_listed(site: Site) -> None:
    """One is imported only if its name does not say that it has models; why one cannot be used is below the table."""
    site.install("fcregistry-llama", {"llama": "our_llama"}, {"our_llama.py": MODELS}, group=GROUP)
    site.install("acme-echo", {"echo": "acme_echo"}, {"acme_echo.py": MODELS}, group=GROUP, version="2.5")
    site.install("acme-types", {"pandas": "acme_types"}, {"acme_types.py": TYPES}, group=GROUP)
    site.install("acme-broken", {"broken": "acme_broken"}, {"acme_broken.py": "import nowhere"}, group=GROUP)
    site.install("acme-fake", {"OpenAI": "acme_fake"}, {"acme_fake.py": MODELS}, group=GROUP)
    for number in "12":
        site.install(f"acme-twin{number}", {"twin": f"twin{number}"}, {f"twin{number}.py": MODELS}, group=GROUP)
    found = {name: row for name, row in rows(site).items() if row["kind"] == "extension"}
    assert {name: (row["package"], row["version"], row["state"]) for name, row in found.items()} == {
        "broken": ("acme-broken", "1.0", "failed"),
        "echo": ("acme-echo", "2.5", "installed"),
        "llama": ("fcregistry-llama", "1.0", "installed"),
        "twin": ("acme-twin1[twin], acme-twin2[twin]", None, "ambiguous"),
    }
    assert [each.stem for each in site.folder.glob("*.imported")] == ["acme_echo"]
    assert "\nbroken: ModuleNotFoundError: No module named 'nowhere'" in site.cli("models").stdout
    assert "FCREGISTRY_DISABLE=acme-twin2[twin]" in str(found["twin"]["reason"])


def test_an_extension_that_is_disabled_says_why(site: Site) -> None:
    site.install("fcregistry-llama", {"llama": "our_llama"}, {"our_llama.py": MODELS}, group=GROUP)
    site.install("acme-echo", {"echo": "acme_echo"}, {"acme_echo.py": MODELS}, group=GROUP)
    found = rows(site, FCREGISTRY_DISABLE="fcregistry-llama[llama],acme-echo[echo]")
    assert found["llama"]["state"] == "disabled"
    assert "FCREGISTRY_DISABLE" in str(found["llama"]["reason"])
    assert "echo" not in found
    assert not [*site.folder.glob("*.imported")]


def test_downloaded_models_are_listed_with_sizes_and_folder(site: Site, tmp_path: Path) -> None:
    """What a download has not finished is not one."""
    folder = tmp_path / "cache" / "models"
    (folder / "acme").mkdir(parents=True)
    (folder / ".fetching-x").mkdir()
    for name, size in (("small.gguf", 1536), ("acme/large.bin", 5 << 20), (".fetching-x/part", 1)):
        with (folder / name).open("wb") as file:
            file.truncate(size)
    (folder / "gone.gguf").symlink_to(tmp_path / "nowhere")
    env = {"FCREGISTRY_CACHE_DIR": str(tmp_path / "cache")}
    done = site.cli("models", env=env)
    assert [line.split() for line in done.stdout.rpartition("\n\n")[2].splitlines()] == [
        ["DOWNLOADED", "SIZE", "FOLDER"],
        ["acme/large.bin", "5", "MB", str(folder)],
        ["small.gguf", "1.5", "KB", str(folder)],
    ]
    assert done.stderr == ""
    assert json.loads(site.cli("models", "--json", env=env).stdout)["downloads"] == [
        {"name": "acme/large.bin", "bytes": 5 << 20, "folder": str(folder)},
        {"name": "small.gguf", "bytes": 1536, "folder": str(folder)},
    ]

"""The tools of the entry point: what they promise they keep, and the environment decides which there are."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor, Tool
from fcregistry.testing import check_tool
from web_servers import Replies, Server, html

import fcregistry_web
from fcregistry_web.tools import TOOLS

ROOT = Path(__file__).parent.parent
VARIABLES = (
    *(
        "FCREGISTRY_WEB",
        "FCREGISTRY_WEB_HOSTS",
        "FCREGISTRY_WEB_NETWORKS",
        "FCREGISTRY_FILES_ROOT",
        "FCREGISTRY_FILES_WRITE",
    ),
    *("SEARXNG_URL", "BRAVE_API_KEY", "TAVILY_API_KEY"),
)


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def run(name: str, **arguments: Any) -> Any:
    return Executor(TOOLS).run({"name": name, "arguments": arguments})


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_rule_is_kept(tool: Tool) -> None:
    report = check_tool(tool)
    assert report.skipped == {}
    assert report.remarks == ()


def test_the_entry_point_names_the_tools() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"fcregistry": {"web": "fcregistry_web.tools:TOOLS"}}
    assert [tool.name for tool in TOOLS] == ["fetch_url", "web_search", "download_file"]
    assert (ROOT / "fcregistry_web" / "py.typed").is_file()


def test_nothing_is_available_unless_the_operator_allows_it() -> None:
    for name, arguments in (
        ("fetch_url", {"url": "https://example.com/"}),
        ("web_search", {"query": "tea"}),
        ("download_file", {"url": "https://example.com/", "path": "a"}),
    ):
        assert run(name, **arguments).error.code == "unavailable"


def test_the_hosts_of_the_environment_can_be_reached(
    monkeypatch: pytest.MonkeyPatch, server: Server, replies: Replies, dns: Any
) -> None:
    replies["/"] = html("<p>hello")
    dns.names["good.test"] = [["127.0.0.1"]]
    url = f"http://good.test:{server.server_port}/"
    monkeypatch.setenv("FCREGISTRY_WEB", "0")
    assert run("fetch_url", url=url).error.code == "unavailable"
    monkeypatch.setenv("FCREGISTRY_WEB", "1")
    assert "a loopback address" in run("fetch_url", url=url).content
    monkeypatch.setenv("FCREGISTRY_WEB_HOSTS", "other.test, *.good.test")
    assert "these can: *.good.test, other.test" in run("fetch_url", url=url).content
    monkeypatch.setenv("FCREGISTRY_WEB_HOSTS", " , ")
    assert "these can: none" in run("fetch_url", url=url).content
    monkeypatch.setenv("FCREGISTRY_WEB_HOSTS", "good.test")
    assert "the host good.test has the address 127.0.0.1, a loopback address" in run("fetch_url", url=url).content
    monkeypatch.setenv("FCREGISTRY_WEB_NETWORKS", "10.0.0.0/8, 127.0.0.1")
    assert "hello" in run("fetch_url", url=url).content
    monkeypatch.setenv("FCREGISTRY_WEB_NETWORKS", "intranet")
    assert "FCREGISTRY_WEB_HOSTS or FCREGISTRY_WEB_NETWORKS is not valid" in run("fetch_url", url=url).content


def test_downloads_need_the_folder_and_the_permission(
    monkeypatch: pytest.MonkeyPatch, server: Server, replies: Replies, tmp_path: Path
) -> None:
    pytest.importorskip("fcregistry_files")
    replies["/"] = html("<p>hello")
    monkeypatch.setenv("FCREGISTRY_WEB", "1")
    monkeypatch.setenv("FCREGISTRY_WEB_NETWORKS", "127.0.0.1")
    monkeypatch.setenv("FCREGISTRY_FILES_ROOT", str(tmp_path))
    monkeypatch.setenv("FCREGISTRY_FILES_WRITE", "no")
    arguments = {"url": f"{server.url}/", "path": "a.html"}
    assert run("download_file", **arguments).error.code == "unavailable"
    monkeypatch.setenv("FCREGISTRY_FILES_WRITE", "1")
    assert run("download_file", **arguments).ok
    assert (tmp_path / "a.html").read_bytes() == b"<p>hello"
    monkeypatch.setenv("FCREGISTRY_FILES_ROOT", str(tmp_path / "nothing"))
    assert "FCREGISTRY_FILES_ROOT does not name a folder" in run("download_file", **arguments).content


def test_the_first_provider_that_is_set_is_asked(
    monkeypatch: pytest.MonkeyPatch, server: Server, replies: Replies
) -> None:
    replies["/search"] = (200, {}, b'{"results": [{"url": "https://tea.example/", "title": "Tea"}]}')
    monkeypatch.setenv("TAVILY_API_KEY", "a-key-that-is-not-asked")
    monkeypatch.setenv("SEARXNG_URL", server.url)
    assert run("web_search", query="tea").value[0].url == "https://tea.example/"
    assert len(server.asked) == 1


def test_every_public_name_is_there() -> None:
    for name in fcregistry_web.__all__:
        assert getattr(fcregistry_web, name) is not None
    assert set(fcregistry_web.__all__) <= set(dir(fcregistry_web))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = fcregistry_web.nothing
    assert import_module("fcregistry_web").__doc__


def test_the_manifest_describes_the_tools() -> None:
    """It is written again with `fcregistry manifest build`, in the folder of the plugin."""
    command = [sys.executable, "-m", "fcregistry", "manifest", "build", "--check", "fcregistry-web"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr

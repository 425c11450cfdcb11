"""What `download_file` saves: all of a file, or nothing."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from fcregistry import Executor
from fcregistry.errors import DefinitionError, MissingDependencyError
from fcregistry.execution import CancellationToken, Progress
from web_servers import Replies, Server, gzipped

from fcregistry_web import Download, SearXNG, WebAccess, download_tool, web_tools

pytest.importorskip("fcregistry_files")

DATA = os.urandom(300_000)
SHA256 = hashlib.sha256(DATA).hexdigest()
ACCESS = WebAccess(networks=["127.0.0.1"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def data(replies: Replies) -> None:
    replies["/data"] = (200, {"Content-Type": "application/octet-stream"}, DATA)


def call(url: str, path: str, **more: Any) -> dict[str, Any]:
    return {"name": "download_file", "arguments": {"url": url, "path": path, **more}}


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def test_a_file_is_saved_whole(server: Server, root: Path) -> None:
    url = f"{server.url}/data"
    result = Executor([download_tool(root, ACCESS)]).run(call(url, "new/folder/data.bin", sha256=SHA256.upper()))
    assert result.value == Download("new/folder/data.bin", len(DATA), SHA256, "application/octet-stream", url)
    assert (root / "new/folder/data.bin").read_bytes() == DATA
    assert len(files(root)) == 1


def test_it_is_saved_unpacked(server: Server, root: Path, replies: Replies) -> None:
    replies["/packed"] = gzipped(DATA)
    result = Executor([download_tool(root, ACCESS)]).run(call(f"{server.url}/packed", "a", sha256=SHA256))
    assert result.ok
    assert (root / "a").read_bytes() == DATA


def test_progress_is_reported(server: Server, root: Path) -> None:
    seen = [
        event.fraction
        for event in Executor([download_tool(root, ACCESS)]).stream(call(f"{server.url}/data", "a"))
        if isinstance(event, Progress)
    ]
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_progress_is_reported_in_bytes_if_the_size_is_not_known(server: Server, root: Path, replies: Replies) -> None:
    def chunked(handler: Any) -> Any:
        data = b"x" * 3_000_000
        return 200, {"Transfer-Encoding": "chunked"}, f"{len(data):x}\r\n".encode() + data + b"\r\n0\r\n\r\n"

    replies["/chunked"] = chunked
    events = list(Executor([download_tool(root, ACCESS)]).stream(call(f"{server.url}/chunked", "a")))
    seen = [event for event in events if isinstance(event, Progress)]
    assert {event.fraction for event in seen} == {0.0}
    assert 2 <= len(seen) <= 3
    assert (root / "a").stat().st_size == 3_000_000


def test_another_checksum_saves_nothing(server: Server, root: Path) -> None:
    executor = Executor([download_tool(root, ACCESS)])
    result = executor.run(call(f"{server.url}/data", "a", sha256="0" * 64))
    assert f"has the SHA-256 {SHA256}, not {'0' * 64}; it was not saved" in result.content
    assert executor.run(call(f"{server.url}/data", "a", sha256="abc")).content == "sha256 must have 64 hex digits"
    assert files(root) == []


def test_replacing_a_file_needs_approval(server: Server, root: Path) -> None:
    (root / "a").write_bytes(b"old")
    tool = download_tool(root, ACCESS)
    result = Executor([tool]).run(call(f"{server.url}/data", "a"))
    assert not result.ok
    assert "exist" in result.content
    assert Executor([tool]).run(call(f"{server.url}/data", "a", overwrite=True)).error.code == "approval_required"
    assert (root / "a").read_bytes() == b"old"
    asked = []

    def approve(tool: Any, call: Any) -> bool:
        asked.append(call.arguments)
        return True

    assert Executor([tool], approve=approve).run(call(f"{server.url}/data", "a", overwrite=True)).ok
    assert asked[0]["path"] == "a"
    assert (root / "a").read_bytes() == DATA


@pytest.mark.parametrize("path", ["../a", "/etc/a", "link/a", "b/../../a", "", ".", "a\x00b", "\\\\host\\a"])
def test_no_path_gets_out_of_the_folder(server: Server, root: Path, path: str) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    try:
        (root / "link").symlink_to(outside)
    except OSError:  # Windows lets only some users make links
        pytest.skip("no links here")
    result = Executor([download_tool(root, ACCESS)]).run(call(f"{server.url}/data", path))
    if result.ok:  # a backslash is a letter of a name on POSIX systems
        assert (root / path).read_bytes() == DATA
    assert files(outside) == []
    assert files(root.parent) == [str(Path("root") / name) for name in files(root)]


def test_a_file_that_is_too_large_is_not_saved(server: Server, root: Path, replies: Replies) -> None:
    executor = Executor([download_tool(root, ACCESS, max_bytes=100_000)])
    message = f"the file at {server.url}/data has more than 100000 bytes, the most for this tool; it was not saved"
    assert executor.run(call(f"{server.url}/data", "a")).content == message
    replies["/bomb"] = gzipped(b"x" * 50_000_000)  # its header says that it is small
    assert "has more than 100000 bytes" in executor.run(call(f"{server.url}/bomb", "a")).content
    assert files(root) == []


def test_a_download_that_breaks_off_saves_nothing(server: Server, root: Path, replies: Replies) -> None:
    def half(handler: Any) -> Any:
        handler.close_connection = True
        return 200, {"Content-Length": str(len(DATA))}, DATA[: len(DATA) // 2]

    replies["/half"] = half
    replies["/gone"] = (410, {}, b"gone")
    executor = Executor([download_tool(root, ACCESS)])
    assert "cannot be read (RemoteProtocolError)" in executor.run(call(f"{server.url}/half", "a")).content
    assert executor.run(call(f"{server.url}/gone", "a")).content == "127.0.0.1 answers 410 Gone"
    assert "is a loopback address" in Executor([download_tool(root)]).run(call(f"{server.url}/data", "a")).content
    assert files(root) == []


@pytest.mark.parametrize("stop", ["cancel", "timeout"])
def test_a_download_that_is_stopped_saves_nothing(server: Server, root: Path, replies: Replies, stop: str) -> None:
    over, begun = threading.Event(), threading.Event()

    def wait(handler: Any) -> Any:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(DATA)))
        handler.end_headers()
        handler.wfile.write(DATA[:1000])
        begun.set()
        over.wait(20)
        return 200, {}, b""

    replies["/wait"] = wait
    token = CancellationToken()
    access = WebAccess(networks=["127.0.0.1"], timeout=0.5 if stop == "timeout" else 20)
    thread = threading.Thread(target=lambda: begun.wait(10) and stop == "cancel" and token.cancel())
    thread.start()
    result = Executor([download_tool(root, access)]).run(call(f"{server.url}/wait", "a"), cancellation=token)
    over.set()
    thread.join()
    if stop == "cancel":
        assert result.error.code == "cancelled"
    else:
        assert result.content == f"'{server.url}/wait' was not downloaded within 0.5 seconds; nothing was saved"
        assert result.error.retryable
    ends = time.monotonic() + 10  # `run` returns at once, while the tool still removes its file
    while files(root) and time.monotonic() < ends:
        time.sleep(0.01)
    assert files(root) == []


def test_calls_that_use_one_file_run_in_order(server: Server, root: Path, replies: Replies) -> None:
    """Two downloads to one path: the second finds the first one's file."""
    both = [call(f"{server.url}/data", "a"), call(f"{server.url}/data", "a")]
    first, second = Executor([download_tool(root, ACCESS)]).run_all(both)
    assert first.ok
    assert not second.ok
    assert "exist" in second.content


def test_web_tools_returns_the_tools_that_can_be_used(server: Server, root: Path) -> None:
    tools = web_tools(ACCESS, root=root)
    assert set(tools) == {"fetch_url", "download_file"}
    assert set(web_tools()) == {"fetch_url"}
    assert set(web_tools(search=SearXNG(url="http://localhost:8888"))) == {"fetch_url", "web_search"}
    assert Executor(tools).run(call(f"{server.url}/data", "a")).ok


def test_wrong_settings_are_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DefinitionError, match="max_bytes= takes a whole number above 0, not -1"):
        download_tool(root, max_bytes=-1)
    with pytest.raises(FileNotFoundError):
        download_tool(root / "nothing")
    monkeypatch.setitem(sys.modules, "fcregistry_files", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'fcregistry-web\[files\]'"):
        download_tool(root)

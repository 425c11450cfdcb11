"""Finds the file of a model and checks that it begins as GGUF files do; errors say what to do.

Source: ggml, "GGUF", file structure.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Final

from fcregistry.errors import ModelNotFoundError

_MAGIC: Final = b"GGUF"


def located(path: str | PathLike[str]) -> Path:
    """Return a path with the home folder in place of `~`; with a name after it that nobody has, as it is."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def checked(path: Path) -> Path:
    """Return the path of a GGUF file as it is.

    Raises:
        ModelNotFoundError: There is no file, it is none of a model, or it cannot be read.
    """
    try:
        if path.is_dir():
            raise ModelNotFoundError(f"{path} is a folder; name one of its .gguf files")
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise ModelNotFoundError(
            f"there is no model file {path}; name a .gguf file, as in llama:/models/name.gguf, or take llama:smollm2"
        ) from None
    except OSError as error:
        raise ModelNotFoundError(f"the model file {path} cannot be read: {error.strerror}") from error
    if begins != _MAGIC:
        raise ModelNotFoundError(
            f"{path} is no GGUF file, which is what llama.cpp reads; models in other formats can be converted"
        )
    return path

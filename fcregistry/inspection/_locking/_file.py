"""What stands in a lock file, and how is it written?"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from errno import EEXIST
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from fcregistry._config.policy import FORMAT


def lock_text(distributions: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a lock: the same for the same contents, byte for byte.

    It is of ASCII, so that whoever reviews it sees each character that a description has.
    """
    return json.dumps({"fcregistry_lock": FORMAT, "distributions": distributions}, indent=2, sort_keys=True) + "\n"


def write_lock(path: Path, text: str) -> None:
    """Write a lock, so that whoever reads it meanwhile sees the old one or the new one, and no half.

    Raises:
        OSError: It cannot be written there; what is no file is not replaced by one, nor is a link.
    """
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OSError(EEXIST, "it is a link, or no file: name a file", str(path))
    with NamedTemporaryFile(
        "w", encoding="ascii", newline="\n", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        aside = Path(file.name)
        try:
            file.write(text)
            file.close()
            aside.chmod(path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask())
            aside.replace(path)
        except BaseException:  # whatever ends the writing leaves nothing half written
            aside.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0o077)  # the only way to ask
    os.umask(mask)
    return mask

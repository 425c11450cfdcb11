"""Where is the whole of a result kept that is too long for a model? In a file, under a name that is told from what is in it."""

from __future__ import annotations

import os
from pathlib import Path


def keep(folder: Path, data: bytes, ending: str) -> Path:
    """Write bytes to a folder, for its owner alone, and return the path of the file.

    Equal bytes have one file. It is there as a whole or not at all, and a link of its name is replaced, not followed.

    Args:
        folder: Where; made if it is not there.
        data: What.
        ending: Of the name, with its dot.

    Raises:
        OSError: It cannot be written.
    """
    from hashlib import sha256  # only for what is too long

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{sha256(data).hexdigest()[:32]}{ending}"
    passing = folder / f".{os.urandom(16).hex()}"
    try:
        with os.fdopen(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        passing.replace(path)
    except BaseException:  # whatever ends the writing leaves nothing half written
        passing.unlink(missing_ok=True)
        raise
    return path

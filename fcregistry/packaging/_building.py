"""Which manifests does a distribution need, and what has to stand in them?"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fcregistry.discovery._manifest import ManifestContent, read_text
from fcregistry.packaging._errors import PackagingError

if TYPE_CHECKING:
    from fcregistry.packaging._project import Target
    from fcregistry.packaging._worker import Answer

_WORK: Final = "from fcregistry.packaging._worker import main; main()"
# The path as it is here, before the first import of ours: a child would begin with another one.
# And before that, an interrupt is made to end the child without a word: the author reads of it once, from the process that asked.
_QUIET: Final = (
    "import _signal; _signal.getsignal(2) is _signal.default_int_handler and _signal.signal(2, _signal.SIG_DFL)"
)
_START: Final = f"{_QUIET}; import json, sys; sys.path[:] = json.loads(sys.argv[1])['path']; {_WORK}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltManifest:
    """A manifest as the code would have it.

    Attributes:
        path: Where it belongs.
        folder: What the paths in it are relative to.
        text: What is to stand there.
    """

    path: Path
    folder: Path
    text: str

    @property
    def content(self) -> ManifestContent:
        """What it says."""
        return read_text(self.text)

    @property
    def standing(self) -> str | None:
        """What stands there now; None if nothing that can be read does."""
        try:
            return self.path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            return None

    def write(self) -> None:
        """Write it.

        Raises:
            PackagingError: Its folder is one that an installer wrote.
        """
        if any(self.folder.glob("*.dist-info")):
            raise PackagingError(
                f"{self.path.parent} is an installed copy, which its next install replaces: run fcregistry manifest build in "
                f"the project of {self.content['distribution']}"
            )
        self.path.write_text(self.text, encoding="utf-8", newline="\n")


def build(target: Target) -> tuple[BuiltManifest, ...]:
    """Return the manifests of a distribution, sorted by path; its plugins are imported in a process of their own.

    Args:
        target: The distribution.

    Raises:
        PackagingError: It has no plugins, or one that does not load, or a tool that cannot be defined.
    """
    answer = _ask(target)
    if answer["failures"]:
        raise PackagingError("\n".join([f"{target.distribution} gets no manifest:", *_indented(answer["failures"])]))
    return tuple(
        BuiltManifest(path=Path(each["path"]), folder=Path(each["folder"]), text=each["text"])
        for each in answer["manifests"]
    )


def _ask(target: Target) -> Answer:
    with tempfile.TemporaryDirectory(prefix="fcregistry-") as folder:
        file = Path(folder) / "answer.json"
        asked = {
            "distribution": target.distribution,
            "is_own": target.folder is not None,
            "path": target.path,
            "answer": str(file),
        }
        done = subprocess.run(
            [sys.executable, "-P", "-B", "-c", _START, json.dumps(asked)],
            stdin=subprocess.DEVNULL,
            stdout=2,
            check=False,
        )
        if not file.exists():
            how = f"signal {-done.returncode}" if done.returncode < 0 else f"exit code {done.returncode}"
            raise PackagingError(
                f"{target.distribution} gets no manifest: importing its plugins ended the process ({how})"
            )
        answer: Answer = json.loads(file.read_text(encoding="utf-8"))
        return answer


def _indented(failures: Sequence[str]) -> list[str]:
    return [f"  - {each}".replace("\n", "\n    ") for each in failures]

"""Where does a document's reader work? In a folder, a home and a Python environment made for that document alone.

So no document sees another's packages, files, configuration or caches, and nothing has to be taken back afterwards.
There are two kinds, and a document chooses with a comment on a line of its own:

``<!-- env: layered -->`` (when it says nothing)
    A new virtual environment in which everything that the test session has is already there: fcregistry, the plugins,
    pip and the build backend. What the document installs goes to the new environment, and away with it.

``<!-- env: checkout -->``
    A new virtual environment with pip and nothing else, and the working folder is a copy of this project: what somebody
    has who just cloned it. Slow, as everything is downloaded and built; meant for the README.
"""

from __future__ import annotations

import os
import re
import shutil
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from .documents import ROOT

Kind = Literal["layered", "checkout"]

DIRECTIVE = re.compile(r"^<!-- env: (?P<kind>.*?) -->$", re.MULTILINE)
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "build", "dist")
#: Variables of the session that would show in a document's output, or lead it to files that are not the reader's.
NOT_INHERITED = re.compile(r"FCREGISTRY_.*|PYTHON.*|XDG_.*|VIRTUAL_ENV|NO_COLOR|FORCE_COLOR|LC_.*|LANGUAGE|CI")


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """The reader's working folder, interpreter and environment variables."""

    folder: Path
    python: Path
    variables: dict[str, str]


def kind_of(text: str) -> Kind:
    """Return the kind of environment that a document's text asks for.

    Raises:
        ValueError: It asks for one that does not exist, or for two.
    """
    asked = [match["kind"] for match in DIRECTIVE.finditer(text)] or ["layered"]
    if len(asked) > 1 or asked[0] not in ("layered", "checkout"):
        raise ValueError(f"a document has one of <!-- env: layered --> and <!-- env: checkout -->, not {asked}")
    return cast(Kind, asked[0])


def make(kind: Kind, place: Path) -> Environment:
    """Make an environment of this kind below an empty folder."""
    folder, prefix, home = place / "work", place / "env", place / "home"
    home.mkdir()
    if kind == "checkout":
        shutil.copytree(ROOT, folder, ignore=NOT_COPIED)
        venv.create(prefix, symlinks=True, with_pip=True)
    else:
        folder.mkdir()
        venv.create(prefix, symlinks=True, with_pip=False)
        lay_over_session(prefix)
    return Environment(folder=folder, python=prefix / "bin" / "python", variables=variables(prefix, home))


def lay_over_session(prefix: Path) -> None:
    """Let a new virtual environment see what is installed in the session's, commands of fcregistry included."""
    library = next(prefix.glob("lib/python*/site-packages"))
    session = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    # addsitedir, not the bare path: it also follows the .pth files there, which is how an editable install is found.
    lines = [f"import site; site.addsitedir({path!r})\n" for path in session]
    (library / "session.pth").write_text("".join(lines), encoding="utf-8")
    command = prefix / "bin" / "fcregistry"
    command.write_text(f"#!{prefix / 'bin' / 'python'}\nfrom fcregistry.cli import main\n\nraise SystemExit(main())\n")
    command.chmod(0o755)


def variables(prefix: Path, home: Path) -> dict[str, str]:
    """Return the variables of a reader at an 80-column terminal without colours."""
    inherited = {name: value for name, value in os.environ.items() if not NOT_INHERITED.fullmatch(name)}
    return {
        **inherited,
        "PATH": os.pathsep.join([str(prefix / "bin"), os.environ["PATH"]]),
        "VIRTUAL_ENV": str(prefix),
        "HOME": str(home),
        "COLUMNS": "80",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_PROGRESS_BAR": "off",
        "PIP_ROOT_USER_ACTION": "ignore",
        "PYTHONNOUSERSITE": "1",
    }

"""How is the project checked? One session a question; plain `nox` asks all of them but the benchmarks.

Every session but `lint` and `typing` runs against wheels, which the session `build` makes once: what is tested is what
is shipped. `PYTHONSAFEPATH` keeps the checkout off `sys.path`, where it would hide the installed package.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import nox
from packaging.requirements import Requirement
from packaging.version import Version

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["tests", "lint", "typing", "newest", "installed", "docs", "dask", "floors"]
nox.options.reuse_venv = "yes"

ROOT = Path(__file__).parent
PACKAGE: dict[str, Any] = nox.project.load_toml(ROOT / "pyproject.toml")
PLUGINS: dict[Path, dict[str, Any]] = {
    path.parent: nox.project.load_toml(path) for path in sorted(ROOT.glob("plugins/*/pyproject.toml"))
}
PROJECTS = [PACKAGE, *PLUGINS.values()]
OWN_CODE_ONLY = {"PYTHONSAFEPATH": "1"}
NOT_AGAIN = ["-m", "not once"]  # what is the same on every interpreter and with every dependency was tried on the first
# What takes longest, and looks at no annotation, is tried on the oldest interpreter, and in a session of its own on the newest.
SLOW_ROOMS = ("agents", "cli", "dialects", "discovery", "execution", "inspection", "models", "packaging", "testing")
SLOW = [*(f"tests/{room}" for room in SLOW_ROOMS), "plugins/fcregistry-llama/tests", "plugins/fcregistry-mcp/tests"]
WITHOUT_SLOW = [f"--ignore-glob={folder}/*" for folder in SLOW]  # a folder that the settings name is not ignored itself
# Dialects are text in, text out: nothing of an interpreter's own.
SLOW_AGAIN = [folder for folder in SLOW if folder != "tests/dialects"]
NO_FLOORS = "fcregistry-mcp"  # its SDK needs newer versions of what we share with it than our floors are
# What uses the dependencies through the rooms below it alone, where their floors are tried.
WITHOUT_FLOORS = [
    f"--ignore-glob=tests/{room}/*" for room in ("agents", "dialects", "expressions", "models", "prompts")
]
WITHOUT_FLOORS += [f"--ignore-glob=plugins/{NO_FLOORS}/tests/*"]
TESTED_BEFORE = {**OWN_CODE_ONLY, "FCREGISTRY_TESTED_BEFORE": "1"}  # likewise, fewer examples will do


# --- interpreters ---------------------------------------------------------------------------------


def runs(python: str | Path, version: str) -> bool:
    """Tell whether ``python`` really is a Python of this version; a shim on PATH may run nothing."""
    show = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", show], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return False
    return answer.stdout.strip() == version


def find_interpreter(version: str) -> Path | None:
    """Return the first interpreter that runs: the one on PATH, else one that pyenv installed."""
    name = f"python{version}"
    on_path = shutil.which(name)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [Path(on_path)] if on_path else []
    candidates += sorted(pyenv.glob(f"versions/{version}.*/bin/{name}"), reverse=True)
    return next((python for python in candidates if runs(python, version)), None)


INTERPRETERS = {version: find_interpreter(version) for version in nox.project.python_versions(PACKAGE)}
INSTALLED = [version for version, python in INTERPRETERS.items() if python]
TESTED = INSTALLED or list(INTERPRETERS)[:1]  # where there is none at all, nox fails for want of the first
MISSING = [version for version, python in INTERPRETERS.items() if not python]
# nox itself looks for interpreters on PATH only, and takes the first, so those of pyenv go before its shims.
ON_PATH = os.environ["PATH"].split(os.pathsep)
OFF_PATH = [str(python.parent) for python in INTERPRETERS.values() if python and str(python.parent) not in ON_PATH]
os.environ["PATH"] = os.pathsep.join([*OFF_PATH, *ON_PATH])


# --- what sessions install ------------------------------------------------------------------------


def dependencies(*groups: str, without: str = "") -> list[str]:
    """Return what the package, every plugin but one and these dependency groups require from elsewhere."""
    own = {project["project"]["name"] for project in PROJECTS}
    asking = [project["project"] for project in PROJECTS if project["project"]["name"] != without]
    required = [line for project in asking for line in project.get("dependencies", [])]
    foreign = {line for line in required if Requirement(line).name not in own}
    return sorted({*foreign, *nox.project.dependency_groups(PACKAGE, *groups)})


def lowest(requirements: list[str]) -> list[str]:
    """Return the requirements with each floor as the only version; of two floors, the higher."""
    floor: dict[str, Version] = {}
    for requirement in map(Requirement, requirements):
        versions = [Version(one.version) for one in requirement.specifier if one.operator == ">="]
        floor[requirement.name] = max([*versions, floor.get(requirement.name, Version("0"))])
    return [f"{name}=={version}" for name, version in floor.items()]


def wheels(session: nox.Session, without: str = "") -> list[str]:
    """Return the wheels that ``build`` made in this run, but one project's."""
    made = sorted((session.cache_dir / "wheels").glob("*.whl"))
    return [str(wheel) for wheel in made if wheel.name.partition("-")[0] != without.replace("-", "_")]


def install_wheels(session: nox.Session, *groups: str) -> None:
    """Install the package and every plugin as built now, also into an environment that holds an earlier build."""
    session.install(*dependencies(*groups))
    session.install("--force-reinstall", "--no-deps", *wheels(session))


# --- the sessions ---------------------------------------------------------------------------------


@nox.session
def build(session: nox.Session) -> None:
    """Can the package and every plugin be built? The other sessions ask for it and test its wheels."""
    wheelhouse = session.cache_dir / "wheels"
    shutil.rmtree(wheelhouse, ignore_errors=True)
    session.install(*sorted({line for project in PROJECTS for line in project["build-system"]["requires"]}))
    folders = [".", *(f"./{folder.relative_to(ROOT)}" for folder in PLUGINS)]
    session.run("pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", f"--wheel-dir={wheelhouse}", *folders)


@nox.session(python=TESTED, requires=["build"])
def tests(session: nox.Session) -> None:
    """Does everything behave, on every supported interpreter that is installed? Arguments after `--` go to pytest."""
    for version in MISSING:
        session.warn(f"Python {version} is not installed here: its tests are SKIPPED")
    install_wheels(session, "test")
    if session.python == TESTED[0]:
        session.run("pytest", *session.posargs, env=OWN_CODE_ONLY)
    else:
        session.run("pytest", *NOT_AGAIN, *WITHOUT_SLOW, *session.posargs, env=TESTED_BEFORE)


@nox.session(python=TESTED[-1:], requires=["build"])
def newest(session: nox.Session) -> None:
    """Does what `tests` leaves out after the first interpreter behave on the newest? Arguments after `--` go to pytest."""
    if len(TESTED) == 1:
        session.skip("there is one interpreter here, and `tests` leaves nothing out on it")
    install_wheels(session, "test")
    session.run("pytest", *NOT_AGAIN, *SLOW_AGAIN, *session.posargs, env=TESTED_BEFORE)


@nox.session(python=TESTED[:1], requires=["build"])
def floors(session: nox.Session) -> None:
    """Is every floor in the dependencies high enough? The same tests, with the oldest of everything that we allow."""
    session.install(*lowest(dependencies(without=NO_FLOORS)), *nox.project.dependency_groups(PACKAGE, "test"))
    session.install("--force-reinstall", "--no-deps", *wheels(session, without=NO_FLOORS))
    session.run("pytest", *NOT_AGAIN, *WITHOUT_FLOORS, *session.posargs, env=TESTED_BEFORE)


@nox.session
def lint(session: nox.Session) -> None:
    """Is the code in the house style?"""
    session.install(*nox.project.dependency_groups(PACKAGE, "lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def typing(session: nox.Session) -> None:
    """Do the types hold, in the package, in every plugin, and as users see them (tests/typing)?"""
    session.install(*dependencies("typing"))
    session.run("mypy")


@nox.session(requires=["build"], reuse_venv=False)
def installed(session: nox.Session) -> None:
    """Do the wheels work in an environment that holds nothing else, seen from another folder?"""
    session.install(*wheels(session), "pytest")
    session.chdir(session.create_tmp())
    session.run("pytest", str(ROOT / "tests" / "installed"), env=OWN_CODE_ONLY)


@nox.session(requires=["build"])
def docs(session: nox.Session) -> None:
    """Does every example in README.md and docs/ run? Arguments after `--` go to pytest."""
    install_wheels(session, "docs")
    session.run("pytest", "tests/docs", *session.posargs, env=OWN_CODE_ONLY)


@nox.session(requires=["build"])
def dask(session: nox.Session) -> None:
    """Do tool calls run on Dask, on a cluster of worker processes? Arguments after `--` go to pytest."""
    install_wheels(session, "dask")
    session.run("pytest", "tests/dask", *session.posargs, env=OWN_CODE_ONLY)


@nox.session(requires=["build"])
def benchmarks(session: nox.Session) -> None:
    """How fast is it, beside its floors and its peers? Never part of CI.

    Writes docs/explanation/performance.md. After `--`: some of `SCRIPTS` in its run.py, and peers, and no page.
    """
    install_wheels(session, "benchmarks")
    # Without byte code one would time the compiler. The scripts share a folder; they keep the checkout off the path themselves.
    timed = {"PYTHONDONTWRITEBYTECODE": None, "PYTHONSAFEPATH": None}
    session.run("python", "tests/benchmarks/run.py", *session.posargs, env=timed)

"""The checks of the project, one session each; plain `nox` runs all but `benchmarks`, `fuzz`, `hostile` and `foreign`.

Every session but `lint` and `typing` runs against wheels, which the session `build` makes once: what is tested is what
is shipped. `PYTHONSAFEPATH` keeps the checkout off `sys.path`, where it would hide the installed package.

uv makes the environments where it is installed, except those in which tests ask for pip.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

import nox
from packaging.requirements import Requirement
from packaging.version import Version

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["tests", "lint", "typing", "installed", "old-pip", "docs", "dask", "floors"]
nox.options.reuse_venv = "yes"
nox.options.default_venv_backend = "uv|virtualenv"
# pip compiles what it installs, uv only if it is asked. Else each test that starts Python would compile it.
os.environ.setdefault("UV_COMPILE_BYTECODE", "1")

ROOT = Path(__file__).parent
PACKAGE: dict[str, Any] = nox.project.load_toml(ROOT / "pyproject.toml")
PLUGINS: dict[Path, dict[str, Any]] = {
    path.parent: nox.project.load_toml(path) for path in sorted(ROOT.glob("plugins/*/pyproject.toml"))
}
PROJECTS = [PACKAGE, *PLUGINS.values()]
OWN_CODE_ONLY: dict[str, str | None] = {"PYTHONSAFEPATH": "1"}
# pytest keeps the tests as it has rewritten them, unless this asks for no byte code: else each worker does it again in each run.
KEEP_BYTE_CODE: dict[str, str | None] = {**OWN_CODE_ONLY, "PYTHONDONTWRITEBYTECODE": None}
# More workers than cores, since a test that starts a process waits for it. A worker takes tests of another when it has none left; a file's
# tests stay together mostly, and so do their fixtures.
PARALLEL = ["-n", str((os.cpu_count() or 1) * 3 // 2), "--dist=worksteal"]
# What reads annotations, signatures, docstrings or installed metadata, where Python's own versions differ; and one call by each way in.
SMOKE = [
    "tests/types",
    "tests/test_annotations.py",
    "tests/test_signature.py",
    "tests/test_declarations.py",
    "tests/test_docstrings.py",
    "tests/test_doctypes.py",
    "tests/test_enclosing.py",
    "tests/test_pickling.py",
    "tests/properties/test_agreement.py",
    "tests/discovery/test_finder.py",
    "tests/discovery/test_metadata.py",
    "tests/execution/test_executor.py",
    "tests/execution/test_time_limits.py",
    "tests/agents/test_function_call.py",
    "tests/cli/test_call_arguments.py",
]
# The tests that use each dependency most. `floors` runs them with its lowest version.
FLOORS = {
    "annotated-types": "tests/types/test_annotated.py",
    "anthropic": "tests/models/test_anthropic_streaming.py",
    "attrs": "tests/types/test_attrs.py",
    "click": "tests/cli/test_call_arguments.py",
    "docstring-parser": "tests/test_docstrings.py",
    "hatchling": "tests/packaging/test_hatch.py",
    "httpx2": "plugins/fcregistry-http/tests",
    "hypothesis": "tests/testing/test_strategies.py",
    "jinja2": "tests/dialects/test_chat_sandbox.py",
    "jsonschema": "tests/validation/test_agreement.py",
    "jsonschema-rs": "tests/validation/test_patterns_and_formats.py",
    "jsonschema-specifications": "tests/validation/test_drafts.py",
    "lxml": "plugins/fcregistry-web/tests/test_web_addresses.py",
    "lxml_html_clean": "plugins/fcregistry-web/tests/test_web_pages.py",
    "msgspec": "tests/types/test_msgspec.py",
    "numpy": "plugins/fcregistry-numpy/tests/test_numpy_values.py",
    "openai": "tests/models/test_openai_streams.py",
    "opentelemetry-sdk": "tests/execution/test_spans.py",
    "pebble": "tests/execution/test_isolation.py",
    "pip": "plugins/fcregistry-llama/tests/test_llama_fetching.py",
    "platformdirs": "tests/test_folders.py",
    "pluggy": "tests/discovery/test_hooks.py",
    "pydantic": "tests/types/test_pydantic_types.py",
    "pytest": "tests/testing/test_wrong_plugin.py",
    "pytest-xdist": "",  # runs them all
    "PyYAML": "tests/prompts/test_answers.py",
    "referencing": "tests/validation/test_references.py",
    "regex": "plugins/fcregistry-files/tests/test_files_search.py",
    "rich": "tests/cli/test_ask_terminal.py",
    "typing-extensions": "tests/types/test_generics.py",
    "trafilatura": "plugins/fcregistry-web/tests/test_web_fetch.py",
    "tzdata": "plugins/fcregistry-clock/tests/test_clock_tools.py",
    "xllamacpp": "plugins/fcregistry-llama/tests/test_llama_calls.py",
}
OLD_PIP = "pip==23.2.1"  # it comes with Python 3.11.7 and 3.12.1
# Libraries whose tools `_base/source.py` recognises. They are large and disagree on versions, so `foreign` makes an environment of each.
FOREIGN = [
    "agent-framework-core",
    "autogen-core",
    "crewai",
    "dspy",
    "fastmcp",
    "google-adk",
    "haystack-ai",
    "langchain-core",
    "llama-index-core",
    "llm",
    "mcp",
    "openai-agents",
    "pydantic-ai-slim",
    "smolagents",
    "strands-agents",
]
NO_TELEMETRY: dict[str, str | None] = {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"}
NO_FLOORS = "fcregistry-mcp"  # its SDK needs newer versions of what we share with it than our floors are


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
    """Build the package and every plugin. The other sessions ask for it and test its wheels."""
    wheelhouse = session.cache_dir.resolve() / "wheels"
    shutil.rmtree(wheelhouse, ignore_errors=True)
    session.install(*sorted({line for project in PROJECTS for line in project["build-system"]["requires"]}))
    for folder in (ROOT, *PLUGINS):
        with session.chdir(folder):
            session.run("hatchling", "build", "--target=wheel", f"--directory={wheelhouse}", silent=True)


@nox.session(python=TESTED, requires=["build"])
def tests(session: nox.Session) -> None:
    """Run all tests on the oldest and the newest Python here, and `SMOKE` between. Arguments after `--` go to pytest, on each of them."""
    for version in MISSING:
        session.warn(f"Python {version} is not installed here: its tests are SKIPPED")
    install_wheels(session, "test")
    smoke = [] if session.posargs or session.python in (TESTED[0], TESTED[-1]) else SMOKE
    session.run("pytest", *PARALLEL, *smoke, *session.posargs, env=KEEP_BYTE_CODE)


@nox.session(python=TESTED[:1], requires=["build"])
def fuzz(session: nox.Session) -> None:
    """Run the property tests with many more examples, at random. Arguments after `--` go to pytest."""
    install_wheels(session, "test")
    given = any(word.startswith("--hypothesis-seed") for word in session.posargs)
    seed = [] if given else [f"--hypothesis-seed={secrets.randbelow(2**32)}"]
    session.log("the same examples again: nox -s fuzz -- " + " ".join([*seed, *session.posargs]))
    chosen = ["-m", "hypothesis", "--hypothesis-profile=fuzz", "--override-ini=faulthandler_timeout=3600", *seed]
    session.run("pytest", *PARALLEL, *chosen, *session.posargs, env=KEEP_BYTE_CODE)


@nox.session(python=TESTED[:1], requires=["build"])
def hostile(session: nox.Session) -> None:
    """Measure the time that hostile texts take to be read. Arguments after `--` go to pytest."""
    install_wheels(session, "test")
    patient = "--override-ini=faulthandler_timeout=3600"
    session.run("pytest", *PARALLEL, patient, "tests/hostile", *session.posargs, env=KEEP_BYTE_CODE)


@nox.session(python=TESTED[:1], requires=["build"])
def floors(session: nox.Session) -> None:
    """Run `FLOORS` with the lowest version of every dependency that we allow. Arguments after `--` go to pytest."""
    oldest = lowest(dependencies("test", without=NO_FLOORS))
    if untested := {line.partition("==")[0] for line in oldest} - FLOORS.keys():
        session.error(f"FLOORS of noxfile.py names no test for {', '.join(sorted(untested))}")
    session.install(*oldest)
    session.install("--force-reinstall", "--no-deps", *wheels(session, without=NO_FLOORS))
    session.run("pytest", *PARALLEL, *filter(None, FLOORS.values()), *session.posargs, env=KEEP_BYTE_CODE)


@nox.session
def lint(session: nox.Session) -> None:
    """Check the style of the code, and that CHANGELOG.md can be built from changes/."""
    session.install(*nox.project.dependency_groups(PACKAGE, "lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("towncrier", "build", "--draft")


@nox.session
def typing(session: nox.Session) -> None:
    """Check the types in the package, in every plugin, and as users see them (tests/typing); all public names must have one."""
    session.install(*dependencies("typing"))
    session.run("mypy")
    here = {"PYTHONPATH": str(ROOT)}  # the package is not installed in this environment
    session.run("pyright", "tests/typing", env=here)
    session.run("pyright", "--verifytypes", PACKAGE["project"]["name"], "--ignoreexternal", env=here)


@nox.session(requires=["build"], reuse_venv=False, venv_backend="virtualenv")
def installed(session: nox.Session) -> None:
    """Test the wheels in an environment that holds nothing else, from another folder."""
    session.install(*wheels(session), "pytest")
    session.chdir(session.create_tmp())
    session.run("pytest", str(ROOT / "tests" / "installed"), env=OWN_CODE_ONLY)


@nox.session(name="old-pip", requires=["build"], reuse_venv=False, venv_backend="virtualenv")
def old_pip(session: nox.Session) -> None:
    """Install every plugin with `OLD_PIP`, and call its tools. Arguments after `--` go to pytest."""
    session.install(OLD_PIP)
    session.install(*wheels(session), "pytest")
    session.chdir(session.create_tmp())
    session.run("pytest", str(ROOT / "tests" / "old_pip"), *session.posargs, env=OWN_CODE_ONLY)


@nox.session(requires=["build"])
def docs(session: nox.Session) -> None:
    """Run every example in README.md and docs/. Arguments after `--` go to pytest."""
    install_wheels(session, "docs")
    session.run("pytest", "tests/docs", *session.posargs, env=OWN_CODE_ONLY)


@nox.session(requires=["build"])
def dask(session: nox.Session) -> None:
    """Run tool calls on Dask, on a cluster of worker processes. Arguments after `--` go to pytest."""
    install_wheels(session, "dask")
    session.run("pytest", "tests/dask", *session.posargs, env=OWN_CODE_ONLY)


@nox.session(requires=["build"])
@nox.parametrize("library", [nox.param(name, id=name) for name in FOREIGN])
def foreign(session: nox.Session, library: str) -> None:
    """Give the tools of another library to an executor, an agent and a registry: each library in an environment of its own."""
    session.install(library, "pytest>=8.4")
    own = [wheel for wheel in wheels(session) if Path(wheel).name.startswith(f"{PACKAGE['project']['name']}-")]
    session.install("--force-reinstall", "--no-deps", *own)
    session.install(*PACKAGE["project"]["dependencies"])
    session.run("pytest", "tests/foreign", *session.posargs, env={**OWN_CODE_ONLY, **NO_TELEMETRY})


@nox.session(requires=["build"], venv_backend="virtualenv")
def benchmarks(session: nox.Session) -> None:
    """Measure the speed beside its floors and its peers. Never part of CI.

    Writes docs/explanation/performance.md. After `--`: some of `SCRIPTS` in its run.py, and peers, and no page.
    """
    install_wheels(session, "benchmarks")
    # Without byte code one would time the compiler. The scripts share a folder; they keep the checkout off the path themselves.
    timed = {"PYTHONDONTWRITEBYTECODE": None, "PYTHONSAFEPATH": None}
    session.run("python", "tests/benchmarks/run.py", *session.posargs, env=timed)

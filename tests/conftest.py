"""Shared by all tests: the profiles of Hypothesis, a garbage collector that skips the tests, folders of distributions and their processes."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import fcregistry

try:
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st
except ModuleNotFoundError:  # the sessions `installed` and `dask` have no property tests
    pass
else:
    patient = settings(deadline=None, database=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("tests", patient, derandomize=True)
    settings.register_profile("fuzz", patient, derandomize=False)
    settings.load_profile("tests")  # `--hypothesis-profile=fuzz`, as in `nox -s fuzz`, loads the other one later

    @settings(max_examples=1)
    @given(st.none())
    def draw_once(_: None) -> None:
        """Have Hypothesis find the random generators of the process, which it looks for among what is not frozen."""


SHARE = {"tests": 0.25, "fuzz": 10}
"""How many of the examples that a property test states are drawn: few where each run draws the same, many at random."""


def fuzzing(config: pytest.Config) -> bool:
    """Return whether property tests draw at random, and many more examples."""
    return config.getoption("--hypothesis-profile", None) == "fuzz"


def pytest_configure(config: pytest.Config) -> None:
    """Have the conformance kit, whose settings are its own, draw the same examples in each run too."""
    if not fuzzing(config):
        os.environ["CI"] = "true"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Set how many examples each property test draws; a profile cannot, where a test states their number."""
    share = SHARE["fuzz" if fuzzing(config) else "tests"]
    functions = {item.obj for item in items if isinstance(item, pytest.Function)}
    for test in (each for each in functions if hasattr(each, "hypothesis")):
        stated = test._hypothesis_internal_use_settings  # as Hypothesis's own plugin for pytest reads it
        drawn = max(int(share * stated.max_examples), min(10, stated.max_examples))
        test._hypothesis_internal_use_settings = settings(stated, max_examples=drawn)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Do without the garbage collector, which would take half of the time, and keep it from the tests themselves later.

    Each of the collections that tests and libraries ask for would otherwise look at thousands of tests, for more than a second.
    """
    gc.disable()
    result = yield
    gc.enable()
    if "hypothesis" in sys.modules:
        draw_once()
    gc.freeze()
    return result


# A run in the background of a shell ignores interrupts, and so would the processes that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

TIMEOUT = 100
"""Seconds after which a process of a test is killed: a deadlock fails its test, and does not hold the run."""


class Site:
    """A folder on the `sys.path` of processes that see nothing else but fcregistry and what it depends on."""

    def __init__(self, folder: Path, dependencies: Path) -> None:
        self.folder = folder
        self.path = [folder, dependencies]
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, files: Mapping[str, str]) -> None:
        """Write text files, indented as they may be; what they lack of a package's `__init__.py` is made."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            for parent in path.parents:
                if parent == self.folder:
                    break
                if not parent.name.endswith((".dist-info", ".egg-info")) and not (parent / "__init__.py").exists():
                    (parent / "__init__.py").touch()
            path.write_text(dedent(text), encoding="utf-8")

    def install(
        self,
        name: str,
        entry_points: Mapping[str, str] | str = "",
        files: Mapping[str, str] | None = None,
        *,
        version: str = "1.0",
        group: str = "fcregistry",
    ) -> Path:
        """Write a distribution as an installer would, and return its `*.dist-info` folder."""
        if not isinstance(entry_points, str):
            lines = [f"{each} = {value}" for each, value in entry_points.items()]
            entry_points = "\n".join([f"[{group}]", *lines])
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        self.write(
            {
                f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
                f"{info}/entry_points.txt": entry_points,
                **(files or {}),
            }
        )
        return self.folder / info

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a process that sees this folder."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("FCREGISTRY", "PYTHON", "XDG_"))
        }
        path = os.pathsep.join(map(str, self.path))
        ours = {"FCREGISTRY_CACHE_DIR": str(self.folder.parent / "cache"), "COLUMNS": "100"}
        return {**kept, "PYTHONPATH": path, "PYTHONSAFEPATH": "1", "PYTHONUTF8": "1", **ours, **(more or {})}

    def command(self, *arguments: str) -> list[str]:
        """Return the words that run Python with these arguments: without site-packages, and with warnings as errors."""
        return [sys.executable, "-S", "-W", "error", *arguments]

    def run(
        self, *arguments: str, stdin: str | bytes = b"", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run Python to its end."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            self.command(*arguments),
            input=given,
            capture_output=True,
            env=self.environment(env),
            cwd=cwd or self.folder,
            timeout=TIMEOUT,
        )
        texts = [stream.decode("utf-8", "backslashreplace") for stream in (done.stdout, done.stderr)]
        return subprocess.CompletedProcess(done.args, done.returncode, *texts)

    def started(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a command of fcregistry, to communicate with it while it runs."""
        return subprocess.Popen(
            self.command("-m", "fcregistry", *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self.environment(),
            cwd=self.folder,
        )

    def cli(self, *arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
        """Run a command of fcregistry to its end."""
        return self.run("-m", "fcregistry", *arguments, **settings)

    def ask(self, code: str, **settings: Any) -> Any:
        """Run code that sets `answer`, and return that, as JSON carries it."""
        done = self.run("-c", f"import json, sys\n{dedent(code)}\nprint(json.dumps(answer))", **settings)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Give tests an index of plugins of their own: the user's index is neither read nor written."""
    os.environ["FCREGISTRY_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def own_rules() -> Iterator[None]:
    """Each test is a program of its own: the rules of a project stay in force until a program ends."""
    yield
    for module, name in (
        ("settings", "kept"),
        ("settings", "_reported"),
        ("kept", "_reported"),
        ("lock", "_kept"),
        ("files", "_known"),
        ("files", "_pending"),
    ):
        if loaded := sys.modules.get(f"fcregistry._config.{module}"):
            getattr(loaded, name).clear()


@pytest.fixture(scope="session")
def dependencies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with fcregistry and all that is installed beside it, our own plugins apart."""
    folder = tmp_path_factory.mktemp("dependencies")
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.startswith(("fcregistry", "_")) or each.name.startswith("_yaml"):
            (folder / each.name).symlink_to(each)
    (folder / "fcregistry").symlink_to(Path(fcregistry.__file__).resolve().parent)
    return folder


@pytest.fixture
def site(tmp_path: Path, dependencies: Path) -> Site:
    """An empty folder of distributions."""
    return Site(tmp_path / "site", dependencies)


@pytest.fixture(scope="session")
def make_site(tmp_path_factory: pytest.TempPathFactory, dependencies: Path) -> Callable[..., Site]:
    """Makes folders of distributions that several tests share; beside other dependencies, if these are given."""
    return lambda beside=dependencies: Site(tmp_path_factory.mktemp("shared") / "site", beside)

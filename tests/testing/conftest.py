"""Fixtures that run pytest in a process with Hypothesis, fcregistry as installed, and plugins of the test."""

from __future__ import annotations

import json
import re
import shutil
import sysconfig
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import fcregistry

if TYPE_CHECKING:
    from tests.conftest import Site

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BESIDE = ("_pytest", "_hypothesis")
"""What pytest and Hypothesis install with a name that begins with an underscore."""
OTHER_PLUGINS = ("anyio", "pytest_xdist")
"""Distributions with plugins for pytest that each run would import, a third of its time, and not use."""


def entry_points() -> str:
    """Return the entry points of fcregistry as its wheel has them."""
    project: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    return "\n".join(lines)


@pytest.fixture(scope="session")
def dependencies(dependencies: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a test run needs, and the metadata of two pytest plugins.

    They are fcregistry's and Hypothesis's. By its name, Hypothesis knows that these are not the modules of the project, whose source it would
    search for constants.
    """
    folder = tmp_path_factory.mktemp("with_pytest") / "site-packages"
    folder.mkdir()
    beside = [each for each in Path(sysconfig.get_path("purelib")).iterdir() if each.name.startswith(BESIDE)]
    for each in (*dependencies.iterdir(), *beside):
        if not each.name.startswith(OTHER_PLUGINS):
            (folder / each.name).symlink_to(each)
    info = folder / f"fcregistry-{fcregistry.__version__}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: fcregistry\nVersion: {fcregistry.__version__}\n")
    (info / "entry_points.txt").write_text(entry_points())
    return folder


class Run:
    """The output of a run of pytest."""

    def __init__(self, text: str, status: int) -> None:
        self.status = status
        self.text = text
        self.outcomes = dict(
            re.findall(r"^(?:\S*/)?fcregistry::(.+) (PASSED|FAILED|SKIPPED|ERROR)\b.*$", self.text, re.MULTILINE)
        )
        self.ids = re.findall(r"^fcregistry::(\S+)$", self.text, re.MULTILINE)

    def section(self, name: str) -> str:
        """Return the output about one failed item."""
        found = re.search(
            rf"^_+ {re.escape(name)} _+\n(.*?)(?=^(?:_{{3,}} |={{3,}} ))", self.text, re.MULTILINE | re.DOTALL
        )
        assert found, self.text
        return found[1]


SEVERAL = """
import json, os, sys
import pytest
os.dup2(1, 2)
for arguments in json.loads(sys.argv[1]):
    status = pytest.main(arguments)
    print(f"\\nstatus: {int(status)}", flush=True)
"""
"""Runs pytest several times in one process, whose imports take most of the time."""


class Project:
    """A project in development: a folder with a pyproject.toml, whose package is installed in a site."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.folder = folder
        self.site = site
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the project."""
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")

    def pytest(self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Run:
        """Run pytest in the project's folder, each outcome on a line."""
        settings = {"PYTEST_ADDOPTS": "", "CI": "1", **(env or {})}
        done = self.site.run("-m", "pytest", "-v", *arguments, cwd=cwd or self.folder, env=settings)
        return Run(done.stdout + done.stderr, done.returncode)

    def pytest_each(self, *runs: Sequence[str]) -> list[Run]:
        """Run pytest several times in one process, without changes to the project between the runs."""
        words = json.dumps([["-v", *arguments] for arguments in runs])
        done = self.site.run("-c", SEVERAL, words, cwd=self.folder, env={"PYTEST_ADDOPTS": "", "CI": "1"})
        parts = re.split(r"^status: (\d+)\n", done.stdout, flags=re.MULTILINE)
        assert len(parts) == 2 * len(runs) + 1, done.stdout + done.stderr
        return [Run(text, int(status)) for text, status in zip(parts[::2], parts[1::2], strict=False)]


GOOD = """
    from typing import Annotated, Literal
    from annotated_types import Interval
    from fcregistry import fc_register

    @fc_register(examples=[{"city": "Tokyo"}], read_only=True)
    def forecast(city: str, days: Annotated[int, Interval(ge=1, le=14)] = 1, *, unit: Literal["c", "f"] = "c") -> list[str]:
        \"\"\"Tell the weather.

        Args:
            city: Where.
            days: For how many days.
            unit: In which unit.
        \"\"\"
        return [city] * days

    @fc_register
    async def cities(*names: str) -> dict[str, int]:
        \"\"\"Count cities.

        Args:
            names: Their names.
        \"\"\"
        raise SystemExit("a test has run a tool")
"""
PYPROJECT = (
    '[project]\nname = "acme-weather"\nversion = "1.0"\n[project.entry-points.fcregistry]\nweather = "acme_weather"\n'
)


@pytest.fixture
def project(site: Site, tmp_path: Path) -> Project:
    """A project of one good plugin, which is installed; another plugin is installed beside it."""
    site.install("acme-weather", {"weather": "acme_weather"}, {"acme_weather.py": GOOD})
    site.install("other-tools", {"tools": "other_tools"}, {"other_tools.py": GOOD})
    project = Project(tmp_path / "project", site)
    project.write({"pyproject.toml": PYPROJECT})
    return project


@pytest.fixture(scope="session")
def wrong(make_site: Callable[[Path], Site], dependencies: Path) -> Project:
    """A project of one plugin that breaks every rule."""
    site = make_site(dependencies)
    shutil.copytree(HERE / "wrong_plugin", site.folder, dirs_exist_ok=True)
    points = {"tools": "acme_wrong.tools", "broken": "acme_wrong.broken", "empty": "acme_wrong.empty"}
    points["again"] = "acme_wrong.again"
    site.install("acme-wrong", points)
    site.install("acme-units", {"acme_units": "acme_extension"}, group="fcregistry.extensions")
    project = Project(site.folder.parent / "project", site)
    project.write({"pyproject.toml": '[project]\nname = "acme-wrong"\n'})
    return project

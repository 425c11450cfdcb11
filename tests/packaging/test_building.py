"""The content of manifests, when they are out of date, and which plugins get none. Projects and processes are real."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fcregistry.errors import FcregistryError
from tests.cli.commands import command

GOLDEN = Path(__file__).parent / "golden.json"

PROJECT = """
[project]
name = "Acme.Weather"
version = "1.0"

[project.entry-points.fcregistry]
weather = "acme_weather.tools"
"""

TOOLS = '''
import pathlib
import threading
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from fcregistry import fc_register

from acme_weather import units, stations

print("noise that a caller must not see")
threading.Thread(target=threading.Event().wait).start()  # the process would never end by itself
TEXT = (pathlib.Path(__file__).parent / "texts" / "note.txt").read_text()


class Wind(Enum):
    LOW = "low"
    HIGH = "high"


@dataclass
class Place:
    """A place.

        Indented as some do.

    Attributes:
        name: What it is called.
    """

    name: str
    winds: frozenset[Wind] = frozenset({Wind.LOW, Wind.HIGH})


@fc_register("sky.read", read_only=True, tags=("b", "a"), examples=[{"place": {"name": "Rome"}}])
def read_temperature(place: Place, unit: Literal["kelvin", "celsius"] = "celsius", **more: float) -> list[Place]:
    """Read the temperature, été.

        Indented too.

    Args:
        place: Where.
        unit: In what.
    """
    return [place]


@fc_register(requires_approval=lambda arguments: True, requires_env="ACME_KEY")
def aim(degrees: float = 0.1) -> None:
    """Aim somewhere."""


fc_register(units.convert)
'''


class Project:
    """A project in a folder, which is not installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = folder / "src" / "acme_weather" / "fcregistry.json"
        self.write("pyproject.toml", PROJECT)
        self.write("src/acme_weather/__init__.py", '__version__ = "1.0"\n')
        self.write("src/acme_weather/units.py", "def convert(kelvin: float) -> float:\n    return kelvin - 273.15\n")
        self.write("src/acme_weather/stations.py", "")
        self.write("src/acme_weather/unused.py", "")
        self.write("src/acme_weather/texts/note.txt", "A note.\n")
        self.write("src/acme_weather/tools.py", TOOLS)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / "src" / "acme_weather" / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def build(self) -> dict[str, Any]:
        """Write its manifests, and return the one of the package."""
        done = manifest("build", folder=self.folder)
        assert done.exit_code == 0, done.output
        return read(self.manifest)

    def differences(self) -> list[str]:
        """Return the differences between the manifest and the code."""
        done = manifest("build", "--check", folder=self.folder)
        said = done.stdout.splitlines()
        assert (said[0].endswith(" is up to date"), done.exit_code) in ((True, 0), (False, 1))
        return [line.strip() for line in said[1:]]


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def manifest(*words: str, folder: Path) -> Result:
    """Run the command in a folder."""
    with chdir(folder):
        return CliRunner().invoke(command("manifest"), words)


def refused(folder: Path, *words: str) -> str:
    """Return the reason no manifest is built."""
    error = manifest(*(words or ("build",)), folder=folder).exception
    assert isinstance(error, FcregistryError)
    return str(error)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_a_manifest_is_the_same_bytes_for_every_python_and_hash_seed(project: Project) -> None:
    """A manifest has no trace of the machine, version or time.

    The tests run on each Python, with a random hash seed, and compare with one file. After a change of the content of manifests, write the
    golden file again, and change the number of the format if readers need to know.
    """
    project.build()
    assert project.manifest.read_text(encoding="utf-8") == GOLDEN.read_text(encoding="utf-8")


def test_the_sources_are_the_files_of_the_package_that_were_read() -> None:
    """These are imported modules and the texts that they read, not files that are never used."""
    told = json.loads(GOLDEN.read_text(encoding="utf-8"))
    names = ["__init__.py", "stations.py", "texts/note.txt", "tools.py", "units.py"]
    assert list(told["sources"]) == [f"acme_weather/{name}" for name in names]
    places = {(each["name"], each["file"], each["line"] is None) for each in told["plugins"][0]["tools"]}
    assert places == {
        ("read_temperature", "acme_weather/tools.py", False),
        ("aim", "acme_weather/tools.py", False),
        ("convert", "acme_weather/units.py", False),
    }


def test_another_description_is_a_difference_and_another_version_is_not(project: Project) -> None:
    """The difference is described in words, with the path in the schema and the name of the file."""
    project.manifest.write_bytes(GOLDEN.read_bytes())
    project.edit("__init__.py", "1.0", "2.0")
    project.edit("tools.py", "In what.", "Its unit.")
    assert project.differences() == [
        'sky.read.read_temperature: parameters.properties.unit.description is "Its unit.", but is described as "In what."',
        "acme_weather/tools.py has changed",
    ]
    project.edit("tools.py", "Its unit.", "In what.")
    assert project.differences() == []


DYNAMIC = """
import os
from fcregistry import fc_register

FCREGISTRY_DYNAMIC = True

@fc_register(name=os.environ.get("ACME_TOOL", "one"))
def tool():
    return 0
"""


def test_other_tools_of_a_dynamic_plugin_are_not_a_difference(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its manifest lists the tools of one environment, and says that they depend on the environment."""
    project.write("src/acme_weather/tools.py", DYNAMIC)
    plugin = project.build()["plugins"][0]
    assert (plugin["dynamic"], plugin["tools"][0]["name"]) == (True, "one")
    monkeypatch.setenv("ACME_TOOL", "two")
    assert project.differences() == []
    assert project.build()["plugins"][0]["tools"][0]["name"] == "two"


def test_each_package_of_a_distribution_has_a_manifest(tmp_path: Path) -> None:
    """Entry points of one package share it; a module beside it has its own."""
    project = Project(tmp_path)
    code = "from fcregistry import fc_register\n\n@fc_register\ndef {}() -> int: ...\n"
    more = 'maps = "acme_maps:chart"\nfar = "acme_weather.far"\n'
    project.write("pyproject.toml", PROJECT + more)
    project.write("acme_maps.py", "def chart() -> int: ...\n")
    again = code.format("see").replace("@fc_register", '@fc_register(name="look", replace=True)')
    project.write("src/acme_weather/far/__init__.py", code.format("look") + "\nfrom acme_weather.far import again\n")
    project.write("src/acme_weather/far/again.py", again)
    project.write("src/acme_weather/tools.py", code.format("aim"))
    weather, maps = project.build(), read(tmp_path / "acme_maps.fcregistry.json")
    assert [each["entry_point"] for each in maps["plugins"]] == ["maps"]
    assert maps["plugins"][0]["tools"][0]["file"] == "acme_maps.py"
    told = {
        each["entry_point"]: [(tool["name"], tool["qualname"]) for tool in each["tools"]] for each in weather["plugins"]
    }
    assert told == {"far": [("look", "see")], "weather": [("aim", "aim")]}


BROKEN = """
[project]
name = "Acme.Weather"

[project.entry-points.fcregistry]
missing = "acme_missing"
none = "acme_none"
typo = "acme_typo"
name = "acme_wrong:lable"
wrong = "acme_wrong"
"""


def test_a_plugin_with_a_mistake_gets_no_manifest(tmp_path: Path) -> None:
    """The author fixes the mistakes before the plugin is shipped; the message lists all of them."""
    project = Project(tmp_path)
    project.write("pyproject.toml", BROKEN)
    project.write("acme_missing.py", "import acme_nowhere")
    project.write("acme_none.py", "")
    project.write(
        "acme_wrong.py", "from fcregistry import fc_register\n@fc_register\ndef f(x: complex): ...\ndef label(): ..."
    )
    told = refused(tmp_path)
    assert told.startswith(
        "the manifest of Acme.Weather cannot be built:\n  - Acme.Weather[missing] does not load: ModuleNotFoundError"
    )
    assert f'File "{tmp_path / "acme_missing.py"}", line 1' in told
    assert f"and add it to dependencies in {tmp_path}/pyproject.toml\n" in told
    assert f'correct typo = "acme_typo" in {tmp_path}/pyproject.toml and install it again\n' in told
    assert f"correct it in {tmp_path}, or set FCREGISTRY_DISABLE=Acme.Weather[name]\n" in told
    assert "there is no 'lable' in acme_wrong; did you mean 'label'?\n" in told
    assert "authors" not in told
    assert "\n  - Acme.Weather[none] ships no tools: importing acme_none declares none\n" in told
    assert "\n  - Acme.Weather[wrong]: f cannot be defined: parameter 'x'" in told


def test_methods_of_which_no_object_is_registered_are_named(tmp_path: Path) -> None:
    project = Project(tmp_path)
    shelf = "\nclass Shelf:\n    @fc_register\n    def put(self, book: str) -> None: ...\n"
    tool = "from fcregistry import fc_register, registry\n@fc_register\ndef fine() -> None: ...\n"
    project.write("src/acme_weather/tools.py", tool + shelf)
    done = manifest("build", folder=tmp_path)
    assert done.exit_code == 0
    note = "note: Acme.Weather[weather]: no object is registered that has Shelf.put, decorated with @fc_register: register an object"
    assert note in done.stderr
    project.write("src/acme_weather/tools.py", tool + shelf + "registry.register_object(Shelf())\n")
    assert manifest("build", folder=tmp_path).stderr == ""


def test_a_plugin_that_ends_the_process_gets_no_manifest(project: Project) -> None:
    project.write("src/acme_weather/tools.py", "import os; os._exit(3)")
    assert refused(project.folder).startswith(
        "the manifest of Acme.Weather cannot be built:\n"
        "  - Acme.Weather[weather] does not load: it ends the process that imports it, with code 3\n"
    )


@pytest.mark.parametrize(
    ("pyproject", "words"),
    [
        (None, "there is no pyproject.toml in "),
        ("[", "pyproject.toml cannot be read: "),
        ("[tool.x]", "pyproject.toml has no [project] with a name: run this in the folder of a plugin's project"),
        ('[project]\nname = "x"\nentry-points = {fcregistry = 1}', "[project.entry-points.fcregistry] must be a table"),
    ],
)
def test_a_folder_without_a_plugin_project_is_refused(tmp_path: Path, pyproject: str | None, words: str) -> None:
    """The message says what to do: change the folder, or name a distribution."""
    if pyproject is not None:
        (tmp_path / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    assert words in refused(tmp_path)


def test_entry_points_of_setuptools_are_read_from_the_installed_metadata(tmp_path: Path) -> None:
    """The project's name is enough to find it, and no folder is added to the path."""
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "acme-none"\n', encoding="utf-8")
    here, named = (manifest("show", *words, folder=tmp_path) for words in ((), ("acme-none",)))
    assert (here.exit_code, here.output) == (named.exit_code, named.output)
    assert "no distribution 'acme-none' with plugins is installed here" in here.output

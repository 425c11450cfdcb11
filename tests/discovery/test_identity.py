"""Whether metadata are what they say, where the configuration trusts distributions by name. Real wheels, folders, installers and processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fcregistry.discovery import project_name
from fcregistry.discovery._found import is_project_name  # no public name tells which names are valid
from fcregistry.discovery._identity import CARRIED, set_aside  # a table of lines of RECORD, without a process for each

from ..recorded import install, record  # noqa: TID252  # the tests are no package

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conftest import Site


ALLOW = 'mode = "allow"\nallow = ["acme-weather:*"]\n'

POINTS = "[fcregistry]\nx = {module}\n"


def tool(name: str, answer: str) -> str:
    return f"from fcregistry import fc_register\n\n@fc_register\ndef {name}() -> str:\n    return {answer!r}\n"


def metadata(name: str, version: str = "1") -> str:
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"


def make_wheel(folder: Path, name: str, version: str, contents: Mapping[str, str]) -> Path:
    """Write a wheel with these files, as a build backend would: its RECORD lists them."""
    info = f"{name}-{version}.dist-info"
    everything = {
        **contents,
        f"{info}/METADATA": metadata(name, version),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file, text in everything.items():
            wheel.writestr(file, text)
        wheel.writestr(f"{info}/RECORD", "".join(f"{file},,\n" for file in (*everything, f"{info}/RECORD")))
    return path


def pip_install(site: Site, wheel: Path) -> None:
    bundled = max(Path(str(files("ensurepip") / "_bundled")).glob("pip-*.whl"))  # an environment need not have one
    pip = [
        sys.executable,
        str(bundled / "pip"),
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        str(site.folder),
    ]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)


def unpack(site: Site, wheel: Path) -> None:
    """Install a wheel as installers do that look at no file that is there already."""
    with zipfile.ZipFile(wheel) as archive:
        data = f"{'-'.join(wheel.name.split('-')[:2])}.data/purelib/"
        for name in archive.namelist():
            path = site.folder / name.removeprefix(data)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(name).replace(data.encode(), b""))


def allow(site: Site, text: str = ALLOW) -> None:
    (site.folder / "fcregistry.toml").write_text(text)


def seen(site: Site) -> tuple[list[str], list[str]]:
    """Return the tools that are listed, and what doctor calls problems."""
    listed, told = site.ask(
        """
        import contextlib, io
        from fcregistry.cli import main

        def said(command):
            with contextlib.redirect_stdout(io.StringIO()) as stdout, contextlib.suppress(SystemExit):
                main([command, "--json"])
            return stdout.getvalue()

        answer = [said("list"), said("doctor")]
        """
    )
    problems = [f"{each['subject']}: {each['message']}" for each in json.loads(told) if each["kind"] == "problem"]
    return [each["id"] for each in json.loads(listed or "[]")], problems


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("acme", True),
        ("A", True),
        ("Acme.Weather_2-x", True),
        ("", False),
        ("-acme", False),
        ("acme_", False),
        ("ac me", False),
        ("\u212ait-tools", False),
        ("\uff41cme", False),
        ("acme\n", False),
    ],
)
def test_a_project_name_is_what_pypa_says(name: str, is_one: bool) -> None:
    assert is_project_name(name) is is_one


@pytest.mark.parametrize(
    ("folder", "info", "project"),
    [
        ("/site", "Acme_Weather-1.dist-info", "acme-weather"),
        ("/site", "acme-weather-1.dist-info", "acme-weather"),
        ("/site", "acme.dist-info", "acme"),
        ("/site", "acme_weather-1.0-py3.11.egg-info", "acme-weather"),
        ("/site", "acme.egg-info", "acme"),
        ("/site/acme_weather-2.0-py3.11.egg", "EGG-INFO", "acme-weather"),
        ("/site", "\u212ait_tools-1.dist-info", ""),
    ],
)
def test_the_folder_of_metadata_names_the_distribution(folder: str, info: str, project: str) -> None:
    assert project_name(folder, info) == project


def test_metadata_that_another_wheel_brought_are_not_used_and_doctor_names_that_one(site: Site, tmp_path: Path) -> None:
    """However well they are made: their RECORD lists the module, and pip has installed them."""
    info = "acme_weather-1.dist-info"
    brought = {
        f"{info}/METADATA": metadata("acme-weather"),
        f"{info}/entry_points.txt": POINTS.format(module="evil_tools"),
        f"{info}/RECORD": f"{info}/METADATA,,\n{info}/entry_points.txt,,\nevil_tools.py,,\n{info}/RECORD,,\n",
    }
    files = {
        "evil_tools.py": tool("look", "evil"),
        **{f"evil-1.data/purelib/{name}": text for name, text in brought.items()},
    }
    pip_install(site, make_wheel(tmp_path, "evil", "1", files))
    assert (site.folder / info / "entry_points.txt").exists()
    allow(site)
    ids, problems = seen(site)
    assert ids == []
    assert problems[0] == (
        f"evil: installed metadata with the name of acme-weather, which fcregistry does not use: {site.folder / info}"
    )
    assert "evil: installed metadata with the name of acme-weather" in site.cli("doctor", "acme-weather:look").stdout


def brought_metadata(prefix: str, module: str = "evil_tools", info: str = "acme_weather-1.dist-info") -> dict[str, str]:
    """Return well-made metadata of `acme-weather` in a folder, and the module that their entry point names."""
    names = (f"{info}/METADATA", f"{info}/entry_points.txt", f"{info}/RECORD")
    texts = (metadata("acme-weather"), POINTS.format(module=module), "".join(f"{each},,\n" for each in names))
    return {
        f"{prefix}{module}.py": tool("look", "evil"),
        **{f"{prefix}{name}": text for name, text in zip(names, texts, strict=True)},
        f"{prefix}{names[2]}": f"{texts[2]}{module}.py,,\n",
    }


@pytest.mark.parametrize(
    ("name", "prefix", "pth"),
    [
        ("weather", "", ""),  # its own folder is called as the end of the other
        ("evil", "evil_more/", "evil_more"),
        ("evil", "evil-1.dist-info/", "evil-1.dist-info"),
        ("evil", "x.dist-info/", "x.dist-info"),
    ],
)
def test_metadata_that_another_wheel_brought_are_not_used_in_any_folder(
    site: Site, tmp_path: Path, name: str, prefix: str, pth: str
) -> None:
    files = {f"{name}-1.data/purelib/{each}": text for each, text in brought_metadata(prefix).items()}
    unpack(site, make_wheel(tmp_path, name, "1", files))
    site.path[:0] = [site.folder / pth] if pth else []
    assert (site.folder / prefix / "acme_weather-1.dist-info" / "entry_points.txt").exists()
    allow(site)
    ids, problems = seen(site)
    assert ids == []
    assert problems[0].startswith(
        f"{name}: installed metadata with the name of acme-weather, which fcregistry does not use"
    )


def test_metadata_behind_a_link_of_another_name_that_another_wheel_brought_are_not_used(
    site: Site, tmp_path: Path
) -> None:
    files = {f"evil-1.data/purelib/{each}": text for each, text in brought_metadata("").items()}
    unpack(site, make_wheel(tmp_path, "evil", "1", files))
    info = site.folder / "acme_weather-1.dist-info"
    info.rename(tmp_path / "elsewhere")
    info.symlink_to(tmp_path / "elsewhere")
    allow(site)
    ids, problems = seen(site)
    assert ids == []
    assert problems[0].startswith(
        "evil: installed metadata with the name of acme-weather, which fcregistry does not use"
    )


def test_an_egg_that_a_wheel_brought_is_not_used(site: Site, tmp_path: Path) -> None:
    info, egg = "EGG-INFO", "acme_weather-1.egg"
    texts = {
        "PKG-INFO": metadata("acme-weather"),
        "entry_points.txt": POINTS.format(module="evil_tools"),
        "RECORD": "evil_tools.py,,\nEGG-INFO/RECORD,,\n",
    }
    files = {f"{egg}/{info}/{name}": text for name, text in texts.items()}
    unpack(site, make_wheel(tmp_path, "evil", "1", {**files, f"{egg}/evil_tools.py": tool("look", "evil")}))
    site.path.append(site.folder / egg)
    allow(site)
    ids, problems = seen(site)
    assert ids == []
    assert problems[0].startswith(
        "evil: installed metadata with the name of acme-weather, which fcregistry does not use"
    )


@pytest.mark.parametrize(
    "line",
    [
        "acme_weather-1.dist-info/METADATA,,",
        '"acme_weather-1.dist-info/entry, points",,',
        '"acme_weather-1.dist-"info/METADATA,,',
        "acme_weather-1.dist-info\\METADATA,,",
        "./more/../acme_weather-1.dist-info/METADATA,,",
        "../site/acme_weather-1.dist-info/METADATA,,",
        "{site}/acme_weather-1.dist-info/METADATA,,",
        '"{site}/acme_weather-1.dist-info/METADATA",,',
        "Weather-1.dist-info/../acme_weather-1.dist-info/METADATA,,",
        '"unclosed\nacme_weather-1.dist-info/METADATA,,',
        "ACME_Weather-1.Dist-Info/METADATA,,",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_of_record_names_the_metadata_that_came_with_a_wheel(tmp_path: Path, line: str, end: str) -> None:
    site = tmp_path / "site"
    own = site / "Weather-1.dist-info"
    own.mkdir(parents=True)
    lines = [
        "weather-1.dist-info/METADATA,,",
        "Weather-1.dist-info/licenses/x-info,,",
        line.format(site=site),
        "a.py,,",
    ]
    (own / "RECORD").write_text(end.join(lines).replace("unclosed\n", f"unclosed{end}"), newline="")
    carried = [
        os.path.realpath(each).lower() for kind, each, _ in set_aside(str(site), [own.name], ()) if kind == CARRIED
    ]
    assert carried == [os.path.realpath(site / "acme_weather-1.dist-info").lower()]


def test_a_distributions_own_metadata_did_not_come_with_another(tmp_path: Path) -> None:
    own = tmp_path / "acme-1.dist-info"
    own.mkdir()
    (own / "RECORD").write_text(
        f"acme-1.dist-info/RECORD,,\n./acme-1.dist-info/licenses/LICENSE,,\n{own}/METADATA,,\n"
        '"acme-1.dist-info/a,b",,\nacme/some-info/x.py,,\nacme/old.egg-info,,\n'
    )
    assert set_aside(str(tmp_path), [own.name], ()) == ()


def test_metadata_that_another_wheel_wrote_over_those_of_the_real_one_are_not_used(site: Site, tmp_path: Path) -> None:
    """They are of the same version, so that the folders of metadata are called as before."""
    install(site, "acme-weather", {"x": "acme_tools"}, {"acme_tools.py": tool("look", "real")}, version="1")
    allow(site)
    assert seen(site)[0] == ["acme-weather:look"]
    info = "acme_weather-1.dist-info"
    files = {
        "evil_tools.py": tool("look", "evil"),
        f"evil-1.data/purelib/{info}/entry_points.txt": POINTS.format(module="evil_tools  "),
    }
    wheel = make_wheel(tmp_path, "evil", "1", files)
    unpack(site, wheel)
    ids, problems = seen(site)
    assert ids == []
    assert problems[0].startswith("evil: installed metadata with the name of acme-weather")


@pytest.mark.parametrize("configuration", ["", ALLOW])
def test_of_two_copies_in_one_folder_neither_is_used_and_doctor_names_both(site: Site, configuration: str) -> None:
    """Two spellings of one name; the true one cannot be told from the other."""
    first = install(site, "Acme_Weather", {"x": "acme_tools"}, {"acme_tools.py": tool("look", "real")}, version="1")
    second = site.folder / "acme-weather-1.dist-info"
    site.write(
        {
            f"{second.name}/METADATA": metadata("acme-weather"),
            f"{second.name}/entry_points.txt": POINTS.format(module="evil_tools"),
            f"{second.name}/RECORD": "evil_tools.py,,\n",
            "evil_tools.py": tool("look", "evil"),
        }
    )
    install(site, "other", {"x": "other_tools"}, {"other_tools.py": tool("other", "other")})
    allow(site, configuration)
    ids, problems = seen(site)
    assert ids == ([] if configuration else ["other:other"])
    expected = f"acme-weather: is installed twice in one folder, so fcregistry uses neither copy: {first} and {second}"
    assert problems[0] == expected
    assert expected in site.cli("doctor", "acme-weather").stdout


def test_metadata_of_another_name_than_their_folder_are_not_trusted(site: Site) -> None:
    """Where distributions are trusted by name; nothing else of that name is installed."""
    info = install(site, "evil", {"x": "evil_tools"}, {"evil_tools.py": tool("look", "evil")}, version="1")
    (info / "METADATA").write_text(metadata("acme-weather"))
    for text in (ALLOW, 'allow = ["acme-weather:*"]\n'):
        allow(site, text)
        ids, problems = seen(site)
        assert ids == []
        assert len(problems) == 1
        assert problems[0].startswith("acme-weather[x]: is not loaded: ")
        assert (
            f"and {info} names the distribution acme-weather, which is not the name of the folder: find out what installed it"
            in problems[0]
        )


@pytest.mark.parametrize("kelvin", ["in METADATA", "in the folder", "in both"])
def test_a_name_with_letters_that_look_like_others_is_refused(site: Site, kelvin: str) -> None:
    """The Kelvin sign becomes a k when it is lowered, and is none on PyPI."""
    assert "\u212ait-tools".lower() == "kit-tools", "or this tests nothing"
    name, folder = ("\u212ait-tools" if kelvin != "in the folder" else "kit-tools"), "kit_tools"
    if kelvin != "in METADATA":
        folder = "\u212ait_tools"
    site.write(
        {
            f"{folder}-1.dist-info/METADATA": metadata(name),
            f"{folder}-1.dist-info/entry_points.txt": POINTS.format(module="evil_tools"),
            f"{folder}-1.dist-info/RECORD": "evil_tools.py,,\n",
            "evil_tools.py": tool("look", "evil"),
        }
    )
    allow(site, 'mode = "allow"\nallow = ["kit-tools:*"]\n')
    ids, problems = seen(site)
    assert ids == []
    assert len(problems) >= 1
    if kelvin != "in the folder":
        assert (
            problems[0]
            == f"'\\u212ait-tools': cannot be searched for plugins: its name is not a valid project name, in {site.folder}"
        )


def test_a_module_that_record_does_not_list_is_not_trusted(site: Site) -> None:
    """Such as one of another wheel."""
    install(site, "other", {}, {"evil_tools.py": tool("look", "evil")})
    info = install(site, "acme-weather", {"x": "evil_tools"}, {}, version="1")
    allow(site)
    ids, problems = seen(site)
    assert ids == []
    assert (
        f"RECORD of {info} does not list evil_tools, which its entry point names: reinstall acme-weather" in problems[0]
    )


@pytest.mark.parametrize("mode", ["allow", "locked"])
def test_a_module_of_the_working_folder_does_not_run_as_an_installed_packages(
    site: Site, mode: str, tmp_path: Path
) -> None:
    """Where it comes first on the path, it is said; a file that is a link to the right one in a package that is not does not help."""
    install(site, "acme-weather", {"x": "acme_pkg.tools"}, {"acme_pkg/tools.py": tool("look", "real")}, version="1")
    if mode == "locked":
        assert site.cli("lock").returncode == 0
    allow(site, ALLOW.replace('"allow"', f'"{mode}"'))
    here = tmp_path / "here"
    (here / "acme_pkg").mkdir(parents=True)
    (here / "acme_pkg" / "__init__.py").write_text("open('ran', 'w')\n")
    (here / "acme_pkg" / "tools.py").symlink_to(site.folder / "acme_pkg" / "tools.py")
    code = f"""
    import os
    os.chdir({str(site.folder)!r})
    sys.path.insert(0, {str(here)!r})
    from fcregistry import load_plugins
    answer = [[each.reason for each in load_plugins().disabled], os.path.exists("ran")]
    """
    (reason,), has_run = site.ask(code, env={"FCREGISTRY_CACHE_DIR": str(tmp_path / "new")})
    assert (
        f"{here}/acme_pkg/__init__.py would be imported as acme_pkg in place of what was installed of acme-weather"
        in reason
    )
    assert not has_run


def test_an_editable_install_is_trusted_for_what_lies_in_its_project(site: Site, tmp_path: Path) -> None:
    """Its RECORD lists no module: the project that `direct_url.json` names has to have it."""
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder, answer in ((project, "real"), (elsewhere, "evil")):
        folder.mkdir()
        (folder / "acme_tools.py").write_text(tool("look", answer))
    info = install(site, "acme-weather", {"x": "acme_tools"}, {}, version="1")
    (info / "direct_url.json").write_text(json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}}))
    allow(site)
    site.path.append(project)
    assert seen(site)[0] == [], "RECORD lists nothing that leads there"
    (site.folder / "_acme_weather.pth").write_text(f"{project}\n")
    record(site, info, {"_acme_weather.pth": ""})
    assert seen(site) == (["acme-weather:look"], [])
    site.path.insert(0, elsewhere)
    ids, problems = seen(site)
    assert ids == []
    assert (
        f"{elsewhere}/acme_tools.py would be imported as acme_tools in place of what was installed of acme-weather"
        in problems[0]
    )


@pytest.mark.parametrize("layout", ["flat", "src"])
@pytest.mark.parametrize("mode", ["allow", "locked", "open"])
def test_what_a_build_left_in_an_editable_project_does_not_hide_the_installed_metadata(
    site: Site, tmp_path: Path, layout: str, mode: str
) -> None:
    """setuptools leaves a folder `*.egg-info` there, without RECORD; in a folder elsewhere it hides them."""
    project = tmp_path / "project"
    code = project / "src" if layout == "src" else project
    for folder in (code, tmp_path / "elsewhere"):
        (folder / "acme_weather.egg-info").mkdir(parents=True)
        (folder / "acme_weather.egg-info" / "PKG-INFO").write_text(metadata("acme-weather"))
        (folder / "acme_weather.egg-info" / "entry_points.txt").write_text(POINTS.format(module="acme_tools"))
    (code / "acme_tools.py").write_text(tool("look", "real"))
    info = install(site, "acme-weather", {"x": "acme_tools"}, {}, version="1")
    (info / "direct_url.json").write_text(json.dumps({"url": project.as_uri(), "dir_info": {"editable": True}}))
    (site.folder / "__editable__.acme_weather-1.pth").write_text(f"{code}\n")
    record(site, info, {"__editable__.acme_weather-1.pth": ""})
    site.path.insert(0, code)
    if mode == "locked":
        assert site.cli("lock").returncode == 0
    allow(site, ALLOW.replace('"allow"', f'"{mode}"'))
    assert seen(site) == (["acme-weather:look"], [])
    site.path.insert(0, tmp_path / "elsewhere")
    assert seen(site)[0] == []


@pytest.mark.parametrize("suffix", [".whl", ".zip"])
def test_a_plugin_in_an_archive_is_not_trusted_by_name_and_each_answer_says_so(
    site: Site, tmp_path: Path, suffix: str
) -> None:
    info = "acme_weather-1.dist-info"
    contents = {"acme_tools.py": tool("look", "real"), f"{info}/entry_points.txt": POINTS.format(module="acme_tools")}
    path = make_wheel(tmp_path, "acme_weather", "1", contents).rename(tmp_path / f"acme{suffix}")
    site.path.append(path)
    site.folder.mkdir(exist_ok=True)
    allow(site, "")
    assert seen(site) == (["acme_weather:look"], [])
    allow(site)
    reason = (
        "acme_weather is not installed in a folder of sys.path (it may be in an archive), so that its name cannot "
        "be checked: install it with pip"
    )
    for told in (site.cli("doctor", "acme-weather:look").stdout, seen(site)[1][0], site.cli("lock").stderr):
        assert reason in told
    loaded = "from fcregistry import load_plugins\nanswer = [each.reason for each in load_plugins().disabled]"
    (said,) = site.ask(loaded)
    assert reason in said
    assert seen(site)[0] == []


@pytest.mark.parametrize("mode", ["allow", "locked"])
@pytest.mark.parametrize(
    ("module", "files"),
    [
        ("acme_shared.more", {"acme_shared/more.py": tool("look", "real")}),
        ("acme_shared.inner.more", {"acme_shared/inner/__init__.py": "", "acme_shared/inner/more.py": tool("look", "real")}),
        ("acme_tools", {"acme_tools.py": f"import acme_shared.more\n{tool('look', 'real')}", "acme_shared/more.py": ""}),
    ],
)  # fmt: skip
def test_a_package_that_another_distribution_makes_of_a_namespace_is_not_run(
    site: Site, tmp_path: Path, mode: str, module: str, files: dict[str, str]
) -> None:
    """The module of the entry point is in it, or another one that the distribution ships."""
    entry_points = {"acme_weather-1.dist-info/entry_points.txt": POINTS.format(module=module)}
    unpack(site, make_wheel(tmp_path, "acme_weather", "1", {**files, **entry_points}))
    if mode == "locked":
        assert site.cli("lock").returncode == 0
    allow(site, ALLOW.replace('"allow"', f'"{mode}"').replace("acme-weather", "acme_weather"))
    assert seen(site) == (["acme_weather:look"], [])
    unpack(
        site, make_wheel(tmp_path, "other", "1", {"acme_shared/__init__.py": f"open({str(tmp_path / 'ran')!r}, 'w')\n"})
    )
    loaded = "from fcregistry import load_plugins\nanswer = [each.reason for each in load_plugins().disabled]"
    (reason,) = site.ask(loaded, env={"FCREGISTRY_CACHE_DIR": str(tmp_path / "new")})
    intruder = site.folder / "acme_shared" / "__init__.py"
    assert reason.endswith(
        f"{intruder} would be imported as acme_shared, and acme_weather, which has modules in acme_shared, did not install it: "
        "uninstall what did"
    )
    called = site.cli("call", "look")
    assert called.returncode == 1
    assert "uninstall what did" in called.stderr
    assert not (tmp_path / "ran").exists()


FINDER = """
import importlib.util, sys

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return importlib.util.spec_from_file_location(name, sys.argv[0]) if name == "acme_tools" else None

sys.argv[0] = {path!r}
sys.meta_path.insert(0, Finder)
"""
OFFERED = """
from fcregistry import Executor
from fcregistry.errors import ToolNotFoundError
try:
    executor = Executor(["acme-weather:*"])
    answer = [[each.id, each.description] for each in executor.tools.values()] + [executor.call("look").content]
except ToolNotFoundError as error:
    answer = str(error)
"""


@pytest.mark.parametrize("kind", ["finder", "earlier folder"])
def test_a_description_that_was_made_from_another_file_is_not_used_where_names_are_trusted(
    site: Site, tmp_path: Path, kind: str
) -> None:
    """In the mode `open`, the index keeps the description of whatever was imported."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "acme_tools.py").write_text(tool("look", "evil").replace("return", '"""Evil."""\n    return'))
    real = tool("look", "real").replace("return", '"""Real."""\n    return')
    install(site, "acme-weather", {"x": "acme_tools"}, {"acme_tools.py": real})
    allow(site, "")
    finder = FINDER.format(path=str(elsewhere / "acme_tools.py")) if kind == "finder" else ""
    if kind == "earlier folder":
        site.path.insert(0, elsewhere)
    assert site.ask(finder + OFFERED) == [["acme-weather:look", "Evil."], "evil"]

    allow(site)
    assert f"{elsewhere}/acme_tools.py would be imported as acme_tools in place of" in site.ask(finder + OFFERED)
    site.path = [each for each in site.path if each != elsewhere]
    assert site.ask(OFFERED) == [["acme-weather:look", "Real."], "real"]
    assert site.ask(OFFERED) == [["acme-weather:look", "Real."], "real"]

"""What is read of the manifest that a package ships, and when it is not used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import ToolRecord
from fcregistry.discovery import (
    MANIFEST_FORMAT,
    FoundPlugin,
    Manifest,
    ManifestContent,
    ManifestProblem,
    manifest_of,
    manifest_text,
    source_digest,
)

CODE = 'raise RuntimeError("it was imported")\n'


def read_temperature(station: str, unit: str = "celsius") -> float:
    """Read the temperature.

    Args:
        station: Where.
        unit: In what.
    """
    return 0.0


def record(function: Callable[..., Any] = read_temperature, **changes: Any) -> ToolRecord:
    """Return a tool's record as a manifest has it."""
    tool = Tool.from_function(function)
    return {**record_of(tool), "file": "acme_weather/tools.py", "line": 3, **changes}  # type: ignore[typeddict-item]


def content(*tools: ToolRecord, **changes: Any) -> ManifestContent:
    """Return a manifest of one entry point, `weather`."""
    plugin = {"entry_point": "weather", "value": "acme_weather.tools", "dynamic": False, "tools": list(tools)}
    made = {
        "format": MANIFEST_FORMAT,
        "distribution": "acme-weather",
        "plugins": [plugin],
        "sources": {"acme_weather/tools.py": source_digest(CODE.encode(), "tools.py")},
    }
    return {**made, **changes}  # type: ignore[return-value,typeddict-item]


def package(folder: Path, manifest: ManifestContent | str | None, parent: str = "", code: str = CODE) -> None:
    """Write the package that ships the manifest, below a folder."""
    place = folder / parent / "acme_weather"
    place.mkdir(parents=True, exist_ok=True)
    (place / "__init__.py").touch()
    (place / "tools.py").write_text(code, encoding="utf-8")
    if manifest is not None:
        text = manifest if isinstance(manifest, str) else manifest_text(manifest)
        (place / "fcregistry.json").write_text(text, encoding="utf-8", newline="\n")


def plugin(folder: Path | None, value: str = "acme_weather.tools") -> FoundPlugin:
    """Return the entry point, whose metadata lies in a folder."""
    return FoundPlugin(
        distribution="Acme.Weather",
        version="1.0",
        entry_point="weather",
        value=value,
        folder="" if folder is None else str(folder),
    )


def manifest(found: FoundPlugin) -> Manifest:
    """Return its manifest, which is there and in order."""
    read = manifest_of(found)
    assert isinstance(read, Manifest), read
    return read


def test_a_manifest_beside_the_metadata_is_read_and_nothing_imported(tmp_path: Path) -> None:
    """A regular install: the paths in it become those of this machine."""
    package(tmp_path, content(record()))
    read = manifest(plugin(tmp_path))
    file = str(tmp_path / "acme_weather" / "tools.py")
    assert read.path == tmp_path / "acme_weather" / "fcregistry.json"
    assert read.tools == [record(file=file)]
    assert (read.sources, read.changed, read.is_stale) == ((Path(file),), (), False)
    assert "acme_weather" not in sys.modules


@pytest.mark.parametrize("metadata", ["elsewhere", None])
def test_in_an_editable_install_pythons_finders_say_where_the_package_is(
    tmp_path: Path, metadata: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The metadata lies in another folder than the code, or in none."""
    package(tmp_path / "src", content(record()))
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    assert not manifest(plugin(tmp_path / metadata if metadata else None)).is_stale
    assert "acme_weather" not in sys.modules


def test_below_a_namespace_package_the_manifest_is_in_the_first_real_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several distributions share the namespace, in several folders; each has a manifest of its own."""
    sources = {"acme/acme_weather/tools.py": source_digest(CODE.encode(), "tools.py")}
    value = "acme.acme_weather.tools"
    told = content(record(file="acme/acme_weather/tools.py"), sources=sources)
    told["plugins"][0]["value"] = value
    package(tmp_path / "src", told, parent="acme")
    (tmp_path / "site" / "acme" / "other").mkdir(parents=True)
    monkeypatch.syspath_prepend(str(tmp_path / "src"))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    read = manifest(plugin(tmp_path / "site", value))
    assert read.path == tmp_path / "src" / "acme" / "acme_weather" / "fcregistry.json"
    assert not read.is_stale
    assert "acme" not in sys.modules


def test_the_manifest_of_a_module_without_a_package_is_beside_the_module(tmp_path: Path) -> None:
    """It has the module's name."""
    (tmp_path / "acme_races.py").write_text(CODE, encoding="utf-8")
    told = content(record(file="acme_races.py"), sources={"acme_races.py": source_digest(CODE.encode(), "x.py")})
    told["plugins"][0]["value"] = "acme_races:TOOLS"
    (tmp_path / "acme_races.fcregistry.json").write_text(manifest_text(told), encoding="utf-8")
    assert not manifest(plugin(tmp_path, "acme_races:TOOLS")).is_stale


def test_without_a_manifest_or_code_the_result_is_none(tmp_path: Path) -> None:
    """Most packages have none."""
    package(tmp_path, None)
    assert manifest_of(plugin(tmp_path)) is None
    assert manifest_of(plugin(tmp_path, "acme_nowhere.tools")) is None
    assert manifest_of(plugin(None, ".")) is None


def test_a_finder_that_raises_finds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Editable installs bring finders of their own, which may be broken."""

    class Broken:
        def find_spec(self, *arguments: object) -> None:
            raise OSError("its folder is gone")

    monkeypatch.setattr(sys, "meta_path", [Broken()])
    assert manifest_of(plugin(tmp_path)) is None


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        (CODE + "x = 1\n", True),
        (CODE.replace("\n", "\r\n"), False),
        (CODE + "__version__ = '2.0'\n", True),
        (CODE.replace("imported", "loaded"), True),
    ],
    ids=["a line more", "line ends of Windows", "a version where there was none", "another text"],
)
def test_a_manifest_is_stale_if_a_source_has_changed(tmp_path: Path, code: str, changed: bool) -> None:
    """A stale manifest says which source it is; whoever lists does not use it."""
    package(tmp_path, content(record()))
    (tmp_path / "acme_weather" / "tools.py").write_bytes(code.encode())
    assert manifest(plugin(tmp_path)).changed == (("acme_weather/tools.py",) if changed else ())


def test_a_manifest_is_stale_if_a_source_is_gone(tmp_path: Path) -> None:
    """As after a hand has been in the folder."""
    package(tmp_path, content(record()))
    (tmp_path / "acme_weather" / "tools.py").unlink()
    assert manifest(plugin(tmp_path)).is_stale


@pytest.mark.parametrize(
    "line", ["__version__ = '{}'", "__version__: str = '{}'", "__version__ = version = '{}'", "version_tuple = ({})"]
)
def test_another_version_does_not_change_the_digest_of_a_source(line: str) -> None:
    """A release may be made without a new manifest, also where a build writes the version into the code."""
    old, new = (f"x = 1\n{line.format(number)}\ny = 2\n".encode() for number in ("1", "2, 3"))
    assert source_digest(old, "a/_version.py") == source_digest(new, "a/_version.py")
    assert source_digest(old, "a/data.json") != source_digest(new, "a/data.json")
    assert source_digest(b"version_of = 1", "a.py") != source_digest(b"version_of = 2", "a.py")


def _text(**changes: Any) -> str:
    return manifest_text(content(record(), **changes))


def _with_tool(**changes: Any) -> str:
    return manifest_text(content(record(**changes)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "Expecting property name"),
        ("[]", "it is not a manifest: a manifest is a JSON object with the member `format`"),
        ("{}", "it is not a manifest: a manifest is a JSON object with the member `format`"),
        ("[" * 100_000, "it is nested too deeply"),
        ("[" + "[]," * 500_000 + "[]]", "it has more than 1000000 JSON values, the limit"),
        (" " * (2**24 + 1), "it is larger than 16777216 bytes, the limit"),
        (_text(format=2), "its format is 2, and this version of fcregistry reads 1"),
        (_text(sources=[]), "a value is missing, or has another type"),
        (_text(sources={"acme_weather/tools.py": 1}), "a value is missing, or has another type"),
        (
            _text(plugins=[{}]),
            "a value is missing, or has another type: KeyError('entry_point')",
        ),
        (_text(distribution="acme-maps"), "it is the manifest of acme-maps, not of Acme.Weather"),
        (_text(plugins=[]), "it does not list this entry point"),
        (
            _text().replace('"acme_weather.tools"', '"acme_weather"', 1),
            "it describes acme_weather, and the entry point names",
        ),
        (_text(sources={"../secret": "0"}), "it names a file outside the package: '../secret'"),
        (_text(sources={"/etc/passwd": "0"}), "it names a file outside the package: '/etc/passwd'"),
        (_with_tool(file="../tools.py"), "it names a file outside the package: '../tools.py'"),
        (_text(sources={"a\0b": "0"}), "it names a path that no file can have: 'a\\x00b'"),
        (_text(sources={"a\ud800b": "0"}), "it names a path that no file can have: 'a\\ud800b'"),
        (_with_tool(file="a\0b"), "it names a path that no file can have: 'a\\x00b'"),
        (
            _with_tool(description="Nice."),
            "the tool 'read_temperature' was changed by hand: the digest is another",
        ),
        (_with_tool(options=[]), "the tool 'read_temperature' has no options"),
        (_with_tool(name='x"}, {'), "the tool 'x\"}, {' cannot be used: "),
        (
            _with_tool(options={"aliases": 5}),
            "the tool 'read_temperature' cannot be used: option 'aliases' takes",
        ),
        (manifest_text(content(record(), record())), "it lists 'read_temperature' twice in the group 'tool'"),
    ],
)
def test_a_manifest_that_cannot_be_relied_on_says_why(tmp_path: Path, text: str, message: str) -> None:
    """It is a file of strangers: whatever stands in it, the rest goes on."""
    package(tmp_path, text)
    problem = manifest_of(plugin(tmp_path))
    assert isinstance(problem, ManifestProblem)
    assert problem.message.startswith(message)
    assert "fcregistry manifest build" in problem.advice


def test_the_problem_of_a_manifest_that_is_not_text_says_so(tmp_path: Path) -> None:
    """Nor does a folder of that name raise."""
    package(tmp_path, None)
    path = tmp_path / "acme_weather" / "fcregistry.json"
    path.write_bytes(b"\xff")
    assert isinstance(manifest_of(plugin(tmp_path)), ManifestProblem)
    path.unlink()
    path.mkdir()
    assert isinstance(manifest_of(plugin(tmp_path)), ManifestProblem)


@pytest.mark.parametrize("sources", [{}, {"acme_weather/__init__.py": source_digest(b"", "__init__.py")}])
def test_a_manifest_without_a_digest_of_the_module_cannot_be_used(tmp_path: Path, sources: dict[str, str]) -> None:
    """Nothing shows whether the code has changed since the manifest was made."""
    package(tmp_path, content(record(), sources=sources))
    problem = manifest_of(plugin(tmp_path))
    assert isinstance(problem, ManifestProblem)
    assert problem.message == (
        "it has no digest of acme_weather/tools.py, so fcregistry cannot see whether this file has changed since"
    )
    assert problem.advice == "run in the project of Acme.Weather: fcregistry manifest build; or tell its authors"


@pytest.mark.parametrize("suffix", EXTENSION_SUFFIXES[:1])
def test_a_manifest_needs_no_digest_of_a_compiled_module(tmp_path: Path, suffix: str) -> None:
    sources = {"acme_weather/__init__.py": source_digest(b"", "__init__.py")}
    package(tmp_path, content(record(), sources=sources))
    (tmp_path / "acme_weather" / f"tools{suffix}").touch()
    assert not manifest(plugin(tmp_path)).is_stale
    package(tmp_path / "empty", content(record(), sources={}))
    (tmp_path / "empty" / "acme_weather" / f"tools{suffix}").touch()
    assert isinstance(manifest_of(plugin(tmp_path / "empty")), ManifestProblem)

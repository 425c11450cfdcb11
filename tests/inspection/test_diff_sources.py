"""What is read from a lock, a manifest and a wheel, and what is said of a file that is none of these?"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry._records import ToolRecord, record_of
from fcregistry.errors import ConfigurationError
from fcregistry.inspection._diff import read_source

METADATA = "Metadata-Version: 2.1\nName: acme-tools\nVersion: 2.1\n"


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def record() -> ToolRecord:
    return {**record_of(Tool.from_function(add)), "file": "acme/tools.py"}


def manifest() -> dict[str, Any]:
    plugin = {"entry_point": "x", "value": "acme.tools", "dynamic": False, "printed": False, "tools": [record()]}
    return {"format": 1, "distribution": "acme-tools", "plugins": [plugin], "sources": {"acme/tools.py": "0"}}


def lock(**changed: Any) -> dict[str, Any]:
    pin = {"version": "2.0", "files": "0", "tools": [record()], **changed}
    return {"fcregistry_lock": 1, "distributions": {"acme-tools": pin}}


def wheel(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def written(path: Path, value: Any) -> str:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return str(path)


def test_what_a_file_is_its_content_says(tmp_path: Path) -> None:
    """Not its name: a lock may be called as a manifest is."""
    files = {"acme_tools-2.1.dist-info/METADATA": METADATA, "acme/fcregistry.json": json.dumps(manifest())}
    given = {
        "lock": written(tmp_path / "a.json", lock()),
        "manifest": written(tmp_path / "fcregistry.lock", manifest()),
        "wheel": str(wheel(tmp_path / "no-suffix", files)),
    }
    for kind, path in given.items():
        found = read_source(path)
        assert found.kind == kind
        assert [(each.distribution, [tool["name"] for tool in each.tools]) for each in found.shipped] == [
            ("acme-tools", ["add"])
        ]
    versions = {kind: read_source(path).shipped[0].version for kind, path in given.items()}
    assert versions == {"lock": "2.0", "manifest": None, "wheel": "2.1"}


def test_a_wheel_may_have_a_manifest_for_each_of_its_packages(tmp_path: Path) -> None:
    second = manifest()
    second["plugins"][0]["tools"] = []
    files = {
        "acme_tools-2.1.dist-info/METADATA": METADATA,
        "acme/fcregistry.json": json.dumps(manifest()),
        "module.fcregistry.json": json.dumps(second),
    }
    assert len(read_source(str(wheel(tmp_path / "a.whl", files))).shipped[0].tools) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello", "is no lock, manifest or wheel: it is neither JSON nor a zip file"),
        ("[1]", "is no lock, manifest or wheel of fcregistry's: it is other JSON"),
        ('{"a": 1}', "it is other JSON"),
        (lock(version=5), "is a damaged lock"),
        (lock(tools=[{"name": "add", "group": "tool", "digest": "0"}]), 'is damaged: what it says of the tool "add" has no description'),
        ({"fcregistry_lock": 99}, "is a lock of another format"),
        ({**manifest(), "format": 99}, "cannot be used: its format is 99"),
        ({**manifest(), "plugins": 5}, "cannot be used"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path, content: Any, message: str) -> None:
    path = written(tmp_path / "file", content)
    with pytest.raises(ConfigurationError) as caught:
        read_source(path)
    assert message in str(caught.value)
    assert path in str(caught.value)


def test_a_wheel_without_a_manifest_says_how_to_add_one(tmp_path: Path) -> None:
    """It is not installed for that, and nothing of it is run."""
    path = wheel(tmp_path / "a.whl", {"acme_tools-2.1.dist-info/METADATA": METADATA, "acme/__init__.py": "1/0"})
    with pytest.raises(ConfigurationError) as caught:
        read_source(str(path))
    assert str(caught.value) == (
        f"{path} has no manifest, so its tools cannot be told without running its code: `fcregistry manifest build` in "
        "its project adds one to the next wheel; or install this one, and give the name 'acme-tools' instead"
    )


def test_a_wheel_whose_packed_bytes_are_damaged_says_so(tmp_path: Path) -> None:
    """Where the bytes are, another error comes out of them: all are one to the reader."""
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("acme_tools-2.1.dist-info/METADATA", METADATA)
    whole = path.read_bytes()
    start = whole.index(b"METADATA") + len(b"METADATA")
    for place in range(start, start + 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(ConfigurationError, match=r"is damaged, or no wheel|has no manifest|is no wheel"):
            read_source(str(path))


def test_a_small_wheel_that_unpacks_to_very_much_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fcregistry.inspection._diff._wheels._MOST_BYTES", 1000)
    files = {"acme_tools-2.1.dist-info/METADATA": METADATA, "acme/fcregistry.json": " " * 1000}
    with pytest.raises(
        ConfigurationError, match=r"a\.whl has metadata and manifests of \d+ bytes; at most 1000 are read$"
    ):
        read_source(str(wheel(tmp_path / "a.whl", files)))


def test_a_zip_file_that_is_no_wheel_and_a_damaged_one_say_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is a zip file and no wheel"):
        read_source(str(wheel(tmp_path / "a.zip", {"readme": ""})))
    files = {"acme_tools-2.1.dist-info/METADATA": METADATA * 50, "acme/fcregistry.json": "{}"}
    path = wheel(tmp_path / "b.whl", files)
    damaged = bytearray(path.read_bytes())
    damaged[60:70] = b"\xff" * 10
    path.write_bytes(damaged)
    with pytest.raises(ConfigurationError, match="is damaged, or no wheel"):
        read_source(str(path))


@pytest.mark.parametrize(
    ("given", "what"), [(".", "is a folder"), ("./missing.lock", "is not there"), ("/dev/null", "is no regular file")]
)
def test_a_path_that_leads_nowhere_is_no_distribution(given: str, what: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{what}: give a lock, a manifest, a wheel, or the name of"):
        read_source(given)

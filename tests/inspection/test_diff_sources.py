"""What is read from a lock, a manifest and a wheel, and the errors for other files."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fcregistry import Tool
from fcregistry._tools.indexed import record_of
from fcregistry._tools.record import ToolRecord
from fcregistry.errors import ConfigurationError
from fcregistry.inspection import read_source

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
        ("hello", "is not a lock, manifest or wheel: it is neither JSON nor a zip file"),
        ("[1]", "is not a lock, manifest or wheel of fcregistry: it is JSON with other content"),
        ('{"a": 1}', "it is JSON with other content"),
        (lock(version=5), "is a damaged lock"),
        (lock(tools=[{"name": "add", "group": "tool", "digest": "0"}]), 'is damaged: its description of the tool "add" has no summary'),
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
        f"{path} has no manifest, so its tools cannot be listed without running its code: `fcregistry manifest build` in "
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
        with pytest.raises(ConfigurationError, match=r"is damaged, or not a wheel|has no manifest|is not a wheel"):
            read_source(str(path))


INFO = "acme_tools-2.1.dist-info/METADATA"
PLAIN = {INFO: METADATA, "acme/fcregistry.json": json.dumps(manifest())}
OTHERS = json.dumps({**manifest(), "distribution": "other-tools"})


@pytest.mark.parametrize(
    "files",
    [
        PLAIN,
        {**PLAIN, "acme_tools-2.1.dist-info/RECORD": "", "acme/": "", "acme_tools-2.1.data/scripts/run": ""},
        {**PLAIN, "acme/vendored/other-1.dist-info/METADATA": METADATA, "acme_tools-2.1.data/data/a-info/x": ""},
        {"Acme.Tools-2.1.0.dist-info/METADATA": METADATA, "acme/fcregistry.json": json.dumps(manifest())},
    ],
)
@pytest.mark.parametrize(
    "name", ["acme_tools-2.1-py3-none-any.whl", "acme_tools-2.1-1-py3-none-any.whl", "a.whl", "a.zip"]
)
def test_a_wheel_is_read(tmp_path: Path, name: str, files: dict[str, str]) -> None:
    (shipped,) = read_source(str(wheel(tmp_path / name, files))).shipped
    assert (shipped.distribution, shipped.version, len(shipped.tools)) == ("acme-tools", "2.1", 1)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {**PLAIN, "acme/a/fcregistry.json": OTHERS},
            'is a wheel of acme-tools, and acme/a/fcregistry.json in it lists the tools of "other-tools": build the wheel again, with the',
        ),
        ({**PLAIN, "aaa/fcregistry.json": OTHERS}, "and aaa/fcregistry.json in it lists the tools of"),
        (
            {**PLAIN, "aaa-1.dist-info/METADATA": METADATA},
            'has 2 dist-info folders, "aaa-1.dist-info" and "acme_tools-2.1.dist-info"; a wheel has one',
        ),
        ({**PLAIN, "aaa-1.DIST-INFO/x": ""}, "has 2 dist-info folders"),
        ({**PLAIN, "aaa.egg-info/x": ""}, "has 2 dist-info folders"),
        (
            {**PLAIN, "acme_tools-2.1.data/purelib/acme_tools-2.1.dist-info/entry_points.txt": ""},
            'has 2 dist-info folders, "acme_tools-2.1.data/purelib/acme_tools-2.1.dist-info" and "acme_tools-2.1.dist-info"',
        ),
        ({**PLAIN, "acme_tools-2.1.data/platlib/other-1.Dist-Info/x": ""}, "has 2 dist-info folders"),
        ({**PLAIN, "Acme_Tools-2.1.DATA/purelib/other-1.egg-info/x": ""}, "has 2 dist-info folders"),
        ({**PLAIN, "acme_tools-2.1.data/data/lib/site-packages/other-1.dist-info/x": ""}, "has 2 dist-info folders"),
        ({**PLAIN, "acme_tools-2.1.data/purelib/x.egg/EGG-INFO/PKG-INFO": ""}, "has 2 dist-info folders"),
        ({**PLAIN, INFO: METADATA.replace("acme", "other")}, 'its METADATA is of "other-tools" "2.1", but it has the name "acme_t'),
        ({**PLAIN, INFO: METADATA.replace("\nVersion: 2.1", "\nVersion: 2.2")},
         'its METADATA is of "acme-tools" "2.2", but it has the name "acme_tools-2.1.dist-info"'),
        ({**PLAIN, INFO: METADATA + "Name: other\n"}, "its METADATA must have one line Name, not 2"),
        ({**PLAIN, INFO: "Name: acme-tools\n"}, "its METADATA must have one line Version, not 0"),
        ({**PLAIN, "./acme/fcregistry.json": OTHERS}, 'it has a file with the name "./acme/fcregistry.json"'),
        ({**PLAIN, "x/../acme/fcregistry.json": OTHERS}, "it has a file with the name"),
        ({**PLAIN, "/acme/fcregistry.json": OTHERS}, "it has a file with the name"),
    ],
)  # fmt: skip
def test_a_wheel_that_tells_of_two_things_is_refused(tmp_path: Path, files: dict[str, str], message: str) -> None:
    path = wheel(tmp_path / "a.whl", files)
    with pytest.raises(ConfigurationError) as caught:
        read_source(str(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["other_tools-2.1-py3-none-any.whl", "acme_tools-2.2-py3-none-any.whl"])
def test_a_wheel_that_is_named_as_another_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        ConfigurationError, match=rf'its METADATA is of "acme-tools" "2.1", but it has the name "{name}"'
    ):
        read_source(str(wheel(tmp_path / name, PLAIN)))


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_wheel_with_a_file_twice_is_refused(tmp_path: Path, name: str) -> None:
    """Readers take the first or the last."""
    path = wheel(tmp_path / "a.whl", PLAIN)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, PLAIN[name])
    with pytest.raises(ConfigurationError, match=f'it has "{name}" twice'):
        read_source(str(path))


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("name", PLAIN)
def test_a_wheel_that_is_packed_in_another_way_is_refused(tmp_path: Path, name: str, method: int) -> None:
    """What LZMA takes to unpack, its header decides."""
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for each, text in PLAIN.items():
            archive.writestr(each, text, compress_type=method if each == name else zipfile.ZIP_DEFLATED)
    with pytest.raises(
        ConfigurationError, match=f"{name} in .* has an unsupported compression: files of wheels use deflate or none"
    ):
        read_source(str(path))


# --- memory -------------------------------------------------------------------------------------------

MEGABYTES = 700
COMPARE = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEGABYTES} * 2**20,) * 2)
from fcregistry.errors import ConfigurationError
from fcregistry.inspection import read_source
try:
    print(len(read_source(sys.argv[1]).shipped))
except ConfigurationError as error:
    print(str(error).replace(sys.argv[1], "FILE"))
"""


def compared(path: Path) -> str:
    """Return what is said of a file by a process that has little memory."""
    done = subprocess.run([sys.executable, "-c", COMPARE, str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def packed(path: Path, files: dict[str, str], false_size: bool = False) -> Path:
    """Write a wheel with deflate; with a false size, its directory says that each file has one byte."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
        if false_size:
            for info in archive.infolist():
                info.file_size = 1
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("plain", "1"),
        ("blanks", "acme/fcregistry.json in FILE cannot be used: it is larger than 16777216 bytes, the limit"),
        ("metadata", f"{INFO} in FILE cannot be used: it is larger than 2097152 bytes, the limit"),
        ("values", "acme/fcregistry.json in FILE cannot be used: it has more than 1000000 JSON values, the limit"),
        ("file", "FILE cannot be used: it has more than 1000000 JSON values, the limit"),
        ("large file", "FILE cannot be used: it is larger than 16777216 bytes, the limit"),
        ("false size", f"FILE is damaged, or not a wheel: Bad CRC-32 for file '{INFO}'"),
        ("many", "b/fcregistry.json in FILE cannot be used: it is larger than"),
    ],
)
def test_a_hostile_file_takes_little_memory(tmp_path: Path, kind: str, says: str) -> None:
    path = tmp_path / "a.whl"
    lists = "[" + "[]," * 5_000_000 + "[]]"
    padded = {**manifest(), "padding": " " * 10 * 2**20}
    files = {
        "plain": PLAIN,
        "blanks": {**PLAIN, "acme/fcregistry.json": " " * 100 * 2**20} if kind == "blanks" else {},
        "metadata": {**PLAIN, INFO: "A: b\n" * 5_000_000} if kind == "metadata" else {},
        "values": {**PLAIN, "acme/fcregistry.json": lists},
        "false size": PLAIN,
        "many": {INFO: METADATA, "a/fcregistry.json": json.dumps(padded), "b/fcregistry.json": json.dumps(padded)},
    }
    if kind == "file":
        path.write_text(f'{{"plugins": {lists}}}', encoding="utf-8")
    elif kind == "large file":
        with path.open("wb") as file:
            file.truncate(2**30)
    else:
        packed(path, files[kind], kind == "false size")
    assert compared(path).startswith(says)


def test_a_zip_file_that_is_not_a_wheel_and_a_damaged_one_say_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is a zip file, but not a wheel"):
        read_source(str(wheel(tmp_path / "a.zip", {"readme": ""})))
    files = {"acme_tools-2.1.dist-info/METADATA": METADATA * 50, "acme/fcregistry.json": "{}"}
    path = wheel(tmp_path / "b.whl", files)
    damaged = bytearray(path.read_bytes())
    damaged[60:70] = b"\xff" * 10
    path.write_bytes(damaged)
    with pytest.raises(ConfigurationError, match="is damaged, or not a wheel"):
        read_source(str(path))


@pytest.mark.parametrize(
    ("given", "what"),
    [(".", "is a folder"), ("./missing.lock", "is not there"), ("/dev/null", "is not a regular file")],
)
def test_a_path_that_leads_nowhere_is_not_a_distribution(given: str, what: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{what}: give the path of a lock, manifest or wheel, or the name of"):
        read_source(given)

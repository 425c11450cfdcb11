"""Files are read in parts, in their encoding, as text or as content; folders are listed."""

from __future__ import annotations

import codecs
import json
import os
import subprocess
import sys
from typing import Any

import pytest
from fcregistry import Executor

from fcregistry_files import file_tools

PNG = b"\x89PNG\r\n\x1a\n" + bytes(16)


@pytest.mark.parametrize(
    ("content", "arguments", "expected"),
    [
        ("a\nb\nc\n", {}, "a\nb\nc\n"),
        ("a\nb\nc\n", {"start": 2}, "b\nc\n[lines 2-3 of 3]"),
        ("a\nb\nc\n", {"lines": 1}, "a\n[line 1 of 3; continue with start=2]"),
        ("a\nb\nc", {"start": 3}, "c\n[line 3 of 3]"),
        (
            "a\r\n" * 5_000 + "b",
            {"start": 4_999, "lines": 2},
            "a\na\n[lines 4999-5000 of 5001; continue with start=5001]",
        ),
        ("a\r\n" * 5_000 + "b", {"start": 5_001}, "b\n[line 5001 of 5001]"),
        ("a\r\nb\r\n", {}, "a\nb\n"),
        ("a\x0cb\u2028c\n", {}, "a\x0cb\u2028c\n"),
        ("", {}, "[a.txt is empty]"),
        (codecs.BOM_UTF8 + "grün\n".encode(), {}, "grün\n"),
        (codecs.BOM_UTF16_LE + "grün\n".encode("utf-16-le"), {}, "grün\n"),
        ("grün\n".encode("latin-1"), {"encoding": "latin-1"}, "grün\n"),
        ("grün\n".encode("utf-16-le"), {"encoding": "utf-16"}, "grün\n"),
        ("%PDF-1.7 in words\n", {"encoding": "utf-8"}, "%PDF-1.7 in words\n"),
    ],
)
def test_text_is_read(place: Any, call: Any, content: str | bytes, arguments: dict[str, Any], expected: str) -> None:
    place.write("a.txt", content)
    assert call("read_file", path="a.txt", **arguments).unwrap() == expected


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (b"\x00\x01\x02\xff", {}, "'a.txt' is a binary file of 4 bytes, not text"),
        (b"a\x00b", {}, "'a.txt' is a binary file of 3 bytes, not text"),
        (
            "a\ngrün\n".encode("latin-1"),
            {},
            "'a.txt' is not UTF-8 text (line 2); give its encoding, such as encoding='cp1252' or 'latin-1'",
        ),
        (b"a\xff", {"encoding": "shift_jis"}, "'a.txt' is not text in the encoding shift_jis"),
        ("a\nb\n", {"start": 3}, "'a.txt' has 2 lines; there is no line 3"),
    ],
)
def test_the_error_for_a_value_that_is_not_text_says_what_it_is(
    place: Any, call: Any, content: str | bytes, arguments: dict[str, Any], message: str
) -> None:
    place.write("a.txt", content)
    assert call("read_file", path="a.txt", **arguments).content == message


def test_long_texts_and_lines_are_returned_in_parts(place: Any) -> None:
    place.write("a.txt", "x" * 8 + "\n" + "y" * 30 + "\nz\n")
    executor = Executor(file_tools(place.root, max_characters=20, max_bytes=45))
    assert executor.call("read_file", path="a.txt").value == "x" * 8 + "\n[line 1 of 3; continue with start=2]"
    assert (
        executor.call("read_file", path="a.txt", start=2).value
        == "y" * 20 + "\n[line 2 of 3 has 31 characters: the first 20 are shown; continue with start=3]"
    )
    place.write("a.txt", "x" * 46)
    assert (
        executor.call("read_file", path="a.txt").content
        == "'a.txt' is too large: it has more than 45 bytes, the most that the tools read"
    )


MEASURE = """
import json, sys
from pathlib import Path
from fcregistry import Executor
from fcregistry_files import file_tools

def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

root, name, arguments = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
executor = Executor(file_tools(root, write=True))
def call(path):
    patch = f"*** Begin Patch\\n*** Update File: {path}\\n-missing\\n*** End Patch"
    return executor.run({"name": name, "arguments": {"patch": patch} if name == "apply_patch" else {"path": path, **arguments}})
call("small.txt")
start = peak()
result = call("large.txt")
print(json.dumps([(peak() - start) / 1024, result.content[-100:]]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of a process from /proc")
@pytest.mark.parametrize(
    ("name", "arguments", "end"),
    [
        ("read_file", {"start": 3_000_000, "lines": 1}, "xy\n[line 3000000 of 3260000; continue with start=3000001]"),
        ("file_info", {}, '"encoding": "utf-8", "line_ends": "LF", "lines": 3260000}'),
        ("edit_file", {"old": "xy\nz\nxy", "new": "y"}, "The nearest text is in lines 1-3.\nxy\nxy\nxy"),
        ("apply_patch", {}, "No text in the file is similar."),
    ],
)
def test_a_file_of_many_lines_takes_little_more_memory_than_its_text(
    place: Any, name: str, arguments: dict[str, Any], end: str
) -> None:
    place.write("large.txt", "xy\n" * 3_260_000)
    place.write("small.txt", "x\n")
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(place.root), name, json.dumps(arguments)],
        stdout=subprocess.PIPE,
        check=True,
    )
    megabytes, content = json.loads(done.stdout)
    assert content.endswith(end)
    assert megabytes <= 60


def test_images_and_pdf_files_are_content(place: Any, call: Any) -> None:
    place.write("a.png", PNG)
    place.write("b.bin", PNG)
    place.write("c.pdf", b"%PDF-1.7\n\xff\n")
    place.write("d.png", b"\xff\x00")
    place.write("e.png", "a text\n")
    assert [block["type"] for block in call("read_file", path="a.png").blocks] == ["image"]
    assert [block["type"] for block in call("read_file", path="b.bin").blocks] == ["image"]
    assert call("read_file", path="c.pdf").content == "[file: c.pdf, application/pdf, 11 bytes]"
    assert call("read_file", path="d.png").content == "'d.png' is a binary file of 2 bytes, not text"
    assert call("read_file", path="e.png").content == "a text\n"


def test_a_missing_file_names_the_nearest(place: Any, call: Any) -> None:
    place.write("data/may.csv")
    for path, message in {
        "data/May.csv": "'data/May.csv' does not exist: 'May.csv' is not in 'data'; did you mean 'data/may.csv'?",
        "date/may.csv": "'date/may.csv' does not exist: 'date' is not in the root folder; did you mean 'data'?",
        "data/may.csv/x": "'may.csv' is a file, not a folder",
        "data": "'data' is a folder, not a file; list_directory shows what is in it",
        "": "the path names the root folder itself; write the path of something in it",
    }.items():
        assert call("read_file", path=path).content == message


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_cannot_be_read(place: Any, call: Any) -> None:
    place.write("a.txt").chmod(0)
    assert call("read_file", path="a.txt").content == "'a.txt' cannot be used: the program has no permission for it"


def test_a_folder_is_listed(place: Any, call: Any) -> None:
    place.write("b/c.txt")
    place.write("a.txt", "four")
    place.write(".fcregistry-part-x")
    place.write("odd\nname")
    listing = call("list_directory").unwrap()
    assert [(each.name, each.kind, each.size) for each in listing.entries] == [
        ("a.txt", "file", 4),
        ("b", "folder", None),
    ]
    assert listing.note == "1 names that no tool can use are left out: 'odd\\nname'"
    assert call("list_directory", path="b").unwrap().note is None


def test_a_large_folder_is_listed_in_part(place: Any, call: Any) -> None:
    for number in range(1_005):
        place.write(f"{number:04}")
    listing = call("list_directory").unwrap()
    assert len(listing.entries) == 1_000
    assert listing.note == "The first 1000 of 1005 entries; find_files finds others by a pattern."


def test_file_info_returns_the_facts_of_a_file(place: Any, call: Any) -> None:
    place.write("a.csv", "a,b\r\n1,2\r\n").chmod(0o640)
    info = call("file_info", path="a.csv").unwrap()
    assert (info.kind, info.size, info.media_type, info.encoding, info.line_ends, info.lines) == (
        "file",
        10,
        "text/csv",
        "utf-8",
        "CRLF",
        2,
    )
    assert info.modified.tzinfo is not None
    assert sys.platform == "win32" or info.permissions == "-rw-r-----"
    place.write("b.bin", b"\x00")
    assert call("file_info", path="b.bin").unwrap().encoding is None
    assert call("file_info", path=".").unwrap().kind == "folder"
    assert "does not exist" in call("file_info", path="c").content

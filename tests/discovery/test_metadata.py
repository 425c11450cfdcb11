"""Name and version of a distribution are read as Python's own parser of metadata reads them."""

from __future__ import annotations

from importlib.metadata import Distribution
from pathlib import Path

import pytest

from fcregistry.discovery import distribution_name, distribution_version, near_miss_groups

WRITTEN = {
    "as all tools do": "Metadata-Version: 2.4\nName: Acme.Weather\nVersion: 1.0+local\nSummary: x\n\nName: body\n",
    "nothing else": "Metadata-Version: 2.4\nName: acme\nVersion: 1.0\n",
    "no body, no end": "Metadata-Version: 2.4\nName: acme\nVersion: 1.0",
    "in another order": "Name: acme\nMetadata-Version: 2.4\nSummary: x\nVersion: 1.0\n",
    "in small letters": "metadata-version: 2.4\nname: acme\nversion: 1.0\n",
    "twice": "Metadata-Version: 2.4\nName: acme\nVersion: 1.0\nName: other\nVersion: 2.0\n",
    "folded": "Metadata-Version: 2.4\nName: acme\nVersion: 1.0\n and more\n",
    "with spaces": "Metadata-Version: 2.4\nName:   acme  \nVersion:1.0\n",
    "of two words": "Metadata-Version: 2.4\nName: acme weather\nVersion: 1.0\n",
    "with lines of Windows": "Metadata-Version: 2.4\r\nName: acme\r\nVersion: 1.0\r\n",
    "with letters of others": "Metadata-Version: 2.4\nName: \u00e4cme\nVersion: 1.0\n",
    "after a line that is none": "Metadata-Version: 2.4\nwhat\nName: acme\nVersion: 1.0\n",
    "after an empty line": "\nMetadata-Version: 2.4\nName: acme\nVersion: 1.0\n",
    "not at all": "Metadata-Version: 2.4\nSummary: x\n",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN.keys())
def test_name_and_version_are_what_python_reads(tmp_path: Path, text: str) -> None:
    """Whether they stand in the usual lines, or anywhere else."""
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_bytes(text.encode())
    source = Distribution.at(info)
    expected = {name: source.metadata[name] for name in ("Name", "Version") if name in source.metadata}
    assert distribution_name(source) == expected.get("Name")
    assert distribution_version(source) == expected.get("Version", "?")


def test_no_metadata_and_unreadable_metadata_name_nothing(tmp_path: Path) -> None:
    """Neither is an error: it costs that distribution its plugins, and no other."""
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    assert (distribution_name(Distribution.at(info)), distribution_version(Distribution.at(info))) == (None, "?")
    (info / "METADATA").write_bytes(b"Metadata-Version: 2.4\nName: \xff\nVersion: 1.0\n")
    assert (distribution_name(Distribution.at(info)), distribution_version(Distribution.at(info))) == (None, "?")


def test_a_misspelt_group_is_found_behind_any_number_of_blank_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line is read once: with more, the half million of them would take minutes."""
    text = "\n" * 500_000 + "[fcregistri]\nx = a\n \t[console_scripts] \n[no group]]\n[]\n"
    info = tmp_path / "acme-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(WRITTEN["nothing else"])
    (info / "entry_points.txt").write_text(text)
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    assert near_miss_groups() == (("acme", "fcregistri"),)

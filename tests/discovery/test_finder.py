"""Which plugins are found, and what is read for that. Real metadata, in folders on the `sys.path` of real processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Site

FOUND = """
from fcregistry.discovery import find_plugins
answer = [[each.distribution, each.entry_point, each.value, each.version] for each in find_plugins()]
"""

DOCTOR = """
from fcregistry.inspection import diagnose
answer = [[each.subject, each.message] for each in diagnose()]
"""


def test_finding_imports_nothing_of_a_plugin(site: Site) -> None:
    """Not even the package above the module that an entry point names."""
    site.install(
        "acme", {"one": "acme_pkg.tools", "two": "acme_other:TOOLS"}, {"acme_pkg/tools.py": "", "acme_other.py": ""}
    )
    answer = site.ask(
        """
        from fcregistry.discovery import find_plugins, near_miss_groups
        found = [(each.label, each.module, each.attribute, each.version, str(each)) for each in find_plugins()]
        near_miss_groups()
        answer = [found, sorted(name for name in sys.modules if name.startswith("acme"))]
        """
    )
    assert answer == [
        [
            ["acme[one]", "acme_pkg.tools", "", "1.0", "acme[one]"],
            ["acme[two]", "acme_other", "TOOLS", "1.0", "acme[two]"],
        ],
        [],
    ]


def test_plugins_come_sorted_by_normalised_distribution_and_entry_point(site: Site) -> None:
    """Whatever the order of folders, and of lines within a file."""
    site.install("Zeta", {"b": "z.b", "a": "z.a"})
    site.install("alpha_one", {"x": "a.x"})
    site.install("Alpha.Two", {"x": "b.x"}, version="2.1")
    assert site.ask(FOUND) == [
        ["alpha_one", "x", "a.x", "1.0"],
        ["Alpha.Two", "x", "b.x", "2.1"],
        ["Zeta", "a", "z.a", "1.0"],
        ["Zeta", "b", "z.b", "1.0"],
    ]


def test_entry_points_of_other_groups_are_ignored(site: Site) -> None:
    """An entry point of another group is none, even beside one of ours, or where a text merely speaks of fcregistry."""
    site.install(
        "acme",
        "[console_scripts]\nfcregistry = acme:main\n[fcregistry]\nx = acme.x\n[fcregistry.extensions]\ny = acme.y\n",
    )
    site.install("talker", "[talks]\nfcregistry = talker.fcregistry\n")
    assert [row[:2] for row in site.ask(FOUND)] == [["acme", "x"]]


def test_extensions_are_found_apart_from_plugins(site: Site) -> None:
    """The same distribution may ship both, under one name too; nothing is imported."""
    site.install(
        "acme", "[fcregistry]\nx = acme.tools\n[fcregistry.extensions]\nx = acme.types:EXTENSION\nother = acme.more\n"
    )
    site.install("zeta", {"numpy": "zeta"}, version="2.0", group="fcregistry.extensions")
    answer = site.ask(
        """
        from fcregistry.discovery import find_extensions, find_plugins
        answer = [
            [each.label, each.entry_point, each.module, each.attribute, each.version, type(each).__name__]
            for each in (*find_plugins(), *find_extensions())
        ]
        """
    )
    assert answer == [
        ["acme[x]", "x", "acme.tools", "", "1.0", "FoundPlugin"],
        ["acme[other]", "other", "acme.more", "", "1.0", "FoundExtension"],
        ["acme[x]", "x", "acme.types", "EXTENSION", "1.0", "FoundExtension"],
        ["zeta[numpy]", "numpy", "zeta", "", "2.0", "FoundExtension"],
    ]


def test_of_two_copies_of_a_distribution_the_first_on_the_path_counts(site: Site) -> None:
    """As for imports: its version, its entry points and no others, however the two write its name."""
    site.install("Acme-Tools", {"new": "acme.new"}, version="2.0")
    second = type(site)(site.folder.parent / "second", site.path[-1])
    second.install("acme.tools", {"old": "acme.old", "older": "acme.older"}, version="1.0")
    site.path.insert(1, second.folder)
    assert site.ask(FOUND) == [["Acme-Tools", "new", "acme.new", "2.0"]]


def test_a_first_copy_without_plugins_hides_the_second_one_too(site: Site) -> None:
    """Imports would take the first copy's code, which ships no tools (any more)."""
    site.install("acme", "", version="2.0")
    second = type(site)(site.folder.parent / "second", site.path[-1])
    second.install("acme", {"old": "acme.old"}, version="1.0")
    second.install("other", {"x": "other.x"})
    site.path.insert(1, second.folder)
    assert [row[0] for row in site.ask(FOUND)] == ["other"]


@pytest.mark.parametrize("where", ["beside it", "in an earlier folder"])
def test_metadata_with_the_name_of_another_distribution_takes_nothing_from_it(site: Site, where: str) -> None:
    """The folder that is called so owns the name, and with it whatever is allowed of that; the other is not taken for it."""
    site.install("Acme.Tools", {"x": "acme.x"})
    other = site if where == "beside it" else type(site)(site.folder.parent / "earlier", site.path[-1])
    impostor = other.install("aaa-evil", {"x": "evil.x"})
    (impostor / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-tools\nVersion: 9.0\n")
    site.path.insert(0, other.folder)
    assert site.ask(FOUND) == [["Acme.Tools", "x", "acme.x", "1.0"]]
    assert [said for about, said in site.ask(DOCTOR) if about.endswith("aaa_evil-1.0.dist-info")] == [
        "has the name acme-tools in its METADATA, but acme-tools has another metadata folder: fcregistry uses no plugins from this one"
    ]


def test_metadata_in_a_folder_of_another_name_is_found(site: Site) -> None:
    """Old installers wrote a hyphen where an underscore is due; nobody else has the name."""
    site.install("acme-tools", {"x": "acme.x"}).rename(site.folder / "acme-tools-1.0.dist-info")
    assert site.ask(FOUND) == [["acme-tools", "x", "acme.x", "1.0"]]


def test_an_egg_has_its_name_elsewhere(site: Site) -> None:
    """Its metadata lie in a folder that is called the same in all of them; the first copy counts, as ever."""
    egg = type(site)(site.folder.parent / "acme-2.0.egg", site.path[-1])
    egg.install("acme", {"new": "acme.new"}, version="2.0").rename(egg.folder / "EGG-INFO")
    (egg.folder / "EGG-INFO" / "METADATA").rename(egg.folder / "EGG-INFO" / "PKG-INFO")
    site.install("acme", {"old": "acme.old"})
    site.path.insert(0, egg.folder)
    assert ["acme", "new", "acme.new", "2.0"] in site.ask(FOUND)


def break_metadata(site: Site, how: str) -> None:
    """Break the metadata of a distribution named `broken` in one of the ways that are seen in the wild."""
    info = site.install("broken", {"x": "broken.x"})
    metadata, points = info / "METADATA", info / "entry_points.txt"
    if how == "no METADATA":
        metadata.unlink()
    elif how == "an empty METADATA":
        metadata.write_text("")
    elif how == "a METADATA without Name":
        metadata.write_text("Metadata-Version: 2.1\nVersion: 1.0\n")
    elif how == "an empty Name":
        metadata.write_text("Metadata-Version: 2.1\nName:\nVersion: 1.0\n")
    elif how == "a METADATA that is no text":
        metadata.write_bytes(bytes(range(128, 256)))
    elif how == "an entry_points.txt that is no text":
        points.write_bytes(b"[fcregistry]\nx = \xff\xfe\n")
    elif how == "a line that is no entry point":
        points.write_text("[fcregistry]\nx = broken.x\nrubbish\n")
    elif how == "a folder for METADATA":
        metadata.unlink()
        metadata.mkdir()
    elif how == "a folder for entry_points.txt":
        points.unlink()
        points.mkdir()
    elif how == "links that lead nowhere":
        for file in (metadata, points):
            file.unlink()
            file.symlink_to(site.folder / "nowhere")
    else:
        raise AssertionError(how)


@pytest.mark.parametrize(
    "how",
    [
        "no METADATA",
        "an empty METADATA",
        "a METADATA without Name",
        "an empty Name",
        "a METADATA that is no text",
        "an entry_points.txt that is no text",
        "a line that is no entry point",
        "a folder for METADATA",
        "a folder for entry_points.txt",
        "links that lead nowhere",
    ],
)
def test_broken_metadata_hides_that_distribution_alone(site: Site, how: str) -> None:
    """The distributions before and after it are found as if it were not there, and nothing raises."""
    site.install("alpha", {"x": "alpha.x"})
    site.install("zulu", {"x": "zulu.x"})
    break_metadata(site, how)
    assert [row[0] for row in site.ask(FOUND)] == ["alpha", "zulu"]


def test_a_distribution_without_a_version_is_found(site: Site) -> None:
    """Its version is a question mark; it is not asked for before somebody wants to know."""
    info = site.install("acme", {"x": "acme.x"})
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\n")
    assert site.ask(FOUND) == [["acme", "x", "acme.x", "?"]]


def test_unreadable_metadata_with_plugins_is_reported(site: Site) -> None:
    """What is passed over is not lost: doctor can tell which distribution it is, and why."""
    site.install("garbled", "[fcregistry]\nrubbish\n")
    nameless = site.install("nameless", {"x": "nameless.x"})
    (nameless / "METADATA").unlink()
    binary = site.install("binary")
    (binary / "entry_points.txt").write_bytes(b"\xff")
    site.install("fine", {"x": "fine.x"})
    assert [each for each in site.ask(DOCTOR) if "fine" not in each[0]] == [
        [
            str(site.folder),
            "cannot be searched for plugins: a distribution with plugins has no METADATA with its name",
        ],
        [
            "binary",
            (
                "cannot be searched for plugins: its entry_points.txt cannot be read: "
                "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"
            ),
        ],
        [
            "garbled",
            "cannot be searched for plugins: its entry_points.txt cannot be read: a line is not `name = value`",
        ],
    ]


def test_misspelt_groups_are_near_misses(site: Site) -> None:
    """A misspelt group is named with its distribution; a group of another purpose is not."""
    for number, group in enumerate(
        ["fc_registry", "FCRegistry", "fcregistry.tools", "fcregistri", "fcregistry.extensions"]
    ):
        site.install(f"d{number}", {"x": "x"}, group=group)
    site.install("right", {"x": "x"})
    site.install("foreign", {"x": "x"}, group="pytest11")
    site.install("scripts", {"fcregistry": "x:y"}, group="console_scripts")
    answer = site.ask("from fcregistry.discovery import near_miss_groups\nanswer = near_miss_groups()")
    assert answer == [["d0", "fc_registry"], ["d1", "FCRegistry"], ["d2", "fcregistry.tools"], ["d3", "fcregistri"]]

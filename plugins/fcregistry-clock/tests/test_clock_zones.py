"""A zone is found by its IANA name only: near misses get a hint, and paths never reach the file system."""

import sys
from collections.abc import Iterator
from zoneinfo import ZoneInfo, available_timezones

import pytest
from fcregistry.errors import ToolError

from fcregistry_clock._zones import LONGEST_QUOTE, find_zone


class Watch:
    """Notes every path that is opened or listed while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.paths: list[str] = []

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        if self.on and event in ("open", "os.listdir", "os.scandir"):
            self.paths.append(str(args[0]))


@pytest.fixture(scope="module")
def _watch() -> Watch:
    watch = Watch()
    sys.addaudithook(watch)  # an audit hook stays until the process ends; this one is off between the tests
    return watch


@pytest.fixture
def paths(_watch: Watch) -> Iterator[list[str]]:
    """Every path that is opened or listed during the test."""
    _watch.paths.clear()
    _watch.on = True
    yield _watch.paths
    _watch.on = False


def refusal(name: str) -> str:
    """The message with which a name is refused."""
    with pytest.raises(ToolError) as caught:
        find_zone(name)
    return str(caught.value)


def test_every_name_of_the_database_is_a_zone() -> None:
    """The pattern that keeps paths out keeps no zone out."""
    for name in sorted(available_timezones() - {"localtime"}):
        assert find_zone(name).key == name


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("tokyo", "Asia/Tokyo"),
        ("Asia/Calcuta", "Asia/Calcutta"),
    ],
)
def test_a_near_miss_is_refused_and_named(name: str, close: str) -> None:
    """The nearest name comes first; it is a hint, and never taken silently."""
    message = refusal(name)
    assert message.startswith(f"There is no time zone {name!r}. Close matches: {close}")
    assert message.endswith("Use an IANA name such as Europe/Berlin, America/New_York or UTC.")


def test_nothing_close_means_no_hint() -> None:
    """A far-fetched name is answered with how zones are named."""
    assert refusal("Mars/Olympus_Mons") == (
        "There is no time zone 'Mars/Olympus_Mons'. Use an IANA name such as Europe/Berlin, America/New_York or UTC."
    )


@pytest.mark.parametrize(
    "name",
    [
        "../etc/passwd",
        "/etc/localtime",
        "/usr/share/zoneinfo/UTC",
        "Europe/../UTC",
        "Europe/Berlin/",
        "Europe//Berlin",
        "./UTC",
        "zone.tab",
        "C:\\Windows\\x",
        "Europe\\Berlin",
        "UTC\x00",
        "UTC\n",
        "",
        " ",
        "Ünited/Kingdom",
        "posix/UTC",
        "right/UTC",
        "localtime",
        "A" * 500,
    ],
)
def test_a_text_that_is_not_a_name_is_refused_without_reading_a_file(name: str, paths: list[str]) -> None:
    """The names for the hint are read from the zone folders; the text itself never becomes part of a path."""
    refusal("Nowhere")  # reads the names for the hint, once in a process
    paths.clear()
    assert refusal(name).startswith("There is no time zone ")
    assert paths == []


def test_the_audit_sees_a_zone_being_read(paths: list[str]) -> None:
    """The check above can fail: reading a zone opens its file."""
    ZoneInfo.clear_cache(only_keys=["Antarctica/Troll"])
    find_zone("Antarctica/Troll")
    assert any("Troll" in path for path in paths)


@pytest.mark.parametrize("name", ["America", "leapseconds", "Europe/Berlin/Mitte"])
def test_files_and_folders_that_are_not_zones_are_refused(name: str) -> None:
    """What looks like a name but is a folder, another file or nothing is one and the same refusal."""
    assert refusal(name).startswith(f"There is no time zone {name!r}.")


def test_a_very_long_name_is_quoted_in_part() -> None:
    """The error stays short whatever a model sends, and control characters never reach it raw."""
    message = refusal("\x1b" + "x" * 10_000)
    assert len(message) < LONGEST_QUOTE + 200
    assert "\x1b" not in message

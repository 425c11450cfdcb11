"""Are the lines that are kept ready for a list those of the tools, in its order?"""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from fcregistry.discovery import FoundPlugin
from fcregistry.discovery._index_store import (
    _TABLES,
    LINES,
    Line,
    has_environment,
    is_deprecated,
    lines_of,
    write_lines,
)

PLUGINS = {
    7: FoundPlugin(distribution="zoo", version="1", entry_point="tools", value="zoo"),
    8: FoundPlugin(distribution="acme", version="1", entry_point="tools", value="acme"),
}

TOOLS = (  # plugin, name, group, summary, options, flags
    (7, "walk", "tool", "Walk.", '{"requires_env": "ZOO_KEY"}', 0),
    (7, "feed", "tool", "Feed  them.", '{"tags": ["zoo"]}', 0),
    (7, "count", "animals", "Count\nthem.", '{"deprecated": true}', 0),
    (7, "wrong", "tool", "Wrong.", "", 1),
    (8, "feed", "tool", "Feed me.", "", 2),
)


@pytest.fixture
def written() -> tuple[str, str, str, str, str]:
    """What is written of these tools."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        columns = "id, folder, info, kind, distribution, version, entry_point, value"
        connection.executemany(
            f"INSERT INTO entry_points({columns}) VALUES (?, '', '', 'FoundPlugin', ?, ?, ?, ?)",
            [(row, each.distribution, each.version, each.entry_point, each.value) for row, each in PLUGINS.items()],
        )
        connection.executemany("INSERT INTO tools VALUES (NULL, ?, ?, ?, ?, ?, ?)", TOOLS)
        for _ in range(2):  # what was written before is replaced
            write_lines(connection)
        (row,) = connection.execute(LINES)
    return row  # type: ignore[no-any-return]


def test_tools_that_can_be_defined_have_their_lines_by_name_and_id(written: tuple[str, str, str, str, str]) -> None:
    """With their row; of two of one name the one whose distribution comes first. A summary is one line; options are there if a list needs them."""
    zoo, acme = PLUGINS[7], PLUGINS[8]
    expected: list[Line] = [
        ("3", zoo, "animals.count", "Count them.", '{"deprecated": true}'),
        ("5", acme, "feed", "Feed me.", ""),
        ("2", zoo, "feed", "Feed  them.", ""),
        ("1", zoo, "walk", "Walk.", '{"requires_env": "ZOO_KEY"}'),
    ]
    assert lines_of(written, PLUGINS) == expected


def test_only_the_plugins_that_are_asked_for_have_lines(written: tuple[str, str, str, str, str]) -> None:
    """Other environments and older versions are in the file too."""
    assert [line[0] for line in lines_of(written, {8: PLUGINS[8]})] == ["5"]
    assert lines_of(written, {}) == []
    assert lines_of(("", "", "", "", ""), PLUGINS) == []


def test_columns_that_do_not_fit_are_damage(written: tuple[str, str, str, str, str]) -> None:
    """No summary is shown beside another tool."""
    with pytest.raises(ValueError, match="shorter"):
        lines_of((*written[:3], "Walk.", written[4]), PLUGINS)


def test_options_say_what_a_list_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the text of a tag that only looks like an option, nothing is thought."""
    monkeypatch.delenv("ZOO_KEY", raising=False)
    assert not has_environment('{"requires_env": ["ZOO_KEY"]}')
    assert has_environment('{"tags": ["requires_env"]}')
    assert not is_deprecated('{"tags": ["deprecated"]}')
    monkeypatch.setenv("ZOO_KEY", "1")
    assert has_environment('{"requires_env": "ZOO_KEY"}')
    assert is_deprecated('{"deprecated": "use walk"}')

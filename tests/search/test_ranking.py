"""Which tools match some words, and in which order."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcregistry import Registry, Tool
from fcregistry._tools.indexed import record_of
from fcregistry._tools.search import (
    INSERT,
    ToolSearch,
    create_table,
    fields_of_record,
    fields_of_tool,
    rank_rows,
    search_tools,
)
from fcregistry.errors import MissingDependencyError


def tool(name: str, description: str = "", **parameters: Any) -> dict[str, Any]:
    """Return what a registry is told of a tool: its name, its description, and those of its parameters."""
    schema = {"type": "object", "properties": {key: {"description": text} for key, text in parameters.items()}}
    return {"name": name, "description": description, "parameters": schema}


def shelf(*tools: dict[str, Any]) -> Registry:
    """Return a registry of tools."""

    def function(**arguments: Any) -> None: ...

    registry = Registry()
    for each in tools:
        registry.register(function, **each)
    return registry


EMAIL = tool("send_email", "Send a message to somebody.", to="Their address.")
WEATHER = shelf(
    tool("get_current_weather", "Get the current weather in a given location.", location="The city, e.g. Tokyo."),
    tool("get_n_day_weather_forecast", "Get a forecast for some days.", location="The city."),
    EMAIL,
    tool("readTemperatureSensor", "Read a sensor.", unit="Celsius or Fahrenheit."),
    tool("make_temp_folder", "Make a folder that is removed later."),
    tool("list_files_zh", "列出文件夹中的所有文件。"),
    tool("tenki", "天気予報を取得します。"),
)


def found(words: str, registry: Registry = WEATHER, limit: int = 10) -> list[str]:
    return [each.name for each in registry.search(words, limit=limit)]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("weather", "get_current_weather"),
        ("weather forecast", "get_n_day_weather_forecast"),
        ("forecasts", "get_n_day_weather_forecast"),
        ("get_n_day_weather_forecast", "get_n_day_weather_forecast"),
        ("getNDayWeatherForecast", "get_n_day_weather_forecast"),
        ("What is the temperature of the sensor?", "readTemperatureSensor"),
        ("TEMPERATURE", "readTemperatureSensor"),
        ("fahrenheit", "readTemperatureSensor"),
        ("tokyo", "get_current_weather"),
        ("e-mail", "send_email"),
        ("文件", "list_files_zh"),
        ("文件夹", "list_files_zh"),
        ("夹", "list_files_zh"),
        ("予報", "tenki"),
    ],
)
def test_the_tool_that_is_meant_comes_first(words: str, first: str) -> None:
    assert found(words)[0] == first


def test_a_whole_word_ranks_before_a_prefix() -> None:
    assert found("temp") == ["make_temp_folder", "readTemperatureSensor"]


@pytest.mark.parametrize(
    ("words", "first"), [("wether", "get_current_weather"), ("tempratur", "readTemperatureSensor")]
)
def test_where_no_tool_has_a_word_those_that_are_spelled_alike_are_looked_for(words: str, first: str) -> None:
    assert found(words)[0] == first


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("remove tags", {"add_note", "delete_notes"}),
        ("cities", {"find_city"}),
        ("glass", {"pick_glass"}),
    ],
)
def test_an_english_plural_finds_the_singular_too(words: str, names: set[str]) -> None:
    registry = shelf(
        tool("add_note", "Write something down.", tags="Words to find it by."),
        tool("delete_notes", "Delete everything with a tag."),
        tool("find_city", "Look up a place."),
        tool("pick_glass", "Choose a material."),
        tool("paint_glas", "Paint."),
    )
    assert set(found(words, registry)) == names


def test_a_name_weighs_more_than_a_description_and_that_more_than_parameters() -> None:
    registry = shelf(tool("a", "x y", invoice="p q"), tool("b", "invoice y", z="p q"), tool("invoice", "x y", z="p q"))
    assert found("invoice", registry) == ["invoice", "b", "a"]


@pytest.mark.parametrize("words", ["", "   ", "🎉", "\x00", "qqqqqq", "\ud800"])
def test_words_that_no_tool_has_find_nothing(words: str) -> None:
    assert found(words, shelf(EMAIL)) == []


def test_the_best_are_taken_as_many_as_asked_for() -> None:
    assert found("weather", limit=1) == ["get_current_weather"]
    assert found("weather", limit=0) == []


@pytest.mark.parametrize("order", ["cab", "bac"])
def test_equal_tools_stand_by_canonical_id_whatever_order_they_came_in(order: str) -> None:
    registry = Registry()

    def same(query: str) -> None:
        """Find it."""

    for group in order:
        registry.register(same, "same", group=group)
    assert [each.id for each in registry.search("same")] == ["a.same", "b.same", "c.same"]


def test_group_title_aliases_tags_and_nested_parameters_are_found() -> None:
    registry = Registry()

    def lookup(
        where: dict[str, Annotated[str, "A postcode."]] | None = None, mode: Literal["quick", "thorough"] = "quick"
    ) -> None: ...

    registry.register(lookup, group="search.web", title="Detective", aliases=("sleuth",), tags=("research",))
    for words in ("web", "detective", "sleuth", "research", "thorough", "where"):
        assert found(words, registry) == ["lookup"], words


def test_hidden_and_broken_tools_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool is hidden while its environment is not set: that is asked at each search."""

    def secret() -> None: ...

    def broken(value: Callable[[], int]) -> None: ...

    registry = Registry()
    registry.register(secret, requires_env="ACME_KEY")
    registry.register(broken)
    assert found("broken", registry) == found("secret", registry) == []
    monkeypatch.setenv("ACME_KEY", "x")
    assert found("secret", registry) == ["secret"]


def test_a_tool_and_its_record_have_the_same_words() -> None:
    """What the index holds ranks as what is in memory."""
    registry = Registry()

    def lookup(query: str) -> None:
        """Look something up.

        Args:
            query: What to look for.
        """

    registry.register(lookup, group="search.web", title="Finder", aliases=("find",), tags=("web",))
    registered = registry.get("lookup")
    assert fields_of_record(record_of(registered)) == fields_of_tool(registered)
    assert fields_of_tool(registered)[0] == "lookup search web"
    assert "acme" in fields_of_record(record_of(registered), "acme-search")[1].split()


def test_a_renamed_tool_is_found_by_both_names() -> None:
    renamed = [WEATHER.get("send_email").renamed("notify")]
    for words in ("notify", "email"):
        assert [each.name for each in search_tools(renamed, words)] == ["notify"]


def test_schemas_of_any_shape_have_words() -> None:
    """Also one that refers to itself, and one that no validator would take."""
    schema: dict[str, Any] = {
        "properties": {"node": {"items": [{"description": "leaf"}, 5], "enum": "x", "properties": 3}}
    }
    schema["properties"]["node"]["anyOf"] = [schema]
    record = {**record_of(WEATHER.get("send_email")), "parameters": schema}
    assert {"node", "leaf"} <= set(fields_of_record(record)[2].split())  # type: ignore[arg-type]  # with a schema that is none


@settings(max_examples=50, deadline=None, database=None)
@given(st.text(max_size=200))
def test_any_text_at_all_is_a_query(text: str) -> None:
    """Nothing in it reaches the language of queries: it finds some of the tools, each once, or none."""
    names = found(text)
    assert len(names) == len(set(names))
    assert set(names) <= {tool.name for tool in WEATHER}


def test_a_long_query_is_answered() -> None:
    assert found("weather " + " ".join(f"word{number}" for number in range(10_000)))[0] == "get_current_weather"
    assert found("x" * 1_000_000) == []


def test_the_table_takes_tools_and_gives_them_up() -> None:
    """What an index does: rows of its own choice, and the ranking of what is left."""
    table = sqlite3.connect(":memory:")
    create_table(table)
    table.executemany(INSERT, [(7, "acme:b", "send mail", "", ""), (9, "acme:a", "send mail", "", "")])
    assert [row for row, _ in rank_rows(table, "mail")] == [9, 7]
    table.execute("DELETE FROM words WHERE rowid = ?", (9,))
    assert [row for row, _ in rank_rows(table, "mail")] == [7]
    table.close()


def test_words_that_very_many_tools_have_decide_only_the_order() -> None:
    """So that a question costs no more among thousands of tools than its rare words do."""
    table = sqlite3.connect(":memory:")
    create_table(table)
    common = [(row, f"acme:{row:04}", "get thing" if row < 600 else "get", "", "") for row in range(1400)]
    table.executemany(
        INSERT, [*common, (2000, "acme:x", "get rare book", "", ""), (2001, "acme:y", "get rare thing", "", "")]
    )
    found = {
        words: [row for row, _ in rank_rows(table, words)] for words in ("get rare", "rare thing", "thing get", "get")
    }
    assert found["get rare"] == [2000, 2001]
    assert found["rare thing"] == [2001, 2000]
    assert (len(found["thing get"]), found["thing get"][:2]) == (601, [0, 1])
    assert len(found["get"]) == 1402
    table.close()


def test_a_misspelt_word_is_looked_for_in_a_file_that_may_only_be_read(tmp_path: Any) -> None:
    """The index belongs to another process, or to root."""
    path = tmp_path / "index.sqlite"
    with sqlite3.connect(path) as table:
        create_table(table)
        table.execute(INSERT, (1, "acme:a", "current weather", "", ""))
    table.close()
    reader = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    assert [row for row, _ in rank_rows(reader, "wether")] == [1]
    reader.close()


def test_what_an_index_lacks_is_ranked_among_what_it_holds() -> None:
    """By one measure, and the index is not changed."""
    index = sqlite3.connect(":memory:")
    create_table(index)
    index.executemany(INSERT, [(1, "acme:a", "weather", "", ""), (2, "acme:b", "x", "y", "weather")])
    own = shelf(tool("other", "weather")).get("other")
    assert [row for row, _ in rank_rows(index, "weather")] == [1, 2]
    assert list(ToolSearch([own], index).ranked("weather")) == [1, own, 2]
    assert [row for row, _ in rank_rows(index, "weather")] == [1, 2]
    index.close()


def test_a_python_without_fts5_gets_an_error_that_says_what_to_do() -> None:
    class Without(sqlite3.Connection):
        def execute(self, *arguments: Any) -> Any:
            raise sqlite3.OperationalError("no such module: fts5")

    table = sqlite3.connect(":memory:", factory=Without)
    with pytest.raises(MissingDependencyError, match=r"SQLite .* of this Python was built without FTS5; use a Python"):
        create_table(table)
    table.close()


def test_threads_share_a_search() -> None:
    registry = shelf(EMAIL, tool("get_weather"), tool("set_weather"))
    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(lambda _: registry.search("weather"), range(40)))
    assert len(answers) == 1


def test_the_table_is_kept_until_a_tool_is_registered_or_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the search is among selected tools only."""
    made: list[str] = []

    def counted(tool: Tool) -> tuple[str, str, str]:
        made.append(tool.name)
        return fields_of_tool(tool)

    monkeypatch.setattr("fcregistry._tools.search.fields_of_tool", counted)
    registry = shelf(tool("get_weather"), tool("set_weather"), tool("other"))
    for _ in range(3):
        assert found("weather", registry) == ["get_weather", "set_weather"]
        assert [each.name for each in registry.search("weather", "get_*")] == ["get_weather"]
    assert made == ["get_weather", "set_weather", "other", "get_weather"]

    registry.register(lambda: None, "weather_now")
    assert found("weather", registry) == ["get_weather", "set_weather", "weather_now"]
    registry.remove("get_weather")
    assert found("weather", registry) == ["set_weather", "weather_now"]
    registry.register(lambda: None, "weather_now", description="Rain.", replace=True)
    assert found("rain", registry) == ["weather_now"]

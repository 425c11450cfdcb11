"""Selectors: the tools that each line of their grammar names, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fcregistry import Registry, registry
from fcregistry._tools.selectors import HINTS, SelectorSubject, normalized, parse_selector, parse_selectors
from fcregistry.errors import SelectorError, ToolNotFoundError

SUBJECTS = [
    SelectorSubject(name="get_weather", group="tool", distribution="Acme.Weather", tags=frozenset({"read"})),
    SelectorSubject(name="weather_map", group="tool", distribution="acme-weather"),
    SelectorSubject(name="delete_map", group="maps", distribution="acme-weather"),
    SelectorSubject(name="lookup", group="search", distribution=None, tags=frozenset({"read", "web"})),
    SelectorSubject(name="lookup", group="search.web", distribution="other"),
    SelectorSubject(name="deep", group="search.web.deep", distribution=None),
    SelectorSubject(name="research", group="searching", distribution=None),
]


def named(text: str) -> list[str]:
    """Return which of the subjects a selector matches."""
    selector = parse_selector(text)
    return [f"{each.group}.{each.name}" for each in SUBJECTS if selector.matches(each)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("get_weather", ["tool.get_weather"]),
        ("lookup", ["search.lookup", "search.web.lookup"]),
        ("tool.get_weather", ["tool.get_weather"]),
        ("search.lookup", ["search.lookup"]),
        ("search.web.lookup", ["search.web.lookup"]),
        ("search.*", ["search.lookup", "search.web.lookup", "search.web.deep.deep"]),
        ("search.look*", ["search.lookup", "search.web.lookup"]),
        ("search.web.*", ["search.web.lookup", "search.web.deep.deep"]),
        ("*", [f"{each.group}.{each.name}" for each in SUBJECTS]),
        ("*_map", ["tool.weather_map", "maps.delete_map"]),
        ("?eep", ["search.web.deep.deep"]),
        ("[gd]e*", ["tool.get_weather", "maps.delete_map", "search.web.deep.deep"]),
        ("LOOKUP", []),
        ("acme-weather:*", ["tool.get_weather", "tool.weather_map", "maps.delete_map"]),
        ("ACME_weather:*", ["tool.get_weather", "tool.weather_map", "maps.delete_map"]),
        ("acme.weather:get_weather", ["tool.get_weather"]),
        ("acme-weather:delete_map", []),
        ("acme-weather:maps.delete_map", ["maps.delete_map"]),
        ("acme-weather:maps.*", ["maps.delete_map"]),
        ("acme-weather:delete_*", ["maps.delete_map"]),
        ("acme-*:*", ["tool.get_weather", "tool.weather_map", "maps.delete_map"]),
        ("tag=read", ["tool.get_weather", "search.lookup"]),
        ("tag=rea", []),
        ("group=search", ["search.lookup"]),
        ("group=search.*", ["search.web.lookup", "search.web.deep.deep"]),
        ("  get_weather ", ["tool.get_weather"]),
    ],
)
def test_a_selector_matches(text: str, names: list[str]) -> None:
    assert named(text) == names


@pytest.mark.parametrize(
    ("text", "is_exact"),
    [
        ("a", True),
        ("g.a", True),
        ("d:a", True),
        ("d:g.a", True),
        ("a*", False),
        ("g.*", False),
        ("g*.a", False),
        ("d*:a", False),
        ("[ab]", False),
        ("?", False),
        ("tag=a", False),
        ("group=a", False),
        ("read_only=true", False),
    ],
)
def test_exact_selectors_name_one_tool(text: str, is_exact: bool) -> None:
    assert parse_selector(text).is_exact is is_exact


@pytest.mark.parametrize("text", ["", " ", "!", "! ", "!!a", "a b", "a\tb", "a\nb"])
def test_a_text_that_is_not_a_selector_is_refused_with_the_grammar(text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        Registry().find(text)
    assert str(caught.value) == (
        f"{text!r} is not a selector: write a tool's name, a glob, distribution:name, tag=…, group=…, a hint such as read_only=true, "
        "or one of these after '!'"
    )


@pytest.mark.parametrize("text", ["tag=", "group=", "tags=read", "=x", "name=x", "readonly=true", "acme:tag=x"])
def test_only_some_properties_have_an_equals_sign_and_a_value(text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        Registry().find(text)
    assert str(caught.value) == (
        f"{text!r} is not a selector: only tag=…, group=… and the hints read_only=…, destructive=…, idempotent=…, open_world=… "
        "have an equals sign"
    )


@pytest.mark.parametrize("text", ["read_only=", "destructive=yes", "idempotent=True", "open_world=0", "read_only=*"])
def test_a_hint_is_true_false_or_unset(text: str) -> None:
    hint = text.partition("=")[0]
    with pytest.raises(SelectorError, match=f"{hint} is true, false or unset"):
        Registry().find(text)


@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("value", [True, False, None])
def test_a_hint_matches_the_declared_value_and_nothing_else(hint: str, value: bool | None) -> None:
    said: dict[str, Any] = dict.fromkeys(HINTS, not value) | {hint: value}
    about = SUBJECTS[0]._replace(**said)
    matching = [word for word in ("true", "false", "unset") if parse_selector(f"{hint}={word}").matches(about)]
    assert matching == [{True: "true", False: "false", None: "unset"}[value]]


@pytest.mark.parametrize("text", ["acme:", ":name", ":"])
def test_a_colon_separates_a_distribution_and_a_name(text: str) -> None:
    with pytest.raises(SelectorError, match="write distribution:name, such as acme-weather:\\*"):
        Registry().find(text)


@pytest.mark.parametrize("text", [".", ".a", "a.", "d:.a", "d:a."])
def test_a_dot_separates_a_group_and_a_name(text: str) -> None:
    with pytest.raises(SelectorError, match=r"write group\.name, such as search\.lookup"):
        Registry().find(text)


@pytest.mark.parametrize("value", [None, 1, ["a"], b"a"])
def test_a_value_that_is_not_a_string_is_not_a_selector(value: object) -> None:
    with pytest.raises(SelectorError, match="a selector is a string"):
        Registry().find(value)  # type: ignore[arg-type]


def test_one_string_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(SelectorError, match="give selectors as a list, not as the one string 'abc'"):
        parse_selectors("abc")


def test_distribution_names_compare_as_on_pypi() -> None:
    assert {normalized(name) for name in ("Acme.Weather", "acme_weather", "ACME--weather", "acme-_.weather")} == {
        "acme-weather"
    }


# --- selecting from a registry --------------------------------------------------------------------


def returning(value: str) -> Callable[[], str]:
    """Return a function of its own for each value."""

    def returns() -> str:
        return value

    return returns


@pytest.fixture
def shelf() -> Registry:
    """A registry of seven tools in four groups."""
    made = Registry()
    for group, name, tags, read_only in [
        ("tool", "read_book", ("read",), True),
        ("tool", "write_book", (), False),
        ("search", "find", ("read", "web"), True),
        ("search.web", "crawl", ("web",), None),
        ("search.web.deep", "dig", (), None),
        ("admin", "delete_book", (), False),
        ("admin", "delete_shelf", (), False),
    ]:
        if read_only is None:
            made.register(returning(name), name, group=group, tags=tags)
        else:
            made.register(returning(name), name, group=group, tags=tags, read_only=read_only)
    return made


@pytest.mark.parametrize(
    ("selectors", "names"),
    [
        ([], ["crawl", "delete_book", "delete_shelf", "dig", "find", "read_book", "write_book"]),
        (["*"], ["crawl", "delete_book", "delete_shelf", "dig", "find", "read_book", "write_book"]),
        (["write_book", "find"], ["find", "write_book"]),
        (["find", "find", "tag=web"], ["crawl", "find"]),
        (["search.*"], ["crawl", "dig", "find"]),
        (["group=search"], ["find"]),
        (["*_book", "!delete_*"], ["read_book", "write_book"]),
        (["!admin.*"], ["crawl", "dig", "find", "read_book", "write_book"]),
        (["!admin.*", "!search.*"], ["read_book", "write_book"]),
        (["!admin.*", "delete_book"], ["crawl", "delete_book", "dig", "find", "read_book", "write_book"]),
        (["*_book", "!*", "find"], ["find"]),
        (["find", "!no_such_tool", "!nothing:*", "!tag=none"], ["find"]),
        (["tag=read", "!tag=web"], ["read_book"]),
        (["read_only=true"], ["find", "read_book"]),
        (["read_only=unset", "tag=read"], ["crawl", "dig", "find", "read_book"]),
        (["!read_only=false", "!tag=web"], ["dig", "read_book"]),
    ],
)
def test_selectors_are_applied_in_their_order_and_the_result_is_sorted(
    shelf: Registry, selectors: list[str], names: list[str]
) -> None:
    assert list(shelf.select(*selectors)) == names


@pytest.mark.parametrize(
    "selector", ["no_such", "no_such*", "search.no_such", "tag=none", "group=none", "acme:*", "destructive=true"]
)
def test_a_selector_that_matches_nothing_raises(shelf: Registry, selector: str) -> None:
    with pytest.raises(ToolNotFoundError):
        shelf.select("find", selector)


def test_a_pattern_that_matches_nothing_is_answered_with_the_nearest_names(shelf: Registry) -> None:
    with pytest.raises(ToolNotFoundError, match=r"the selector 'read_bok\*' matches no tool; did you mean 'read_book'"):
        shelf.select("read_bok*")


@pytest.mark.parametrize(("setting", "is_there"), [("destructive=true", False), ("destructive=false", True)])
def test_a_hint_disables_tools_too(setting: str, is_there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FCREGISTRY_DISABLE", setting)
    registry.register(returning("wipe"), "wipe_for_the_test", destructive=True)
    try:
        assert ("wipe_for_the_test" in registry) is is_there
    finally:
        monkeypatch.undo()
        registry.remove("wipe_for_the_test")

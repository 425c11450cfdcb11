"""Which tool a name means, and what a registry answers if it means none, or several."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Literal

import pytest

from fcregistry import Executor, Registry, Tool, fc_register, registry
from fcregistry.errors import (
    AmbiguousToolError,
    DefinitionError,
    DefinitionWarning,
    DuplicateToolError,
    FcregistryError,
    GroupNotFoundError,
    ToolNotFoundError,
)

from .declared import forgotten


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def subtract(a: int, b: int) -> int:
    """Take one number from another."""
    return a - b


def broken(cb: Callable[[int], int]) -> None:
    """Cannot be defined."""


@pytest.fixture
def isolated() -> Registry:
    """An isolated registry with a tool each in three groups."""
    made = Registry()
    made.register(add)
    made.register(subtract, group="math.basic")
    made.register(add, "sum_up", group="math")
    return made


# --- finding by name ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("add", "tool"),
        ("tool.add", "tool"),
        ("subtract", "math.basic"),
        ("math.basic.subtract", "math.basic"),
        ("math.sum_up", "math"),
        (" add ", "tool"),
    ],
)
def test_a_tool_is_found_by_plain_name_and_with_its_group(isolated: Registry, name: str, group: str) -> None:
    tool = isolated.get(name)

    assert tool.group == group
    assert name in isolated
    assert isolated.get(name) is tool


def test_a_tool_of_a_nested_group_can_be_called() -> None:
    isolated = Registry()
    isolated.register(lambda a, b: a + b + 1, "test_add", group="test2.test3")

    tool = isolated.get("test2.test3.test_add")
    with pytest.warns(DefinitionWarning, match="accepts any JSON value"):
        assert tool.parameters["required"] == ["a", "b"]
    assert tool(1, 2) == 4


@pytest.mark.parametrize(
    ("name", "message", "candidates"),
    [
        ("ad", "there is no tool 'ad'; did you mean 'add'?", ("add",)),
        ("math.basic.substract", "there is no tool 'math.basic.substract'; did you mean", ("math.basic.subtract",)),
        ("zzz", "there is no tool 'zzz'", ()),
        ("nowhere.add", "there is no tool 'nowhere.add'; did you mean 'add'?", ("add",)),
        ("tool.subtract", "there is no tool 'tool.subtract'; did you mean", ("math.basic.subtract",)),
        ("subtrct", "there is no tool 'subtrct'; did you mean 'subtract'?", ("subtract",)),
        ("acme:add", "there is no tool 'acme:add'", None),
    ],
)
def test_an_unknown_name_raises_a_lookup_error_with_the_nearest_names(
    isolated: Registry, name: str, message: str, candidates: tuple[str, ...] | None
) -> None:
    with pytest.raises(ToolNotFoundError) as caught:
        isolated.get(name)
    assert isinstance(caught.value, LookupError)
    assert isinstance(caught.value, FcregistryError)
    assert str(caught.value).startswith(message)
    assert caught.value.name == name
    if candidates is not None:
        assert caught.value.candidates[: len(candidates)] == candidates
    assert name not in isolated


@pytest.mark.parametrize("name", ["", " ", "a b", "!", "x:", "a=b", "a..b", ".", ".add", "add.", "tool."])
def test_a_text_that_is_not_a_valid_name_is_not_found(isolated: Registry, name: str) -> None:
    with pytest.raises(ToolNotFoundError):
        isolated.get(name)
    assert name not in isolated
    assert name not in isolated["tool"]
    assert isolated["tool"].get(name) is None


@pytest.mark.parametrize("pattern", ["*", "a*", "math.*", "!add", "tag=x", "group=tool"])
def test_get_refuses_a_pattern_and_names_select(isolated: Registry, pattern: str) -> None:
    with pytest.raises(ToolNotFoundError) as caught:
        isolated.get(pattern)
    assert str(caught.value) == f"{pattern!r} is a pattern, not a tool's name; use select({pattern!r})"
    assert pattern not in isolated


@pytest.mark.parametrize("value", [None, 1, add, ("add",)])
def test_a_value_that_is_not_a_string_is_not_in_a_registry(isolated: Registry, value: object) -> None:
    assert value not in isolated


def test_a_name_in_two_groups_is_ambiguous_and_the_error_names_both() -> None:
    isolated = Registry()
    isolated.register(add, "twice", group="one")
    isolated.register(subtract, "twice", group="two")

    with pytest.raises(AmbiguousToolError) as caught:
        isolated.get("twice")
    assert str(caught.value) == "'twice' may be any of one.twice, two.twice; name one of these"
    assert caught.value.candidates == ("one.twice", "two.twice")
    assert isinstance(caught.value, LookupError)
    assert "twice" in isolated
    assert isolated.get("two.twice")(5, 3) == 2
    assert [tool.id for tool in isolated.find("one.twice", "two.twice")] == ["one.twice", "two.twice"]


def test_a_toolset_of_two_tools_of_one_name_is_refused_with_the_fix() -> None:
    isolated = Registry()
    isolated.register(add, "twice", group="one")
    isolated.register(subtract, "twice", group="two")

    with pytest.raises(DuplicateToolError, match=r"two tools have one name: 'twice' is one\.twice .* and two\.twice"):
        isolated.select("*")


# --- aliases --------------------------------------------------------------------------------------


def test_an_alias_finds_its_tool_under_the_tools_own_name() -> None:
    isolated = Registry()
    isolated.register(add, aliases=("plus", "sum"))

    assert isolated.get("plus") is isolated.get("tool.sum") is isolated.get("add")
    assert list(isolated.select("plus")) == ["add"]
    assert list(isolated["tool"]) == ["add"]
    assert "plus" in isolated


def test_a_name_takes_precedence_over_an_alias() -> None:
    isolated = Registry()
    isolated.register(add, aliases=("subtract",))
    isolated.register(subtract)

    assert isolated.get("subtract").function is subtract


def test_an_alias_of_two_tools_is_ambiguous() -> None:
    isolated = Registry()
    isolated.register(add, aliases=("calculate",))
    isolated.register(subtract, aliases=("calculate",))

    with pytest.raises(AmbiguousToolError, match=r"'calculate' may be any of tool\.add, tool\.subtract"):
        isolated.get("calculate")


def test_patterns_do_not_look_at_aliases() -> None:
    isolated = Registry()
    isolated.register(add, aliases=("plus",))

    with pytest.raises(ToolNotFoundError):
        isolated.select("plu*")


def test_removing_a_tool_removes_its_aliases() -> None:
    isolated = Registry()
    isolated.register(add, aliases=("plus",))
    isolated.remove("plus")

    assert "plus" not in isolated
    assert "add" not in isolated


# --- groups ---------------------------------------------------------------------------------------


def test_a_group_is_a_mapping_of_its_own_tools() -> None:
    isolated = Registry()
    isolated.register(subtract, "b_second", group="letters")
    isolated.register(add, "a_first", group="letters")
    isolated.register(add, "below", group="letters.small")
    group = isolated["letters"]

    assert list(group) == ["a_first", "b_second"]
    assert len(group) == 2
    assert "a_first" in group
    assert "below" not in group
    assert group["a_first"] is isolated.get("a_first")
    assert group.get("nothing") is None
    assert group.get("nothing", 3) == 3
    assert [tool.name for tool in group.values()] == ["a_first", "b_second"]
    assert dict(group) == dict(group.items())
    assert repr(group) == "<Group letters: a_first, b_second>"
    with pytest.raises(KeyError, match="nothing"):
        group["nothing"]


def test_a_group_that_contains_only_groups_exists_and_is_empty() -> None:
    isolated = Registry()
    isolated.register(add, group="outer.inner")

    assert len(isolated["outer"]) == 0
    assert repr(isolated["outer"]) == "<Group outer: empty>"
    assert isolated.groups() == ("outer.inner",)


def test_a_group_is_a_live_view() -> None:
    isolated = Registry()
    group = isolated["tool"]
    assert list(group) == []

    isolated.register(add)
    assert list(group) == ["add"]


def test_an_unknown_group_raises_a_lookup_error_with_the_nearest(isolated: Registry) -> None:
    with pytest.raises(GroupNotFoundError) as caught:
        isolated["math.basics"]
    assert isinstance(caught.value, LookupError)
    assert str(caught.value) == "there is no group 'math.basics'; did you mean 'math.basic'?"
    with pytest.raises(GroupNotFoundError, match="there is no group 'nogroup'"):
        isolated["nogroup"]
    with pytest.raises(TypeError, match="the name of a group is a string, not 3"):
        isolated[3]  # type: ignore[index]


def test_the_error_says_so_if_a_tool_is_used_as_a_group_or_a_group_as_a_tool() -> None:
    isolated = Registry()
    isolated.register(add, group="math.basic")
    with pytest.raises(GroupNotFoundError, match=r"no group 'add'; that is a tool: use get\('add'\)$"):
        isolated["add"]
    for group in ("math", "math.basic"):
        with pytest.raises(
            ToolNotFoundError, match=rf"no tool '{group}': it is a group, and its tools are '{group}\.\*'$"
        ):
            isolated.get(group)
    with pytest.raises(ToolNotFoundError, match=r"no tool 'mat'(?!.*group)"):
        isolated.get("mat")


def test_groups_are_sorted(isolated: Registry) -> None:
    assert isolated.groups() == ("math", "math.basic", "tool")
    assert "math" in isolated


def test_the_tools_of_an_isolated_registry_are_in_its_default_group() -> None:
    isolated = Registry(default_group="test3")
    isolated.register(lambda x: x * x, "test_square")

    assert list(isolated._log)[0].group == "test3"  # noqa: RUF015
    assert isolated["test3"].name == "test3"
    with pytest.warns(DefinitionWarning):
        assert Executor(["test3.test_square"], registry=isolated).call("test_square", x=4).unwrap() == 16


def test_an_illegal_default_group_is_refused() -> None:
    with pytest.raises(DefinitionError, match="not a group name"):
        Registry(default_group="a b")


# --- isolation, removal, adoption -----------------------------------------------------------------


@pytest.fixture
def declaring_module(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A module that declared two tools, and one below it that declared a third."""
    with forgotten():
        for name in ("adopted", "adopted.below", "adopted_not"):
            module = ModuleType(name)
            monkeypatch.setitem(sys.modules, name, module)
            source = f"from fcregistry import fc_register\n@fc_register\ndef of_{name.replace('.', '_')}() -> str:\n    return {name!r}\n"
            exec(source, vars(module))
        yield sys.modules["adopted"]


def test_an_isolated_registry_sees_nothing_of_the_process_and_is_not_seen_by_it() -> None:
    isolated = Registry()
    isolated.register(add, "isolated_only")

    assert len(isolated) == 1
    assert "isolated_only" not in {tool.name for tool in registry.everything()}


def test_a_registry_adopts_the_tools_of_a_module_and_its_submodules(declaring_module: ModuleType) -> None:
    isolated, by_name = Registry(), Registry()

    assert isolated.adopt(declaring_module) == 2
    assert by_name.adopt("adopted") == 2
    assert sorted(tool.name for tool in isolated) == ["of_adopted", "of_adopted_below"]
    assert isolated.get("of_adopted_below")() == "adopted.below"
    assert registry.get("of_adopted")() == "adopted"


def test_adopting_takes_all_or_nothing(declaring_module: ModuleType) -> None:
    isolated = Registry()
    exec(
        "def other(): ...\nregister(other, 'of_adopted_below')",
        {"register": isolated.register, "__name__": "adopted.below"},
    )
    with pytest.raises(DuplicateToolError):
        isolated.adopt(declaring_module)
    assert [tool.name for tool in isolated.everything()] == ["of_adopted_below"]


def test_adopting_twice_changes_nothing(declaring_module: ModuleType) -> None:
    isolated = Registry()
    isolated.adopt(declaring_module)
    isolated.adopt(declaring_module)

    assert len(isolated) == 2


def test_removing_a_tool_does_not_affect_other_registries() -> None:
    first, second = Registry(), Registry()
    first.register(add)
    second.register(add)
    first.remove("add")

    assert ("add" in first, "add" in second) == (False, True)
    with pytest.raises(ToolNotFoundError):
        first.remove("add")


def test_a_removed_name_is_free_again() -> None:
    isolated = Registry()
    isolated.register(add, "free")
    isolated.remove("free")
    isolated.register(subtract, "free")

    assert isolated.get("free").function is subtract


def test_an_ambiguous_name_is_not_removed() -> None:
    isolated = Registry()
    isolated.register(add, "twice", group="one")
    isolated.register(subtract, "twice", group="two")

    with pytest.raises(AmbiguousToolError):
        isolated.remove("twice")
    assert len(isolated.find()) == 2


def test_the_process_registry_has_what_was_declared_and_can_remove_it() -> None:
    fc_register("tool", name="declared_for_removal")(add)
    assert registry.get("declared_for_removal").function is add

    registry.remove("declared_for_removal")
    assert "declared_for_removal" not in {tool.name for tool in registry.everything()}


# --- what patterns and lists show -----------------------------------------------------------------


def test_a_tool_that_cannot_be_defined_is_skipped_by_patterns_and_raises_where_it_is_named() -> None:
    isolated = Registry()
    isolated.register(add)
    isolated.register(broken)

    assert list(isolated.select("*")) == ["add"]
    assert [tool.name for tool in isolated] == ["add"]
    assert len(isolated) == 1
    assert [tool.name for tool in isolated.everything()] == ["add", "broken"]
    error = isolated.get("broken").definition_error
    assert error is not None
    assert "parameter 'cb'" in error.problems[0]
    with pytest.raises(DefinitionError, match="parameter 'cb'"):
        Executor(["broken"], registry=isolated)
    assert list(Executor(["*"], registry=isolated).tools) == ["add"]


def test_a_tool_without_its_environment_is_hidden_from_patterns_and_found_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("FCR_TEST_KEY", raising=False)
    isolated = Registry()
    isolated.register(add)
    isolated.register(subtract, requires_env=("FCR_TEST_KEY",))

    assert list(isolated.select("*")) == ["add"]
    assert [tool.name for tool in isolated] == ["add"]
    assert isolated.get("subtract").missing_env == ("FCR_TEST_KEY",)
    assert list(isolated.select("subtract")) == ["subtract"]

    monkeypatch.setenv("FCR_TEST_KEY", "")
    assert list(isolated.select("*")) == ["add"]

    monkeypatch.setenv("FCR_TEST_KEY", "secret")
    assert list(isolated.select("*")) == ["add", "subtract"]
    assert isolated.get("subtract").missing_env == ()


def test_a_tool_is_available_if_one_of_alternative_variables_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FCR_TEST_KEY", "FCR_TEST_URL", "FCR_TEST_HOST"):
        monkeypatch.delenv(name, raising=False)
    isolated = Registry()
    isolated.register(add, requires_env=["FCR_TEST_KEY", ("FCR_TEST_URL", "FCR_TEST_HOST")])
    tool = isolated.get("add")

    assert tool.unavailable == "FCR_TEST_KEY, FCR_TEST_URL or FCR_TEST_HOST are not set"
    monkeypatch.setenv("FCR_TEST_KEY", "secret")
    assert tool.missing_env == ("FCR_TEST_URL or FCR_TEST_HOST",)
    monkeypatch.setenv("FCR_TEST_HOST", "there")
    assert (tool.unavailable, list(isolated.select("*"))) == ("", ["add"])
    assert tool.options.variables == ("FCR_TEST_KEY", "FCR_TEST_URL", "FCR_TEST_HOST")


def no_key() -> bool:
    raise OSError("no key file")


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (lambda: False, "its check <lambda> returned False"),
        (lambda: "yes", "its check <lambda> returned 'yes'"),
        (no_key, "its check no_key raised OSError: no key file"),
    ],
)
def test_a_tool_that_is_not_available_is_hidden_like_a_tool_without_its_environment(
    answers: Callable[[], bool], reason: str
) -> None:
    isolated = Registry()
    isolated.register(add)
    isolated.register(subtract, available=answers)

    assert list(isolated.select("*")) == ["add"]
    assert [[tool.name for tool in isolated.search(word)] for word in ("add", "subtract")] == [["add"], []]
    executor = Executor(["add", "subtract"], registry=isolated)
    assert len(executor.describe()) == 1
    result = executor.call("subtract", a=2, b=1)
    assert result.error is not None
    assert (result.error.code, result.error.message) == ("unavailable", f"subtract is not available here: {reason}")


def test_availability_is_asked_again_before_each_call() -> None:
    answers = [True, False, True]
    executor = Executor([Tool.from_function(add, available=answers.pop)])
    assert [executor.call("add", a=1, b=2).ok for _ in range(3)] == [True, False, True]


def test_a_parameter_without_a_type_is_a_warning_or_with_strict_an_error() -> None:
    def untyped(x):  # type: ignore[no-untyped-def]
        return x

    lax, strict = Registry(), Registry(strict=True)
    lax.register(untyped)
    strict.register(untyped)

    with pytest.warns(DefinitionWarning, match="parameter 'x' accepts any JSON value"):
        assert lax.get("untyped").parameters["properties"] == {"x": {}}
    with pytest.raises(DefinitionError, match="parameter 'x' accepts any JSON value"):
        _ = strict.get("untyped").parameters


@pytest.mark.parametrize(("policy", "is_error"), [("error", True), ("warn", False)])
def test_strictness_is_set_by_the_name_of_a_policy(
    policy: Literal["error", "warn"], is_error: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untyped(x):  # type: ignore[no-untyped-def]
        return x

    named = Registry(strict=policy)
    named.register(untyped)
    monkeypatch.setattr(sys.modules[__name__], "FCREGISTRY_STRICT", policy, raising=False)
    by_module = Registry()
    by_module.register(untyped)

    for each in (named, by_module):
        tool = each.get("untyped")
        if is_error:
            assert tool.definition_error is not None
        else:
            with pytest.warns(DefinitionWarning, match="accepts any JSON value"):
                assert tool.definition_error is None


def test_another_name_of_a_policy_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DefinitionError, match="""strict is True or "error", False or "warn", not 'errors'"""):
        Registry(strict="errors")  # type: ignore[arg-type]

    monkeypatch.setattr(sys.modules[__name__], "FCREGISTRY_STRICT", "errors", raising=False)
    own = Registry()
    own.register(len, "size")
    error = own.get("size").definition_error
    assert """FCREGISTRY_STRICT of tests.test_registry is True or "error", False or "warn", not 'errors'""" in str(
        error
    )


def test_a_registry_shows_how_many_tools_each_group_has(isolated: Registry) -> None:
    assert repr(isolated) == "<Registry math: 1, math.basic: 1, tool: 1>"
    assert repr(Registry()) == "<Registry empty>"


def test_tool_of_returns_the_tool_that_a_function_was_declared_as(isolated: Registry) -> None:
    assert isolated.tool_of(add) is isolated.get("tool.add")
    assert isolated.tool_of(subtract) is isolated.get("subtract")
    assert isolated.tool_of(broken) is None

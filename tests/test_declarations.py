"""What each form of `@fc_register` records, and when a declaration replaces an earlier one."""

from __future__ import annotations

import functools
import importlib
import math
import pickle
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TypedDict

import pytest

from fcregistry import Executor, Registry, Tool, fc_register, registry
from fcregistry.errors import DefinitionError, DuplicateToolError, ToolNotFoundError

from .declared import forgotten


@pytest.fixture(autouse=True)
def _leaves_no_declarations() -> Iterator[None]:
    """Forget what a test declared in the process-wide log."""
    with forgotten():
        yield


@pytest.fixture
def write_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], None]]:
    """Give a function that writes an importable module; what was imported is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # an edit within one second would not be seen
    before = set(sys.modules)

    def write(name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(f"import functools\nfrom fcregistry import fc_register\n{source}")
        importlib.invalidate_caches()

    yield write
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and Path(str(sys.modules[name].__file__)).parent == tmp_path:
            del sys.modules[name]


def declared(name: str) -> list[str]:
    """Return the groups in which a name is declared."""
    return [each.group for each in registry.everything() if each.name == name]


def picklable(x: int) -> int:
    return x


# --- forms ----------------------------------------------------------------------------------------


def test_the_bare_decorator_declares_in_the_default_group_and_returns_the_function_itself() -> None:
    def bare_form(x: int) -> int:
        return x

    assert fc_register(bare_form) is bare_form
    assert declared("bare_form") == ["tool"]


@pytest.mark.parametrize("group", ["tool", "search", "search.web", "_a.b-c.D9"])
def test_the_decorator_with_a_group_declares_there_and_returns_the_function_itself(group: str) -> None:
    def grouped_form(x: int) -> int:
        return x

    assert fc_register(group)(grouped_form) is grouped_form
    assert declared("grouped_form") == [group]


def test_empty_parentheses_mean_the_default_group() -> None:
    @fc_register()
    def parentheses_form() -> None: ...

    assert declared("parentheses_form") == ["tool"]


def test_an_option_names_the_tool() -> None:
    @fc_register("tool", name="named_form", timeout=5.0, tags=("weather",))
    def other_name() -> None: ...

    assert declared("named_form") == ["tool"]
    assert declared("other_name") == []
    assert registry.get("named_form").options.timeout == 5.0


def test_options_beside_the_function_are_those_of_its_tool() -> None:
    """They are not lost silently, such as that its calls need approval."""

    def called_with_options() -> None: ...

    assert fc_register(called_with_options, name="beside", requires_approval=True) is called_with_options
    assert registry.get("beside").options.requires_approval is True
    assert declared("called_with_options") == []
    with pytest.raises(DefinitionError, match="unknown option 'tag'; did you mean 'tags'"):
        fc_register(called_with_options, tag="x")  # type: ignore[call-overload]


def test_the_call_form_gives_a_function_a_second_name_beside_its_first() -> None:
    @fc_register("tool")
    def first_name() -> int:
        return 1

    assert fc_register("tool")(first_name, "second_name") is first_name
    assert [registry.get(name)() for name in ("first_name", "second_name")] == [1, 1]


def test_a_declared_function_can_be_pickled_and_called() -> None:
    fc_register("tool", tags=("x",))(picklable)

    assert pickle.loads(pickle.dumps(picklable)) is picklable
    assert picklable(3) == 3


def test_the_decorator_leaves_no_trace_on_a_function() -> None:
    def untouched() -> None: ...

    before = dict(vars(untouched))
    fc_register("tool", timeout=1)(untouched)

    assert vars(untouched) == before


async def _async() -> str:
    return "async"


def _generator() -> Iterator[int]:
    yield from (1, 2)


async def _async_generator() -> AsyncIterator[int]:
    yield 1
    yield 2


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, by: int = 1) -> int:
        """Count on."""
        self.count += by
        return self.count

    def __call__(self, by: int) -> int:
        """Count on, by a number."""
        return self.add(by)


@pytest.mark.parametrize(
    ("function", "name", "arguments", "value"),
    [
        (_async, "_async", {}, "async"),
        (_generator, "_generator", {}, [1, 2]),
        (_async_generator, "_async_generator", {}, [1, 2]),
        (functools.partial(picklable, 7), "picklable", {}, 7),
        (functools.partial(picklable, x=7), "picklable", {}, 7),
        (functools.partial(picklable, x=7), "picklable", {"x": 8}, 8),
        (Counter().add, "add", {"by": 2}, 2),
        (Counter(), "Counter", {"by": 3}, 3),
    ],
)
def test_every_sort_of_callable_can_be_declared_and_called(
    function: Callable[..., object], name: str, arguments: dict[str, object], value: object
) -> None:
    isolated = Registry()

    assert isolated.register(function) is function
    assert isolated.get(name).name == name
    assert Executor([name], registry=isolated).run({"name": name, "arguments": arguments}).value == value


def test_a_builtin_function_can_be_declared_and_belongs_to_the_module_that_declared_it() -> None:
    fc_register("tool")(math.sqrt)

    assert registry.get("sqrt").origin.module == __name__


def test_a_bound_method_keeps_its_instance() -> None:
    isolated, counter = Registry(), Counter()
    isolated.register(counter.add)
    executor = Executor(["add"], registry=isolated)

    assert [executor.run({"name": "add"}).value for _ in range(3)] == [1, 2, 3]
    assert counter.count == 3


@pytest.mark.parametrize(
    ("thing", "said"),
    [(Counter, "a class (register its instances' methods with register_object)"), (42, "an int"), (None, "a NoneType")],
)
def test_an_object_that_is_not_callable_is_refused_and_named(thing: object, said: str) -> None:
    with pytest.raises(DefinitionError, match="cannot be a tool: it is ") as caught:
        fc_register("tool")(thing)  # type: ignore[type-var]
    assert said in str(caught.value)


def test_a_tool_is_registered_with_its_name_description_options_and_group() -> None:
    def look(word: str) -> str:
        """Look up."""
        return word

    mine = Registry()
    tool = Tool.from_function(look, name="look_up", tags=("read",), timeout=5.0)
    assert mine.register(tool) is tool
    mine.register(tool.renamed("find").described("Find."), group="words", tags=("found",))
    mine.register(tool, "seek", timeout=2.0)
    other = Registry(default_group="other")
    other.register(mine.get("words.find"))

    assert [each.id for each in mine.everything()] == ["look_up", "seek", "words.find"]
    assert mine.get("look_up").options.tags == ("read",)
    assert mine.get("look_up")("a") == "a"
    assert (mine.get("find").description, mine.get("find").options.tags) == ("Find.", ("found",))
    assert (mine.get("seek").options.timeout, mine.get("seek").options.tags) == (2.0, ("read",))
    assert (other.get("find").group, other.get("find").description) == ("words", "Find.")
    assert "Tool" not in mine


def test_a_toolset_or_list_registers_all_or_none() -> None:
    def one() -> None: ...
    def two() -> None: ...
    def three() -> None: ...
    def other() -> None: ...

    mine, rest = Registry(), Registry()
    toolset = Executor([one, two]).tools.prefixed("my_")
    assert mine.register(toolset, group="mine", tags=("all",)) is toolset
    mine.register([three, [Tool.from_function(other, name="four")]])
    assert [each.id for each in mine.everything()] == ["four", "mine.my_one", "mine.my_two", "three"]
    assert mine.get("my_two").options.tags == ("all",)
    rest.register(mine["mine"])
    assert [each.id for each in rest.everything()] == ["mine.my_one", "mine.my_two"]

    with pytest.raises(DuplicateToolError):
        mine.register([Tool.from_function(one, name="new"), Tool.from_function(other, name="three")])
    assert "new" not in mine
    with pytest.raises(DefinitionError, match="the name 'x' is for one tool, and there are 2; leave it out"):
        mine.register([one, two], "x")


def test_fc_register_takes_a_tool_and_a_toolset() -> None:
    def look() -> None: ...

    tool = Tool.from_function(look, name="look_far")
    assert fc_register(tool) is tool
    assert fc_register("words")([tool.renamed("look_near")])
    assert declared("look_far") == ["tool"]
    assert declared("look_near") == ["words"]


def test_register_without_a_function_is_a_decorator() -> None:
    mine = Registry(default_group="math")

    @mine.register(name="sum_up", tags=("read",))
    def add(a: int, b: int) -> int:
        return a + b

    @mine.register()
    def subtract(a: int, b: int) -> int:
        return a - b

    @mine.register(group="other")
    def divide(a: int, b: int) -> float:
        return a / b

    assert add(1, 2) == 3
    assert [each.id for each in mine.everything()] == ["math.subtract", "math.sum_up", "other.divide"]
    assert mine.get("sum_up").options.tags == ("read",)


def test_a_lambda_needs_a_name_and_the_error_says_so() -> None:
    with pytest.raises(DefinitionError, match="name='_lambda_' would do"):
        fc_register("tool")(lambda: None)

    fc_register("tool", name="of_lambda")(lambda: None)
    assert declared("of_lambda") == ["tool"]


def test_the_process_registry_sees_what_the_decorator_declared() -> None:
    @fc_register("declared.below")
    def seen_by_process() -> str:
        return "seen"

    assert registry.get("seen_by_process")() == "seen"
    assert registry.get("declared.below.seen_by_process") is registry.get("seen_by_process")
    assert registry["declared.below"]["seen_by_process"] is registry.get("seen_by_process")


def test_string_annotations_may_name_locals_of_a_function_that_has_returned() -> None:
    def declare() -> None:
        class Local(TypedDict):
            size: int

        @fc_register
        def takes_local(it: Local) -> int:
            return it["size"]

    declare()
    assert registry.get("takes_local").parameters["properties"]["it"]["required"] == ["size"]


def weigh(it: Parcel) -> int:  # type: ignore[name-defined]  # noqa: F821
    """Weigh a parcel."""
    return 1


def test_a_function_of_a_module_does_not_use_locals_of_the_place_where_it_is_declared() -> None:
    class Parcel(TypedDict):
        size: int

    fc_register("declared.elsewhere")(weigh)
    with pytest.raises(DefinitionError, match="Parcel"):
        _ = registry.get("declared.elsewhere.weigh").parameters
    assert Parcel.__total__


# --- methods --------------------------------------------------------------------------------------


class Shelf:
    """A shelf."""

    def __init__(self, label: str) -> None:
        self.label = label

    @fc_register("shelf", tags=("shelf",))
    def read_label(self, loud: bool = False) -> str:
        """Read the label.

        Args:
            loud: Whether to shout.
        """
        return self.label.upper() if loud else self.label

    @fc_register
    @staticmethod
    def outer_static() -> str:
        return "outer"

    @staticmethod
    @fc_register
    def inner_static() -> str:
        return "inner"

    @classmethod
    @fc_register
    def inner_class(cls) -> str:
        return cls.__name__

    @fc_register
    @classmethod
    def outer_class(cls) -> str:
        return cls.__name__

    def unmarked(self) -> None: ...


def test_in_a_class_body_the_decorator_only_marks() -> None:
    class Body:
        @fc_register
        def only_marked(self) -> None: ...

    assert declared("only_marked") == []
    assert Body().only_marked() is None


def test_register_object_registers_the_marked_methods_of_an_instance_without_self() -> None:
    isolated = Registry()

    names = ("inner_class", "inner_static", "outer_class", "outer_static", "read_label")
    assert isolated.register_object(Shelf("Poems")) == names
    tool = isolated.get("read_label")
    assert (tool.group, tool.options.tags) == ("shelf", ("shelf",))
    assert tool.parameters == {
        "type": "object",
        "properties": {"loud": {"type": "boolean", "description": "Whether to shout.", "default": False}},
        "additionalProperties": False,
    }
    assert Executor(["read_label"], registry=isolated).call("read_label", loud=True).unwrap() == "POEMS"
    assert [isolated.get(name)() for name in names[:4]] == ["Shelf", "inner", "Shelf", "outer"]


def test_with_a_prefix_or_a_group_several_instances_can_be_registered() -> None:
    isolated = Registry()
    isolated.register_object(Shelf("Poems"), prefix="poems_")
    isolated.register_object(Shelf("Plays"), prefix="plays_", group="upstairs")

    assert isolated.get("poems_read_label")() == "Poems"
    assert isolated.get("upstairs.plays_read_label")() == "Plays"


def test_two_instances_with_the_same_names_are_duplicates_and_nothing_of_the_second_is_registered() -> None:
    isolated = Registry()
    isolated.register(Shelf("Poems").read_label, group="shelf")
    before = len(isolated)

    with pytest.raises(DuplicateToolError) as caught:
        isolated.register_object(Shelf("Plays"))
    assert str(caught.value) == (
        "shelf.read_label is registered already by another instance of Shelf: give prefix=… or group=…"
    )
    assert len(isolated) == before
    assert isolated.get("read_label")() == "Poems"


def test_an_object_without_marked_methods_is_refused() -> None:
    with pytest.raises(DefinitionError, match="Counter has no method that is decorated with @fc_register"):
        Registry().register_object(Counter())


def test_register_object_refuses_a_class() -> None:
    isolated = Registry()

    with pytest.raises(DefinitionError, match="register_object takes an instance, not the class Shelf: make one first"):
        isolated.register_object(Shelf)
    assert len(isolated) == 0


def test_a_prefix_or_group_that_is_not_valid_is_refused_with_one_error_for_all_methods() -> None:
    isolated = Registry()

    with pytest.raises(DefinitionError, match="methods of Shelf cannot be registered") as caught:
        isolated.register_object(Shelf("Poems"), prefix="no such ", group="no such")
    assert len(caught.value.problems) == 6
    assert "name='no_such_read_label' would do" in str(caught.value)
    assert "'no such' is not a group name" in str(caught.value)
    assert len(isolated) == 0


class Browser:
    """Tools that need something, one of them something more."""

    def __init__(self) -> None:
        self.running: object = False
        self.asked: list[str] = []

    def is_running(self) -> bool:
        self.asked.append("running")
        return self.running  # type: ignore[no-any-return]

    @staticmethod
    def can_print() -> bool:
        return False

    @fc_register
    def open_page(self) -> str:
        """Open a page."""
        return "opened"

    @fc_register(available=can_print, tags=("paper",))
    def print_page(self) -> str:
        """Print the page."""
        return "printed"


def test_an_object_that_is_not_available_hides_all_of_its_tools() -> None:
    isolated, browser = Registry(), Browser()
    isolated.register_object(browser, available=browser.is_running)
    open_page, print_page = isolated.get("open_page"), isolated.get("print_page")
    reason = "its check is_running returned False"
    assert (open_page.unavailable, print_page.unavailable) == (reason, reason)
    assert list(isolated) == []
    executor = Executor("*", registry=isolated)
    assert executor.call("open_page").content == f"open_page is not available here: {reason}"

    browser.running = True
    assert (open_page.unavailable, print_page.unavailable) == ("", "its check can_print returned False")
    assert print_page.options.tags == ("paper",)
    assert print_page.options.available is not None
    assert print_page.options.available() is False
    assert list(isolated.select("*")) == ["open_page"]
    assert executor.call("open_page").value == "opened"
    browser.running = "yes"
    assert print_page.unavailable == "its check is_running returned 'yes'"


def test_an_object_s_check_leaves_other_instances_as_they_are() -> None:
    isolated, browser = Registry(), Browser()
    isolated.register_object(browser, prefix="a_", available=browser.is_running)
    isolated.register_object(Browser(), prefix="b_")
    assert [tool.name for tool in isolated] == ["b_open_page"]


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        (False, "available=… cannot be called"),
        (
            lambda tool: True,
            r"available=… is called with \(\), but takes \(tool\); give it the parameters that it is called with",
        ),
    ],
)
def test_a_check_of_an_object_that_cannot_be_called_is_refused(check: object, problem: str) -> None:
    isolated = Registry()
    with pytest.raises(DefinitionError, match=rf"methods of Browser cannot be registered:\n  - {problem}"):
        isolated.register_object(Browser(), available=check)  # type: ignore[arg-type]  # it is not a function of this kind
    assert len(isolated) == 0


def test_a_method_s_own_check_that_cannot_be_called_is_an_error_of_its_tool_also_with_one_of_its_object() -> None:
    class Wrong:
        @fc_register(available=lambda tool: True)
        def find(self) -> str:
            """Find it."""
            return ""

    isolated = Registry()
    isolated.register_object(Wrong(), available=lambda: True)
    with pytest.raises(DefinitionError, match=r"available=… is called with \(\), but takes \(tool\)"):
        Executor("find", registry=isolated)


def test_an_inherited_method_counts_unless_it_is_overridden_without_the_decorator() -> None:
    class Quiet(Shelf):
        def read_label(self, loud: bool = False) -> str:
            return "…"

    class Same(Shelf): ...

    assert "read_label" not in Registry().register_object(Quiet("x"))
    assert "read_label" in Registry().register_object(Same("x"))


# --- names and groups -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["copy", "keys", "items", "get", "pop", "update", "schema", "__class__", "__init__", "a-b_C9", "9", "-", "x" * 64],
)
def test_any_legal_name_is_a_tool_and_no_attribute_of_the_group(name: str) -> None:
    isolated = Registry()
    isolated.register(picklable, name)

    assert isolated.get(name).name == name
    assert isolated["tool"][name](5) == 5
    assert list(isolated["tool"]) == [name]
    assert name in isolated


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("weather.get", "names have none, groups do: register 'get' in the group 'weather'"),
        ("a b", "name='a_b' would do"),
        ("é", "(1 character here); name='_' would do"),
        ("x" * 65, "(65 characters here)"),
        ("a\n", "name='a_' would do"),
        ("a\x00b", "name='a_b' would do"),
        ("٣", "name='_' would do"),
        ("9x.get", "name='9x_get' would do"),
        ("a/b:c", "name='a_b_c' would do"),
        ("weather.", "name='weather_' would do"),
        ("weather.a b", "name='weather_a_b' would do"),
    ],
)
def test_an_illegal_name_is_refused_with_the_fix(name: str, fix: str) -> None:
    with pytest.raises(DefinitionError, match="cannot be registered") as caught:
        fc_register("tool", name=name)(picklable)
    assert fix in str(caught.value)
    assert f"{__name__}.picklable" in str(caught.value)
    with pytest.raises(DefinitionError, match="cannot be registered"):
        fc_register("tool")(picklable, name)
    with pytest.raises(DefinitionError, match="cannot be registered"):
        Registry().register(picklable, name)


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(DefinitionError, match="the name is empty"):
        fc_register("tool")(picklable, "")
    with pytest.raises(DefinitionError, match="the name is empty"):
        fc_register("tool", name="")(picklable)


def test_names_are_case_sensitive() -> None:
    isolated = Registry()
    isolated.register(picklable, "Case")

    with pytest.raises(ToolNotFoundError):
        isolated.get("case")


@pytest.mark.parametrize("group", ["", ".", "a.", ".a", "a..b", "9a", "-a", "a b", "é", "a.9", "tool/x", "a:b"])
def test_an_illegal_group_is_refused_with_the_rule(group: str) -> None:
    with pytest.raises(DefinitionError, match="is not a group name: dotted segments"):
        fc_register(group)(picklable)


# --- whose it is ----------------------------------------------------------------------------------


def test_the_declaring_module_is_the_caller_of_the_decorator(write_module: Callable[[str, str], None]) -> None:
    write_module("declares_other", "import math\nfc_register('tool')(math.floor, 'floor_of_other')\n")
    importlib.import_module("declares_other")

    assert registry.get("floor_of_other").origin.module == "declares_other"


def test_one_name_may_be_declared_by_two_modules_and_is_then_refused_at_the_lookup_with_both_origins(
    write_module: Callable[[str, str], None],
) -> None:
    for module in ("first_claimant", "second_claimant"):
        write_module(module, "@fc_register\ndef claimed_twice(): ...\n")
        importlib.import_module(module)

    with pytest.raises(DuplicateToolError, match=r"(?s)first_claimant\.claimed_twice.*second_claimant\.claimed_twice"):
        registry.get("claimed_twice")


# --- the same place -------------------------------------------------------------------------------

PLAIN = "@fc_register\ndef reloaded(x: int) -> int:\n    return x\n"
SOURCES = {
    "a plain function": PLAIN,
    "a wrapped function": (
        "def logged(f):\n    @functools.wraps(f)\n    def wrapper(*a, **k): return f(*a, **k)\n    return wrapper\n"
        "@fc_register\n@logged\ndef reloaded(x: int) -> int:\n    return x\n"
    ),
    "a cached function": "@fc_register\n@functools.lru_cache\ndef reloaded(x: int) -> int:\n    return x\n",
    "a partial": (
        "def base(a: int, x: int) -> int:\n    return x\nfc_register('tool')(functools.partial(base, 1), 'reloaded')\n"
    ),
    "a closure": (
        "def make(n):\n    def inner(x: int) -> int:\n        return x\n    return inner\n"
        "fc_register('tool')(make(2), 'reloaded')\n"
    ),
    "a callable object": (
        "class Adder:\n    def __call__(self, x: int) -> int:\n        return x\n"
        "fc_register('tool')(Adder(), 'reloaded')\n"
    ),
    "a bound method": (
        "class Adder:\n    def add(self, x: int) -> int:\n        return x\nfc_register('tool')(Adder().add, 'reloaded')\n"
    ),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_reload_replaces_its_own_declarations_edited_or_not(
    source: str, write_module: Callable[[str, str], None]
) -> None:
    write_module("reloaded_module", source)
    module = importlib.import_module("reloaded_module")
    importlib.reload(module)
    assert declared("reloaded") == ["tool"]
    assert registry.get("reloaded").function(x=5) == 5

    write_module("reloaded_module", "\n\n" + source.replace("return x\n", "return x + 1\n"))
    importlib.reload(module)
    assert declared("reloaded") == ["tool"]
    assert registry.get("reloaded").function(x=5) == 6


def test_a_notebook_cell_that_runs_again_replaces_its_tool() -> None:
    notebook = ModuleType("some_notebook")
    for cell, version in enumerate(("return 1", "return 1", "return 2")):
        code = f"from fcregistry import fc_register\n@fc_register\ndef from_cell() -> int:\n    {version}\n"
        exec(compile(code, f"<cell {cell}>", "exec"), vars(notebook))

    assert declared("from_cell") == ["tool"]
    assert registry.get("from_cell")() == 2


def make_adder(by: int) -> Callable[[int], int]:
    def adder(x: int) -> int:
        return x + by

    return adder


def test_two_closures_of_one_factory_are_two_tools_and_the_error_names_both_origins() -> None:
    isolated = Registry()
    isolated.register(make_adder(1))

    with pytest.raises(DuplicateToolError) as caught:
        isolated.register(make_adder(2))
    place = f"{__name__}.make_adder.<locals>.adder ({__file__}:{make_adder(1).__code__.co_firstlineno})"
    assert str(caught.value) == (
        f"tool.adder is registered already by {place}; {place} cannot have the same name. "
        "Give one of them name=… or another group, or pass replace=True"
    )
    assert isolated.get("adder")(1) == 2


def test_two_closures_over_equal_values_are_one_tool() -> None:
    isolated = Registry()
    isolated.register(make_adder(1))
    isolated.register(make_adder(1))

    assert len(isolated) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (functools.partial(picklable, 1), functools.partial(picklable, 2)),
        (Counter().add, Counter().add),
        (Counter(), Counter()),
        (picklable, make_adder(1)),
        (math.sqrt, math.floor),
    ],
)
def test_two_different_callables_under_one_name_are_two_tools(
    first: Callable[..., int], second: Callable[..., int]
) -> None:
    isolated = Registry()
    isolated.register(first, "carried")

    with pytest.raises(DuplicateToolError, match=r"tool\.carried is registered already"):
        isolated.register(second, "carried")
    assert isolated.get("carried").function is first


def test_two_functions_of_one_decorator_under_one_name_are_two_tools() -> None:
    def wrapping(function: Callable[[], int]) -> Callable[[], int]:
        @functools.wraps(function)
        def wrapper() -> int:
            return function()

        return wrapper

    def one() -> int:
        return 1

    def two() -> int:
        return 2

    isolated = Registry()
    isolated.register(wrapping(one), "wrapped")
    with pytest.raises(DuplicateToolError):
        isolated.register(wrapping(two), "wrapped")


def test_two_closures_of_one_factory_are_two_tools_behind_a_decorator_too() -> None:
    def wrapping(function: Callable[[int], int]) -> Callable[[int], int]:
        @functools.wraps(function)
        def wrapper(x: int) -> int:
            return function(x)

        return wrapper

    isolated = Registry()
    isolated.register(wrapping(make_adder(1)))
    with pytest.raises(DuplicateToolError):
        isolated.register(wrapping(make_adder(2)))


def test_instances_of_two_classes_of_one_factory_are_two_tools() -> None:
    def make(by: int) -> Callable[[int], int]:
        class Adder:
            by = 0

            def __call__(self, x: int) -> int:
                return x + self.by

        Adder.by = by
        return Adder()

    isolated = Registry()
    isolated.register(make(1), "made_adder")
    with pytest.raises(DuplicateToolError):
        isolated.register(make(2), "made_adder")


def test_replace_replaces_another_function_of_the_same_name() -> None:
    isolated = Registry()
    isolated.register(make_adder(1))
    isolated.register(make_adder(2), replace=True)

    assert isolated.get("adder")(1) == 3
    assert len(isolated) == 1


def test_replace_removes_the_aliases_of_the_replaced_tool() -> None:
    isolated = Registry()
    isolated.register(make_adder(1), aliases=("plus",))
    isolated.register(make_adder(2), replace=True)

    with pytest.raises(ToolNotFoundError):
        isolated.get("plus")


def test_one_name_in_two_groups_is_not_a_duplicate() -> None:
    isolated = Registry()
    isolated.register(make_adder(1), group="one")
    isolated.register(make_adder(2), group="two")

    assert [isolated.get(name)(1) for name in ("one.adder", "two.adder")] == [2, 3]


def test_a_value_that_raises_when_compared_makes_two_tools_and_no_other_error() -> None:
    class Incomparable:
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

    def over(value: object) -> Callable[[], object]:
        def closing() -> object:
            return value

        return closing

    isolated = Registry()
    isolated.register(over(Incomparable()))
    with pytest.raises(DuplicateToolError):
        isolated.register(over(Incomparable()))


# --- threads, and what a declaration costs --------------------------------------------------------


def test_forty_threads_declare_at_the_same_moment_and_nothing_is_lost() -> None:
    isolated = Registry()
    together = threading.Barrier(40)
    failures: list[BaseException] = []

    def declare(number: int) -> None:
        try:
            together.wait(30)
            isolated.register(make_adder(number), f"adder_{number}")
            isolated.register(picklable, "same_for_all")
        except Exception as error:  # noqa: BLE001  # told to the main thread, where the test is
            failures.append(error)

    workers = [threading.Thread(target=declare, args=(number,)) for number in range(40)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)

    assert failures == []
    assert [isolated.get(f"adder_{number}")(0) for number in range(40)] == list(range(40))
    assert len(isolated) == 41


def test_lookups_against_concurrent_declarations_see_whole_tools_only() -> None:
    isolated = Registry()
    isolated.register(picklable, "always_there")
    done = threading.Event()
    failures: list[BaseException] = []

    def look_up() -> None:
        try:
            while not done.is_set():
                assert isolated.get("always_there")(1) == 1
                assert all(tool.parameters["type"] == "object" for tool in isolated.select("*").values())
        except Exception as error:  # noqa: BLE001  # told to the main thread, where the test is
            failures.append(error)

    readers = [threading.Thread(target=look_up) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(60):
        isolated.register(make_adder(number), f"adder_{number}")
        if number % 3 == 0:
            isolated.remove(f"adder_{number}")
    done.set()
    for reader in readers:
        reader.join(30)

    assert failures == []
    assert len(isolated) == 41


def test_a_module_may_import_another_that_declares_while_a_lookup_runs_in_a_third_thread(
    write_module: Callable[[str, str], None],
) -> None:
    write_module("imported_module", "@fc_register\ndef of_imported() -> int:\n    return 1\n")
    write_module("importing_module", "import imported_module\n@fc_register\ndef of_importing() -> int:\n    return 2\n")
    together = threading.Barrier(3)

    def bring_in(name: str) -> None:
        together.wait(30)
        importlib.import_module(name)

    workers = [
        threading.Thread(target=bring_in, args=(name,), daemon=True) for name in ("imported_module", "importing_module")
    ]
    for worker in workers:
        worker.start()
    together.wait(30)
    for worker in workers:
        worker.join(30)

    assert not any(worker.is_alive() for worker in workers)
    assert (registry.get("of_imported")(), registry.get("of_importing")()) == (1, 2)


def test_a_declaration_evaluates_nothing_and_defines_nothing() -> None:
    code = (
        "import sys\n"
        "from fcregistry import fc_register\n"
        "@fc_register\n"
        "def undefined(x: 'no_such_type[', y: object()) -> None: ...\n"
        "print('fcregistry._tools.signature' in sys.modules, 'fcregistry._registry' in sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "False False\n", "")

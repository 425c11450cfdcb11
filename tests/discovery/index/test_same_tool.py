"""Is a tool that is described the same as the one that its plugin declares? In everything but its function, which is imported to be called."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.discovery.index.logged import imported, install
from tests.discovery.index.many import MANY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

EXTENSION = Path(__file__).parents[3] / "plugins" / "fcregistry-numpy" / "fcregistry_numpy"

MADE = """
@fc_register
def rival(a: int) -> int:
    return a
"""

TELL = """
import importlib, marshal
from fcregistry import registry, formats
from fcregistry._tools.indexed import record_of
from fcregistry.errors import FcregistryError

def said(make):
    try:
        return repr(make())
    except FcregistryError as error:
        return f"{type(error).__name__}: {error}"

def computed(value):
    return isinstance(value, dict) and list(value) == ["computed"]

def told(tool):
    views = [tool, tool.renamed("other")]
    facts = {
        name: [said(lambda: getattr(each, name)) for each in views]
        for name in (
            "id", "name", "declared_name", "group", "title", "summary", "description", "parameters", "returns", "origin",
            "schema_digest", "provenance", "missing_env", "definition_error", "__class__",
        )
    }
    record = record_of(tool)
    options = {name: said(lambda: getattr(tool.options, name)) for name in tool.options._fields if not computed(record["options"].get(name))}
    providers = {
        f"{format}{strict}": said(lambda: tool.definition(format, strict=strict, recursion="cut"))
        for format in formats.names() for strict in (False, True)
    }
    return {**facts, "record": record, "options": options, "providers": providers, "repr": repr(tool)}

registry.find()
EVERY = {tool.id: told(tool) for tool in registry.everything() if not tool.id.endswith(("rival", "twice"))}
"""

CALLS = """
from fcregistry import Executor, registry

CALLS = [
    ("get_weather", {"location": "Tokyo", "days": 2}),
    ("get_weather", {"location": "Tokyo", "days": "2", "unit": "kelvin"}),
    ("records", {"place": {"name": "a", "at": [1, 2]}, "tree": {"label": "b", "below": [{"label": "c"}]}}),
    ("scalars", {"day": "2024-02-29", "price": "1.10", "key": "12345678123456781234567812345678", "some": [3, 1]}),
    ("total", {"values": [1, 2.5]}),
    ("foreign", {"q": "ab"}), ("foreign", {"q": "a"}),
    ("remove", {"name": "a"}), ("remove", {"name": "a", "force": True}),
    ("erase", {}), ("read", {"name": "a"}), ("read_one", {}),
    ("cached", {"n": 1}), ("cached", {"n": 1}), ("cached_there", {"n": 2}), ("cached_there", {"n": 2}),
    ("contextual", {"n": 1}), ("reporting", {"a": 1, "b": 2}), ("counting", {"to": 2}),
    ("slowly", {"word": "ab", "times": 3}), ("slowly", {"word": "ab", "times": 4}), ("dripping", {"word": "ab"}),
    ("double", {"a": 2}), ("add_three", {"a": 1}), ("many:ten_subtract", {"a": 1}), ("listing:subtract", {"a": 1}),
    ("listing:listed", {"a": 1}), ("many:twice", {}), ("apart", {"a": 1}),
]

def answered(name, arguments):
    try:
        with Executor([name]) as executor:
            results = [executor.run({"name": registry.get(name).name, "arguments": arguments}) for _ in range(2)]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return [(each.content, each.error and each.error.code, each.repairs) for each in results]

answer = [(name, answered(name, arguments)) for name, arguments in CALLS]
"""


@pytest.fixture(scope="module")
def many(make_site: Callable[[], Site]) -> Site:
    """Tools of all kinds, described."""
    site = make_site()
    install(site, "many", MANY)
    site.install("listing", {"some": "many_tools:LIST"})
    install(site, "rivals", "from rivals_tools import more\n", files={})
    (site.folder / "rivals_tools.py").unlink()
    site.write({"rivals_tools/__init__.py": "from . import one, two\n"})
    for name in ("one", "two"):
        site.write({f"rivals_tools/{name}.py": "from fcregistry import fc_register\n" + MADE})
    site.install("fcregistry-numpy", {"numpy": "fcregistry_numpy.extension"}, group="fcregistry.extensions")
    (site.folder / "fcregistry_numpy").symlink_to(EXTENSION)
    listed = site.cli("list", env={"FCREGISTRY_IMPORT_SECONDS": "60"})
    assert listed.returncode == 0, listed.stderr
    imported(site)
    return site


@pytest.fixture(scope="module")
def told(many: Site) -> tuple[dict[str, Any], dict[str, Any]]:
    """What programs say of these tools: one that knows them from the index, and one that has imported their plugins."""
    site = many
    described = site.ask(f"{TELL}\nanswer = EVERY\nassert 'many_tools' not in sys.modules")
    assert imported(site) == []
    loaded = site.ask(
        f"from fcregistry import load_plugins\nload_plugins()\n{TELL}\nanswer = EVERY\nassert 'many_tools' in sys.modules"
    )
    return described, loaded


def test_there_are_the_same_tools(told: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Those that cannot be defined among them."""
    described, loaded = told
    assert sorted(described) == sorted(loaded)
    assert {"many:weather.get_weather", "many:impossible", "listing:listed", "many:ten_subtract"} <= described.keys()


def test_each_says_the_same_of_itself(told: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """Whoever asks cannot tell which it is: not by its schemas, its options, its origin, or what providers are told of it."""
    described, loaded = told
    for name, each in loaded.items():
        for what, said in each.items():
            assert described[name][what] == said, f"{what} of {name}"


def test_each_is_called_alike(many: Site) -> None:
    """Validation, approval, caches, repairs and errors are the same, whether or not the plugin was imported before."""
    described = many.ask(CALLS)
    assert imported(many) != []
    loaded = many.ask(f"from fcregistry import load_plugins\nload_plugins()\n{CALLS}")
    assert described == loaded
    codes = [said if isinstance(said, str) else said[0][1] for _, said in described]
    assert codes.count(None) == 21, described


def test_a_warning_of_a_definition_is_given_once(make_site: Callable[[], Site]) -> None:
    """At the first call, which imports the plugin: it is defined once then."""
    site = make_site()
    source = "from fcregistry import fc_register\n@fc_register\ndef bare(x) -> int:\n    'Count.'\n    return 1\n"
    site.install("acme", {"tools": "acme_tools"}, {"acme_tools.py": source})
    site.ask("from fcregistry import registry\nanswer = len(registry.find())")
    code = """
    import warnings
    from fcregistry import Executor
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = Executor(["bare"]).run({"name": "bare", "arguments": {"x": 1}})
    answer = [result.value, [each.category.__name__ for each in caught]]
    """
    assert site.ask(code) == [1, ["DefinitionWarning"]]


def test_one_key_that_two_modules_claim_is_as_ambiguous_as_ever(many: Site) -> None:
    """Neither is called, and both origins are named."""
    code = """
    from fcregistry import errors, registry
    try:
        registry.get("rival")
    except errors.DuplicateToolError as error:
        answer = [str(error), "rivals_tools" in sys.modules, [tool.id for tool in registry.find("*", "!many:*")]]
    """
    said, is_imported, found = many.ask(code)
    assert said.startswith("tool.rival is registered already by rivals_tools.one.rival")
    assert (is_imported, found) == (False, ["listing:listed", "listing:subtract"])

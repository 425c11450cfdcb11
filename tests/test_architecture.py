"""Which way do imports go, through which doors, and what does an import cost? The architecture, read off the code.

The code is parsed, not imported, except where the question is what an import does: then a fresh interpreter is asked.
What stands under ``if TYPE_CHECKING:`` is for type checkers and counts nowhere.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

# A module imports from strictly lower layers, and within its own room: the longest row that fits it.
LAYERS = {
    "fcregistry.errors": 0,
    "fcregistry._base.annotations": 0,
    "fcregistry._base.forks": 0,
    "fcregistry._base.forks": 0,
    "fcregistry._lazy": 0,
    "fcregistry._base.secrets": 0,
    "fcregistry._ports": 0,
    "fcregistry._version": 0,
    "fcregistry._base.call": 1,
    "fcregistry._base.call": 1,
    "fcregistry._base.call": 1,
    "fcregistry._results.content": 2,
    "fcregistry._results.context": 2,
    "fcregistry._base.messages": 1,
    "fcregistry._config": 5,
    "fcregistry._config.policy": 6,
    "fcregistry._base.paths": 0,
    "fcregistry._base.pickling": 0,
    "fcregistry._base.yaml": 4,
    "fcregistry._results.result": 3,
    "fcregistry._base.docstrings": 0,
    "fcregistry._base.json": 3,
    "fcregistry._base.docstrings": 0,
    "fcregistry._tools.options": 1,
    "fcregistry._tools.definition": 1,
    "fcregistry._base.source": 1,
    "fcregistry.types": 1,
    "fcregistry._tools.declaration": 2,
    "fcregistry._tools.decorator": 3,
    "fcregistry._tools.decorator": 3,
    "fcregistry._tools.decorator": 4,
    "fcregistry._tools.options": 2,
    "fcregistry._base.messages": 2,
    "fcregistry._tools.selectors": 3,
    "fcregistry._tools.search": 3,
    "fcregistry._tools.parameters": 2,
    "fcregistry._tools.parameters": 3,
    "fcregistry._tools.parameters": 4,
    "fcregistry._tools.signature": 5,
    "fcregistry._tools.signature": 6,
    "fcregistry._validation": 3,
    "fcregistry._tools.names": 4,
    "fcregistry._tools.definition": 7,
    "fcregistry._tools.tool": 8,
    "fcregistry._schema.well_formed": 2,
    "fcregistry._tools.record": 5,
    "fcregistry._tools.indexed": 6,
    "fcregistry._tools.indexed": 9,
    "fcregistry._tools.catalogue": 10,
    "fcregistry._tools.catalogue": 10,
    "fcregistry._registry": 10,
    "fcregistry._tools.tool": 9,
    "fcregistry.formats": 9,
    "fcregistry.dialects": 10,
    "fcregistry.expressions": 10,
    "fcregistry._registry": 11,
    "fcregistry.execution": 12,
    "fcregistry.discovery": 13,
    "fcregistry.models": 13,
    "fcregistry.prompts": 13,
    "fcregistry.agents": 14,
    "fcregistry.packaging": 14,
    "fcregistry.inspection": 14,
    "fcregistry.testing": 15,
    "fcregistry.cli": 16,
    "fcregistry.__main__": 17,
    "fcregistry": 17,  # the package's own __init__.py: it puts everything together
}

# A third-party package is imported behind its door only, so that one place knows it.
DOORS = {
    "anthropic": "fcregistry.models._anthropic",
    "docstring_parser": "fcregistry._base.docstrings",
    "hatchling": "fcregistry.packaging",
    "platformdirs": "fcregistry._base.paths",
    "jsonschema": "fcregistry._validation",
    "jsonschema_rs": "fcregistry._validation",
    "jsonschema_specifications": "fcregistry._validation",
    "referencing": "fcregistry._validation",
    "pluggy": "fcregistry.discovery",
    "rich": "fcregistry.cli._ask_rich",
    "click": "fcregistry.cli",
    "openai": "fcregistry.models._openai",
    "opentelemetry": "fcregistry.execution._observability",
    "hypothesis": "fcregistry.testing",
    "jinja2": "fcregistry.dialects._chat_sandbox",
    "pebble": "fcregistry.execution._process",
    "pytest": "fcregistry.testing",
    "yaml": "fcregistry._base.yaml",
    "tenacity": "fcregistry.execution._retry",
    "attrs": "fcregistry.types._stdlib_records",
    "msgspec": "fcregistry.types._stdlib_records",
    "pydantic": "fcregistry.types",
}

# What a plugin author does not pay for declaring a tool.
NOT_FOR_A_DECLARATION = {
    "dataclasses",
    "typing",
    "inspect",
    "re",
    "click",
    "jsonschema",
    "jsonschema_rs",
    "asyncio",
    "importlib.metadata",
    "pluggy",
}


# --- reading imports off the code -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One import statement's target, and whether it runs when the module does or later, inside a function."""

    importer: str
    target: str
    line: int
    when_loaded: bool

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.target}"


def modules() -> dict[str, Path]:
    """Return every module of the package under test, by name."""
    spec = importlib.util.find_spec("fcregistry")
    assert spec is not None
    assert spec.origin is not None
    package = Path(spec.origin).parent
    relative = {path: path.relative_to(package.parent).with_suffix("").parts for path in sorted(package.rglob("*.py"))}
    return {".".join(parts).removesuffix(".__init__"): path for path, parts in relative.items()}


MODULES = modules()


def imports_of(module: str) -> list[Import]:
    """Return the imports of one module, in order."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    return [
        Import(importer=module, target=target, line=node.lineno, when_loaded=when_loaded)
        for node, when_loaded in import_statements(tree)
        for target in targets(node, module)
    ]


def import_statements(node: ast.AST, when_loaded: bool = True) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the import statements below a node that can run, each with whether it runs when the module is loaded."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, when_loaded
    below: Iterator[ast.AST] | list[ast.stmt] = ast.iter_child_nodes(node)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test).split("."):
        below = node.orelse
    later = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in below:
        yield from import_statements(child, when_loaded and not later)


def targets(node: ast.Import | ast.ImportFrom, module: str) -> list[str]:
    """Return the modules that a statement names: with ``from package import name``, the name may be one of them."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        package = module if MODULES[module].name == "__init__.py" else module.rpartition(".")[0]
        base = importlib.util.resolve_name("." * node.level + base, package)
    inside = [f"{base}.{alias.name}" for alias in node.names]
    return sorted({name if name in MODULES else base for name in inside})


ALL_IMPORTS = [found for module in MODULES for found in imports_of(module)]
OUR_IMPORTS = [found for found in ALL_IMPORTS if found.target.split(".")[0] == "fcregistry"]


def is_in(module: str, room: str) -> bool:
    """Tell whether a module is a room or lies below it."""
    return module == room or module.startswith(f"{room}.")


def room_of(module: str) -> str | None:
    """Return the row of the table that a module belongs to; only ``fcregistry/__init__.py`` has the package's."""
    rooms = [room for room in LAYERS if is_in(module, room) and (room != "fcregistry" or module == "fcregistry")]
    return max(rooms, key=len, default=None)


def may_import(importer: str, target: str) -> bool:
    """Tell whether the table allows an import: within a room, or from a strictly lower layer."""
    here, there = room_of(importer), room_of(target)
    return here is not None and there is not None and (here == there or LAYERS[here] > LAYERS[there])


# --- the rules ------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES)
def test_every_module_has_a_layer(module: str) -> None:
    """A new module starts by saying where it stands."""
    assert room_of(module), f"{module} has no row in LAYERS of {Path(__file__).name}: add the layer it belongs to"


@pytest.mark.parametrize("room", LAYERS)
def test_every_row_has_a_module(room: str) -> None:
    """The table describes the package that is there."""
    assert any(is_in(module, room) for module in MODULES), f"LAYERS names {room}, which does not exist"


def test_imports_go_down() -> None:
    """Also imports inside functions: a layer that needs a higher one is given a callable instead."""
    wrong = [str(found) for found in OUR_IMPORTS if not may_import(found.importer, found.target)]
    assert not wrong, "not from a lower layer:\n" + "\n".join(wrong)


def test_models_and_discovery_do_not_know_each_other() -> None:
    """They stand side by side: either works without the other."""
    assert not may_import("fcregistry.models", "fcregistry.discovery")
    assert not may_import("fcregistry.discovery", "fcregistry.models")


@pytest.mark.parametrize(("package", "door"), DOORS.items(), ids=DOORS)
def test_a_third_party_package_has_one_door(package: str, door: str) -> None:
    """Only the module or folder that is its door imports it, at any time."""
    found = [one for one in ALL_IMPORTS if one.target.split(".")[0] == package]
    wrong = [str(one) for one in found if not is_in(one.importer, door)]
    assert not wrong, f"import {package} in {door} only:\n" + "\n".join(wrong)


def test_every_third_party_package_has_a_door() -> None:
    """All that is imported is the standard library, ourselves, small and pure, or named in DOORS."""
    pure = {"annotated_types", "typing_extensions", "__future__"}
    newer = {"annotationlib"}  # of the standard library, though not yet of the oldest Python
    known = sys.stdlib_module_names | newer | set(DOORS) | pure | {"fcregistry"}
    unknown = [str(one) for one in ALL_IMPORTS if one.target.split(".")[0] not in known]
    assert not unknown, f"no door in {Path(__file__).name}:\n" + "\n".join(unknown)


def test_no_import_cycle() -> None:
    """Loading modules in some order never meets one that is half loaded."""
    graph = {
        module: {one.target for one in OUR_IMPORTS if one.importer == module and one.when_loaded} for module in MODULES
    }
    try:
        TopologicalSorter({module: targets - {module} for module, targets in graph.items()}).prepare()
    except CycleError as exc:
        pytest.fail(f"these import each other while they load: {' <- '.join(exc.args[1])}")


def test_a_package_that_imports_its_own_modules_is_entered_by_its_name() -> None:
    """Two threads may import at once: one that imports a module waits for its package, which must not wait for that module.

    From Python 3.14 on it waits until the package is there as a whole, and before that while it begins; Python raises where two wait for
    each other. So a package either imports nothing of its own while it is loaded, or nobody outside names a module in it.
    """
    packages = {
        one.importer
        for one in OUR_IMPORTS
        if one.when_loaded and one.importer != "fcregistry" and one.target.startswith(f"{one.importer}.")
    }
    wrong = [
        str(found)
        for found in OUR_IMPORTS
        for package in packages
        if found.target != package and is_in(found.target, package) and not is_in(found.importer, package)
    ]
    assert not wrong, "not by the name of its package, which imports modules of its own:\n" + "\n".join(wrong)


# --- what an import does --------------------------------------------------------------------------

DECLARE = """
import sys
before = set(sys.modules)

from fcregistry import fc_register

@fc_register("tool")
def add(a: int, b: int) -> int:
    \"\"\"Add two numbers.\"\"\"
    return a + b

after = set(sys.modules)
import json
print(json.dumps(sorted(after - before)))
"""

# What the package does while its modules are loaded, as far as the interpreter can be asked: reads of variables and of
# files other than code, with the module of ours that did it; programs and connections; threads and loggers left behind.
WATCH = """
import json, os, sys

seen = []

def blame():
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.partition(".")[0] == "fcregistry":
            return name
        if name not in ("os", "collections.abc"):
            return None
        frame = frame.f_back

class Watched(type(os.environ)):
    def __getitem__(self, key):
        if module := blame():
            seen.append(f"{module} reads the variable {key}")
        return super().__getitem__(key)

os.environ.__class__ = Watched

STARTS = ("subprocess.Popen", "os.system", "os.posix_spawn", "socket.connect", "socket.bind", "socket.getaddrinfo")

def watch(event, arguments):
    if event == "open" and not str(arguments[0]).endswith((".py", ".pyc", ".so")):
        if module := blame():
            seen.append(f"{module} opens {arguments[0]}")
    elif event in STARTS:
        seen.append(event)

sys.addaudithook(watch)
import importlib
for module in json.loads(sys.argv[1]):
    importlib.import_module(module)

import _thread, logging
seen += ["a thread runs"] * (_thread._count() > 0)
ours = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "fcregistry"]
seen += [f"the logger {name} is made" for name in ours]
seen += ["logging has handlers"] * bool(logging.root.handlers)
print(json.dumps(seen))
"""


def ask_fresh_interpreter(code: str, *arguments: str) -> list[str]:
    """Run code in an interpreter of its own, isolated from our environment, and return the list that it prints."""
    done = subprocess.run([sys.executable, "-I", "-c", code, *arguments], capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert isinstance(answer, list)
    return answer


def test_a_declaration_imports_next_to_nothing() -> None:
    """Whoever writes a plugin pays for these at every start of every program, so they wait until a tool is used."""
    imported = ask_fresh_interpreter(DECLARE)
    assert "fcregistry" in imported, "it was imported before the test began, so nothing is measured"
    assert not NOT_FOR_A_DECLARATION & set(imported)


def test_nothing_happens_on_import() -> None:
    """Importing any module reads no variable or file, starts nothing, connects to nothing, leaves logging alone."""
    loaded = [module for module in MODULES if not module.endswith("__main__")]
    assert ask_fresh_interpreter(WATCH, json.dumps(loaded)) == []


def test_the_watch_sees_what_it_watches_for() -> None:
    """The test above would notice: a module that does it all is seen doing it."""
    offence = """
import os, logging, threading
os.environ.get("HOME"); open(os.devnull).close()
logging.getLogger("fcregistry"); logging.basicConfig()
threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
    module = f"import logging, threading; exec({offence!r}, {{'__name__': 'fcregistry.x'}})\n"
    seen = ask_fresh_interpreter(WATCH.replace("import importlib\n", module + "import importlib\n"), "[]")
    assert seen == [
        "fcregistry.x reads the variable HOME",
        "fcregistry.x opens /dev/null",
        "a thread runs",
        "the logger fcregistry is made",
        "logging has handlers",
    ]

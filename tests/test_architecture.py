"""The architecture, read off the code: which way imports go, through which doors, and what an import costs.

The code is parsed, not imported, except where a test is about what an import does: then a fresh interpreter is asked. Imports inside
functions, those for type checkers and calls of `import_module` with a literal text count like all others, except where a rule says otherwise.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain
from pathlib import Path
from typing import Literal

import pytest

# Rooms from the lowest to the highest: a module imports from its own room and from rooms of lower rows.
ROWS = (
    ("errors", "_lazy", "_version"),
    ("_base",),
    ("types",),
    ("_schema",),
    ("_tools",),
    ("_results",),
    ("formats", "_config"),
    ("dialects", "expressions"),
    ("_registry",),
    ("execution",),
    ("discovery", "models", "prompts"),
    ("agents", "inspection", "packaging"),
    ("testing",),
    ("cli",),
    ("_wiring",),
    ("", "__main__"),  # the package's own __init__.py, which puts everything together
)
ROW_OF = {room: row for row, rooms in enumerate(ROWS) for room in rooms}

# A third-party package is imported behind its door only, so that one place knows it.
DOORS = {
    "anthropic": "fcregistry.models._anthropic",
    "docstring_parser": "fcregistry._base.docstrings",
    "hatchling": "fcregistry.packaging._hatch",
    "platformdirs": "fcregistry._base.paths",
    "jsonschema": "fcregistry._schema",
    "jsonschema_rs": "fcregistry._schema",
    "jsonschema_specifications": "fcregistry._schema",
    "referencing": "fcregistry._schema",
    "pluggy": "fcregistry.discovery",
    "rich": "fcregistry.cli._display",
    "click": "fcregistry.cli",
    "openai": "fcregistry.models._openai",
    "opentelemetry": "fcregistry.execution._observability",
    "hypothesis": "fcregistry.testing",
    "jinja2": "fcregistry.dialects._chat_sandbox",
    "pebble": "fcregistry.execution._remote",
    "pytest": "fcregistry.testing",
    "yaml": "fcregistry._base.yaml",
    "attrs": "fcregistry.types._record_families",
    "msgspec": "fcregistry.types._record_families",
    "pydantic": "fcregistry.types",
}

# Tables that name their modules by string: the module -> the folder whose modules it imports.
TABLES = {"fcregistry.cli._main", "fcregistry.dialects._table", "fcregistry.formats"}

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
    """One import statement's target, and when it runs: while the module is loaded, later inside a function, or never, for type checkers."""

    importer: str
    target: str
    line: int
    when: Literal["loaded", "called", "checked"]

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
PLUGINS = sorted(path.parent for path in Path(__file__).parents[1].glob("plugins/*/pyproject.toml"))


def imports_of(module: str) -> list[Import]:
    """Return the imports of one module, in order."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    return [
        Import(importer=module, target=target, line=node.lineno, when=when)
        for node, when in import_statements(tree)
        for target in targets(node)
    ]


def import_statements(
    node: ast.AST, when: Literal["loaded", "called", "checked"] = "loaded"
) -> Iterator[tuple[ast.Import | ast.ImportFrom, Literal["loaded", "called", "checked"]]]:
    """Yield the import statements below a node, each with when it runs; ``import_module("a.b")`` counts as ``import a.b``."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, when
    if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "import_module":
        for text in node.args[:1]:
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield ast.copy_location(ast.Import([ast.alias(text.value)]), node), when
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test).split("."):
        for child in node.body:
            yield from import_statements(child, "checked")
        for child in node.orelse:
            yield from import_statements(child, when)
        return
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and when == "loaded":
        when = "called"
    for child in ast.iter_child_nodes(node):
        yield from import_statements(child, when)


def targets(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules that a statement names: with ``from package import name``, the name may be one of them."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert not node.level, "imports name their modules in full"
    inside = [f"{node.module}.{alias.name}" for alias in node.names]
    return sorted({name if name in MODULES else str(node.module) for name in inside})


ALL_IMPORTS = [found for module in MODULES for found in imports_of(module)]
OUR_IMPORTS = [found for found in ALL_IMPORTS if found.target.split(".")[0] == "fcregistry"]


def is_in(module: str, package: str) -> bool:
    """Return whether a module is a package or lies below it."""
    return module == package or module.startswith(f"{package}.")


def room_of(module: str) -> str:
    """Return the room of a module: the first name below the package; empty for the package's own ``__init__.py``."""
    return module.split(".")[1] if "." in module else ""


def is_door(module: str) -> bool:
    """Return whether other rooms may import a module: a public room's ``__init__``, or a plainly named module of a private room."""
    return not any(part.startswith("_") and not part.startswith("__") for part in module.split(".")[2:])


def cycle_in(imports: Iterable[Import]) -> str:
    """Return the first cycle of imports, or an empty text."""
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for one in imports:
        if one.target != one.importer:
            graph[one.importer].add(one.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as exc:
        return " <- ".join(exc.args[1])
    return ""


def private_names(code: str, path: str) -> list[str]:
    """Return the imports in some code of names of fcregistry that are not public."""
    wrong = []
    for node, _ in import_statements(ast.parse(code)):
        if isinstance(node, ast.Import):
            names = [(alias.name, "") for alias in node.names]
        else:
            names = [(str(node.module), alias.name) for alias in node.names]
        wrong += [
            f"{path}:{node.lineno} imports {'.'.join(filter(None, (module, name)))}"
            for module, name in names
            if is_in(module, "fcregistry") and not is_public(module, name)
        ]
    return wrong


def is_public(module: str, name: str) -> bool:
    """Return whether a module has no private part and, if a name is given, `__all__` names it."""
    if any(part.startswith("_") for part in module.split(".")):
        return False
    return not name or name in importlib.import_module(module).__all__


# --- reading attributes off the code --------------------------------------------------------------

# What the standard library names with an underscore, and rooms use: documented names, and some for which it has no others.
STANDARD = {
    *("_replace", "_asdict", "_fields", "_make", "_exit", "_getframe"),
    *("_FIELD", "_FIELD_INITVAR", "_field_type", "_parent_pid", "_run_exitfuncs"),
}


def defined_private_names(tree: ast.AST) -> set[str]:
    """Return the private names that some code defines: functions, classes, and attributes of objects."""
    found = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    found |= {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            found |= set(chain.from_iterable(map(names_of_line, node.body)))
    return {name for name in found if is_private(name)}


def names_of_line(line: ast.stmt) -> Iterator[str]:
    """Yield the attributes that a line in the body of a class defines: an assignment, an annotation, or `__slots__`."""
    if isinstance(line, ast.Assign | ast.AnnAssign):
        targets = line.targets if isinstance(line, ast.Assign) else [line.target]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        yield from names
        if "__slots__" in names and line.value is not None:
            yield from (str(each.value) for each in ast.walk(line.value) if isinstance(each, ast.Constant))


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in STANDARD


def foreign_attributes(tree: ast.AST, own: set[str]) -> list[tuple[int, str]]:
    """Return line and name of each private attribute in some code that its room does not define, unless it is one of `self` or `cls`."""
    return [
        (node.lineno, node.attr)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]


# --- the rules ------------------------------------------------------------------------------------


def test_every_room_has_a_row_and_every_row_a_room() -> None:
    """A new room starts by saying where it is; the table describes the package that is there."""
    assert {room_of(module) for module in MODULES} == set(ROW_OF)


def test_the_picture_shows_the_rooms_as_they_are() -> None:
    """The picture on the page about the architecture has each row of rooms, the highest first."""
    page = (Path(__file__).parents[1] / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    shown = [
        set(re.findall(r"<b>(\w+)(?:\.py)?</b>", line))
        for line in re.findall(r'^    r\d+\["(.*)"\]$', page, re.MULTILINE)
    ]
    assert shown == [set(row) for row in reversed(ROWS[1:-2])]


def test_imports_go_down() -> None:
    """Inside functions and for type checkers too: a room that needs a higher one has a slot or a Protocol of its own instead."""
    wrong = [
        str(one)
        for one in OUR_IMPORTS
        if room_of(one.importer) != room_of(one.target) and ROW_OF[room_of(one.importer)] <= ROW_OF[room_of(one.target)]
    ]
    assert not wrong, "not from a lower row:\n" + "\n".join(wrong)


def test_rooms_meet_at_their_doors() -> None:
    """Nobody imports a private module of another room."""
    wrong = [
        str(one) for one in OUR_IMPORTS if room_of(one.importer) != room_of(one.target) and not is_door(one.target)
    ]
    assert not wrong, "past another room's door:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    "place",
    [*sorted({room_of(module) for module in MODULES}), *PLUGINS],
    ids=lambda place: getattr(place, "name", place),
)
def test_a_room_leaves_the_private_attributes_of_others_alone(place: str | Path) -> None:
    """It asks another room by the functions that this one exports; so does a plugin of this repository."""
    if isinstance(place, Path):
        paths = sorted(place.glob("fcregistry_*/**/*.py"))
    else:
        paths = [path for module, path in MODULES.items() if room_of(module) == place]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}
    own = set(chain.from_iterable(map(defined_private_names, trees.values())))
    wrong = [f"{path}:{line} {name}" for path, tree in trees.items() for line, name in foreign_attributes(tree, own)]
    assert not wrong, "private attributes of another room:\n" + "\n".join(wrong)


def test_a_private_attribute_of_another_room_is_found() -> None:
    room = ast.parse("class Tool:\n    __slots__ = ('_owner',)\n    _name: str\n    def _of(self): self._hidden = 1\n")
    assert defined_private_names(room) == {"_owner", "_name", "_of", "_hidden"}
    code = ast.parse("tool._owner\nself._name\ntool._hidden = tool._other\npoint._replace(x=1)\nmine._of()\n")
    assert sorted(foreign_attributes(code, {"_of"})) == [(1, "_owner"), (3, "_hidden"), (3, "_other")]


def test_no_import_cycle() -> None:
    """With imports inside functions and for type checkers counted, no two modules need each other."""
    assert not cycle_in(OUR_IMPORTS)


def test_only_tables_import_by_string() -> None:
    """A name that is put together at run time is not seen by the rules above, so it is of a table of modules in its own room."""
    named = re.compile(r"import_module\(\s*f?[\"']fcregistry")
    found = {module for module, path in MODULES.items() if named.search(path.read_text(encoding="utf-8"))}
    assert found == TABLES


def test_the_rules_see_what_breaks_them() -> None:
    """Each rule would notice: an import upward, past a door, or in a circle."""
    code = "from fcregistry.agents._loop import Loop\nif TYPE_CHECKING:\n    import fcregistry.cli\ndef f():\n    import fcregistry.types\n"
    code += "    importlib.import_module('fcregistry.models._text')\n    import_module(name)\n"
    found = [(target, when) for node, when in import_statements(ast.parse(code)) for target in targets(node)]
    assert found == [
        ("fcregistry.agents._loop", "loaded"),
        ("fcregistry.cli", "checked"),
        ("fcregistry.types", "called"),
        ("fcregistry.models._text", "called"),
    ]
    assert not is_door("fcregistry.agents._loop")
    assert is_door("fcregistry.agents")
    assert is_door("fcregistry._base.json")
    circle = [
        Import(importer="fcregistry.types", target="fcregistry.cli", line=1, when="checked"),
        Import(importer="fcregistry.cli", target="fcregistry.types", line=1, when="loaded"),
    ]
    assert cycle_in(circle)


def test_plugins_of_this_repository_use_public_names_only() -> None:
    """They show what authors elsewhere can do. A name that is missing in ``__all__`` may change without notice."""
    files = sorted((Path(__file__).parents[1] / "plugins").glob("*/**/*.py"))
    assert files
    assert not [name for path in files for name in private_names(path.read_text(encoding="utf-8"), str(path))]


def test_a_private_name_in_a_plugin_is_found_however_it_is_imported() -> None:
    code = (
        "import fcregistry.types, fcregistry._base.json\n"
        "from fcregistry import Tool, _tools\n"
        "def f():\n    from fcregistry.cli._output import clean\n    from fcregistry.models import Model, resolve_anything\n"
    )
    assert private_names(code, "plugin.py") == [
        "plugin.py:1 imports fcregistry._base.json",
        "plugin.py:2 imports fcregistry._tools",
        "plugin.py:4 imports fcregistry.cli._output.clean",
        "plugin.py:5 imports fcregistry.models.resolve_anything",
    ]


@pytest.mark.parametrize(("package", "door"), DOORS.items(), ids=DOORS)
def test_a_third_party_package_has_one_door(package: str, door: str) -> None:
    """Only the module or folder that is its door imports it, at any time."""
    found = [one for one in ALL_IMPORTS if one.target.split(".")[0] == package and one.when != "checked"]
    wrong = [str(one) for one in found if not is_in(one.importer, door)]
    assert not wrong, f"import {package} in {door} only:\n" + "\n".join(wrong)


def test_every_third_party_package_has_a_door() -> None:
    """All that is imported is the standard library, the package itself, small and pure, or named in DOORS."""
    pure = {"annotated_types", "typing_extensions", "__future__"}
    newer = {"annotationlib"}  # of the standard library, though not yet of the oldest Python
    known = sys.stdlib_module_names | newer | set(DOORS) | pure | {"fcregistry"}
    unknown = [str(one) for one in ALL_IMPORTS if one.target.split(".")[0] not in known]
    assert not unknown, f"no door in {Path(__file__).name}:\n" + "\n".join(unknown)


def test_a_package_that_imports_its_own_modules_is_entered_by_its_name() -> None:
    """Two threads may import at once: one that imports a module waits for its package, which must not wait for that module.

    From Python 3.14 on it waits until the package is there as a whole, and before that while it begins; Python raises if two wait for
    each other. So a package either imports nothing of its own while it is loaded, or nobody outside names a module in it.
    """
    packages = {
        one.importer
        for one in OUR_IMPORTS
        if one.when == "loaded" and one.importer != "fcregistry" and one.target.startswith(f"{one.importer}.")
    }
    wrong = [
        str(found)
        for found in OUR_IMPORTS
        for package in packages
        if found.when != "checked"
        and found.target != package
        and is_in(found.target, package)
        and not is_in(found.importer, package)
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
    """A plugin author pays for these at every start of every program, so they wait until a tool is used."""
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

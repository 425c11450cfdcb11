"""Extensions that read the types of other packages. Extensions, each loaded when a schema needs it, and none for the sake of another.

A real package of foreign types, and real distributions that read them, in real processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

GROUP = "fcregistry.extensions"

POINTS = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

class Line:
    pass
"""

READS_POINTS = """
import builtins
builtins.__dict__.setdefault("loads", []).append(__name__)
print("noise")

from fcregistry import hookimpl
from fcregistry.types import Codec

class PointCodec(Codec):
    kinds = frozenset({"array"})

    def __init__(self, cls):
        self.cls = cls

    def schema(self, writer):
        return {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}

    def accepts(self, value):
        return type(value) is list and len(value) == 2 and all(type(each) in (int, float) for each in value)

    def decode(self, value):
        return self.cls(*value)

    def handles(self, value):
        return isinstance(value, self.cls)

    def encode(self, value):
        return [value.x, value.y]

def read(annotation, reader):
    from points import Point
    return PointCodec(Point) if annotation is Point else None

@hookimpl
def fc_register_types(types):
    builtins.__dict__.setdefault("asked", []).append(__name__)
    types.add(read)
"""

TOOLS = """
from fcregistry import Executor, fc_register, load_plugins, registry
from points import Line, Point

@fc_register
def move(point: Point, by: float = 1.0) -> Point:
    return Point(point.x + by, point.y)

@fc_register
def moves(points: list[Point]) -> str:
    return str(len(points))

@fc_register
def twice(number: int) -> int:
    return 2 * number

@fc_register
def measure(line: Line) -> float:
    return 1.0

def reason(name):
    "Return why a tool cannot be defined, or None."
    error = registry.get(name).definition_error
    return error and str(error)

import builtins
loads = builtins.__dict__.setdefault("loads", [])
asked = builtins.__dict__.setdefault("asked", [])
"""


@pytest.fixture(scope="module")
def points(make_site: Callable[[], Site]) -> Site:
    """One extension that reads points."""
    site = make_site()
    site.install("points", files={"points.py": POINTS})
    site.install("acme-points", {"points": "acme_points"}, {"acme_points.py": READS_POINTS}, group=GROUP)
    return site


def test_a_type_of_an_extension_is_a_type_like_any_other(points: Site) -> None:
    """As a parameter, inside another type, as a default and as a result; wrong values are refused with their place."""
    answer = points.ask(
        TOOLS
        + """
executor = Executor(["move", "moves"])
answer = [
    registry.get("move").parameters["properties"]["point"],
    registry.get("move").returns,
    executor.call("move", point=[1, 2]).content,
    executor.call("move", point=Point(1, 2)).content,
    executor.call("moves", points=[[1, 2], [3, 4]]).content,
    executor.call("moves", points=[[1, 2], [3]]).error.problems[0].path,
]
"""
    )
    schema = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    assert answer == [schema, schema, "[2.0, 2]", "[2.0, 2]", "2", "$.points[1]"]


def test_a_value_of_an_extensions_type_is_encoded_at_any_depth(points: Site) -> None:
    """A result without an annotation is encoded by its own type, and the extension is asked for that too."""
    answer = points.ask(
        """
        from fcregistry.types import to_json
        from points import Point
        answer = to_json({"at": [Point(1, 2)]})
        """
    )
    assert answer == {"at": [[1, 2]]}


def test_an_extension_is_loaded_when_a_schema_needs_it_and_once(points: Site) -> None:
    """Neither an import, nor another tool, nor a look at what is installed loads it; many tools that need it load it once."""
    answer = points.ask(
        TOOLS
        + """
from fcregistry.discovery import current, find_extensions, load_plugins
answer = []
find_extensions(), load_plugins(), current().report()
registry.get("twice").parameters, Executor(["twice"]).call("twice", number=1)
answer.append([*loads, "acme_points" in sys.modules, "pluggy" in sys.modules])
for name in ("move", "moves"):
    registry.get(name).parameters
load_plugins()
reason("measure")  # a type that it does not know: it is asked, and not loaded again
answer.append([loads, asked])
""",
    )
    assert answer == [[False, False], [["acme_points"], ["acme_points"]]]


def test_what_an_extension_prints_goes_to_stderr(points: Site) -> None:
    """It must not spoil the output of a command."""
    done = points.run(
        "-c", "from fcregistry.types import schema_of\nfrom points import Point\nprint(schema_of(Point)['type'])"
    )
    assert (done.stdout, done.stderr) == ("array\n", "noise\n")


def test_a_type_that_the_extension_does_not_know_is_refused_as_ever(points: Site) -> None:
    """It was asked, and what it does know is still read."""
    answer = points.ask(TOOLS + "answer = [reason('measure'), reason('move')]")
    assert "Line has no JSON form; use a dataclass" in answer[0]
    assert answer[1] is None


def test_without_an_extension_unreadable_types_are_refused_and_plugins_are_found_once(site: Site) -> None:
    """What is installed is found once, however many types no extension reads."""
    site.install("points", files={"points.py": POINTS})
    answer = site.ask(
        TOOLS
        + """
from fcregistry.discovery._index import Index
looked = []
look = Index.look
Index.look = lambda self, **options: looked.append(1) or look(self, **options)
answer = [reason("move"), reason("measure"), reason("moves"), reason("twice"), len(looked)]
"""
    )
    assert "Point has no JSON form; use a dataclass" in answer[0]
    assert answer[3:] == [None, 1]


def test_the_error_names_an_extension_of_this_project_that_is_not_installed(site: Site) -> None:
    """The type is numpy's, and what reads it is one installation away."""
    answer = site.ask(
        """
        import numpy
        from fcregistry.types import UnsupportedType, schema_of
        try:
            schema_of(numpy.int8)
        except UnsupportedType as error:
            answer = str(error)
        """
    )
    assert (
        answer == "int8 is read by the extension fcregistry-numpy, which is not installed: pip install fcregistry-numpy"
    )


def test_an_extension_that_is_installed_later_is_found_by_load_plugins(points: Site) -> None:
    """As a plugin is: what is installed is looked up anew, and what is loaded stays loaded."""
    answer = points.ask(
        f"""
        import sys
        later = sys.path.pop(sys.path.index({str(points.folder)!r}))
        import types
        module = types.ModuleType("points")
        exec({POINTS!r}, module.__dict__)
        sys.modules["points"] = module
        from fcregistry import load_plugins
        from fcregistry.types import UnsupportedType, schema_of

        def kind():
            try:
                return schema_of(module.Point)["type"]
            except UnsupportedType as error:
                return str(error)[:22]

        answer = [kind()]
        sys.path.insert(0, later)
        answer.append(kind())
        load_plugins()
        answer.append(kind())
        """
    )
    assert answer == ["Point has no JSON form", "Point has no JSON form", "array"]


HOOK = "from fcregistry import hookimpl\n@hookimpl\ndef fc_register_types(types):\n    "
REPORT = "report this to the authors of acme-points"

BROKEN = {
    "it raises": (
        "1 / 0",
        f"ZeroDivisionError: division by zero; {REPORT}, or set FCREGISTRY_DISABLE=acme-points[points]",
    ),
    "it ends the process": ("raise SystemExit(3)", f"SystemExit: 3; it ends the process when it is imported; {REPORT}"),
    "it needs what is missing": (
        "import not_there",
        "ModuleNotFoundError: No module named 'not_there'; install the package with the module not_there, or reinstall",
    ),
    "it is no extension": (
        "",
        "acme-points[points]: acme_points implements no hook; mark its functions with fcregistry.hookimpl",
    ),
    "its hook raises": (f"{HOOK}raise OSError('no table')", f"OSError: no table; {REPORT}"),
    "it adds a class": (
        f"{HOOK}types.add(int)",
        "TypeError: types.add takes a function (annotation, reader) -> Codec | None, not the class int",
    ),
    "it adds a value": (
        f"{HOOK}types.add('x')",
        "TypeError: types.add takes a function (annotation, reader) -> Codec | None, not a str",
    ),
    "its hook is misspelt": (
        HOOK.replace("types(", "type(") + "pass",
        (
            "PluginError: acme-points[points]: there is no hook fc_register_type; "
            "there are fc_after_call, fc_before_call, fc_register_types, fc_resolve_model"
        ),
    ),
    "its hook takes another argument": (
        HOOK.replace("(types)", "(kinds)") + "pass",
        "{'kinds'} are declared in the hookimpl but can not be found in the hookspec",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_extension_costs_the_tools_that_need_it_and_no_other(site: Site, how: str) -> None:
    """Each says which extension it is, what is wrong with it, and what to do; the others are there and run."""
    code, reason = BROKEN[how]
    site.install("points", files={"points.py": POINTS})
    site.install("acme-points", {"points": "acme_points"}, {"acme_points.py": code}, group=GROUP)
    answer = site.ask(
        TOOLS
        + "answer = [reason('move'), Executor(['twice']).call('twice', number=2).value, sorted(load_plugins().failed)]"
    )
    assert "parameter 'point': Point is read by the extension acme-points[points], which does not load: " in answer[0]
    assert reason in answer[0]
    assert "0x" not in answer[0]
    assert answer[1:] == [4, []]


VALUES = {
    "an object": ("acme_points:EXTENSION", None),
    "an attribute of an object": ("acme_points:Holder.extension", None),
    "a module": ("acme_points", None),
    "a class": ("acme_points:Extension", "names the class Extension; name an instance of it, or a module"),
    "nothing": ("acme_points:GONE", "names acme_points:GONE, and there is no 'GONE' in acme_points"),
    "no module": ("acme_gone", 'names a module that does not exist: correct points = "acme_gone"'),
}

OBJECT = """

class Extension:
    @hookimpl
    def fc_register_types(self, types):
        types.add(read)

EXTENSION = Extension()

class Holder:
    extension = EXTENSION
"""


@pytest.mark.parametrize("names", VALUES)
def test_an_entry_point_names_a_module_or_an_object(site: Site, names: str) -> None:
    value, problem = VALUES[names]
    site.install("points", files={"points.py": POINTS})
    site.install("acme-points", {"points": value}, {"acme_points.py": READS_POINTS + OBJECT}, group=GROUP)
    reason = site.ask(TOOLS + "answer = reason('move')")
    assert reason is None if problem is None else problem in reason


def test_two_extensions_of_one_name_are_an_error_that_names_both(site: Site) -> None:
    """Until one of them is disabled; neither is loaded before that."""
    site.install("points", files={"points.py": POINTS})
    for name in ("acme", "zeta"):
        site.install(name, {"points": f"{name}_points"}, {f"{name}_points.py": READS_POINTS}, group=GROUP)
    ask = TOOLS + "answer = [reason('move'), loads]"
    reason, loads = site.ask(ask)
    assert reason.endswith(
        "Point is read by the extensions acme[points] and zeta[points], of which only one can be used: "
        "uninstall the others, or disable them, as with FCREGISTRY_DISABLE=zeta[points]"
    )
    assert loads == []
    assert site.ask(ask, env={"FCREGISTRY_DISABLE": "zeta[points]"}) == [None, ["acme_points"]]
    assert site.ask(ask, env={"FCREGISTRY_DISABLE": "acme[points]"}) == [None, ["zeta_points"]]


@pytest.mark.parametrize(
    ("value", "disabled"),
    [
        ("acme-points[points]", True),
        ("Acme_Points[points]", True),
        ("acme-points:*", True),
        ("acme-*:*", True),
        ("acme-points:* !acme-points:move", False),
        ("*", False),
        ("* !twice", False),
        ("!move", False),
        ("acme-points:move", False),
        ("other[points]", False),
    ],
)
def test_an_extension_is_disabled_by_its_name_or_with_all_of_its_distribution(
    points: Site, value: str, disabled: bool
) -> None:
    """Selectors name tools: the tools that are left may need it. A disabled one is not imported."""
    code = """
        from fcregistry.types import UnsupportedType, schema_of
        from points import Point
        try:
            answer = schema_of(Point)["type"]
        except UnsupportedType as error:
            answer = str(error)
        answer = [answer, "acme_points" in sys.modules]
        """
    answer, imported = points.ask(code, env={"FCREGISTRY_DISABLE": value})
    assert imported is not disabled
    if disabled:
        said = value if "*" in value else "acme-points[points]"
        assert (
            answer
            == f"Point is read by the extension acme-points[points], which is disabled: FCREGISTRY_DISABLE names {said}"
        )


def test_a_family_that_makes_a_mistake_costs_the_types_it_is_asked_for(site: Site) -> None:
    """An exception that is no UnsupportedType, and what is no codec, are told as the extension's."""
    code = """
from fcregistry import hookimpl
from fcregistry.types import UnsupportedType

def read(annotation, reader):
    if annotation.__name__ == "Point":
        return {}["x"]
    raise UnsupportedType("a Line is too long for JSON") if annotation.__name__ == "Line" else ValueError

@hookimpl
def fc_register_types(types):
    types.add(read)
"""
    site.install("points", files={"points.py": POINTS})
    site.install("acme-points", {"points": "acme_points"}, {"acme_points.py": code}, group=GROUP)
    site.install("texts", files={"texts.py": "class Text: ...\n"})
    site.install(
        "acme-texts",
        {"texts": "acme_texts"},
        {"acme_texts.py": code.replace('{}["x"]', "'codec'").replace("Point", "Text")},
        group=GROUP,
    )
    answer = site.ask(
        TOOLS
        + """
from texts import Text

@fc_register
def write(text: Text): ...

answer = [reason("move"), reason("measure"), reason("write"), reason("twice")]
"""
    )
    advice = "report this to the authors of acme-points, or set FCREGISTRY_DISABLE=acme-points[points]"
    assert f"Point: the extension acme-points[points] fails to read it: KeyError: 'x'; {advice}" in answer[0]
    assert answer[1].endswith("parameter 'line': a Line is too long for JSON")
    assert (
        "Text: the extension acme-texts[texts] fails to read it: TypeError: a family returns a Codec or None, not a str"
        in answer[2]
    )
    assert answer[3] is None


def test_families_are_asked_in_their_order_and_after_the_built_in_ones(site: Site) -> None:
    """An extension cannot change what a type means that is read already, such as a dataclass of the foreign package."""
    site.install(
        "points",
        files={"points.py": POINTS + "\nimport dataclasses\n@dataclasses.dataclass\nclass Pair:\n    x: int\n"},
    )
    code = (
        READS_POINTS
        + """
def read_pair(annotation, reader):
    assert annotation.__name__ != "Pair"
    return None

class Other(PointCodec):
    def schema(self, writer):
        return {"type": "string"}

@hookimpl
def fc_register_types(types):
    types.add(read_pair)
    types.add(read)
    types.add(lambda annotation, reader: Other(annotation))
"""
    )
    site.install("acme-points", {"points": "acme_points"}, {"acme_points.py": code}, group=GROUP)
    answer = site.ask(
        """
        from fcregistry.types import schema_of
        from points import Line, Pair, Point
        answer = [schema_of(each)["type"] for each in (Pair, Point, Line)]
        """
    )
    assert answer == ["object", "array", "string"]


def test_an_extension_may_read_types_while_it_is_imported(site: Site) -> None:
    """Its own are not known yet then, and nothing is recorded of that: afterwards they are."""
    code = """
from fcregistry.types import UnsupportedType, schema_of
import points
try:
    schema_of(points.Point)
except UnsupportedType as error:
    points.early = str(error)
""" + READS_POINTS.replace('print("noise")', "")
    site.install("points", files={"points.py": POINTS})
    site.install("acme-points", {"points": "acme_points"}, {"acme_points.py": code}, group=GROUP)
    for first in ("acme_points", "points"):
        answer = site.ask(
            f"""
            import {first}, points
            from fcregistry.types import schema_of
            answer = [schema_of(points.Point)["type"], points.early[:22]]
            """
        )
        assert answer == ["array", "Point has no JSON form"]


def test_a_hook_that_reads_its_own_types_does_not_wait_for_itself(site: Site) -> None:
    """While it adds them, they are not known; it goes on, and then they are."""
    code = (
        READS_POINTS
        + """
@hookimpl
def fc_register_types(types):
    from fcregistry.types import UnsupportedType, schema_of
    import points
    try:
        schema_of(points.Point)
    except UnsupportedType as error:
        points.early = str(error)
    types.add(read)
"""
    )
    site.install("points", files={"points.py": POINTS})
    site.install("acme-points", {"points": "acme_points"}, {"acme_points.py": code}, group=GROUP)
    answer = site.ask(
        """
        import points
        from fcregistry.types import schema_of
        answer = [schema_of(points.Point)["type"], points.early[:22]]
        """
    )
    assert answer == ["array", "Point has no JSON form"]


def test_many_threads_need_one_extension_at_once(site: Site) -> None:
    """It is imported once, nobody waits for a lock of ours, and everyone gets a codec."""
    site.install("points", files={"points.py": POINTS})
    slow = "import builtins\nbuiltins.meeting.wait()\n" + READS_POINTS
    site.install("acme-points", {"points": "acme_points"}, {"acme_points.py": slow}, group=GROUP)
    answer = site.ask(
        """
        import builtins, threading
        builtins.meeting = threading.Barrier(2)
        from fcregistry.discovery import current
        from fcregistry.types import schema_of
        from points import Point
        found, start = [], threading.Barrier(8)

        def look():
            start.wait()
            found.append(schema_of(Point)["type"])

        threads = [threading.Thread(target=look, daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        meeting.wait(30)
        for thread in threads:
            thread.join(30)
        (extension,) = current().extensions.named("points")
        answer = [found, builtins.loads, len(current().extensions.outcome(extension).families)]
        """
    )
    assert answer == [["array"] * 8, ["acme_points"], 1]

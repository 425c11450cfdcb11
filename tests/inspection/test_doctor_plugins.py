"""What doctor says of plugins that misbehave when they are imported. It imports none itself, and each costs no more than itself."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


class Said(NamedTuple):
    """A finding, as JSON has it."""

    kind: str
    subject: str
    message: str
    advice: str
    place: str
    detail: str


def doctor(site: Site, *words: str, **env: str) -> list[Said]:
    """Return what doctor finds, and make sure that its status says whether one is a problem."""
    done = site.cli("doctor", "--json", *words, env={"FCREGISTRY_IMPORT_SECONDS": "5", **env})
    assert "Traceback" not in done.stderr
    found = [Said(**each) for each in json.loads(done.stdout)]
    assert done.returncode == any(each.kind == "problem" for each in found)
    return found


TOOL = "from fcregistry import fc_register\n\n@fc_register\ndef {name}() -> str:\n    return ''\n"

WRONG = {
    "raises": "import json\n\ndef read():\n    json.loads('{')\n\nread()\n",
    "syntax": "x = 1\ny = = 2\n",
    "leaves": "import sys\nsys.exit(3)\n",
    "needs": "import missing_somewhere\n",
    "crashes": "import os, signal\n\ndef crash():\n    os.kill(os.getpid(), signal.SIGSEGV)\n\ncrash()\n",
    "vanishes": "import os\nos._exit(7)\n",
    "hangs": "import threading\nthreading.Event().wait()\n",
}
"""Plugins that do not load, each a module."""


@pytest.fixture(scope="module")
def wrong(make_site: Callable[..., Site]) -> Site:
    """A site with plugins that do not load, and one that does."""
    site = make_site()
    for name, code in WRONG.items():
        site.install(name, {"x": f"{name}_tools"}, {f"{name}_tools.py": code})
    site.install("absent", {"module": "absent_tools", "object": "absent_pkg:TOOLS"}, {"absent_pkg/__init__.py": ""})
    site.install("fine", {"x": "fine_tools"}, {"fine_tools.py": TOOL.format(name="fine")})
    return site


@pytest.fixture(scope="module")
def described(wrong: Site) -> dict[str, Said]:
    """What doctor says of each plugin that does not load."""
    found = doctor(wrong)
    assert [each.kind for each in found] == ["problem"] * len(found)
    return {each.subject: each for each in found}


def test_every_plugin_that_does_not_load_is_reported_and_no_other(described: dict[str, Said]) -> None:
    """A crash, a hang or an exit ends neither doctor nor the list."""
    assert list(described) == sorted([*(f"{name}[x]" for name in WRONG), "absent[module]", "absent[object]"])
    assert {each.message.partition(":")[0] for each in described.values()} == {"does not load"}


@pytest.mark.parametrize(
    ("subject", "message", "line"),
    [
        ("raises[x]", "does not load: JSONDecodeError: Expecting property name", 4),
        ("syntax[x]", "does not load: SyntaxError: ", 2),
        ("leaves[x]", "does not load: SystemExit: 3", 2),
        ("needs[x]", "does not load: ModuleNotFoundError: No module named 'missing_somewhere'", 1),
        ("crashes[x]", "does not load: it ends the process that imports it, with signal SIGSEGV", 4),
        ("vanishes[x]", "does not load: it ends the process that imports it, with code 7", None),
        ("hangs[x]", "does not load: importing it takes longer than 5 seconds", 2),
    ],
)
def test_the_line_of_its_own_code(
    wrong: Site, described: dict[str, Said], subject: str, message: str, line: int | None
) -> None:
    """Not that of the library that raised in the end; none where nobody could say."""
    found = described[subject]
    assert found.message.startswith(message)
    if line is not None:
        assert found.place == f"{wrong.folder}/{subject.removesuffix('[x]')}_tools.py:{line}"
    assert found.advice


def test_an_entry_point_that_resolves_to_nothing(described: dict[str, Said]) -> None:
    """Whether the module is missing, or the object in it, and what its authors are to correct."""
    module, named = described["absent[module]"], described["absent[object]"]
    assert "No module named 'absent_tools'" in module.message
    assert 'correct module = "absent_tools" in its pyproject.toml' in module.advice
    assert "there is no 'TOOLS' in absent_pkg" in named.message
    assert (module.place, named.place) == ("", "")


def test_the_same_is_said_byte_for_byte_the_second_time(wrong: Site) -> None:
    """Tracebacks of crashes too, which Python writes with the numbers of threads; those that hang are waited for again."""
    shutil.rmtree(wrong.folder / "hangs-1.0.dist-info", ignore_errors=True)
    env = {"FCREGISTRY_IMPORT_SECONDS": "20"}
    first, second = (wrong.cli("doctor", "-v", env=env) for _ in range(2))
    assert first.stdout == second.stdout
    assert "Segmentation fault" in first.stdout
    assert 'crashes_tools.py", line 4 in crash' in first.stdout


def test_a_failure_that_has_gone_is_seen(site: Site) -> None:
    """A variable that is set now: doctor tries what did not load again, and every other command then knows."""
    code = "import os\nos.environ['ACME_KEY']\n" + TOOL.format(name="today")
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": code})
    (found,) = doctor(site)
    assert found.message == "does not load: KeyError: 'ACME_KEY'"
    assert found.place == f"{site.folder}/acme_tools.py:2"
    assert doctor(site, ACME_KEY="1") == []
    assert site.cli("list").stdout.splitlines()[1].split() == ["today", "acme"]


def test_a_plugin_is_imported_once_by_each_doctor_and_by_no_other_command(site: Site) -> None:
    """Never in doctor's own process: its imports are counted, with the process and its parent."""
    code = "import os\nwith open('imports', 'a') as file:\n    print(os.getpid(), file=file)\n" + TOOL.format(
        name="one"
    )
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": code})
    imports = site.folder / "imports"
    for command in (["list"], ["show", "one"], ["plugins"]):
        assert site.cli(*command).returncode == 0
    assert len(imports.read_text().splitlines()) == 1
    for number, words in enumerate(((), (), ("one",), ("acme",)), start=2):
        assert doctor(site, *words) == []
        assert len(set(imports.read_text().splitlines())) == number


RUDE = """
import asyncio, builtins, logging, multiprocessing, os, signal, socket, sys, threading, warnings

def poll():
    threading.Event().wait()

sys.path.insert(0, "/nowhere")
os.environ["RUDE_KEY"] = "a secret"
os.environ.pop("RUDE_GONE", None)
os.chdir("/")
warnings.simplefilter("ignore")
logging.basicConfig(level="DEBUG")
signal.signal(signal.SIGTERM, lambda *_: None)
sys.excepthook = print
sys.setrecursionlimit(5000)
socket.setdefaulttimeout(3)
builtins.debug = print
sys.stdout = open(os.devnull, "w")
multiprocessing.set_start_method("spawn")
asyncio.events._event_loop_policy = type("Policy", (), {})()
threading.Thread(target=poll, daemon=True).start()
threading.Thread(target=int, daemon=True).start()
"""

CHANGES = [
    "adds /nowhere to sys.path",
    "adds a filter for warnings of every module (ignore Warning)",
    "adds a handler to the root logger",
    "adds debug to builtins",
    "changes how processes are started",
    "changes the default timeout of sockets",
    "changes the event loop policy",
    "changes the level of the root logger",
    "changes the recursion limit",
    "changes the working folder",
    "handles SIGTERM",
    "leaves a thread running (poll)",
    "removes RUDE_GONE from os.environ",
    "replaces sys.excepthook",
    "replaces sys.stdout",
    "sets RUDE_KEY in os.environ",
]


def test_a_plugin_that_changes_what_others_rely_on(site: Site) -> None:
    """Each change by its name, and no value of a variable; a thread that has ended is none."""
    site.install("rude", {"x": "rude_tools"}, {"rude_tools.py": RUDE + TOOL.format(name="rude")})
    (found,) = doctor(site, RUDE_GONE="1")
    assert (found.kind, found.subject) == ("problem", "rude[x]")
    said, _, changes = found.message.partition(": ")
    assert said == "changes the state of the whole process when it is imported"
    assert changes.split("; ") == CHANGES
    assert "report this to the authors of rude" in found.advice


def test_what_its_dependencies_change_is_not_laid_at_its_door(site: Site) -> None:
    """However they are imported; what it does itself beside that still is."""
    files = {
        "engine.py": "import os, sys\nos.environ['ENGINE'] = '1'\nsys.setrecursionlimit(5000)\n",
        "tuning/__init__.py": "",
        "tuning/hooks.py": "import sys\nsys.excepthook = print\n",
        "meek_tools.py": "import logging\nimport engine\nfrom tuning import hooks\n"
        "logging.getLogger('meek').addHandler(logging.NullHandler())\n" + TOOL.format(name="meek"),
        "half_tools.py": "import os, engine_two\nos.environ['HALF'] = '1'\n" + TOOL.format(name="half"),
        "engine_two.py": "import os\nos.environ['ENGINE_TWO'] = '1'\n",
    }
    site.install("meek", {"x": "meek_tools"}, files)
    site.install("half", {"x": "half_tools"})
    assert [(each.subject, each.message.rpartition(": ")[2]) for each in doctor(site)] == [
        ("half[x]", "sets HALF in os.environ")
    ]


def test_a_plugin_that_prints_and_one_that_is_slow_are_notes(site: Site) -> None:
    """Both work, so that the status is 0: how long it takes is told as it was measured, and what shows why."""
    site.install("loud", {"x": "loud_tools"}, {"loud_tools.py": "print('hello')\n" + TOOL.format(name="loud")})
    slow = "import time\nbegin = time.perf_counter()\nwhile time.perf_counter() < begin + 1.05:\n    pass\n"
    site.install("slow", {"x": "slow_tools"}, {"slow_tools.py": slow + TOOL.format(name="slow")})
    loud, slow_one = doctor(site)
    assert (loud.kind, loud.subject, loud.message) == ("note", "loud[x]", "prints when it is imported")
    assert (slow_one.kind, slow_one.subject) == ("note", "slow[x]")
    assert re.match(r"takes [1-9]\d*\.\d", slow_one.message)
    assert "python -X importtime -c 'import slow_tools'" in slow_one.advice
    assert doctor(site) == [loud, slow_one]


def test_a_tool_that_needs_pebble_where_there_is_none(site: Site, tmp_path: Path) -> None:
    """It is listed, and cannot be called: what to install."""
    without = tmp_path / "dependencies"
    without.mkdir()
    for each in site.path[1].iterdir():
        if not each.name.lower().startswith("pebble"):
            (without / each.name).symlink_to(each)
    code = TOOL.replace("@fc_register", "@fc_register(isolation='process')").format(name="apart")
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": code})
    assert doctor(site) == []
    site.path[1] = without
    (found,) = doctor(site)
    assert (found.kind, found.subject) == ("problem", "acme:apart")
    assert "needs pebble" in found.message
    assert found.advice == 'pip install "fcregistry[isolation]"'
    assert doctor(site, "apart") == [found]


def test_an_index_that_was_damaged_and_one_that_cannot_be_written(site: Site, tmp_path: Path) -> None:
    """The first is made anew, and a note; the second costs every command the same work, and is a problem. Tools are there all the same."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOL.format(name="today")})
    assert doctor(site) == []
    (index,) = (site.folder.parent / "cache").glob("*.sqlite")
    index.write_bytes(b"SQLite format 3\0" + b"nothing of the kind" * 50)
    (note,) = doctor(site)
    assert (note.kind, note.subject) == ("note", "the index")
    assert str(index) in note.message
    assert doctor(site) == []
    file = tmp_path / "a file"
    file.write_text("where the folder should be")
    (found,) = doctor(site, FCREGISTRY_CACHE_DIR=str(file))
    assert (found.kind, found.subject) == ("problem", "the index")
    assert "; create the folder, or make it readable and writable for you, or set FCREGISTRY_CACHE_DIR" in found.advice


UNREADABLE = """
import os

folder, known, allowed = os.environ["FCREGISTRY_CACHE_DIR"], os.stat, os.access

def stat(path, *more, **named):
    if str(path).startswith(folder + os.sep):
        raise PermissionError(13, "Permission denied", str(path))
    status = known(path, *more, **named)
    return os.stat_result((*status[:4], 4242, *status[5:])) if str(path) == folder else status

os.stat = stat
os.access = lambda path, mode, **named: str(path) != folder and allowed(path, mode, **named)
from fcregistry.cli import main
main(["doctor"])
"""
"""Doctor, for which the cache folder is another user's, with mode 0700; the administrator, who runs these tests too, may read any."""


def test_a_cache_folder_that_cannot_be_read_is_a_finding(site: Site) -> None:
    """Doctor goes on with its other checks."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": "1 / 0"})
    (site.folder.parent / "cache").mkdir(mode=0o700)
    done = site.run("-c", UNREADABLE)
    assert "problem: the index: cannot be saved: " in done.stdout, done.stderr
    assert "; create the folder, or make it readable and writable for you, or set FCREGISTRY_CACHE_DIR" in done.stdout
    assert "problem: acme[x]: " in done.stdout
    assert done.returncode == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="other users' permissions are those of POSIX")
def test_an_index_that_others_may_write_to_is_a_finding_with_other_advice(site: Site) -> None:
    """It is not read: its content would count as that of the plugins."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOL.format(name="today")})
    folder = site.folder.parent / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    (found,) = doctor(site)
    assert found.advice.endswith(
        f"; allow only yourself to write to {folder}, or name another folder with FCREGISTRY_CACHE_DIR"
    )


def test_a_plugin_that_every_command_imports_anew(site: Site) -> None:
    """What its description was made from changes with each import; one that says so of itself is meant to be asked."""
    seen = "import os\nopen('seen', 'a').close()\nos.utime('seen', (2**32, 2**32))\nopen('seen').close()\n"  # of a time to come
    writes = seen + TOOL.format(name="one")
    asked = "FCREGISTRY_DYNAMIC = True\n" + TOOL.format(name="two")
    site.install("writes", {"x": "writes_tools"}, {"writes_tools.py": writes})
    site.install("asked", {"x": "asked_tools"}, {"asked_tools.py": asked})
    for _ in range(2):
        (found,) = doctor(site)
        assert (found.kind, found.subject) == ("note", "writes[x]")
        assert found.message.startswith("is imported again by every command")


PROJECT = '[project]\nname = "acme"\nversion = "1.0"\n[project.entry-points.fcregistry]\nx = "acme_tools"\n'
DEPENDS = (
    "import os\n\nfrom fcregistry import fc_register\n\n"
    "@fc_register(description=os.environ.get('ACME_TEXT', 'As it is.'))\ndef today() -> str:\n    return ''\n"
)


def test_a_manifest_that_is_not_what_the_code_declares(site: Site, tmp_path: Path) -> None:
    """Older than the sources; other than what importing it shows now; spoilt."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text(PROJECT)
    (project / "acme_tools.py").write_text(DEPENDS)
    built = site.cli("manifest", "build", cwd=project)
    assert built.returncode == 0, built.stderr
    manifest = "acme_tools.fcregistry.json"
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": DEPENDS, manifest: (project / manifest).read_text()})
    (row,) = json.loads(site.cli("plugins", "--json").stdout)
    assert (row["state"], row["import_seconds"]) == ("described", None), "no process has imported it"
    for words in ((), ("--probe",)):
        (found,) = [each for each in doctor(site, *words, ACME_TEXT="Another.") if each.kind == "problem"]
        assert found.subject == "acme[x]"
        assert "has a manifest that is not what its code declares: today: description is" in found.message
        assert "fcregistry manifest build" in found.advice
    (changed,) = doctor(site)
    assert (changed.subject, "another program writes to it, or the tools depend" in changed.advice) == (
        "acme:today",
        True,
    )
    assert 'described it otherwise than its package: description is "' in changed.message
    assert doctor(site) == []
    assert doctor(site, FCREGISTRY_DENY="today") == [], "its author is not to blame for what is hidden here"
    (site.folder / "acme_tools.py").write_text(DEPENDS + "# edited\n")
    (older,) = doctor(site)
    assert older.message == "has a manifest that is older than its code: acme_tools.py"
    (site.folder / manifest).write_text("{}")
    (spoilt,) = doctor(site)
    assert spoilt.message.startswith("has a manifest that is not used: ")


def test_a_manifest_that_the_author_of_an_editable_project_has_yet_to_build(site: Site, tmp_path: Path) -> None:
    """A note, since the tools work; in a copy that was installed, a file that changed is a problem."""
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "acme_tools.py").write_text(DEPENDS)
    assert site.cli("manifest", "build", cwd=tmp_path).returncode == 0
    manifest = "acme_tools.fcregistry.json"
    files = {"acme_tools.py": DEPENDS + "# edited\n", manifest: (tmp_path / manifest).read_text()}
    info = site.install("acme", {"x": "acme_tools"}, files)
    (info / "direct_url.json").write_text(json.dumps({"url": tmp_path.as_uri(), "dir_info": {"editable": True}}))
    (older,) = doctor(site)
    assert (older.kind, older.message) == ("note", "has a manifest that is older than its code: acme_tools.py")
    assert older.advice == "fcregistry manifest build acme"
    (info / "direct_url.json").write_text(json.dumps({"url": tmp_path.as_uri(), "dir_info": {}}))
    assert [each.kind for each in doctor(site)] == ["problem"]


def test_a_program_diagnoses_what_it_has_imported_itself(site: Site) -> None:
    """Where nobody describes plugins elsewhere: `diagnose()` imports them, and says the same of those that fail."""
    site.install("bad", {"x": "bad_tools"}, {"bad_tools.py": "x = 1\n1 / 0\n"})
    site.install("fine", {"x": "fine_tools"}, {"fine_tools.py": TOOL.format(name="fine")})
    answer = site.ask(
        """
        from fcregistry.inspection import diagnose
        answer = [[each.subject, each.message, each.place] for each in diagnose()], "fine_tools" in sys.modules
        """
    )
    where = f"{site.folder}/bad_tools.py:2"
    assert answer == [[["bad[x]", "does not load: ZeroDivisionError: division by zero", where]], True]

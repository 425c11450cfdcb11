"""What do plugins that go wrong cost those beside them? Nothing: what these answer is the same byte for byte."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool
from tests.forking import RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Site

GOOD = {
    "able": tool("say_able")
    + '\n@fc_register("maths")\ndef add(a: int, b: int = 1) -> int:\n    "Add."\n    return a + b\n',
    "mild": "import colorsys\n" + tool("say_mild", answer="colorsys.__name__"),
    "zest": tool("say_zest", says="Zest: ä, 漢."),
}

# What a bad plugin's module does, and how its failure begins; None: it loads all the same.
BAD = {
    "breaks": ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
    "exits": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "ends": ("os._exit(0)", "it ends the process that imports it, with code 0"),
    "crashes": (
        "import faulthandler\nfaulthandler._sigsegv()",
        "it ends the process that imports it, with signal SIGSEGV",
    ),
    "hangs": ("import threading\nthreading.Event().wait()", "importing it takes longer than 20 seconds"),
    "interrupts": ("raise KeyboardInterrupt", "it ends the process that imports it"),
    "closes": (
        "for each in range(3, 64):\n    try: os.close(each)\n    except OSError: pass",
        "it ends the process that imports it, with code",
    ),
    "prints": ("import sys\nprint('[{}]')\nos.write(1, b'[[]]')\nsys.__stdout__.write('x')", None),
    "reads": ("import sys\nassert sys.stdin.read() == '' == sys.__stdin__.read()\nassert os.read(0, 9) == b''", None),
    "threads": ("import threading\nthreading.Thread(target=threading.Event().wait).start()", None),
    "forks": ("if os.fork() == 0:\n    import time\n    time.sleep(60)", None),
    "doubles": ("os.fork()", None),
    "squats": (tool("say_able", answer="'squatted'") + "\nfc_register('maths', name='add')(lambda a: 0)\n", None),
    "chdirs": ("import sys\nos.chdir('/')\nsys.path.clear()\nsys.setrecursionlimit(120)", None),
    "blocks": ("import sys\nsys.modules['colorsys'] = None", None),
    "unhooks": ("import builtins\nbuiltins.__import__ = None", "it ends the process that imports it, with code 1"),
}
MEASURES = {"FCREGISTRY_IMPORT_SECONDS": "20"}
CALLS = ["able:say_able", "say_mild", "say_zest"]


def _answers(site: Site) -> Iterator[str]:
    """Yield what the good ones answer, in the order of `GOOD` and by their canonical ids and names."""
    listed = site.cli("list", "--json", env=MEASURES)
    told = {each["id"]: each for each in json.loads(listed.stdout)}
    yield json.dumps([told[name] for name in sorted(told) if name.partition(":")[0] in GOOD]).replace(
        str(site.folder), "SITE"
    )
    code = f"""
    for name in {CALLS!r}:
        run(["show", name])
        run(["call", name])
    run(["call", "able:maths.add", "--a", "2"])
    """
    yield site.run("-c", RUN + dedent(code)).stdout.replace(str(site.folder), "SITE")


@pytest.fixture(scope="module")
def alone(make_site: Callable[[], Site]) -> Site:
    """Good plugins that have the machine for themselves."""
    site = make_site()
    for name, code in GOOD.items():
        install(site, name, code)
    return site


@pytest.fixture(scope="module")
def mixed(make_site: Callable[[], Site]) -> Site:
    """The same among all sorts of bad ones."""
    site = make_site()
    for name, code in GOOD.items():
        install(site, name, code)
    for name, (code, _) in BAD.items():
        install(site, name, "import os\n" + code)
    return site


def test_good_plugins_answer_the_same_beside_bad_ones(alone: Site, mixed: Site) -> None:
    """Listed, shown and called by their names; and bad ones are imported once, not at every command."""
    assert list(_answers(mixed)) == list(_answers(alone))
    first = imported(mixed)
    assert {name.removesuffix("_tools") for name in first} == {*GOOD, *BAD}
    assert (
        max(map(first.count, first)) <= 2
    )  # once more in a process of its own, where another had been imported before
    assert "say_able" in mixed.cli("list", env=MEASURES).stdout
    assert imported(mixed) == []


def test_each_bad_plugin_is_told_for_itself(mixed: Site) -> None:
    """What went wrong with it, by its own name."""
    rows = json.loads(mixed.cli("plugins", "--json", env=MEASURES).stdout)
    said = {row["distribution"]: row["reason"] for row in rows if row["distribution"] in BAD}
    for name, (_, reason) in BAD.items():
        assert said[name] is reason is None or said[name].startswith(reason), name


def test_a_failed_plugin_is_tried_again_when_something_changed(site: Site) -> None:
    """Its own file, or what else is installed; until then it is not."""
    file = install(site, "needs", "import needed\n" + tool("say_needs"))
    install(site, "good")
    assert "did not load: needs[x]" in site.cli("list").stderr
    assert sorted(set(imported(site))) == ["good_tools", "needs_tools"]
    assert "did not load: needs[x]" in site.cli("list").stderr
    assert imported(site) == []
    site.install("provides", files={"needed.py": ""})
    assert "say_needs" in site.cli("list").stdout
    assert imported(site) == ["needs_tools"]
    file.write_text(file.read_text() + "\nraise ValueError('other')\n")
    assert "ValueError: other" in site.cli("plugins").stdout
    assert imported(site) == ["needs_tools"]
    file.write_text(file.read_text().replace("ValueError('other')", "ValueError('once more')"))
    assert "ValueError: once more" in site.cli("plugins").stdout
    assert imported(site) == ["needs_tools"]

"""Worker processes share the work, and one plugin leaves nothing to the next in its process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from tests.conftest import Site

ASKS = """
from fcregistry.discovery import describe_in_workers, find_plugins

plugins, order = find_plugins(), []
made = describe_in_workers(plugins, plugins, seconds=SECONDS, on_described=lambda each: order.append(each.plugin.distribution))
answer = [order, {each.plugin.distribution: [[row.name for row in each.rows], each.record] for each in made}]
"""

WHO = "\nimport os\nfc_register(name=f'pid_{os.getpid()}')(lambda: None)\n"
"""A tool by whose name a test knows which process imported it."""


def _made(site: Site, seconds: float = 20.0) -> tuple[list[str], dict[str, Any]]:
    """Return the plugins in the order in which they were described, and the tools and the record of each."""
    order, made = site.ask(ASKS.replace("SECONDS", str(seconds)))
    return order, made


def test_one_that_hangs_costs_the_one_that_waits_behind_it_nothing(site: Site) -> None:
    """It is requested before the other is done, and imported once, in the next process."""
    install(site, "first", "import sys\nprint('of the first', file=sys.stderr)\n" + tool("say_first"))
    install(
        site,
        "hangs",
        "import sys, threading\nprint('of this one', file=sys.stderr, flush=True)\nthreading.Event().wait()\n",
    )
    install(site, "last")
    order, made = _made(site, seconds=3.0)  # in which the others are certainly imported
    assert order == ["first", "hangs", "last"]
    assert imported(site) == ["first_tools", "hangs_tools", "last_tools"]
    assert made["first"][0] == ["say_first"]
    assert made["last"][0] == ["say_last"]
    assert made["hangs"][1]["failure"] == "importing it takes longer than 3 seconds"
    assert made["hangs"][1]["detail"].startswith("of this one\n")


def test_no_plugin_is_imported_where_another_has_changed_something(site: Site) -> None:
    """Those that change nothing share a process; none is imported twice."""
    install(site, "a", WHO)
    install(site, "b", WHO + "os.environ['OF_B'] = '1'\n")
    install(site, "c", WHO + tool("clean", says="Say.") + "assert 'OF_B' not in os.environ\n")
    install(site, "d", WHO)
    order, made = _made(site)
    assert order == ["a", "b", "c", "d"]
    assert imported(site) == ["a_tools", "b_tools", "c_tools", "d_tools"]
    pids = {name: next(each for each in tools if each.startswith("pid_")) for name, (tools, _) in made.items()}
    assert pids["a"] == pids["b"] != pids["c"] == pids["d"]
    assert made["b"][1]["changes"] == ["sets OF_B in os.environ"]


def test_one_that_fails_among_others_is_tried_without_them(site: Site) -> None:
    """It may load then: which other plugin was imported before it is chance."""
    install(site, "a", tool("say_a"))
    install(site, "b", "import sys\nassert 'a_tools' not in sys.modules\n" + tool("say_b"))
    install(site, "c", "raise RuntimeError('always')")
    install(site, "d", tool("say_d"))
    order, made = _made(site)
    assert order == ["a", "b", "c", "d"]
    assert [made[name][0] for name in "abcd"] == [["say_a"], ["say_b"], [], ["say_d"]]
    assert made["c"][1]["failure"] == "RuntimeError: always"
    assert imported(site) == ["a_tools", "b_tools", "b_tools", "c_tools", "c_tools", "d_tools"]


@pytest.mark.parametrize("nonsense", ["nonsense", "[]", "{}"])
def test_one_that_writes_where_only_answers_belong_costs_itself_alone(site: Site, nonsense: str) -> None:
    """As one does that writes to every file that is open."""
    install(site, "a", tool("say_a"))
    install(
        site,
        "b",
        f"for each in range(3, 64):\n    try: os.write(each, b'{nonsense}\\n')\n    except OSError: pass\n",
    )
    install(site, "c", tool("say_c"))
    _, made = _made(site)
    assert [made[name][0] for name in "abc"] == [["say_a"], [], ["say_c"]]
    assert made["b"][1]["failure"].startswith("it ends the process that imports it")


def test_a_plugin_whose_import_is_interrupted_is_not_blamed(site: Site) -> None:
    """It has not ended its process, and later processes would believe a recorded failure."""
    site.install(
        "acme",
        {"x": "acme_tools"},
        {"acme_tools.py": "import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(60)\n"},
    )
    answer = site.ask(
        """
        import pathlib, signal, threading, time
        from fcregistry.discovery import current
        from fcregistry.discovery import describe_in_workers

        def interrupt():
            while not pathlib.Path("begun").exists():
                time.sleep(0.01)
            signal.raise_signal(signal.SIGINT)

        described = []
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Thread(target=interrupt).start()
        try:
            describe_in_workers(current().plugins, current().plugins, seconds=60.0, on_described=described.append)
        except KeyboardInterrupt:
            described.append("interrupted")
        answer = described
        """
    )
    assert answer == ["interrupted"]


@pytest.mark.skipif(os.name != "posix", reason="interrupts are sent to groups of processes")
def test_an_interrupt_that_ends_a_worker_before_it_starts_interrupts_the_command(site: Site) -> None:
    """Until a new process has a session of its own, an interrupt of the command reaches it too: no plugin is to blame."""
    install(site, "acme")
    site.write({"interrupted": "#!/bin/sh\nkill -INT $$\n"})
    (site.folder / "interrupted").chmod(0o700)
    code = f"import sys; sys.executable = {str(site.folder / 'interrupted')!r}; from fcregistry.cli import main; main(['list'])"
    done = site.run("-c", code)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "Error: interrupted")
    done = site.cli("list")
    assert ("say_acme" in done.stdout, done.stderr) == (True, "")

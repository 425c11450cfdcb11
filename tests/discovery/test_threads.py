"""Several threads that load plugins at once. No lock of ours is held while foreign code runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Site

TOOL = "\nfrom fcregistry import fc_register\n\n@fc_register\ndef {name}() -> str:\n    return ''\n"


def test_lookups_wait_for_a_plugin_that_the_main_thread_imports(site: Site) -> None:
    """Two threads look its tool up while its import is under way: none deadlocks, and both find the tool."""
    site.install(
        "acme",
        {"x": "acme_tools"},
        {
            "acme_tools.py": """
                import sys
                meeting = sys.modules["__main__"].meeting
                meeting.importing.set()
                assert meeting.looking.wait(30)
            """
            + TOOL.format(name="late").replace("\n", "\n" + " " * 16)
        },
    )
    answer = site.ask(
        """
        import threading
        class meeting:
            importing, looking = threading.Event(), threading.Event()
        from fcregistry import registry
        found = []

        def look():
            assert meeting.importing.wait(30)
            meeting.looking.set()
            found.append(registry.get("late").id)
            found.append(registry.get("acme:late").id)

        threads = [threading.Thread(target=look, daemon=True) for _ in range(2)]
        for thread in threads:
            thread.start()
        import acme_tools
        for thread in threads:
            thread.join(30)
        answer = [found, threading.active_count()]
        """
    )
    assert answer == [["acme:late"] * 4, 1]


def test_many_threads_find_every_tool(site: Site) -> None:
    """They all begin at once, and each plugin is imported once."""
    for number in range(4):
        site.install(
            f"p{number}",
            {"x": f"p{number}_tools"},
            {
                f"p{number}_tools.py": f"import builtins\nbuiltins.imported.append({number})\n"
                + TOOL.format(name=f"tool{number}")
            },
        )
    answer = site.ask(
        """
        import builtins, threading
        builtins.imported = []
        from fcregistry import load_plugins, registry
        found, start = [], threading.Barrier(8)

        def look(number):
            start.wait()
            found.append(registry.get(f"tool{number % 4}").id)

        threads = [threading.Thread(target=look, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        answer = [sorted(found), sorted(imported), load_plugins().ok]
        """
    )
    assert answer == [sorted(f"p{number}:tool{number}" for number in range(4) for _ in range(2)), [0, 1, 2, 3], True]


def test_stdout_is_itself_again_after_overlapping_imports(site: Site) -> None:
    """The first import ends while the second still prints: what that prints goes to stderr, and afterwards stdout is stdout."""
    site.install(
        "first",
        {"x": "first_tools"},
        {
            "first_tools.py": "import builtins\nbuiltins.first_in.set()\nassert builtins.second_in.wait(30)\n"
            + TOOL.format(name="a")
        },
    )
    site.install(
        "second",
        {"x": "second_tools"},
        {
            "second_tools.py": "import builtins\nbuiltins.second_in.set()\nassert builtins.first_done.wait(30)\nprint('noise')\n"
            + TOOL.format(name="b")
        },
    )
    answer = site.ask(
        """
        import builtins, threading
        for name in ("first_in", "second_in", "first_done"):
            setattr(builtins, name, threading.Event())
        from fcregistry import registry
        before = sys.stdout

        def one():
            registry.get("first:a")
            first_done.set()

        def two():
            assert first_in.wait(30)
            registry.get("second:b")

        threads = [threading.Thread(target=each) for each in (one, two)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(30)
        answer = [sys.stdout is before, sys.stdout is not sys.stderr]
        """
    )
    assert answer == [True, True]


def test_another_thread_may_import_while_a_plugin_is_described(site: Site) -> None:
    """Looking for garbage lets other threads go on in the midst of a list of modules, on Python 3.11."""
    site.install("acme", {"x": "acme_tools"}, {"acme_tools.py": TOOL.format(name="late")})
    answer = site.ask(
        """
        import gc, types
        from fcregistry import registry

        def imported(phase, information):  # as another thread would
            sys.modules[f"imported_{len(sys.modules)}"] = types.ModuleType("imported")

        gc.callbacks.append(imported)
        gc.set_threshold(5)
        answer = [tool.name for tool in registry]
        """
    )
    assert answer == ["late"]

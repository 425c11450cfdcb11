"""What do programs keep, believe and refuse? They import plugins themselves, so what they tell the next process is told by one that did not watch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.discovery.index.logged import imported, install, tool

if TYPE_CHECKING:
    from tests.conftest import Site

FIND = "from fcregistry import registry\nanswer = {tool.id: tool.description for tool in registry.find()}"


def test_a_program_keeps_for_the_next_what_it_looked_up(site: Site) -> None:
    """The next one imports nothing, until it calls; a command does not rely on what nobody watched, and its word replaces the program's."""
    install(site, "one")
    install(site, "two")
    assert site.ask("from fcregistry import registry\nanswer = registry.get('one:say_one')()") == "say_one"
    assert imported(site) == ["one_tools"]
    found = {"one:say_one": "Answer.", "two:say_two": "Answer."}
    assert site.ask(FIND) == found
    assert imported(site) == ["two_tools"]
    assert site.ask(FIND) == found
    assert imported(site) == []
    assert "say_one" in site.cli("list").stdout
    assert sorted(imported(site)) == ["one_tools", "two_tools"]
    assert "say_one" in site.cli("list").stdout
    assert site.ask(FIND) == found
    assert imported(site) == []


def test_a_program_sees_an_edit_of_any_module_it_had_imported(site: Site) -> None:
    """It cannot tell who read what, so a change of anything that was loaded counts."""
    helper = "acme_help.py"
    file = install(site, "acme", f"import acme_help\n{tool('say', says='Old.')}", files={helper: "X = 1\n"})
    assert site.ask(FIND) == {"acme:say": "Old."}
    file.write_text(file.read_text().replace("Old.", "Edited."))
    assert site.ask(FIND) == {"acme:say": "Edited."}
    assert imported(site) == ["acme_tools"] * 2
    (site.folder / helper).write_text("X = 1000\n")
    site.ask(FIND)
    assert imported(site) == ["acme_tools"]


def test_a_dynamic_plugin_is_asked_each_time(site: Site) -> None:
    """Its tools depend on the environment, and it says so."""
    code = """
    FCREGISTRY_DYNAMIC = True
    @fc_register(name=os.environ.get("ACME_NAME", "usual"))
    def named() -> str:
        return "named"
    """
    install(site, "acme", code)
    install(site, "still")
    assert "usual" in site.cli("list").stdout
    assert "special" in site.cli("list", env={"ACME_NAME": "special"}).stdout
    assert imported(site).count("acme_tools") == 2
    assert list(site.ask(FIND, env={"ACME_NAME": "other"})) == ["acme:other", "still:say_still"]
    assert imported(site) == ["acme_tools"]
    assert '"named"' in site.cli("call", "special", env={"ACME_NAME": "special"}).stdout


DRIFTING = """
kind = {"int": int, "str": str}[os.environ.get("ACME_KIND", "int")]

@fc_register
def drift(a: kind) -> str:
    return repr(a)

if kind is int:
    @fc_register
    def only_sometimes() -> str:
        return ""
"""


def test_what_was_described_is_what_runs(site: Site) -> None:
    """A plugin whose tools depend on a variable, which it does not say: a call is refused, and whoever comes next is told the truth."""
    install(site, "acme", DRIFTING)
    assert "drift" in site.cli("list").stdout
    imported(site)
    code = """
    from fcregistry import Executor, errors, registry
    answer = []
    tools = registry.find()
    with Executor(tools) as executor:
        for tool, arguments in zip(tools, ({"a": 1}, {})):
            result = executor.run({"name": tool.name, "arguments": arguments})
            answer.append([result.error.code, result.error.message])
            try:
                tool(**arguments)
            except errors.PluginError as error:
                answer.append([type(error).__name__, str(error)])
    """
    said = site.ask(code, env={"ACME_KIND": "str"})
    assert [kind for kind, _ in said] == ["unavailable", "ToolChangedError"] * 2
    assert all("schema_changed" in text for _, text in said), said
    assert imported(site) == ["acme_tools"]
    assert list(site.ask(FIND, env={"ACME_KIND": "str"})) == ["acme:drift"]
    assert imported(site) == ["acme_tools"]


RECURSION = {
    "looks its own up": "from fcregistry import registry\nassert 'mine0' in registry\n",
    "looks others up": "from fcregistry import registry\nassert registry.get('say_other')() == 'say_other'\n",
    "finds all": "from fcregistry import registry\nassert [each.name for each in registry.find()] != []\n",
    "loads all": "from fcregistry import load_plugins\nload_plugins()\n",
    "imports the other": "import other_tools\n",
}


def test_plugins_may_look_tools_up_while_they_are_imported(site: Site) -> None:
    """Whether a worker or a program imports them: all are described in full."""
    for number, code in enumerate(RECURSION.values()):
        install(site, f"acme{number}", tool(f"mine{number}") + code)
    install(site, "other")
    right = sorted(["other:say_other", *(f"acme{number}:mine{number}" for number in range(len(RECURSION)))])
    listed = site.cli("list", "--json")
    assert (listed.stderr, sorted(each["id"] for each in json.loads(listed.stdout))) == ("", right)
    apart = {"FCREGISTRY_CACHE_DIR": str(site.folder.parent / "apart")}
    for environment in (apart, apart, {}):
        assert sorted(site.ask(FIND, env=environment)) == right


def test_threads_that_look_up_and_call_at_once_get_one_tool_each(site: Site) -> None:
    """Described or not: no thread is told less than another."""
    for number in range(3):
        install(site, f"p{number}")
    code = """
    import threading
    from fcregistry import registry
    start, answers = threading.Barrier(12), []

    def look(number):
        start.wait()
        tool = registry.get(f"say_p{number % 3}")
        answers.append([tool(), len(registry.find()), len(registry.select("say_*")), registry.get(tool.id).id == tool.id])

    threads = [threading.Thread(target=look, args=(number,)) for number in range(12)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    answer = sorted(answers)
    """
    right = sorted([[f"say_p{number % 3}", 3, 3, True] for number in range(12)])
    for _ in range(2):
        assert site.ask(code) == right
    site.cli("list")
    imported(site)
    assert site.ask(code) == right
    assert sorted(imported(site)) == ["p0_tools", "p1_tools", "p2_tools"]


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system cannot fork")
def test_children_of_a_program_use_what_it_had_read(site: Site) -> None:
    """A fork reads records and calls on its own."""
    install(site, "one")
    install(site, "two")
    site.cli("list")
    code = """
    import os
    from fcregistry import registry
    tools = registry.find()
    answer = []
    for tool in tools:
        read, write = os.pipe()
        if os.fork() == 0:
            os.write(write, f"{tool.description} {tool()} {registry.get('say_two').description}".encode())
            os._exit(0)
        answer.append(os.read(read, 999).decode())
        os.wait()
    answer += [tool.description for tool in tools]
    """
    assert site.ask(code) == ["Answer. say_one Answer.", "Answer. say_two Answer.", "Answer.", "Answer."]


def test_a_tool_keeps_its_own_description_when_the_index_is_renewed_meanwhile(site: Site) -> None:
    """Rows move when another process writes the file; what is read of a tool is never another one's."""
    install(site, "bbb", tool("say_b", says="Of b."))
    install(site, "ccc", tool("say_c", says="Of c."))
    site.cli("list")
    code = """
    import subprocess
    from fcregistry import load_plugins, registry
    from fcregistry.discovery import current
    tools = [registry.get("say_b"), registry.get("say_c")]
    sys.stdin.readline()
    """
    install_more = f"""
    open({str(site.folder / "bbb_tools.py")!r}, "a").write("\\n@fc_register\\ndef a_new() -> str:\\n    'New.'\\n    return ''\\n")
    subprocess.run([sys.executable, "-S", "-m", "fcregistry", "list"], check=True, stdout=subprocess.DEVNULL)
    current().refresh()
    answer = [[tool.description, tool.parameters["type"]] for tool in tools]
    """
    assert site.ask(code + install_more) == [["Of b.", "object"], ["Of c.", "object"]]

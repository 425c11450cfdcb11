"""The hooks that a call has to pass. Those that are named, and no others; and none passes where one of them is not to be had.

Real distributions in real processes for what is installed; objects of our own for what an executor is given.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from fcregistry import Executor, Tool, ToolCall, ToolResult, hookimpl
from fcregistry.execution import Deny

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Site

GROUP = "fcregistry.extensions"


def greet(name: str) -> str:
    """Greet somebody."""
    return f"Hello {name}"


TOOL = Tool.from_function(greet)
CALL = ToolCall("greet", {"name": "Ann"}, "call_1")


class Guard:
    """An object whose methods are hooks."""

    def __init__(self, reason: str = "") -> None:
        self.reason = reason
        self.seen: list[ToolCall] = []

    @hookimpl
    def fc_before_call(self, call: ToolCall) -> Deny | None:
        self.seen.append(call)
        return Deny(self.reason) if self.reason else None


@hookimpl
def fc_before_call(tool: Tool, call: ToolCall) -> Deny:
    return Deny(f"{tool.name} is closed")


@hookimpl
def fc_after_call(result: ToolResult) -> None:
    """Have nothing to say, of a result alone."""


@hookimpl(specname="fc_before_call")
def ask_nobody() -> Deny:
    return Deny("nobody is asked")


@hookimpl
def fc_before_cal(call: ToolCall) -> None:
    """Have a misspelt name."""


@hookimpl(specname="fc_before_call")
def asks_for_more(call: ToolCall, user: str) -> None:
    """Take what no hook is given."""


@hookimpl
def fc_register_types(types: Any) -> None:
    """Be a hook, and not one of calls."""


def module(**names: Any) -> ModuleType:
    made = ModuleType("acme_hooks")
    vars(made).update(names)
    return made


def reason(given: object) -> str:
    """Return what the model reads of a call that has to pass these hooks."""
    result = Executor([TOOL], hooks=given).run(CALL)
    assert result.error is not None
    return result.content.removeprefix("the call of greet was denied; it was not run: ")


# What an executor is given


def test_without_named_hooks_there_are_no_call_hooks() -> None:
    for executor in (Executor([TOOL]), Executor([TOOL], hooks=[])):
        assert executor.run(CALL).value == "Hello Ann"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (Guard("guarded"), "guarded"),
        ([Guard(), Guard("the second one")], "the second one"),
        (module(fc_before_call=fc_before_call), "greet is closed"),
        (fc_before_call, "greet is closed"),
        ((fc_after_call, Guard("guarded").fc_before_call), "guarded"),
        (ask_nobody, "nobody is asked"),
    ],
    ids=["an object", "objects of one class", "a module", "a function", "a method", "a function of another name"],
)
def test_an_object_with_functions_marked_by_hookimpl_is_a_hook(given: object, told: str) -> None:
    """Each takes those of the arguments that it asks for."""
    assert reason(given) == told


def test_a_hook_after_calls_alone_lets_every_call_through() -> None:
    assert Executor([TOOL], hooks=[fc_after_call]).run(CALL).value == "Hello Ann"


NO_HOOKS: dict[str, tuple[object, str]] = {
    "a class": (Guard, "hooks=… must be an instance of Guard, not the class"),
    "a function without a mark": (
        greet,
        f"hooks=… takes hooks, and {__name__}.greet implements no hook; mark its functions with fcregistry.hookimpl",
    ),
    "something else": (
        [42],
        "hooks=… takes hooks, and builtins.int implements no hook; mark its functions with fcregistry.hookimpl",
    ),
    "a misspelt hook": (
        fc_before_cal,
        f"{__name__}.fc_before_cal: there is no hook fc_before_cal; there are fc_after_call, fc_before_call, fc_register_types, fc_resolve_model",
    ),
    "a hook of types": (
        module(fc_register_types=fc_register_types),
        "hooks=… takes hooks, and acme_hooks has neither fc_before_call nor fc_after_call",
    ),
    "a hook that asks for more": (asks_for_more, "{'user'}"),
}


@pytest.mark.parametrize("what", NO_HOOKS)
def test_an_object_that_is_not_a_hook_is_refused_at_once(what: str) -> None:
    """It is the programmer's mistake: nothing is made that would pass calls, or refuse them all."""
    given, said = NO_HOOKS[what]
    with pytest.raises(TypeError) as caught:
        Executor([TOOL], hooks=given)
    assert said in str(caught.value)


# What is installed

AUDIT = """
import builtins
builtins.__dict__.setdefault("loads", []).append(__name__)

from fcregistry import ToolCall, hookimpl

@hookimpl
def fc_before_call(call):
    return ToolCall(call.name, {"name": call.arguments["name"] + "-" + __name__})
"""

ASK = """
import builtins
from fcregistry import Executor, Tool, ToolCall

def greet(name: str) -> str:
    return f"Hello {name}"

TOOL = Tool.from_function(greet)
CALL = ToolCall("greet", {"name": "Ann"})

def ask(given=()):
    said = Executor([TOOL], hooks=given).run(CALL)
    return [said.error.code, str(said.error.exception)] if said.error else said.value.removeprefix("Hello ")
"""


@pytest.fixture(scope="module")
def audits(make_site: Callable[[], Site]) -> Site:
    """Extensions with hooks: two of names of their own, two of one name, and some that cannot be used."""
    site = make_site()
    for name in ("a", "b"):
        site.install(f"acme-{name}", {f"audit-{name}": f"acme_{name}"}, {f"acme_{name}.py": AUDIT}, group=GROUP)
        site.install(f"same-{name}", {"same": f"same_{name}"}, {f"same_{name}.py": AUDIT}, group=GROUP)
    site.install("acme-broken", {"broken": "acme_broken"}, {"acme_broken.py": "1 / 0"}, group=GROUP)
    types = "from fcregistry import hookimpl\n@hookimpl\ndef fc_register_types(types): ..."
    site.install("acme-types", {"types": "acme_types"}, {"acme_types.py": types}, group=GROUP)
    circular = AUDIT + ASK + "\nimport builtins\nbuiltins.meanwhile = ask('circular')\n"
    site.install("acme-circular", {"circular": "acme_circular"}, {"acme_circular.py": circular}, group=GROUP)
    return site


def test_an_installed_extension_checks_no_calls_unless_it_is_named(audits: Site) -> None:
    """Where nobody names an extension, none is imported, nor anything that would look for one."""
    answer = audits.ask(ASK + "answer = [ask(), 'fcregistry.discovery' in sys.modules, hasattr(builtins, 'loads')]")
    assert answer == ["Ann", False, False]


def test_only_extensions_that_are_named_run_and_in_that_order(audits: Site) -> None:
    answer = audits.ask(ASK + "answer = [ask('audit-b'), builtins.loads[:], ask(['audit-b', 'audit-a'])]")
    assert answer == ["Ann-acme_b", ["acme_b"], "Ann-acme_b-acme_a"]


def test_hooks_of_the_environment_run_before_those_of_the_executor_and_each_once(audits: Site) -> None:
    code = ASK + "answer = [ask(), ask(['audit-a', 'audit-b', 'audit-b'])]"
    answer = audits.ask(code, env={"FCREGISTRY_CALL_HOOKS": " audit-b,"})
    assert answer == ["Ann-acme_b", "Ann-acme_b-acme_a"]


def test_a_label_names_one_of_two_extensions_with_the_same_name(audits: Site) -> None:
    answer = audits.ask(ASK + "answer = [ask('Same_B[same]'), ask('same')]")
    told = (
        "hooks=… names the extensions same-a[same] and same-b[same], of which only one can be used: "
        "name it distribution[entry point], or uninstall the others, or disable them, as with FCREGISTRY_DISABLE=same-b[same]"
    )
    assert answer == ["Ann-same_b", ["unavailable", told]]


BROKEN = {
    "missing": "names missing, and there is no extension of that name; installed are acme-a[audit-a], acme-b[audit-b], ",
    "acme-a[missing]": "names acme-a[missing], and there is no extension of that name; installed are ",
    "broken": "names the extension acme-broken[broken], which does not load: ZeroDivisionError: division by zero; report this to ",
    "types": "names types, and acme-types[types] has neither fc_before_call nor fc_after_call",
    "audit-b": "names the extension acme-b[audit-b], which is disabled: FCREGISTRY_DISABLE names acme-b[audit-b]",
}


def test_a_named_extension_that_cannot_be_used_refuses_every_call(audits: Site) -> None:
    """Whatever the others would say; who named it, which it is, and why, stands in the log, once for each executor."""
    code = f"""
import logging, os
logged = []
handler = logging.Handler()
handler.setLevel("ERROR")  # the log of calls, which has each that failed, warns
handler.emit = lambda record: logged.append([record.levelname, record.getMessage(), bool(record.exc_info)])
logging.getLogger("fcregistry").addHandler(handler)
answer = {{}}
for name in {list(BROKEN)}:
    os.environ["FCREGISTRY_CALL_HOOKS"] = name
    executor = Executor([TOOL], hooks="audit-a")
    asked = [executor.run(CALL).error for _ in range(2)]
    answer[name] = [asked[1].code, str(asked[1].exception), logged[:]]
    logged.clear()
"""
    answer = audits.ask(ASK + code, env={"FCREGISTRY_DISABLE": "acme-b[audit-b]"})
    for name, said in BROKEN.items():
        code, why, logged = answer[name]
        assert code == "unavailable"
        assert why.startswith(f"FCREGISTRY_CALL_HOOKS {said}")
        assert logged == [["ERROR", f"every call is refused: {why}", name == "broken"]]


def test_the_error_says_that_no_extension_is_installed(site: Site) -> None:
    answer = site.ask(ASK + "answer = ask('audit')")
    assert answer == ["unavailable", "hooks=… names audit, and there is no extension of that name; none is installed"]


def test_an_executor_that_an_extension_makes_while_it_is_imported_cannot_have_its_hooks(audits: Site) -> None:
    """It would let calls through that nobody looked at; one made later has them."""
    answer = audits.ask(ASK + "import acme_circular\nanswer = [builtins.meanwhile, ask('circular')]")
    assert answer == [
        ["unavailable", "hooks=… names circular, which is being imported just now; make the executor after that"],
        "Ann-acme_circular",
    ]

"""Every rule can fail: a plugin with one defect in each tool, named after the rule that it breaks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .rules import ALONE, LOADS, RULES

if TYPE_CHECKING:
    from .conftest import Project, Run

RULE_NAMES = [*RULES, ALONE]
# A value that is not of its parameter's type cannot be written as a call either.
ALSO_BROKEN = {"delivers-annotated-types": {"gives-the-call-back"}}

# What the section of each failed item says, from its second line on; the parts of it that no other rule says.
SAID = {
    "can-be-defined": """
  expected:  a schema for its parameters
  got:       parameter 'callback': Callable[[int], int]: a model cannot write a function; take a name (Literal[…]) and look the function up
  to do:     fix it there; until then, executors do not offer the tool to models
""",
    "has-a-valid-schema": """
  expected:  a valid JSON Schema of an object for its arguments
  got:       $.properties.value.type: must be one of "array", "boolean",""",
    "has-a-stable-schema": """
  expected:  the same schema of its arguments each time that fcregistry makes it
  got:       at $.properties.value.title: "number 1", and then "number 2"
  to do:     a default, a description or a type differs each time; make it constant, and sort sets
""",
    "documents-its-parameters": """
  expected:  the docstring describes parameters that exist
  got:       it describes 'lokation', which does not exist
  to do:     correct the name, or delete the line; the parameters are: location

acme-wrong:wrong.documents_its_parameters breaks the rule documents-its-parameters
  expected:  a description of every parameter, for the model
  got:       'location' has none
  to do:     describe it under Args: in the docstring, or with Annotated[…, 'text']
""",
    "names-fit-every-provider": """
  expected:  parameters whose names Anthropic accepts: ASCII letters, digits, "_", "." and "-", up to 64 characters
  got:       'größe'
  to do:     rename the parameter
""",
    "accepts-what-its-schema-says": """
  arguments: {"count": 1}
  expected:  the type of 'count' says what its schema says, which accepts 1
  got:       its codec's accepts() says False
""",
    "delivers-annotated-types": """
  arguments: {"text": ""}
  expected:  'text' arrives as acme_units.Unmarked
  got:       '', of the type str
""",
    "leaves-its-input-alone": """
  arguments: {"settings": {"x": false}}
  expected:  the caller's arguments stay as they were
  got:       decoding made them {"settings": {}}
  to do:     decode() must make a new value, and leave the one that it is given alone
""",
    "gives-the-call-back": """
  arguments: {"amount": 1}
  expected:  make_call writes the call that arrived as a model would: valid, and the same when it is called
  got:       {"amount": 2}, and of that: {"amount": 4}
  to do:     let encode() write what decode() reads; and give a record that checks its fields values that pass
""",
    "accepts-its-examples": """
  arguments: {"days": 0}
  expected:  a declared example is a call that the tool accepts without repairs
  got:       """,
    "answers-its-examples": """
  arguments: {"city": "Tokyo"}
  expected:  a result of its return annotation: {"type": "integer"}
  got:       'sunny in Tokyo': $: must be an integer, not "sunny in Tokyo"
  to do:     return what the annotation says, or annotate what the function returns
""",
    "has-its-name-alone": """
  expected:  one declaration of acme-wrong:wrong.has_its_name_alone
  got:       wrong.has_its_name_alone is registered already by acme_wrong.again.has_its_name_alone (""",
}


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The place where a function of the plugin leaves a trace when it runs."""
    return tmp_path_factory.mktemp("traces") / "traces"


@pytest.fixture(scope="module")
def run(wrong: Project, traces: Path) -> Run:
    """One run of all rules."""
    return wrong.pytest("--fcregistry", "--fcregistry-examples=40", env={"ACME_TRACES": str(traces)})


def test_every_rule_has_a_tool_that_breaks_it() -> None:
    """A new rule comes with a tool that has the defect."""
    assert sorted(SAID) == sorted(RULE_NAMES)


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_each_defect_breaks_its_rule_and_no_other(run: Run, rule: str) -> None:
    """A failure names the actual defect: no other rule fails because of it."""
    item = f"acme-wrong:wrong.{rule.replace('-', '_')}["
    failed = [name for name, outcome in run.outcomes.items() if outcome == "FAILED"]
    broken = {name.removeprefix(item).removesuffix("]") for name in failed if name.startswith(item)}
    assert broken == {rule} | ALSO_BROKEN.get(rule, set())


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_a_failure_says_what_was_expected_what_happened_and_what_to_do(run: Run, rule: str) -> None:
    """It shows the smallest arguments that break the rule, and all failures of one rule together."""
    tool = f"acme-wrong:wrong.{rule.replace('-', '_')}"
    section = run.section(f"{tool}: {rule}")
    assert section.startswith(f"{tool} breaks the rule {rule}{SAID[rule]}")


def test_a_failure_says_where_to_fix_it(run: Run, wrong: Project) -> None:
    """The place has a form that editors understand."""
    section = run.section("acme-wrong:wrong.can_be_defined: can-be-defined")
    assert section.splitlines()[-1] == f"{wrong.site.folder}/acme_wrong/tools.py:25: can_be_defined"


def test_the_summary_has_a_line_a_failure(run: Run) -> None:
    """It does in CI too, where pytest cuts nothing."""
    item = "FAILED fcregistry::acme-wrong:wrong.accepts_its_examples[accepts-its-examples] - "
    (line,) = [line for line in run.text.splitlines() if line.startswith(item)]
    assert line.endswith("- $.days: must satisfy <lambda> (and 1 more)")


def test_a_plugin_that_does_not_load_is_a_failed_item(run: Run) -> None:
    """It shows the reason, what to do, and the traceback from the plugin's own first line on."""
    assert run.outcomes[f"acme-wrong[broken][{LOADS}]"] == "FAILED"
    section = run.section("acme-wrong[broken]: loads")
    assert section.startswith(
        """\
acme-wrong[broken] breaks the rule loads
  expected:  importing acme_wrong.broken declares its tools
  got:       ModuleNotFoundError: No module named 'not_installed_anywhere'
  to do:     install the package with the module not_installed_anywhere, or reinstall acme-wrong with its dependencies

  Traceback (most recent call last):
    File """
    )
    assert "/testing/" not in section


def test_a_plugin_without_tools_is_a_failed_item(run: Run) -> None:
    """The entry point names a module that declares none."""
    section = run.section("acme-wrong[empty]: loads")
    assert "got:       it declares none" in section
    assert "to do:     modules below acme_wrong.empty are not imported by themselves" in section


def test_a_plugin_that_loads_passes(run: Run) -> None:
    assert run.outcomes[f"acme-wrong[tools][{LOADS}]"] == "PASSED"


def test_no_function_is_run_unless_its_author_says_read_only(run: Run, traces: Path) -> None:
    """Of all tools, in some 4,000 calls, one function has run: once, with its example."""
    assert run.status == 1
    assert traces.read_text(encoding="utf-8") == "answers_its_examples\n"
    assert run.outcomes["acme-wrong:right.delete_everything[answers-its-examples]"] == "SKIPPED"


def test_examples_run_with_the_option_for_it(wrong: Project, traces: Path) -> None:
    """With `--fcregistry-invoke`, the examples of all tools run."""
    env = {"ACME_TRACES": str(traces.with_name("invoked"))}
    ours = ("--fcregistry-tools", "acme-wrong:right.*", "--fcregistry-invoke")
    run = wrong.pytest("--fcregistry", *ours, "-k", "answers", env=env)
    assert run.outcomes == {"acme-wrong:right.delete_everything[answers-its-examples]": "PASSED"}
    assert Path(env["ACME_TRACES"]).read_text(encoding="utf-8") == "delete_everything\n"


def test_a_refusal_that_no_schema_can_express_is_a_remark_and_not_a_failure(run: Run) -> None:
    """Some arguments must be accepted."""
    assert run.outcomes["acme-wrong:right.takes_multiples_of_three[accepts-what-its-schema-says]"] == "PASSED"
    _, _, said = run.text.partition("fcregistry: worth knowing")
    assert "argument objects that its schema accepts are refused after decoding: must satisfy <lambda>" in said
    assert "\nacme-wrong:right.takes_multiples_of_three: " in said

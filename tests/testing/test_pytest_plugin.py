"""`pytest --fcregistry`: what it collects and runs, and how it works with pytest's own options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .conftest import GOOD, PYPROJECT, Project
from .rules import RULES

if TYPE_CHECKING:
    from tests.conftest import Site

FEW = "--fcregistry-examples=5"
COLLECT = ("--collect-only", "-q", "-q")
FORECAST = [f"acme-weather:forecast[{rule}]" for rule in RULES]
CITIES = [f"acme-weather:cities[{rule}]" for rule in RULES if not rule.endswith("examples")]
ALL = ["acme-weather[weather][loads]", *CITIES, *FORECAST]


def collected(project: Project, *arguments: str, **settings: Path) -> list[str]:
    """Return the names of the items that a run would try."""
    return project.pytest("--fcregistry", *COLLECT, *arguments, **settings).ids


def collected_each(project: Project, *runs: list[str]) -> list[list[str]]:
    """Return the names of the items that each of several runs would try."""
    return [run.ids for run in project.pytest_each(*(["--fcregistry", *COLLECT, *run] for run in runs))]


# --- a run --------------------------------------------------------------------------------------------------------


def test_a_plugin_is_checked_without_a_test_file(project: Project) -> None:
    """There is one item for the plugin, then one for each tool and rule, in a fixed order.

    No tool runs, and no file is left behind.
    """
    run = project.pytest("--fcregistry", FEW, "-p", "no:cacheprovider")
    assert run.status == 0, run.text
    assert list(run.outcomes) == ALL
    assert set(run.outcomes.values()) == {"PASSED"}
    assert "fcregistry: the tools of acme-weather\n" in run.text
    assert f"collected {len(ALL)} items" in run.text
    assert "tests/testing" not in run.text
    assert [path.name for path in project.folder.iterdir()] == ["pyproject.toml"]


def test_two_runs_are_the_same(project: Project) -> None:
    """The items have the same order, as pytest-xdist requires, and in CI the arguments are the same too."""
    assert collected(project) == collected(project) == ALL


def test_tests_in_files_run_before_the_tools(project: Project) -> None:
    project.write({"tests/test_own.py": "def test_own():\n    pass\n"})
    for settings in ("", '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n'):
        project.write({"pyproject.toml": PYPROJECT + settings})
        run = project.pytest("--fcregistry", *COLLECT)
        lines = [line for line in run.text.splitlines() if "::" in line]
        assert lines == ["tests/test_own.py::test_own", *(f"fcregistry::{name}" for name in ALL)]


def test_without_the_option_nothing_is_added(project: Project) -> None:
    project.write({"test_own.py": "def test_own():\n    pass\n"})
    run = project.pytest(FEW)
    assert (run.status, run.outcomes) == (0, {})


def test_the_plugin_can_be_left_out(project: Project) -> None:
    project.write({"test_own.py": "def test_own():\n    pass\n"})
    without, run = project.pytest_each(["-p", "no:fcregistry"], ["-p", "no:fcregistry", "--fcregistry"])
    assert without.status == 0
    assert run.status == 4
    assert "unrecognized arguments: --fcregistry" in run.text


def test_warnings_as_errors_and_strict_settings_are_supported(project: Project) -> None:
    """Neither the marker nor a warning about a definition is an error."""
    untyped = "\n\n    @fc_register\n    def loose(a):\n        '''Take anything.\n\n        Args:\n            a: It.\n        '''\n"
    project.site.install("acme-weather", {"weather": "acme_weather"}, {"acme_weather.py": GOOD + untyped})
    settings = 'filterwarnings = ["error"]\naddopts = ["--strict-markers", "--strict-config"]\n'
    project.write({"pyproject.toml": f"{PYPROJECT}[tool.pytest.ini_options]\n{settings}"})
    run = project.pytest("--fcregistry", FEW, "-k", "loose")
    assert run.status == 0, run.text
    assert len(run.outcomes) == len(CITIES)


# --- which items --------------------------------------------------------------------------------------------------


def test_items_are_chosen_by_keyword_and_by_marker(project: Project) -> None:
    project.write({"test_own.py": "def test_forecast():\n    pass\n"})
    chosen = (["-k", "forecast and schema"], ["-m", "fcregistry"], ["-m", "not fcregistry"])
    by_keyword, by_marker, others = project.pytest_each(*(["--fcregistry", *COLLECT, *each] for each in chosen))
    assert by_keyword.ids == [each for each in FORECAST if "schema" in each]
    assert by_marker.ids == ALL
    assert (others.ids, "test_own.py::test_forecast" in others.text) == ([], True)


def test_items_are_chosen_by_their_ids(project: Project) -> None:
    """The ids are those in the summary of a run; the id of a tool means all of its rules."""
    project.write({"test_own.py": "def test_own():\n    pass\n"})
    one = FORECAST[3]
    assert collected_each(project, [f"fcregistry::{one}"], ["fcregistry::acme-weather:cities"]) == [[one], CITIES]
    below = project.folder / "below"
    below.mkdir()
    assert collected(project, f"../fcregistry::{one}", cwd=below) == [one]  # as pytest shows it there
    both = project.pytest("--fcregistry", *COLLECT, f"fcregistry::{one}", "test_own.py")
    assert (both.ids, "test_own.py::test_own" in both.text) == ([one], True)


def test_an_id_that_does_not_exist_is_reported(project: Project) -> None:
    run = project.pytest("--fcregistry", "fcregistry::acme-weather:forecasts")
    assert run.status == 4
    assert "ERROR: --fcregistry: not found: fcregistry::acme-weather:forecasts" in run.text


def test_items_can_be_deselected_and_the_last_failed_run_again(wrong: Project) -> None:
    """pytest's own options work with fcregistry's items as with any others."""
    ours = ("--fcregistry", FEW, "--fcregistry-tools=acme-wrong:wrong.names_*,acme-wrong:right.delete_*")
    broken = "fcregistry::acme-wrong:wrong.names_fit_every_provider[names-fit-every-provider]"
    assert wrong.pytest(*ours, "-k", "names-fit", "--cache-clear").status == 1
    again = wrong.pytest(*ours, "--last-failed", *COLLECT)
    assert again.ids == [broken.removeprefix("fcregistry::")]
    assert wrong.pytest(*ours, "-k", "names-fit", f"--deselect={broken}").status == 0


# --- whose tools --------------------------------------------------------------------------------------------------


def test_selectors_choose_other_tools(project: Project) -> None:
    """Several are separated by commas or spaces, or repeat the option.

    The plugins of distributions that they name must load, too.
    """
    chosen = ["acme-weather:forecast", "other-tools:forecast"]
    labels = ["acme-weather[weather]", "other-tools[tools]"]
    selected = (
        ["*:forecast"],
        ["acme-weather:forecast,other-tools:forecast"],
        [" acme-weather:* ", "other-tools:* !*:cities"],
    )
    options = [[f"--fcregistry-tools={each}" for each in given] for given in selected]
    for names in collected_each(project, *([*each, "-k", "loads or valid-schema"] for each in options)):
        assert names == [*(f"{each}[loads]" for each in labels), *(f"{each}[has-a-valid-schema]" for each in chosen)]


def test_a_plain_name_adds_no_items_of_plugins(project: Project) -> None:
    """Another plugin that does not load is not reported then."""
    project.site.install("broken", {"tools": "not_there"})
    run = project.pytest("--fcregistry", FEW, "--fcregistry-tools=forecast", "-k", "valid-schema")
    assert list(run.outcomes) == [f"{each}:forecast[has-a-valid-schema]" for each in ("acme-weather", "other-tools")]


def test_a_selector_that_matches_nothing_is_reported(project: Project) -> None:
    errors = {
        "forecasts": "ERROR: --fcregistry: there is no tool 'forecasts'; did you mean ",
        "acme-weather:nothing_*": "ERROR: --fcregistry: the selector 'acme-weather:nothing_*' matches no tool",
        "a=b": "ERROR: --fcregistry: 'a=b' is not a selector",
    }
    runs = project.pytest_each(*(["--fcregistry", f"--fcregistry-tools={given}"] for given in errors))
    for run, error in zip(runs, errors.values(), strict=True):
        assert run.status == 4
        assert error in run.text
        assert "Traceback" not in run.text


def test_a_distribution_is_checked_in_the_folder_it_was_installed_from(project: Project) -> None:
    """It may be editable or not, whatever its pyproject.toml says; of nested folders, the nearest counts."""
    info = project.site.install("acme-weather", {"weather": "acme_weather"}, {"acme_weather.py": GOOD})
    source = {"url": (project.folder / "plugin").as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(source), encoding="utf-8")
    project.write({"pyproject.toml": "[tool.pytest.ini_options]\n", "plugin/tests/pytest.ini": "[pytest]\n"})
    assert collected(project) == ALL
    assert collected(project, cwd=project.folder / "plugin" / "tests") == ALL


def test_elsewhere_all_installed_plugins_are_checked(project: Project) -> None:
    """This is for users of plugins, who develop none."""
    project.write({"pyproject.toml": '[project]\nname = "an-application"\n'})
    run = project.pytest("--fcregistry", "--collect-only", "-k", "loads")
    assert "fcregistry: the tools of acme-weather, other-tools\n" in run.text
    assert "acme-weather[weather][loads]" in run.text
    assert "other-tools[tools][loads]" in run.text


def test_a_plugin_that_is_not_installed_is_reported_with_the_command(project: Project) -> None:
    """Other plugins are not checked in its place."""
    project.write({"pyproject.toml": PYPROJECT.replace("acme-weather", "acme-new")})
    run = project.pytest("--fcregistry")
    assert run.status == 4
    text = f"acme-new is not installed here, but {project.folder}/pyproject.toml says that it ships tools: pip install -e {project.folder}"
    assert f"ERROR: --fcregistry: {text}" in run.text


def test_no_plugin_at_all_is_reported(site: Site, tmp_path: Path) -> None:
    run = Project(tmp_path / "project", site).pytest("--fcregistry")
    assert run.status == 4
    assert (
        "ERROR: --fcregistry: no installed distribution ships tools; a plugin has an entry point in the group"
        in run.text
    )


@pytest.mark.parametrize("more", [[], ["--fcregistry-tools=acme-weather:*"]], ids=["its own", "named"])
def test_a_disabled_plugin_is_skipped(project: Project, more: list[str]) -> None:
    run = project.pytest("--fcregistry", "-rs", *more, env={"FCREGISTRY_DISABLE": "acme-weather:*"})
    assert run.outcomes == {"acme-weather[weather][loads]": "SKIPPED"}
    assert "it is disabled: FCREGISTRY_DISABLE names acme-weather:*" in run.text


def test_an_alias_names_its_tool_too(project: Project) -> None:
    aliased = GOOD.replace("@fc_register(", "@fc_register(aliases=['weather'], ", 1)
    project.site.install("acme-weather", {"weather": "acme_weather"}, {"acme_weather.py": aliased})
    assert collected(project, "--fcregistry-tools=weather", "-k", "valid-schema") == [FORECAST[1]]


def test_a_declaration_that_replaces_another_is_checked_in_its_place(project: Project) -> None:
    """The two do not clash."""
    again = GOOD.replace("@fc_register(", "@fc_register(replace=True, ", 1).replace("Where.", "Where it is.")
    files = {"acme_weather.py": GOOD, "acme_weather_again.py": again}
    points = {"first": "acme_weather", "second": "acme_weather_again"}
    project.site.install("acme-weather", points, files)
    run = project.pytest("--fcregistry", FEW, "-k", "forecast")
    assert list(run.outcomes) == FORECAST
    assert set(run.outcomes.values()) == {"PASSED"}


def test_unreadable_metadata_means_that_the_source_is_not_known(project: Project) -> None:
    """The plugin of the project is then found by its name, and other distributions are ignored."""
    broken = ["[]", '{"url": 1}', '{"url": "https://acme.example/w.whl"}']
    info = project.site.install("acme-weather", {"weather": "acme_weather"}, {"acme_weather.py": GOOD})
    (info / "direct_url.json").write_text("no JSON", encoding="utf-8")
    for number, metadata in enumerate(broken):
        info = project.site.install(f"other-{number}", {"tools": f"other_{number}"}, {f"other_{number}.py": GOOD})
        (info / "direct_url.json").write_text(metadata, encoding="utf-8")
    assert collected(project) == ALL


def test_an_unreadable_project_file_is_ignored(project: Project) -> None:
    """pytest itself reports a file that is not TOML; this file has a `project` that is not a table."""
    project.write({"pyproject.toml": "project = 3\n"})
    run = project.pytest("--fcregistry", "--collect-only", "-q")
    assert "acme-weather[weather][loads]" in run.text
    assert "other-tools[tools][loads]" in run.text


# --- usage --------------------------------------------------------------------------------------------------------


def test_the_number_of_examples_is_at_least_one(project: Project) -> None:
    run = project.pytest("--fcregistry", "--fcregistry-examples=0")
    assert run.status == 4
    assert "ERROR: --fcregistry-examples is at least 1" in run.text


def test_without_hypothesis_the_extra_is_named(project: Project, tmp_path: Path) -> None:
    """Both pytest and an import of `check_tool` name it; runs without the option do not need Hypothesis."""
    lacking = tmp_path / "lacking"
    lacking.mkdir()
    for each in project.site.path[1].iterdir():
        if "hypothesis" not in each.name:
            (lacking / each.name).symlink_to(each.resolve())
    project.site.path[1] = lacking
    project.write({"test_own.py": "def test_own():\n    pass\n"})
    assert project.pytest().status == 0
    run = project.pytest("--fcregistry")
    assert run.status == 4
    assert 'ERROR: --fcregistry needs Hypothesis: pip install "fcregistry[testing]"' in run.text
    done = project.site.run("-c", "from fcregistry.testing import check_tool")
    assert (
        'MissingDependencyError: fcregistry.testing.check_tool needs Hypothesis: pip install "fcregistry[testing]"'
        in done.stderr
    )

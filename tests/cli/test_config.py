"""`fcregistry config`, and what commands say of a project's file that others may have written."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site


class Folders:
    """A user's configuration, and a project."""

    def __init__(self, folder: Path) -> None:
        self.user, self.project = folder / "fcregistry" / "fcregistry.toml", folder / "project"
        self.env = {"XDG_CONFIG_HOME": str(folder)}
        self.user.parent.mkdir()
        self.project.mkdir()

    @property
    def file(self) -> Path:
        return self.project / "fcregistry.toml"


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_each_setting_is_shown_with_what_sets_it(shop: Site, folders: Folders) -> None:
    """The highest layer first, and in each the settings in the order of the documentation."""
    folders.user.write_text('model = "a:b"\nask = ["text", "!danger"]\nmode = "open"')
    (folders.project / "pyproject.toml").write_text(
        '[tool.fcregistry]\nmodel = "c:d"\nprecedence = ["Acme_Shop"]\nthreads = 2'
    )
    env = folders.env | {"FCREGISTRY_DENY": "evil nothing", "FCREGISTRY_MODEL": "e:f"}
    shown = shop.cli("config", "--json", env=env, cwd=folders.project)
    user, project = str(folders.user), str(folders.project / "pyproject.toml")
    overridden = "FCREGISTRY_MODEL sets it, too"
    assert (shown.returncode, shown.stderr) == (0, "")
    assert [tuple(each.values()) for each in json.loads(shown.stdout)] == [
        ("mode", "open", user, "user", ""),
        ("ask", ["text", "!danger"], user, "user", ""),
        ("model", "a:b", user, "user", overridden),
        ("precedence", ["Acme_Shop"], project, "project", ""),
        ("model", "c:d", project, "project", overridden),
        ("threads", 2, project, "project", ""),
        ("deny", ["evil", "nothing"], "FCREGISTRY_DENY", "variables", ""),
        ("model", "e:f", "FCREGISTRY_MODEL", "variables", ""),
    ]
    assert [*json.loads(shown.stdout)[0]] == ["setting", "value", "source", "layer", "unused"]
    table = shop.cli("config", env=env, cwd=folders.project).stdout.splitlines()
    assert table[0].split() == ["SETTING", "VALUE", "FROM", "USED"]
    assert table[2].split() == ["ask", "text,", "!danger", user]
    assert table[3].split() == ["model", "a:b", user, "no:", *overridden.split()]


def test_where_nothing_is_configured_your_file_is_named(shop: Site, folders: Folders) -> None:
    done = shop.cli("config", env=folders.env, cwd=folders.project)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"Nothing is configured. Your file would be {folders.user}\n"
    assert json.loads(shop.cli("config", "--json", env=folders.env, cwd=folders.project).stdout) == []


def test_a_configuration_that_cannot_be_read_is_an_error(shop: Site, folders: Folders) -> None:
    folders.file.symlink_to("gone")
    done = shop.cli("config", env=folders.env, cwd=folders.project)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: {folders.file} is a link to a file that does not exist; correct or remove it\n"


@pytest.fixture
def shared(folders: Folders) -> str:
    """Writes a project's file into a folder that others may write, and returns the remark about it."""
    folders.file.write_text('model = "llama:evil"\ndeny = ["acme-shop:evil"]')
    folders.project.chmod(0o777)
    doubt = f"the folder {folders.project} can be written by other users"
    return f"{folders.file}: {doubt}, so only its rules are used, and not its model\n"


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_the_model_of_a_file_that_others_may_have_written_is_not_asked(
    shop: Site, folders: Folders, shared: str
) -> None:
    """One remark says so. The user's model is asked, and a rule of the file still holds."""
    folders.user.write_text('model = "user:own"')
    asked = shop.cli("ask", "Hello", env=folders.env, cwd=folders.project)
    assert asked.stderr.startswith(shared)
    assert "user:own" in asked.stderr
    assert "llama:" not in asked.stderr
    called = shop.cli("call", "evil", env=folders.env, cwd=folders.project)
    assert (called.returncode, called.stderr.count(shared)) == (2, 1)
    assert f"deny in {folders.file} names acme-shop:evil" in called.stderr


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
def test_config_and_doctor_say_what_is_not_used_of_such_a_file(shop: Site, folders: Folders, shared: str) -> None:
    doubt = f"the folder {folders.project} can be written by other users"
    shown = shop.cli("config", env=folders.env, cwd=folders.project)
    assert [each.split() for each in shown.stdout.splitlines()[1:]] == [
        ["deny", "acme-shop:evil", str(folders.file)],
        ["model", "llama:evil", str(folders.file), "no:", *doubt.split()],
    ]
    found = json.loads(shop.cli("doctor", "--json", env=folders.env, cwd=folders.project).stdout)
    [finding] = [each for each in found if each["subject"] == str(folders.file)]
    assert (finding["kind"], finding["message"]) == (
        "problem",
        f"is used for its rules only, and not for its model: {doubt}",
    )
    assert finding["advice"] == (
        "write these settings into your own file, or make the file and its folder yours, and writable for you only"
    )
    folders.file.write_text('deny = ["acme-shop:evil"]')
    found = json.loads(shop.cli("doctor", "--json", env=folders.env, cwd=folders.project).stdout)
    [finding] = [each for each in found if each["subject"] == str(folders.file)]
    assert (finding["kind"], finding["message"]) == (
        "note",
        f"has rules that apply here, and may not be yours: {doubt}",
    )


@pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX")
@pytest.mark.usefixtures("shared")
def test_completion_says_nothing_of_such_a_file(shop: Site, folders: Folders) -> None:
    """What goes to standard error would be in the user's prompt."""
    env = folders.env | {"_FCREGISTRY_COMPLETE": "bash_complete", "COMP_WORDS": "fcregistry call ev", "COMP_CWORD": "2"}
    done = shop.cli(env=env, cwd=folders.project)
    assert (done.returncode, done.stderr) == (0, "")
    assert "evil_object" in done.stdout


@pytest.mark.parametrize(
    ("settings", "remark"),
    [
        (
            {"FCREGISTRY_DENY": "ordr"},
            "FCREGISTRY_DENY names ordr; did you mean order? As it is, it denies nothing.\n",
        ),
        (
            {"FCREGISTRY_DENY": "destructive"},
            "FCREGISTRY_DENY names destructive; did you mean destructive=true? As it is, it denies nothing.\n",
        ),
        (
            {"FCREGISTRY_ASK": "open_wrld"},
            "FCREGISTRY_ASK names open_wrld; did you mean open_world=true? As it is, it asks about nothing.\n",
        ),
        (
            {"FCREGISTRY_DENY": "eivl"},
            "FCREGISTRY_DENY names eivl; did you mean evil? As it is, it denies nothing.\n",
        ),
        (
            {"FCREGISTRY_ASK": "acme-shop:ordre"},
            "FCREGISTRY_ASK names acme-shop:ordre; did you mean acme-shop:order? As it is, it asks about nothing.\n",
        ),
        (
            {"FCREGISTRY_DISABLE": "acme-shop"},
            "FCREGISTRY_DISABLE names acme-shop; did you mean acme-shop:*? As it is, it disables nothing.\n",
        ),
        (
            {"FCREGISTRY_DISABLE": "acme-shp[shop]"},
            "FCREGISTRY_DISABLE names acme-shp[shop]; did you mean acme-shop[shop]? As it is, it disables nothing.\n",
        ),
        (
            {"FCREGISTRY_DNEY": "order"},
            "FCREGISTRY_DNEY is not a variable of fcregistry; did you mean FCREGISTRY_DENY?\n",
        ),
        (
            {"FCREGISTRY_DNEY": "order", "FCREGISTRY_ASK": "ordr"},
            "FCREGISTRY_DNEY is not a variable of fcregistry; did you mean FCREGISTRY_DENY? (1 more: fcregistry doctor)\n",
        ),
        ({"FCREGISTRY_DENY": "left-pad:*,other-company[x]", "FCREGISTRY_FILES_ROOT": "x"}, ""),
        ({"FCREGISTRY_WEB_ALLOW": "x", "FCREGISTRY_DB_MODEL": "x", "FCREGISTRY_CODE": "x"}, ""),
        ({"FCREGISTRY_DENY": "evil", "FCREGISTRY_ASK": "danger"}, ""),
    ],
)
def test_a_setting_that_is_probably_misspelt_is_mentioned(shop: Site, settings: dict[str, str], remark: str) -> None:
    """A `deny` that denies nothing protects nothing. A site may well deny what is not installed."""
    for command in (("list",), ("call", "text")):
        done = shop.cli(*command, env={"SHOP_KEY": "x", **settings})
        assert (done.returncode, done.stderr) == (0, remark)


def test_an_allow_list_that_names_nothing_is_mentioned(shop: Site, folders: Folders) -> None:
    """It hides every tool; the name of a distribution alone is that of a tool."""
    folders.file.write_text('allow = ["acme-shop"]')
    remark = (
        f"allow in {folders.file} names acme-shop, and no tool here has such a name, so no tool of a plugin can be used; "
        "did you mean acme-shop:*?\n"
    )
    for command in (("list",), ("call", "text"), ("ask", "hello", "--model", "ollama:none")):
        assert remark in shop.cli(*command, env=folders.env, cwd=folders.project).stderr
    folders.file.write_text('allow = ["acme-shop", "text"]')
    done = shop.cli("list", env=folders.env, cwd=folders.project)
    assert (len(done.stdout.splitlines()), done.stderr) == (2, "")


def test_a_misspelt_precedence_is_mentioned(shop: Site, folders: Folders) -> None:
    folders.file.write_text('precedence = ["acme-shp", "left-pad"]')
    remark = f"precedence in {folders.file} names acme-shp; did you mean acme-shop? As it is, it gives no distribution precedence.\n"
    assert shop.cli("list", env={"SHOP_KEY": "x", **folders.env}, cwd=folders.project).stderr == remark
    found = shop.cli("doctor", env=folders.env, cwd=folders.project).stdout
    assert "names acme-shp, which is not installed, or ships no plugins\n    did you mean acme-shop?\n" in found
    assert "names left-pad, which is not installed, or ships no plugins\n    correct it: name distributions" in found


def test_doctor_names_the_file_with_a_call_hook_that_cannot_be_used(shop: Site, folders: Folders) -> None:
    folders.file.write_text('call_hooks = ["audit"]')
    found = shop.cli("doctor", env=folders.env, cwd=folders.project).stdout
    assert f"problem: call_hooks in {folders.file}: names audit, and there is no extension of that name" in found
    assert "correct the setting, or fix the extension" in found


def test_doctor_says_what_a_misspelt_item_probably_means(shop: Site) -> None:
    found = shop.cli("doctor", env={"FCREGISTRY_DENY": "acme-shp:*"}).stdout
    assert "names acme-shp:*, which does not exist here\n    did you mean acme-shop:*?\n" in found


def test_doctor_finds_variables_that_are_probably_misspelt(shop: Site) -> None:
    """With the others that are near to none."""
    found = shop.cli("doctor", env={"FCREGISTRY_DNEY": "order", "FCREGISTRY_DENY": "left-pad:*"}).stdout
    assert "note: FCREGISTRY_DNEY: is not a variable of fcregistry" in found
    assert "problem: FCREGISTRY_DENY: names left-pad:*, which does not exist here" in found


def test_no_plugin_is_imported_for_a_remark(site: Site) -> None:
    """A call imports the plugin of its tool alone, whatever is configured."""
    site.install(
        "acme",
        {"x": "acme_tools"},
        {"acme_tools.py": "from fcregistry import fc_register\n@fc_register\ndef one() -> int: return 1\n"},
    )
    other = "import pathlib\npathlib.Path(__file__).with_name('imported').touch()\n"
    site.install("other", {"x": "other_tools"}, {"other_tools.py": other})
    assert site.cli("call", "acme:one", env={"FCREGISTRY_DENY": "left-pad:*"}).stdout == "1\n"
    assert not (site.folder / "imported").exists()

"""No file that configures fcregistry or what an agent may do is changed unless an approver is asked, whatever else is allowed."""

from __future__ import annotations

import os
import sys
import unicodedata
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from fcregistry import Executor, ToolCall
from fcregistry.execution import Policy

from fcregistry_files import file_tools

Try: TypeAlias = tuple[str, dict[str, Any]]

NAMES = [
    "fcregistry.toml",
    "fcregistry.lock",
    "pyproject.toml",
    "sources.json",
    ".git",
    ".agents",
    ".mcp.json",
    ".claude",
    ".claude.json",
    "claude_desktop_config.json",
    ".cursor",
    ".vscode",
    ".windsurf",
    ".gemini",
    ".codex",
    ".opencode",
    "opencode.json",
    ".github",
]
SPELLINGS = {
    "capitals": "FCREGISTRY.TOML",
    "mixed case": "FcRegistry.Toml",
    "wide letters": "".join(chr(ord(mark) + 0xFEE0) for mark in "fcregistry") + ".toml",
    "wide dot": "fcregistry\uff0etoml",
    "ligature and long s": "\ufb01les/fcregi\u017ftry.toml",
    "Kelvin sign": "fcregistry.loc\u212a",
    "invisible character": "fcreg\u200bistry.toml",
    "joiner": ".g\u200dit",
    "dot at the end": "fcregistry.toml.",
    "dots and spaces at the end": ".git. .",
    "short name": "FCREGI~1.TOM",
    "short name of .git": "GIT~1",
    "dot before": "./fcregistry.toml",
    "slashes": "notes//./pyproject.toml",
    "below": "notes/deeper/fcregistry.toml",
    "in a protected folder": ".git/hooks/pre-commit",
    "in one, in capitals": "notes/.GIT/config",
    "new repository": "new/.git/HEAD",
    "servers of an editor": "notes/.vscode/mcp.json",
    "folder in place of a file": "fcregistry.toml/a.txt",
}


def patch(*lines: str) -> Try:
    return "apply_patch", {"patch": "\n".join(["*** Begin Patch", *lines, "*** End Patch"])}


TRIES: dict[str, Try] = {
    **{f"new {name}": ("write_file", {"path": name, "content": "mode = 'open'"}) for name in NAMES},
    **{f"new, {how}": ("write_file", {"path": name, "content": "x"}) for how, name in SPELLINGS.items()},
    "overwrite": ("write_file", {"path": "rules/fcregistry.toml", "content": "", "overwrite": True}),
    "edit": ("edit_file", {"path": "rules/fcregistry.toml", "old": "deny", "new": "allow"}),
    "edit in a repository": ("edit_file", {"path": "repository/.git/config", "old": "x", "new": "y"}),
    "delete": ("delete", {"path": "rules/fcregistry.toml"}),
    "delete its folder": ("delete", {"path": "rules"}),
    "delete a folder far above": ("delete", {"path": "far"}),
    "delete a link of that name": ("delete", {"path": "links/.mcp.json"}),
    "delete a folder with a link of that name": ("delete", {"path": "links"}),
    "move away": ("move", {"source": "rules/fcregistry.toml", "target": "rules/old.toml"}),
    "move its folder": ("move", {"source": "rules", "target": "old"}),
    "move a repository": ("move", {"source": "repository", "target": "other"}),
    "move into place": ("move", {"source": "notes/a.txt", "target": "fcregistry.toml"}),
    "move a folder into place": ("move", {"source": "notes", "target": ".claude"}),
    "move a folder to a file's name": ("move", {"source": "notes", "target": "Pyproject.TOML"}),
    "move into a protected folder": ("move", {"source": "notes/a.txt", "target": "repository/.git/hooks/update"}),
    "move over": ("move", {"source": "notes/a.txt", "target": "rules/fcregistry.toml"}),
    "move in a spelling": ("move", {"source": "notes/a.txt", "target": "notes/.GIT "}),
    "patch that adds": patch("*** Add File: fcregistry.toml", "+mode = 'open'"),
    "patch that adds below": patch("*** Add File: a/.cursor/mcp.json", "+{}"),
    "patch that updates": patch("*** Update File: rules/fcregistry.toml", "-deny = ['pay']", "+deny = []"),
    "patch that deletes": patch("*** Delete File: rules/fcregistry.toml"),
    "patch that deletes a folder": patch("*** Delete File: far"),
    "patch that moves into place": patch("*** Update File: notes/a.txt", "*** Move to: sources.json"),
    "patch that moves away": patch("*** Update File: rules/fcregistry.toml", "*** Move to: rules/none.toml"),
    "patch with one among others": patch(
        "*** Add File: b.txt",
        "+b",
        "*** Add File: notes/FCREGISTRY.LOCK",
        "+x",
        "*** Update File: notes/a.txt",
        "-a",
        "+b",
    ),
    "patch with spaces around the name": patch("*** Add File:   fcregistry.toml  ", "+mode = 'open'"),
}
assert len(TRIES) >= 60

POLICIES = {"none": None, "allow by default": Policy(default="allow"), "allow all": Policy(allow=["*"])}


@pytest.fixture
def tree(place: Any) -> Any:
    place.write("rules/fcregistry.toml", "deny = ['pay']\n")
    place.write("repository/.git/config", "x\n")
    place.write("far/a/b/c/d/.agents/skill.md", "x\n")
    place.write("notes/a.txt", "a\n")
    (place.root / "links").mkdir()
    (place.root / "links" / ".mcp.json").symlink_to("../notes/a.txt")
    (place.root / "link.txt").symlink_to("rules/fcregistry.toml")
    (place.root / "rules-link").symlink_to("rules")
    return place


def state(root: Path) -> dict[str, Any]:
    return {
        str(path.relative_to(root)): path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in root.rglob("*")
    }


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_no_try_changes_a_file_unasked(tree: Any, policy: Policy | None) -> None:
    executor = Executor(file_tools(tree.root, write=True), policy=policy)
    before = state(tree.root)
    executor.call("read_file", path="rules/fcregistry.toml").unwrap()
    for what, (name, arguments) in TRIES.items():
        result = executor.run(ToolCall(name, arguments))
        assert result.error is not None, what
        assert result.error.code == "approval_required", (what, result.content)
        assert state(tree.root) == before, what


@pytest.mark.parametrize("path", ["link.txt", "rules-link/fcregistry.toml", "rules-link/new.txt"])
def test_no_link_leads_to_such_a_file(tree: Any, path: str) -> None:
    executor = Executor(file_tools(tree.root, write=True, hard_links=True), policy=Policy(default="allow"))
    (tree.root / "hard.txt").hardlink_to(tree.root / "rules" / "fcregistry.toml")
    for name, arguments in (
        ("write_file", {"path": path, "content": "x", "overwrite": True}),
        ("edit_file", {"path": path, "old": "deny", "new": "allow"}),
        patch(f"*** Update File: {path}", "-deny = ['pay']", "+deny = []"),
    ):
        assert not executor.run(ToolCall(name, arguments)).ok
    assert executor.call("edit_file", path="hard.txt", old="deny", new="allow").ok
    assert (tree.root / "rules" / "fcregistry.toml").read_text() == "deny = ['pay']\n", (
        "an edit makes a file of its own"
    )


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_the_approver_is_asked_and_the_model_reads_why(tree: Any, policy: Policy | None) -> None:
    call = ToolCall("write_file", {"path": "fcregistry.toml", "content": "mode = 'open'"})
    unattended = Executor(file_tools(tree.root, write=True), policy=policy)
    reason = "'fcregistry.toml' configures what an agent may do, and each change of it needs approval"
    assert unattended.run(call).content == (
        f"write_file requires approval, and there is no approver; it was not run: {reason}"
    )
    for answer in (False, True):
        executor = Executor(file_tools(tree.root, write=True), policy=policy, approve=lambda tool, call: answer)  # noqa: B023
        result = executor.run(call)
        assert result.approval is not None
        assert (result.ok, result.approval.rule) == (answer, reason)
        assert (tree.root / "fcregistry.toml").exists() is answer


def test_other_files_need_no_more_approval_than_before(tree: Any) -> None:
    executor = Executor(file_tools(tree.root, write=True))
    for name, arguments in (
        ("write_file", {"path": "fcregistry.toml.txt", "content": "a\n"}),
        ("write_file", {"path": "git/fcregistry/sources.jsonl", "content": "a\n"}),
        ("write_file", {"path": "AGENTS.md", "content": "a\n"}),
        ("write_file", {"path": ".gitignore", "content": "a\n"}),
        ("edit_file", {"path": "AGENTS.md", "old": "a", "new": "b"}),
        ("move", {"source": "notes", "target": "more/notes"}),
        ("move", {"source": "more", "target": "most"}),
        patch("*** Add File: notes.txt", "+a", "*** Update File: most/notes/a.txt", "-a", "+b"),
    ):
        assert executor.run(ToolCall(name, arguments)).ok, arguments
    assert executor.call("read_file", path="repository/.git/config").value == "x\n"


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs permissions that hold")
def test_a_folder_that_cannot_be_looked_through_needs_approval(tree: Any) -> None:
    (tree.root / "notes").chmod(0)
    try:
        content = Executor(file_tools(tree.root, write=True)).call("move", source="notes", target="other").content
    finally:
        (tree.root / "notes").chmod(0o700)
    assert "'notes' may contain files that configure what an agent may do" in content


def test_a_folder_with_very_many_files_needs_approval(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fcregistry_files._protected._MOST_ENTRIES", 20)
    many = tree.root / "many"
    many.mkdir()
    for number in range(21):
        (many / str(number)).touch()
    executor = Executor(file_tools(tree.root, write=True))
    assert executor.call("move", source="many", target="other").content == (
        "move requires approval, and there is no approver; it was not run: 'many' may contain files that configure what an "
        "agent may do: it is too large, or cannot be read"
    )
    (many / "0").unlink()
    assert executor.call("move", source="many", target="other").ok


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_form_of_every_name_is_protected(tree: Any, form: Any) -> None:
    executor = Executor(file_tools(tree.root, write=True), policy=Policy(default="allow"))
    for name in NAMES:
        for spelling in (name, name.upper(), name.title(), name.swapcase(), f"{name} ", f"{name}.", f"{name}. "):
            result = executor.call("write_file", path=f"é/{unicodedata.normalize(form, spelling)}", content="")
            assert result.error is not None
            assert result.error.code == "approval_required", spelling
    assert not (tree.root / "é").exists()

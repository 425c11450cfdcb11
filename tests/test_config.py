"""What does the environment say? Read when asked, in any of the ways people separate names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fcregistry import _config

READERS = {_config.DISABLE: _config.disabled_items, _config.CALL_HOOKS: _config.call_hook_names}


@pytest.mark.parametrize("variable", READERS)
@pytest.mark.parametrize(
    ("text", "items"),
    [
        (None, ()),
        ("", ()),
        (" ,\t,\n", ()),
        ("acme:*", ("acme:*",)),
        ("b[x], a:*  c,,d\n!e", ("b[x]", "a:*", "c", "d", "!e")),
    ],
)
def test_names_are_separated_by_commas_and_space(
    monkeypatch: pytest.MonkeyPatch, variable: str, text: str | None, items: tuple[str, ...]
) -> None:
    """They stay in their order, which means something for selectors and hooks; an unset variable names nothing."""
    for each in READERS:
        monkeypatch.delenv(each, raising=False)
    if text is not None:
        monkeypatch.setenv(variable, text)
    assert {each: read() for each, read in READERS.items()} == {**dict.fromkeys(READERS, ()), variable: items}


def test_nothing_is_read_on_import() -> None:
    """A value that cannot be read hurts nobody who asks for nothing."""
    code = (
        "import os\n"
        "class Watched(dict):\n"
        "    def __getitem__(self, key): raise AssertionError(key)\n"
        "    get = __getitem__\n"
        "os.environ = Watched()\n"
        "from fcregistry import _config, fc_register\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")

"""What does the environment say? Read when asked, in any of the ways people separate names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fcregistry import _config


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
    monkeypatch: pytest.MonkeyPatch, text: str | None, items: tuple[str, ...]
) -> None:
    """They stay in their order, which means something for selectors; an unset variable names nothing."""
    if text is None:
        monkeypatch.delenv(_config.DISABLE, raising=False)
    else:
        monkeypatch.setenv(_config.DISABLE, text)
    assert _config.disabled_items() == items


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

"""Configuration by environment variables: read when it is used, with names separated by commas or space."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fcregistry import fc_register, registry

from .declared import forgotten


@pytest.mark.parametrize(
    ("text", "disabled"),
    [
        (None, ""),
        ("", ""),
        (" ,\t,\n", ""),
        ("cfg_a", "a"),
        ("cfg_a, cfg_b  cfg_c,,no_such\tnor_this", "abc"),
        ("cfg_*\n!cfg_b !cfg_c", "a"),
        ("cfg_b, !cfg_b", ""),
    ],
)
def test_names_are_separated_by_commas_and_space(
    monkeypatch: pytest.MonkeyPatch, text: str | None, disabled: str
) -> None:
    """They keep their order, which matters for selectors; an unset variable names nothing."""
    monkeypatch.delenv("FCREGISTRY_DISABLE", raising=False)
    if text is not None:
        monkeypatch.setenv("FCREGISTRY_DISABLE", text)
    with forgotten():
        for letter in "abc":
            fc_register("tool", name=f"cfg_{letter}")(lambda: None)
        there = "".join(letter for letter in "abc" if f"cfg_{letter}" in registry)
    assert sorted({*"abc"} - {*there}) == [*disabled]


def test_nothing_is_read_on_import() -> None:
    """An invalid value is an error only where it is used."""
    code = (
        "import os\n"
        "class Watched(dict):\n"
        "    def __getitem__(self, key): raise AssertionError(key)\n"
        "    get = __getitem__\n"
        "os.environ = Watched()\n"
        "from fcregistry import Registry, Tool, discovery, fc_register, registry\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")

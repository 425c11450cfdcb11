"""Problems of the index that `--verbose` shows."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from fcregistry.cli import _tools as _describing  # the problems of the index are those of the test

if TYPE_CHECKING:
    import pytest


def test_a_problem_of_the_index_is_shown_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However many plugins it was tried for."""
    index = SimpleNamespace(remarks=["cannot be written", "is damaged", "cannot be written"])
    monkeypatch.setattr(_describing, "current", lambda: SimpleNamespace(index=index))
    _describing.mention_index_problems()
    assert capsys.readouterr() == ("", "cannot be written\nis damaged\n")

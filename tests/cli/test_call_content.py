"""Images and files that a tool returns to the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Site

TOOLS = r'''
from fcregistry import fc_register
from fcregistry.execution import Content, ToolOutput

PNG = b"\x89PNG\r\n\x1a\n"


@fc_register
def picture() -> Content:
    """Paint a picture."""
    return Content.image(PNG)


@fc_register
def gallery() -> list[str | Content]:
    """Hang up two pictures."""
    return ["Two:", Content.image(PNG), Content.image(PNG)]


@fc_register
def report() -> ToolOutput:
    """Write a report."""
    return ToolOutput(value=b"all of it", content="In short.")


@fc_register
def aside() -> list[Content]:
    """Say more to the user."""
    block = {"type": "text", "text": "For you.", "annotations": {"audience": ["user"]}}
    return [Content.text("For both."), Content.from_block(block)]
'''


@pytest.fixture
def site(shop: Site, tmp_path: Path) -> Site:
    """A site beside a folder with a module of tools."""
    (tmp_path / "pictures.py").write_text(TOOLS, encoding="utf-8")
    return shop


FOR_YOU = {"type": "text", "text": "For you.", "annotations": {"audience": ["user"]}}
PICTURE = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}


@pytest.mark.parametrize(
    ("tool", "blocks"),
    [
        ("picture", [PICTURE]),
        ("gallery", [{"type": "text", "text": "Two:"}, PICTURE, PICTURE]),
        ("report", [{"type": "text", "text": "In short."}]),
        ("aside", [{"type": "text", "text": "For both."}, FOR_YOU]),
    ],
)
def test_a_pipe_gets_the_content_blocks(site: Site, tmp_path: Path, tool: str, blocks: list[object]) -> None:
    done = site.cli("-m", "pictures", "call", tool, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == blocks


@pytest.mark.parametrize(
    ("tool", "content"),
    [
        ("picture", b"\x89PNG\r\n\x1a\n"),
        ("gallery", b"Two:\n[image: image/png, 8 bytes]\n[image: image/png, 8 bytes]\n"),
        ("aside", b"For both.\nFor you.\n"),
        ("report", b"In short.\n"),
    ],
)
def test_output_writes_one_image_as_its_bytes_and_several_as_words(
    site: Site, tmp_path: Path, tool: str, content: bytes
) -> None:
    done = site.cli("-m", "pictures", "call", "--output", "result", tool, cwd=tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "result").read_bytes() == content


def test_a_batch_has_the_content_and_its_blocks(site: Site, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text('{"name": "picture"}\n')
    done = site.cli("-m", "pictures", "call", "--batch", "calls.jsonl", cwd=tmp_path)

    shown = json.loads(done.stdout)
    assert (shown["content"], shown["blocks"]) == ("[image: image/png, 8 bytes]", [PICTURE])

"""The command `config`: the settings, and which file or variable sets each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import click

from fcregistry._base.paths import user_folder
from fcregistry._config.settings import FILE, MODEL, VARIABLES, configuration, model_variable
from fcregistry.cli._output import json_option, remark, say_json, table

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOWEST_APPLIES: Final = ("model", "threads", "max_tokens")
"""The settings of which only the value of the lowest layer is used; of others, all layers are."""


class _Row(NamedTuple):
    """One setting of one layer; `unused` is the reason that it has no effect, or empty."""

    setting: str
    value: tuple[str, ...] | str | int
    source: str
    layer: str
    unused: str


@click.command("config", short_help="Show the settings, and what sets them.")
@json_option
def command(as_json: bool) -> None:
    """Show each setting, its value, and the file or variable that sets it.

    The highest layer comes first: the system's file, yours, the project's, the one that FCREGISTRY_CONFIG names, and variables. A lower layer
    can only add restrictions.
    """
    rows = _without_overridden(list(_rows()))
    if as_json:
        say_json([row._asdict() for row in rows])
    elif rows:
        cells = [(row.setting, _text(row), row.source, row.unused and f"no: {row.unused}") for row in rows]
        with_unused = any(row.unused for row in rows)
        table(
            [each if with_unused else each[:3] for each in cells], HEADINGS if with_unused else HEADINGS[:3], cuts=False
        )
    else:
        folder = user_folder()
        remark(
            "Nothing is configured." if folder is None else f"Nothing is configured. Your file would be {folder}/{FILE}"
        )


HEADINGS: Final = ("SETTING", "VALUE", "FROM", "USED")


def _rows() -> Iterator[_Row]:
    """Yield the settings of all layers of the configuration, the highest layer first.

    The model of the environment comes last, if it is set.
    """
    for layer in configuration():
        for key, value in layer.given:
            source = layer.path or VARIABLES[key]
            yield _Row(key, value, source, layer.origin, layer.doubt if key in layer.unused else "")
    if model := model_variable():
        yield _Row("model", model, MODEL, "variables", "")


def _without_overridden(rows: list[_Row]) -> list[_Row]:
    """Return `rows`, with the reason in `unused` for each value that a lower layer replaces.

    Only the settings in `_LOWEST_APPLIES` are replaced so, by their last row without a reason.
    """
    used = {row.setting: row for row in rows if not row.unused}  # the last one of each
    return [
        row._replace(unused=f"{lowest.source} sets it, too")
        if row.setting in _LOWEST_APPLIES and not row.unused and (lowest := used[row.setting]) is not row
        else row
        for row in rows
    ]


def _text(row: _Row) -> str:
    """Return the value of a setting as text; values in a tuple are separated by commas."""
    return ", ".join(row.value) if isinstance(row.value, tuple) else str(row.value)

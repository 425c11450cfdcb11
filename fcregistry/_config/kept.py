"""Rules that stay in force until the program ends.

A model may be able to write the file of a project, or the file that `FCREGISTRY_CONFIG` names, and so lift the rules that bind it. Therefore
these layers can only add rules to a running process: what was in force stays, whatever becomes of the file. The files of the user and the
system are read again both ways, and so are the variables, which only the program itself can change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fcregistry._config.layers import MODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fcregistry._config.layers import Layer, Rules, Setting

    Kept = dict[tuple[str, tuple[Setting, ...]], Layer]

_reported: Final[set[object]] = set()
"""The kept rules that are in the log already."""


def keep_rules(kept: Kept, others: Sequence[Layer], present: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the layers of projects and named files: those of `present`, and earlier ones still in force.

    A layer that is new comes below all others, since a lower layer can only tighten the higher ones.

    Args:
        kept: The rules that were in force, to which those of the present layers are added.
        others: The layers of the system, the user and the variables.
        present: The layers of the project and the named file, as these are now.
    """
    now = {(layer.path, layer.rules): layer for layer in present}
    for key, layer in now.items():
        kept.setdefault(key, layer.without_defaults(layer.doubt))  # atomic, as the other uses of the dictionary
    layers = []
    for key, layer in tuple(kept.items()):
        if key in now:
            layers.append(now[key])
        elif layer.rules:
            layers.append(layer)
            _report(key, layer, [*others, *present])
        else:
            kept.pop(key, None)
    return tuple(layers)


def _report(key: object, layer: Layer, present: Sequence[Layer]) -> None:
    """Log, once, a warning that rules of `layer` stay in force that no layer of `present` states any more.

    Args:
        key: What identifies the layer in `_reported`.
        layer: The kept layer.
        present: The layers as these are now.
    """
    if key not in _reported and (sources := _missing_in(layer, present)):
        _reported.add(key)
        from logging import getLogger  # only if something has changed

        message = "%s: no file or variable says so any more, but it stays in force until this program ends"
        getLogger("fcregistry").warning(message, " and ".join(sources))


def _missing_in(layer: Layer, present: Iterable[Layer]) -> list[str]:
    """Return the sources of those rules of `layer` that no layer of `present` repeats or tightens.

    The list is empty if there are no such rules.
    """
    missing = []
    strictest = max((MODES.index(each.mode) for each in present if each.mode is not None), default=0)
    locks = [each.lock for each in present if each.mode == "locked"]
    if layer.mode is not None and (MODES.index(layer.mode) > strictest or (locks and layer.lock not in locks)):
        missing.append(layer.mode_source)
    if layer.allow is not None and not any(_covers(layer.allow, each.allow) for each in present):
        missing.append(layer.allow.source)
    for key in ("deny", "disable", "ask"):
        rules: Rules | None = getattr(layer, key)
        if rules is not None and not any(_covers(getattr(each, key), rules) for each in present):
            missing.append(rules.source)
    named = {name for each in present for _, name in each.call_hooks}
    return missing + list(dict.fromkeys(source for source, name in layer.call_hooks if name not in named))


def _covers(wide: Rules | None, narrow: Rules | None) -> bool:
    """Return whether `wide` surely names everything that `narrow` names; False if either is None.

    With exceptions (`!`) in one of them, that is sure only if both have the same selectors.
    """
    if wide is None or narrow is None:
        return False
    if wide.selectors == narrow.selectors:
        return wide.plugins >= narrow.plugins
    excepting = any(each.excludes for each in (*wide.selectors, *narrow.selectors))
    return not excepting and {*wide.selectors} >= {*narrow.selectors} and wide.plugins >= narrow.plugins

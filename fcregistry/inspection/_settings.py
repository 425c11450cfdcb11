"""Settings that name what does not exist, or cannot be used: the findings of `doctor`, and the remarks of other commands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from fcregistry._config.files import doubt_about
from fcregistry._config.layers import Layer
from fcregistry._config.policy import Effect, UnmatchedItem, trust
from fcregistry._config.settings import CALL_HOOKS, OWN_VARIABLES, configuration, other_variables
from fcregistry._tools.declaration import log
from fcregistry._tools.selectors import normalized, subject_of
from fcregistry.discovery import current
from fcregistry.inspection._findings import Finding, note, problem


def _unmatched_items() -> tuple[UnmatchedItem, ...]:
    """Return the items of the configuration that name nothing that is installed.

    The tools of disabled plugins are unknown; an item that names their distribution counts as matching.
    """
    discovery = current()
    described = discovery.all_described()
    subjects = [*(subject_of(each, discovery.owner(each)) for each in log), *(subject_of(*each) for each in described)]
    return trust().unmatched_items(subjects, [each.key for each in discovery.entry_points_and_sources()])


# --- Findings of doctor ---


def setting_findings() -> Iterator[Finding]:
    """Yield the names and files in the configuration that do not exist here, or cannot be used."""
    discovery = current()
    shipping = {normalized(each) for each in discovery.distributions()}
    for setting, item, _ in _unmatched_items():
        advice = "correct it: distribution[entry point], or a selector"
        if normalized(item) in shipping:
            advice = f"no tool has this name; write {item}:* for all tools of the distribution"
        yield problem(setting, f"names {item}, which does not exist here", advice)
    for layer in configuration():
        yield from _doubtful_findings(layer)
        for name in layer.precedence:
            if name not in shipping and name not in {each.project for each in discovery.found_commands}:
                message = f"names {name}, which is not installed, or ships no plugins"
                yield problem(
                    f"precedence in {layer.path}", message, "correct it: name distributions that ship plugins"
                )
    for setting, lock in trust().locks:
        if lock.problem is not None:
            yield problem(lock.path, lock.problem, f"{setting}: fcregistry uses no plugin until then")
    for name, meant in _misspelt_variables():
        yield note(name, "is not a variable of fcregistry", f"if you meant {meant}: that is not set")
    for error in current().extensions.unusable_call_hooks():
        advice = "fcregistry refuses every call until then: correct the variable, or fix the extension"
        yield problem(CALL_HOOKS, str(error).removeprefix(f"{CALL_HOOKS} "), advice)


def _doubtful_findings(layer: Layer) -> Iterator[Finding]:
    """Yield at most one finding, if another user may have written the configuration file of `layer`.

    It is a problem if settings of the file are not used for that reason, and a note if it is a project's file with rules only.
    """
    if layer.unused:
        yield problem(
            layer.path,
            f"is used for its rules only, and not for its {', '.join(layer.unused)}: {layer.doubt}",
            "write these settings into your own file, or make the file and its folder yours, and writable for you only",
        )
    elif layer.origin == "project" and (doubt := doubt_about(layer.path)):
        yield note(
            layer.path, f"has rules that apply here, and may not be yours: {doubt}", "fcregistry config shows them"
        )


# --- Remarks of other commands ---

_CONSEQUENCES: Final[dict[Effect, str]] = {
    "deny": "it denies nothing",
    "ask": "it asks about nothing",
    "disable": "it disables nothing",
}
"""The effect of a list -> the consequence of an item that names nothing."""

_ALIKE: Final = 0.8
"""The similarity, as `difflib` rates it, from which on a name is taken for a misspelt one."""


def doubtful_settings() -> Iterator[str]:
    """Yield a sentence for each setting that has probably not the effect that the user meant.

    These are `allow` lists that name no tool at all, items of the other lists whose name is nearly that of something installed, and variables
    whose name is nearly one of fcregistry's. A name that is near to none is left to `doctor`: a site may deny a package that is not installed.
    While plugins are not described yet, only variables are checked: nothing is imported for a remark.

    Raises:
        ConfigurationError: The configuration cannot be read.
    """
    for name, meant in _misspelt_variables():
        yield f"{name} is not a variable of fcregistry; did you mean {meant}?"
    rules = trust()
    if rules.is_open:
        return
    if current().is_incomplete:  # a tool that is not described yet would count as missing
        return
    unmatched = _unmatched_items()
    for source, items in rules.allows_nothing(unmatched):
        near = _nearest_to(items)
        meant = f"; did you mean {' or '.join(near)}?" if near else "."
        yield f"{source} names {', '.join(items)}, and no tool here has such a name, so no tool of a plugin can be used{meant}"
    for source, item, effect in unmatched:
        if effect != "allow" and (near := _nearest_to((item,))):
            yield f"{source} names {item}; did you mean {' or '.join(near)}? As it is, {_CONSEQUENCES[effect]}."


def _nearest_to(items: Iterable[str]) -> tuple[str, ...]:
    """Return the selectors that a user who wrote `items` may have meant; empty if nothing is near."""
    discovery = current()
    distributions = {normalized(each): each for each in discovery.distributions()}
    tools = [(each.name, f"{owner.distribution}:{each.name}") for each, owner in discovery.all_described()]
    plugins = {each.label for each in discovery.plugins} | {f"{each}:*" for each in distributions.values()}
    known = sorted(plugins.union(*tools))
    found: dict[str, None] = {}
    for item in items:
        if (distribution := distributions.get(normalized(item))) is not None:
            found[f"{distribution}:*"] = None
        else:
            found.update(dict.fromkeys(get_close_matches(item, known, n=1, cutoff=_ALIKE)))
    return tuple(found)


def _misspelt_variables() -> Iterator[tuple[str, str]]:
    """Yield each environment variable whose name is nearly one of fcregistry's, and that name.

    Plugins have variables with the same prefix, such as `FCREGISTRY_FILES_ROOT`.
    """
    for name in other_variables():
        for meant in sorted(OWN_VARIABLES):
            if _is_slip(name, meant) and not _is_declared(name):
                yield name, meant


def _is_slip(written: str, meant: str) -> bool:
    """Return whether `written` is `meant` with letters in another order, or with one letter more or less."""
    if len(written) == len(meant):
        return sorted(written) == sorted(meant)
    longer, shorter = sorted((written, meant), key=len, reverse=True)
    return len(longer) == len(shorter) + 1 and any(
        longer[:place] + longer[place + 1 :] == shorter for place in range(len(longer))
    )


def _is_declared(name: str) -> bool:
    """Return whether a described tool requires the environment variable `name`."""
    return any(name in str(each.options.get("requires_env", "")) for each, _ in current().all_described())

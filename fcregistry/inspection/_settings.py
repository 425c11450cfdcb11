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
from fcregistry._tools.selectors import HINTS, normalized, subject_of
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


def _names_for_precedence() -> set[str]:
    """Return the normalized names of the distributions that `precedence` may name."""
    discovery = current()
    return {normalized(each) for each in discovery.distributions()} | {
        each.project for each in discovery.found_commands
    }


def _unmatched_precedence() -> Iterator[tuple[str, str]]:
    """Yield the setting and the name for each name in `precedence` that no distribution here has."""
    known = _names_for_precedence()
    for layer in configuration():
        yield from ((f"precedence in {layer.path}", name) for name in layer.precedence if name not in known)


# --- Findings of doctor ---


def setting_findings() -> Iterator[Finding]:
    """Yield the names and files in the configuration that do not exist here, or cannot be used."""
    discovery = current()
    shipping = {normalized(each) for each in discovery.distributions()}
    for setting, item, _ in _unmatched_items():
        advice = "correct it: distribution[entry point], or a selector"
        if normalized(item) in shipping:
            advice = f"no tool has this name; write {item}:* for all tools of the distribution"
        elif near := _nearest_to((item,)):
            advice = f"did you mean {' or '.join(near)}?"
        yield problem(setting, f"names {item}, which does not exist here", advice)
    for layer in configuration():
        yield from _doubtful_findings(layer)
    for source, name in _unmatched_precedence():
        message = f"names {name}, which is not installed, or ships no plugins"
        near_name = _alike(name, _names_for_precedence())
        advice = f"did you mean {near_name}?" if near_name else "correct it: name distributions that ship plugins"
        yield problem(source, message, advice)
    for setting, lock in trust().locks:
        if lock.problem is not None:
            yield problem(lock.path, lock.problem, f"{setting}: fcregistry uses no plugin until then")
    for name, meant in _misspelt_variables():
        yield note(name, "is not a variable of fcregistry", f"if you meant {meant}: that is not set")
    for setting, error in current().extensions.unusable_call_hooks():
        kind = "variable" if setting == CALL_HOOKS else "setting"
        advice = f"fcregistry refuses every call until then: correct the {kind}, or fix the extension"
        yield problem(setting, str(error).removeprefix(f"{setting} "), advice)


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

    These are `allow` lists that name no tool at all, items of the other lists whose name is nearly that of something installed, or is a hint, tag
    or group without its `=`, misspelt distributions in `precedence`, and misspelt variables. A name that is near to none is left to
    `doctor`: a site may deny a package that is not installed.
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
    for source, name in _unmatched_precedence():
        if (distribution := _alike(name, _names_for_precedence())) is not None:
            yield f"{source} names {name}; did you mean {distribution}? As it is, it gives no distribution precedence."


def _nearest_to(items: Iterable[str]) -> tuple[str, ...]:
    """Return the selectors that a user who wrote `items` may have meant; empty if nothing is near."""
    discovery = current()
    distributions = {normalized(each): each for each in discovery.distributions()}
    known = {each: f"{each}=true" for each in HINTS}
    for each, owner in discovery.all_described():
        subject = subject_of(each, owner)
        known |= {tag: f"tag={tag}" for tag in subject.tags}
        known |= {subject.group: f"group={subject.group}"} if subject.group else {}
    exact = {f"{each}:*" for each in distributions.values()} | {each.label for each in discovery.plugins}
    for each, owner in discovery.all_described():
        exact |= {each.name, f"{owner.distribution}:{each.name}"}
    known |= {each: each for each in exact}
    found: dict[str, None] = {}
    for item in items:
        if (distribution := distributions.get(normalized(item))) is not None:
            found[f"{distribution}:*"] = None
        elif (near := _alike(item, known)) is not None:
            found[known[near]] = None
    return tuple(found)


def _alike(written: str, known: Iterable[str]) -> str | None:
    """Return the one of `known` that `written` is, or is nearly; None if none is near."""
    names = sorted(known)
    # `difflib` rates short names as less alike: two letters in the wrong order are half of four
    near = get_close_matches(written, names, n=1, cutoff=_ALIKE) or [each for each in names if _is_slip(written, each)]
    return near[0] if near else None


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

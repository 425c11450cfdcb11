"""Which tools do selectors name, one after the other?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry._selectors import Selector, parse_selectors, subject_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fcregistry._catalogue import Catalogue
    from fcregistry._declarations import Declaration
    from fcregistry._naming import Owned


def chosen(catalogue: Catalogue, selectors: Iterable[str]) -> list[tuple[Owned, bool]]:
    """Return what selectors name, sorted by name and id, and whether one names each of them exactly; without any, all there are.

    Raises:
        SelectorError: One is no selector.
        ToolNotFoundError: One, an excluding one apart, matches nothing.
        AmbiguousToolError: A plain name that several tools have.
    """
    parsed = parse_selectors(selectors)
    catalogue.load_for(parsed)
    found: dict[Declaration, tuple[Owned, bool]] = {}
    if not parsed or parsed[0].excludes:
        found = {owned.declaration: (owned, False) for owned in catalogue.offered()}
    for selector in parsed:
        if selector.excludes:
            left = [each for each in found.values() if not selector.matches(subject_of(*each[0]))]
            found = {owned.declaration: (owned, exact) for owned, exact in left}
            continue
        for owned in _matching(catalogue, selector):
            known = owned.declaration in found and found[owned.declaration][1]
            found[owned.declaration] = (owned, known or selector.is_exact)
    return sorted(found.values(), key=lambda each: (each[0].declaration.name, each[0].id))


def _matching(catalogue: Catalogue, selector: Selector) -> list[Owned]:
    if selector.is_exact:
        return [catalogue.resolve(selector.text)]
    found = [each for each in catalogue.offered() if selector.matches(subject_of(*each))]
    if not found:
        raise catalogue.nothing_matches(selector.text)
    return found

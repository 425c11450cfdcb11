"""What does a docstring say of a function, its parameters and its result?

Docstrings are data from strangers: they are read, never evaluated, in time that grows with their length and no faster, and whatever stands in
one, reading it does not fail. A line that cannot be read is left out, and said.
"""

from __future__ import annotations

from typing import Final

from fcregistry._docstrings._fields import read_fields
from fcregistry._docstrings._google import read_google
from fcregistry._docstrings._lines import clean
from fcregistry._docstrings._numpy import read_numpy
from fcregistry._docstrings._said import Documentation, DocumentedParameter, Said
from fcregistry._docstrings._sections import cut

__all__ = ["NOTHING_SAID", "Documentation", "DocumentedParameter", "read_docstring"]

NOTHING_SAID: Final = Documentation("", "", {}, None, ())
"""What no docstring says."""


def read_docstring(text: str | None) -> Documentation:
    """Return what a docstring says, in Google, NumPy, reST or Epydoc style, or in several of them.

    All prose is the description, wherever it stands: what a caller must know. `Note:` and `Warning:` are prose, as in `Note: text`. Sections
    about parameters, attributes, the result and what is raised are not, nor are examples, references, `See Also:` and `Todo:`, which
    speak to the readers of the code.

    Args:
        text: A docstring as it stands in the source, or None.
    """
    if not isinstance(text, str):
        return NOTHING_SAID  # a callable object's `__doc__` may be anything
    prose, sections = cut(clean(text))
    said = Said()
    for section in sections:
        if section.style == "fields":
            read_fields(section.lines, said)
        elif section.kind != "aside":
            (read_google if section.style == "google" else read_numpy)(section, said)
    description = "\n".join(prose).strip()
    summary = " ".join(description.partition("\n\n")[0].split())
    return Documentation(
        summary, description, said.parameters, said.returns or said.yields, tuple(said.unread), said.attributes
    )

"""How is a docstring's text taken line by line? By indentation, each function in one pass over its lines."""

from __future__ import annotations


def clean(text: str) -> list[str]:
    """Return the lines of a docstring without the indentation of the source, and with one blank line where there are several.

    As PEP 257 describes it, and `inspect.cleandoc` does; that one takes quadratic time for blank lines at the start, and leaves
    the line ends of Windows.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    first, *others = text.expandtabs().split("\n")
    lines: list[str] = []
    above = first.strip()
    if above:
        lines.append(above)
    for line in dedented(others):
        if line or above:
            lines.append(line)
        above = line
    if lines and not lines[-1]:
        lines.pop()
    return lines


def indentation(line: str) -> int:
    """Return how many characters of white space a line begins with."""
    return len(line) - len(line.lstrip())


def dedented(lines: list[str]) -> list[str]:
    """Return lines without the indentation that all of them have, and without white space at their ends."""
    lines = [line.rstrip() for line in lines]
    margin = min([len(line) - len(line.lstrip()) for line in lines if line], default=0)
    return [line[margin:] for line in lines] if margin else lines


def joined(lines: list[str]) -> str:
    """Return the text of a section, without the indentation that all lines have."""
    return "\n".join(dedented(lines)).strip()


def text_after(first: str) -> str:
    """Return the text that begins in the line of its entry: the indentation of its other lines is theirs alone."""
    if "\n" not in first:
        return first.strip()
    line, _, others = first.partition("\n")
    return "\n".join([line.strip(), *dedented(others.split("\n"))]).strip()

"""How is a docstring's text taken line by line? By indentation, each function in one pass over its lines."""

from __future__ import annotations


def clean(text: str) -> list[str]:
    """Return the lines of a docstring without the indentation of the source, and with one blank line where there are several.

    As PEP 257 describes it, and `inspect.cleandoc` does; that one takes quadratic time for blank lines at the start, and leaves
    the line ends of Windows.
    """
    first, *others = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs().split("\n")
    lines = [first.strip(), *dedented(others)]
    lines = [line for place, line in enumerate(lines) if line or (place and lines[place - 1])]
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
    line, newline, others = first.partition("\n")
    if not newline:
        return line.strip()
    return "\n".join([line.strip(), *dedented(others.split("\n"))]).strip()

"""Turns text into the nodes of the calls in it, by Python's parser, which runs nothing.

CPython's parser is not made for hostile text. Deep nesting exhausts its stack, or Python's; a tree takes hundreds of bytes for each token;
and it warns of escapes that it does not know. So the text is cut into tokens first, as Python cuts it, and only a short, balanced and flat
text of tokens that a call can have is parsed.
"""

from __future__ import annotations

import ast
import keyword
import re
from bisect import bisect_left
from typing import Final, NamedTuple, NoReturn

from fcregistry.expressions._nodes import MOST_PROBLEMS, ExpressionError, ExpressionProblem, malformed


def parse_call_nodes(text: str) -> tuple[list[ast.expr], ExpressionSource]:
    """Return the expressions in a text, and the text as it was parsed.

    They are the items of one list, or the expressions that follow each other.

    Raises:
        ExpressionError: It is not Python, or it has a statement.
    """
    source = scan_source(text)
    try:
        body = ast.parse(source.text).body
    except SyntaxError as error:
        line, column = source.place(error.lineno or 1, 0)
        if error.offset and error.text is not None:
            column = source.place(line, len(error.text[: error.offset - 1].encode("utf-8", "replace")))[1]
        raise malformed(f"this is not Python: {error.msg[:200]}", line, column) from None
    except (ValueError, RecursionError, MemoryError) as error:  # what the scan did not foresee
        raise malformed(f"the expression cannot be read: {type(error).__name__}", 1, 1) from None
    if not body:
        raise malformed("there is no call in it; write one, f(a=1)", 1, 1)
    found: list[ast.expr] = []
    for node in body:
        if not isinstance(node, ast.Expr):
            raise malformed(
                f"{describe_node(node)} is not allowed; write a call, f(a=1)",
                *source.place(node.lineno, node.col_offset),
            )
        found.append(node.value)
    if len(found) == 1 and isinstance(found[0], (ast.List, ast.Tuple)):
        found = list(found[0].elts)
    return found, source


def dotted_name(node: ast.expr) -> str | None:
    """Return the name that a node is, with dots, such as `a` or `a.b`; None for any other node.

    Nothing is looked up.
    """
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(names)])


_NODE_NAMES: Final[dict[type[ast.AST], str]] = {
    ast.Attribute: "an attribute",
    ast.Subscript: "a subscript",
    ast.Slice: "a slice",
    ast.Compare: "a comparison",
    ast.NamedExpr: "an assignment",
    ast.Assign: "an assignment",
    ast.AugAssign: "an assignment",
    ast.Starred: "unpacking here",
    ast.MatMult: "the operator @",
    ast.Invert: "the operator ~",
    ast.JoinedStr: "an f-string",
    ast.Name: "a name",
    ast.Constant: "a value",
    ast.BinOp: "arithmetic",
    ast.UnaryOp: "arithmetic",
    ast.List: "a list",
    ast.Tuple: "a tuple",
    ast.Set: "a set",
    ast.Dict: "a dict",
    ast.Call: "a call",
}
"""Kind of a node -> its name in messages; any other is named by its class."""


def describe_node(node: ast.AST) -> str:
    """Return the kind of a node, for a message."""
    return _NODE_NAMES.get(type(node), f"`{type(node).__name__}`")


# --- Scanning a text before it is parsed ---

MOST_CHARACTERS: Final = 200_000
"""The longest text: a file fits into an argument."""

MOST_TOKENS: Final = 10_000
"""The most numbers, texts, names and signs: their syntax tree takes some 6 MB."""

MOST_LEVELS: Final = 100
"""The deepest nesting: of brackets, and of signs one after the other, which nest too."""

MOST_DIGITS: Final = 1_300
"""The most characters of a number: those of the largest that arithmetic makes."""

_TOKEN: Final = re.compile(
    r"""
    [ \t\f]*+(?:
    (?P<word>[^\W\d]\w*+(?!["']))
    |(?P<string>(?P<prefix>[rRuUbBfFtT]|[bBfFtT][rR]|[rR][bBfFtT]|)(?P<quote>\"{3}|'{3}|"|'))
    |(?P<joined>[^\W\d]\w*+)
    |(?P<number>0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)
    |(?P<comma>,)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<space>\\\n|\#[^\n]*)
    |(?P<end>[\n;])
    |(?P<sign>[\s\S])
    |$)
    """,
    re.VERBOSE,
)
_STRING_ENDS: Final = {
    "'": re.compile(r"(?:[^'\\\n]|\\[\s\S])*+'"),
    '"': re.compile(r'(?:[^"\\\n]|\\[\s\S])*+"'),
    "'''": re.compile(r"(?:[^'\\]|\\[\s\S]|'(?!''))*+'''"),
    '"""': re.compile(r'(?:[^"\\]|\\[\s\S]|"(?!""))*+"""'),
}
"""Opening quotes -> the rest of the string."""

_ESCAPE: Final = re.compile(r"\\(?:([4-7][0-7]{2})|([\s\S]))")
_KNOWN_ESCAPES: Final = frozenset("\\'\"abfnrtvx01234567\n")
_KEYWORDS: Final = frozenset(keyword.kwlist) - {"True", "False", "None"}
_OPENING_OF: Final = {")": "(", "]": "[", "}": "{"}
_KEYWORD_CONSTRUCTS: Final = {
    **dict.fromkeys(("lambda", "def"), "a function"),
    **dict.fromkeys(("for", "while"), "a loop or comprehension"),
    **dict.fromkeys(("if", "elif", "else"), "a condition"),
    **dict.fromkeys(("and", "or", "not"), "a boolean operator"),
    **dict.fromkeys(("in", "is"), "a comparison"),
    **dict.fromkeys(("import", "from"), "an import"),
}
"""Keyword -> the construct that it begins; any other keyword is named itself."""

_EQUALS: Final = re.compile(r"\s*=(?!=)")
_CONTINUATIONS: Final = frozenset({"in", "else", "elif", "as", "pass"})
"""Keywords that continue what another keyword began, which was reported."""


class CutOff(ExpressionError):
    """An expression whose only fault is that its end is missing."""


def scan_source(text: str) -> ExpressionSource:
    """Return the source of a text that may be parsed, without a code fence around it.

    Raises:
        CutOff: Its brackets or quotes are not closed.
        ExpressionError: It may not be parsed: it is too long or too deep, or it has what no call has.
        TypeError: It is not text.
    """
    if not isinstance(text, str):
        raise TypeError(f"an expression is a text, not {type(text).__name__}")
    if len(text) > MOST_CHARACTERS:
        raise malformed(f"the text has {len(text)} characters; {MOST_CHARACTERS} are allowed")
    return _Scan(strip_fence(text)).run()


class _Scan:
    """One pass through a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._edits: list[tuple[int, int, str]] = []  # start, end, and the new text
        self._problems: list[ExpressionProblem] = []
        self._open: list[int] = []  # the place of each open bracket
        self._levels = [0]  # the number of nested signs in each open bracket, since its last comma
        self._depth = 0  # their sum

    def run(self) -> ExpressionSource:
        """Read all tokens, and return the source.

        Raises:
            CutOff: Its brackets or quotes are not closed, and nothing else is wrong.
            ExpressionError: It may not be parsed.
        """
        text, at, tokens = self._text, 0, 0
        while at < len(text) and len(self._problems) < MOST_PROBLEMS:
            found = _TOKEN.match(text, at)
            assert found is not None  # any one character is at least a sign
            at = self._read_token(found)
            tokens += 1
            if tokens > MOST_TOKENS:
                self._stop(found.start(), f"the text has more than {MOST_TOKENS} names, values and signs")
        if self._open:
            place = self._open[0]
            message = f"{text[place]!r} is never closed: the expression is cut off, or a bracket is missing"
            self._stop(place, message, CutOff)
        if self._problems:
            raise ExpressionError(self._problems)
        return self._apply_edits()

    def _read_token(self, found: re.Match[str]) -> int:
        """Check the token that the match `found` begins, and return where the next token begins.

        Problems are added; `ExpressionError` is raised for those after which reading cannot go on.
        """
        match found.lastgroup:
            case "string":
                return self._string(found)
            case "word" | "joined" as kind:
                self._word(found[kind], found.start(kind))
            case "number":
                self._number(found)
            case "open":
                self._nest(found.start("open"))
                self._open.append(found.start("open"))
                self._levels.append(0)
            case "close":
                self._close(found["close"], found.start("close"))
            case "comma":
                self._unnest()
            case "end" if len(self._levels) == 1:
                self._unnest()
            case "sign":
                self._sign(found["sign"], found.start("sign"))
        return found.end()

    def _sign(self, text: str, at: int) -> None:
        """Count the character `text`, such as an operator, as a level of nesting, or add a problem.

        The colon of a statement, and characters that Python cannot parse, are problems.

        Raises:
            ExpressionError: The nesting is too deep.
        """
        if text == ":" and len(self._levels) == 1:
            if not self._problems:  # after a keyword, that was reported
                self._refuse(at, "a statement is not allowed; write a call, f(a=1)")
        elif text == "\0" or "\ud800" <= text <= "\udfff":
            self._refuse(at, f"the character U+{ord(text):04X} is not allowed")
        else:
            self._nest(at)

    def _nest(self, at: int) -> None:
        """Count one more level of nesting, of a bracket or an operator, in the innermost open bracket.

        Raises:
            ExpressionError: There are too many; `at` is the place of the problem.
        """
        self._levels[-1] += 1
        self._depth += 1
        if self._depth > MOST_LEVELS:
            self._stop(at, f"the expression is nested too deeply: at most {MOST_LEVELS} levels of brackets and signs")

    def _unnest(self) -> None:
        """Set the levels of nesting in the innermost open bracket to zero.

        After a comma or the end of a line, the next token is beside the operators before it, and not inside them.
        """
        self._depth -= self._levels[-1]
        self._levels[-1] = 0

    def _close(self, text: str, at: int) -> None:
        """Close the innermost open bracket with `text`, the closing bracket at `at`.

        Raises:
            ExpressionError: No bracket is open, or one of another kind.
        """
        if not self._open or self._text[self._open[-1]] != _OPENING_OF[text]:
            closes = f", and {self._text[self._open[-1]]!r} is open" if self._open else ""
            self._stop(at, f"{text!r} closes nothing{closes}")
        self._unnest()
        self._open.pop()
        self._levels.pop()

    def _word(self, word: str, at: int) -> None:
        """Add a problem if `word` is a keyword, unless it continues another keyword that was refused.

        `True`, `False` and `None` are allowed.
        """
        if word in _KEYWORDS and not (word in _CONTINUATIONS and self._problems):
            described = _KEYWORD_CONSTRUCTS.get(word, f"`{word}`")
            shown = "" if word in described else f" (`{word}`)"
            is_name = _EQUALS.match(self._text, at + len(word))
            hint = f'; for an argument of that name, write **{{"{word}": …}}' if is_name else ""
            self._refuse(at, f"{described}{shown} is not allowed{hint}")

    def _number(self, found: re.Match[str]) -> None:
        """Add a problem if the number in `found` is too long, and one if a letter or digit follows it."""
        number, at = found["number"], found.start("number")
        if len(number) > MOST_DIGITS:
            self._refuse(at, f"a number of {len(number)} characters is too long; {MOST_DIGITS} are allowed")
        after = self._text[found.end() : found.end() + 1]
        if after.isalnum() or after == "_":
            self._refuse(at, f"{number[:20] + after!r} is not a number")

    def _string(self, found: re.Match[str]) -> int:
        """Check the string that `found` begins, and return where it ends.

        Problems are added for f-strings and t-strings, lone surrogates and null characters; `_escapes` notes edits of unknown escapes.

        Raises:
            CutOff: It is never closed, and nothing else is wrong before.
            ExpressionError: It is never closed, and there are other problems.
        """
        prefix, quote, at = found["prefix"].lower(), found["quote"], found.start("string")
        if "f" in prefix or "t" in prefix:
            self._refuse(at, "an f-string is not allowed; write the text, or join texts with +")
        rest = _STRING_ENDS[quote].match(self._text, found.end())
        if rest is None:
            message = f"the text that {quote} opens is never closed: the expression is cut off, or a quote is missing"
            self._stop(at, message, CutOff)
        text = rest[0]
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            self._refuse(at, "the text holds half a character (a lone surrogate)")
        if "\0" in text:
            self._refuse(at, r"the text holds a null character; write \0")
        if "\\" in text and "r" not in prefix:
            self._escapes(text, rest.start(), is_bytes="b" in prefix)
        return rest.end()

    def _escapes(self, text: str, start: int, *, is_bytes: bool) -> None:
        """Add an edit to `_edits` for each escape that Python does not know, since Python would warn of it.

        The edit doubles the backslash; an octal escape above 255 becomes one that Python accepts.

        Args:
            text: The string after its opening quote.
            start: Where this is in the whole text.
            is_bytes: Whether it is the string of bytes.
        """
        for found in _ESCAPE.finditer(text):
            octal, escaped = found.groups()
            if octal:
                new = f"\\x{int(octal, 8) & 255:02x}" if is_bytes else f"\\u{int(octal, 8):04x}"
            elif escaped in _KNOWN_ESCAPES or (escaped in "uUN" and not is_bytes):
                continue
            else:
                new = f"\\{found[0]}"
            self._edits.append((start + found.start(), start + found.end(), new))

    def _apply_edits(self) -> ExpressionSource:
        """Return the source: the text with its edits, and the places where they made it longer."""
        parts: list[str] = []
        added: list[int] = []
        last = grown = 0
        for start, end, new in self._edits:
            parts += (self._text[last:start], new)
            added += [start + grown] * (len(new) - (end - start))
            grown += len(new) - (end - start)
            last = end
        return ExpressionSource("".join([*parts, self._text[last:]]), added)

    def _refuse(self, at: int, message: str) -> None:
        """Add a problem with `message` at the character `at`, which gets a line and a column from 1."""
        line = self._text.count("\n", 0, at) + 1
        column = at - (self._text.rfind("\n", 0, at) + 1) + 1
        self._problems.append(ExpressionProblem(code="malformed_call", message=message, line=line, column=column))

    def _stop(self, at: int, message: str, kind: type[ExpressionError] = ExpressionError) -> NoReturn:
        """Add a problem at the character `at`, and raise all problems: as `kind` if it is the only one.

        If there are others, the exception is an `ExpressionError`. The method never returns.
        """
        only = not self._problems
        self._refuse(at, message)
        raise (kind if only else ExpressionError)(self._problems)


class ExpressionSource(NamedTuple):
    """Text that may be parsed.

    Attributes:
        text: The text, in which escapes that Python warns of are written so that it does not.
        added: Where, in `text`, a character was added for that, in order.
    """

    text: str
    added: list[int]

    def place(self, line: int, byte: int) -> tuple[int, int]:
        """Return the line and the character, both from 1, of a place.

        The parser counts the place in bytes of UTF-8.
        """
        above = self.text.split("\n")[: line - 1]
        start = sum(map(len, above)) + len(above)
        rest = self.text[start : start + byte]  # as many characters at the most
        offset = start + len(rest.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "ignore"))
        before = bisect_left(self.added, offset) - bisect_left(self.added, start)
        return line, offset - start - before + 1


# --- Code fences ---

_FENCE: Final = re.compile(r"^[^\S\n]*```", re.MULTILINE)


def strip_fence(text: str) -> str:
    """Return a text without the code fence around it, if there is one.

    The fence may lack its end, where a model stopped at it. A text that is inline code as a whole, `f(1)` between two backticks, becomes
    that code.
    """
    plain = _with_plain_line_ends(text)
    opening, _, fenced = plain.partition("\n")
    language = opening[3:].strip()
    if not opening.startswith("```") or not (language == "" or language.isidentifier()):
        return plain[1:-1].strip() if plain[:1] == plain[-1:] == "`" and plain.count("`") == 2 else plain
    return fenced.removesuffix("```").strip()


def last_fenced_block(text: str) -> str:
    """Return the code block that a text ends with; an empty text if it ends otherwise."""
    pieces = _FENCE.split(_with_plain_line_ends(text))
    if len(pieces) % 2 and pieces[-1]:  # words
        return ""
    return strip_fence(f"```{pieces[-1] or pieces[-2]}") if len(pieces) > 1 else ""


def _with_plain_line_ends(text: str) -> str:
    r"""Return a text with `\n` for every line end, and without white space around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()

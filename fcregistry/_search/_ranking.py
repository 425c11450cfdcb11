"""How are tools ranked by words? BM25, which SQLite's FTS5 computes, over a table of three columns.

A tool's name tells most, so it weighs most, then what is said of it, then its parameters. A word is looked for as it stands and as the beginning
of others (*file* finds *files*, and *temp* finds *temperature*), so that one that stands there itself counts twice; where no tool has
either, words that are spelled alike are looked for. Several words need not all be there; one that most tools have decides nothing, unless it is
the only one. Without stems: they find *normal* where *normalize*
was asked for, and in a trial with 1,789 functions of the standard library and 42 questions the answer stood further down with them.

Source: SQLite documentation, "SQLite FTS5 Extension", sections "The bm25() function" and "FTS5 Prefix Queries".
"""

from __future__ import annotations

from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from fcregistry._search._words import asked, indexed
from fcregistry.errors import MissingDependencyError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from fcregistry._search._words import Term

CREATE: Final = "CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, name, description, parameters, tokenize='ascii')"
"""Makes the table; the words are written as ASCII splits them, whatever script they are in."""

INSERT: Final = "INSERT INTO words (rowid, id, name, description, parameters) VALUES (?, ?, ?, ?, ?)"
"""Adds a tool: a row id, or NULL for the next one; its canonical id; and what `text_fields` returns of it."""

DELETE: Final = "DELETE FROM words WHERE rowid = ?"
"""Takes a tool away."""

_RANK: Final = (
    "SELECT rowid, bm25(words, 0.0, 4.0, 2.0, 1.0) AS score FROM words WHERE words MATCH ? ORDER BY score, rowid"
)
_IDENTITY: Final = "SELECT id FROM words WHERE rowid = ?"
_TOOLS: Final = "SELECT count(*) FROM words_docsize"
_COUNT: Final = "SELECT count(*) FROM words WHERE words MATCH ?"
_VOCABULARY: Final = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')"

MOST_WORDS: Final = 32
"""How many different words of a query are looked at."""

_NAMED: Final = frozenset(("properties", "$defs"))
_NESTED: Final = frozenset(("items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties"))
"""The keywords of JSON Schema that hold schemas: by name, and one or several."""

_ENOUGH: Final = 500
"""How many tools are ranked, unless a single word finds more: at some 10 µs each."""

_MOST_CHARACTERS: Final = 10_000
_SHORTEST_BEGINNING: Final = 2
_SHORTEST_MISSPELT: Final = 4


def create(connection: sqlite3.Connection) -> None:
    """Make the table.

    Raises:
        MissingDependencyError: This SQLite was built without FTS5.
    """
    import sqlite3  # the command line's --help needs it not

    try:
        connection.execute(CREATE)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        raise MissingDependencyError(
            f"tools cannot be searched here: SQLite {sqlite3.sqlite_version} of this Python was built without FTS5; "
            "use a Python whose sqlite3 has it"
        ) from error


def text_fields(
    name: str,
    description: str,
    parameters: Mapping[str, Any],
    *,
    group: str = "",
    more: Iterable[str] = (),
) -> tuple[str, str, str]:
    """Return what the table holds of a tool: the words of its name, of what is said of it, and of its parameters.

    Args:
        name: Its name.
        description: What a model is told of it.
        parameters: The JSON Schema of its arguments.
        group: Its group, unless that is the default one.
        more: What else it may be found by: its title, aliases and tags, the distribution that ships it.
    """
    words = (name, group.replace(".", " "))
    said = (description, *more)
    return indexed(" ".join(words)), indexed(" ".join(said)), indexed(" ".join(_said_of(parameters, 0)))


def _said_of(schema: Any, depth: int) -> list[str]:
    """Return the names and descriptions of properties, and the words to choose from, at any reasonable depth."""
    if depth > 8 or not isinstance(schema, dict):
        return []
    said: list[str] = []
    for key, inner in schema.items():
        if key == "description":
            said += [inner] if depth and isinstance(inner, str) else []
        elif key == "enum":
            said += [each for each in inner if isinstance(each, str)] if isinstance(inner, list) else []
        elif key in _NAMED and isinstance(inner, dict):
            for name, each in inner.items():
                said += [str(name)] if key == "properties" else []
                said += _said_of(each, depth + 1)
        elif key in _NESTED:
            for each in inner if isinstance(inner, list) else (inner,):
                said += _said_of(each, depth + 1)
    return said


def ranked(connection: sqlite3.Connection, query: str) -> Iterator[tuple[int, float]]:
    """Yield the row id of each tool that has to do with a query and its score, best first; equal ones by canonical id.

    The lower a score, the better. Whoever takes no more than it needs saves the rest of the work.

    Args:
        connection: To a database with the table.
        query: Any text: its words are looked for, and nothing in it is an instruction. Of more than 32 different words, the first 32 count.
    """
    expression = _expression(connection, query)
    if expression:
        for score, equal in groupby(connection.execute(_RANK, (expression,)).fetchall(), key=itemgetter(1)):
            for row in _by_identity(connection, [row for row, _ in equal]):
                yield row, score


def _by_identity(connection: sqlite3.Connection, rows: list[int]) -> list[int]:
    """Return rows sorted by canonical id; that is not left to the query, which would read it for all."""
    if len(rows) == 1:
        return rows
    return sorted(rows, key=lambda row: str(connection.execute(_IDENTITY, (row,)).fetchone()[0]))


def _expression(connection: sqlite3.Connection, query: str) -> str:
    """Return what to look for, in the language of FTS5; nothing where no tool has to do with a query."""
    words = asked(query[:_MOST_CHARACTERS], MOST_WORDS)
    counts = dict(chain.from_iterable(_counted(connection, word) for word in words))
    (tools,) = connection.execute(_TOOLS).fetchone()
    rarest_first = sorted(counts, key=lambda each: counts[each])
    telling = [
        each for each in rarest_first if 2 * counts[each] <= tools
    ]  # BM25 gives nothing for what most tools have
    return _bounded(telling or rarest_first[:1], counts)


def _bounded(expressions: list[str], counts: Mapping[str, int]) -> str:
    """Return the expression for any of some, the rarest first, that does not find too many tools to rank.

    The rarest say which tools are found; the others no more than which of these stands before which.
    """
    total = 0
    for place, each in enumerate(expressions):
        total += counts[each]
        if place and total > _ENOUGH:
            return f"({' OR '.join(expressions[:place])}) AND ({' OR '.join(expressions)})"
    return " OR ".join(expressions)


def _counted(connection: sqlite3.Connection, word: Term) -> Iterator[tuple[str, int]]:
    """Yield the expressions for a word, the name that it may be and each of its parts, with how many tools have them."""
    if len(word.parts) > 1 and word.whole:
        yield from _there(connection, f'"{word.whole}"')
    for part in word.parts:
        if len(part) > 1 or len(word.parts) == 1:  # of e-mail, mail
            yield from _counted_part(connection, part, word)


def _counted_part(connection: sqlite3.Connection, part: str, word: Term) -> Iterator[tuple[str, int]]:
    """Yield the expressions for a part as it stands and as a beginning; where no tool has either, for words that are spelled alike."""
    exact, beginning = f'"{part}"', f'"{part}"*'
    found = _there(connection, exact)
    if not word.is_pair and (len(part) >= _SHORTEST_BEGINNING or not part.isascii()):
        found += _there(connection, beginning)
    if not found and len(part) >= _SHORTEST_MISSPELT and part.isascii():
        for each in _alike(connection, part):
            found += _there(connection, each)
    yield from found


def _there(connection: sqlite3.Connection, expression: str) -> list[tuple[str, int]]:
    """Return an expression with how many tools have it; nothing if none has."""
    (count,) = connection.execute(_COUNT, (expression,)).fetchone()
    return [(expression, count)] if count else []


def _alike(connection: sqlite3.Connection, part: str) -> Iterator[str]:
    """Yield the expressions for words that are spelled like one that no tool has."""
    from difflib import get_close_matches  # only for what is misspelt

    connection.execute(_VOCABULARY)
    near = "SELECT term FROM temp.vocabulary WHERE length(term) BETWEEN ? AND ? ORDER BY term"
    terms = [term for (term,) in connection.execute(near, (len(part) - 2, len(part) + 2))]
    for term in get_close_matches(part, terms, n=2, cutoff=0.75):
        yield f'"{term}"'

"""Search of tools by words: BM25 over their names, descriptions and parameters, by SQLite's FTS5.

The name weighs most, then the description, then the parameters. Each word of a query is searched as a word and as a prefix (*file* finds
*files*, *temp* finds *temperature*), so an exact match counts twice, and an English plural also in the singular; if no tool matches, words
that are spelled alike are searched. Not every word must match. A word that most tools have is ignored, unless it is the only one. There is
no other stemming: stems find *normal* for *normalize*, and in a trial with 1,789 functions of the standard library and 42 questions they
ranked the answers lower.

Names are split: `getHTTPResponse_v2` is get, http, response and v2, and `gethttpresponsev2`. Letters are compared without case and accents. Scripts
without spaces between words (Chinese, Japanese, Korean, Thai, …) are split into pairs of characters. Words hold letters and digits only, whatever
the text, so that none is an operator of the query language.

Source: SQLite documentation, "SQLite FTS5 Extension", sections "The bm25() function" and "FTS5 Prefix Queries".
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from fcregistry._base.forks import after_fork, sqlite_lock
from fcregistry._tools.declaration import DEFAULT_GROUP
from fcregistry.errors import MissingDependencyError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from fcregistry._tools.record import ToolRecord
    from fcregistry._tools.tool import Tool


# --- Tools in memory ---


def search_tools(tools: Iterable[Tool], words: str, limit: int = 10) -> tuple[Tool, ...]:
    """Return at most `limit` of `tools` that match `words`, best first; see `ToolSearch.best`.

    The tables for the last few tuples of tools are kept.
    """
    return _search_of(tuple(tools)).best(words, limit)


class ToolSearch:
    """Finds tools by words. The table is in memory, and made at the first search. Thread-safe.

    Args:
        tools: The tools; those that cannot be defined are left out.
        index: A connection to an index, whose rows are searched too. They are copied, since BM25 compares only rows of one table.
    """

    __slots__ = ("__weakref__", "_index", "_table", "_tools")

    def __init__(self, tools: Iterable[Tool], index: sqlite3.Connection | None = None) -> None:
        self._tools = tuple(tools)
        self._index = index
        self._table: sqlite3.Connection | None = None
        after_fork(self, ToolSearch._forget)

    def _forget(self) -> None:
        """Drop the table in a forked process; the next search makes it again."""
        self._table = None  # a connection of SQLite must not be used in a forked process

    def best(self, words: str, limit: int) -> tuple[Tool, ...]:
        """Return the tools that match words, best first.

        Tools that match equally well are sorted by canonical id. Tools that are not available here are left out.

        Args:
            words: Any text.
            limit: How many tools at most.

        Raises:
            MissingDependencyError: This Python's SQLite was built without FTS5.
        """
        found = (tool for tool in self.ranked(words) if not isinstance(tool, int) and not tool.unavailable)
        return tuple(islice(found, limit))

    def ranked(self, words: str) -> Iterator[int | Tool]:
        """Yield the matches for words, best first: tools, and row ids of the index.

        Raises:
            MissingDependencyError: This Python's SQLite was built without FTS5.
        """
        table = self._filled()
        with sqlite_lock:
            found = [row for row, _ in rank_rows(table, words)]
        return (row if row >= 0 else self._tools[-1 - row] for row in found)

    def _filled(self) -> sqlite3.Connection:
        """Return a connection to the table, with the rows of the tools and the index, made at first use.

        No lock is held while external code describes the tools.

        Raises:
            MissingDependencyError: This Python has no SQLite.
        """
        if self._table is not None:
            return self._table
        from weakref import finalize

        try:
            import sqlite3  # 3 ms, which only a search needs
        except ImportError as error:
            raise MissingDependencyError(
                "tools cannot be searched here: this Python was built without SQLite; use one that has it"
            ) from error
        rows = list(self._rows())
        with sqlite_lock:
            # A connection of the index limits what its statements may cost, and the new one gets the same content
            table = (sqlite3.Connection if self._index is None else type(self._index))(
                ":memory:", check_same_thread=False
            )
            finalize(self, _close, table)  # Python 3.13 warns of a connection that is left open
            if self._index is None:
                create_table(table)
            else:
                self._index.commit()  # a backup would wait for ever for an open transaction of this connection
                self._index.backup(table)
            table.executemany(INSERT, rows)
            self._table = table  # replaces an equal one, if another thread has made it meanwhile
        return table

    def _rows(self) -> Iterator[tuple[int, str, str, str, str]]:
        """Yield the row of each tool that can be defined: a row id, its canonical id and three columns.

        The row ids are -1, -2 and so on; those of the rows of an index are not negative.
        """
        for place, tool in enumerate(self._tools):
            if tool.definition_error is None:
                yield (-1 - place, tool.id, *fields_of_tool(tool))


_search_of = lru_cache(maxsize=8)(ToolSearch)
"""Returns the search among a tuple of tools, the same for equal tuples: a registry with other tools than before has another tuple."""


def _close(table: sqlite3.Connection) -> None:
    """Close a connection, after waiting until no other thread uses SQLite."""
    with sqlite_lock:
        table.close()


def fields_of_tool(tool: Tool) -> tuple[str, str, str]:
    """Return the columns of a tool in the table: its names, its description and its parameters, as words."""
    options = tool.options._asdict()
    names = tool.declared_name if tool.name == tool.declared_name else f"{tool.name} {tool.declared_name}"
    return _fields(names, tool.group, tool.description, tool.parameters, options, tool.origin.distribution or "")


def fields_of_record(record: ToolRecord, distribution: str = "") -> tuple[str, str, str]:
    """Return the columns of a tool in the table, from its record.

    Args:
        record: The record.
        distribution: The distribution that ships it.
    """
    described, options = record["description"], record["options"]
    return _fields(record["name"], record["group"], described, record["parameters"], options, distribution)


def _fields(
    names: str,
    group: str,
    description: str,
    parameters: Mapping[str, Any],
    options: Mapping[str, Any],
    distribution: str,
) -> tuple[str, str, str]:
    """Return the three columns of a tool in the table, each as words separated by spaces.

    They are the words of its names and group; of its description, title, aliases, tags and distribution; and of its
    parameters. The default group is left out.
    """
    if group != DEFAULT_GROUP:
        names += " " + group.replace(".", " ")
    described = (
        description,
        options.get("title") or "",
        *options.get("aliases", ()),
        *options.get("tags", ()),
        distribution,
    )
    return index_text(names), index_text(" ".join(described)), index_text(" ".join(_schema_texts(parameters, 0)))


# --- The table ---


CREATE: Final = "CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, name, description, parameters, tokenize='ascii')"
"""Makes the table. The tokenizer splits at ASCII separators alone: `index_text` has split the words of every script."""

INSERT: Final = "INSERT INTO words (rowid, id, name, description, parameters) VALUES (?, ?, ?, ?, ?)"
"""Adds a tool: a row id, or NULL for the next free one; the canonical id; and the columns."""


def create_table(connection: sqlite3.Connection) -> None:
    """Make the table.

    Raises:
        MissingDependencyError: This SQLite was built without FTS5.
    """
    import sqlite3  # the command line's --help does not need it

    try:
        connection.execute(CREATE)
    except sqlite3.OperationalError as error:
        if "no such module" not in str(error):
            raise
        raise MissingDependencyError(
            f"tools cannot be searched here: SQLite {sqlite3.sqlite_version} of this Python was built without FTS5; "
            "use a Python whose sqlite3 has it"
        ) from error


def _schema_texts(schema: Any, depth: int) -> list[str]:
    """Return the property names, descriptions and enum strings at every level of `schema`; some twice.

    Schemas at a depth above 8, and the description of the schema itself if `depth` is 0, are left out.
    """
    if depth > 8 or not isinstance(schema, dict):
        return []
    texts: list[str] = []
    for key, inner in schema.items():
        if key == "description":
            texts += [inner] if depth and isinstance(inner, str) else []
        elif key == "enum":
            texts += [each for each in inner if isinstance(each, str)] if isinstance(inner, list) else []
        elif key in _NAMED and isinstance(inner, dict):
            for name, each in inner.items():
                texts += [str(name)] if key == "properties" else []
                texts += _schema_texts(each, depth + 1)
        elif key in _NESTED:
            for each in inner if isinstance(inner, list) else (inner,):
                texts += _schema_texts(each, depth + 1)
    return texts


_NAMED: Final = frozenset(("properties", "$defs"))
_NESTED: Final = frozenset(("items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties"))
"""The keywords of JSON Schema whose values contain schemas: a dict of schemas (`_NAMED`), or a schema or a list (`_NESTED`)."""


# --- Ranking ---


MOST_WORDS: Final = 32
"""The most different words of a query that are searched for."""

_RANK: Final = (
    "SELECT rowid, bm25(words, 0.0, 4.0, 2.0, 1.0) AS score FROM words WHERE words MATCH ? ORDER BY score, rowid"
)
_IDENTITY: Final = "SELECT id FROM words WHERE rowid = ?"
_TOOLS: Final = "SELECT count(*) FROM words_docsize"
_COUNT: Final = "SELECT count(*) FROM words WHERE words MATCH ?"
_VOCABULARY: Final = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')"

_MOST_RANKED: Final = 500
"""The most tools that are ranked, at some 10 µs each, unless the rarest word finds more."""

_MOST_CHARACTERS: Final = 10_000
_SHORTEST_BEGINNING: Final = 2
_SHORTEST_MISSPELT: Final = 4


def rank_rows(connection: sqlite3.Connection, query: str) -> Iterator[tuple[int, float]]:
    """Yield the row id and score of each tool that matches a query, best first.

    Tools of one score are sorted by canonical id. A lower score is better. A caller that stops early saves the rest of the work.

    Args:
        connection: To a database with the table.
        query: Any text: its words are searched for, and nothing in it is an operator. Of more than 32 different words, the first 32 count.
    """
    expression = _fts_expression(connection, query)
    if expression:
        for score, equal in groupby(connection.execute(_RANK, (expression,)).fetchall(), key=itemgetter(1)):
            rows = [row for row, _ in equal]
            if len(rows) > 1:  # by canonical id, which the query would read for every match
                rows.sort(key=lambda row: str(connection.execute(_IDENTITY, (row,)).fetchone()[0]))
            for row in rows:
                yield row, score


def _fts_expression(connection: sqlite3.Connection, query: str) -> str:
    """Return an FTS5 expression that matches any of the first words of `query`; empty if no tool has one.

    Also matched are prefixes, singulars and, for a word that is nowhere, words of similar spelling. Words that more
    than half of the tools have are left out; if there are no others, only the rarest stays.
    """
    counts: dict[str, int] = {}

    def count(expression: str) -> int:
        """Return how many tools match an FTS5 expression; if there are any, record the number in `counts`."""
        (found,) = connection.execute(_COUNT, (expression,)).fetchone()
        counts.update({expression: found} if found else {})
        return int(found)

    for word in query_terms(query[:_MOST_CHARACTERS], MOST_WORDS):
        if len(word.parts) > 1 and word.whole:
            count(f'"{word.whole}"')
        for part in word.parts:
            if len(part) == 1 < len(word.parts):
                continue  # of e-mail, mail
            found = count(f'"{part}"')
            if not word.is_pair and (len(part) >= _SHORTEST_BEGINNING or not part.isascii()):
                found += count(f'"{part}"*')
            if singular := _singular(part):
                found += count(f'"{singular}"')
            if not found and len(part) >= _SHORTEST_MISSPELT and part.isascii():
                for each in _spelled_alike(connection, part):
                    count(f'"{each}"')
    (tools,) = connection.execute(_TOOLS).fetchone()
    rarest_first = sorted(counts, key=lambda each: counts[each])
    # BM25 gives no score for a word that most tools have
    selective = [each for each in rarest_first if 2 * counts[each] <= tools]
    return _limit_matches(selective or rarest_first[:1], counts)


def _singular(word: str) -> str:
    """Return `word` with `y` for a final `ies`, or without a final `s`; or an empty text.

    That is so for words of fewer than 4 letters, not in ASCII, without `s` at the end, or with `ss`, `us` or `is` there.
    """
    if len(word) < 4 or not word.isascii() or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return ""
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _limit_matches(expressions: list[str], counts: Mapping[str, int]) -> str:
    """Return an FTS5 expression that matches any of `expressions`, or only the rarest; empty for none.

    If all of them together match more than `_MOST_RANKED` tools, the rarest (at least one) decide which tools match;
    the rest affect only the order.

    Args:
        expressions: The expressions, rarest first.
        counts: How many tools each expression matches.
    """
    total = 0
    for place, each in enumerate(expressions):
        total += counts[each]
        if place and total > _MOST_RANKED:
            return f"({' OR '.join(expressions[:place])}) AND ({' OR '.join(expressions)})"
    return " OR ".join(expressions)


def _spelled_alike(connection: sqlite3.Connection, part: str) -> list[str]:
    """Return the at most two words of the table that are spelled like `part`, the nearest first."""
    from difflib import get_close_matches  # only for misspelt words

    connection.execute(_VOCABULARY)
    near = "SELECT term FROM temp.vocabulary WHERE length(term) BETWEEN ? AND ? ORDER BY term"
    terms = [term for (term,) in connection.execute(near, (len(part) - 2, len(part) + 2))]
    return get_close_matches(part, terms, n=2, cutoff=0.75)


# --- Words of a text ---


LONGEST_WORD: Final = 64
"""The most characters of a word; the rest is cut off."""

# Compiled by `re` at first use: a command that searches once does not use all of them.
_NAME_PARTS: Final = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+"
_NOT_IN_WORDS: Final = r"[^A-Za-z0-9_-]"
_ACCENT: Final = "[\u0300-\u036f]"
_UNSPACED: Final = (
    "([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+)"
)

STOP_WORDS: Final = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "do", "does", "for", "from", "has", "have"),
        *("how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "please", "should"),
        *("so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "us"),
        *("was", "we", "what", "when", "where", "which", "who", "will", "with", "would", "you", "your"),
    )
)
"""Common words of questions that do not help to find a tool."""


class Term(NamedTuple):
    """One word of a text.

    Attributes:
        whole: The term as one word: `getweather` for `get_weather`. Empty in scripts without spaces.
        parts: The words that the term consists of; a simple word has one part, itself.
        is_pair: Whether the parts are pairs of characters of a script without spaces, which are not prefixes of longer words.
    """

    whole: str
    parts: tuple[str, ...]
    is_pair: bool = False


def terms(text: str) -> Iterator[Term]:
    """Yield the words of a text, in order."""
    for chunk in _without_accents(text).split():
        for place, run in enumerate(re.split(_UNSPACED, chunk) if not chunk.isascii() else (chunk,)):
            if place % 2:
                yield Term("", tuple(_pairs(run)), is_pair=len(run) > 1)
            elif parts := _split_name(run):
                yield Term("".join(parts)[:LONGEST_WORD], tuple(part[:LONGEST_WORD] for part in parts))


def query_terms(text: str, at_most: int) -> list[Term]:
    """Return the words of a query, each once and at most `at_most`, without stop words.

    If the query consists of stop words, they are returned.
    """
    found: dict[Term, None] = {}
    empty: dict[Term, None] = {}
    for term in terms(text):
        (empty if term.whole in STOP_WORDS else found)[term] = None
        if len(found) == at_most:
            break
    return list(found or empty)[:at_most]


def index_text(text: str) -> str:
    """Return the words of a text as the table stores them, separated by spaces."""
    chunks = [(_index_chunk if len(each) <= LONGEST_WORD else _index_chunk.__wrapped__)(each) for each in text.split()]
    return " ".join(filter(None, chunks))


@lru_cache(maxsize=8_192)  # most words occur in many tools
def _index_chunk(chunk: str) -> str:
    """Return the words of `chunk`, which has no spaces, as they are stored, joined by spaces; cached.

    A name of several words gives each, and all as one word. Text in a script that is written without spaces gives its
    pairs of characters and its last character. Empty if `chunk` has no words.
    """
    words: list[str] = []
    for term in terms(chunk):
        words += term.parts
        if not term.whole:
            words.append(term.parts[-1][-1])  # so that each character is a prefix of a word
        elif len(term.parts) > 1:
            words.append(term.whole)
    return " ".join(words)


def _without_accents(text: str) -> str:
    """Return `text` without accents, and with a space for all but letters, marks, digits, `_` and `-`."""
    if text.isascii():
        return re.sub(_NOT_IN_WORDS, " ", text)
    from unicodedata import category, normalize  # rarely needed

    decomposed = re.sub(_ACCENT, "", normalize("NFKD", text))
    kept = (
        each if each.isalnum() or each in "_-" or category(each)[0] == "M" else " "
        for each in normalize("NFC", decomposed)
    )
    return "".join(kept)


def _split_name(run: str) -> list[str]:
    """Return the words, in lower case, of `run`, a string of letters, digits, `_` and `-`; may be empty.

    ASCII is split at `_`, `-` and capitals, and digits as `_join_digits` says; other text at `_` and `-` only.
    """
    if run.isascii():
        if run.isalpha() and run.islower():  # the usual case
            return [run]
        return [
            word.lower() for piece in re.split("[_-]+", run) for word in _join_digits(re.findall(_NAME_PARTS, piece))
        ]
    return [piece.casefold() for piece in re.split("[_-]+", run) if piece]


def _join_digits(parts: list[str]) -> list[str]:
    """Return `parts` with digits joined to a short part before them: s3, mp3, 3d and utf8 are words.

    A single letter is joined to digits before it. A part of more than 4 characters takes nothing more.
    """
    joined: list[str] = []
    for part in parts:
        if joined and (part.isdigit() or (joined[-1].isdigit() and len(part) == 1)) and len(joined[-1]) <= 4:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _pairs(run: str) -> list[str]:
    """Return each two adjacent characters of `run`; `[run]` if it has fewer than two characters."""
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]

"""Which of some tools have to do with some words? The ranking of the table, over tools in memory.

MERGED: How are tools ranked by words? BM25, which SQLite's FTS5 computes, over a table of three columns.

A tool's name tells most, so it weighs most, then what is said of it, then its parameters. A word is looked for as it stands and as the beginning
of others (*file* finds *files*, and *temp* finds *temperature*), so that one that stands there itself counts twice; where no tool has
either, words that are spelled alike are looked for. Several words need not all be there; one that most tools have decides nothing, unless it is
the only one. Without stems: they find *normal* where *normalize*
was asked for, and in a trial with 1,789 functions of the standard library and 42 questions the answer stood further down with them.

Source: SQLite documentation, "SQLite FTS5 Extension", sections "The bm25() function" and "FTS5 Prefix Queries".
MERGED: Which words is a text made of, as search compares them?

Names are taken apart: `getHTTPResponse_v2` is get, http, response and v2, and `gethttpresponsev2`. Letters are compared without case and accents.
Scripts that put no space between words (Chinese, Japanese, Korean, Thai, …) are taken in pairs of characters.
What comes out holds letters and digits only, whatever went in, so that no word means anything to the language of queries.
MERGED: Which tools have to do with some words? BM25 over their names, descriptions and parameters.

`_words.py` takes texts apart, `_ranking.py` is the table and its query, `_tools.py` ranks tools in memory.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, groupby, islice
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

# --- _search._tools ---


def fields_of_record(record: ToolRecord, distribution: str = "") -> tuple[str, str, str]:
    """Return what the table holds of a tool that is known by its record.

    Args:
        record: The tool.
        distribution: The distribution that ships it.
    """
    options = record["options"]
    return text_fields(
        record["name"],
        record["description"],
        record["parameters"],
        group="" if record["group"] == DEFAULT_GROUP else record["group"],
        more=(options.get("title") or "", *options.get("aliases", ()), *options.get("tags", ()), distribution),
    )


def fields_of_tool(tool: Tool) -> tuple[str, str, str]:
    """Return what the table holds of a tool."""
    options = tool.options
    return text_fields(
        tool.declared_name if tool.name == tool.declared_name else f"{tool.name} {tool.declared_name}",
        tool.description,
        tool.parameters,
        group="" if tool.group == DEFAULT_GROUP else tool.group,
        more=(options.title or "", *options.aliases, *options.tags, tool.origin.distribution or ""),
    )


class ToolSearch:
    """Finds tools by words; what they are made of is read at the first search, and kept. Threads may share it.

    Args:
        tools: The tools; what cannot be defined is passed over.
    """

    __slots__ = ("__weakref__", "_table", "_tools")

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._tools = tuple(tools)
        self._table: sqlite3.Connection | None = None
        after_fork(self, ToolSearch._forget)

    def _forget(self) -> None:
        self._table = None  # SQLite says not to use a connection in a forked process

    def best(self, words: str, limit: int) -> tuple[Tool, ...]:
        """Return the tools that have to do with words, best first; equal ones by canonical id. None whose environment is not set.

        Args:
            words: Any text.
            limit: How many tools at most.

        Raises:
            MissingDependencyError: This Python's SQLite was built without FTS5.
        """
        self._fill()
        with sqlite_lock:
            assert self._table is not None
            found = (self._tools[row] for row, _ in rank_rows(self._table, words))
            return tuple(islice((tool for tool in found if not tool.missing_env), limit))

    def _fill(self) -> None:
        """Make the table, unless that was done; foreign code may describe the tools, so no lock is held meanwhile."""
        if self._table is not None:
            return
        from weakref import finalize

        try:
            import sqlite3  # 3 ms, which only a search needs
        except ImportError as error:
            raise MissingDependencyError(
                "tools cannot be searched here: this Python was built without SQLite; use one that has it"
            ) from error
        rows = list(self._rows())
        with sqlite_lock:
            table = sqlite3.connect(":memory:", check_same_thread=False)
            finalize(self, _close, table)  # Python 3.13 warns of one that is left open
            create_table(table)
            table.executemany(INSERT, rows)
            self._table = table  # in place of the same, if another thread has made it meanwhile

    def _rows(self) -> Iterator[tuple[int, str, str, str, str]]:
        for row, tool in enumerate(self._tools):
            if tool.definition_error is None:
                yield (row, tool.id, *fields_of_tool(tool))


def _close(table: sqlite3.Connection) -> None:
    with sqlite_lock:
        table.close()


def search_tools(tools: Iterable[Tool], words: str, limit: int = 10) -> tuple[Tool, ...]:
    """Return those of some tools that have to do with words, best first; see `ToolSearch.best`."""
    return ToolSearch(tools).best(words, limit)


def rank_with_index(index: sqlite3.Connection, others: Iterable[Tool], words: str) -> list[int | Tool]:
    """Return what has to do with words, best first: the row ids of tools that an index holds, and tools that it does not hold.

    Where there are such tools, they are ranked in a copy of the index in memory, since BM25 compares only what stands in one table.

    Args:
        index: A connection to the index.
        others: The tools that it does not hold: the application's own, and those of plugins that change with the environment.
        words: Any text.
    """
    added = [tool for tool in others if tool.definition_error is None]
    if not added:
        with sqlite_lock:
            return [row for row, _ in rank_rows(index, words)]
    import sqlite3  # there already: somebody opened the index

    # Before the lock is taken: foreign code may describe the tools
    rows = [(-1 - place, tool.id, *fields_of_tool(tool)) for place, tool in enumerate(added)]
    with sqlite_lock:
        both = sqlite3.connect(":memory:")
        try:
            index.commit()  # a backup would wait for ever for what this connection has begun
            index.backup(both)
            both.executemany(INSERT, rows)
            return [row if row >= 0 else added[-1 - row] for row, _ in rank_rows(both, words)]
        finally:
            both.close()


# --- _search._ranking ---

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


def create_table(connection: sqlite3.Connection) -> None:
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
    return index_text(" ".join(words)), index_text(" ".join(said)), index_text(" ".join(_schema_texts(parameters, 0)))


def _schema_texts(schema: Any, depth: int) -> list[str]:
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
                said += _schema_texts(each, depth + 1)
        elif key in _NESTED:
            for each in inner if isinstance(inner, list) else (inner,):
                said += _schema_texts(each, depth + 1)
    return said


def rank_rows(connection: sqlite3.Connection, query: str) -> Iterator[tuple[int, float]]:
    """Yield the row id of each tool that has to do with a query and its score, best first; equal ones by canonical id.

    The lower a score, the better. Whoever takes no more than it needs saves the rest of the work.

    Args:
        connection: To a database with the table.
        query: Any text: its words are looked for, and nothing in it is an instruction. Of more than 32 different words, the first 32 count.
    """
    expression = _fts_expression(connection, query)
    if expression:
        for score, equal in groupby(connection.execute(_RANK, (expression,)).fetchall(), key=itemgetter(1)):
            for row in _sort_by_id(connection, [row for row, _ in equal]):
                yield row, score


def _sort_by_id(connection: sqlite3.Connection, rows: list[int]) -> list[int]:
    """Return rows sorted by canonical id; that is not left to the query, which would read it for all."""
    if len(rows) == 1:
        return rows
    return sorted(rows, key=lambda row: str(connection.execute(_IDENTITY, (row,)).fetchone()[0]))


def _fts_expression(connection: sqlite3.Connection, query: str) -> str:
    """Return what to look for, in the language of FTS5; nothing where no tool has to do with a query."""
    words = query_terms(query[:_MOST_CHARACTERS], MOST_WORDS)
    counts = dict(chain.from_iterable(_count_word(connection, word) for word in words))
    (tools,) = connection.execute(_TOOLS).fetchone()
    rarest_first = sorted(counts, key=lambda each: counts[each])
    telling = [
        each for each in rarest_first if 2 * counts[each] <= tools
    ]  # BM25 gives nothing for what most tools have
    return _limit_matches(telling or rarest_first[:1], counts)


def _limit_matches(expressions: list[str], counts: Mapping[str, int]) -> str:
    """Return the expression for any of some, the rarest first, that does not find too many tools to rank.

    The rarest say which tools are found; the others no more than which of these stands before which.
    """
    total = 0
    for place, each in enumerate(expressions):
        total += counts[each]
        if place and total > _ENOUGH:
            return f"({' OR '.join(expressions[:place])}) AND ({' OR '.join(expressions)})"
    return " OR ".join(expressions)


def _count_word(connection: sqlite3.Connection, word: Term) -> Iterator[tuple[str, int]]:
    """Yield the expressions for a word, the name that it may be and each of its parts, with how many tools have them."""
    if len(word.parts) > 1 and word.whole:
        yield from _count_matches(connection, f'"{word.whole}"')
    for part in word.parts:
        if len(part) > 1 or len(word.parts) == 1:  # of e-mail, mail
            yield from _count_part(connection, part, word)


def _count_part(connection: sqlite3.Connection, part: str, word: Term) -> Iterator[tuple[str, int]]:
    """Yield the expressions for a part as it stands and as a beginning; where no tool has either, for words that are spelled alike."""
    exact, beginning = f'"{part}"', f'"{part}"*'
    found = _count_matches(connection, exact)
    if not word.is_pair and (len(part) >= _SHORTEST_BEGINNING or not part.isascii()):
        found += _count_matches(connection, beginning)
    if not found and len(part) >= _SHORTEST_MISSPELT and part.isascii():
        for each in _spelled_alike(connection, part):
            found += _count_matches(connection, each)
    yield from found


def _count_matches(connection: sqlite3.Connection, expression: str) -> list[tuple[str, int]]:
    """Return an expression with how many tools have it; nothing if none has."""
    (count,) = connection.execute(_COUNT, (expression,)).fetchone()
    return [(expression, count)] if count else []


def _spelled_alike(connection: sqlite3.Connection, part: str) -> Iterator[str]:
    """Yield the expressions for words that are spelled like one that no tool has."""
    from difflib import get_close_matches  # only for what is misspelt

    connection.execute(_VOCABULARY)
    near = "SELECT term FROM temp.vocabulary WHERE length(term) BETWEEN ? AND ? ORDER BY term"
    terms = [term for (term,) in connection.execute(near, (len(part) - 2, len(part) + 2))]
    for term in get_close_matches(part, terms, n=2, cutoff=0.75):
        yield f'"{term}"'


# --- _search._words ---

LONGEST_WORD: Final = 64
"""Characters after which a word is cut."""

# Compiled by `re` when they are first used, which a command that is asked once does not do with all of them.
_NAME_PARTS: Final = r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+"
_NOT_IN_WORDS: Final = r"[^A-Za-z0-9_-]"
_SPACED: Final = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_-")}
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
"""Words of questions that say nothing of a tool."""


class Term(NamedTuple):
    """One word as somebody wrote it.

    Attributes:
        whole: All of it as one word: `getweather` of `get_weather`. Empty in scripts without spaces.
        parts: The words that it is made of; the word alone if it is made of one.
        is_pair: Whether the parts are pairs of characters of a script without spaces, which begin nothing longer.
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


def index_text(text: str) -> str:
    """Return the words of a text as they are written into the table, with a space between them."""
    if not text.isascii():
        return " ".join(_index_words(terms(text)))
    chunks = text.translate(_SPACED).split()
    return " ".join(
        filter(None, [_split_run_cached(each) if len(each) <= LONGEST_WORD else _split_run(each) for each in chunks])
    )


def _split_run(run: str) -> str:
    """Return the words in a run of ASCII letters, digits, `_` and `-`, as `_index_words` does."""
    parts = _split_name(run)
    whole = ("".join(parts),) if len(parts) > 1 else ()
    return " ".join([each[:LONGEST_WORD] for each in (*parts, *whole)])


_split_run_cached = lru_cache(maxsize=8_192)(_split_run)
"""The same, kept: every word of every tool is asked for, and most of them are said of many."""


def _index_words(found: Iterable[Term]) -> Iterator[str]:
    for term in found:
        yield from term.parts
        if not term.whole:
            yield term.parts[-1][-1]  # so that each character begins a word
        elif len(term.parts) > 1:
            yield term.whole


def query_terms(text: str, at_most: int) -> list[Term]:
    """Return the words of a query, each once, without those that say nothing; of a query of such words alone, all."""
    found: dict[Term, None] = {}
    empty: dict[Term, None] = {}
    for term in terms(text):
        (empty if term.whole in STOP_WORDS else found)[term] = None
        if len(found) == at_most:
            break
    return list(found or empty)[:at_most]


def _without_accents(text: str) -> str:
    """Return a text with a space for all that stands in no word, and without accents."""
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
    """Return the words in a run of letters, digits, `_` and `-`: a name, or a word of prose."""
    if run.isascii():
        if run.isalpha() and run.islower():  # as most are
            return [run]
        return [
            word.lower() for piece in re.split("[_-]+", run) for word in _join_digits(re.findall(_NAME_PARTS, piece))
        ]
    return [piece.casefold() for piece in re.split("[_-]+", run) if piece]


def _join_digits(parts: list[str]) -> list[str]:
    """Put short mixes of letters and digits together again: s3, mp3, h264, 3d, utf8 are words of their own."""
    joined: list[str] = []
    for part in parts:
        if joined and (part.isdigit() or (joined[-1].isdigit() and len(part) == 1)) and len(joined[-1]) <= 4:
            joined[-1] += part
        else:
            joined.append(part)
    return joined


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]

"""Which tools have to do with some words? BM25 over their names, descriptions and parameters.

`_words.py` takes texts apart, `_ranking.py` is the table and its query, `_tools.py` ranks tools in memory.
"""

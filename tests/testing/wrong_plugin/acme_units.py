"""Types that only an extension reads, each of which breaks one rule of codecs."""


class Misspelt:
    """Has a schema that is none."""


class Numbered:
    """Has another schema each time."""


class Even:
    """Has a schema that says less than its codec accepts."""


class Unmarked:
    """Is decoded into something else."""


class Stripped:
    """Empties what it is decoded from."""


class Doubled:
    """Is encoded as what it is not decoded from."""

"""Which rules are there?

A new rule is one function and one row in the file of its theme, one test, and one row of docs/reference/lint.md.
"""

from __future__ import annotations

from typing import Final

from fcregistry.inspection._lint._core import Rule
from fcregistry.inspection._lint._descriptions import RULES as DESCRIPTIONS
from fcregistry.inspection._lint._names import RULES as NAMES
from fcregistry.inspection._lint._promises import RULES as PROMISES
from fcregistry.inspection._lint._providers import RULES as PROVIDERS
from fcregistry.inspection._lint._sizes import RULES as SIZES
from fcregistry.inspection._lint._standing import RULES as STANDING
from fcregistry.inspection._lint._values import RULES as VALUES

RULES: Final[dict[str, Rule]] = {
    rule.id: rule for rule in (*STANDING, *NAMES, *DESCRIPTIONS, *VALUES, *SIZES, *PROVIDERS, *PROMISES)
}
"""Every rule by its id."""

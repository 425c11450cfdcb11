"""Cannot be imported."""

import not_installed_anywhere  # noqa: F401

"""Which model is asked? The one that is named on the command line, in the environment, or in the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fcregistry._config.settings import MODEL, configuration, model_variable

if TYPE_CHECKING:
    from fcregistry.models import Model

_NONE: Final = f"""no model is named. Name one with --model, in the variable {MODEL}, or as model = "…" in fcregistry.toml:
  a hosted one:         pip install "fcregistry[openai]", set OPENAI_API_KEY, and --model openai:gpt-5
  one on this machine:  pip install fcregistry-llama, and --model llama:smollm2"""


def model_name(given: str | None) -> str:
    """Return the name of the model.

    Args:
        given: What the command line says, if it says anything.

    Raises:
        UsageError: Nobody names one; says how to get one.
        ConfigurationError: The configuration cannot be read.
    """
    name = (given or "").strip() or model_variable() or _configured()
    if name is None:
        raise click.UsageError(_NONE)
    return name


def _configured() -> str | None:
    """Return what the nearest file says: the project's before the user's, and that before the system's."""
    return next((layer.model for layer in reversed(configuration()) if layer.model is not None), None)


def opened(name: str) -> Model:
    """Return the model of a name.

    Raises:
        ModelNotFoundError, MissingDependencyError: As for `models.resolve`.
    """
    from fcregistry.models import resolve  # with the extension that has it

    return resolve(name)

"""Which model does an extension have by a name? Its hook is called, and what is wrong is told with the extension's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fcregistry.discovery._discovery import current
from fcregistry.discovery._extensions import PUBLISHED_MODELS, disable_advice
from fcregistry.discovery._outcomes import FailedExtension, LoadedExtension
from fcregistry.errors import FcregistryError, ModelNotFoundError

if TYPE_CHECKING:
    from fcregistry.discovery._found import FoundExtension


def resolve_model(prefix: str, name: str) -> object | None:
    """Return what the extension of a prefix has by a name.

    Args:
        prefix: The name of the extension's entry point.
        name: What stands after it.

    Returns:
        What the extension returned; None if there is no extension of that name.

    Raises:
        ModelNotFoundError: It cannot be used, has no models, or none of that name, or its hook fails.
    """
    asked = f"{prefix}:{name}"
    found = _found(prefix, asked)
    if found is None:
        return None
    loaded = _loaded(found, asked)
    if loaded.resolve_model is None:
        raise ModelNotFoundError(
            f"there is no model {asked!r}: the extension {found.label} has no hook fc_resolve_model"
        )
    try:
        model = loaded.resolve_model(name)
    except FcregistryError:
        raise  # it says itself what is wrong, and what to do
    except Exception as error:  # foreign code: a mistake in an extension is told as the extension's
        failed = FailedExtension(extension=found, error=error, traceback="")
        why = f"the extension {found.label} fails to give the model {asked!r}: {failed.reason}; {failed.advice}"
        raise ModelNotFoundError(why) from error
    if model is None:
        raise ModelNotFoundError(
            f"the extension {found.label} has no model {name!r}; its documentation says which it has"
        )
    return model


def _found(prefix: str, asked: str) -> FoundExtension | None:
    extensions = current().extensions
    named = extensions.named(prefix)
    if not named:
        if missing := PUBLISHED_MODELS.get(prefix):
            why = f"the model {asked!r} is given by the extension {missing}, which is not installed: pip install {missing}"
            raise ModelNotFoundError(why)
        return None
    enabled = [each for each in named if extensions.disabled(each) is None]
    if not enabled:
        why = f"the model {asked!r} is given by the extension {named[0].label}, which is disabled: {extensions.disabled(named[0])}"
        raise ModelNotFoundError(why)
    if len(enabled) > 1:
        labels = ", ".join(each.label for each in enabled)
        why = f"the model {asked!r} may be given by any of the extensions {labels}, and one can be used: {disable_advice(enabled)}"
        raise ModelNotFoundError(why)
    return enabled[0]


def _loaded(found: FoundExtension, asked: str) -> LoadedExtension:
    outcome = current().extensions.load(found)
    which = f"the model {asked!r} is given by the extension {found.label}, which"
    if outcome is None:
        raise ModelNotFoundError(f"{which} is being imported just now; ask for the model after that")
    if isinstance(outcome, FailedExtension):
        raise ModelNotFoundError(f"{which} does not load: {outcome.reason}; {outcome.advice}") from outcome.error
    return outcome

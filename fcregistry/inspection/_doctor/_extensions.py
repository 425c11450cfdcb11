"""What is wrong with extensions? They are loaded to be asked."""

from __future__ import annotations

from collections.abc import Iterator

from fcregistry._config.settings import CALL_HOOKS
from fcregistry.discovery import FoundExtension, current
from fcregistry.discovery._extensions import disable_advice
from fcregistry.discovery._providers import unusable_call_hooks
from fcregistry.discovery._report import FailedExtension
from fcregistry.inspection._doctor._finding import Finding, not_loaded, problem


def extension_findings() -> Iterator[Finding]:
    """Yield the extensions that do not load, that are several of one name, or disabled."""
    extensions = current().extensions
    enabled: dict[str, list[FoundExtension]] = {}
    for extension in current().found_extensions:
        reason = extensions.disabled(extension)
        if reason is not None and reason == current().permission().to_trust(extension):
            yield problem(extension.label, f"is not loaded: {reason}", "until then nothing of it is used")
        elif reason is not None:
            yield not_loaded(extension.label, reason)
        else:
            enabled.setdefault(extension.entry_point, []).append(extension)
    for name, found in enabled.items():
        outcome = extensions.load(found[0]) if len(found) == 1 else None
        if len(found) > 1:
            labels = ", ".join(each.label for each in found)
            yield problem(name, f"has several extensions, so that none is used: {labels}", disable_advice(found))
        elif isinstance(outcome, FailedExtension):
            yield problem(found[0].label, f"does not load: {outcome.reason}", outcome.advice, detail=outcome.traceback)


def call_hook_findings() -> Iterator[Finding]:
    """Yield the hooks of calls that are named and cannot be had."""
    for error in unusable_call_hooks():
        advice = "until then every call is refused; correct the variable, or mend the extension"
        yield problem(CALL_HOOKS, str(error).removeprefix(f"{CALL_HOOKS} "), advice)

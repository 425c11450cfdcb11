"""Arithmetic tools for fcregistry; the tools are in `fcregistry_calculator.tools`."""

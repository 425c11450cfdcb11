"""Time tools for fcregistry that need no network; the tools are in `fcregistry_clock.tools`."""

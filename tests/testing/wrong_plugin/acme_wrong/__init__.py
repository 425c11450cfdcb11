"""A plugin that breaks every rule, each in one tool that is named after it. Installed by tests/testing, and by nobody else."""

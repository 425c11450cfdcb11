"""The version of the package. The one place that says so."""

__version__: str = "0.1.0"

"""NumPy arrays and scalars as parameters and results of fcregistry's tools; `Shape` says how long an array is."""

from fcregistry_numpy._shapes import Shape

__all__ = ["Shape"]

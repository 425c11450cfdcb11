"""NumPy arrays and scalars as parameters and results of tools; `Shape` is the shape of an array."""

from fcregistry_numpy._shapes import Shape

__all__ = ["Shape"]

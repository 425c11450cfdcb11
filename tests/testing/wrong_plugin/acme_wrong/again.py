"""Declares a name that another module of the plugin declares too."""

from fcregistry import fc_register


@fc_register("wrong")
def has_its_name_alone(city: str) -> None:
    """Share its name with another.

    Args:
        city: Where.
    """

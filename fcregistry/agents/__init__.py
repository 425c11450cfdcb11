"""What does a model do with tools? Agents: loops of model and executor."""

from fcregistry.agents._function_call import FunctionCall
from fcregistry.agents._on_demand import OnDemand
from fcregistry.agents._visible import VisibleTools

__all__ = ["FunctionCall", "OnDemand", "VisibleTools"]

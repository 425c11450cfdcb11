"""What does a model do with tools? Agents: loops of model and executor."""

from fcregistry.agents._function_call import FunctionCall

__all__ = ["FunctionCall"]

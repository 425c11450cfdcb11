"""What may a tool give a model beside text? Public in `fcregistry.execution`; nothing here imports more than it needs."""

from fcregistry._content._content import Content
from fcregistry._content._media import ending_of
from fcregistry._content._output import Output, ToolOutput, text_of

__all__ = ["Content", "Output", "ToolOutput", "ending_of", "text_of"]

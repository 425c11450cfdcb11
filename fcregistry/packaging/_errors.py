"""What keeps a plugin from being packaged?"""

from fcregistry.errors import FcregistryError


class PackagingError(FcregistryError):
    """A project or a manifest that is not as it has to be; the message says where, and what to do."""

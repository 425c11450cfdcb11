"""What is wrong with what is installed? What the command line and tests both say of it."""

from fcregistry.inspection._doctor import Finding, diagnose, diagnose_name

__all__ = ["Finding", "diagnose", "diagnose_name"]

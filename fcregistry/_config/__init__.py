"""Configuration in layers, and the policy for plugins that it sets. Read when it is asked for, never on import."""

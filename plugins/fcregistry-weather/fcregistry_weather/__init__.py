"""Weather tools for fcregistry over built-in sample data; the tools are in `fcregistry_weather.tools`."""

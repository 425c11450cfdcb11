"""Run the command line: `python -m fcregistry`."""

from fcregistry.cli import main

if __name__ == "__main__":
    main()

"""The commands, one module for each kind. `cli.py` says how they are called."""

"""The command line: `main` has the commands, one module for each kind."""

"""Games for the terminal: searches that a person plays with single key presses."""

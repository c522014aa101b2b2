"""Studies: participants look for items that they were shown, and what they do is measured."""

"""The items of a collection: where they come from, what they show, what is known about them beforehand."""

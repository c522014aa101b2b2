"""A visitor's search: its questions, its answers, and the belief between them."""

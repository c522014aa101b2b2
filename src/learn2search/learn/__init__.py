"""Learning to search: searches teach the embedding, the embedding shortens the searches."""

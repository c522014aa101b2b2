"""Embeddings from triplets, with scikit-learn's shape."""

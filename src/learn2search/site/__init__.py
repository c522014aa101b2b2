"""What the product does, free of HTTP: visits, learning, the catalogue of items, administration."""

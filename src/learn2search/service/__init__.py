"""What the product does, free of HTTP: collections, searches, lessons, models, the trainer."""

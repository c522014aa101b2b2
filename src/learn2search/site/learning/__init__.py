"""From finished searches to published models."""

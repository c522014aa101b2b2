"""Real data sets, one file each: where it comes from, its checksum, its loader; and synthetic ones."""

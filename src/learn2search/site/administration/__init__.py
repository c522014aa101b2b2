"""What an owner looks at, changes and takes away."""

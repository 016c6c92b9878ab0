"""Several sources as one list."""

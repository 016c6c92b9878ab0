"""JSON as lists of images: one reader for each of its kinds."""

"""TFRecords as lists of images."""

"""TFRecords as anybody wrote them, read: framing, Examples, and what features are images and labels.

It shares no code with the writer, so that `integrity` can hold what was written against it.
"""

"""Integrity: whether files are what they should be, told without TensorFlow.

Records are read by `tfrecords`, which shares no code with the writer.
"""

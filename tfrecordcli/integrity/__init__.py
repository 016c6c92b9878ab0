"""Integrity: whether files are what they should be, told without TensorFlow.

An own reader of framing and Examples, sharing no code with the writer that it would have to fail on.
"""

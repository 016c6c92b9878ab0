"""Inspecting: what is in TFRecords, whoever wrote them, and what can be made of it without TensorFlow."""

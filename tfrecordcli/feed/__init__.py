"""The feed: shards -> TensorFlow's reader and decoder -> batches on a device, and what can be told of it.

    split -> records -> parse -> decode, resize -> batch -> device

`pipeline` puts these stages together, once, for `loading` (what users load), `proof` (every record
through it) and `timing` (how fast). Importing any module here does not import TensorFlow.
"""

"""The feed: shards -> TensorFlow's reader and decoder -> batches on a device, and what can be told of it.

    source -> records -> parse -> decode, resize -> batch -> device

`assembly` puts these stages together, once, for `pipeline` (what users load), `proof` (every record
through it), `timing` and `stages` (how fast). Importing any module here does not import TensorFlow.
"""

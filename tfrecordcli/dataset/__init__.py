"""The dataset model: rows, splits, labels, the plan of shards, the manifest.

Data flows one way through these modules::

    source -> csv_shape, rows -> scan (splits, labels) -> shuffle -> plan of shard tasks
    shard infos -> manifest, rejects
"""

"""What stands on disk: the plan and its shard tasks, the records of finished shards, labels, the manifest."""

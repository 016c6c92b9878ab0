"""What `verify` does: shards checked by workers, the dataset as a whole, then the feed.

verification (one dataset): shard_checks -> feed_check -> a report; joint_verification: several as one
"""

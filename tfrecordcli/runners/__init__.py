"""Runners execute shard tasks and do nothing else; results are read from the done records."""

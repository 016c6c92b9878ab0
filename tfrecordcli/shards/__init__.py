"""One shard: making it (`writer`), in a worker of any runner (`attempt`)."""

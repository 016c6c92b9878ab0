"""Apache Beam as a runner: what is asked of it (`options`), the `pipeline` and what its workers do,
who runs it (`runner`, `launcher`), and this package as a `wheel`.

Beam carries numbers of shards and nothing else. Workers read the plan where the shards go, and what they did
is read from done records there: Beam's own counters count retries twice, and not every runner has them.
"""

"""From rows to a plan: which row goes to which shard, in which order, with which label ids.

source rows -> scan (splits, labels, buckets) -> merging, shuffle -> planner (tasks, plan.json)
"""

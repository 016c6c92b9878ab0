"""From rows to a plan: which row goes to which shard, in which order, with which label ids.

source rows -> sorted_rows: scan (splits, labels, buckets), merging, shuffle -> split_rows (task files)
-> planner (plan.json), with plan_notes of the list as a whole
"""

"""What a conversion does and how it can end, in one command or in steps.

request -> conversion: dry_run, finished_dataset, or a plan -> sample_check -> execution;
each way that it can end is a function of outcome
"""

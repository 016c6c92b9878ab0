"""An output directory at work: its lock, the job in it, its end, the swap of an old dataset for a new one."""

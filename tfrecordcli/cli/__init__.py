"""The command `tfrec`: flags in, one call, text or JSON out."""

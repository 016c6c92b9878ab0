"""What an uncertain list may be meant to say: commands to choose from, in its own columns."""

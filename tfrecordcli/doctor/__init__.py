"""The use case `doctor`: whether this machine has what tfrec needs, and what to do where it has not."""

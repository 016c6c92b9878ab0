"""Where files are: resolving image URIs, reading images, writing files that appear whole."""

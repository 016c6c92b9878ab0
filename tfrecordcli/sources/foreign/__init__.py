"""Lists of well-known data sets and tools in a grammar of their own, known by their first lines.

Each is refused by name, with a command that makes a list of it which is read. A kind more is an entry in the
table of `lists` (text) or `json_lists`; `kind` is what an entry is.
"""

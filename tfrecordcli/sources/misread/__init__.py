"""Lists that would be read as what they are not: refused or told of, with the command that mends the list."""

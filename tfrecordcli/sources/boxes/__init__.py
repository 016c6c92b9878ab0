"""Boxes of a list: which columns hold them, in which unit and form, and what each field says."""

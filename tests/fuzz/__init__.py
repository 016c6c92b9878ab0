"""Hostile testing: `python -m fuzz` from the folder of the tests, or `make fuzz`.

A kind of test (`mutations`, `payloads`, `images`, `stores`, `kills`) makes one case of a seed and a number,
and judges it: an `Outcome`. What runs tfrec (`subject`) and TensorFlow, who is the witness (`witness`), live
in processes of their own (`peer`), which are bounded in memory and time and replaced when they die.

- `running`: cases dealt out to lanes, a deadline, what failed kept and told
- `report`: the table at the end
- `judging`: what every kind asks of a command
- `datasets`, `damage`, `tampering`: small datasets, and the ways in which bytes, records and files are spoilt
- `own_payloads`: records that are nearly an Example
- `pictures`, `odd_jpeg`, `image_damage`: images of every format, and how they are spoilt
- `malformed`: a server whose answers are no HTTP
"""

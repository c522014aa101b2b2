"""Programs that explain: each `NN_name.py` is a page of the documentation, a test, and a program to run and change.

`python -m docs.tutorials` runs them and keeps what they print and draw in `docs/images/tutorials/`.
"""

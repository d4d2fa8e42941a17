"""Mutation testing by hand: ``python -m tests.mutation revenue --count 300``."""

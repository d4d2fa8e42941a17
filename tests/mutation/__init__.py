"""Mutation testing by hand: ``python -m tests.mutation objective --count 300``."""

"""Fuzzing by hand: ``python -m tests.fuzz newick --seconds 600``."""

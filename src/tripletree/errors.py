"""The exceptions of tripletree: each also is the built-in error it specialises."""

from __future__ import annotations


class TripletreeError(Exception):
    """Any error that tripletree raises on purpose."""


class InvalidComparisons(TripletreeError, ValueError):
    """Rows, weights or labels that are no comparisons."""


class InvalidTree(TripletreeError, ValueError):
    """Arrays or text that describe no binary tree."""


class InvalidSimilarity(TripletreeError, ValueError):
    """A matrix that is no symmetric similarity, or too large for exact sums."""


class InvalidOption(TripletreeError, ValueError):
    """An option outside its range."""


class Mismatch(TripletreeError, ValueError):
    """A tree, comparisons or a similarity about different objects."""


class TooLarge(TripletreeError, MemoryError):
    """A result that would not fit into the memory of this machine."""


class InvalidFile(TripletreeError, ValueError):
    """A file or archive that does not hold what it should."""


class DataUnavailable(TripletreeError, OSError):
    """A file of a data set that is not here and could not be downloaded."""


class UnreadableFile(TripletreeError, OSError):
    """A file that is not there, is no file, or cannot be opened or written."""


class ExperimentFailed(TripletreeError, RuntimeError):
    """A piece of an experiment that could not be run."""

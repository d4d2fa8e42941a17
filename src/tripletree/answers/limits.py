"""How much memory an engine may use."""

from __future__ import annotations

import re

from tripletree._checks import check_int
from tripletree.errors import InvalidOption

LEAST, MOST = 64 * 10**6, 2**60
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
BINARY = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*(?:([kmgt])(i?)b?|b?)", re.I)


def check_memory(memory: str | int | None) -> int | None:
    """A number of bytes from 64 MB on: an integer, or text such as "2GB".

    Examples
    --------
    >>> check_memory("2GB"), check_memory("1.5 GiB"), check_memory(10**9)
    (2000000000, 1610612736, 1000000000)
    """
    if memory is None:
        return None
    if not isinstance(memory, str):
        return check_int("memory", memory, LEAST, MOST)
    found = SIZE.fullmatch(memory.strip())
    if found:
        number, unit, is_binary = found.groups()
        unit = (unit or "").lower()
        n_bytes = int(float(number) * (BINARY if is_binary else UNITS)[unit])
        if LEAST <= n_bytes <= MOST:
            return n_bytes
    message = (
        f"memory = {memory!r:.80}: give bytes, or text such as '2GB' or '500MB'; at "
        "least 64 MB."
    )
    raise InvalidOption(message)

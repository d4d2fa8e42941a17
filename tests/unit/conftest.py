from types import SimpleNamespace

import pytest


@pytest.fixture
def memory(monkeypatch):
    """The memory of the machine: set `memory.available`, in bytes."""
    machine = SimpleNamespace(available=2**40)
    monkeypatch.setattr("psutil.virtual_memory", lambda: machine)
    return machine
